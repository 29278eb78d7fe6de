"""Support sets, hitting sets and branching sets (Ordyniak and Szeider), listed natively and lazily.

A support set is a set of features in which any two examples of different classes differ; the
features of every tree without errors are one (Observation 1). It is a hitting set of the
differences of such pairs. A branching set of a support set S has a feature of whatever a best
tree uses beyond S (Lemma 14): it meets every useful set for S, so it is a hitting set, too.

The page of the paper has the statements and the bounds on the time:
docs/papers/002-support-sets.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.features import shown
from exactree.problem import Problem
from exactree.problem.parameters import positive_seconds, whole_number

if TYPE_CHECKING:
    from exactree.engine import FeatureSetList

__all__ = ["FeatureSets", "branching_set", "branching_sets", "hitting_sets", "support_sets"]

Member = TypeVar("Member", bound=Hashable)


class FeatureSets(Iterator[tuple[Member, ...]], Generic[Member]):
    """Sets, one after the other, each found on request; the same order every time.

    Attributes
    ----------
    complete : bool
        Whether the list has come to its end and held all sets.
    stopped_by : str or None
        "time limit" where that ended the list.
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
            On Ctrl-C; the list can be read on.
        """
        while not self._ready and not self.complete and self.stopped_by is None:
            self._read()
        if not self._ready:
            raise StopIteration
        return tuple(self._members[f] for f in self._ready.pop())

    @property
    def count(self) -> int | None:
        """The number of all sets, read or not; None where the time limit is too short to tell.

        Sets that are not minimal are not gone through to be counted. The count has the time limit
        for itself.
        """
        if self._count is None:
            count, stopped_by, _ = self._make().count(self._limit)
            if stopped_by == "interrupt":
                raise KeyboardInterrupt
            self._count = count
        return self._count

    @property
    def nodes(self) -> int:
        """The number of sets that were looked at to list those read so far.

        Without a limit on the time or the end of the list the native search is a little ahead.
        """
        return 0 if self._sets is None else self._sets.nodes

    def _read(self) -> None:
        """Let the native list go on."""
        if self._sets is None:
            self._sets = self._make()
        left = None if self._limit is None else max(self._limit - self._seconds, 0.0)
        found, ended, stopped_by, seconds = self._sets.next_sets(left)
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
    """List the sets of features in which any two examples of different classes differ.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features. A missing value is one more value.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    max_size : int, optional
        Features of a set at most, at least 0. The search is at most that many levels deep; on each
        it has at most delta_max branches (Corollary 9).
    minimal : bool
        Whether to list only sets that are no longer support sets without any of their features.
    time_limit : float, optional
        Seconds of search; what the caller does between two sets does not count.

    Returns
    -------
    FeatureSets of int
        Indices of features in increasing order. Empty where two examples agree in all features
        but not in their labels.

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
    most, limit = _most(max_size), positive_seconds(time_limit)
    wanted = _flag(minimal)
    features = range(codes.shape[1])
    return FeatureSets(lambda: list_support_sets(codes, labels, most, wanted), features, limit)


def hitting_sets(
    sets: Iterable[Iterable[Member]],
    *,
    max_size: int | None = None,
    minimal: bool = False,
    time_limit: float | None = None,
) -> FeatureSets[Member]:
    """List the sets that have a member of each of some sets.

    Parameters
    ----------
    sets : iterable of iterable of hashable
        The sets to hit. An empty one is hit by none.
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

    given = [tuple(dict.fromkeys(one)) for one in sets]
    members = list(dict.fromkeys(member for one in given for member in one))
    place = {member: at for at, member in enumerate(members)}
    places = [[place[member] for member in one] for one in given]
    most, limit = _most(max_size), positive_seconds(time_limit)
    wanted = _flag(minimal)
    return FeatureSets(
        lambda: list_hitting_sets(len(members), places, most, wanted), members, limit
    )


def branching_set(X: Any, y: Any, features: Iterable[int]) -> tuple[int, ...]:
    """Return features one of which a best tree has if it uses more than a support set.

    This is the one that the paper's algorithm branches on, R_0 of Lemma 14; `branching_sets` lists
    all. It depends on the order of the examples: of those that agree on the set the first one
    counts, and the first of all is the one that they are compared with (the paper's gamma). Its
    size is at most D_max to the size of the set, times 2 delta_max.

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
        features are no support set, for which the paper has no branching set.

    Examples
    --------
    >>> from exactree.feature_sets import branching_set
    >>> branching_set([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], [0, 0, 1, 1], {0})
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
    """List the sets that have a feature of every useful set for a support set.

    A set of features outside the support set is useful if, whatever values it has, no example has
    these in some group of examples that agree on the support set. What a best tree uses beyond the
    support set is useful (Lemma 11). The paper takes one of the branching sets, whichever
    examples stand for the groups (Lemma 12); here are all, and those that are minimal are the
    fewest features that an algorithm can branch on.

    Parameters
    ----------
    X, y
        As in `support_sets`.
    features : iterable of int
        A support set.
    max_size, minimal, time_limit
        As in `support_sets`. A set that is looked at takes O(n d²).

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
    >>> list(branching_sets(X, y, {0}, minimal=True))
    [()]
    """
    from exactree.engine import list_branching_sets

    codes, chosen = _support_set(X, y, features)
    most, limit = _most(max_size), positive_seconds(time_limit)
    wanted = _flag(minimal)
    return FeatureSets(
        lambda: list_branching_sets(codes, chosen, most, wanted), range(codes.shape[1]), limit
    )


def _support_set(X: Any, y: Any, features: Iterable[int]) -> tuple[NDArray[np.int64], list[int]]:
    """Return the codes of a table and a support set of it in order; refuses any other set."""
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
    """Return numbers that are equal in a feature iff the examples' values are, and classes."""
    dataset = Problem(X, y).dataset
    codes = np.empty(dataset.X.shape, dtype=np.int64)
    for f in range(dataset.X.shape[1]):
        codes[:, f] = np.unique(dataset.X[:, f], return_inverse=True)[1]
    return codes, dataset.labels


def _most(max_size: Any) -> int | None:
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
