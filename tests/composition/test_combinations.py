"""Every combination of space, cost and constraint is solved as defined or refused as documented."""

import runpy
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree import Constraints, Limits, MethodRefused, Problem, pareto_front, solve
from exactree.problem.quantities import allowed_quantities

FOLDER = Path(__file__).parent
CHOICES = runpy.run_path(str(FOLDER / "choices.py"))
CELLS = runpy.run_path(str(FOLDER / "cells.py"))
SPACES, CONSTRAINTS = CHOICES["SPACES"], CHOICES["CONSTRAINTS"]
COSTS, TUPLES, OF_ENSEMBLES = CHOICES["COSTS"], CHOICES["TUPLES"], CHOICES["OF_ENSEMBLES"]
problem_of, cell_of, same_for_all = CHOICES["problem_of"], CELLS["cell_of"], CELLS["same_for_all"]
check_as_defined = runpy.run_path(str(FOLDER / "agreement.py"))["check_as_defined"]
INSTANCES = [1, pytest.param(30, marks=pytest.mark.long)]


def check(seed: str, *choices: Any) -> str:
    """Solve a combination on a random table, or see that it is refused; return which."""
    cell = cell_of(lambda: problem_of(Random(0), *choices))
    context = seed, *(choice.name for choice in choices)
    if cell.kind != "refused":
        problem = problem_of(Random(seed), *choices)
        try:
            expected = solve(problem, implementation="spec")
        except MethodRefused:  # too many trees
            return "too large"
        check_as_defined(problem, solve(problem), expected, context)
        return str(cell.kind)
    refusal, unchanged = refusal_of(seed, *choices)
    assert same_for_all(refusal) == same_for_all(cell.reason), context
    assert unchanged, context
    return "refused"


def refusal_of(seed: str, *choices: Any) -> tuple[str, bool]:
    """Return the message of a refusal, and whether all arguments are as before."""
    parameters: dict[str, Any] = {}
    limits: dict[str, Any] = {"max_depth": 2}
    random = Random(seed)
    for choice in choices:
        more = choice.parameters(random)
        limits |= more.pop("limits", {})
        parameters |= more
    before = deepcopy(parameters)
    with pytest.raises((ValueError, MethodRefused)) as raised:
        solve(Problem(**parameters, limits=Limits(**limits)))
    same = np.array_equal(before["X"], parameters["X"], equal_nan=True)
    rest = {name: value for name, value in parameters.items() if name != "X"}
    return str(raised.value), same and rest == {name: before[name] for name in rest}


@pytest.mark.parametrize("instances", INSTANCES)
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_spaces_costs_and_constraints_compose_as_stated(space: Any, instances: int) -> None:
    counts = Counter[str]()
    # The quick test tries only every second combination of mixtures and of hypersurfaces.
    half = instances == 1 and space.name in ("a mixture", "hypersurfaces")
    for number in range(instances):
        for index, (cost, limit) in enumerate((c, k) for c in COSTS for k in CONSTRAINTS):
            if not half or index % 2 == 0:
                counts[check(f"{number}/{space.name}/{index}", space, cost, limit)] += 1
    assert counts["native"] > 20, counts
    assert counts["too large"] < sum(counts.values()) / 10, counts


@pytest.mark.parametrize("instances", INSTANCES)
def test_tuples_compose_with_constraints_as_stated(instances: int) -> None:
    counts = Counter[str]()
    for number in range(instances):
        for index, (cost, limit) in enumerate((c, k) for c in TUPLES for k in CONSTRAINTS):
            space = SPACES[(index + number) % len(SPACES)]
            counts[check(f"{number}/{index}", space, cost, limit)] += 1
    assert counts["outer loop"] > 100 * instances, counts


@pytest.mark.parametrize("instances", INSTANCES)
def test_ensembles_compose_with_constraints_as_stated(instances: int) -> None:
    counts = Counter[str]()
    for number in range(instances):
        for index, (cost, limit) in enumerate((c, k) for c in OF_ENSEMBLES for k in CONSTRAINTS):
            space = SPACES[(index + number) % 2]
            counts[check(f"{number}/{index}", space, cost, limit)] += 1
    assert min(counts["native"], counts["definition"]) > 10 * instances, counts


def pairs_of_limits() -> Iterator[tuple[Any, Any]]:
    """List the pairs of limits and constraints that do not contradict each other's parameters."""
    for one, other in combinations(CONSTRAINTS[1:], 2):
        if not {*one.parameters(Random(0))} & {*other.parameters(Random(0))} - {"limits"}:
            yield one, other


@pytest.mark.parametrize("instances", INSTANCES)
def test_pairs_of_limits_compose_as_stated(instances: int) -> None:
    counts = Counter[str]()
    costs = [*COSTS, *TUPLES]
    for number in range(instances):
        for index, (one, other) in enumerate(pairs_of_limits()):
            # Every pair with plain errors, and with another cost.
            for cost in (COSTS[0], costs[(index + number) % len(costs)]):
                space = SPACES[(index + number) % len(SPACES)]
                counts[check(f"{number}/{index}", space, cost, one, other)] += 1
    assert min(counts["native"], counts["outer loop"], counts["refused"]) > 20, counts


def fronts_of(cost: Any) -> list[tuple[str, ...]]:
    """Return the quantities of two fronts of a cost of one tree."""
    name = cost.covers[0]
    if name in ("size", "depth"):
        return [("size", "depth"), ("depth", "errors", "size")]
    return [(name, "size"), ("depth", name), (name, "depth", "size")]


@pytest.mark.parametrize("instances", INSTANCES)
def test_fronts_compose_with_constraints_as_stated(instances: int) -> None:
    counts = Counter[str]()
    for number in range(instances):
        for index, (cost, limit) in enumerate((c, k) for c in COSTS for k in CONSTRAINTS):
            choices = SPACES[(index + number) % len(SPACES)], cost, limit
            fronts = fronts_of(cost)
            quantities = fronts[(index + number) % len(fronts)]
            counts[check_front(f"{number}/{index}", quantities, choices)] += 1
    assert counts["outer loop"] > 50 * instances, counts
    assert counts["too large"] < sum(counts.values()) / 10, counts


def check_front(seed: str, quantities: tuple[str, ...], choices: Any) -> str:
    """Compare a front with the definition, or see that it is refused; return which."""
    cell = CELLS["front_cell"](lambda: problem_of(Random(0), *choices), quantities)
    context = seed, quantities, *(choice.name for choice in choices)
    if cell.kind == "refused":
        with pytest.raises((ValueError, MethodRefused)) as raised:
            pareto_front(problem_of(Random(seed), *choices), quantities)
        assert same_for_all(str(raised.value)) == same_for_all(cell.reason), context
    elif cell.kind == "outer loop":
        problem = problem_of(Random(seed), *choices)
        try:
            expected = pareto_front(problem, quantities, implementation="spec")
        except MethodRefused:  # too many trees
            return "too large"
        found = pareto_front(problem, quantities)
        assert [outcome.cost for outcome in found] == [
            pytest.approx(outcome.cost, rel=1e-9, abs=1e-11) for outcome in expected
        ], context
    return str(cell.kind)


def test_the_choices_name_everything_that_a_problem_can_have() -> None:
    named = {name for choice in (*COSTS, *OF_ENSEMBLES, *CONSTRAINTS) for name in choice.covers}
    assert named >= {*allowed_quantities(1), *allowed_quantities(2)}
    limits = {field.name for field in fields(Limits)}
    assert named >= limits | {field.name for field in fields(Constraints)}
    assert named >= {"leaf_penalty", "feature_penalty", "monotonic_cst"}
    families = {type(space.parameters(Random(0)).get("rules")) for space in SPACES}
    assert families >= {getattr(xt.rules, name) for name in xt.rules.__all__ if name in PUBLIC}


# The families that users create.
PUBLIC = {"AxisParallel", "Hyperplanes", "Hypersurfaces", "FixedRules", "Mixed"}
