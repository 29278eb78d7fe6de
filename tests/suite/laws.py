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
class StatedProblem:
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

    def with_rows(self, chosen: list[int]) -> "StatedProblem":
        """Return the problem with these rows, in this order."""
        return replace(
            self,
            rows=tuple(self.rows[row] for row in chosen),
            labels=tuple(self.labels[row] for row in chosen),
            weights=tuple(self.weights[row] for row in chosen),
        )


Pair = tuple[StatedProblem, StatedProblem]


def a_feature_more(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    added = rng.integers(0, 3, len(stated.rows)).tolist()
    rows = zip(stated.rows, added, strict=True)
    return stated, replace(stated, rows=tuple((*row, value) for row, value in rows))


def a_finer_feature(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    """Each value of one feature becomes two neighbouring values; all old thresholds remain."""
    f, added = int(rng.integers(len(stated.rows[0]))), rng.integers(0, 2, len(stated.rows)).tolist()
    finer = (
        tuple(2 * x + upper if k == f else x for k, x in enumerate(row))
        for row, upper in zip(stated.rows, added, strict=True)
    )
    return stated, replace(stated, rows=tuple(finer))


def an_example_fewer(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    lost = int(rng.integers(len(stated.rows)))
    return stated, stated.with_rows([row for row in range(len(stated.rows)) if row != lost])


def rows_in_another_order(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    return stated, stated.with_rows(rng.permutation(len(stated.rows)).tolist())


def columns_in_another_order(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    order = rng.permutation(len(stated.rows[0])).tolist()
    features = None if stated.features is None else tuple(order.index(f) for f in stated.features)
    return stated, replace(
        stated,
        rows=tuple(tuple(row[k] for k in order) for row in stated.rows),
        categories=tuple(order.index(f) for f in stated.categories),
        features=features,
    )


def codes_in_another_order(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    """Codes are replaced by other codes, one to one."""
    new = rng.permutation(np.arange(-10, 10)).tolist()
    rows = (
        tuple(new[x] if f in stated.categories else x for f, x in enumerate(row))
        for row in stated.rows
    )
    return stated, replace(stated, rows=tuple(rows))


def numbers_for_two_codes(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: features of at most two values are categories; after: they are numbers."""
    columns = list(zip(*stated.rows, strict=True))
    two = {f for f, column in enumerate(columns) if len(set(column)) <= 2}
    before, after = {*stated.categories, *two}, {*stated.categories} - two
    return (
        replace(stated, categories=tuple(sorted(before))),
        replace(stated, categories=tuple(sorted(after))),
    )


def all_features_for_some(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: rules on some features; after: rules on all features."""
    chosen = rng.permutation(len(stated.rows[0]))[: rng.integers(1, len(stated.rows[0]) + 1)]
    return replace(stated, features=tuple(chosen.tolist())), replace(stated, features=None)


def classes_in_another_order(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    names = sorted(set(stated.labels), key=str)
    new = dict(zip(names, [names[k] for k in rng.permutation(len(names))], strict=True))
    limits = dict(stated.limits)
    if "max_leaves_of" in limits:
        limits["max_leaves_of"] = {new[y]: n for y, n in limits["max_leaves_of"].items()}
    return stated, replace(stated, labels=tuple(new[y] for y in stated.labels), limits=limits)


def a_duplicate_for_weight_two(stated: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: a row with twice its weight; after: the row twice."""
    k, n = int(rng.integers(len(stated.rows))), len(stated.rows)
    heavy = tuple(2 * w if row == k else w for row, w in enumerate(stated.weights))
    return replace(stated, weights=heavy), stated.with_rows([*range(n), k])


def unless_codes(before: StatedProblem, after: StatedProblem) -> str | None:
    finer = [
        f for f in before.categories if [r[f] for r in before.rows] != [r[f] for r in after.rows]
    ]
    return "codes: a code that becomes two codes needs two rules" if finer else None


def never(before: StatedProblem, after: StatedProblem) -> str | None:
    return None


def unless_fewer(before: StatedProblem, after: StatedProblem) -> str | None:
    if before.counts_rows:
        return "minimum leaf size: a leaf may lose a row it needs"
    if before.limits_majorities:
        return "leaves of a class: a leaf may lose its majority"
    if before.n_trees > 1 and set(before.labels) != set(after.labels):
        return "votes: trees cannot vote for a class without examples"
    return None


def unless_rows_move(before: StatedProblem, after: StatedProblem) -> str | None:
    comparable = len({type(y) for y in before.labels}) == 1
    if not comparable and (before.n_trees > 1 or before.limits_majorities):
        return "labels that cannot be compared: their order of appearance breaks ties"
    return None


def unless_classes_move(before: StatedProblem, after: StatedProblem) -> str | None:
    if before.n_trees > 1 and (before.n_trees % 2 == 0 or len(set(before.labels)) > 2):
        return "votes: ties elect the earlier class"
    if before.limits_majorities:
        return "leaves of a class: ties predict the earlier class"
    return None


def unless_doubled(before: StatedProblem, after: StatedProblem) -> str | None:
    return "minimum leaf size: rows are counted, not weight" if before.counts_rows else None


@dataclass(frozen=True)
class Law:
    """A change, and whether the cost stays the same or only does not rise, unless for a reason."""

    change: Callable[[StatedProblem, np.random.Generator], Pair]
    same: bool
    unless: Callable[[StatedProblem, StatedProblem], str | None]

    def holds(self, before: Outcome, after: Outcome) -> bool:
        """Compare two costs; an infeasible problem costs more than every feasible problem."""
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
_CORNERS = StatedProblem(((2, 0), (2, 2), (2, 1), (0, 1), (0, 0)), tuple("dabde"), (9, 9, 9, 9, 1))
_VOTES = replace(_CORNERS, n_trees=3, limits={"max_depth": 1})
_PAIR = StatedProblem(
    ((0,), (1,)), ("a", "b"), (1, 1), limits={"max_depth": 0, "max_leaves_of": {"b": 0}}
)
_MIXED = replace(_PAIR, labels=("a", 1), limits={"max_depth": 0, "max_leaves_of": {1: 0}})
_ENDS = StatedProblem(
    ((0,), (1,), (2,)), ("a", "b", "a"), (1, 1, 1), n_trees=2, limits={"max_depth": 1}
)
_TWO = {"min_samples_leaf": 2}
# Code 0 is class a. After the change codes 0 and 1 are, and no single rule has both on its left.
_CODES = StatedProblem(
    ((0,), (0,), (1,), (2,)), tuple("aabb"), (1, 1, 1, 1), limits={"max_depth": 1}, categories=(0,)
)
EXCEPTIONS = {
    ("more rules: thresholds", "codes: a code that becomes two codes needs two rules"): (
        _CODES,
        replace(_CODES, rows=((0,), (1,), (2,), (4,))),
        (0, 1),
    ),
    ("fewer examples", "minimum leaf size: a leaf may lose a row it needs"): (
        StatedProblem(((0,), (1,)), ("a", "a"), (1, 1), limits=_TWO),
        StatedProblem(((0,),), ("a",), (1,), limits=_TWO),
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
        StatedProblem(((0,), (0,), (1,)), ("a", "a", "b"), (1, 1, 2), limits=_TWO),
        StatedProblem(((0,), (0,), (1,), (1,)), ("a", "a", "b", "b"), (1, 1, 1, 1), limits=_TWO),
        (2, 0),
    ),
}
