"""`certify`: write a certificate for the outcome of a search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from exactree.certificates import Certificate
from exactree.certificates.columns import in_columns, splits_of, tree_text
from exactree.certificates.table import RankedTable
from exactree.engine.native import prove_bounds
from exactree.engine.native.request import Caps, SearchOptions
from exactree.errors import InternalError, MethodRefused
from exactree.objectives.errors import plain
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.quantities import Cost, as_tuple, shown_cost
from exactree.problem.verification.recount import cost_of_found
from exactree.rules.mixed import of_surfaces
from exactree.search_options import checked_options
from exactree.solve import check_problem
from exactree.stopping import Interruptible

__all__ = ["certify", "check_covered"]

_COVERED = (
    "Certificates are for one tree that minimizes plain errors, with or without a leaf_penalty, "
    "its size or depth, or a tuple of them, within max_depth, max_size, max_errors and "
    "min_samples_leaf, by splits of single features"
)


_QUANTITIES = {"errors", "size", "depth"}


def check_covered(problem: Problem) -> None:
    """Raise MethodRefused unless certificates cover a problem.

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    dataset, limits = problem.dataset, problem.limits
    reasons = {
        "it has several trees": problem.n_trees > 1,
        f"it minimizes {problem.minimize!r}": not {*problem.quantities} <= _QUANTITIES,
        "it has a cost_matrix": problem.costs is not None,
        "it has other rules": of_surfaces(problem.rules),
        "it limits the leaves of a class": limits.max_leaves_of is not None,
        "it limits the weight of leaves": bool(limits.min_weight_fraction_leaf),
        "it has constraints or prices of features": problem.constrained,
        "it has both max_errors and a leaf_penalty": bool(
            problem.leaf_penalty and problem.max_errors is not None
        ),
        "its weights are rounded": dataset.weight_rounding > 0,
        "its weights have more than 64 bits": dataset.weight_scale >= 1 << 64,
    }
    found = [reason for reason, holds in reasons.items() if holds]
    if not found and problem.leaf_price.substituted:
        found = ["its leaf_penalty has too many digits"]
    if found:
        raise MethodRefused(f"{_COVERED}; this problem is refused because {found[0]}.")


def certify(
    problem: Problem,
    outcome: Outcome,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: Listener | None = None,
) -> Certificate:
    """Write a certificate: a proof of the outcome's lower bound that `check` verifies.

    The proof is found by a second pass of the search, which takes about as long as the first. If it
    is stopped early, the certificate proves the greatest lower bound that was reached. If no tree
    is within the limits, it proves that.

    Parameters
    ----------
    problem : Problem
        The problem that was solved: one tree that minimizes plain errors, with or without a
        `leaf_penalty`, its size or depth, or a tuple of them, within `max_depth`, `max_size`,
        `max_errors` and `min_samples_leaf`, by thresholds on numbers or by categories.
    outcome : Outcome
        Its outcome; also one that is not proved optimal, or infeasible.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes, as in `solve`.
    n_jobs : int, optional
        Threads, as in `solve`.
    on_progress : callable, optional
        Called with a `Progress` whose lower bound is proved; the proof stops when it returns True.

    Returns
    -------
    Certificate
        The certificate; ``certificate.save(path)`` writes it.

    Raises
    ------
    MethodRefused
        If certificates do not cover the problem; the message says what they cover.
    ValueError, TypeError
        If the outcome is not one of the problem.
    InternalError
        If the lower bound of the outcome is wrong.
    """
    check_problem(problem)
    options = checked_options(time_limit, memory_limit, n_jobs, 0, on_progress)
    check_covered(problem)
    if not isinstance(outcome, Outcome):
        raise TypeError(f"outcome must be an Outcome of solve, got {type(outcome).__name__}.")
    check_belongs(problem, outcome)
    limited = any(limit is not None for limit in (time_limit, memory_limit, on_progress))
    stages = _stages(problem, outcome, gradual=limited)
    dataset = problem.dataset
    table = RankedTable(
        dataset.X, dataset.labels, dataset.weights, dataset.weight_scale, splits_of(problem)
    )

    def report(_: int | None, reached: int, seconds: float) -> object:
        assert on_progress is not None
        bound = in_units(problem, _lower_bound(problem, stages, _by_stage(stages, reached)))
        return on_progress(Progress(outcome.cost, bound, seconds))

    search = SearchOptions(
        time_limit=options["time_limit"],
        memory_limit=options["memory_limit"],
        stop_at_gap=0.0,
        callback=None if on_progress is None else report,
        switches={},
        threads=options["n_jobs"],
    )
    with Interruptible() as call:
        to_prove = [[(step.caps, step.bound) for step in stage] for stage in stages]
        proof = prove_bounds(in_columns(problem, table), search, to_prove)
        if proof is None:
            raise InternalError(
                f"The lower bound {shown_cost(outcome.lower_bound)} of the outcome cannot be "
                "proved. Please report this bug of exactree."
            )
        call.answered = proof.stopped_by == "interrupt"
    bound: Sequence[int] | None = _lower_bound(problem, stages, proof.proved)
    if outcome.status is Status.INFEASIBLE:
        bound = None if proof.proved[0] else [0] * len(problem.quantities)
    # The number of conclusions is that of the quantities.
    missing = 0 if bound is None else len(bound) - len(stages)
    fields = {
        **_table_fields(table),
        **_problem_fields(problem),
        "cost": _numbers(_cost_of(problem, outcome.cost)),
        "lower-bound": _numbers(bound),
        "tree": "none" if outcome.tree is None else tree_text(table, dataset, outcome.tree),
        "sets": proof.sets,
        "claims": proof.claims,
    }
    lines = "".join(f"{name} {value}\n" for name, value in fields.items())
    head = f"exactree-certificate 1\n{lines}body\n".encode()
    return Certificate(head + proof.body + bytes(missing))


def check_belongs(problem: Problem, outcome: Outcome) -> None:
    """Raise ValueError unless an outcome can be one of a problem.

    Parameters
    ----------
    problem : Problem
        The problem.
    outcome : Outcome
        The outcome.
    """
    tree, dataset = outcome.tree, problem.dataset
    if tree is None:
        infeasible = outcome.status is Status.INFEASIBLE
        belongs = len(as_tuple(outcome.lower_bound)) == len(problem.quantities) and not (
            infeasible and problem.max_error_weight is None
        )
    else:
        belongs = (
            tree.n_features == dataset.X.shape[1]
            and tree.classes.tolist() == dataset.classes.tolist()
            and cost_of_found(problem, tree) == outcome.cost
        )
    if not belongs:
        raise ValueError(
            "outcome is not an outcome of this problem: its tree costs something else."
        )


@dataclass(frozen=True)
class _Step:
    """A lower bound on a quantity, and the bound on the cost of all trees that proves it."""

    value: int
    caps: Caps
    bound: int


def _stages(problem: Problem, outcome: Outcome, *, gradual: bool) -> list[list[_Step]]:
    """Return what to prove, by quantity: no tree reaches the bounds before and less than its own.

    If it is to be `gradual`, half of each bound comes first, in case that there is no time for the
    whole; of sizes and depths, whose proofs take several times as long for one more, all after
    half. A problem without solutions has one stage: no tree is within the limits.
    """
    price, limit = problem.leaf_price, problem.max_error_weight
    most = None if limit is None else limit * price.error_price
    caps = Caps(problem.limits.max_depth, problem.max_tree_size, most)
    if outcome.status is Status.INFEASIBLE:
        assert most is not None
        return [[_Step(0, caps, most + 1)]]
    stages = []
    for quantity, bound in zip(
        problem.quantities, _exact_bound(problem, outcome.lower_bound), strict=True
    ):
        steps = []
        half = ceil(bound / 2)
        values = [half, bound] if quantity == "errors" else range(half, bound + 1)
        for value in dict.fromkeys(values if gradual else [bound]):
            within = _tightened(caps, quantity, value - 1)
            if value and within.errors is not None:
                steps.append(_Step(value, within, within.errors + 1))
        stages.append(steps)
        caps = _tightened(caps, quantity, bound)
    return stages


def _tightened(caps: Caps, quantity: str, value: int) -> Caps:
    """Return limits of trees with at most a value of a quantity; `errors` limits their cost."""
    limit = getattr(caps, quantity)
    changed = {quantity: value if limit is None else min(limit, value)}
    return replace(caps, **changed)


def _exact_bound(problem: Problem, bound: Cost) -> list[int]:
    """Return a lower bound in the integers of a certificate, rounded up.

    What comes after a component that is rounded says nothing about the rounded one.
    """
    exact = [Fraction(n) * u for n, u in zip(as_tuple(bound), _units(problem), strict=True)]
    rounded = [index for index, number in enumerate(exact) if number.denominator > 1]
    last = min(rounded, default=len(exact))
    return [ceil(number) if index <= last else 0 for index, number in enumerate(exact)]


def _lower_bound(problem: Problem, stages: list[list[_Step]], proved: Sequence[int]) -> list[int]:
    """Return the lower bound in lexicographic order if some steps of each stage are proved."""
    bound = [0] * len(problem.quantities)
    for index, (stage, done) in enumerate(zip(stages, proved, strict=True)):
        if done:
            bound[index] = stage[done - 1].value
        if problem.quantities[index] == "errors":
            bound[index] = max(bound[index], problem.leaf_price.leaf_price)
        if done < len(stage):
            break
    return bound


def _by_stage(stages: list[list[_Step]], reached: int) -> list[int]:
    """Return how many steps of each stage are proved if so many are in all."""
    done = []
    for stage in stages:
        done.append(min(reached, len(stage)))
        reached -= done[-1]
    return done


def _units(problem: Problem) -> list[int]:
    """Return by what a quantity in the user's unit is multiplied in certificates."""
    unit = problem.leaf_price.error_price * problem.dataset.weight_scale
    return [unit if quantity == "errors" else 1 for quantity in problem.quantities]


def in_units(problem: Problem, numbers: Sequence[int]) -> Cost:
    """Return quantities of a certificate in the user's units.

    Parameters
    ----------
    problem : Problem
        The problem.
    numbers : sequence of int
        A number for each minimized quantity.
    """
    units = _units(problem)
    found = tuple(plain(Fraction(n, unit)) for n, unit in zip(numbers, units, strict=True))
    return found[0] if isinstance(problem.minimize, str) else found


def _cost_of(problem: Problem, cost: Cost | None) -> list[int] | None:
    """Return an exact cost in the integers of a certificate."""
    return None if cost is None else _exact_bound(problem, cost)


def _numbers(numbers: Sequence[int] | None) -> str:
    return "none" if numbers is None else " ".join(map(str, numbers))


def _problem_fields(problem: Problem) -> dict[str, object]:
    """Return the fields of the header that describe the problem."""
    limits = {
        "max-depth": problem.limits.max_depth,
        "max-size": problem.max_tree_size,
        "max-errors": problem.max_error_weight,
    }
    return {
        "error-price": problem.leaf_price.error_price,
        "leaf-price": problem.leaf_price.leaf_price,
        "minimize": " ".join(problem.quantities),
        **{name: "none" if limit is None else limit for name, limit in limits.items()},
        "min-rows": problem.min_rows if problem.min_rows > 1 else 0,
    }


def _table_fields(table: RankedTable) -> dict[str, object]:
    """Return the fields of the header that describe the table."""
    return {
        "table": table.digest(),
        "rows": len(table.weights),
        "features": len(table.features),
        "classes": table.n_classes,
        "splits": table.splits,
        "weight-scale": table.weight_scale,
    }
