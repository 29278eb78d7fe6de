"""Options of the search compose with every cost and constraint: the optimum stays the same."""

import runpy
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from exactree import Limits, MethodRefused, Outcome, Problem, enumerate_optimal, solve
from exactree.problem.quantities import as_tuple, slack_of
from exactree.spec.enumerate import optimal_trees
from exactree.spec.enumerate_ensembles import optimal_ensembles

FOLDER = Path(__file__).parent
CHOICES = runpy.run_path(str(FOLDER / "choices.py"))
CELLS = runpy.run_path(str(FOLDER / "cells.py"))
SPACES, CONSTRAINTS = CHOICES["SPACES"], CHOICES["CONSTRAINTS"]
COSTS, TUPLES, OF_ENSEMBLES = CHOICES["COSTS"], CHOICES["TUPLES"], CHOICES["OF_ENSEMBLES"]
problem_of, same_for_all = CHOICES["problem_of"], CELLS["same_for_all"]
check_as_defined = runpy.run_path(str(FOLDER / "agreement.py"))["check_as_defined"]
NONE = CONSTRAINTS[0]
INSTANCES = [1, pytest.param(20, marks=pytest.mark.long)]


def with_gap(problem: Problem, expected: Outcome, _: Path) -> Outcome:
    """Search with a gap; return the outcome of the definition if the bounds hold."""
    found = solve(problem, stop_at_gap=0.5)
    if found.stopped_by != "gap":
        return found
    assert found.gap <= 0.5 + 1e-9  # searches that round compare rounded costs
    assert as_tuple(found.lower_bound) <= as_tuple(expected.cost) <= as_tuple(found.cost)
    return expected


def on_cluster(problem: Problem, _: Outcome, folder: Path) -> Outcome:
    """Search with two workers."""
    with ThreadPoolExecutor(2) as workers:
        return solve(problem, cluster=workers)


def with_incumbent(problem: Problem, expected: Outcome, _: Path) -> Outcome:
    """Search from the best tree of depth one, if it can be pruned to the limits."""
    stump = solve(problem.with_trees(1).within(Limits(max_depth=1))).tree
    return expected if stump is None else solve(problem, incumbent=stump)


def resumed(problem: Problem, expected: Outcome, folder: Path) -> Outcome:
    """Search in two calls, of which the first is stopped at once."""
    first = solve(problem, resume=folder / "run.json", time_limit=1e-9)
    if expected.cost is not None:
        assert as_tuple(first.lower_bound) <= as_tuple(expected.cost)
    return solve(problem, resume=folder / "run.json")


Option = Callable[[Problem, Outcome, Path], Outcome]
OPTIONS: dict[str, Option] = {
    "threads": lambda problem, _, folder: solve(problem, n_jobs=2),
    "limits": lambda problem, _, folder: solve(
        problem, time_limit=600, memory_limit=10**9, on_progress=lambda progress: None
    ),
    "gap": with_gap,
    "cluster": on_cluster,
    "incumbent": with_incumbent,
    "resume": resumed,
}


def check(name: str, seed: str, folder: Path, *choices: Any) -> str:
    """Solve a combination with an option, or see that it is refused; return which."""
    context = name, seed, *(choice.name for choice in choices)
    try:
        problem = problem_of(Random(seed), *choices)
    except ValueError:
        return "no problem"
    if name in ("cluster", "resume") and problem.n_trees == 1:  # deep enough to be shared
        problem = problem.within(replace(problem.limits, max_depth=3))
    try:
        expected = solve(problem, implementation="spec")
    except MethodRefused:
        return "too large"
    refusal = ""
    try:
        found = OPTIONS[name](problem, expected, folder)
    except (MethodRefused, ValueError) as raised:
        refusal = str(raised)
    if refusal:
        reasons = ("resume is for", "an integer max_leaves_of", "incumbent")
        assert refusal.startswith(reasons), context
        return "refused"
    if found is not expected:
        check_as_defined(problem, found, expected, context)
    return "solved"


@pytest.mark.parametrize("instances", INSTANCES)
@pytest.mark.parametrize("name", OPTIONS)
def test_options_do_not_change_the_optimum(name: str, instances: int, tmp_path: Path) -> None:
    counts = Counter[str]()
    for number in range(instances):
        choices = [(cost, NONE) for cost in (*COSTS, *TUPLES, *OF_ENSEMBLES)]
        choices += [(COSTS[0], limit) for limit in CONSTRAINTS]
        choices += [(COSTS[index % len(COSTS)], limit) for index, limit in enumerate(CONSTRAINTS)]
        for index, (cost, limit) in enumerate(choices):
            # Only incumbents are converted to other rules: elsewhere rules of one feature suffice.
            spaces = SPACES if name == "incumbent" else SPACES[:5]
            space = spaces[(index + number) % len(spaces)]
            folder = tmp_path / f"{number}-{index}"
            folder.mkdir()
            counts[check(name, f"{number}/{index}", folder, space, cost, limit)] += 1
    assert counts["solved"] > 10 * instances, counts
    assert (counts["refused"] > 0) == (name in ("cluster", "resume", "incumbent")), counts


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
