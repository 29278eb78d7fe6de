"""The leaf penalty in the integers a fast search computes with.

A search counts ``error_price * errors + leaf_price * leaves``. Where the exact price of a leaf
is a fraction with a small denominator q, the prices are its numerator and q, and costs are
exact. A float like 0.00021544346900318845 has a denominator of 10**20, too large for 64 bits;
then the price is replaced by one with a small denominator under which *every two trees compare
as they do under the exact price*. So the best tree is the same, and its cost is recounted
exactly.

Why there is one: two trees compare by the sign of (difference in errors) - price * (difference
in leaves), that is, by which side of a fraction errors / leaves the price lies on. Denominators
are below `most_leaves` here, so all prices strictly between two neighbouring such fractions
(neighbours in a Farey sequence) are alike, and the mediant of the two is the simplest of them.
"""

from dataclasses import dataclass
from fractions import Fraction

from exactree.data.weights import GREATEST_TOTAL

__all__ = ["LeafPrice"]


@dataclass(frozen=True)
class LeafPrice:
    """The price of a leaf, exact and in a search's integers; all in units of integer weights.

    Attributes
    ----------
    exact : Fraction
        Leaf penalty times the total weight.
    error_price, leaf_price : int
        A search's price of one unit of misclassified weight, and of one leaf.
    most_leaves : int
        No tree within the limits has more leaves.
    """

    exact: Fraction
    error_price: int
    leaf_price: int
    most_leaves: int

    @classmethod
    def of(cls, exact: Fraction, total_weight: int, most_leaves: int) -> "LeafPrice":
        """Choose the search's prices.

        Parameters
        ----------
        exact : Fraction
            The price of a leaf.
        total_weight : int
            The weight of all examples; no tree has more errors.
        most_leaves : int
            At least the number of leaves of every tree within the limits.

        Returns
        -------
        LeafPrice
            With ``error_price * total_weight + leaf_price`` below 2**62.
        """
        # Above the total weight the price does not matter: the single leaf is the only best tree.
        price = min(exact, Fraction(total_weight + 1))
        if price.denominator * (2 * total_weight + 1) >= GREATEST_TOTAL:
            price = _simplest_alike(price, max(most_leaves - 1, 1))
        return cls(exact, price.denominator, price.numerator, most_leaves)

    @property
    def substituted(self) -> bool:
        """Whether the search's price of a leaf differs from the exact one."""
        return Fraction(self.leaf_price, self.error_price) != self.exact

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
        """Turn a lower bound on the search's costs into one on exact costs.

        Parameters
        ----------
        lower_bound : int
            ``error_price * errors + leaf_price * leaves`` is at least this for every tree.

        Returns
        -------
        Fraction
            No tree within the limits costs less; exact unless the price was substituted.
        """
        price = Fraction(self.leaf_price, self.error_price)
        leaves = 1 if self.exact >= price else self.most_leaves
        return max(
            Fraction(lower_bound, self.error_price) + (self.exact - price) * leaves, self.exact
        )


def _simplest_alike(price: Fraction, most: int) -> Fraction:
    """Return a price on the same side of every fraction with a denominator up to `most`."""
    if price.denominator <= most:
        return price
    lower, upper = _neighbours(price, most)
    return Fraction(lower.numerator + upper.numerator, lower.denominator + upper.denominator)


def _neighbours(price: Fraction, most: int) -> tuple[Fraction, Fraction]:
    """Return the nearest fractions below and above with denominators up to `most`.

    By the continued fraction of the price, as in `fractions.Fraction.limit_denominator`.
    """
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = price.numerator, price.denominator
    while True:
        a = n // d
        if q0 + a * q1 > most:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
        n, d = d, n - a * d
    k = (most - q0) // q1
    first, second = Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1)
    return min(first, second), max(first, second)
