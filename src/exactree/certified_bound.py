"""`certify`: write a certificate for the outcome of a search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from exactree.certificates import Certificate
from exactree.certificates.columns import in_columns, splits_of, tree_text
from exactree.certificates.format import NO_LIMIT
from exactree.certificates.table import RankedTable
from exactree.engine.native import prove_bounds
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.settings import MatrixCosts, PlainCosts
from exactree.engine.single_objective.class_units import class_units
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
    "Certificates are for one tree that minimizes errors, with or without a cost_matrix or a "
    "leaf_penalty, the balanced error, its size or depth, or a tuple of them, within max_depth, "
    "max_size, max_errors and min_samples_leaf, by splits of single features"
)

_COSTS = {"errors", "balanced_error"}


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
        f"it minimizes {problem.minimize!r}": not {*problem.quantities}
        <= _COSTS | {"size", "depth"},
        "it has other rules": of_surfaces(problem.rules),
        "it limits the leaves of a class": limits.max_leaves_of is not None,
        "it limits the weight of leaves": bool(limits.min_weight_fraction_leaf),
        "it has constraints or prices of features": problem.constrained,
        "it has both max_errors and other costs than plain errors": (
            problem.max_errors is not None
            and not (problem.plain_errors and not problem.leaf_penalty)
        ),
        "its weights are rounded": dataset.weight_rounding > 0,
        "its weights have more than 64 bits": dataset.weight_scale >= 1 << 64,
    }
    found = [reason for reason, holds in reasons.items() if holds]
    if not found and _CertifiedCosts.of(problem) is None:
        found = ["its costs or its leaf_penalty have too many digits"]
    if found:
        raise MethodRefused(f"{_COVERED}; this problem is refused because {found[0]}.")


@dataclass(frozen=True)
class _CertifiedCosts:
    """The costs of errors in the integers of a certificate, and their scale."""

    native: PlainCosts | MatrixCosts
    scale: int

    @classmethod
    def of(cls, problem: Problem) -> "_CertifiedCosts | None":
        """Return the costs of a problem, None if they have too many digits."""
        if problem.plain_errors:
            price = problem.leaf_price
            native: PlainCosts | MatrixCosts = PlainCosts(
                error_price=price.error_price, leaf_price=price.leaf_price
            )
            return None if price.substituted else cls(native, price.error_price)
        units = class_units(problem)
        if units is None or units.price is None or not units.exact:
            return None
        assert isinstance(units.by_class, MatrixCosts)
        scale = units.price.error_price * units.scale
        return cls(units.by_class, scale) if scale < NO_LIMIT else None

    @property
    def leaf_price(self) -> int:
        """The price of a leaf."""
        return self.native.leaf_price

    def by_class(self, labels: Sequence[int]) -> str:
        """Return the costs as the header states them.

        Parameters
        ----------
        labels : sequence of int
            The classes of the problem that its examples have, by first appearance.
        """
        if isinstance(self.native, PlainCosts):
            return "none"
        costs = self.native.by_class
        predictions = [*labels, *(c for c in range(len(costs)) if c not in labels)]
        return " ".join(str(costs[true][predicted]) for true in labels for predicted in predictions)


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
        The problem that was solved: one tree that minimizes errors, with or without a
        `cost_matrix` or a `leaf_penalty`, the balanced error, its size or depth, or a tuple of
        them, within `max_depth`, `max_size`, `max_errors` and `min_samples_leaf`, by thresholds on
        numbers or by categories.
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
    costs = _CertifiedCosts.of(problem)
    assert costs is not None
    stages = _stages(problem, costs, outcome, gradual=limited)
    dataset = problem.dataset
    table = RankedTable(
        dataset.X, dataset.labels, dataset.weights, dataset.weight_scale, splits_of(problem)
    )

    def report(_: int | None, reached: int, seconds: float) -> object:
        assert on_progress is not None
        bound = _lower_bound(problem, costs, stages, _by_stage(stages, reached))
        return on_progress(Progress(outcome.cost, _in_units(problem, costs, bound), seconds))

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
        proof = prove_bounds(in_columns(problem, table), costs.native, search, to_prove)
        if proof is None:
            raise InternalError(
                f"The lower bound {shown_cost(outcome.lower_bound)} of the outcome cannot be "
                "proved. Please report this bug of exactree."
            )
        call.answered = proof.stopped_by == "interrupt"
    bound: Sequence[int] | None = _lower_bound(problem, costs, stages, proof.proved)
    if outcome.status is Status.INFEASIBLE:
        bound = None if proof.proved[0] else [0] * len(problem.quantities)
    # The number of conclusions is that of the quantities.
    missing = 0 if bound is None else len(bound) - len(stages)
    fields = {
        **_table_fields(table),
        **_problem_fields(problem, costs),
        "cost": _numbers(_cost_of(problem, costs, outcome.cost)),
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


def _stages(
    problem: Problem, costs: _CertifiedCosts, outcome: Outcome, *, gradual: bool
) -> list[list[_Step]]:
    """Return what to prove, by quantity: no tree reaches the bounds before and less than its own.

    If it is to be `gradual`, half of each bound comes first, in case that there is no time for the
    whole; of sizes and depths, whose proofs take several times as long for one more, all after
    half. A problem without solutions has one stage: no tree is within the limits.
    """
    limit = problem.max_error_weight
    most = None if limit is None else limit * costs.scale
    caps = Caps(problem.limits.max_depth, problem.max_tree_size, most)
    if outcome.status is Status.INFEASIBLE:
        assert most is not None
        return [[_Step(0, caps, most + 1)]]
    stages = []
    for quantity, bound in zip(
        _quantities(problem), _exact_bound(problem, costs, outcome.lower_bound), strict=True
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


def _quantities(problem: Problem) -> list[str]:
    """Return the minimized quantities as certificates name them: errors of any cost are errors."""
    return ["errors" if name in _COSTS else name for name in problem.quantities]


def _exact_bound(problem: Problem, costs: _CertifiedCosts, bound: Cost) -> list[int]:
    """Return a lower bound in the integers of a certificate, rounded up.

    What comes after a component that is rounded says nothing about the rounded one.
    """
    exact = [Fraction(n) * u for n, u in zip(as_tuple(bound), _units(problem, costs), strict=True)]
    rounded = [index for index, number in enumerate(exact) if number.denominator > 1]
    last = min(rounded, default=len(exact))
    return [ceil(number) if index <= last else 0 for index, number in enumerate(exact)]


def _lower_bound(
    problem: Problem, costs: _CertifiedCosts, stages: list[list[_Step]], proved: Sequence[int]
) -> list[int]:
    """Return the lower bound in lexicographic order if some steps of each stage are proved."""
    quantities = _quantities(problem)
    bound = [0] * len(quantities)
    for index, (stage, done) in enumerate(zip(stages, proved, strict=True)):
        if done:
            bound[index] = stage[done - 1].value
        if quantities[index] == "errors":
            bound[index] = max(bound[index], costs.leaf_price)
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


def _units(problem: Problem, costs: _CertifiedCosts) -> list[int]:
    """Return by what a quantity in the user's unit is multiplied in certificates."""
    unit = costs.scale * problem.dataset.weight_scale
    return [unit if quantity == "errors" else 1 for quantity in _quantities(problem)]


def _in_units(problem: Problem, costs: _CertifiedCosts, numbers: Sequence[int]) -> Cost:
    """Return quantities of a certificate in the user's units."""
    units = _units(problem, costs)
    found = tuple(plain(Fraction(n, unit)) for n, unit in zip(numbers, units, strict=True))
    return found[0] if isinstance(problem.minimize, str) else found


def _cost_of(problem: Problem, costs: _CertifiedCosts, cost: Cost | None) -> list[int] | None:
    """Return an exact cost in the integers of a certificate."""
    return None if cost is None else _exact_bound(problem, costs, cost)


def _numbers(numbers: Sequence[int] | None) -> str:
    return "none" if numbers is None else " ".join(map(str, numbers))


def _problem_fields(problem: Problem, costs: _CertifiedCosts) -> dict[str, object]:
    """Return the fields of the header that describe the problem."""
    limits = {
        "max-depth": problem.limits.max_depth,
        "max-size": problem.max_tree_size,
        "max-errors": problem.max_error_weight,
    }
    return {
        "error-price": costs.scale,
        "leaf-price": costs.leaf_price,
        "class-costs": costs.by_class([*dict.fromkeys(problem.dataset.labels.tolist())]),
        "minimize": " ".join(_quantities(problem)),
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
