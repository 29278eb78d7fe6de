"""Laws that compare the optima of a problem before and after a change, and their exceptions.

Each law has a change, the comparison of the two costs, and a function `unless`: the reason why the
law does not hold for a problem, or None. For each reason `EXCEPTIONS` has a problem that breaks the
law.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from exactree import Limits, Outcome, Problem
from exactree.problem.quantities import as_tuple
from exactree.rules import AxisParallel


@dataclass(frozen=True)
class ProblemArguments:
    """The arguments of a `Problem`, on which changes operate."""

    rows: tuple[tuple[int, ...], ...]
    labels: tuple[Hashable, ...]
    weights: tuple[int, ...]
    minimize: str | tuple[str, ...] = "errors"
    n_trees: int = 1
    leaf_penalty: Fraction = Fraction(0)
    limits: dict[str, Any] = field(default_factory=dict)
    categories: tuple[int, ...] = ()
    features: tuple[int, ...] | None = None

    def problem(self) -> Problem:
        return Problem(
            self.rows,
            self.labels,
            self.weights,
            minimize=self.minimize,
            n_trees=self.n_trees,
            leaf_penalty=self.leaf_penalty,
            rules=AxisParallel(self.features),
            categories=self.categories,
            limits=Limits(**self.limits),
        )

    @property
    def counts_rows(self) -> bool:
        return "min_samples_leaf" in self.limits

    @property
    def limits_majorities(self) -> bool:
        """Whether the leaves of a class are limited, and leaves may have errors."""
        return "max_leaves_of" in self.limits and self.problem().max_error_weight != 0

    def with_rows(self, chosen: list[int]) -> "ProblemArguments":
        """Return the problem with these rows, in this order."""
        return replace(
            self,
            rows=tuple(self.rows[row] for row in chosen),
            labels=tuple(self.labels[row] for row in chosen),
            weights=tuple(self.weights[row] for row in chosen),
        )


Pair = tuple[ProblemArguments, ProblemArguments]


def a_feature_more(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    added = rng.integers(0, 3, len(arguments.rows)).tolist()
    rows = zip(arguments.rows, added, strict=True)
    return arguments, replace(arguments, rows=tuple((*row, value) for row, value in rows))


def a_finer_feature(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    """Each value of one feature becomes two neighbouring values; all old thresholds remain."""
    f, added = (
        int(rng.integers(len(arguments.rows[0]))),
        rng.integers(0, 2, len(arguments.rows)).tolist(),
    )
    finer = (
        tuple(2 * x + upper if k == f else x for k, x in enumerate(row))
        for row, upper in zip(arguments.rows, added, strict=True)
    )
    return arguments, replace(arguments, rows=tuple(finer))


def an_example_fewer(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    lost = int(rng.integers(len(arguments.rows)))
    return arguments, arguments.with_rows(
        [row for row in range(len(arguments.rows)) if row != lost]
    )


def rows_in_another_order(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    return arguments, arguments.with_rows(rng.permutation(len(arguments.rows)).tolist())


def columns_in_another_order(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    order = rng.permutation(len(arguments.rows[0])).tolist()
    features = (
        None if arguments.features is None else tuple(order.index(f) for f in arguments.features)
    )
    return arguments, replace(
        arguments,
        rows=tuple(tuple(row[k] for k in order) for row in arguments.rows),
        categories=tuple(order.index(f) for f in arguments.categories),
        features=features,
    )


def codes_in_another_order(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    """Codes are replaced by other codes, one to one."""
    new = rng.permutation(np.arange(-10, 10)).tolist()
    rows = (
        tuple(new[x] if f in arguments.categories else x for f, x in enumerate(row))
        for row in arguments.rows
    )
    return arguments, replace(arguments, rows=tuple(rows))


def numbers_for_two_codes(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    """Before: features of at most two values are categories; after: they are numbers."""
    columns = list(zip(*arguments.rows, strict=True))
    two = {f for f, column in enumerate(columns) if len(set(column)) <= 2}
    before, after = {*arguments.categories, *two}, {*arguments.categories} - two
    return (
        replace(arguments, categories=tuple(sorted(before))),
        replace(arguments, categories=tuple(sorted(after))),
    )


def all_features_for_some(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    """Before: rules on some features; after: rules on all features."""
    chosen = rng.permutation(len(arguments.rows[0]))[: rng.integers(1, len(arguments.rows[0]) + 1)]
    return replace(arguments, features=tuple(chosen.tolist())), replace(arguments, features=None)


def classes_in_another_order(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    names = sorted(set(arguments.labels), key=str)
    new = dict(zip(names, [names[k] for k in rng.permutation(len(names))], strict=True))
    limits = dict(arguments.limits)
    if "max_leaves_of" in limits:
        limits["max_leaves_of"] = {new[y]: n for y, n in limits["max_leaves_of"].items()}
    return arguments, replace(
        arguments, labels=tuple(new[y] for y in arguments.labels), limits=limits
    )


def a_duplicate_for_weight_two(arguments: ProblemArguments, rng: np.random.Generator) -> Pair:
    """Before: a row with twice its weight; after: the row twice."""
    k, n = int(rng.integers(len(arguments.rows))), len(arguments.rows)
    heavy = tuple(2 * w if row == k else w for row, w in enumerate(arguments.weights))
    return replace(arguments, weights=heavy), arguments.with_rows([*range(n), k])


def unless_codes(before: ProblemArguments, after: ProblemArguments) -> str | None:
    finer = [
        f for f in before.categories if [r[f] for r in before.rows] != [r[f] for r in after.rows]
    ]
    return "codes: a code that becomes two codes needs two rules" if finer else None


def never(before: ProblemArguments, after: ProblemArguments) -> str | None:
    return None


def unless_fewer(before: ProblemArguments, after: ProblemArguments) -> str | None:
    if before.counts_rows:
        return "minimum leaf size: a leaf may lose a row it needs"
    if before.limits_majorities:
        return "leaves of a class: a leaf may lose its majority"
    if before.n_trees > 1 and set(before.labels) != set(after.labels):
        return "votes: trees cannot vote for a class without examples"
    return None


def unless_rows_move(before: ProblemArguments, after: ProblemArguments) -> str | None:
    comparable = len({type(y) for y in before.labels}) == 1
    if not comparable and (before.n_trees > 1 or before.limits_majorities):
        return "labels that cannot be compared: their order of appearance breaks ties"
    return None


def unless_classes_move(before: ProblemArguments, after: ProblemArguments) -> str | None:
    if before.n_trees > 1 and (before.n_trees % 2 == 0 or len(set(before.labels)) > 2):
        return "votes: ties elect the earlier class"
    if before.limits_majorities:
        return "leaves of a class: ties predict the earlier class"
    return None


def unless_doubled(before: ProblemArguments, after: ProblemArguments) -> str | None:
    return "minimum leaf size: rows are counted, not weight" if before.counts_rows else None


@dataclass(frozen=True)
class Law:
    """A change, and whether the cost stays the same or only does not rise, unless for a reason."""

    change: Callable[[ProblemArguments, np.random.Generator], Pair]
    same: bool
    unless: Callable[[ProblemArguments, ProblemArguments], str | None]

    def holds(self, before: Outcome, after: Outcome) -> bool:
        """Return whether two costs obey the law; an infeasible problem costs most."""
        if before.cost is None or after.cost is None:
            return before.cost is after.cost or (not self.same and before.cost is None)
        a, b = as_tuple(before.cost), as_tuple(after.cost)
        return a == b if self.same else b <= a


LAWS = {
    "more rules: a feature": Law(a_feature_more, False, never),
    "more rules: thresholds": Law(a_finer_feature, False, unless_codes),
    "more rules: all features": Law(all_features_for_some, False, never),
    "fewer examples": Law(an_example_fewer, False, unless_fewer),
    "rows": Law(rows_in_another_order, True, unless_rows_move),
    "columns": Law(columns_in_another_order, True, never),
    "classes": Law(classes_in_another_order, True, unless_classes_move),
    "codes": Law(codes_in_another_order, True, never),
    "two codes": Law(numbers_for_two_codes, True, never),
    "duplicate": Law(a_duplicate_for_weight_two, True, unless_doubled),
}


# For every law and reason: a problem and its change that break the law, and the two costs.
_CORNERS = ProblemArguments(
    ((2, 0), (2, 2), (2, 1), (0, 1), (0, 0)), tuple("dabde"), (9, 9, 9, 9, 1)
)
_VOTES = replace(_CORNERS, n_trees=3, limits={"max_depth": 1})
_PAIR = ProblemArguments(
    ((0,), (1,)), ("a", "b"), (1, 1), limits={"max_depth": 0, "max_leaves_of": {"b": 0}}
)
_MIXED = replace(_PAIR, labels=("a", 1), limits={"max_depth": 0, "max_leaves_of": {1: 0}})
_ENDS = ProblemArguments(
    ((0,), (1,), (2,)), ("a", "b", "a"), (1, 1, 1), n_trees=2, limits={"max_depth": 1}
)
_TWO = {"min_samples_leaf": 2}
# Code 0 is class a. After the change codes 0 and 1 are, and no single rule has both on its left.
_CODES = ProblemArguments(
    ((0,), (0,), (1,), (2,)), tuple("aabb"), (1, 1, 1, 1), limits={"max_depth": 1}, categories=(0,)
)
EXCEPTIONS = {
    ("more rules: thresholds", "codes: a code that becomes two codes needs two rules"): (
        _CODES,
        replace(_CODES, rows=((0,), (1,), (2,), (4,))),
        (0, 1),
    ),
    ("fewer examples", "minimum leaf size: a leaf may lose a row it needs"): (
        ProblemArguments(((0,), (1,)), ("a", "a"), (1, 1), limits=_TWO),
        ProblemArguments(((0,),), ("a",), (1,), limits=_TWO),
        (0, None),
    ),
    ("fewer examples", "leaves of a class: a leaf may lose its majority"): (
        _PAIR,
        _PAIR.with_rows([1]),
        (1, None),
    ),
    # One tree voted for the removed class, so that the two other trees decided.
    ("fewer examples", "votes: trees cannot vote for a class without examples"): (
        _VOTES,
        _VOTES.with_rows([0, 1, 2, 3]),
        (1, 9),
    ),
    ("rows", "labels that cannot be compared: their order of appearance breaks ties"): (
        _MIXED,
        _MIXED.with_rows([1, 0]),
        (1, None),
    ),
    ("classes", "votes: ties elect the earlier class"): (
        _ENDS,
        replace(_ENDS, labels=("b", "a", "b")),
        (0, 1),
    ),
    ("classes", "leaves of a class: ties predict the earlier class"): (
        _PAIR,
        replace(_PAIR, labels=("b", "a"), limits={"max_depth": 0, "max_leaves_of": {"a": 0}}),
        (1, None),
    ),
    ("duplicate", "minimum leaf size: rows are counted, not weight"): (
        ProblemArguments(((0,), (0,), (1,)), ("a", "a", "b"), (1, 1, 2), limits=_TWO),
        ProblemArguments(((0,), (0,), (1,), (1,)), ("a", "a", "b", "b"), (1, 1, 1, 1), limits=_TWO),
        (2, 0),
    ),
}
