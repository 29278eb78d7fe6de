"""Encoding of rules as threshold columns, and decoding of outcomes.

Methods that support only thresholds (the native methods and most methods of the papers) solve every
problem in this encoding. The column of a code is 0 where the rule "x[feature] == code" holds and 1
elsewhere, so its only threshold sends the same rows left as the rule; the column of a surface is
defined in the same way. Features that no split may use have no column. Trees on the columns and
trees of the problem thus correspond node by node, at the same cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import count
from exactree.data.thresholds import threshold_between
from exactree.errors import MethodRefused
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.encoding.surfaces import subsets, surfaces_of, with_margin
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.rules import (
    AxisParallel,
    Column,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    SurfaceColumn,
    SurfaceRule,
    Surfaces,
)
from exactree.rules.dichotomies import no_check
from exactree.rules.family import LEFT, RIGHT
from exactree.rules.surface import Monomial
from exactree.trees import Ensemble, Tree
from exactree.trees.routing import AT_MOST, EQUAL, IN, NONE_MISSING

__all__ = ["MAX_CELLS", "EncodedProblem", "in_columns", "with_columns"]

# The maximum number of entries in the columns of codes, and in those of surfaces: 400 MB, which the
# native search copies once.
MAX_CELLS = 50_000_000


@dataclass(frozen=True)
class EncodedProblem:
    """A problem in columns, with the decoding of its outcomes to the original problem.

    Attributes
    ----------
    original : Problem
        The problem to solve.
    problem : Problem
        The same with thresholds on columns; the original itself if it has only thresholds.
    columns : tuple of Column or SurfaceColumn
        The column behind each feature of `problem`.
    left_out : int
        The number of partitions by a surface for which no rule in floating point was found; no
        tree uses them.
    """

    original: Problem
    problem: Problem
    columns: tuple[Column | SurfaceColumn, ...]
    left_out: int = 0

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the columns of rows of the original table, or of other rows.

        Parameters
        ----------
        X : ndarray of float64
            The features of the rows.
        """
        return X if self.problem is self.original else _values(self.columns, X)

    def lift(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the problem in columns as one of the original problem.

        Parameters
        ----------
        outcome : Outcome
            The outcome of the search in columns, of any status.
        """
        if self.problem is self.original:
            return outcome
        surfaces = sum(isinstance(column, SurfaceColumn) for column in self.columns)
        if surfaces or self.left_out:
            counts = {"surfaces": surfaces, "surfaces_left_out": self.left_out}
            outcome = replace(outcome, stats={**outcome.stats, **counts})
        if outcome.status is Status.INFEASIBLE:
            # Its reason names features of the original table instead of columns.
            original_outcome = infeasible_without_search(self.original)
            if original_outcome is None:
                return outcome
            return replace(outcome, reason=original_outcome.reason)
        trees = [self.lift_tree(tree) for tree in outcome.trees]
        if outcome.ensemble is not None:
            return replace(outcome, ensemble=Ensemble(tuple(trees)))
        return replace(outcome, tree=trees[0] if trees else None)

    def lift_tree(self, tree: Tree) -> Tree:
        """Return a tree for the columns as a tree for the original table.

        Parameters
        ----------
        tree : Tree
            A tree whose thresholds lie between neighbouring values of the columns.
        """
        if self.problem is self.original:
            return tree
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        comparison, missing = tree.comparison.copy(), tree.missing.astype(f"<U{len(RIGHT)}")
        level_sets: list[tuple[int, ...]] = []
        dataset = self.original.dataset
        surfaces: list[SurfaceRule] = []
        for node, subset in subsets(tree, self.problem.dataset.X):
            column = self.columns[tree.feature[node]]
            if isinstance(column, SurfaceColumn):
                rule = with_margin(column.rule, dataset.X[subset])
                feature[node] = dataset.X.shape[1] + len(surfaces)
                threshold[node] = rule.threshold
                surfaces.append(rule)
                continue
            feature[node] = column.feature
            if column.codes is None and not column.missing:
                continue
            goes_left = tree.goes_left(node, self.problem.dataset.X[subset])
            values = dataset.X[subset, column.feature]
            if column.codes is not None and self.original.feature_constraints.directions:
                # Monotone trees are so for all values of the table, in any part of it.
                comparison[node], operand = _on_codes(column.codes)
            else:
                comparison[node], operand, missing[node] = _node_rule(column, values, goes_left)
            if isinstance(operand, tuple):
                threshold[node] = len(level_sets)
                level_sets.append(operand)
            else:
                threshold[node] = operand
        return replace(
            tree,
            feature=feature,
            threshold=threshold,
            comparison=comparison,
            feature_names=dataset.feature_names,
            named=dataset.named,
            surfaces=surfaces_of(surfaces),
            missing=missing,
            levels=dataset.levels,
            level_sets=tuple(level_sets),
            same_in_float32=None,
        )


def _node_rule(
    column: Column, values: NDArray[np.float64], goes_left: NDArray[np.bool_]
) -> tuple[str, float | tuple[int, ...], str]:
    """Return the comparison of a node, its operand, and the child of missing values.

    If several codes of the subset go left, the operand holds these; any other code goes right.

    Parameters
    ----------
    column : Column
        The column that the node splits on.
    values : ndarray of float64
        The values of the column's feature in the node's subset.
    goes_left : ndarray of bool
        Whether each of these values goes left.
    """
    absent = np.isnan(values)
    missing = column.missing if absent.any() else NONE_MISSING
    left, right = values[goes_left & ~absent], values[~goes_left & ~absent]
    if not len(left) or not len(right):
        return AT_MOST, np.inf if len(left) else -np.inf, missing
    if column.codes is None:
        return AT_MOST, float(threshold_between(left.max(), right.min())), missing
    return *_on_codes(tuple(int(code) for code in np.unique(left).tolist())), missing


def _on_codes(codes: tuple[int, ...]) -> tuple[str, float | tuple[int, ...]]:
    """Return the comparison and the operand of a node that sends some codes left."""
    return (EQUAL, codes[0]) if len(codes) == 1 else (IN, codes)


def in_columns(
    problem: Problem, *, opposites: bool = False, check: Callable[[], object] = no_check
) -> EncodedProblem:
    """Encode a problem by thresholds on columns.

    Parameters
    ----------
    problem : Problem
        Any problem.
    opposites : bool
        Whether each of two complementary rules gets a column, such as both codes of a feature with
        two codes, or a surface and its opposite. No cost or limit distinguishes left from right:
        one column is enough to find an optimal tree, but enumerating all optimal trees needs both.
    check : callable
        Called every few milliseconds while surfaces are listed and columns are made; an exception
        from it ends the work.

    Raises
    ------
    MethodRefused
        If the columns would take too much memory.
    """
    dataset = problem.dataset
    columns, left_out = _columns(problem.rules, dataset.X, opposites, check)
    if problem.rules == AxisParallel():
        return EncodedProblem(problem, problem, tuple(columns))
    _refuse_large(problem, columns)
    return _encode(problem, columns, left_out, check)


def with_columns(problem: Problem, columns: Sequence[Column | SurfaceColumn]) -> EncodedProblem:
    """Encode a problem by thresholds on given columns.

    Parameters
    ----------
    problem : Problem
        Any problem.
    columns : sequence of Column or SurfaceColumn
        The columns, such as the columns of the rules of a tree.
    """
    return _encode(problem, columns)


def _encode(
    problem: Problem,
    columns: Sequence[Column | SurfaceColumn],
    left_out: int = 0,
    check: Callable[[], object] = no_check,
) -> EncodedProblem:
    """Encode a problem by thresholds on given columns."""
    dataset = problem.dataset
    names = tuple(
        column.name(dataset.feature_names, dataset.levels)
        if isinstance(column, Column)
        else f"surface {k}"
        for k, column in enumerate(columns)
    )
    X = _values(columns, dataset.X, check)
    encoded = replace(dataset, X=X, feature_names=names, named=True, levels={})
    return EncodedProblem(problem, problem.in_columns(encoded), tuple(columns), left_out)


def _columns(
    family: RuleFamily, X: NDArray[np.float64], opposites: bool, check: Callable[[], object]
) -> tuple[list[Column | SurfaceColumn], int]:
    """Return the columns of a family, and the number of partitions for which no rule was found."""
    if isinstance(family, Mixed):
        found = [_columns(member, X, opposites, check) for member in family.families]
        return [c for columns, _ in found for c in columns], sum(n for _, n in found)
    if isinstance(family, Hypersurfaces):
        surfaces, left_out = family.surfaces(X, check=check)
        check()
        if opposites:
            surfaces = family.with_opposites(surfaces, X)
        return [SurfaceColumn(surface) for surface in surfaces], left_out
    columns = list(family.columns(X))
    return (columns if opposites else _without_opposites(columns)), 0


def _without_opposites(columns: list[Column | SurfaceColumn]) -> list[Column | SurfaceColumn]:
    """Remove each column that is the complement of another column."""
    codes: dict[int, set[int]] = {}
    counts: dict[int, set[int]] = {}
    for column in columns:
        if isinstance(column, Column) and column.codes is not None:
            codes.setdefault(column.feature, set()).update(column.codes)
            counts.setdefault(column.feature, set()).add(len(column.codes))
    kept: dict[Column | SurfaceColumn, None] = {}
    opposite = {LEFT: RIGHT, RIGHT: LEFT, "": ""}
    for column in columns:
        if isinstance(column, Column) and column.codes is not None:
            all_codes = codes[column.feature]
            if len(all_codes) - len(column.codes) not in counts[column.feature]:
                kept[column] = None  # no column has as many codes as its complement
                continue
            others = tuple(sorted(all_codes - set(column.codes)))
            if Column(column.feature, others, opposite[column.missing]) in kept:
                continue
        kept[column] = None
    return list(kept)


def _values(
    columns: Sequence[Column | SurfaceColumn],
    X: NDArray[np.float64],
    check: Callable[[], object] = no_check,
) -> NDArray[np.float64]:
    """Return the values of all columns; surfaces with the same monomials are computed together."""
    values = np.empty((len(X), len(columns)))
    by_monomials: dict[tuple[Monomial, ...], list[int]] = {}
    for index, column in enumerate(columns):
        if isinstance(column, SurfaceColumn):
            by_monomials.setdefault(column.rule.monomials, []).append(index)
        else:
            values[:, index] = column.values(X)
            check()
    for monomials, indices in by_monomials.items():
        rules = [column.rule for column in columns if isinstance(column, SurfaceColumn)]
        rules = [rule for rule in rules if rule.monomials == monomials]
        surfaces = Surfaces(monomials, tuple(rule.weights for rule in rules))
        thresholds = np.array([rule.threshold for rule in rules])
        values[:, indices] = surfaces.values(X) > thresholds
    return values


def _refuse_large(problem: Problem, columns: Sequence[Column | SurfaceColumn]) -> None:
    rows = len(problem.dataset.X)
    surfaces = sum(isinstance(column, SurfaceColumn) for column in columns)
    if rows * surfaces > MAX_CELLS:
        raise MethodRefused(
            f"Every surface takes a column of 0 and 1: {count(rows, 'row')} and {surfaces:,} "
            f"surfaces make {rows * surfaces:,} numbers, more than {MAX_CELLS:,}; take "
            "fewer examples, a lower degree, or fewer features."
        )
    codes = [c.feature for c in columns if isinstance(c, Column) and c.codes is not None]
    cells = rows * len(codes)
    if cells > MAX_CELLS:
        widest = max(set(codes), key=codes.count)
        raise MethodRefused(
            f"Every code of a category takes a column of 0 and 1: {count(rows, 'row')} and "
            f"{len(codes):,} codes, {codes.count(widest):,} of them in column "
            f"{problem.dataset.feature_names[widest]!r}, make {cells:,} numbers, more than "
            f"{MAX_CELLS:,}; merge rare codes, or leave the column out."
        )
