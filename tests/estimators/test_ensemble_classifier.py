"""OptimalEnsembleClassifier: votes, probabilities, limits, the number of trees, wrong arguments."""

import pickle
import re
import warnings
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import exactree as xt
from exactree import Limits, OptimalEnsembleClassifier, OptimalTreeClassifier, Problem
from exactree.number_of_trees import solve_number_of_trees

# Majority of three features, and two rows for a third class.
X = np.array([[a, b, c, 0] for a in (0, 1) for b in (0, 1) for c in (0, 1)] + [[0, 0, 0, 1]] * 2)
Y = np.array(["few", "many"])[(X[:, :3].sum(axis=1) > 1).astype(int)].astype(object)
Y[8:] = "other"


def test_attributes_of_a_fit() -> None:
    model = OptimalEnsembleClassifier(n_trees=3).fit(X[:8], Y[:8])
    assert model.outcome_.status is xt.Status.OPTIMAL
    assert model.outcome_.cost == model.outcome_.lower_bound == 3
    assert model.ensemble_.total_size == 3
    assert model.n_trees_ == len(model.estimators_) == 3
    assert model.classes_.tolist() == ["few", "many"]
    assert (model.n_classes_, model.n_features_in_) == (2, 4)
    assert model.score(X[:8], Y[:8]) == 1.0


@pytest.mark.parametrize("n_trees", [2, 3, 4])
def test_votes_and_probabilities_are_those_of_the_trees(n_trees: int) -> None:
    model = OptimalEnsembleClassifier(n_trees).fit(X, Y)
    predictions = np.array([tree.predict(X) for tree in model.estimators_])
    votes = np.array([(predictions == label).sum(axis=0) for label in model.classes_]).T
    np.testing.assert_array_equal(model.votes(X), votes)
    np.testing.assert_array_equal(model.predict_proba(X), votes / n_trees)
    # argmax returns the first maximum, and ties go to the earlier class.
    assert model.predict(X).tolist() == model.classes_[votes.argmax(axis=1)].tolist() == Y.tolist()
    assert np.isneginf(model.predict_log_proba(X)).any()


def test_ties_go_to_the_earlier_class() -> None:
    model = OptimalEnsembleClassifier(2).fit([[0], [1]], ["a", "b"])
    votes = model.votes([[0], [1]])
    assert model.outcome_.cost == 1
    assert sorted(votes.tolist()) == [[0, 2], [1, 1]]
    assert model.predict([[0], [1]]).tolist() == ["a", "b"]


def test_parameters_are_those_of_a_problem_its_limits_and_solve() -> None:
    """Defaults differ where an ensemble or a quick first call needs another."""
    expected: dict[str, Any] = {}
    for source in (Problem.__init__, Limits, xt.solve):
        parameters = signature(source).parameters.items()
        expected |= {name: parameter.default for name, parameter in parameters}
    for of_the_table in ("self", "X", "y", "sample_weight", "problem", "limits"):
        expected.pop(of_the_table, None)
    of_one_tree = ("monotonic_cst", "feature_penalty", "constraints", "min_weight_fraction_leaf")
    of_one_tree += ("cost_matrix", "smoothing", "positive", "min_precision", "min_recall")
    of_one_tree += ("incumbent",)
    for name in of_one_tree:
        del expected[name]
    expected |= {"n_trees": 3, "minimize": "total_size", "max_trees": 5}
    expected |= {"max_depth": "auto", "time_limit": 60, "verbose": 0}
    assert OptimalEnsembleClassifier().get_params() == expected


@pytest.mark.parametrize("minimize", ["total_size", "largest_size", "total_depth", "largest_depth"])
def test_every_quantity_is_minimized(minimize: str) -> None:
    table, labels = [[0], [1], [2], [3]], ["a", "b", "a", "b"]
    problem = Problem(table, labels, minimize=minimize, n_trees=2)
    expected = xt.solve(problem, implementation="spec").cost
    for implementation in ("native", "spec"):
        model = OptimalEnsembleClassifier(2, minimize, implementation=implementation)
        model.fit(table, labels)
        assert model.outcome_.cost == getattr(model.ensemble_, minimize) == expected


def test_errors_are_minimized_within_limits() -> None:
    table, labels = [[0], [1], [2], [3]], ["a", "b", "a", "b"]
    for implementation in ("native", "spec"):
        model = OptimalEnsembleClassifier(2, "errors", max_size=1, implementation=implementation)
        model.fit(table, labels)
        assert (model.outcome_.cost, model.score(table, labels)) == (1, 0.75)
        assert model.ensemble_.largest_size == 1
        model = OptimalEnsembleClassifier(
            2, "errors", min_samples_leaf=2, implementation=implementation
        )
        assert model.fit(table, labels).outcome_.cost == 2


def test_an_ensemble_of_one_tree_is_the_tree_of_the_tree_classifier() -> None:
    ensemble = OptimalEnsembleClassifier(1).fit(X, Y)
    tree = OptimalTreeClassifier("size").fit(X, Y)
    assert ensemble.estimators_ == [tree.tree_]
    assert ensemble.outcome_.cost == tree.outcome_.cost
    assert OptimalEnsembleClassifier(1, "total_depth").fit(X, Y).ensemble_.total_depth == 3


def test_the_size_is_limited_per_tree_and_in_total() -> None:
    alternating, labels = np.arange(6.0)[:, None], [0, 1] * 3
    unlimited = OptimalEnsembleClassifier(3).fit(alternating, labels)
    assert unlimited.ensemble_.total_size == 5
    per_tree = OptimalEnsembleClassifier(3, max_size=2).fit(alternating, labels)
    assert per_tree.ensemble_.largest_size <= 2
    with pytest.raises(xt.Infeasible, match=r"No ensemble meets the limits.*max_total_size=4"):
        OptimalEnsembleClassifier(3, max_total_size=4).fit(alternating, labels)
    in_total = OptimalEnsembleClassifier(3, max_total_size=4, max_errors=1)
    in_total.fit(alternating, labels)
    assert in_total.ensemble_.total_size == 3
    assert in_total.score(alternating, labels) == pytest.approx(5 / 6)


def draw(rng: np.random.Generator) -> Problem:
    """Draw a small problem of two trees; `with_trees` changes their number."""
    table = np.unique(rng.integers(0, 2, (rng.integers(2, 9), 3)), axis=0).astype(float)
    labels = rng.integers(0, rng.integers(2, 4), len(table))
    limits = Limits(
        max_size=int(rng.integers(1, 4)) if rng.random() < 0.5 else None,
        max_errors=int(rng.integers(0, 2)),
    )
    return Problem(table, labels, minimize="total_size", n_trees=2, limits=limits)


def test_auto_finds_the_best_number_of_trees() -> None:
    rng, numbers = np.random.default_rng(20_261_225), set()
    for _ in range(60):
        problem, gap = draw(rng), float(rng.choice([0, 1e-9]))
        outcomes = [xt.solve(problem.with_trees(k)) for k in range(1, 5)]
        costs = [outcome.cost for outcome in outcomes if outcome.cost is not None]
        best = solve_number_of_trees(problem, 4, stop_at_gap=gap)
        if not costs:
            assert best.status is xt.Status.INFEASIBLE
            assert best.reason == outcomes[-1].reason
            continue
        assert best.status is xt.Status.OPTIMAL
        assert best.cost == best.lower_bound == min(costs)
        number = len(best.trees)
        assert outcomes[number - 1].cost == min(costs)
        fewer_trees = outcomes[: number - 1]
        assert all(outcome.cost is None or outcome.cost > min(costs) for outcome in fewer_trees)
        numbers.add(number)
    assert len(numbers) >= 3


def test_auto_reports_cost_and_bound_of_every_number_of_trees() -> None:
    model = OptimalEnsembleClassifier("auto").fit(X[:8], Y[:8])
    assert (model.n_trees_, model.outcome_.cost) == (3, 3)
    by_number = model.outcome_.stats["by_number"]
    assert list(by_number) == [1, 2, 3, 4, 5]
    assert by_number[1] == (5, 5)
    assert by_number[3] == (3, 3)
    assert by_number[4] == by_number[5] == (None, 3), "no ensemble has fewer than 3 nodes"
    assert OptimalEnsembleClassifier("auto", max_trees=1).fit(X[:8], Y[:8]).n_trees_ == 1
    with pytest.raises(xt.Infeasible, match="equal features"):
        OptimalEnsembleClassifier("auto").fit([[0], [0]], [0, 1])


def test_auto_stopped_early_has_a_bound_over_all_numbers() -> None:
    rng = np.random.default_rng(0)
    table, labels = rng.random((120, 5)), rng.integers(0, 2, 120)
    problem = Problem(table, labels, minimize="total_size", n_trees=2)
    outcome = solve_number_of_trees(problem, 3, time_limit=1.5)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    lower = [bound for _, bound in outcome.stats["by_number"].values()]
    assert outcome.lower_bound == min(lower) < outcome.cost
    first = solve_number_of_trees(problem, 3, on_progress=lambda progress: True)
    assert (first.stopped_by, first.lower_bound) == ("callback", 0)
    assert list(first.stats["by_number"]) == [1]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_trees": 0}, "n_trees must be an integer >= 1, got 0"),
        ({"n_trees": 2.5}, "n_trees must be an integer >= 1, got 2.5"),
        ({"n_trees": "many"}, "n_trees must be \"auto\" or an integer >= 1, got 'many'"),
        (
            {"n_trees": "auto", "max_trees": 0},
            "max_trees must be an integer >= 1 and <= 1,000, got 0",
        ),
        ({"n_trees": "auto", "minimize": "largest_size"}, 'minimize must be "total_size"'),
        ({"minimize": "size"}, "minimize='size' does not go with n_trees"),
        ({"minimize": "leaves"}, "minimize must be 'errors', 'total_size'"),
        ({"max_total_size": -1}, "max_total_size must be an integer >= 0 or None"),
        ({"max_depth": "deep"}, 'max_depth must be "auto", None or an integer'),
        ({"method": "box"}, "one tree only"),
        (
            {"minimize": "errors", "leaf_penalty": 0.1, "method": "witness"},
            "its native form takes no leaf_penalty; use 'branch-and-bound'",
        ),
        ({"leaf_penalty": 0.1}, "leaf_penalty must be 0 unless 'errors' is in minimize"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(
    parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as refusal:
        OptimalEnsembleClassifier(**parameters).fit(X, Y)
    assert "\n" not in str(refusal.value)


def test_a_search_stopped_by_the_gap_returns_the_same_ensemble_every_time() -> None:
    rng = np.random.default_rng(1)
    table, labels = rng.random((60, 3)), rng.integers(0, 2, 60)
    model = OptimalEnsembleClassifier(stop_at_gap=0.9)
    with pytest.warns(xt.NotProvedWarning, match="The ensemble is not proved optimal: the gap"):
        model.fit(table, labels)
    assert model.outcome_.stopped_by == "gap"
    assert 0 < model.outcome_.gap <= 0.9
    with pytest.warns(xt.NotProvedWarning):
        assert clone(model).fit(table, labels).ensemble_ == model.ensemble_


def test_with_many_allowed_errors_the_first_incumbent_is_small() -> None:
    """The greedy tree for all rows has dozens of nodes; with 80 errors two nodes are enough."""
    rng = np.random.default_rng(3)
    table = rng.random((300, 3))
    labels = (table[:, 0] > 0.35) & (table[:, 0] < 0.7) ^ (rng.random(300) < 0.25)

    def stop_at_the_first_incumbent(progress: xt.Progress) -> bool:
        return progress.cost is not None

    model = OptimalEnsembleClassifier(max_errors=80, on_progress=stop_at_the_first_incumbent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xt.NotProvedWarning)
        model.fit(table, labels)
    assert model.ensemble_.total_size == 2
    assert 300 - model.score(table, labels) * 300 <= 80


def test_categories_and_names_survive_a_pickle() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"colour": [2, 3, 5, 3, 2, 5], "size": [1, 2, 1, 1, 2, 2]})
    labels = ["a", "b", "a", "b", "a", "a"]
    model = OptimalEnsembleClassifier(categories=["colour"]).fit(frame, labels)
    assert model.outcome_.cost == 1
    assert list(model.feature_names_in_) == ["colour", "size"]
    read = pickle.loads(pickle.dumps(model))
    assert read.predict(frame).tolist() == labels
    assert read.ensemble_ == model.ensemble_


def test_the_html_shows_every_tree() -> None:
    model = OptimalEnsembleClassifier().fit(X[:8], Y[:8])
    html = model._repr_mimebundle_()["text/html"]
    assert html.count("<svg") == 1
    assert all(f"tree {number}" in html for number in range(3))


def test_methods_of_an_unfitted_estimator_raise() -> None:
    model = OptimalEnsembleClassifier()
    for method in ("predict", "predict_proba", "predict_log_proba", "votes"):
        with pytest.raises(NotFittedError):
            getattr(model, method)(X)
    assert not hasattr(model, "estimators_")
    assert not hasattr(model, "n_trees_")
