"""The examples for pruning: checked against the tree, counted at its nodes, split into folds."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.data import make_features
from exactree.data.labels import read_labels
from exactree.data.parameters import checked_integer, count
from exactree.problem.parameters import columns_of_codes
from exactree.theory import Features
from exactree.theory.features import NominalRules, numbers_of_categories
from exactree.trees import Tree
from exactree.trees.checks import refuse_missing
from exactree.trees.routing import AT_MOST, EQUAL, IN, NO_CHILD

Rows = NDArray[np.int64]

_NO_MISSING = "pruning takes no missing values"


def read_examples(
    tree: Tree, X: ArrayLike, y: Any
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return features and class indices, after checking them against the tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : array-like or data frame
        The features.
    y : array-like
        The labels.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the column or row and what is allowed.
    """
    if len(tree.surfaces):
        raise ValueError(
            "the tree splits on surfaces; only trees with rules on one feature can be pruned."
        )
    refuse_missing(tree, _NO_MISSING)
    features = make_features(X, tree.feature_names, tree.named, _NO_MISSING, tree.levels)
    labels = read_labels(y)
    if len(features) == 0:
        raise ValueError("X has no rows; a bound needs at least one example.")
    if len(labels) != len(features):
        raise ValueError(
            f"X has {count(len(features), 'row')} but y has {count(len(labels), 'label')}; "
            "give one label per row."
        )
    class_index = {label: number for number, label in enumerate(tree.classes.tolist())}
    for row, label in enumerate(labels.tolist()):
        if label not in class_index:
            shown = ", ".join(map(repr, list(class_index)[:5]))
            raise ValueError(
                f"y, row {row}: {label!r} is not a class of the tree, whose classes are {shown}"
                f"{', ...' if len(class_index) > 5 else ''}. (Rows are counted from 0.)"
            )
    return features, np.array([class_index[label] for label in labels.tolist()], dtype=np.int64)


def features_for_bounds(
    tree: Tree, X: NDArray[np.float64], categories: Any, level_sets: bool
) -> Features:
    """Return the description of the features for bounds, after checking the rules of the tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : ndarray
        The features from `read_examples`.
    categories : list of str or int, or None
        The columns of codes.
    level_sets : bool
        Whether rules send any set of codes left.

    Raises
    ------
    ValueError, TypeError
        If the categories are not columns of codes, or the tree has a threshold on such a column, a
        code on another column, or a set of codes without `level_sets`.
    """
    names = tree.feature_names
    columns = columns_of_codes(categories, X, names, np.arange(len(X)))
    columns = tuple(sorted({*columns, *tree.levels}))
    compared = zip(tree.comparison.tolist(), tree.feature.tolist(), strict=True)
    for node, (comparison, feature) in enumerate(compared):
        if comparison == IN and not level_sets:
            raise ValueError(
                f"node {node} of the tree sends several levels of {names[feature]!r} left; give "
                "level_sets=True, and the bound counts such rules."
            )
        if comparison in (EQUAL, IN) and feature not in columns:
            raise ValueError(
                f"the tree splits on codes of {names[feature]!r}; name all columns of codes in "
                "categories."
            )
        if comparison == AT_MOST and feature in columns:
            raise ValueError(
                f"categories has {names[feature]!r}, but the tree has a threshold on this column."
            )
    nominal = numbers_of_categories(X, columns)
    kind: NominalRules = "subset" if level_sets else "one-against-rest"
    return Features(tree.n_features - len(columns), nominal=nominal, nominal_rules=kind)


def errors_at_nodes(
    tree: Tree, features: NDArray[np.float64], labels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of misclassified examples at each node, as if it were a leaf.

    Parameters
    ----------
    tree : Tree
        The tree.
    features, labels : ndarray
        The result of `read_examples`.
    """
    counts = np.zeros((tree.node_count, tree.n_classes), dtype=np.int64)
    np.add.at(counts, (tree.leaf_index(features), labels), 1)
    for node in range(tree.node_count - 1, -1, -1):  # children follow their parents
        if tree.children_left[node] != NO_CHILD:
            counts[node] = counts[tree.children_left[node]] + counts[tree.children_right[node]]
    wrong: NDArray[np.int64] = counts.sum(axis=1)
    wrong -= counts[np.arange(tree.node_count), tree.prediction]
    return wrong


def folds_of(n_examples: int, n_folds: int, seed: Any) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows outside and inside each fold, in ascending order.

    Parameters
    ----------
    n_examples : int
        At least 2.
    n_folds : int
        At least 2; with fewer examples than folds, each example is a fold.
    seed : int or sequence of int
        Seed of the assignment of examples to folds.
    """
    if n_examples < 2:
        raise ValueError(f"cross-validation needs at least two examples, found {n_examples}.")
    order = np.random.default_rng(seed).permutation(n_examples)
    for fold in np.array_split(order, min(checked_integer("n_folds", n_folds, 2), n_examples)):
        inside = np.zeros(n_examples, dtype=bool)
        inside[fold] = True
        yield np.flatnonzero(~inside), np.flatnonzero(inside)


def sum_of(jobs: Iterable[tuple[Any, ...]], counts_of: Callable[..., Rows]) -> Rows:
    """Return the sum of the counts of several jobs, by the user's joblib backend.

    Parameters
    ----------
    jobs : iterable of tuple
        Arguments of the function, one tuple for each job.
    counts_of : callable
        Returns an array of counts.
    """
    from joblib import Parallel, delayed

    # One job at a time, unless `joblib.parallel_config` is called.
    total: Rows = sum(Parallel()(delayed(counts_of)(*job) for job in jobs))
    return total


def rows_of(X: Any, rows: Rows) -> Any:
    """Return some rows of an array, a list or a data frame, with its column names."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows.tolist()]
