"""Families of rules that a user writes: `Problem` takes their columns for its table."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import exactree as xt
from exactree.problem.display.problem_text import problem_text
from exactree.rules import AxisParallel, Column, Mixed, RuleFamily, SurfaceColumn, SurfaceRule
from exactree.testing import check_rule_family, check_solver

SQUARES = ((2, 0), (0, 2), (1, 0), (0, 1))


def circle(center: np.ndarray, square: float) -> SurfaceRule:
    """Return the rule that sends left the points of a disc, given its radius squared."""
    x, y = center.tolist()
    return SurfaceRule(SQUARES, (1.0, 1.0, -2 * x, -2 * y), square - x * x - y * y)


@dataclass(frozen=True)
class Circles(RuleFamily):
    """Circles around examples of two features, through the middle between two distances."""

    def by_feature(self, X, subset) -> Iterator:
        for center in np.unique(X, axis=0):
            squares = np.unique(((X - center) ** 2).sum(axis=1))
            for low, high in pairwise(squares):
                rule = circle(center, (low + high) / 2)
                left = rule.holds(X[subset])
                if left.any() and not left.all():
                    yield rule, left

    def columns(self, X) -> list[SurfaceColumn]:
        return [SurfaceColumn(rule) for rule in self.distinct(X, np.arange(len(X)))]


@dataclass(frozen=True)
class Columns(RuleFamily):
    """The thresholds of given columns, which need not be columns."""

    given: tuple

    def by_feature(self, X, subset) -> Iterator:
        yield from AxisParallel().by_feature(X, subset)

    def columns(self, X) -> tuple:
        return self.given


def table(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a small grid, labelled by a disc and some noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    inside = ((X - [2, 2]) ** 2).sum(axis=1) <= 2
    return X, np.where(rng.random(n) < 0.2, 1 - inside, inside).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_circles_keep_the_laws_of_families(seed: int) -> None:
    X, _ = table(7, seed)
    check_rule_family(Circles(), X, np.arange(7))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", ["auto", "proper", "branch-and-bound"])
def test_the_best_tree_of_circles_is_that_of_the_definition(seed: int, method: str) -> None:
    problem = xt.Problem(*table(5, seed), rules=Circles(), limits=xt.Limits(max_depth=2))
    check_solver(problem, xt.solve(problem, method=method))


@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": "size"},
        {"minimize": ("errors", "size"), "leaf_penalty": 0.05},
        {"minimize": "gini", "limits": xt.Limits(max_depth=2)},
        {"minimize": "squared_error", "limits": xt.Limits(max_depth=2, min_samples_leaf=2)},
        {"cost_matrix": [[0, 3], [1, 0]], "limits": xt.Limits(max_depth=1)},
        {"minimize": "total_size", "n_trees": 2},
    ],
    ids=lambda parameters: "-".join(map(str, parameters.values()))[:40],
)
def test_circles_compose_with_costs_and_limits(parameters: dict) -> None:
    X, y = table(5, 1)
    problem = xt.Problem(X, y, rules=Circles(), **parameters)
    check_solver(problem, xt.solve(problem))


def test_a_disc_is_one_circle_and_new_examples_are_inside_or_outside() -> None:
    X, _ = table(40, 0)
    y = ((X - [2, 2]) ** 2).sum(axis=1) <= 2
    model = xt.OptimalTreeClassifier(rules=Circles(), max_depth=1).fit(X, y)
    assert model.outcome_.cost == 0
    assert model.outcome_.status is xt.Status.OPTIMAL
    assert model.predict([[2.5, 2.5], [9.0, 9.0]]).tolist() == [True, False]
    assert not model.__sklearn_tags__().input_tags.allow_nan


def test_circles_mix_with_thresholds() -> None:
    X, y = table(40, 2)
    limits = xt.Limits(max_depth=2)
    costs = [
        xt.solve(xt.Problem(X, y, rules=rules, limits=limits)).cost
        for rules in (AxisParallel(), Circles(), Mixed([AxisParallel(), Circles()]))
    ]
    assert costs[2] <= min(costs[:2])


def test_the_columns_of_features_are_their_thresholds() -> None:
    X, y = table(20, 3)
    own, plain = (
        xt.solve(xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=2)))
        for rules in (Columns((Column(1),)), AxisParallel([1]))
    )
    assert own.cost == plain.cost


def test_the_text_of_a_problem_names_the_family() -> None:
    assert "use a rule of Circles" in problem_text(xt.Problem(*table(6, 0), rules=Circles()))


def test_the_risk_of_rules_that_depend_on_the_table_has_no_bound() -> None:
    X, y = table(12, 0)
    with pytest.raises(TypeError, match="for Circles, because its rules depend on"):
        xt.BoundOptimalTreeClassifier(rules=Circles()).fit(X, y)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Circles, "a RuleFamily of your own or a Mixed of them, got <class"),
        (Columns((0,)), r"Columns.columns must return SurfaceColumn\(rule\) and .*, got 0;"),
        (Columns((Column(0, (1,)),)), "Columns.columns must return .*; mix AxisParallel"),
        (Columns((Column(5),)), "features of AxisParallel names 5"),
        (Columns((SurfaceColumn(SurfaceRule(((1,),), (1.0,), 0.0)),)), "for 1 features, and X has"),
    ],
)
def test_a_family_whose_columns_do_not_fit_is_refused(rules, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        xt.Problem(*table(6, 0), rules=rules)


def test_circles_take_no_missing_values() -> None:
    X = np.array([[0.0, np.nan], [1.0, 2.0], [3.0, 1.0]])
    given = Columns((SurfaceColumn(circle(np.array([1.0, 2.0]), 1.0)),))
    with pytest.raises(ValueError, match="take no missing values"):
        xt.Problem(X, [0, 1, 0], rules=given)
