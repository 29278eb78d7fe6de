"""Estimates of the effort of the definition and of tables, and refusals before the work begins."""

from collections import Counter
from math import comb, log10

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.rules import Column, SurfaceColumn
from exactree.rules.dichotomies import linear_dichotomies

__all__ = [
    "FEW_ENSEMBLES", "MAX_ENSEMBLES", "MAX_ENTRIES", "MAX_STEPS", "MAX_SUBSETS", "few_ensembles",
    "labelings_to_join", "refuse_large", "refuse_large_ensemble", "refuse_large_table",
    "subsets_to_visit",
]  # fmt: skip

# A subset takes about 0.1 ms, so this is about a minute and a half.
MAX_SUBSETS = 1_000_000
# Joining two labelings, or counting the votes of an ensemble, takes about 0.01 ms.
MAX_ENSEMBLES = 5_000_000
# This many take about a second, which users accept although specifications have no time limit. So
# `method="auto"` uses the definition up to this number if an ensemble has no native form.
FEW_ENSEMBLES = 100_000
# Checking the constraints of a tree takes about as long as this many steps.
_STEPS_OF_A_TREE = 10
# Number of rows of a large table from which labelings are estimated, which takes quadratic time.
_ROWS_SEEN = 128
# An entry takes about 400 bytes, so this is about 200 MB; a step takes about 2 µs, so this is
# about a minute.
MAX_ENTRIES = 500_000
MAX_STEPS = 30_000_000


def refuse_large(problem: Problem) -> None:
    """Refuse a problem for which enumerating all trees would take too long.

    Parameters
    ----------
    problem : Problem
        The problem to solve by the definition.

    Raises
    ------
    MethodRefused
        If it would visit more than `MAX_SUBSETS` subsets; the message names the better method.
    """
    subsets = subsets_to_visit(problem)
    if subsets > MAX_SUBSETS:
        rows, columns = problem.dataset.X.shape
        raise MethodRefused(
            f"The definition enumerates all trees, here by visiting more than {MAX_SUBSETS:,} "
            f"subsets of a table of {rows:,} rows and {columns:,} columns; lower max_depth, give "
            "it fewer rows, or use implementation='native' with method='branch-and-bound'."
        )


def refuse_large_ensemble(problem: Problem) -> None:
    """Refuse a problem for which enumerating all ensembles would take too long.

    Parameters
    ----------
    problem : Problem
        The problem to solve by the definition.

    Raises
    ------
    MethodRefused
        If it would visit more than `MAX_ENSEMBLES` ensembles or pairs of labelings.
    """
    if not few_ensembles(problem, MAX_ENSEMBLES):
        rows, columns = problem.dataset.X.shape
        raise MethodRefused(
            f"The definition enumerates all ensembles of {problem.n_trees} trees, here more than "
            f"{MAX_ENSEMBLES:,} for a table of {rows:,} rows and {columns:,} columns; lower "
            "max_depth, use fewer rows, or use implementation='native' with method='auto', "
            "'witness' or 'subsets'."
        )


def few_ensembles(problem: Problem, max_steps: int = FEW_ENSEMBLES) -> bool:
    """Return whether enumerating all ensembles takes at most a number of steps.

    Parameters
    ----------
    problem : Problem
        A problem with two or more trees.
    max_steps : int
        Maximum number of pairs of labelings to join, and of ensembles to count votes for.
    """
    joined, labelings = labelings_to_join(problem)
    if problem.feature_constraints:  # all trees are listed, each with its features
        trees, _ = labelings_to_join(problem, distinct=False)
        joined = _STEPS_OF_A_TREE * trees
        labelings *= 2 ** min(problem.dataset.X.shape[1], problem.max_leaves - 1)
    ensembles = comb(labelings + problem.n_trees - 1, problem.n_trees)
    return joined <= max_steps and ensembles <= max_steps


def labelings_to_join(problem: Problem, *, distinct: bool = True) -> tuple[float, int]:
    """Estimate the number of pairs of labelings to join, and the maximum number of labelings.

    Parameters
    ----------
    problem : Problem
        The problem.
    distinct : bool
        Whether trees of the same labeling count once.

    Returns
    -------
    tuple of float and int
        Infinity and 0 if there are more pairs than `MAX_ENSEMBLES`.
    """
    rows = len(problem.dataset.X)
    if problem.limits.max_depth != 1:  # unless splits are few, these rows have too many pairs
        rows = min(rows, _ROWS_SEEN)
    splits, depth = _numbers_of_splits(problem, rows)
    different = len(np.unique(problem.dataset.X, axis=0))
    classes = len(problem.dataset.classes)
    m = np.arange(len(splits))
    max_labelings = float(classes) ** np.minimum(m, different).clip(max=99)
    if not distinct:
        max_labelings = np.full(len(m), np.inf)
    labelings, joined = np.full(len(m), float(classes)), np.ones(len(m))
    for _ in range(depth):
        of_children = (labelings[1:k] @ labelings[1:k][::-1] / max(k - 1, 1) for k in m)
        pairs = splits * np.fromiter(of_children, np.float64)
        joined = 1 + pairs + splits * 2 * _average_child(joined)
        labelings = np.minimum(max_labelings, classes + pairs)
        if joined[-1] > MAX_ENSEMBLES:
            return float("inf"), 0
    return float(joined[-1]), int(labelings[-1])


def subsets_to_visit(problem: Problem) -> float:
    """Estimate the number of calls of `definition.front`, up to `MAX_SUBSETS`.

    It assumes that a feature with v distinct values splits m rows in min(m, v) - 1 ways, and a
    column of codes in one way for each code; and that children of all sizes, from 1 to m - 1 rows,
    are equally frequent.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    float
        The estimate, infinity if it exceeds `MAX_SUBSETS`.
    """
    splits, depth = _numbers_of_splits(problem, len(problem.dataset.X))
    visits = np.ones(len(splits))
    for _ in range(depth if splits[-1] else 0):
        visits = 1 + splits * 2 * _average_child(visits)
        if visits[-1] > MAX_SUBSETS:
            return float("inf")
    return float(visits[-1])


def _numbers_of_splits(problem: Problem, rows: int) -> tuple[NDArray[np.float64], int]:
    """Return the number of splits of 0, ..., `rows` rows, and the maximum depth of a tree."""
    X, limits = problem.dataset.X, problem.limits
    columns = problem.rules.columns(X)
    value_columns = [c for c in columns if isinstance(c, Column)]
    values = [2 if c.codes is not None else len(np.unique(c.values(X))) for c in value_columns]
    bounds = (rows - 1, limits.max_depth, problem.max_tree_size)
    # A column of v values splits m rows in min(m, v) - 1 ways: one way more for each m from 2 to v.
    columns_with = np.bincount(np.minimum(values, rows).astype(np.int64), minlength=rows + 1)
    columns_with_at_least = columns_with[::-1].cumsum()[::-1]
    columns_with_at_least[:2] = 0
    splits = columns_with_at_least.cumsum().astype(float)
    splits += _splits_by_surfaces([c for c in columns if isinstance(c, SurfaceColumn)], rows)
    return splits, min(bound for bound in bounds if bound is not None)


def _splits_by_surfaces(columns: list[SurfaceColumn], rows: int) -> NDArray[np.float64]:
    """Return the number of splits by surfaces of 0, ..., `rows` rows, at most Cover's number."""
    splits = np.zeros(rows + 1)
    for n_terms, surfaces in Counter(len(column.rule.monomials) for column in columns).items():
        for m in range(rows + 1):
            of_m_rows = 2 * linear_dichotomies(max(m, 1), n_terms)
            if of_m_rows >= surfaces:  # and so for more rows
                splits[m:] += surfaces
                break
            splits[m] += of_m_rows
    return splits


def _average_child(amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for every m the average over the splits of m rows into 1 + (m - 1) ... (m - 1) + 1."""
    m = np.arange(len(amount))
    average = np.zeros(len(amount))
    average[2:] = np.cumsum(amount[1:])[:-1] / (m[2:] - 1)
    return average


def refuse_large_table(name: str, entries: int, steps: int, better: str) -> None:
    """Refuse a table with too many entries, or with too many steps to fill it.

    Parameters
    ----------
    name : str
        The theorem of the table, and its paper.
    entries, steps : int
        The number of entries, and the number of comparisons of entries.
    better : str
        The better method, to end the sentence "use ...".

    Raises
    ------
    MethodRefused
        If there would be more than `MAX_ENTRIES` or `MAX_STEPS`.
    """
    for number, limit, noun in ((entries, MAX_ENTRIES, "entries"), (steps, MAX_STEPS, "steps")):
        if number > limit:
            raise MethodRefused(
                f"The table of {name} would take {_number_text(number)} {noun}, more than "
                f"{limit:,}; use fewer rows, or use {better}."
            )


def _number_text(number: int) -> str:
    if number < 10**12:
        return f"{number:,}"
    # Estimated from its bits, because writing a million digits takes long.
    return f"more than 10^{int((number.bit_length() - 1) * log10(2))}"
