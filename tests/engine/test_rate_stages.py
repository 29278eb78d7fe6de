"""Tuples and fronts of rates with sizes and depths: native searches agree with brute force."""

import runpy
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status, pareto_front, solve
from exactree.problem.quantities import as_tuple
from exactree.spec.subsets_scores import f1, precision, recall, score_front, smallest_with_score
from exactree.testing import random_weights
from exactree.testing.irreducible import check_irreducible

ALL_TREES = runpy.run_path(str(Path(__file__).parents[1] / "spec" / "all_trees.py"))
RATES = {"f1_error": f1, "precision_error": precision, "recall_error": recall}
TUPLES = [
    ("{}", "size"),
    ("size", "{}"),
    ("{}", "depth"),
    ("depth", "{}"),
    ("{}", "size", "depth"),
    ("size", "{}", "depth"),
    ("depth", "size", "{}"),
]


def draw(rng: np.random.Generator, rows: int) -> Problem:
    """Draw a random problem of a rate and sizes or depths."""
    n, features = int(rng.integers(2, rows)), int(rng.integers(1, 4))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    rate = rng.choice([*RATES])
    weights = random_weights(rng, n, bits=30, real=False)  # more units are refused
    return Problem(
        rng.integers(0, rng.choice([2, 3, 6]), (n, features)).astype(float),
        y,
        sample_weight=weights,
        minimize=tuple(name.format(rate) for name in TUPLES[rng.integers(len(TUPLES))]),
        limits=Limits(
            max_depth=int(rng.integers(1, 4)) if rng.random() < 0.6 else None,
            max_size=int(rng.integers(0, 5)) if rng.random() < 0.3 else None,
            min_precision=[None, None, 0.5, 0.75][rng.integers(4)],
            min_recall=[None, None, 0.5, 1.0][rng.integers(4)],
            min_samples_leaf=int(rng.integers(1, 3)),
        ),
    )


def nondominated(vectors: set[tuple]) -> list[tuple]:
    """Return the vectors that are not dominated, in increasing order of the first quantity."""
    return sorted(
        v
        for v in vectors
        if not any(o != v and all(a <= b for a, b in zip(o, v, strict=True)) for o in vectors)
    )


@pytest.mark.parametrize("problems", [30, pytest.param(1_000, marks=pytest.mark.long)])
def test_tuples_and_fronts_are_those_of_all_trees(problems: int) -> None:
    rng, counts = np.random.default_rng(problems), Counter()
    for _ in range(problems):
        problem = draw(rng, 6)
        names = problem.quantities
        vectors = {answer.vector(names) for answer in ALL_TREES["answers"](problem)}
        minimum = min(vectors, default=None)
        for implementation in ("native", "spec"):
            outcome = solve(problem, implementation=implementation)
            assert outcome.cost == minimum, (problem, outcome)
            assert outcome.status is (Status.INFEASIBLE if minimum is None else Status.OPTIMAL)
            front = pareto_front(problem, names, implementation=implementation)
            assert [one.cost for one in front] == nondominated(vectors), problem
        counts[len(names)] += 1
        counts["infeasible"] += minimum is None
        counts["several"] += len(front) > 1
    assert min(counts[2], counts[3], counts["infeasible"], counts["several"]) > 3, counts


@pytest.mark.parametrize("problems", [30, pytest.param(1_000, marks=pytest.mark.long)])
def test_tuples_on_larger_tables_are_those_of_the_definition(problems: int) -> None:
    rng, done = np.random.default_rng(problems + 1), 0
    while done < problems:
        penalty = [Fraction(0), Fraction(0), Fraction(1, 20), Fraction(1, 3)][rng.integers(4)]
        problem = draw(rng, 12).with_leaf_penalty(penalty)
        native = solve(problem)
        try:
            expected = solve(problem, implementation="spec")
        except MethodRefused:
            continue
        done += 1
        assert (native.status, native.cost) == (expected.status, expected.cost), problem
        for outcome in (native, expected):
            if outcome.tree is not None:
                check_irreducible(problem, outcome.tree)


@pytest.mark.parametrize("name", RATES)
def test_the_front_with_the_size_is_that_of_all_labelings(name: str) -> None:
    """The remark after Corollary 6.8 of Komusiewicz et al. (001)."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        n = int(rng.integers(2, 6))
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        problem = Problem(rng.integers(0, 3, (n, 2)).astype(float), y)
        expected = [(one.size, 1 - one.score) for one in score_front(problem, RATES[name])]
        front = [outcome.cost for outcome in pareto_front(problem, ("size", name))]
        assert front == expected
        # The smallest tree with a score is the first of the front that reaches it.
        for at_least in (Fraction(1, 2), Fraction(3, 4), Fraction(1)):
            scored = smallest_with_score(problem, RATES[name], at_least)
            reached = [size for size, error in front if 1 - error >= at_least]
            assert reached[:1] == ([] if scored is None else [scored.size])
        reversed_front = [outcome.cost for outcome in pareto_front(problem, (name, "size"))]
        assert reversed_front == [cost[::-1] for cost in expected[::-1]]


def test_a_stopped_search_has_a_valid_bound() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(0, 2, 40)
    for names in (("f1_error", "size"), ("size", "f1_error"), ("f1_error", "depth", "size")):
        problem = Problem(X, y, minimize=names, limits=Limits(max_depth=3, max_size=4))
        minimum = solve(problem).cost
        for stop_at in range(1, 40, 3):
            calls = 0

            def stop(progress, stop_at=stop_at, minimum=minimum):
                nonlocal calls
                calls += 1
                assert as_tuple(progress.lower_bound) <= as_tuple(minimum)
                return calls >= stop_at

            outcome = solve(problem, on_progress=stop)
            assert as_tuple(outcome.lower_bound) <= as_tuple(minimum)
            assert outcome.cost is None or as_tuple(outcome.cost) >= as_tuple(minimum)
            if outcome.status is Status.OPTIMAL:
                assert outcome.cost == minimum
            else:
                assert outcome.stopped_by == "callback"


@pytest.mark.parametrize("problems", [40, pytest.param(600, marks=pytest.mark.long)])
def test_rates_of_ensembles_are_those_of_all_ensembles(problems: int) -> None:
    rng, counts = np.random.default_rng(problems), Counter()
    for _ in range(problems):
        n = int(rng.integers(2, 5))
        y = rng.integers(0, 2, n)
        y[:2] = 0, 1
        rate = str(rng.choice([*RATES]))
        minimize = [rate, (rate, "total_size"), ("largest_size", rate)][rng.integers(3)]
        problem = Problem(
            rng.integers(0, 3, (n, 2)).astype(float),
            y,
            minimize=minimize,
            n_trees=2,
            limits=Limits(
                max_depth=int(rng.integers(0, 3)),
                max_total_size=int(rng.integers(0, 4)) if rng.random() < 0.5 else None,
                min_precision=[None, None, 0.75][rng.integers(3)],
                min_recall=[None, None, 1.0][rng.integers(3)],
            ),
        )
        names = problem.quantities
        vectors = {answer.vector(names) for answer in ALL_TREES["answers"](problem)}
        outcome = solve(problem)  # by the specification, as no native form accepts it
        found = None if outcome.cost is None else as_tuple(outcome.cost)
        assert found == min(vectors, default=None), problem
        if len(names) > 1:
            front = [one.cost for one in pareto_front(problem, names)]
            assert front == nondominated(vectors), problem
        counts["infeasible"] += found is None
        counts["several nodes"] += found is not None and outcome.ensemble.total_size > 1
    assert min(counts.values()) > 0, counts


def test_rates_of_ensembles_are_refused_on_large_tables() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.integers(0, 2, 30)
    problem = Problem(X, y, minimize="f1_error", n_trees=3)
    with pytest.raises(MethodRefused, match="takes small tables only"):
        solve(problem)
    with pytest.raises(MethodRefused, match=r"for one tree.*implementation='spec'"):
        solve(problem, method="branch-and-bound")
