"""The data of the page's script as JSON: nodes, features and examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.page.predicted_table import PredictedTable
from exactree.export.plane import fixed_values
from exactree.export.sentences import conditions_of, parents_of, path_to
from exactree.export.wording import (
    CENTRE,
    counts_by_class,
    errors,
    examples,
    one_line,
    only_missing,
    predicted,
    rule,
    trees_of,
)
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

__all__ = ["as_json", "data_of"]


def data_of(model: Tree | Ensemble, table: PredictedTable, max_examples: int) -> dict[str, Any]:
    """Return the data of the script as lists, numbers and texts.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    table : PredictedTable
        Examples; if there are more than `max_examples`, evenly spaced rows are chosen.
    max_examples : int
        Maximum number of examples on the page.
    """
    trees = trees_of(model)
    used = sorted(
        {
            feature
            for tree in trees
            for operand in tree.feature[tree.children_left >= 0].tolist()
            for feature in tree.features_of_operand(operand)
        }
    )
    complete = () if model.complete_features is None else model.complete_features.features or ()
    rows = np.arange(len(table.X))
    if len(rows) > max_examples:
        rows = np.linspace(0, len(rows) - 1, max_examples).round().astype(np.int64)
    regression = isinstance(model, RegressionTree)
    classes = [] if regression else [one_line(label) for label in model.classes.tolist()]
    return {
        "complete": [used.index(feature) for feature in complete if feature in used],
        "features": [_feature(model, feature) for feature in used],
        "classes": classes,
        "trees": [_nodes(tree, used) for tree in trees],
        "usual": _row(fixed_values(model, table.X), used),  # the example with which the page begins
        "examples": [
            {
                "row": int(row),
                "values": _row(table.X[row], used),
                "label": _label(table.truth[row], classes, regression),
                "wrong": bool(table.wrong[row] > 0) and not regression,
            }
            for row in rows
        ],
    }


def as_json(data: dict[str, Any]) -> str:
    """Write data as JSON that cannot end the HTML element that contains it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":  # in JSON these occur only in texts
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _feature(model: Tree | Ensemble, feature: int) -> dict[str, Any]:
    levels = model.levels.get(feature)
    return {
        "name": one_line(model.feature_names[feature]),
        "levels": None if levels is None else [one_line(level) for level in levels],
    }


def _label(truth: Any, classes: list[str], regression: bool) -> str:
    if regression:
        return f"{float(truth):.6g}"
    return classes[truth] if truth >= 0 else "another label"


def _row(values: Any, used: list[int]) -> list[float | None]:
    return [None if np.isnan(values[f]) else float(values[f]) for f in used]


def _nodes(tree: Tree, used: list[int]) -> list[dict[str, Any]]:
    """Return the nodes of a tree; features are indices into `used`."""
    parents = parents_of(tree)
    index = {feature: number for number, feature in enumerate(used)}
    nodes = []
    for node in range(tree.node_count):
        content = {
            "parent": parents[node][0],
            "path": " and ".join(conditions_of(tree, path_to(parents, node))),
            "counts": _counts(tree, node),
        }
        if tree.is_leaf(node):
            content |= {"predicts": predicted(tree, node), "class": int(tree.prediction[node])}
        else:
            children = (int(tree.children_left[node]), int(tree.children_right[node]))
            content |= {"children": children, "rule": rule(tree, node, "≤")} | _split(
                tree, node, index
            )
        nodes.append(content)
    return nodes


def _counts(tree: Tree, node: int) -> str:
    """Return the counts of a node in one line."""
    if isinstance(tree, RegressionTree):
        centre = f"{CENTRE[tree.error_term]} {predicted(tree, node)}"
        return f"{examples(tree, node)}, {centre}, {errors(tree, node)}"
    content = f"{examples(tree, node)}, {errors(tree, node)} if it predicts {predicted(tree, node)}"
    return f"{content} ({counts_by_class(tree, node)})"


def _split(tree: Tree, node: int, index: dict[int, int]) -> dict[str, Any]:
    """Return the split of a node for the script, equivalent to `Tree.goes_left`.

    `index` has the position of each used feature on the page.
    """
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if feature >= tree.n_features:
        terms = [
            ([index[f] for f, power in enumerate(powers) for _ in range(power)], weight)
            for powers, weight in tree.surfaces.terms(feature - tree.n_features)
        ]
        return {"how": "sum", "terms": terms, "threshold": threshold}
    split: dict[str, Any] = {
        "feature": index[feature],
        "missing": bool(tree.missing_go_to_left[node]),
    }
    if only_missing(tree, node):
        return split | {"how": "present", "left": threshold > 0}
    if tree.comparison[node] == IN:
        return split | {"how": "in", "codes": [float(c) for c in tree.level_set_at(node)]}
    comparison = "equal" if tree.comparison[node] == EQUAL else "at most"
    return split | {"how": comparison, "threshold": threshold}
