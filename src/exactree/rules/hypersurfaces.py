"""Rules by hyperplanes and surfaces of higher degree, one for each way to split a subset.

A surface of degree M in D features is a hyperplane in the G = C(D + M, D) - 1 products of up to M
features (section 5.2 of He and Little). So one enumeration serves all degrees.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shortened, shown
from exactree.data.thresholds import middle_between
from exactree.errors import MethodRefused
from exactree.rules.axis import index_of
from exactree.rules.dichotomies import Dichotomies, dichotomies, no_check
from exactree.rules.family import RuleFamily
from exactree.rules.readings import integers, readings
from exactree.rules.roundings import realize
from exactree.rules.sides import ScaledExamples
from exactree.rules.surface import MAX_POWER, Monomial, SurfaceColumn, SurfaceRule, products

__all__ = ["MAX_BYTES", "Hyperplanes", "Hypersurfaces", "embedded", "in_features"]

# Limit on the bytes of all dichotomies by surfaces through G examples; listing that many takes ten
# seconds.
MAX_BYTES = 500_000_000


@dataclass(frozen=True)
class Hypersurfaces(RuleFamily):
    """All rules "a polynomial of the features is at most 0", up to a degree.

    The rules of a subset are all dichotomies of it by such a surface, where examples on the surface
    may go to either side. Sides are computed exactly, for any position of the examples; values of
    at most ten significant digits are read as decimals (`readings.py`). A dichotomy without a rule
    in floating point (`roundings.py`) is left out. If examples differ only by rounding errors, a
    subset may lack a rule that the whole table has, or the reverse; so the laws of `RuleFamily` are
    certain only if nothing is left out.

    Parameters
    ----------
    degree : int
        The degree, at least 1; 1 for hyperplanes.
    features : iterable of int or str, optional
        The only features that splits may use, by index or by name; all by default.
    """

    degree: int = 2
    features: tuple[int | str, ...] | None = None

    def __post_init__(self) -> None:
        """Check the degree, and convert the features to a tuple."""
        if self.features is not None:
            object.__setattr__(self, "features", tuple(self.features))
        degree: object = self.degree
        is_integer = isinstance(degree, int) and not isinstance(degree, bool)
        if not is_integer or not 1 <= self.degree <= MAX_POWER:
            raise ValueError(
                f"degree must be an integer >= 1 and <= {MAX_POWER}, got {shown(self.degree)}."
            )

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[SurfaceRule, NDArray[np.bool_]]]:
        """List the rules that split the subset, each followed by its opposite.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of SurfaceRule and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        for rule in self.with_opposites(self.surfaces(X[subset])[0], X[subset]):
            yield rule, rule.holds(X[subset])

    def columns(self, X: NDArray[np.float64]) -> list[SurfaceColumn]:
        """List one column of 0 and 1 for every dichotomy of a table, and for its opposite.

        A rule that splits a subset also splits the whole table, so these are the rules of all
        subsets.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [SurfaceColumn(rule) for rule in self.with_opposites(self.surfaces(X)[0], X)]

    def surfaces(
        self,
        X: NDArray[np.float64],
        selected: Dichotomies | None = None,
        check: Callable[[], object] = no_check,
    ) -> tuple[list[SurfaceRule], int]:
        """Return rules for the dichotomies of a table, and the number of dichotomies without one.

        Of two opposite rules only one is returned.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        selected : Dichotomies, optional
            Dichotomies of its distinct rows, in the order of `numpy.unique`; all by default.
        check : callable
            Called every few milliseconds; it may raise to end the work.

        Raises
        ------
        MethodRefused
            If there are too many surfaces.
        """
        used = self.features_of(X.shape[1])
        distinct = X[np.unique(X[:, used], axis=0, return_index=True)[1]]
        monomials = self.monomials(X.shape[1])
        if selected is None:
            self._refuse_large(len(distinct), len(monomials))
        examples, factors = embedded(distinct, monomials)
        all_or_selected = dichotomies(examples, check) if selected is None else selected
        splits = all_or_selected.non_trivial()
        P = np.stack(list(products(monomials, distinct)), axis=1)
        realized = realize(P, in_features(splits.weights, factors), splits.left, check)
        found = realized.found
        thresholds = middle_between(realized.last_left[found], realized.first_right[found])
        pairs = zip(realized.weights[found].tolist(), thresholds.tolist(), strict=True)
        listed = [SurfaceRule(monomials, tuple(weights), t) for weights, t in pairs]
        return listed, len(splits.left) - len(listed)

    def with_opposites(
        self, rules: Sequence[SurfaceRule], X: NDArray[np.float64]
    ) -> list[SurfaceRule]:
        """Return rules of a table, each followed by its opposite.

        Parameters
        ----------
        rules : sequence of SurfaceRule
            Rules that split the table.
        X : ndarray of float64, shape (n, d)
            The table.
        """
        return [either for rule in rules for either in (rule, _opposite(rule, X))]

    def monomials(self, n_features: int) -> tuple[Monomial, ...]:
        """Return all products of up to `degree` features.

        Parameters
        ----------
        n_features : int
            The number of features of the table.
        """
        used = self.features_of(n_features)
        return tuple(
            tuple(chosen.count(feature) for feature in range(n_features))
            for degree in range(1, self.degree + 1)
            for chosen in combinations_with_replacement(used, degree)
        )

    def number_of_monomials(self, n_features: int) -> int:
        """Return the number of products of up to `degree` features, without listing them.

        Parameters
        ----------
        n_features : int
            The number of features of the table.
        """
        return comb(len(self.features_of(n_features)) + self.degree, self.degree) - 1

    def features_of(self, n_features: int) -> list[int]:
        """Return the indices of the features that splits may use.

        Parameters
        ----------
        n_features : int
            The number of features of the table.
        """
        features = range(n_features) if self.features is None else self.features
        return [index_of(feature) for feature in features]

    def _refuse_large(self, n: int, g: int) -> None:
        through = min(g, n - 1)  # n examples span at most n - 1 dimensions
        surfaces = comb(n, through)
        needed = surfaces * 2**through * n
        if needed > MAX_BYTES:
            raise MethodRefused(
                f"{n:,} different examples have {shortened(surfaces)} surfaces through {through} "
                f"of them. All dichotomies by these surfaces take {shortened(needed)} bytes, more "
                f"than {MAX_BYTES:,}. Take fewer examples, a lower degree, or fewer features "
                "(features=, or --features)."
            )


@dataclass(frozen=True)
class Hyperplanes(Hypersurfaces):
    """All rules "a weighted sum of features is at most a threshold": surfaces of degree 1.

    Parameters
    ----------
    features : iterable of int or str, optional
        The only features that splits may use, by index or by name; all by default.
    """

    degree: int = field(default=1, init=False)


def in_features(weights: NDArray[np.float64], factors: Sequence[Fraction]) -> NDArray[np.float64]:
    """Convert weights of scaled examples to weights of the user's products of features.

    Parameters
    ----------
    weights : ndarray of float64, shape (h, products)
        The weights.
    factors : sequence of Fraction
        As from `embedded`.
    """
    exponents = [f.numerator.bit_length() - f.denominator.bit_length() for f in factors]
    mantissas = [float(f / Fraction(2) ** e) for f, e in zip(factors, exponents, strict=True)]
    with np.errstate(over="ignore", under="ignore"):
        scaled: NDArray[np.float64] = np.ldexp(weights * mantissas, np.array(exponents, dtype=int))
    return scaled


def _opposite(rule: SurfaceRule, X: NDArray[np.float64]) -> SurfaceRule:
    """Return the rule that sends the other rows left."""
    value = -rule.sums(X)
    left = value < -rule.threshold
    threshold = middle_between(float(value[left].max()), float(value[~left].min()))
    return SurfaceRule(rule.monomials, tuple(-w for w in rule.weights), float(threshold))


def embedded(
    X: NDArray[np.float64], monomials: tuple[Monomial, ...]
) -> tuple[ScaledExamples, list[Fraction]]:
    """Return the exact products of features, and the factors that scale their weights.

    Values that are short decimals are read as decimals (`readings.py`).

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        The table.
    monomials : tuple of tuple of int
        The products.
    """
    used = np.array(monomials).any(axis=0)
    # Values of other features may be missing.
    exact, factors = integers(readings(np.where(used, X, 0.0)))
    rows = [
        [
            prod(value**power for value, power in zip(row, monomial, strict=True))
            for monomial in monomials
        ]
        for row in exact
    ]
    examples = ScaledExamples.of(rows)
    of_products = [
        prod(factor**power for factor, power in zip(factors, monomial, strict=True)) / 2**scale
        for monomial, scale in zip(monomials, examples.powers, strict=True)
    ]
    return examples, of_products
