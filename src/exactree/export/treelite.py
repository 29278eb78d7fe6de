"""Trees as a treelite model, for compilers and other runtimes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from exactree.export.calls import answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.wording import checked_float32_note, refuse_surfaces, trees_of
from exactree.trees import Ensemble, RegressionTree
from exactree.trees.routing import IN
from exactree.trees.shares import shares_of, votes_of

if TYPE_CHECKING:
    from exactree.trees import Tree


@answers_file_names("returns a model and writes no file: export.{0}(model).serialize({1})")
def to_treelite(model: Model) -> Any:
    """Return a `treelite.Model`, with thresholds and outputs in float64.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The exported model.

    Returns
    -------
    treelite.Model
        Its predictions are the shares of the classes in leaves, the shares of the votes of an
        ensemble, or the number of a regression; the predicted class is the first with the greatest
        share. Rows must be float64. Levels are their indices, -1 is any other value, and ``nan`` is
        a missing value. Attributes have the names, classes, levels and the effect of float32.

    Raises
    ------
    ImportError
        If treelite is not installed.
    ValueError
        If a node splits on a surface.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    try:
        from treelite import model_builder
    except ImportError:
        raise ImportError("to_treelite needs treelite: pip install 'exactree[treelite]'.") from None
    found = fitted(model)
    trees = trees_of(found)
    refuse_surfaces(found, "a model of treelite")
    note = checked_float32_note(found, "the model of treelite")
    regression = isinstance(found, RegressionTree)
    classes = 1 if regression else len(found.classes)
    builder = model_builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=model_builder.Metadata(
            num_feature=len(found.feature_names),
            task_type="kRegressor" if regression else "kMultiClf",
            average_tree_output=len(trees) > 1,
            num_target=1,
            num_class=[classes],
            leaf_vector_shape=(1, classes),
        ),
        tree_annotation=model_builder.TreeAnnotation(
            num_tree=len(trees),
            target_id=[0] * len(trees),
            class_id=[0 if regression else -1] * len(trees),
        ),
        postprocessor=model_builder.PostProcessorFunc(
            "identity" if regression else "identity_multiclass"
        ),
        base_scores=[0.0] * classes,
        attributes=_attributes(found, note),
    )
    for tree in trees:
        _add(builder, tree, isinstance(found, Ensemble))
    return builder.commit()


def _attributes(found: Tree | Ensemble, note: str) -> dict[str, str]:
    """Return the information that a treelite model cannot hold, as text."""
    attributes = {
        "feature_names": list(found.feature_names),
        "classes": [str(label) for label in found.classes],
        "levels": {str(f): [str(level) for level in levels] for f, levels in found.levels.items()},
    }
    return {name: json.dumps(content) for name, content in attributes.items()} | {"float32": note}


def _add(builder: Any, tree: Tree, votes: bool) -> None:
    """Add a tree to a model that is being built."""
    numbers = tree.value
    if not isinstance(tree, RegressionTree):
        numbers = votes_of(tree) if votes else shares_of(tree)
    builder.start_tree()
    for node in range(tree.node_count):
        builder.start_node(node)
        if tree.is_leaf(node):
            leaf = numbers[node].tolist()
            builder.leaf(leaf[0] if len(leaf) == 1 else leaf)
        else:
            _add_split(builder, tree, node)
        builder.end_node()
    builder.end_tree()


def _add_split(builder: Any, tree: Tree, node: int) -> None:
    """Add the split of a node."""
    children: dict[str, Any] = {
        "default_left": bool(tree.missing_go_to_left[node]),
        "left_child_key": int(tree.children_left[node]),
        "right_child_key": int(tree.children_right[node]),
    }
    feature = int(tree.feature[node])
    if tree.comparison[node] == IN:
        codes = list(tree.level_set_at(node))
        builder.categorical_test(
            feature, category_list=codes, category_list_right_child=False, **children
        )
    else:
        sign = str(tree.comparison[node])
        builder.numerical_test(feature, float(tree.threshold[node]), opname=sign, **children)
