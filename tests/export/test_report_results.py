"""Measures, confusion matrices, recalls and CART in reports, against scikit-learn's own numbers."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import exactree as xt
from exactree.export import report
from exactree.export.page.predicted_table import table_of
from exactree.export.page.purpose import default_title, legend, purpose
from exactree.export.page.results import UNDEFINED, aligned, results_of

from .reported import KINDS, classes, ensemble, missing_and_categories, regression, surfaces

pytest.importorskip("jinja2")


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def column(results: Any, table: str, model: int = 0) -> dict[str, str]:
    """Return the measures of a model on a table; with "" as the table, its size."""
    return {row.measure: row.values[model] for row in results.rows if row.table == table}


def test_measures_and_recalls_of_classes_are_those_of_scikit_learn() -> None:
    model, X, y = classes()
    rng = np.random.default_rng(5)
    X_new = rng.integers(0, 9, size=(40, 3)).astype(float)
    y_new = rng.choice(model.classes_, 40)
    tables = [table_of(model.tree_, X, y), table_of(model.tree_, X_new, y_new)]
    results = results_of(model.tree_, *tables)
    cart = DecisionTreeClassifier(
        max_depth=model.tree_.depth, max_leaf_nodes=model.tree_.leaves, random_state=0
    ).fit(X, y)
    assert results.tables == ("training", "held-out")
    for at, (name, rows, truth) in enumerate((("training", X, y), ("held-out", X_new, y_new))):
        for index, predictor in enumerate((model, cart)):
            predicted = predictor.predict(rows)
            assert column(results, name, index) == {
                "errors": str((predicted != truth).sum()),
                "error rate": percent((predicted != truth).mean()),
                "balanced accuracy": percent(metrics.balanced_accuracy_score(truth, predicted)),
            }
        confusion = results.confusions[at]
        assert confusion.predicted == tuple(model.classes_)
        expected = metrics.confusion_matrix(truth, model.predict(rows))
        assert [row.counts for row in confusion.classes] == [tuple(r) for r in expected.tolist()]
        for predictor, recall in ((model, "recall"), (cart, "cart_recall")):
            shares = metrics.recall_score(truth, predictor.predict(rows), average=None)
            assert [getattr(row, recall) for row in confusion.classes] == list(map(percent, shares))
    sizes = column(results, "", 1)
    assert sizes == {"leaves": str(cart.get_n_leaves()), "depth": str(cart.get_depth())}


@pytest.mark.parametrize("error", ["squared_error", "absolute_error"])
def test_measures_of_regressions_are_those_of_scikit_learn(error: str) -> None:
    _, X, y = regression()
    model = xt.OptimalTreeRegressor(minimize=error, max_depth=2).fit(X, y)
    results = results_of(model.tree_, table_of(model.tree_, X, y), None)
    cart = DecisionTreeRegressor(
        criterion=error, max_depth=2, max_leaf_nodes=model.tree_.leaves, random_state=0
    ).fit(X, y)
    assert results.confusions == ()
    for index, predictor in enumerate((model, cart)):
        predicted = predictor.predict(X)
        found = column(results, "training", index)
        assert found["R²"] == f"{metrics.r2_score(y, predicted):.3f}"
        for name, score in (
            ("mean absolute error", metrics.mean_absolute_error),
            ("root mean squared error", metrics.root_mean_squared_error),
        ):
            assert float(found[name]) == pytest.approx(score(y, predicted), abs=1e-2)


def test_an_optimal_tree_has_at_most_the_training_errors_of_cart() -> None:
    """CART may use the same splits, so it cannot be better on the training examples."""
    outcome, X, y = missing_and_categories()
    results = results_of(outcome.tree, table_of(outcome.tree, X, y), None)
    optimal, greedy = (int(column(results, "training", at)["errors"]) for at in (0, 1))
    assert optimal == outcome.cost <= greedy


def test_ensembles_and_surfaces_are_compared_with_one_greedy_tree_of_as_many_leaves() -> None:
    for kind in (ensemble, surfaces):
        model, X, y = kind()
        found = getattr(model, "ensemble_", model)
        results = results_of(found, table_of(found, X, y), None)
        assert len(results.models) == 2
        assert int(column(results, "", 1)["leaves"]) <= found.leaves


def test_a_tree_that_is_a_leaf_is_compared_with_a_leaf() -> None:
    X, y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]
    tree = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_size=0))).tree
    assert tree is not None
    results = results_of(tree, table_of(tree, X, y), None)
    assert column(results, "", 0) == column(results, "", 1) == {"leaves": "1", "depth": "0"}
    assert column(results, "training", 0) == column(results, "training", 1)


def test_cart_is_left_out_where_it_cannot_be_fitted_alike() -> None:
    X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0]
    weighted = xt.solve(xt.Problem(X, ["a", "b", "b"], sample_weight=[1, 2, 3])).tree
    huge = xt.solve(xt.Problem([[0.0], [1e300]], ["a", "b"])).tree
    absent = [[0.0], [np.nan], [2.0]]
    absolute = xt.solve(xt.Problem(absent, y, minimize="absolute_error")).tree
    for tree, rows, labels in (
        (weighted, X, ["a", "b", "b"]),
        (huge, [[0.0], [1e300]], ["a", "b"]),
        (absolute, absent, y),
    ):
        assert tree is not None
        assert not results_of(tree, table_of(tree, rows, labels), None).has_cart
    model, X_fit, y_fit = classes()
    held_out = table_of(model.tree_, X_fit[:20], y_fit[:20])
    assert not results_of(model.tree_, None, held_out).has_cart, "no training examples"


def test_labels_that_were_not_fitted_have_a_row_of_their_own() -> None:
    model, X, y = classes()
    new = np.where(np.arange(len(y)) < 7, "unknown", y)
    results = results_of(model.tree_, None, table_of(model.tree_, X, new))
    last = results.confusions[0].classes[-1]
    assert (last.name, last.examples, last.recall) == ("another label", 7, "0.0 %")
    assert sum(last.counts) == 7


def test_a_class_without_examples_has_no_recall() -> None:
    model, X, y = classes()
    rows = y != "low"
    results = results_of(model.tree_, None, table_of(model.tree_, X[rows], y[rows]))
    (low,) = [row for row in results.confusions[0].classes if row.name == "low"]
    assert (low.examples, low.recall) == (0, UNDEFINED)


def test_many_classes_have_recalls_but_no_matrix() -> None:
    X, y = np.arange(120.0)[:, None], (np.arange(120) // 3).astype(str)
    tree = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=2))).tree
    assert tree is not None
    (confusion,) = results_of(tree, table_of(tree, X, y), None).confusions
    assert confusion.predicted == ()
    assert len(confusion.classes) == 40
    assert all(row.counts == () for row in confusion.classes)


def test_constant_numbers_have_no_r2() -> None:
    X, y = [[0.0], [1.0]], [1.0, 2.0]
    tree = xt.solve(xt.Problem(X, y, minimize="squared_error")).tree
    assert tree is not None
    results = results_of(tree, table_of(tree, X, y), table_of(tree, [[0.5]], [3.0]))
    assert column(results, "held-out")["R²"] == UNDEFINED


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.6339, 0.04464], ["0.6339", "0.0446"]),
        ([91.5, 7.0], ["91.50", "7.00"]),
        ([12345.6, 1.0], ["12,346", "1"]),
        ([0.0], ["0"]),
        ([], []),
        ([1e-9, 0.0], ["1.000e-09", "0.000e+00"]),
    ],
)
def test_columns_have_equally_many_decimals(values: list[float], texts: list[str]) -> None:
    assert aligned(values) == texts


def test_the_title_names_the_target_and_the_classes() -> None:
    model, _, _ = classes()
    assert default_title(model.tree_, "level") == "level, predicted by a decision tree"
    assert default_title(model.tree_, None) == "A decision tree that predicts high, low or middle"
    assert purpose(model.tree_, "level").startswith("Predicts whether level is high, low or middle")
    number, _, _ = regression()
    assert default_title(number.tree_, None) == "A decision tree that predicts a number"
    assert purpose(number.tree_, "price") == "Predicts the number price from 2 features."
    votes, _, _ = ensemble()
    assert default_title(votes.ensemble_, "sum") == "sum, predicted by 3 decision trees"
    assert default_title(votes.ensemble_, None) == "3 decision trees that predict few or many"


def test_a_series_names_the_target_unless_the_user_does() -> None:
    model, X, y = classes()
    named = pd.Series(y, name="level")
    assert "<h1>level, predicted by" in report(model, X, named, front_seconds=0)
    assert "<h1>height, predicted by" in report(model, X, named, target="height", front_seconds=0)
    assert "<h1>A decision tree that" in report(model, X, pd.Series(y, name=3), front_seconds=0)


def test_the_legend_has_the_colours_of_the_leaves() -> None:
    model, X, y = classes()
    assert [entry.name for entry in legend(model.tree_)] == ["high", "low", "middle"]
    page = report(model, X, y, front_seconds=0)
    for entry in legend(model.tree_):
        assert f'<li><i style="--light:{entry.light};--dark:{entry.dark}"></i>{entry.name}' in page
    assert legend(regression()[0].tree_) == []


@pytest.mark.parametrize("kind", KINDS)
def test_results_and_cart_are_on_the_page(kind: str) -> None:
    model, X, y = KINDS[kind]()
    page = report(model, X, y, held_out=(X, y), front_seconds=0)
    assert "CART (scikit-learn)" in page
    assert "held-out" in page
    assert ("Confusion matrix, held-out examples" in page) == (kind != "regression")


def test_trees_for_a_cost_matrix_are_compared_by_errors() -> None:
    _, X, y = classes()
    costs = [[0, 4, 1], [1, 0, 1], [9, 1, 0]]
    model = xt.OptimalTreeClassifier(max_depth=2, cost_matrix=costs).fit(X, y)
    results = results_of(model.tree_, table_of(model.tree_, X, y), None)
    assert column(results, "training")["errors"] == str((model.predict(X) != y).sum())
    assert f"its cost is {model.outcome_.cost}" in report(model, X, y, front_seconds=0)


def test_an_unproved_tree_comes_with_its_bound_and_advice() -> None:
    model, X, y = classes()
    stopped = dataclasses.replace(
        model.outcome_, status=xt.Status.FEASIBLE, lower_bound=1, stopped_by="time limit"
    )
    page = report(stopped, X, y, front_seconds=0)
    assert "none within the limits costs less than 1." in page
    assert "what would help" not in page
    advised = dataclasses.replace(stopped, advice=_advice())
    assert "<dt>what would help</dt>" in report(advised, X, y, front_seconds=0)


def _advice() -> Any:
    """Return the advice of a search that was stopped."""
    X = np.random.default_rng(0).normal(size=(300, 8))
    y = np.random.default_rng(1).integers(0, 2, 300)
    limits = xt.Limits(max_depth=5)
    outcome = xt.solve(xt.Problem(X, y, limits=limits), time_limit=0.05)
    assert outcome.advice
    return outcome.advice


def test_hostile_targets_and_classes_are_text() -> None:
    hostile = "<script>alert(1)</script>"
    X, y = [[0.0], [1.0], [2.0]], pd.Series([hostile, "a", hostile], name="<b>&")
    tree = xt.solve(xt.Problem(X, y)).tree
    page = report(tree, X, y, held_out=(X, y), front_seconds=0)
    assert hostile not in page
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;, predicted by a decision tree" in page
