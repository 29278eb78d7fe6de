"""Columns of a problem as certificates have them, and trees whose nodes split by these columns."""

import numpy as np

from exactree.certificates.table import Integers, RankedTable, RowSet, level_sets
from exactree.data.dataset import Dataset
from exactree.errors import InternalError
from exactree.problem import Problem
from exactree.problem.encoding.columns import with_columns
from exactree.rules import AxisParallel, Categories, Column, ThresholdsWithMissing
from exactree.rules.family import LEFT, RIGHT
from exactree.rules.mixed import families_of
from exactree.trees import Tree

__all__ = ["in_columns", "splits_of", "tree_text"]

# The columns of numbers, without and with missing values.
_SIDES = {False: ("",), True: (LEFT, RIGHT)}


def splits_of(problem: Problem) -> str:
    """Return how each feature is split, as `RankedTable` describes it.

    Parameters
    ----------
    problem : Problem
        A problem whose splits use one feature each.
    """
    features = range(problem.dataset.X.shape[1])
    letters = ["-"] * len(features)
    for family in families_of(problem.rules):
        if isinstance(family, Categories):
            letter, used = "s" if family.level_sets else "c", family.features
        else:
            assert isinstance(family, AxisParallel | ThresholdsWithMissing)
            columns = family.columns(problem.dataset.X)
            letter, used = "n", tuple(column.feature for column in columns)
        for feature in used:
            letters[feature] = letter
    return "".join(letters)


def in_columns(problem: Problem, table: RankedTable) -> Problem:
    """Return the problem in the columns of a certificate.

    Parameters
    ----------
    problem : Problem
        The problem.
    table : RankedTable
        Its table.
    """
    if problem.rules == AxisParallel():
        return problem
    columns: list[Column] = []
    for feature, kind in enumerate(table.splits):
        values = problem.dataset.X[:, feature]
        absent = bool(np.isnan(values).any())
        codes = np.unique(values[~np.isnan(values)])
        if kind == "n":
            columns += [Column(feature, missing=side) for side in _SIDES[absent]]
        elif kind != "-":
            for chosen in level_sets(len(codes), absent, kind == "s"):
                of_set = tuple(int(codes[level]) for level in chosen if level < len(codes))
                side = (LEFT if len(codes) in chosen else RIGHT) if absent else ""
                columns.append(Column(feature, of_set, side))
    return with_columns(problem, columns).problem


def tree_text(table: RankedTable, dataset: Dataset, tree: Tree) -> str:
    """Return the nodes of a tree in preorder: "column:rank" of a threshold, or a class.

    Classes are numbered by their first appearance in the table; then come labels without examples.

    Parameters
    ----------
    table : RankedTable
        The columns.
    dataset : Dataset
        The same examples.
    tree : Tree
        A tree whose nodes split them.
    """
    labels = dataset.classes[dataset.labels].tolist()
    named = dict.fromkeys([*labels, *dataset.classes.tolist()])
    code = {label: index for index, label in enumerate(named)}
    labels_of_tree = tree.classes.tolist()
    texts, waiting = [], [(0, np.arange(len(labels)))]
    while waiting:
        node, rows = waiting.pop()
        if tree.is_leaf(node):
            texts.append(str(code[labels_of_tree[tree.prediction[node]]]))
            continue
        left = tree.goes_left(node, dataset.X[rows])
        column, rank, swapped = _threshold(table, int(tree.feature[node]), rows, left)
        texts.append(f"{column}:{rank}")
        children = [
            (int(tree.children_right[node]), rows[~left]),
            (int(tree.children_left[node]), rows[left]),
        ]
        waiting += children[::-1] if swapped else children
    return " ".join(texts)


def _threshold(
    table: RankedTable, feature: int, rows: Integers, left: RowSet
) -> tuple[int, int, bool]:
    """Return a column and a rank that split some rows as a node, and whether children are swapped.

    A set of levels and the set of all others have one column.
    """
    for column, of_column in enumerate(table.feature_of):
        ranks = table.ranks[column][rows] if of_column == feature else None
        if ranks is not None:
            below, above = ranks[left], ranks[~left]
            if below.max() < above.min():
                return column, int(below.max()), False
            if above.max() < below.min():
                return column, int(above.max()), True
    raise InternalError(f"No split of a certificate divides the rows of feature {feature}.")
