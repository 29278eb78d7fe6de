"""`describe`: count what tells how hard a table is; the pairs of examples in the native core."""

from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.groups import contradictions, duplicates, unavoidable_errors
from exactree.description import Description, FeatureDescription
from exactree.objectives.errors import plain
from exactree.problem import Problem
from exactree.problem.columns import in_columns
from exactree.problem.parameters import positive_seconds

__all__ = ["describe"]

Integers = NDArray[np.int64]


def describe(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    categories: Any = None,
    time_limit: float | None = None,
) -> Description:
    """Return the parameters of a table that tell how hard it is, and which methods are promising.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features. One with missing values counts as two: in one of them these are below all
        other values, in the other above.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights; rows of weight zero are left out, and the others count in the least
        achievable errors only.
    categories : list of str or int, optional
        Columns of integer codes, as in `Problem`. What the methods work on is described: one
        feature of 0 and 1 for every code, a single one for two codes.
    time_limit : float, optional
        Seconds. What takes longest comes last: when they are over, alternations are missing, or
        delta_max is a lower bound, and the description says so.

    Returns
    -------
    Description
        Readable as text by ``str``, plain data by ``to_dict``.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the column or row and what is allowed.

    Examples
    --------
    >>> import exactree as xt
    >>> description = xt.describe([[0, 1], [0, 2], [1, 2], [0, 1]], ["a", "b", "b", "b"])
    >>> description.D_max, description.delta_max, description.contradictions
    (2, 2, ((0, 3),))
    """
    # Here, so that the import needs no native module.
    from exactree.engine import Timer, largest_difference

    timer = Timer(positive_seconds(time_limit))
    dataset = in_columns(Problem(X, y, sample_weight, categories=categories)).problem.dataset
    ranks = np.empty(dataset.X.shape, dtype=np.int64)
    features = []
    for at, name in enumerate(dataset.feature_names):
        ranks[:, at] = np.unique(dataset.X[:, at], return_inverse=True)[1]
        features.append(_feature(name, ranks[:, at], dataset.labels, timer.left() != 0.0))
    delta_max, proved = largest_difference(ranks, dataset.labels, timer.left())
    return Description(
        n_examples=len(ranks),
        n_features=len(features),
        classes=tuple(dataset.classes.tolist()),
        class_sizes=tuple(np.bincount(dataset.labels).tolist()),
        features=tuple(features),
        delta_max=delta_max,
        delta_max_proved=proved,
        duplicates=duplicates(dataset),
        contradictions=tuple(map(tuple, contradictions(dataset))),
        least_errors=plain(Fraction(unavoidable_errors(dataset), dataset.weight_scale)),
    )


def _feature(name: str, ranks: Integers, labels: Integers, in_time: bool) -> FeatureDescription:
    equal = np.bincount(ranks)
    alternations = _alternations(ranks, labels) if in_time else None
    return FeatureDescription(name, len(equal), alternations, int(equal.max()))


def _alternations(ranks: Integers, labels: Integers) -> int:
    """Return the least number of label changes in an order that sorts the ranks.

    Examples of equal rank with k labels change labels k - 1 times, whatever label comes first and
    whatever other label comes last. `last` holds the labels that such an order of fewest changes
    may end with; to end with another label is never better, as it costs one change now to save at
    most one later.
    """
    classes = int(labels.max()) + 1
    pairs = np.unique(ranks * classes + labels)
    changes = 0
    last: set[int] | None = None
    for _, equal in groupby(pairs.tolist(), key=lambda pair: pair // classes):
        here = {pair % classes for pair in equal}
        first = here if last is None else here & last
        changes += len(here) - 1 + (not first)
        alone = len(here) > 1 and len(first) == 1  # the one that comes first does not come last
        last = here - first if alone else here
    return changes
