"""Options of the search compose with every cost and constraint: the optimum stays the same."""

import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from exactree import Ensemble, Limits, MethodRefused, Problem, enumerate_optimal, solve
from exactree.problem.quantities import as_tuple, slack_of
from exactree.spec.enumerate import optimal_trees
from exactree.spec.enumerate_ensembles import optimal_ensembles

FOLDER = Path(__file__).parent
CHOICES = runpy.run_path(str(FOLDER / "choices.py"))
CELLS = runpy.run_path(str(FOLDER / "cells.py"))
TRIALS = runpy.run_path(str(FOLDER / "options.py"))
SPACES, CONSTRAINTS = CHOICES["SPACES"], CHOICES["CONSTRAINTS"]
COSTS, TUPLES, OF_ENSEMBLES = CHOICES["COSTS"], CHOICES["TUPLES"], CHOICES["OF_ENSEMBLES"]
problem_of, same_for_all = CHOICES["problem_of"], CELLS["same_for_all"]
check_as_defined = runpy.run_path(str(FOLDER / "agreement.py"))["check_as_defined"]
NONE = CONSTRAINTS[0]
INSTANCES = [1, pytest.param(20, marks=pytest.mark.long)]


def stump_of(problem: Problem) -> Any:
    """Return the best tree of depth one; if it can be pruned to the limits, it is an incumbent."""
    tree = solve(problem.with_trees(1).within(Limits(max_depth=1))).tree
    return tree if tree is None or problem.n_trees == 1 else Ensemble((tree,) * problem.n_trees)


# Option -> its keywords in a problem.
Option = Callable[[Problem, Path, Executor], dict[str, Any]]
OPTIONS: dict[str, Option] = {
    "n_jobs": lambda *_: {"n_jobs": 2},
    "limits": lambda *_: {
        "time_limit": 600, "memory_limit": 10**9, "on_progress": lambda progress: None
    },
    "stop_at_gap": lambda *_: {"stop_at_gap": 0.5},
    "cluster": lambda problem, folder, workers: {"cluster": workers},
    "incumbent": lambda problem, *_: {"incumbent": stump_of(problem)},
    "resume": lambda problem, folder, _: {"resume": folder / "run.json"},
}  # fmt: skip
# The first words of the refusal of an option.
REFUSALS = {"resume": "resume is for", "incumbent": "incumbent"}


def check(names: tuple[str, ...], seed: str, folder: Path, *choices: Any) -> str:
    """Solve a combination with options, or check its refusal; return which it was."""
    context = *names, seed, *(choice.name for choice in choices)
    try:
        problem = problem_of(Random(seed), *choices)
    except ValueError:
        return "no problem"
    if set(names) & {"cluster", "resume"}:  # deep enough for several workers
        problem = TRIALS["deep"](problem)
    try:
        expected = solve(problem, implementation="spec")
    except MethodRefused:
        return "too large"
    folder.mkdir()
    with ThreadPoolExecutor(2) as workers:
        options, message = dict[str, Any](), ""
        for name in names:
            options |= OPTIONS[name](problem, folder, workers)
        try:
            if "resume" in names:  # the first call is stopped at once
                first = solve(problem, **options | {"time_limit": 1e-9})
                assert not expected.trees or as_tuple(first.lower_bound) <= as_tuple(expected.cost)
            found = solve(problem, **options)
        except (MethodRefused, ValueError) as refusal:
            message = str(refusal)
    if message:
        starts = tuple(REFUSALS[name] for name in names if name in REFUSALS)
        assert message.startswith(starts), context
        return "refused"
    if found.stopped_by == "gap":
        assert found.gap <= 0.5 + 1e-9, context  # a search may compare rounded costs
        assert as_tuple(found.lower_bound) <= as_tuple(expected.cost) <= as_tuple(found.cost)
    else:
        check_as_defined(problem, found, expected, context)
    return "solved"


def combinations_of(number: int) -> Iterator[tuple[Any, Any, Any]]:
    """List every cost and every constraint, each in the next of the spaces."""
    choices = [(cost, NONE) for cost in (*COSTS, *TUPLES, *OF_ENSEMBLES)]
    choices += [(COSTS[0], limit) for limit in CONSTRAINTS]
    choices += [(COSTS[index % len(COSTS)], limit) for index, limit in enumerate(CONSTRAINTS)]
    for index, (cost, limit) in enumerate(choices):
        yield SPACES[(index + number) % len(SPACES)], cost, limit


@pytest.mark.parametrize("instances", INSTANCES)
@pytest.mark.parametrize("name", OPTIONS)
def test_options_do_not_change_the_optimum(name: str, instances: int, tmp_path: Path) -> None:
    counts = Counter[str]()
    for number in range(instances):
        for index, choices in enumerate(combinations_of(number)):
            folder = tmp_path / f"{number}-{index}"
            counts[check((name,), f"{number}/{index}", folder, *choices)] += 1
    assert counts["solved"] > 10 * instances, counts
    assert (counts["refused"] > 0) == (name in REFUSALS), counts


@pytest.mark.parametrize("instances", INSTANCES)
def test_pairs_of_options_do_not_change_the_optimum(instances: int, tmp_path: Path) -> None:
    counts = Counter[str]()
    for number in range(instances):
        for place, names in enumerate(combinations(OPTIONS, 2)):
            for index, choices in enumerate(combinations_of(number + place)):
                if (index + place + number) % 4 == 0:  # every combination with some of the pairs
                    folder = tmp_path / f"{number}-{place}-{index}"
                    counts[check(names, f"{number}/{index}", folder, *choices)] += 1
    assert counts["solved"] > 150 * instances, counts


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_the_table_does_not_decide_whether_an_option_is_refused(space: Any) -> None:
    """Only the kind of the problem does."""
    table = CHOICES["LargerTables"]
    for cost, limit in ((COSTS[0], NONE), (COSTS[0], CONSTRAINTS[-1]), (OF_ENSEMBLES[0], NONE)):
        cells = []
        for seed in (2, 4):
            try:
                problem = TRIALS["deep"](problem_of(table(seed), space, cost, limit))
            except ValueError:
                break
            cells.append({name: TRIALS["tried"](name, problem) for name in ("resume", "incumbent")})
        assert not cells or cells[0] == cells[1]


@pytest.mark.parametrize("instances", INSTANCES)
def test_lists_of_optimal_solutions_are_those_of_the_definition(instances: int) -> None:
    counts = Counter[str]()
    for number in range(instances):
        choices = [(cost, NONE) for cost in (*COSTS, *TUPLES, *OF_ENSEMBLES)]
        choices += [(cost, limit) for cost in (COSTS[0], TUPLES[0]) for limit in CONSTRAINTS]
        for index, (cost, limit) in enumerate(choices):
            space = SPACES[(index + number) % len(SPACES)]
            picked = space, cost, limit
            cell = CELLS["enumeration_cell"](lambda p=picked: problem_of(Random(0), *p))
            counts[cell.kind] += 1
            if cell.kind == "refused":
                with pytest.raises((ValueError, MethodRefused)) as raised:
                    next(enumerate_optimal(problem_of(Random(f"{number}/{index}"), *picked)), None)
                assert same_for_all(str(raised.value)) == same_for_all(cell.reason)
            elif cell.kind == "native":
                problem = problem_of(Random(f"{number}/{index}"), *picked)
                slack = slack_of(problem.minimize, 0)
                try:
                    listed = optimal_trees if problem.n_trees == 1 else optimal_ensembles
                    expected = sum(1 for _ in listed(problem, slack, lambda: None))
                except MethodRefused:
                    continue
                found = list(enumerate_optimal(problem))
                assert len(found) == expected, [choice.name for choice in picked]
    assert min(counts["native"], counts["definition"], counts["refused"]) > 5 * instances, counts
