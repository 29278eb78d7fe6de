"""Laws on the change of an optimum with its problem, and their exceptions.

A law changes a problem and says how the costs compare. `unless` gives the reason why a law does
not hold for a problem, or None; for each reason `EXCEPTIONS` has a problem that breaks the law.
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
    """A problem as a user states it."""

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
        """Whether classes of leaves are limited whose parts are not of one class."""
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


def a_feature_more(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    added = rng.integers(0, 3, len(asked.rows)).tolist()
    rows = zip(asked.rows, added, strict=True)
    return asked, replace(asked, rows=tuple((*row, value) for row, value in rows))


def a_finer_feature(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    """Equal values of one feature become two, with all thresholds between others kept."""
    f, added = int(rng.integers(len(asked.rows[0]))), rng.integers(0, 2, len(asked.rows)).tolist()
    finer = (
        tuple(2 * x + more if k == f else x for k, x in enumerate(row))
        for row, more in zip(asked.rows, added, strict=True)
    )
    return asked, replace(asked, rows=tuple(finer))


def an_example_fewer(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    lost = int(rng.integers(len(asked.rows)))
    return asked, asked.with_rows([row for row in range(len(asked.rows)) if row != lost])


def rows_in_another_order(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    return asked, asked.with_rows(rng.permutation(len(asked.rows)).tolist())


def columns_in_another_order(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    order = rng.permutation(len(asked.rows[0])).tolist()
    features = None if asked.features is None else tuple(order.index(f) for f in asked.features)
    return asked, replace(
        asked,
        rows=tuple(tuple(row[k] for k in order) for row in asked.rows),
        categories=tuple(order.index(f) for f in asked.categories),
        features=features,
    )


def codes_in_another_order(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    """Every code of every category becomes another one."""
    new = rng.permutation(np.arange(-10, 10)).tolist()
    rows = (
        tuple(new[x] if f in asked.categories else x for f, x in enumerate(row))
        for row in asked.rows
    )
    return asked, replace(asked, rows=tuple(rows))


def numbers_for_two_codes(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: features of at most two values as categories, too; after: as numbers."""
    columns = list(zip(*asked.rows, strict=True))
    two = {f for f, column in enumerate(columns) if len(set(column)) <= 2}
    before, after = {*asked.categories, *two}, {*asked.categories} - two
    return (
        replace(asked, categories=tuple(sorted(before))),
        replace(asked, categories=tuple(sorted(after))),
    )


def all_features_for_some(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: rules on some features; after: on all of them."""
    chosen = rng.permutation(len(asked.rows[0]))[: rng.integers(1, len(asked.rows[0]) + 1)]
    return replace(asked, features=tuple(chosen.tolist())), replace(asked, features=None)


def classes_in_another_order(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    names = sorted(set(asked.labels), key=str)
    new = dict(zip(names, [names[k] for k in rng.permutation(len(names))], strict=True))
    limits = dict(asked.limits)
    if "max_leaves_of" in limits:
        limits["max_leaves_of"] = {new[y]: most for y, most in limits["max_leaves_of"].items()}
    return asked, replace(asked, labels=tuple(new[y] for y in asked.labels), limits=limits)


def a_duplicate_for_weight_two(asked: StatedProblem, rng: np.random.Generator) -> Pair:
    """Before: a row with twice its weight; after: the row twice."""
    k, n = int(rng.integers(len(asked.rows))), len(asked.rows)
    heavy = tuple(2 * w if row == k else w for row, w in enumerate(asked.weights))
    return replace(asked, weights=heavy), asked.with_rows([*range(n), k])


def unless_codes(before: StatedProblem, after: StatedProblem) -> str | None:
    finer = [
        f for f in before.categories if [r[f] for r in before.rows] != [r[f] for r in after.rows]
    ]
    return "codes: what one rule held together takes two" if finer else None


def never(before: StatedProblem, after: StatedProblem) -> str | None:
    return None


def unless_fewer(before: StatedProblem, after: StatedProblem) -> str | None:
    if before.counts_rows:
        return "minimum leaves: a leaf may lose a row it needs"
    if before.limits_majorities:
        return "leaves of a class: a leaf may lose its majority"
    if before.n_trees > 1 and set(before.labels) != set(after.labels):
        return "votes: a class that is gone cannot be voted for"
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
    return "minimum leaves: rows are counted, not weight" if before.counts_rows else None


@dataclass(frozen=True)
class Law:
    """A change, whether the cost stays or only does not rise, and where that fails."""

    change: Callable[[StatedProblem, np.random.Generator], Pair]
    same: bool
    unless: Callable[[StatedProblem, StatedProblem], str | None]

    def holds(self, before: Outcome, after: Outcome) -> bool:
        """Compare two costs; nothing costs more than a problem that nothing solves."""
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


# For every reason, a problem and its change that break the law, and both costs.
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
# Code 0 stands for class a; finer codes 0 and 1 do, and one node cannot ask for both.
_CODES = StatedProblem(
    ((0,), (0,), (1,), (2,)), tuple("aabb"), (1, 1, 1, 1), limits={"max_depth": 1}, categories=(0,)
)
EXCEPTIONS = {
    ("more rules: thresholds", "codes: what one rule held together takes two"): (
        _CODES,
        replace(_CODES, rows=((0,), (1,), (2,), (4,))),
        (0, 1),
    ),
    ("fewer examples", "minimum leaves: a leaf may lose a row it needs"): (
        StatedProblem(((0,), (1,)), ("a", "a"), (1, 1), limits=_TWO),
        StatedProblem(((0,),), ("a",), (1,), limits=_TWO),
        (0, None),
    ),
    ("fewer examples", "leaves of a class: a leaf may lose its majority"): (
        _PAIR,
        _PAIR.with_rows([1]),
        (1, None),
    ),
    # The gone class was voted for to leave the decision to the two other trees.
    ("fewer examples", "votes: a class that is gone cannot be voted for"): (
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
    ("duplicate", "minimum leaves: rows are counted, not weight"): (
        StatedProblem(((0,), (0,), (1,)), ("a", "a", "b"), (1, 1, 2), limits=_TWO),
        StatedProblem(((0,), (0,), (1,), (1,)), ("a", "a", "b", "b"), (1, 1, 1, 1), limits=_TWO),
        (2, 0),
    ),
}
