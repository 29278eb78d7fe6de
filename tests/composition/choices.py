"""Everything that a problem is made of: spaces, costs, and limits and constraints, as parameters.

A choice has the parameters of `Problem` for a small random table. A test checks that the choices
name every rule family, quantity, limit and constraint of the package.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from exactree import Constraints, Limits, Problem, rules
from exactree.objectives import ENSEMBLE_OBJECTIVES, OBJECTIVES, RATES, REGRESSION_TERMS
from exactree.rules.surface import SurfaceRule

__all__ = [
    "CONSTRAINTS", "COSTS", "OF_ENSEMBLES", "SPACES", "TUPLES", "Choice", "LargerTables",
    "problem_of",
]  # fmt: skip


class LargerTables(Random):
    """A generator for which the choices draw tables of 9 rows instead of 5."""


def _rows(random: Random) -> int:
    return 9 if isinstance(random, LargerTables) else 5


@dataclass(frozen=True)
class Choice:
    """A space, a cost, or a limit or constraint.

    Attributes
    ----------
    name : str
        The name in the table.
    parameters : callable
        Returns the parameters of `Problem` for a generator of random numbers.
    covers : tuple of str
        The quantities, parameters, limits and constraints of the package that it has.
    """

    name: str
    parameters: Callable[[Random], dict[str, Any]]
    covers: tuple[str, ...] = ()


def problem_of(random: Random, *choices: Choice) -> Problem:
    """Return the problem of a space, a cost and other choices, on a random table.

    Parameters
    ----------
    random : Random
        The source of the table.
    *choices : Choice
        The space comes first, then the cost. Limits add up.
    """
    parameters: dict[str, Any] = {}
    limits: dict[str, Any] = {"max_depth": 2}
    for choice in choices:
        more = choice.parameters(random)
        limits |= more.pop("limits", {})
        parameters |= more
    return Problem(**parameters, limits=Limits(**limits))


def _numbers(random: Random, features: int = 2) -> np.ndarray:
    rows, values = _rows(random), 5 if isinstance(random, LargerTables) else 3
    return np.array(
        [[random.randrange(values) for _ in range(features)] for _ in range(rows)], float
    )


def _with_missing(random: Random) -> dict[str, Any]:
    X = _numbers(random)
    X[random.randrange(len(X)), 0] = np.nan
    return {"X": X}


def _fixed(random: Random) -> dict[str, Any]:
    """Return three lines as rules."""
    monomials = ((1, 0), (0, 1))
    weights = [tuple(random.choice([-1.0, 1.0, 2.0]) for _ in range(2)) for _ in range(3)]
    lines = [SurfaceRule(monomials, each, random.choice([0.5, 1.5])) for each in weights]
    return {"X": _numbers(random), "rules": rules.FixedRules(lines)}


def _space(name: str, family: rules.RuleFamily | None = None, **more: Any) -> Choice:
    width = more.pop("features", 2)

    def parameters(random: Random) -> dict[str, Any]:
        return {"X": _numbers(random, width), "rules": family, **more}

    return Choice(name, parameters)


SPACES = [
    _space("thresholds"),
    _space("thresholds on some features", rules.AxisParallel(features=(0, 1)), features=3),
    Choice("thresholds with missing values", _with_missing),
    _space("equality of codes", categories=[0]),
    _space("sets of levels", rules.AxisParallel(level_sets=True), categories=[0]),
    _space("hyperplanes", rules.Hyperplanes()),
    _space("hypersurfaces", rules.Hypersurfaces(2, features=(0,))),
    Choice("given surfaces", _fixed),
    _space("a mixture", rules.Mixed((rules.AxisParallel(features=(0,)), rules.Hyperplanes()))),
]


def _labels(random: Random, classes: int) -> list[int]:
    """Return labels in which exactly this number of classes occurs."""
    rest = range(_rows(random) - classes)
    return [*range(classes), *(random.randrange(classes) for _ in rest)]


def _cost(name: str, minimize: Any, classes: int = 2, **more: Any) -> Choice:
    names = minimize if isinstance(minimize, tuple) else (minimize,)

    def parameters(random: Random) -> dict[str, Any]:
        y: list[Any] = _labels(random, classes)
        if set(names) & set(REGRESSION_TERMS):
            y = [random.choice([0, 1, 2, 5]) for _ in range(_rows(random))]
        return {"y": y, "minimize": minimize, **more}

    return Choice(name, parameters, names)


_TWO: dict[Any, Any] = {0: {1: 3}, 1: {0: Fraction(1, 2)}}
_THREE: dict[Any, Any] = {0: {1: 3, 2: 1}, 1: {0: 2}, 2: {0: Fraction(1, 3)}}
_MATRICES = [
    ("a `cost_matrix` of two classes", _TWO, 2),
    ("a `cost_matrix` of three classes", _THREE, 3),
]

# One quantity of one tree.
COSTS = [
    *(_cost(f"`{name}`", name) for name in (*OBJECTIVES, *RATES)),
    *(_cost(name, "errors", classes, cost_matrix=costs) for name, costs, classes in _MATRICES),
    _cost("`log_loss` with `smoothing`", "log_loss", smoothing="laplace"),
]
# Several quantities of one tree; every kind of errors is the first of a pair, and the second of
# another.
_KINDS = [cost for cost in COSTS if cost.covers[0] not in ("size", "depth")]


def _pair(cost: Choice, names: tuple[str, ...]) -> Choice:
    """Return a choice like that of one quantity, for a tuple of names; "{}" is the quantity."""
    listed = ", ".join(cost.name if name == "{}" else f"`{name}`" for name in names)
    minimize = tuple(name.format(cost.covers[0]) for name in names)
    return Choice(
        f"({listed})", lambda random: cost.parameters(random) | {"minimize": minimize}, minimize
    )


TUPLES = [
    *(_pair(cost, ("{}", "size")) for cost in _KINDS),
    *(_pair(cost, ("depth", "{}")) for cost in _KINDS),
    _cost("(`size`, `depth`)", ("size", "depth")),
    _cost("(`depth`, `size`, `errors`)", ("depth", "size", "errors")),
]
# Ensembles of two trees.
OF_ENSEMBLES = [
    *(
        _cost(f"`{name}` of two trees", name, n_trees=2)
        for name in ("errors", *ENSEMBLE_OBJECTIVES, *RATES)
    ),
    _cost("(`errors`, `total_size`) of two trees", ("errors", "total_size"), n_trees=2),
]


def _limit(*names: str, **limits: Any) -> Choice:
    listed = ", ".join(f"`{name}`" for name in names)
    return Choice(listed, lambda _: {"limits": dict(limits)}, names)


def _constraint(name: str, *covers: str, limits: Any = None, **parameters: Any) -> Choice:
    return Choice(name, lambda _: {**parameters, "limits": dict(limits or {})}, covers)


def _unequal_weights(random: Random) -> dict[str, Any]:
    weights = [1, 2, *(random.randint(1, 3) for _ in range(_rows(random) - 2))]
    return {"sample_weight": weights, "limits": {"min_weight_fraction_leaf": 0.3}}


CONSTRAINTS = [
    Choice("none", lambda _: {}),
    _limit("max_depth", max_depth=1),
    _limit("max_size", max_size=2),
    _limit("max_errors", max_errors=1),
    _limit("min_samples_leaf", min_samples_leaf=2),
    _limit("min_weight_fraction_leaf", min_weight_fraction_leaf=0.3),
    Choice("`min_weight_fraction_leaf`, rows of different weight", _unequal_weights),
    _limit("max_total_size", max_total_size=1),
    _constraint("`max_leaves_of` a class", "max_leaves_of", limits={"max_leaves_of": {0: 1}}),
    _constraint("`max_leaves_of` any class", "max_leaves_of", limits={"max_leaves_of": 1}),
    _limit("min_precision", min_precision=Fraction(2, 3)),
    _limit("min_recall", min_recall=Fraction(1, 2)),
    _constraint("`leaf_penalty`", "leaf_penalty", leaf_penalty=Fraction(1, 20)),
    _constraint(
        "`leaf_penalty` and `max_errors`", leaf_penalty=Fraction(1, 20), limits={"max_errors": 1}
    ),
    _constraint("`feature_penalty`", "feature_penalty", feature_penalty={0: Fraction(1, 10)}),
    _constraint(
        "`feature_penalty` and `max_errors`",
        feature_penalty={0: Fraction(1, 10)},
        limits={"max_errors": 1},
    ),
    _constraint("`monotonic_cst`", "monotonic_cst", monotonic_cst={1: 1}),
    _constraint(
        "`monotonic_cst` in the prediction",
        "monotonic_in",
        monotonic_cst={1: 1},
        constraints=Constraints(monotonic_in="prediction"),
    ),
    _constraint("`required`", "required", constraints=Constraints(required=[1])),
    _constraint("`only_below`", "only_below", constraints=Constraints(only_below={1: 0})),
    _constraint("`max_features`", "max_features", constraints=Constraints(max_features=1)),
]
