"""The smallest equal tree predicts the same in every cell, and is smallest by brute force."""

import runpy
import warnings
from functools import cache
from itertools import product
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import exactree as xt
from exactree import export
from exactree.compress.model import read_model
from exactree.data import make_dataset
from exactree.trees import grow

VOTING = runpy.run_path(str(Path(__file__).parent / "trees" / "random_trees.py"))["voting"]
LEAF = (-1, 0.0, 0.0, -1, -1)
VALUES = [0.0, 1.0, 2.0, 3.0, 4.0, -5.0, 1e30, 5e-324]


def rules_of(model: Any) -> list[set[tuple[str, float]]]:
    """Return for each feature the rules of a model on it."""
    read = read_model(model)
    rules: list[set[tuple[str, float]]] = [set() for _ in read.feature_names]
    for feature, numbers in read.thresholds.items():
        rules[feature] |= {("<=", number) for number in numbers}
    for feature, numbers in read.codes.items():
        rules[feature] |= {("==", number) for number in numbers}
    return rules


def every_cell(rules: list[set[tuple[str, float]]]) -> np.ndarray:
    """Return rows in every cell: the values in rules, and their neighbours in float64."""
    values = [
        {0.0, *(near for _, t in on_feature for near in (nextafter(t, -inf), t, nextafter(t, inf)))}
        for on_feature in rules
    ]
    return np.array(list(product(*map(sorted, values))))


def min_size(rules: list[set[tuple[str, float]]], X: np.ndarray, labels: np.ndarray) -> int:
    """Return the minimum size of a tree without errors, over all rules at every node."""
    left_sets = [
        frozenset(np.flatnonzero(X[:, f] == t if sign == "==" else X[:, f] <= t).tolist())
        for f, on_feature in enumerate(rules)
        for sign, t in on_feature
    ]

    @cache
    def size_of(subset: frozenset[int]) -> int:
        if len({labels[row] for row in subset}) == 1:
            return 0
        splits = {(subset & left, subset - left) for left in left_sets}
        sizes = (1 + size_of(left) + size_of(right) for left, right in splits if left and right)
        return min(sizes)

    return size_of(frozenset(range(len(X))))


@settings(deadline=None)
@given(VOTING(VALUES))
def test_the_smallest_tree_equal_to_an_ensemble_agrees_with_brute_force(drawn: Any) -> None:
    ensemble, _ = drawn
    rules = rules_of(ensemble)
    assume(np.prod([len(on_feature) + 1 for on_feature in rules]) <= 60)
    X = every_cell(rules)
    outcome = xt.smallest_equal_tree(ensemble)
    tree = outcome.tree
    assert outcome.status is xt.Status.OPTIMAL
    assert tree is not None
    assert (tree.predict(X) == ensemble.predict(X)).all()
    assert outcome.cost == tree.size == min_size(rules, X, ensemble.predict_index(X))
    assert tree.size <= ensemble.to_tree().size
    assert tree.feature_names == ensemble.feature_names
    assert tree.classes.tolist() == ensemble.classes.tolist()
    for node in np.flatnonzero(tree.feature >= 0):
        rule = (str(tree.comparison[node]), float(tree.threshold[node]))
        assert rule in rules[tree.feature[node]]


def test_some_ensembles_have_smaller_trees_than_to_tree_and_need_many_nodes() -> None:
    rng = np.random.default_rng(20_261_226)
    smaller, largest = 0, 0
    for _ in range(60):
        X = np.array(list(product(range(4), range(3))), dtype=float)
        limits = xt.Limits(max_size=3)
        trees = []
        for _ in range(3):
            y = rng.integers(0, 2, 12)
            y[:2] = 0, 1
            found = xt.solve(xt.Problem(X, y, minimize=("errors", "size"), limits=limits)).tree
            assert found is not None
            trees.append(found)
        ensemble = xt.Ensemble(tuple(trees))
        rules, outcome = rules_of(ensemble), xt.smallest_equal_tree(ensemble)
        cells = every_cell(rules)
        assert outcome.tree is not None
        assert (outcome.tree.predict(cells) == ensemble.predict(cells)).all()
        assert outcome.cost == min_size(rules, cells, ensemble.predict_index(cells))
        smaller += outcome.tree.size < ensemble.to_tree().size
        largest = max(largest, outcome.tree.size)
    assert smaller > 3
    assert largest > 4


IRIS = load_iris(return_X_y=True)
FITTED = [
    RandomForestClassifier(5, max_depth=2, random_state=0),
    ExtraTreesClassifier(3, max_depth=2, random_state=0),
    GradientBoostingClassifier(n_estimators=4, max_depth=1, random_state=0),
    GradientBoostingClassifier(n_estimators=2, max_depth=2, init="zero", random_state=0),
    HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=3, random_state=0),
    DecisionTreeClassifier(max_depth=3, random_state=0),
]


@pytest.mark.parametrize("model", FITTED, ids=lambda model: type(model).__name__)
def test_smallest_trees_equal_to_models_of_scikit_learn_agree_with_brute_force(model: Any) -> None:
    X, y = IRIS
    model.fit(X[:, 2:], np.array(["a", "b", "c"])[y])
    outcome = xt.smallest_equal_tree(model)
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.tree is not None
    rules = rules_of(model)
    cells = every_cell(rules)
    rng = np.random.default_rng(0)
    float32_neighbours = [
        float(np.nextafter(np.float32(t), np.float32(direction)))
        for on_feature in rules
        for _, t in on_feature
        for direction in (-inf, inf)
    ]
    near = rng.choice(float32_neighbours, (500, 2))
    rows = np.concatenate([cells, rng.uniform(-1, 9, (2000, 2)), near])
    assert (outcome.tree.predict(rows) == model.predict(rows)).all()
    assert outcome.cost == min_size(rules, cells, read_model(model).predict_index(cells))
    if not isinstance(model, HistGradientBoostingClassifier):  # all others compare in float32
        converted = outcome.tree.to_sklearn(rows)
        assert converted.predict(rows).tolist() == model.predict(rows).tolist()


def test_names_of_a_frame_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"length": [0.0, 1.0, 2.0], "width": [0.0, 1.0, 0.0]})
    forest = RandomForestClassifier(3, random_state=0).fit(frame, ["a", "b", "a"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = xt.smallest_equal_tree(forest).tree
    assert tree is not None
    assert (tree.named, tree.feature_names) == (True, ("length", "width"))
    assert tree.predict(frame).tolist() == forest.predict(frame).tolist()


def test_estimators_and_trees_of_exactree_are_accepted() -> None:
    X, y = IRIS
    fitted = xt.OptimalEnsembleClassifier(3, max_errors=6).fit(X, y)
    expected = xt.smallest_equal_tree(fitted.ensemble_)
    assert xt.smallest_equal_tree(fitted).tree == expected.tree
    tree = xt.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert xt.smallest_equal_tree(tree).cost <= tree.tree_.size


def test_a_constant_model_gives_a_leaf() -> None:
    dataset = make_dataset([[0.0], [1.0]], ["a", "b"])
    stump = grow(dataset, [(0, 0.0, 1.0, 1, 2), LEAF, LEAF], [0, 0, 1])
    outcome = xt.smallest_equal_tree(xt.Ensemble((stump, grow(dataset, [LEAF], [1]))))
    assert (outcome.cost, outcome.stats["cells"]) == (1, 2)
    constant = grow(dataset, [(0, 0.0, 1.0, 1, 2), LEAF, LEAF], [1, 1, 1])
    outcome = xt.smallest_equal_tree(constant)
    assert (outcome.cost, outcome.stats["cells"]) == (0, 1)
    assert outcome.tree is not None
    assert outcome.tree.predict([[7.0]]).tolist() == ["b"]


def test_a_stopped_search_has_an_equal_tree_and_a_lower_bound() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200, 3))
    forest = RandomForestClassifier(12, max_depth=3, random_state=0)
    forest.fit(X, rng.integers(0, 2, 200))
    rows = rng.random((2000, 3))
    for method in ("auto", "branch-and-bound"):
        outcome = xt.smallest_equal_tree(forest, 20_000, method, time_limit=0.5)
        assert outcome.status is xt.Status.FEASIBLE
        assert outcome.tree is not None
        assert outcome.lower_bound < outcome.cost == outcome.tree.size
        assert (outcome.tree.predict(rows) == forest.predict(rows)).all()


def test_a_table_too_large_for_the_box_method_is_solved_by_the_engine() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    boxes = xt.smallest_equal_tree(forest)
    assert "filled" in boxes.stats
    # With so little memory even the engine has no proof.
    outcome = xt.smallest_equal_tree(forest, memory_limit=10_000)
    assert "filled" not in outcome.stats
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound <= boxes.cost <= outcome.cost
    with pytest.raises(xt.MethodRefused, match="MB it may take"):
        xt.smallest_equal_tree(forest, method="box", memory_limit=10_000)


def test_wrong_models_are_refused_in_one_sentence() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"rules of the model on 4 features give .* max_cells=50;"):
        xt.smallest_equal_tree(forest, max_cells=50)
    with pytest.raises(ValueError, match="max_cells must be an integer >= 1, got 0"):
        xt.smallest_equal_tree(forest, max_cells=0)
    with pytest.raises(NotFittedError):
        xt.smallest_equal_tree(RandomForestClassifier())
    for other in (3, LogisticRegression(max_iter=1000).fit(X, y)):
        with pytest.raises(TypeError, match=r"smallest_equal_tree takes a Tree.*, got \w+\.$"):
            xt.smallest_equal_tree(other)
    regression = DecisionTreeRegressor(max_depth=1).fit(X, y)
    two = RandomForestClassifier(2, max_depth=1).fit(X, np.array([y, y]).T)
    for other in (regression, two):
        with pytest.raises(TypeError, match="takes classifiers with a single output"):
            xt.smallest_equal_tree(other)
    boosted = GradientBoostingClassifier(n_estimators=1, init=DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="init=None or 'zero' only"):
        xt.smallest_equal_tree(boosted)
    codes = HistGradientBoostingClassifier(categorical_features=[0], max_iter=1)
    codes.fit(np.floor(X), y)
    with pytest.raises(ValueError, match="without categorical features only"):
        xt.smallest_equal_tree(codes)


def counted_ensemble() -> tuple[np.ndarray, list[str], xt.Ensemble]:
    """Return examples, labels and an ensemble of them."""
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [2, 0]], dtype=float)
    y = ["a", "a", "b", "b", "a", "a"]
    ensemble = xt.OptimalEnsembleClassifier(n_trees=3).fit(X, y).ensemble_
    return X, y, ensemble


def test_without_examples_a_tree_has_no_counts_and_no_probabilities() -> None:
    X, y, ensemble = counted_ensemble()
    tree = xt.smallest_equal_tree(ensemble).tree
    assert tree is not None
    assert not tree.counts_rows
    assert "example" not in str(tree)
    with pytest.raises(ValueError, match="probabilities need counts of examples"):
        tree.predict_proba(X)
    assert xt.Tree.from_dict(tree.to_dict()).counts_rows is False
    for text in (export.to_rules(tree), export.to_dot(tree), export.to_svg(tree)):
        assert "example" not in text.replace("exactree", "")
        assert "error" not in text
    assert "recordCount" not in export.to_pmml(tree)
    assert list(export.to_rules_frame(tree).columns) == ["tree", "leaf", "rule", "prediction"]
    with pytest.raises(ValueError, match="reports need counts of examples"):
        export.report(tree, X, y)
    with pytest.raises(ValueError, match="errors of leaves without a table need counts"):
        export.plot_leaf_errors(tree)


def test_examples_are_counted_with_their_weights() -> None:
    X, y, ensemble = counted_ensemble()
    weights = [1, 2, 0, 1, 1, 0.5]
    tree = xt.smallest_equal_tree(ensemble, X=X, y=y, sample_weight=weights).tree
    assert tree is not None
    assert tree.counts_rows
    assert tree.n_node_samples[0] == 5, "the row of weight 0 is left out"
    leaves = np.flatnonzero(tree.children_left < 0)
    reached = tree.apply(X)
    for leaf in leaves.tolist():
        for index, label in enumerate(tree.classes.tolist()):
            weight = sum(
                w
                for w, r, own in zip(weights, reached, y, strict=True)
                if r == leaf and own == label
            )
            assert tree.value[leaf, index] == weight
    assert (tree.predict(X) == ensemble.predict(X)).all()
    assert tree.value[0].sum() == sum(weights)
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_a_leaf_without_examples_leaves_the_counts_unknown() -> None:
    X, y, ensemble = counted_ensemble()
    tree = xt.smallest_equal_tree(ensemble, X=X[:1], y=y[:1]).tree
    assert tree is not None
    assert not tree.counts_rows


def test_examples_that_do_not_fit_are_refused() -> None:
    X, y, ensemble = counted_ensemble()
    for options, message in (
        ({"X": X}, "X needs y"),
        ({"X": X, "y": y[1:]}, "X has 6 rows but y has 5 labels"),
        ({"X": X, "y": ["c", *y[1:]]}, "y, row 0: 'c' is not a class of the ensemble"),
        ({"X": X[:, :1], "y": y}, "1 features? as input|X has 1"),
    ):
        with pytest.raises(ValueError, match=message):
            xt.smallest_equal_tree(ensemble, **options)
