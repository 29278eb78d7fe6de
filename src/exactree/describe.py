"""`describe`: the parameters of a table that determine running times."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.groups import (
    contradictions,
    duplicates,
    groups_of_ranks,
    unavoidable_errors,
)
from exactree.description import Description, FeatureDescription
from exactree.objectives.errors import plain
from exactree.problem import Problem
from exactree.problem.encoding.columns import in_columns
from exactree.problem.parameters import positive_seconds
from exactree.stopping import Stopped

__all__ = ["describe"]

Integers = NDArray[np.int64]

# Ranks between two calls of the check; they take some milliseconds.
_BETWEEN_CHECKS = 4096


def describe(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    categories: Any = None,
    time_limit: float | None = None,
) -> Description:
    """Return the parameters of a table that determine running times, and worst-case bounds.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features. A feature with missing values counts as two: one with the missing values below
        all others, and one with them above.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights. Rows of weight zero are left out; the other weights affect only the
        minimum errors.
    categories : list of str or int, optional
        Columns of integer codes, as in `Problem`. The description is of the encoded table that the
        methods search: one feature of 0 and 1 for each code, a single feature for two codes.
    time_limit : float, optional
        Seconds. The longest computations come last. Numbers that were not computed in time are
        None, delta_max may be a lower bound, and the description says so.

    Returns
    -------
    Description
        Text by ``str``, plain data by ``to_dict``.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the column or row and what is allowed.

    Examples
    --------
    >>> import exactree as xt
    >>> X, y = [[0, 1], [0, 2], [1, 2], [0, 1]], ["a", "b", "b", "b"]
    >>> description = xt.describe(X, y)
    >>> description.D_max, description.delta_max, description.contradictions
    (2, 2, ((0, 3),))
    """
    # Imported here so that importing this module needs no native module.
    from exactree.engine import Timer, largest_difference

    timer = Timer(positive_seconds(time_limit))
    dataset = in_columns(Problem(X, y, sample_weight, categories=categories)).problem.dataset
    ranks: list[Integers] = []
    groups = None
    with suppress(Stopped):
        for column in dataset.X.T:
            timer.check()
            ranks.append(np.unique(column, return_inverse=True)[1])
        groups = groups_of_ranks(dataset, ranks, timer.check)
    features = []
    for index, name in enumerate(dataset.feature_names):
        ranks_of_feature = ranks[index] if index < len(ranks) else None
        features.append(_feature(name, ranks_of_feature, dataset.labels, timer.check))
    delta_max, proved = 0, False
    if len(ranks) == len(features):
        table = np.column_stack(ranks)
        delta_max, proved = largest_difference(table, dataset.labels, timer.left())
    description = Description(
        n_examples=len(dataset.X),
        n_features=len(features),
        classes=tuple(dataset.classes.tolist()),
        class_sizes=tuple(np.bincount(dataset.labels).tolist()),
        features=tuple(features),
        delta_max=delta_max,
        delta_max_proved=proved,
        duplicates=None,
        contradictions=None,
        min_errors=None,
    )
    if groups is None:
        return description
    unavoidable = unavoidable_errors(dataset, groups=groups)
    return replace(
        description,
        duplicates=duplicates(groups),
        contradictions=tuple(map(tuple, contradictions(dataset, groups=groups))),
        min_errors=plain(Fraction(unavoidable, dataset.weight_scale)),
    )


def _feature(
    name: str, ranks: Integers | None, labels: Integers, check: Callable[[], object]
) -> FeatureDescription:
    if ranks is None:
        return FeatureDescription(name, None, None, None)
    equal = np.bincount(ranks)
    alternations = None
    with suppress(Stopped):
        alternations = _alternations(ranks, labels, check)
    return FeatureDescription(name, len(equal), alternations, int(equal.max()))


def _alternations(ranks: Integers, labels: Integers, check: Callable[[], object]) -> int:
    """Return the minimum number of label changes in an order that sorts the ranks.

    Examples of equal rank with k labels change labels k - 1 times, for any first label and any
    different last label. `possible_last` holds the labels with which a best order may end. Ending
    with another label is never better, because it costs one change now and saves at most one change
    later.
    """
    check()
    classes = int(labels.max()) + 1
    pairs = np.unique(ranks * classes + labels)
    changes = 0
    possible_last: set[int] | None = None
    by_rank = groupby(pairs.tolist(), key=lambda pair: pair // classes)
    for index, (_, equal) in enumerate(by_rank, 1):
        if index % _BETWEEN_CHECKS == 0:
            check()
        present = {pair % classes for pair in equal}
        possible_first = present if possible_last is None else present & possible_last
        changes += len(present) - 1 + (not possible_first)
        # If only one of several labels can come first, it cannot come last.
        forced = len(present) > 1 and len(possible_first) == 1
        possible_last = present - possible_first if forced else present
    return changes
