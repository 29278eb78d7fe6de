"""Laws between problems hold for every specification and every native form.

`laws.py` has the laws, their exceptions, and for each exception a problem that breaks the law.
"""

import runpy
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from exactree import Outcome, Problem
from exactree.methods import NATIVE
from exactree.spec import min_cost
from exactree.spec.effort import labelings_to_join, subsets_to_visit
from exactree.spec.methods import METHODS

QUICK = settings.get_current_profile_name() == "quick"

LAWS_FILE = runpy.run_path(str(Path(__file__).with_name("laws.py")))
LAWS, EXCEPTIONS, ProblemArguments = (
    LAWS_FILE["LAWS"],
    LAWS_FILE["EXCEPTIONS"],
    LAWS_FILE["ProblemArguments"],
)
# Method, implementation, and whether for ensembles.
FORMS = [
    (name, form, ensembles)
    for form, methods in (("spec", METHODS), ("native", NATIVE))
    for name in methods
    for ensembles in (False, True)
    if not ensembles or (form == "spec" and name in ("branch-and-bound", "witness", "subsets"))
]
PROBLEMS = 25 if QUICK else 60


def form_id(form: tuple[str, str, bool]) -> str:
    name, implementation, ensembles = form
    return f"{implementation} {name}, {'ensembles' if ensembles else 'one tree'}"


def draw(rng: np.random.Generator, ensembles: bool) -> Any:
    """Return a problem with 2 or 3 classes, weights, categories, and limits of every kind."""
    n = int(rng.integers(2, 5 if ensembles else 8))
    rows = rng.integers(0, rng.choice([2, 3]), (n, int(rng.integers(1, 3))))
    labels = np.array(["a", "b", "c"])[rng.integers(0, rng.integers(2, 4), n)].tolist()
    names = ["total_size", "largest_size", "errors"] if ensembles else ["size", "depth", "errors"]
    minimize = str(rng.choice(names))
    limits: dict[str, Any] = {}
    if minimize != "errors" and rng.random() < 0.4:
        limits["max_errors"] = int(rng.integers(1, 3))
    if minimize == "errors" and rng.random() < 0.7:
        limits["max_depth"] = int(rng.integers(1, 4))
    if rng.random() < 0.15:
        limits["max_size"] = int(rng.integers(1, 5))
    if rng.random() < 0.1:
        limits["min_samples_leaf"] = 2
    if rng.random() < 0.1:
        limits["max_leaves_of"] = {labels[0]: int(rng.integers(1, 3))}
    features = rows.shape[1]
    return ProblemArguments(
        tuple(map(tuple, rows.tolist())),
        tuple(labels),
        tuple(rng.integers(1, 4, n).tolist()),
        minimize,
        int(rng.integers(2, 4)) if ensembles else 1,
        [Fraction(0), Fraction(1, 20), Fraction(1, 3)][rng.integers(3)]
        if minimize == "errors"
        else Fraction(0),
        limits,
        tuple(f for f in range(features) if rng.random() < 0.3),
        (int(rng.integers(features)),) if rng.random() < 0.1 else None,
    )


def small(problem: Problem) -> bool:
    """Return whether the slowest form, the definition, solves a problem in milliseconds."""
    if problem.n_trees == 1:
        return subsets_to_visit(problem) < 400
    joined, labelings = labelings_to_join(problem)
    return joined < 3000 and labelings**problem.n_trees < 3000


def outcome_of(form: tuple[str, str, bool], problem: Problem) -> Outcome | None:
    """Return the outcome of a form, None if it does not accept the problem."""
    name, implementation, _ = form
    if implementation == "native":
        native = NATIVE[name](problem)
        return native.run(problem) if native.refusal is None else None
    method = METHODS[name]
    return method.spec(problem) if method.reason_to_refuse(problem) is None else None


@pytest.mark.parametrize("form", FORMS, ids=form_id)
@pytest.mark.parametrize("name", LAWS)
def test_a_law_holds_unless_there_is_a_reason(name: str, form: tuple[str, str, bool]) -> None:
    law, compared = LAWS[name], 0
    for seed in count():
        rng = np.random.default_rng([seed, len(name)])
        before, after = law.change(draw(rng, form[2]), rng)
        limited_classes = set(before.limits.get("max_leaves_of", {}))
        if not after.rows or not limited_classes <= set(after.labels):
            continue  # a `Problem` refuses this
        if law.unless(before, after) is not None:
            continue
        problem, changed_problem = before.problem(), after.problem()
        if not (small(problem) and small(changed_problem)):
            continue
        outcome = outcome_of(form, problem)
        changed = None if outcome is None else outcome_of(form, changed_problem)
        if outcome is None or changed is None:
            continue
        costs = f"seed {seed}: {before} costs {outcome.cost}, {after} costs {changed.cost}"
        assert law.holds(outcome, changed), costs
        compared += 1
        if compared == PROBLEMS:
            break


@pytest.mark.parametrize(("name", "reason"), EXCEPTIONS)
def test_the_problem_of_each_reason_breaks_the_law(name: str, reason: str) -> None:
    before, after, costs = EXCEPTIONS[name, reason]
    assert LAWS[name].unless(before, after) == reason
    outcomes = [min_cost(arguments.problem()) for arguments in (before, after)]
    assert tuple(outcome.cost for outcome in outcomes) == costs
    assert not LAWS[name].holds(*outcomes)


def test_every_reason_that_occurs_has_a_problem_that_breaks_the_law() -> None:
    reasons: set[tuple[str, str]] = set()
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        arguments = draw(rng, seed % 2 == 0)
        for name, law in LAWS.items():
            before, after = law.change(arguments, rng)
            reason = law.unless(before, after) if after.rows else None
            reasons |= {(name, reason)} if reason is not None else set()
    assert reasons <= set(EXCEPTIONS)
    # Labels that cannot be compared are not drawn.
    assert {reason for _, reason in set(EXCEPTIONS) - reasons} == {
        "labels that cannot be compared: their order of appearance breaks ties"
    }


def test_a_price_per_leaf_is_a_rate_of_the_total_weight() -> None:
    """With fewer examples the price falls, so the cost does not rise; the cost per weight may.

    Two examples that no rule splits, of total weight 10 or 2; the lighter, of weight 1, is wrong.
    So the error rate is 1/10 or 1/2, and the leaf costs 1/10 more.
    """
    heavy = ProblemArguments(((0,), (0,)), ("a", "b"), (9, 1), leaf_penalty=Fraction(1, 10))
    light = ProblemArguments(((0,), (0,)), ("a", "b"), (1, 1), leaf_penalty=Fraction(1, 10))
    costs = [min_cost(arguments.problem()).cost for arguments in (heavy, light)]
    assert costs == [2, Fraction(6, 5)]
    assert [costs[0] / Fraction(10), costs[1] / Fraction(2)] == [Fraction(1, 5), Fraction(3, 5)]
