"""The checked, immutable table of all searches, and the check of features for predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.exact_sums import TargetSums
from exactree.data.features import CompleteFeatures, check_finite, default_names, read_features
from exactree.data.labels import encode, read_labels
from exactree.data.levels import Levels
from exactree.data.parameters import count
from exactree.data.targets import encode_targets
from exactree.data.weights import integer_weights, read_weights

__all__ = ["Dataset", "make_dataset", "make_features"]

_NAMES_DIFFER = "The feature names should match those that were passed during fit.\n"
# Number of feature names in a message.
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of examples with labels and integer weights.

    It is made by `make_dataset`, which checks all input; all arrays are read-only.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d)
        Finite values in C order, NaN for missing values. Rows of zero weight are left out, and -0.0
        is replaced by 0.0.
    labels : ndarray of int64, shape (n,)
        Index of each example's class in `classes`.
    classes : ndarray
        The distinct labels, sorted, or in order of first appearance when not comparable. In a
        regression they are float64 numbers.
    weights : ndarray of int64, shape (n,)
        Positive integers with a total below 2**62.
    weight_scale : int
        A user's weight, times the factor of its class if there is one, is ``weights /
        weight_scale``, up to `weight_rounding`. The scale is 1 for integer weights, a power of two
        for other weights, and any integer with class factors.
    feature_names : tuple of str
        The user's names, or x0, x1, ...
    named : bool
        Whether the user gave the names.
    kept : ndarray of int64, shape (n,)
        Index of each row in the user's table.
    weight_rounding : float
        Largest relative rounding of a weight; 0.0 when every weight is exact.
    levels : mapping of int to tuple
        The levels of each column of text or categories; the code of a level in X is its index.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.int64]
    classes: NDArray[Any]
    weights: NDArray[np.int64]
    weight_scale: int
    feature_names: tuple[str, ...]
    named: bool
    kept: NDArray[np.int64]
    weight_rounding: float
    levels: Levels = field(default_factory=dict)

    def __post_init__(self) -> None:
        for array in (self.X, self.labels, self.classes, self.weights, self.kept):
            array.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays are writable after unpickling.
        self.__dict__.update(state)
        self.__post_init__()

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        return (
            f"Dataset({count(rows, 'example')}, {count(columns, 'feature')}, "
            f"{count(len(self.classes), 'class')})"
        )

    @cached_property
    def with_missing(self) -> tuple[int, ...]:
        """The features with missing values."""
        if not np.isnan(self.X.min(initial=np.inf)):  # the minimum is NaN if any value is
            return ()
        return tuple(np.flatnonzero(np.isnan(self.X).any(axis=0)).tolist())

    def refuse_missing(self, why: str | CompleteFeatures) -> None:
        """Raise ValueError if a value is missing, naming the column and the row.

        Parameters
        ----------
        why : str or CompleteFeatures
            A clause that names the function that accepts no missing values, and the columns.
        """
        check_finite(self.X, self.feature_names, self.kept, why)

    def subset(self, rows: NDArray[np.int64]) -> "Dataset":
        """Return the dataset of some examples, with all features and classes.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the dataset.
        """
        return replace(
            self,
            X=np.ascontiguousarray(self.X[rows]),
            labels=self.labels[rows],
            weights=self.weights[rows],
            kept=self.kept[rows],
        )

    @property
    def total_weight(self) -> int:
        """The sum of the integer weights."""
        return int(self.weights.sum())

    @property
    def targets(self) -> NDArray[np.float64]:
        """The labels of a regression: a number for every example."""
        numbers: NDArray[np.float64] = self.classes[self.labels]
        return numbers

    @cached_property
    def target_sums(self) -> TargetSums:
        """Exact sums of the labels of a regression, of their squares, and of distances."""
        return TargetSums(self.classes, self.total_weight)


def make_dataset(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    penalty_denominator: int | None = None,
    regression: bool = False,
    with_missing: bool = False,
    with_levels: bool = False,
) -> Dataset:
    """Check a table and make it immutable.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        Real numbers. Integers that float64 cannot hold exactly are refused.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights. Rows of zero weight are dropped before anything else.
    penalty_denominator : int, optional
        Denominator of the leaf penalty, if there is one; integer weights are bounded accordingly.
    regression : bool
        Whether the labels are the finite numbers of a regression.
    with_missing : bool
        Whether values of the features may be missing.
    with_levels : bool
        Whether features may be text or categories.

    Returns
    -------
    Dataset
        The checked table.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the column or row and what is allowed.
    """
    features = read_features(X, text=with_levels)
    values, names = features.values, features.names
    labels = read_labels(y)
    rows, columns = values.shape
    if rows == 0:
        raise ValueError("X has no rows: 0 sample(s) while a minimum of 1 is required.")
    if columns == 0:
        raise ValueError(
            f"X has no columns: 0 feature(s) (shape={values.shape}) while a minimum of 1 is "
            "required."
        )
    if len(labels) != rows:
        raise ValueError(
            f"X has {count(rows, 'row')} but y has {count(len(labels), 'label')}; "
            "give one label per row."
        )
    weights = read_weights(sample_weight, rows)
    kept = np.flatnonzero(weights)
    feature_names = names or default_names(columns)
    # This copies the values and turns -0.0 into 0.0.
    values = np.add(values if len(kept) == rows else values[kept], 0.0, order="C")
    no_missing = None if with_missing else "this takes no missing values"
    check_finite(values, feature_names, kept, no_missing)
    if np.isnan(values.min(initial=np.inf)):
        values[np.isnan(values)] = np.nan  # a single NaN, so that equal rows have equal bytes
    codes, classes = (encode_targets if regression else encode)(labels[kept], kept)
    exact = integer_weights(weights[kept], penalty_denominator)
    return Dataset(
        X=values,
        labels=codes,
        classes=classes,
        weights=exact.weights,
        weight_scale=exact.scale,
        feature_names=feature_names,
        named=names is not None,
        kept=kept.astype(np.int64),
        weight_rounding=exact.rounding,
        levels=features.levels,
    )


def make_features(
    X: Any,
    feature_names: Sequence[str],
    named: bool,
    no_missing: str | CompleteFeatures | None = None,
    levels: Levels | None = None,
) -> NDArray[np.float64]:
    """Check a table for predictions against the features of a tree.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The new examples; the table may have no rows.
    feature_names : sequence of str
        The tree's features.
    named : bool
        Whether the user gave the names; then a data frame must have the same names in this order.
    no_missing : str or CompleteFeatures, optional
        The reason why no value may be missing, in all columns or in some; by default values may be
        missing.
    levels : mapping of int to tuple, optional
        The levels of columns of text or categories; other values get the code -1.

    Returns
    -------
    ndarray of float64, shape (n, d)
        Finite values in C order, NaN for missing values.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the column or row and what is allowed.
    """
    features = read_features(X, known_levels=levels or {})
    values, names, expected = features.values, features.names, tuple(feature_names)
    if named and names is not None and names != expected:
        raise ValueError(_difference(names, expected))
    if values.shape[1] != len(expected):
        raise ValueError(
            f"X has {values.shape[1]} features, but exactree is expecting {len(expected)} "
            f"features as input: {_listed(expected)}."
        )
    values = np.ascontiguousarray(values, dtype=np.float64)
    check_finite(values, expected, np.arange(len(values)), no_missing)
    return values


def _difference(names: tuple[str, ...], expected: tuple[str, ...]) -> str:
    """Describe the difference between two lists of feature names, in scikit-learn's words."""
    # scikit-learn's own checks compare this text, line breaks included.
    unseen = sorted(set(names) - set(expected))
    missing = sorted(set(expected) - set(names))
    text = _NAMES_DIFFER
    if unseen:
        text += "Feature names unseen at fit time:\n" + _lines(unseen)
    if missing:
        text += "Feature names seen at fit time, yet now missing:\n" + _lines(missing)
    if not unseen and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    return text


def _lines(names: Sequence[str]) -> str:
    more = "- ...\n" if len(names) > _SHOWN else ""
    return "".join(f"- {name}\n" for name in names[:_SHOWN]) + more


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
