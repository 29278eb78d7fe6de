"""Rules about several features at once: "a weighted sum of products of features <= threshold"."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shown

__all__ = [
    "MAX_POWER",
    "NO_SURFACES",
    "Monomial",
    "SurfaceColumn",
    "SurfaceRule",
    "Surfaces",
    "formula",
    "products",
    "sums",
    "weighted_sums",
]

# The largest power of a feature in a rule.
MAX_POWER = 100

# The power of every feature: (1, 0, 2) is the first feature times the square of the third.
Monomial = tuple[int, ...]


def products(
    monomials: Sequence[Monomial], X: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    """Yield the products of features of every row, one monomial after the other.

    Parameters
    ----------
    monomials : sequence of tuple of int
        The products.
    X : ndarray of float64, shape (n, d)
        The table.
    """
    for monomial in monomials:
        factors = [f for f, power in enumerate(monomial) for _ in range(power)]
        product = X[:, factors[0]] if factors else np.ones(len(X))
        with np.errstate(over="ignore", under="ignore"):
            for feature in factors[1:]:
                product = product * X[:, feature]
        yield product


def weighted_sums(
    columns: Iterable[NDArray[np.float64]], weights: NDArray[np.float64], rows: int
) -> NDArray[np.float64]:
    """Return weighted sums of columns, a sum for each row of weights.

    Each row is summed separately, from the first column to the last, so its sum is the same in
    every table.

    Parameters
    ----------
    columns : iterable of ndarray of float64, shape (n,)
        The terms of the sums.
    weights : ndarray of float64, shape (m, number of columns)
        Their weights; terms of weight 0 are left out.
    rows : int
        The length of the columns.
    """
    total = np.zeros((rows, len(weights)))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for column, weight in zip(columns, weights.T, strict=True):
            used = weight != 0
            if used.all():
                total += column[:, None] * weight
            elif used.any():
                total[:, used] += column[:, None] * weight[used]
    return total


def sums(
    monomials: Sequence[Monomial], weights: NDArray[np.float64], X: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weighted sums of monomials for every row of a table, a column for each row of weights.

    Parameters
    ----------
    monomials : sequence of tuple of int
        The terms of the sums.
    weights : ndarray of float64, shape (m, number of monomials)
        Their weights; terms of weight 0 are left out.
    X : ndarray of float64, shape (n, d)
        The table.
    """
    return weighted_sums(products(monomials, X), weights, len(X))


def features_of(monomials: Sequence[Monomial], weights: Sequence[float]) -> tuple[int, ...]:
    """Return the features that a weighted sum depends on.

    Parameters
    ----------
    monomials : sequence of tuple of int
        The terms of the sums.
    weights : sequence of float
        Their weights.
    """
    used = [monomial for monomial, weight in zip(monomials, weights, strict=True) if weight]
    return tuple(f for f in range(len(monomials[0])) if any(monomial[f] for monomial in used))


def formula(monomials: Sequence[Monomial], weights: Sequence[float], names: Sequence[str]) -> str:
    """Return a weighted sum as text, the weights with four digits.

    Parameters
    ----------
    monomials : sequence of tuple of int
        The terms of the sums.
    weights : sequence of float
        Their weights.
    names : sequence of str
        The names of the features.
    """
    text = ""
    for monomial, weight in zip(monomials, weights, strict=True):
        if weight:
            factors = [
                name if power == 1 else f"{name}^{power}"
                for name, power in zip(names, monomial, strict=True)
                if power
            ]
            sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
            text += f"{sign}{abs(weight):.4g}·{'·'.join(factors)}"
    return text


@dataclass(frozen=True)
class Surfaces:
    """The weighted sums that the nodes of a tree compare with thresholds.

    Attributes
    ----------
    monomials : tuple of tuple of int
        The terms of the sums.
    weights : tuple of tuple of float
        The weights of each surface.
    """

    monomials: tuple[Monomial, ...] = ()
    weights: tuple[tuple[float, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def features(self) -> tuple[int, ...]:
        """The features that some surface depends on."""
        used = {f for weights in self.weights for f in features_of(self.monomials, weights)}
        return tuple(sorted(used))

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums for every row of a table, a column for each surface.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        return sums(self.monomials, np.array(self.weights).reshape(len(self), -1), X)

    def sums_of(self, surface: int, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of one surface for every row of a table, equal to a column of `values`.

        Parameters
        ----------
        surface : int
            Its number.
        X : ndarray of float64, shape (n, d)
            The table; contiguous columns are fastest.
        """
        terms = self.terms(surface)
        columns = products([monomial for monomial, _ in terms], X)
        total, added = np.zeros(len(X)), np.empty(len(X))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for column, (_, weight) in zip(columns, terms, strict=True):
                total += np.multiply(column, weight, out=added)
        return total

    def terms(self, surface: int) -> list[tuple[Monomial, float]]:
        """Return the monomials of a surface with non-zero weights, and the weights, in their order.

        Parameters
        ----------
        surface : int
            Its number.
        """
        return [(m, w) for m, w in zip(self.monomials, self.weights[surface], strict=True) if w]

    def rule(self, surface: int, threshold: float) -> "SurfaceRule":
        """Return a surface with a threshold as a rule.

        Parameters
        ----------
        surface : int
            Its number.
        threshold : float
            The greatest sum of the examples that go left.
        """
        monomials, weights = zip(*self.terms(surface), strict=True)
        return SurfaceRule(monomials, weights, threshold)

    def names(self, feature_names: Sequence[str]) -> list[str]:
        """Return the sums as text.

        Parameters
        ----------
        feature_names : sequence of str
            The names of all features.
        """
        return [formula(self.monomials, weights, feature_names) for weights in self.weights]


NO_SURFACES = Surfaces()


@dataclass(frozen=True)
class SurfaceRule:
    """The rule "the weighted sum is at most the threshold"; examples for which it holds go left.

    Attributes
    ----------
    monomials : tuple of tuple of int
        The terms of the sum: the powers of all features in each product.
    weights : tuple of float
        The weight of each product.
    threshold : float
        The threshold.
    fixed : bool
        Whether the user gave the rule, so that trees keep its threshold.
    """

    monomials: tuple[Monomial, ...]
    weights: tuple[float, ...]
    threshold: float
    fixed: bool = False

    @classmethod
    def linear(cls, weights: Sequence[float], threshold: float) -> "SurfaceRule":
        """Return the rule "the weighted sum of all features is at most the threshold".

        Parameters
        ----------
        weights : sequence of float
            The weight of each feature.
        threshold : float
            The threshold.
        """
        units = np.eye(len(weights), dtype=np.int64).tolist()
        monomials = tuple(tuple(unit) for unit in units)
        try:
            numbers = tuple(float(weight) for weight in weights)
            return cls(monomials, numbers, float(threshold))
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(
                "weights and threshold must be finite numbers, got "
                f"{shown(weights)} and {shown(threshold)} ({error})."
            ) from None

    @property
    def opposite(self) -> "SurfaceRule":
        """The rule that sends left those examples whose sum is at least the threshold."""
        weights = tuple(-weight for weight in self.weights)
        return SurfaceRule(self.monomials, weights, -self.threshold)

    def sums(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted sum for every row of a table.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        return sums(self.monomials, np.array([self.weights]), X)[:, 0]

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of a table whether it goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        return np.asarray(self.sums(X) <= self.threshold)


@dataclass(frozen=True)
class SurfaceColumn:
    """A column of 0 and 1 whose only threshold is equivalent to a rule on a surface.

    Attributes
    ----------
    rule : SurfaceRule
        The rule.
    """

    rule: SurfaceRule

    @property
    def features(self) -> tuple[int, ...]:
        """The features that the rule depends on."""
        return features_of(self.rule.monomials, self.rule.weights)

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 0 for the rows of a table that go left, and 1 for the others.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        return (~self.rule.holds(X)).astype(np.float64)

    def name(self, feature_names: Sequence[str]) -> str:
        """Return the name of the column: the weighted sum as text.

        Parameters
        ----------
        feature_names : sequence of str
            The names of all features.
        """
        return formula(self.rule.monomials, self.rule.weights, feature_names)
