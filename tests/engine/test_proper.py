"""method="proper", a recursion on subsets over all dichotomies, agrees with other searches."""

import re
import signal
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import exactree as xt
from exactree.engine import accelerators, branch_and_bound, run_proper
from exactree.engine.oblique import proper
from exactree.engine.oblique.anytime import Anytime
from exactree.engine.oblique.large_tables import bound_by_subsets
from exactree.engine.oblique.linear_trees import linear_tree
from exactree.engine.oblique.rule_list import MAX_BYTES, bytes_of
from exactree.problem.verification.recount import recount
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.rules.listing import DichotomyList
from exactree.testing import drawn_weights

QUICK = settings.get_current_profile_name() == "quick"

FAMILIES = [
    Hyperplanes(),
    Hypersurfaces(2),
    Mixed([AxisParallel(), Hyperplanes()]),
    AxisParallel(),
]
PROBLEMS = [
    {"limits": xt.Limits(max_depth=1)},
    {"limits": xt.Limits(max_size=2)},
    {"limits": xt.Limits(max_depth=2, max_leaves_of={0: 1})},
    {"limits": xt.Limits(max_depth=2, max_leaves_of={0: 1, 1: 0}, min_samples_leaf=2)},
    {"leaf_penalty": 0.1, "limits": xt.Limits(max_depth=2)},
    {"limits": xt.Limits(max_size=2, min_samples_leaf=2)},
    {"minimize": ("errors", "size"), "limits": xt.Limits(max_depth=2)},
    {"minimize": "size", "limits": xt.Limits(max_size=2, max_errors=1)},
    {"minimize": "size", "limits": xt.Limits(max_size=2, max_leaves_of={1: 1})},
    {"minimize": "depth", "limits": xt.Limits(max_depth=2, max_errors=1)},
    {"minimize": ("depth", "errors"), "limits": xt.Limits(max_size=2, max_errors=2)},
]


@st.composite
def tables(draw, max_rows=9):
    """Draw examples of one to three features and two to four classes, all of which occur."""
    n, d, classes = draw(st.integers(4, max_rows)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    on_grid = draw(st.booleans())
    X = rng.integers(0, 4, size=(n, d)) if on_grid else rng.normal(size=(n, d))
    y = np.append(np.arange(classes), rng.integers(0, classes, size=n - classes))
    weights = drawn_weights(n, lambda low, high: draw(st.integers(low, high)))
    return X.astype(np.float64), y, weights


@settings(max_examples=15 if QUICK else 35, deadline=None)
@given(tables(), st.sampled_from(FAMILIES), st.sampled_from(PROBLEMS))
def test_it_agrees_with_the_definition(table, rules, parameters) -> None:
    """The definition makes the rules of each subset from the examples of the subset."""
    problem = xt.Problem(*table, rules=rules, **parameters)
    try:
        expected = xt.solve(problem, implementation="spec")
    except xt.MethodRefused:
        assume(False)  # too large for the definition
    found = xt.solve(problem, method="proper")
    assert (found.status, found.cost) == (expected.status, expected.cost)


@settings(max_examples=12 if QUICK else 25, deadline=None)
@given(tables(max_rows=30), st.sampled_from(["thresholds", "codes", "given"]), st.integers(0, 2))
def test_it_agrees_with_the_engine_on_thresholds_codes_and_given_rules(table, kind, levels) -> None:
    """The engine has these rules as columns and not as dichotomies."""
    X, y, weights = table
    rng = np.random.default_rng(int(X.sum() * 100) % 2**32)
    parameters = {"limits": xt.Limits(max_depth=levels + 1)}
    if kind == "codes":
        X = rng.integers(0, 4, size=(len(X), 3))
        parameters["categories"] = [0, 1]
    if kind == "given":
        draws = rng.integers(-2, 3, size=(8, X.shape[1] + 1))
        parameters["rules"] = FixedRules([SurfaceRule.linear(row[1:], row[0]) for row in draws])
    problem = xt.Problem(X, y, weights, **parameters)
    engine, proper = branch_and_bound(problem), xt.solve(problem, method="proper")
    assert (engine.status, engine.cost) == (proper.status, proper.cost)


def clouds(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int) ^ (rng.random(n) < 0.15)


@pytest.mark.parametrize(("n", "d"), [(40, 2), (16, 3)])
def test_it_agrees_with_the_engine_on_larger_tables(n: int, d: int) -> None:
    X, y = clouds(n, d)
    for parameters in (
        {"limits": xt.Limits(max_depth=2)},
        {"limits": xt.Limits(max_size=2, min_samples_leaf=3)},
        {"leaf_penalty": 0.03, "limits": xt.Limits(max_depth=2)},
        {"minimize": "size", "limits": xt.Limits(max_errors=2)},
    ):
        problem = xt.Problem(X, y, rules=Hyperplanes(), **parameters)
        assert xt.solve(problem).cost == branch_and_bound(problem).cost


def test_two_threads_find_the_same_cost() -> None:
    for limits in (xt.Limits(max_depth=3), xt.Limits(max_depth=3, max_leaves_of={0: 2})):
        problem = xt.Problem(*clouds(30, 2), rules=Hyperplanes(), limits=limits)
        alone, together = run_proper(problem), run_proper(problem, n_jobs=2)
        assert (alone.status, alone.cost) == (together.status, together.cost)
        assert alone.status is xt.Status.OPTIMAL


def test_all_switches_off_change_no_cost() -> None:
    problem = xt.Problem(*clouds(14, 2), rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    plain = run_proper(problem, switches=dict.fromkeys(accelerators("proper"), False))
    fast = run_proper(problem)
    assert plain.cost == fast.cost
    assert plain.stats["roots"] > 10 * fast.stats["roots"]
    with pytest.raises(ValueError, match='no switch named "fast"'):
        run_proper(problem, switches={"fast": True})


def test_surfaces_are_searched_by_method_proper() -> None:
    problem = xt.Problem(*clouds(12, 2), rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    found = xt.solve(problem)
    assert found.stats["pruned"]["similarity_bound"] > 0
    assert found.stats["surfaces"] == 11 + 55
    with pytest.raises(xt.MethodRefused, match="one tree only"):
        xt.solve(problem.with_trees(2), method="proper")
    # For fewest nodes without errors, the search for fewest nodes is chosen because it is faster.
    pure = xt.Problem(*clouds(12, 2), rules=Hyperplanes(), minimize="size")
    assert "similarity_bound" not in xt.solve(pure).stats["pruned"]
    assert xt.solve(pure).cost == xt.solve(pure, method="proper").cost


def test_a_dichotomy_without_a_surface_may_have_a_threshold(monkeypatch) -> None:
    X, y = clouds(9, 2)
    limits = xt.Limits(max_depth=2)
    monkeypatch.setattr(DichotomyList, "rule", lambda self, k: None)
    both = xt.Problem(X, y, rules=Mixed([Hyperplanes(), AxisParallel()]), limits=limits)
    found = xt.solve(both, method="proper")
    assert found.stats["surfaces_left_out"] > 0
    assert (found.status, found.cost) == (
        xt.Status.OPTIMAL,
        xt.solve(xt.Problem(X, y, limits=limits)).cost,
    )


def test_surfaces_of_an_incumbent_are_not_left_out(monkeypatch) -> None:
    problem = xt.Problem(*clouds(12, 2), rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    best = xt.solve(problem, method="proper")
    monkeypatch.setattr(DichotomyList, "rule", lambda self, k: None)
    without = xt.solve(problem, method="proper")
    found = xt.solve(problem, method="proper", incumbent=best.tree)
    assert without.cost > found.cost == best.cost
    recount(problem, found)
    assert found.status is xt.Status.OPTIMAL


def test_dichotomies_without_a_rule_are_left_out_of_the_search() -> None:
    """One rounding puts three examples off a line, which no sum of floats distinguishes."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, np.nextafter(2.0, 3.0)], [1e-200, -1e-200]])
    problem = xt.Problem(X * 1e160, [0, 1, 0, 1], rules=Hypersurfaces(2))
    found = xt.solve(problem, method="proper")
    recount(problem, found)
    assert found.status is xt.Status.OPTIMAL


@pytest.mark.parametrize(("n", "d"), [(60, 4), (18, 18)])
def test_the_time_limit_covers_the_listing(n: int, d: int) -> None:
    rng = np.random.default_rng(0)
    # Contradictions, so that no tree is without errors.
    X, y = np.repeat(rng.normal(size=(n, d)), 2, axis=0), rng.integers(0, 2, 2 * n)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    started = time.perf_counter()
    found = xt.solve(problem, time_limit=0.05)
    assert time.perf_counter() - started < 5
    assert found.status is xt.Status.FEASIBLE
    assert found.stopped_by == "time limit"
    assert found.lower_bound < found.cost


def test_a_long_listing_begins_with_a_tree_of_linear_models(monkeypatch) -> None:
    """So a search that is stopped while listing has a better tree than a leaf."""
    monkeypatch.setattr("exactree.engine.oblique.proper._LONG_LIST_BYTES", 0)
    monkeypatch.setattr("exactree.engine.oblique.proper._BOUND_SHARE", 0.8)
    monkeypatch.setattr("exactree.engine.oblique.proper._IMPROVEMENT_SHARE", 0.9)
    X, y = clouds(150, 2, seed=1)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=4))
    leaf = xt.solve(problem.within(xt.Limits(max_depth=0)))
    found = xt.solve(problem, time_limit=1)
    recount(problem, found)
    assert found.stopped_by == "time limit"
    assert found.cost < leaf.cost
    monkeypatch.setattr("exactree.engine.oblique.proper._LONG_LIST_BYTES", 10**9)
    assert xt.solve(problem.within(xt.Limits(max_depth=1))).status is xt.Status.OPTIMAL


def test_too_many_surfaces_are_refused_without_and_bounded_with_a_time_limit() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (rng.random(2000) < 0.2)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    message = (
        r"2,000 different examples have 66\d,\d+,\d+,\d+ surfaces .* bytes, .*or give a time_limit"
    )
    with pytest.raises(xt.MethodRefused, match=message):
        xt.solve(problem)
    found = xt.solve(problem, time_limit=4)
    assert found.status is xt.Status.FEASIBLE
    assert found.stopped_by == "time limit"
    assert 0 < found.lower_bound < found.cost < 480
    assert found.tree.size == 1


def test_all_of_the_time_is_used_where_surfaces_are_too_many_to_list() -> None:
    """An outcome that is stopped by the time limit has used it, for trees and lower bounds."""
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(200, 2)), 2, axis=0)
    y = rng.integers(0, 2, len(X))
    problem = xt.Problem(X, y, rules=Hypersurfaces(2), limits=xt.Limits(max_depth=3))
    found = xt.solve(problem, time_limit=2)
    assert found.stats["seconds"] >= 2
    assert str(found).startswith("stopped by the time limit: ")
    assert [entry.parameter for entry in found.advice] == ["time_limit", "X", "rules", "features"]
    assert re.fullmatch(
        r"a longer time_limit \(2 s used\), fewer rows of X \(about \d+ at most\), a lower degree "
        r"of rules \(2 now\) or fewer features",
        found.advice_text,
    )
    assert found.lower_bound >= xt.describe(X, y).min_errors > 0
    # The number of rows that the advice names can be listed, and one more cannot.
    rows = int(re.search(r"about (\d+) at most", found.advice_text).group(1))
    assert bytes_of(problem, X[:rows])[0] <= MAX_BYTES < bytes_of(problem, X[: rows + 1])[0]


@pytest.mark.parametrize("minimize", ["errors", "size"])
def test_trees_of_linear_models_have_no_superfluous_nodes(minimize: str) -> None:
    limit = xt.Limits(max_depth=4, max_errors=30)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
        problem = xt.Problem(X, y, minimize=minimize, rules=Hyperplanes(), limits=limit)
        tree = linear_tree(problem, lambda: True)
        if tree is None:
            continue
        left, right = tree.children_left, tree.children_right
        classes = tree.value.argmax(axis=-1).ravel()
        for node in np.flatnonzero(left != -1):
            children = left[node], right[node]
            if all(left[child] == -1 for child in children):
                assert classes[children[0]] != classes[children[1]]


@pytest.mark.parametrize(
    "parameters",
    [
        {"limits": xt.Limits(max_depth=2)},
        {"limits": xt.Limits(max_size=2, min_samples_leaf=3)},
        {"leaf_penalty": 0.02, "limits": xt.Limits(max_depth=2)},
        {"minimize": "size", "limits": xt.Limits(max_errors=3)},
        {"minimize": ("depth", "errors"), "limits": xt.Limits(max_errors=3)},
        {"limits": xt.Limits(max_depth=2, max_leaves_of={0: 1})},
    ],
)
def test_bounds_without_a_listing_are_valid(parameters, monkeypatch) -> None:
    """The cost of the tree is at least the optimum, and the lower bound at most."""
    monkeypatch.setattr("exactree.engine.oblique.large_tables.MAX_LISTED", 300)
    for seed in range(3):
        X, y = clouds(36, 2, seed)
        problem = xt.Problem(X, y, rules=Hyperplanes(), **parameters)
        best = xt.solve(problem, method="proper")
        anytime = Anytime(problem, None)
        anytime.first_trees(lambda thresholds, _: run_proper(thresholds), None, 1)
        anytime.raise_bound(1e6)
        anytime.improve(anytime.timer.seconds() + 0.3)
        found = anytime.outcome("time limit")
        recount(problem, found)
        assert found.lower_bound <= best.cost
        assert found.cost is None or best.cost <= found.cost
    assert bound_by_subsets(problem, lambda: 1e6) <= best.cost


def test_lower_bounds_by_subsets_are_positive_where_labels_are_random(monkeypatch) -> None:
    monkeypatch.setattr("exactree.engine.oblique.large_tables.MAX_LISTED", 2000)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    assert bound_by_subsets(problem, lambda: None) > 10


def test_ctrl_c_while_listing_keeps_a_tree(monkeypatch) -> None:
    listed = proper.all_rules

    def interrupted(*arguments: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return listed(*arguments)

    monkeypatch.setattr(proper, "all_rules", interrupted)
    problem = xt.Problem(*clouds(20, 2), rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    found = xt.solve(problem)
    assert found.stopped_by == "interrupt"
    assert found.tree is not None
    assert found.cost > found.lower_bound == 0


def test_a_search_that_stops_at_a_gap_returns_a_tree_within_the_gap() -> None:
    """A better tree by other means may attain the bound on the errors, but not that on the size."""
    rng = np.random.default_rng(0)
    by_gap = 0
    for _ in range(60):
        X, y = rng.integers(0, 4, size=(9, 2)), rng.integers(0, 2, size=9)
        y[:2] = [0, 1]
        problem = xt.Problem(
            X,
            y,
            minimize=("errors", "size"),
            rules=Hyperplanes(),
            limits=xt.Limits(max_depth=2),
            sample_weight=rng.integers(1, 5, size=9),
        )
        outcome = xt.solve(problem, stop_at_gap=0.5)
        assert outcome.gap <= 0.5
        by_gap += outcome.stopped_by == "gap"
    assert by_gap
