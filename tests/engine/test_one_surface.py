"""Trees of one surface, found without a list, agree with the list of splits of odd tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactree as xt
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.oblique import proper
from exactree.engine.oblique.one_surface import OneSurfaceSearch
from exactree.engine.oblique.surface_points import SurfacePoints, best_split, steps_of
from exactree.problem.verification.recount import recount
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed
from exactree.testing import drawn_weights

QUICK = settings.get_current_profile_name() == "quick"

FAMILIES = [
    Hyperplanes(),
    Hyperplanes([0, 1]),
    Hypersurfaces(2, features=[0, 1]),
    Mixed([AxisParallel(), Hyperplanes([0, 1])]),
    Mixed([Hyperplanes([0, 1]), Hyperplanes([1, 2])]),
]
PROBLEMS = [
    {"limits": xt.Limits(max_depth=1)},
    {"limits": xt.Limits(max_size=1, min_samples_leaf=3)},
    {"limits": xt.Limits(max_depth=1, max_errors=2)},
    {"leaf_penalty": 0.1, "limits": xt.Limits(max_depth=1)},
    {"minimize": ("errors", "size"), "limits": xt.Limits(max_depth=1)},
    {"minimize": "size", "limits": xt.Limits(max_size=1, max_errors=2)},
]


def lines(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return points on a few common lines."""
    start, step = rng.integers(-3, 4, (2, 3, 3))
    chosen, times = rng.integers(0, 3, n), rng.integers(-2, 3, n)
    return start[chosen] + times[:, None] * step[chosen]


@st.composite
def tables(draw):
    """Draw a table on a grid, on lines, of decimals, of any numbers, or of numbers of any size."""
    n = draw(st.integers(2, 16))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = [
        lambda: rng.integers(0, 3, (n, 3)),
        lambda: lines(rng, n),
        lambda: rng.integers(0, 20, (n, 3)) / 10,
        lambda: rng.normal(size=(n, 3)),
        lambda: rng.integers(0, 4, (n, 3)) * 10.0 ** rng.integers(-60, 60, 3),
    ][draw(st.integers(0, 4))]().astype(np.float64)
    if draw(st.booleans()):
        X = X[rng.integers(0, n, n)]  # duplicates
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    return X, y, drawn_weights(n, lambda low, high: draw(st.integers(low, high)))


@settings(max_examples=150 if QUICK else 1500, deadline=None)
@given(tables(), st.sampled_from(FAMILIES), st.sampled_from(PROBLEMS), st.integers(1, 2))
def test_it_agrees_with_the_list_of_all_splits(table, rules, parameters, threads) -> None:
    problem = xt.Problem(*table, rules=rules, **parameters)
    listed = proper.run_proper(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proper, "SHORT_LIST_BYTES", -1)
        found = proper.run_proper(problem, n_jobs=threads)
    recount(problem, found)
    assert (found.status, found.cost) == (listed.status, listed.cost)


@settings(max_examples=10 if QUICK else 30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(60, 2, 1), (25, 3, 1), (14, 2, 2)]))
def test_it_agrees_with_the_list_on_larger_tables(seed: int, shape: tuple[int, int, int]) -> None:
    n, d, degree = shape
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 30, (n, d)) / 10 if seed % 2 else rng.normal(size=(n, d))
    y = (X.sum(axis=1) > X.sum(axis=1).mean()) ^ (rng.random(n) < 0.2)
    problem = xt.Problem(X, y, rules=Hypersurfaces(degree), limits=xt.Limits(max_depth=1))
    search = OneSurfaceSearch(problem, lambda: None)
    found = search.errors(problem, Caps(1, None, None), SearchOptions.within(None))
    assert (found.status, found.cost) == ("optimal", proper.run_proper(problem).cost)


def test_a_split_without_a_rule_is_left_out(monkeypatch) -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    assert xt.solve(problem).cost == 0
    found_rule, refused = SurfacePoints.rule, []

    def rule(points: SurfacePoints, left: np.ndarray) -> object:
        if len(refused) < 3:
            refused.append(left)
            return None
        return found_rule(points, left)

    monkeypatch.setattr(SurfacePoints, "rule", rule)
    monkeypatch.setattr(proper, "SHORT_LIST_BYTES", -1)
    monkeypatch.setattr(proper.Anytime, "first_trees", lambda *_: None)
    found = proper.run_proper(problem)
    recount(problem, found)
    assert found.status is xt.Status.OPTIMAL
    assert found.stats["surfaces_left_out"] == 3
    assert "3 of all splits by a surface are too fine" in str(found)
    left = found.tree.goes_left(0, X)
    assert all((left != other).any() and (left == other).any() for other in refused)


def test_a_large_table_of_one_surface_is_not_refused() -> None:
    """All splits of 1,200 examples would take 430 MB, and are not listed."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 2))
    y = (X[:, 0] - X[:, 1] > 0).astype(int) ^ (rng.random(1200) < 0.05)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    found = xt.solve(problem)
    assert found.status is xt.Status.OPTIMAL
    assert found.stats["flats"] <= 1200
    assert found.cost <= 0.05 * 1200 + 20


def test_a_stopped_search_has_a_tree_and_a_valid_bound() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    stopped = xt.solve(problem, time_limit=0.05)
    assert stopped.status is xt.Status.FEASIBLE
    assert stopped.stopped_by == "time limit"
    leaf = xt.solve(problem.within(xt.Limits(max_depth=0)))
    assert leaf.status is xt.Status.OPTIMAL
    assert stopped.lower_bound < stopped.cost <= leaf.cost
    by_callback = xt.solve(problem, on_progress=lambda progress: True)
    assert by_callback.stopped_by == "callback"


def test_the_best_split_of_rows_is_better_than_a_number_or_none() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    classes = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    points = SurfacePoints.of(Hyperplanes(), X)
    assert best_split(points, classes, 1, 10.0) is None
    rule = best_split(points, classes, 2, 10.0)
    assert rule is not None
    assert rule.holds(X).sum() in (1, 3)
    assert (rule.opposite.holds(X) == ~rule.holds(X)).all()


def test_many_terms_are_refused() -> None:
    assert steps_of(Hyperplanes(), 100, 2) == 100 * 100
    assert steps_of(Hyperplanes(), 100, 9) > 10**30
