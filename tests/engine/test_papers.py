"""The methods of the papers: native forms and specifications agree."""

import re
import signal
import threading
from collections import Counter

import numpy as np
import pytest

import exactree as xt
from exactree.engine import ENSEMBLE_METHODS, PAPERS, accelerators, run_paper
from exactree.methods import NATIVE
from exactree.spec.methods import METHODS
from exactree.testing import check_irreducible, random_weights


def draw(rng, method, minimize):
    # For depths, the specification of support sets is fast only on few rows.
    few = method == "support-sets" and minimize == "depth"
    rows, features = int(rng.integers(1, 7 if few else 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 4]), (rows, features)).astype(float)
    errors = int(rng.integers(0, 3)) if "errors" in PAPERS[method] else None
    leaves = {0: int(rng.integers(1, 3))} if "leaves" in PAPERS[method] else None
    y = rng.integers(0, rng.integers(1, 4), rows)
    y[0] = 0
    limit = int(rng.integers(0, 5)) if rng.random() < 0.3 else None
    limits = {f"max_{minimize}": limit, "max_errors": errors, "max_leaves_of": leaves}
    return xt.Problem(X, y, minimize=minimize, limits=xt.Limits(**limits))


QUANTITIES = [(method, "size") for method in PAPERS] + [("support-sets", "depth")]


@pytest.mark.parametrize(("method", "minimize"), QUANTITIES)
def test_random_problems_agree_with_the_specification(method, minimize):
    rng = np.random.default_rng(20_261_120)
    n_done = 0
    while n_done < 300:
        problem = draw(rng, method, minimize)
        try:
            expected = METHODS[method].spec(problem)
        except xt.MethodRefused:  # too large for the specification
            continue
        n_done += 1
        outcome = xt.solve(problem, method=method)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        if outcome.cost is not None:
            assert outcome.lower_bound == outcome.cost
            check_irreducible(problem, outcome.tree)


@pytest.mark.parametrize(("method", "minimize"), QUANTITIES)
def test_no_switch_alone_and_not_all_switches_together_change_the_cost(method, minimize):
    rng, names = np.random.default_rng(20_261_121), list(accelerators(method))
    switchings = [{name: False} for name in names] + [dict.fromkeys(names, False)]
    for _ in range(100):
        problem = draw(rng, method, minimize)
        expected = run_paper(method, problem)
        for switches in switchings:
            outcome = run_paper(method, problem, switches=switches)
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), switches
            if outcome.cost is not None:
                assert outcome.lower_bound == outcome.cost
                check_irreducible(problem, outcome.tree)


def draw_larger(rng):
    """Draw a table whose labels are rules with exceptions, in which every switch prunes something.

    The fourth feature is a rule between two thresholds of the first feature, and rows with small
    values of the third feature have one class.
    """
    X = rng.integers(0, 5, (24, 4)).astype(float)
    X[:, 3] = (X[:, 0] > 2) | ((X[:, 0] == 2) & (X[:, 1] > 2))
    y = ((X[:, 0] > 2) + 2 * (X[:, 1] > 1) + (rng.random(24) < 0.15)) % 3
    y[X[:, 2] <= 1] = 0
    max_errors = xt.describe(X, y).min_errors + int(rng.integers(0, 2))
    return xt.Problem(X, y, minimize="size", limits=xt.Limits(max_errors=max_errors))


def test_every_switch_of_the_witness_search_prunes_something_only_if_it_is_on():
    rng, pruned = np.random.default_rng(20_261_122), Counter()
    for _ in range(40):
        problem = draw_larger(rng)
        outcome = run_paper("witness", problem)
        pruned.update(outcome.stats["pruned"])
        for name in accelerators("witness"):
            off = run_paper("witness", problem, switches={name: False})
            assert off.cost == outcome.cost
            counted = ("cached_subsets", "leaves_solved") if name == "subset_caching" else (name,)
            assert not any(off.stats["pruned"].get(count, 0) for count in counted), name
    assert all(count > 0 for count in pruned.values()), pruned


def test_without_accelerators_the_witness_search_visits_the_nodes_of_its_specification():
    rng = np.random.default_rng(20_261_123)
    off, n_done, deep = dict.fromkeys(accelerators("witness"), False), 0, 0
    while n_done < 500:
        # Distinct rows in the order of their classes: merging them changes nothing.
        size = (int(rng.integers(5, 11)), int(rng.integers(1, 4)))
        X = np.unique(rng.integers(0, rng.choice([2, 3, 5]), size), axis=0).astype(float)
        rng.shuffle(X)
        y = np.sort(rng.integers(0, rng.integers(2, 4), len(X)))
        weights = random_weights(rng, len(X))
        limits = xt.Limits(max_errors=int(rng.integers(0, 3)))
        problem = xt.Problem(X, y, sample_weight=weights, minimize="size", limits=limits)
        try:
            expected = METHODS["witness"].spec(problem).stats
        except xt.MethodRefused:  # too large for the specification
            continue
        n_done += 1
        stats = run_paper("witness", problem, switches=off).stats
        for name in ("search_nodes", "search_nodes_by_size"):
            assert stats[name] == expected[name], problem
        deep += expected["search_nodes"] > 100
    assert deep > 10


@pytest.mark.parametrize("method", PAPERS)
def test_an_unknown_switch_is_refused_with_the_names_of_all_switches(method):
    problem = xt.Problem([[0.0], [1.0]], [0, 1], minimize="size")
    names = re.escape(", ".join(accelerators(method)))
    with pytest.raises(
        ValueError, match=f"method='{method}' has no switch named \"magic\"; it has {names}."
    ):
        run_paper(method, problem, switches={"magic": False})


def test_an_unknown_method_has_no_switches():
    with pytest.raises(ValueError, match="no search named"):
        accelerators("magic")
    with pytest.raises(ValueError, match="no method named"):
        accelerators("box", n_trees=2)


WITHOUT_ERRORS = xt.Limits(max_errors=0)


@pytest.mark.parametrize("method", PAPERS)
@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": "errors"},
        {"minimize": ("errors", "size")},
        {"minimize": ("size", "errors"), "leaf_penalty": 0.1},
        {"minimize": "errors", "leaf_penalty": 0.1},
    ],
)
def test_errors_may_be_minimized_if_none_are_allowed(method, parameters):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (7, 2))
    y = (X[:, 0] + X[:, 1]) % 3
    problem = xt.Problem(X, y, limits=WITHOUT_ERRORS, **parameters)
    outcome, expected = xt.solve(problem, method=method), xt.solve(problem, implementation="spec")
    assert (outcome.status, outcome.cost) == (expected.status, expected.cost)
    stopped = xt.solve(problem, method=method, on_progress=lambda progress: True)
    assert stopped.lower_bound <= stopped.cost


@pytest.mark.parametrize("method", PAPERS)
@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"minimize": ("depth", "size")}, "minimize='size'"),
        ({"minimize": "depth", "limits": xt.Limits(max_size=3)}, "minimize='depth'|'size' only"),
        ({"minimize": "size", "limits": xt.Limits(max_depth=3)}, "no max_depth"),
        ({"minimize": "size", "limits": xt.Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
    ],
)
def test_problems_that_the_native_form_refuses_are_refused_in_one_clause(method, parameters, why):
    problem = xt.Problem([[0.0], [1.0]], [0, 1], **parameters)
    with pytest.raises(xt.MethodRefused, match=f"its native form takes .*({why})"):
        xt.solve(problem, method=method)


@pytest.mark.parametrize("method", sorted(set(PAPERS).difference(ENSEMBLE_METHODS)))
def test_a_native_form_for_one_tree_refuses_two(method):
    problem = xt.Problem([[0.0], [1.0]], [0, 1], minimize="total_size", n_trees=2)
    with pytest.raises(xt.MethodRefused, match=r"its native form takes one tree only"):
        xt.solve(problem, method=method)


PROBLEMS = [
    {"minimize": minimize, "limits": limits, "leaf_penalty": penalty, "n_trees": trees}
    for minimize in ("errors", "size", "depth", ("errors", "depth"), ("size", "errors"))
    for limits in (
        xt.Limits(),
        WITHOUT_ERRORS,
        xt.Limits(max_errors=1),
        xt.Limits(max_size=2, max_errors=0),
        xt.Limits(max_depth=2, max_errors=0),
        xt.Limits(max_leaves_of={}, max_errors=0),
        xt.Limits(max_leaves_of={0: 1}, max_errors=0),
        xt.Limits(min_samples_leaf=2, max_errors=0),
    )
    for penalty in (0, 0.1)
    for trees in (1, 2)
    if ("errors" in minimize or penalty == 0) and (trees == 1 or minimize == "errors")
]


def test_the_native_support_sets_accept_the_problems_of_the_specification():
    n_accepted = 0
    for parameters in PROBLEMS:
        problem = xt.Problem([[0], [1], [2]], [0, 1, 0], **parameters)
        native = NATIVE["support-sets"](problem).refusal is None
        assert native == (METHODS["support-sets"].reason_to_refuse(problem) is None), parameters
        n_accepted += native
        if native:
            outcome = xt.solve(problem, method="support-sets")
            expected = xt.solve(problem, method="support-sets", implementation="spec")
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), parameters
    assert len(PROBLEMS) / 4 < n_accepted < len(PROBLEMS) / 2


def test_a_table_too_large_for_a_dynamic_program_is_refused_with_the_reason():
    rng = np.random.default_rng(0)
    problem = xt.Problem(rng.random((80, 6)), rng.integers(0, 2, 80), minimize="size")
    with pytest.raises(xt.MethodRefused, match="method='subsets'"):
        xt.solve(problem, method="subsets")


@pytest.mark.parametrize("n_trees", [255, 256, 300])
def test_votes_of_more_than_255_trees_are_counted(n_trees):
    """All trees except one are leaves, whose votes cancel each other: one stump decides."""
    problem = xt.Problem(
        [[0], [1]], [0, 1], n_trees=n_trees, minimize="total_size", limits=xt.Limits(max_errors=0)
    )
    outcome = xt.solve(problem, "subsets")
    assert (outcome.status, outcome.cost) == (xt.Status.OPTIMAL, 1)


def test_a_table_with_too_many_splits_for_the_memory_limit_is_refused_with_the_reason():
    rng = np.random.default_rng(0)
    problem = xt.Problem(rng.random((80, 6)), rng.integers(0, 2, 80), minimize="depth")
    with pytest.raises(xt.MethodRefused, match=r"method='support-sets': .* splits"):
        xt.solve(problem, method="support-sets", memory_limit=1000)


SEARCHES = [("threshold", "size"), ("support-sets", "size"), ("support-sets", "depth")]


@pytest.mark.parametrize("by", ["time limit", "callback", "interrupt"])
@pytest.mark.parametrize(("method", "minimize"), SEARCHES)
def test_a_stopped_search_keeps_a_tree_and_a_bound(method, minimize, by):
    rng = np.random.default_rng(0)
    rows = 400 if minimize == "depth" else 120  # for 120 rows the minimum depth is found at once
    X, y = rng.random((rows, 5)), rng.integers(0, 2, rows)
    problem = xt.Problem(X, y, minimize=minimize)
    if by == "interrupt":
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    outcome = xt.solve(
        problem,
        method=method,
        time_limit=0.3 if by == "time limit" else None,
        on_progress=(lambda progress: True) if by == "callback" else None,
    )
    assert outcome.stopped_by == by
    assert (outcome.tree.predict(X) == y).all()
    assert 1 <= outcome.lower_bound < outcome.cost
