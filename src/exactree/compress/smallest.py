"""The smallest tree that predicts the same as an ensemble for every possible row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.compress.cells import Cells, cells_of, places_of
from exactree.compress.examples import counting, read_examples
from exactree.compress.model import InputModel, read_model
from exactree.errors import MethodRefused
from exactree.problem import Outcome, Problem, Progress
from exactree.problem.parameters import whole_number
from exactree.solve import solve
from exactree.stopping import Interruptible
from exactree.trees.routing import AT_MOST, EQUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees import Tree

__all__ = ["smallest_equal_tree"]


def smallest_equal_tree(
    ensemble: Any,
    max_cells: int = 10_000,
    method: str = "auto",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    on_progress: Callable[[Progress], object] | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> Outcome:
    """Return the smallest tree that predicts the same as an ensemble everywhere.

    Everywhere means for every row of finite numbers, not only for the examples that the ensemble
    was fitted to. The tree uses only rules of the ensemble. It is the smallest among all trees that
    predict the same, with any thresholds, and any codes on features where the ensemble uses codes.

    Parameters
    ----------
    ensemble : Ensemble, Tree or estimator
        An ensemble, a tree, a fitted classifier of this package, or one of scikit-learn's:
        `DecisionTreeClassifier`, `RandomForestClassifier`, `ExtraTreesClassifier`,
        `GradientBoostingClassifier`, `HistGradientBoostingClassifier`. For models that round
        features to float32, the tree predicts the same for every number of float64.
    max_cells : int
        Maximum number of cells. The number of cells is the product of the numbers of intervals of
        the used features: a feature with t thresholds has t + 1 intervals, and each code of a
        feature of codes is a further interval.
    method : str
        As in `solve`; "auto" uses "box", which is the fastest method if every cell has an example,
        or the engine if the table is too large for it.
    time_limit, memory_limit, on_progress
        As in `solve`.
    X, y, sample_weight : array-like, optional
        Examples with their labels and weights, which the nodes of the tree count. If some leaf has
        none of them, or without examples, the tree has no counts and no probabilities
        (`counts_rows` is False).

    Returns
    -------
    Outcome
        An outcome whose cost is the size of its tree. If stopped early, it has the smallest tree
        so far, which also predicts the same as the ensemble, and a lower bound on the size.

    Raises
    ------
    TypeError, ValueError
        If the ensemble is not a supported model, or has too many cells, or the examples do not
        fit it.
    """
    max_cells = whole_number("max_cells", max_cells, 1, "an integer >= 1")
    model = read_model(ensemble)
    examples = None if X is None else read_examples(model, X, y, sample_weight)
    cells = cells_of(model, max_cells)
    columns = _columns(cells)
    problem = Problem(_table(cells, columns), cells.labels.ravel(), minimize="size")
    options = {"time_limit": time_limit, "memory_limit": memory_limit, "on_progress": on_progress}
    with Interruptible() as call:
        outcome = _solve(problem, method, options)
        call.answered = outcome.stopped_by == "interrupt"
        stats = {**outcome.stats, "cells": cells.labels.size}
        tree = None if outcome.tree is None else _lifted(outcome.tree, columns, cells, model)
        if tree is not None and examples is not None:
            tree = counting(tree, examples)
        # Of the advice of the search, only this applies to a call without limits.
        advice = tuple(entry for entry in outcome.advice if entry.parameter == "time_limit")
        return replace(outcome, tree=tree, stats=stats, advice=advice)


def _solve(problem: Problem, method: str, options: dict[str, Any]) -> Outcome:
    if method != "auto":
        return solve(problem, method, **options)
    try:
        return solve(problem, "box", **options)
    except MethodRefused:
        return solve(problem, **options)


@dataclass(frozen=True)
class _CellColumn:
    """A column of the table of cells: the interval on an axis, or whether the axis has a code."""

    axis: int
    code: float | None


def _columns(cells: Cells) -> list[_CellColumn]:
    columns = []
    for number, axis in enumerate(cells.axes):
        columns += [_CellColumn(number, None)] if axis.thresholds else []
        columns += [_CellColumn(number, code) for code in axis.codes]
    return columns


def _table(cells: Cells, columns: list[_CellColumn]) -> NDArray[np.float64]:
    """Return the cells as rows of interval indices, and of 0 if an axis has a code, else 1."""
    places = places_of(cells.labels.shape)
    X = np.zeros((cells.labels.size, max(len(columns), 1)))
    for number, column in enumerate(columns):
        axis = cells.axes[column.axis]
        values = np.array(axis.values)
        ranks = np.searchsorted(axis.thresholds, values)
        column_values = ranks if column.code is None else values != column.code
        X[:, number] = column_values[places[column.axis]]
    return X


def _lifted(tree: Tree, columns: list[_CellColumn], cells: Cells, model: InputModel) -> Tree:
    """Translate a tree for the table of cells to the rules of the model."""
    feature, comparison = tree.feature.copy(), tree.comparison.copy()
    threshold = tree.threshold.copy()
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        column = columns[tree.feature[node]]
        axis = cells.axes[column.axis]
        feature[node] = axis.feature
        # A threshold between two interval indices is the upper end of the lower interval.
        rank = int(np.floor(tree.threshold[node]))
        threshold[node] = axis.thresholds[rank] if column.code is None else column.code
        comparison[node] = AT_MOST if column.code is None else EQUAL
    classes = tree.classes.astype(np.int64)  # the classes that the model predicts in some cell
    value = np.zeros((tree.node_count, len(model.classes)))
    value[:, classes] = tree.value
    return replace(
        tree,
        feature=feature,
        comparison=comparison,
        threshold=threshold,
        value=value,
        prediction=classes[tree.prediction],
        classes=model.classes,
        feature_names=model.feature_names,
        named=model.named,
        levels=model.levels,
        same_in_float32=None,  # that of the cells says nothing about rows
        counts_rows=False,
    )
