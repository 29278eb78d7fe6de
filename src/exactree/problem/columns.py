"""A problem whose rules are thresholds only, with one column for every code, and answers back.

Methods that know thresholds only (the papers' and the native ones) solve every problem this way.
The column of a code is 0 where the rule "x[feature] == code" holds and 1 elsewhere, so its one
threshold sends left what the rule sends left; features that no rule may ask have no column. Trees
for the columns and trees for the problem thus correspond node by node, at the same cost.
"""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from exactree.data.features import count
from exactree.errors import MethodRefused
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.problem.reasons import infeasible_at_once
from exactree.rules import AxisParallel, Column
from exactree.trees import Ensemble, Tree
from exactree.trees.shape import EQUAL

__all__ = ["MOST_CELLS", "InColumns", "in_columns"]

# Numbers in the columns of codes: 400 MB, and the native search copies them once.
MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class InColumns:
    """A problem in columns, and how its answers become answers to the original one.

    Attributes
    ----------
    original : Problem
        What is asked.
    problem : Problem
        The same with thresholds on columns; the original itself where that is what it has.
    columns : tuple of Column
        What each feature of `problem` stands for.
    """

    original: Problem
    problem: Problem
    columns: tuple[Column, ...]

    def lift(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the problem in columns as one of the original problem.

        Parameters
        ----------
        outcome : Outcome
            However the search ended.
        """
        if self.problem is self.original:
            return outcome
        if outcome.status is Status.INFEASIBLE:
            at_once = infeasible_at_once(self.original)  # tells which features rules may ask
            return outcome if at_once is None else replace(outcome, reason=at_once.reason)
        trees = [self.lift_tree(tree) for tree in outcome.trees]
        if outcome.ensemble is not None:
            return replace(outcome, ensemble=Ensemble(tuple(trees)))
        return replace(outcome, tree=trees[0] if trees else None)

    def lift_tree(self, tree: Tree) -> Tree:
        """Return a tree for the columns as a tree for the original table.

        Parameters
        ----------
        tree : Tree
            Its thresholds lie between neighbouring values of the columns.
        """
        if self.problem is self.original:
            return tree
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        comparison = tree.comparison.copy()
        for node in np.flatnonzero(tree.children_left >= 0).tolist():
            column = self.columns[tree.feature[node]]
            feature[node] = column.feature
            if column.code is not None:
                threshold[node], comparison[node] = column.code, EQUAL
        dataset = self.original.dataset
        return replace(
            tree,
            feature=feature,
            threshold=threshold,
            comparison=comparison,
            feature_names=dataset.feature_names,
            named=dataset.named,
        )


def in_columns(problem: Problem, *, opposites: bool = False) -> InColumns:
    """State a problem by thresholds on columns.

    Parameters
    ----------
    problem : Problem
        Any problem.
    opposites : bool
        Whether a feature with two codes gets a column for each. Their rules are opposites of each
        other, and no cost or limit knows left from right: one column is enough to find a best
        tree, but to list all best trees takes both.

    Raises
    ------
    MethodRefused
        If the columns would take too much memory.
    """
    dataset = problem.dataset
    columns = problem.rules.columns(dataset.X)
    if problem.rules == AxisParallel():
        return InColumns(problem, problem, tuple(columns))
    if not opposites:
        columns = _without_opposites(columns)
    _refuse_large(problem, columns)
    names = tuple(column.name(dataset.feature_names) for column in columns)
    X = np.empty((len(dataset.X), len(columns)))
    for place, column in enumerate(columns):
        X[:, place] = column.values(dataset.X)
    same_otherwise = copy(problem)
    stated = {
        "dataset": replace(dataset, X=X, feature_names=names, named=True),
        "rules": AxisParallel(),
        "categories": (),
    }
    for name, value in stated.items():
        object.__setattr__(same_otherwise, name, value)
    return InColumns(problem, same_otherwise, tuple(columns))


def _without_opposites(columns: list[Column]) -> list[Column]:
    """Leave out the second of exactly two codes of a feature."""
    codes: dict[int, list[Column]] = {}
    for column in columns:
        if column.code is not None:
            codes.setdefault(column.feature, []).append(column)
    seconds = {pair[1] for pair in codes.values() if len(pair) == 2}
    return [column for column in columns if column not in seconds]


def _refuse_large(problem: Problem, columns: list[Column]) -> None:
    rows = len(problem.dataset.X)
    codes = [column.feature for column in columns if column.code is not None]
    cells = rows * len(codes)
    if cells > MOST_CELLS:
        widest = max(set(codes), key=codes.count)
        raise MethodRefused(
            f"Every code of a category takes a column of 0 and 1: {count(rows, 'row')} and "
            f"{len(codes):,} codes, {codes.count(widest):,} of them in column "
            f"{problem.dataset.feature_names[widest]!r}, make {cells:,} numbers, more than "
            f"{MOST_CELLS:,}; give rare codes one common code, or leave the column out."
        )
