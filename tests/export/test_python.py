"""to_python: the function predicts like the model; names cannot become code."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.export import to_python
from exactree.trees import Ensemble, Tree, grow

LEAF = (-1, 0.0, 0.0, -1, -1)


def run(model: Tree | Ensemble, X: np.ndarray) -> list[Any]:
    """Return the predictions of the written function, which uses only Python's built-in names."""
    names: dict[str, Any] = {}
    exec(to_python(model), names)
    return [names["predict"](row) for row in X.tolist()]


@given(data=st.data())
def test_every_row_gets_the_prediction_of_the_model(
    fitted_table: Any, voting: Any, rows_and_neighbours: Any, data: Any
) -> None:
    case = data.draw(fitted_table())
    rows = rows_and_neighbours(case.dataset.X, [case.tree])
    assert run(case.tree, rows) == case.tree.predict(rows).tolist()
    ensemble, dataset = data.draw(voting())
    rows = rows_and_neighbours(dataset.X, ensemble.trees)
    assert run(ensemble, rows) == ensemble.predict(rows).tolist()


def test_the_program_of_a_small_tree(small_tree: Tree) -> None:
    assert to_python(small_tree) == (
        "# Compares in float64; rounding features to float32 changes the leaf of no training row.\n"
        "def predict(x):\n"
        "    if x[0] <= 2.5:  # length\n"
        "        return 'round'\n"
        "    if x[1] <= 1.75:  # width\n"
        "        return 'long'\n"
        "    return 'flat'\n"
    )


@pytest.mark.parametrize(
    "name", ["numbers", "missing", "sets of codes", "levels", "sets", "curves", "ensemble", "close"]
)
def test_fitted_models_and_their_functions_predict_the_same(zoo: Any, name: str) -> None:
    """The rows have values equal to thresholds and next to them."""
    case = zoo[name]
    rows = case.rows(1_000_000 if name == "missing" else 20_000)
    names: dict[str, Any] = {}
    exec(to_python(case.model), names)
    answers = [names["predict"](row) for row in case.as_levels(rows)]
    assert answers == case.answers(rows)


def test_a_set_of_one_level_is_a_tuple(zoo: Any) -> None:
    """A fitted tree has no such set, but a tree read from JSON may have."""
    case = zoo["sets"]
    single = tuple(codes[:1] for codes in case.model.level_sets)
    case = replace(case, model=replace(case.model, level_sets=single))
    program = to_python(case.model)
    assert re.search(r"in \((\"|').*(\"|'),\)", program)
    names: dict[str, Any] = {}
    exec(program, names)
    rows = case.rows(2_000)
    assert [names["predict"](row) for row in case.as_levels(rows)] == case.answers(rows)


def test_a_single_leaf_returns_its_class(single_leaf: Tree) -> None:
    assert to_python(single_leaf).endswith("row.\ndef predict(x):\n    return 9\n")


def test_hostile_names_stay_in_comments_and_strings(hostile_tree: Tree) -> None:
    X = np.random.default_rng(1).uniform(0, 24, (100, hostile_tree.n_features))
    assert run(hostile_tree, X) == hostile_tree.predict(X).tolist()
    both = Ensemble((hostile_tree, hostile_tree))
    assert run(both, X) == both.predict(X).tolist()


@pytest.mark.parametrize("to_the_right", [True, False])
def test_a_deep_tree_stays_within_pythons_limit_on_nested_blocks(to_the_right: bool) -> None:
    """Python allows a hundred nested blocks; the function of a path needs one."""
    X = np.arange(400.0)[:, None]
    dataset = make_dataset(X, (np.arange(400) % 2).tolist())
    nodes: list[Any] = []
    for depth in range(399):
        if to_the_right:
            nodes += [(0, float(depth), depth + 1.0, 2 * depth + 1, 2 * depth + 2), LEAF]
        else:
            nodes.append((0, 398.0 - depth, 399.0 - depth, depth + 1, 798 - depth))
    nodes += [LEAF] if to_the_right else [LEAF] * 400
    tree = grow(dataset, nodes)
    assert tree.depth == 399
    assert run(tree, X) == tree.predict(X).tolist()


def test_labels_without_a_literal_are_refused() -> None:
    y = np.empty(2, dtype=object)
    y[:] = [("a", 1), frozenset()]
    tree = grow(make_dataset([[0.0], [1.0]], y), [(0, 0.0, 1.0, 1, 2), LEAF, LEAF])
    with pytest.raises(ValueError, match=r"Python has no literal for the label \('a', 1\)"):
        to_python(tree)
