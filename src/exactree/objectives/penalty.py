"""The leaf penalty in the integers a fast search computes with.

A search counts ``error_price * errors + leaf_price * leaves``. Where the exact price of a leaf
is a fraction with a small denominator q, the prices are its numerator and q, and costs are
exact. A float like 0.00021544346900318845 has a denominator of 10**20, too large for 64 bits;
then the price is replaced by a price with a small denominator under which *every two trees
compare as they do under the exact price*. So the best tree is the same, and its cost is recounted
exactly.

Such a price exists: two trees compare by the sign of (difference in errors) - price * (difference
in leaves), that is, by whether the price is below or above the fraction (difference in errors) /
(difference in leaves). The denominators of these fractions are below `max_leaves`, so all prices
strictly between two neighbouring fractions (neighbours in a Farey sequence) order the trees in the
same way, and the mediant of the two fractions is the simplest of these prices.

Prices of features have no such substitute. If exact prices take too many bits, all are rounded down
to a common unit, so that no tree costs more in the search than it does exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from exactree.data.weights import TOTAL_LIMIT

__all__ = ["LeafPrice", "SearchPrices"]


@dataclass(frozen=True)
class LeafPrice:
    """The price of a leaf, exact and in the integers of a search, in units of integer weights.

    Attributes
    ----------
    exact : Fraction
        The leaf penalty times `ProblemProperties.price_unit`, for plain errors the total weight.
    error_price, leaf_price : int
        Prices of one unit of misclassified weight and of one leaf in the search.
    max_leaves : int
        Upper bound on the leaves of a tree within the limits.
    """

    exact: Fraction
    error_price: int
    leaf_price: int
    max_leaves: int

    @classmethod
    def of(cls, exact: Fraction, total_weight: int, max_leaves: int) -> "LeafPrice":
        """Choose the search's prices.

        Parameters
        ----------
        exact : Fraction
            The price of a leaf.
        total_weight : int
            The weight of all examples; no tree has more errors.
        max_leaves : int
            Upper bound on the leaves of a tree within the limits.

        Returns
        -------
        LeafPrice
            With ``error_price * total_weight + leaf_price`` below 2**62.
        """
        # Under any price above the total weight a tree with fewer leaves is cheaper.
        price = min(exact, Fraction(total_weight + 1))
        if price.denominator * (2 * total_weight + 1) >= TOTAL_LIMIT:
            price = _simplest_equivalent(price, max(max_leaves - 1, 1))
        return cls(exact, price.denominator, price.numerator, max_leaves)

    @property
    def substituted(self) -> bool:
        """Whether the search's price of a leaf differs from the exact price."""
        return Fraction(self.leaf_price, self.error_price) != self.exact

    @property
    def slack(self) -> Fraction:
        """The maximum amount by which `exact_lower_bound` reduces the minimum cost."""
        difference = abs(self.exact - Fraction(self.leaf_price, self.error_price))
        return difference * (self.max_leaves - 1)

    def exact_cost(self, errors: int, leaves: int) -> Fraction:
        """Return the cost of a tree in units of integer weights.

        Parameters
        ----------
        errors : int
            Misclassified integer weight.
        leaves : int
            Number of leaves.
        """
        return errors + self.exact * leaves

    def exact_lower_bound(self, lower_bound: int) -> Fraction:
        """Turn a lower bound on the search's costs into a lower bound on exact costs.

        Parameters
        ----------
        lower_bound : int
            ``error_price * errors + leaf_price * leaves`` is at least this for every tree.

        Returns
        -------
        Fraction
            No tree within the limits costs less. If the price was substituted, this bound can be
            less tight than that of the search.
        """
        price = Fraction(self.leaf_price, self.error_price)
        leaves = 1 if self.exact >= price else self.max_leaves
        return max(
            Fraction(lower_bound, self.error_price) + (self.exact - price) * leaves, self.exact
        )


@dataclass(frozen=True)
class SearchPrices(LeafPrice):
    """The price of a leaf with prices of features, which a tree pays once for each of its features.

    Attributes
    ----------
    exact_features : tuple of Fraction
        The exact prices of the features.
    features : tuple of int
        Their prices in the search.
    rounded : bool
        Whether exact prices need more than 62 bits and are rounded down. A cost of the search,
        divided by `error_price`, is then at most the exact cost.
    """

    exact_features: tuple[Fraction, ...]
    features: tuple[int, ...]
    rounded: bool

    @classmethod
    def with_features(
        cls,
        leaf: Fraction,
        features: Sequence[Fraction],
        weights: tuple[int, int],
        max_leaves: int,
        *,
        leaf_is_feasible: bool,
    ) -> "SearchPrices":
        """Choose the search's prices, so that no optimal tree costs 2**62 or more.

        Parameters
        ----------
        leaf : Fraction
            The price of a leaf.
        features : sequence of Fraction
            The price of each feature.
        weights : pair of int
            The weight of all examples, below 2**62, and the errors of a single leaf, which no tree
            exceeds.
        max_leaves : int
            Upper bound on the leaves of a tree within the limits.
        leaf_is_feasible : bool
            Whether a single leaf satisfies all constraints. Then no optimal tree costs more.
        """
        total_weight, errors = weights
        most_leaves = 1 if leaf_is_feasible else max_leaves
        if not any(features) and leaf <= total_weight:
            price = LeafPrice.of(leaf, total_weight, max_leaves)
            of_all = price.error_price * total_weight + price.leaf_price
            of_tree = price.error_price * errors + price.leaf_price * most_leaves
            if max(of_all, of_tree) < TOTAL_LIMIT:
                none = (0,) * len(features)
                prices = price.error_price, price.leaf_price
                return cls(leaf, *prices, max_leaves, tuple(features), none, rounded=False)
        # The weight of all examples, and the cost of an optimal tree, must be below the limit.
        most = errors + leaf * most_leaves + (0 if leaf_is_feasible else sum(features, Fraction(0)))
        greatest = max(most, Fraction(total_weight))
        scale = lcm(leaf.denominator, *(feature.denominator for feature in features))
        rounded = scale * greatest >= TOTAL_LIMIT
        if rounded:
            # The greatest scale at which all costs fit, if that is at least 1.
            scale = max(int((TOTAL_LIMIT - 1) / greatest), 1)
        leaf_price, *of_features = (int(price * scale) for price in (leaf, *features))
        if scale * greatest >= TOTAL_LIMIT:
            # Prices far above all errors are reduced to what is left of 62 bits.
            left = (TOTAL_LIMIT - 1 - scale * errors) // 2
            leaf_price = min(leaf_price, left // most_leaves)
            of_features = [min(price, left // len(features)) for price in of_features]
        # A tree that pays more than a feasible leaf costs is not optimal, whatever it pays.
        of_features = [min(price, TOTAL_LIMIT - 1) for price in of_features]
        return cls(
            leaf, scale, leaf_price, max_leaves, tuple(features), tuple(of_features), rounded
        )

    @property
    def shortfall(self) -> Fraction:
        """The maximum amount by which rounding reduces the cost of a tree."""
        if not self.rounded:
            return Fraction(0)
        of_leaves = (self.exact - Fraction(self.leaf_price, self.error_price)) * self.max_leaves
        pairs = zip(self.exact_features, self.features, strict=True)
        return of_leaves + sum(exact - Fraction(price, self.error_price) for exact, price in pairs)


def _simplest_equivalent(price: Fraction, max_denominator: int) -> Fraction:
    """Return a simple price that compares like `price` with fractions of small denominators."""
    if price.denominator <= max_denominator:
        return price
    lower, upper = _neighbours(price, max_denominator)
    return Fraction(lower.numerator + upper.numerator, lower.denominator + upper.denominator)


def _neighbours(price: Fraction, max_denominator: int) -> tuple[Fraction, Fraction]:
    """Return the nearest fractions below and above with denominators up to `max_denominator`.

    By the continued fraction of the price, as in `fractions.Fraction.limit_denominator`.
    """
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = price.numerator, price.denominator
    while True:
        a = n // d
        if q0 + a * q1 > max_denominator:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
        n, d = d, n - a * d
    k = (max_denominator - q0) // q1
    first, second = Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1)
    return min(first, second), max(first, second)
