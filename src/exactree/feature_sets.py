"""Support sets, hitting sets and branching sets (Ordyniak and Szeider), listed natively and lazily.

In a support set any two examples of different classes differ in some feature; the features of every
tree without errors are a support set (Observation 1). A support set is a hitting set of the
differences of such pairs. If a best tree uses features outside of a support set S, a branching set
of S contains one of them (Lemma 14): it intersects every useful set for S, so it is also a hitting
set.

The page of the paper has the theorems and the bounds on the running time:
docs/papers/002-support-sets.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shown
from exactree.problem import Problem
from exactree.problem.parameters import positive_seconds, whole_number

if TYPE_CHECKING:
    from exactree.engine import FeatureSetList

__all__ = ["FeatureSets", "branching_set", "branching_sets", "hitting_sets", "support_sets"]

Member = TypeVar("Member", bound=Hashable)


class FeatureSets(Iterator[tuple[Member, ...]], Generic[Member]):
    """An iterator over sets, computed lazily, in a deterministic order.

    Attributes
    ----------
    complete : bool
        Whether the iterator has ended after all sets.
    stopped_by : str or None
        "time limit" if the time limit ended the list.
    """

    def __init__(
        self,
        make: Callable[[], FeatureSetList],
        members: Sequence[Member],
        time_limit: float | None,
    ) -> None:
        self.complete = False
        self.stopped_by: str | None = None
        self._make, self._members, self._limit = make, members, time_limit
        self._sets: FeatureSetList | None = None
        self._ready: list[list[int]] = []
        self._seconds = 0.0
        self._count: int | None = None

    def __next__(self) -> tuple[Member, ...]:
        """Return the next set, or end the list.

        Raises
        ------
        KeyboardInterrupt
            On Ctrl-C; the iteration can be continued.
        """
        while not self._ready and not self.complete and self.stopped_by is None:
            self._read()
        if not self._ready:
            raise StopIteration
        return tuple(self._members[f] for f in self._ready.pop())

    @property
    def count(self) -> int | None:
        """The number of all sets, read or not; None if the time limit is too short.

        Without `minimal`, sets are counted without listing them. The count has its own time limit.
        """
        if self._count is None:
            count, stopped_by, _ = self._make().count(self._limit)
            if stopped_by == "interrupt":
                raise KeyboardInterrupt
            self._count = count
        return self._count

    @property
    def nodes(self) -> int:
        """The number of sets that were examined to list the sets read so far.

        The native search may be a little ahead of the iterator.
        """
        return 0 if self._sets is None else self._sets.nodes

    def _read(self) -> None:
        """Read further sets from the native list."""
        if self._sets is None:
            self._sets = self._make()
        seconds_left = None if self._limit is None else max(self._limit - self._seconds, 0.0)
        found, ended, stopped_by, seconds = self._sets.next_sets(seconds_left)
        self._seconds += seconds
        self._ready = found[::-1]
        self.complete = ended
        if stopped_by == "interrupt":
            raise KeyboardInterrupt
        self.stopped_by = None if ended else stopped_by


def support_sets(
    X: Any,
    y: Any,
    *,
    max_size: int | None = None,
    minimal: bool = False,
    time_limit: float | None = None,
) -> FeatureSets[int]:
    """List the support sets: sets of features that distinguish examples of different classes.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features. A missing value counts as a further value.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    max_size : int, optional
        Maximum number of features of a set, at least 0. It is also the maximum depth of the search,
        which has at most delta_max branches at each level (Corollary 9).
    minimal : bool
        Whether to list only the sets of which no proper subset is a support set.
    time_limit : float, optional
        Seconds of search; the caller's time between two sets does not count.

    Returns
    -------
    FeatureSets of int
        Each set as indices of features in increasing order. There is no set at all if two examples
        agree in all features but not in their labels.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter, column or row and what is allowed.

    Examples
    --------
    >>> from exactree.feature_sets import support_sets
    >>> X, y = [[0, 0, 1], [1, 1, 1], [0, 1, 0]], [1, 0, 0]
    >>> list(support_sets(X, y, minimal=True))
    [(0, 2), (1,)]
    >>> support_sets(X, y).count, support_sets(X, y, max_size=1).count
    (5, 1)
    """
    from exactree.engine import list_support_sets

    codes, labels = _codes(X, y)
    max_members, limit = _max_members(max_size), positive_seconds(time_limit)
    only_minimal = _flag(minimal)
    features = range(codes.shape[1])
    return FeatureSets(
        lambda: list_support_sets(codes, labels, max_members, only_minimal), features, limit
    )


def hitting_sets(
    sets: Iterable[Iterable[Member]],
    *,
    max_size: int | None = None,
    minimal: bool = False,
    time_limit: float | None = None,
) -> FeatureSets[Member]:
    """List the hitting sets: sets that contain a member of each given set.

    Parameters
    ----------
    sets : iterable of iterable of hashable
        The sets to hit. An empty set cannot be hit.
    max_size, minimal, time_limit
        As in `support_sets`.

    Returns
    -------
    FeatureSets
        Members in the order in which they first appear in the sets.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter and what is allowed.

    Examples
    --------
    >>> from exactree.feature_sets import hitting_sets
    >>> list(hitting_sets(["ab", "bc"], minimal=True))
    [('a', 'c'), ('b',)]
    """
    from exactree.engine import list_hitting_sets

    sets_to_hit = [tuple(dict.fromkeys(to_hit)) for to_hit in sets]
    members = list(dict.fromkeys(member for to_hit in sets_to_hit for member in to_hit))
    index_of = {member: index for index, member in enumerate(members)}
    indices = [[index_of[member] for member in to_hit] for to_hit in sets_to_hit]
    max_members, limit = _max_members(max_size), positive_seconds(time_limit)
    only_minimal = _flag(minimal)
    return FeatureSets(
        lambda: list_hitting_sets(len(members), indices, max_members, only_minimal), members, limit
    )


def branching_set(X: Any, y: Any, features: Iterable[int]) -> tuple[int, ...]:
    """Return a branching set: a best tree with features outside a support set uses one of these.

    It is the set on which the paper's algorithm branches, R_0 of Lemma 14; `branching_sets` lists
    all branching sets. It depends on the order of the examples: of the examples that agree on the
    support set the first represents them, and these representatives are compared with the first
    example of the table (the paper's gamma). For a support set of k features it has at most
    2 delta_max times D_max^k features.

    Parameters
    ----------
    X, y
        As in `support_sets`.
    features : iterable of int
        A support set.

    Returns
    -------
    tuple of int
        In increasing order.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter, column or row and what is allowed; also if the
        features are not a support set, because the paper defines branching sets only for support
        sets.

    Examples
    --------
    >>> from exactree.feature_sets import branching_set
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> branching_set(X, [0, 0, 1, 1], {0})
    (1,)
    """
    from exactree.engine import branching_set as native

    return tuple(native(*_support_set(X, y, features)))


def branching_sets(
    X: Any,
    y: Any,
    features: Iterable[int],
    *,
    max_size: int | None = None,
    minimal: bool = False,
    time_limit: float | None = None,
) -> FeatureSets[int]:
    """List the branching sets: sets with a feature of every useful set for a support set.

    Consider the groups of examples that agree on the support set. A set of features outside the
    support set is useful if each combination of values of its features is missing in some group.
    The features that a best tree uses outside the support set are a useful set (Lemma 11). The
    paper uses only one branching set, which depends on an arbitrary choice of one example per group
    (Lemma 12). This function lists all branching sets; an algorithm can branch on a minimal
    branching set, but not on a proper subset of it.

    Parameters
    ----------
    X, y
        As in `support_sets`.
    features : iterable of int
        A support set.
    max_size, minimal, time_limit
        As in `support_sets`. Examining a set takes O(n d²).

    Returns
    -------
    FeatureSets of int
        Indices of features outside the support set, in increasing order.

    Raises
    ------
    ValueError, TypeError
        As in `branching_set`.

    Examples
    --------
    >>> from exactree.feature_sets import branching_set, branching_sets
    >>> X, y = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]], [0, 0, 1, 1]
    >>> branching_set(X, y, {0})
    (2,)

    No set is useful here, so the empty set is also a branching set:

    >>> list(branching_sets(X, y, {0}, minimal=True))
    [()]
    """
    from exactree.engine import list_branching_sets

    codes, chosen = _support_set(X, y, features)
    max_members, limit = _max_members(max_size), positive_seconds(time_limit)
    only_minimal = _flag(minimal)
    return FeatureSets(
        lambda: list_branching_sets(codes, chosen, max_members, only_minimal),
        range(codes.shape[1]),
        limit,
    )


def _support_set(X: Any, y: Any, features: Iterable[int]) -> tuple[NDArray[np.int64], list[int]]:
    """Return the codes of a table and the sorted support set; refuse other sets of features."""
    codes, labels = _codes(X, y)
    if not isinstance(features, Iterable):
        raise TypeError(f"features must be a list of indices of columns, got {shown(features)}.")
    chosen = sorted({_feature(f, codes.shape[1]) for f in features})
    values = np.unique(codes[:, chosen], axis=0, return_inverse=True)[1].ravel()
    if len(np.unique(np.stack([values, labels], axis=1), axis=0)) > len(np.unique(values)):
        raise ValueError(
            f"features must be a support set: two examples of different classes agree on {chosen}."
        )
    return codes, chosen


def _codes(X: Any, y: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return integer codes, which are equal within a feature iff the values are, and classes."""
    dataset = Problem(X, y).dataset
    codes = np.empty(dataset.X.shape, dtype=np.int64)
    for f in range(dataset.X.shape[1]):
        codes[:, f] = np.unique(dataset.X[:, f], return_inverse=True)[1]
    return codes, dataset.labels


def _max_members(max_size: Any) -> int | None:
    if max_size is None:
        return None
    return whole_number("max_size", max_size, 0, "an integer >= 0 or None")


def _flag(minimal: Any) -> bool:
    if not isinstance(minimal, bool | np.bool_):
        raise TypeError(f"minimal must be True or False, got {shown(minimal)}.")
    return bool(minimal)


def _feature(feature: Any, features: int) -> int:
    allowed = f"integers from 0 to {features - 1}"
    index = whole_number("features", feature, 0, allowed)
    if index >= features:
        raise ValueError(f"features must be {allowed}, got {shown(feature)}.")
    return index
