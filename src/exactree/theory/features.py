"""The description of features for bounds: their number, kinds and numbers of categories.

A rule has two sides: the examples that go left, and those that go right. For features of one kind
this module has the maximum number of different sides of all rules, in total (`sides`) and by their
number of examples (`sides_by_size`). Surfaces and given rules are described in the same way,
because only the splits of examples matter. The derivation is in docs/papers/003-partitions.md.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, prod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import MAX_COUNT, checked_integer, shown
from exactree.rules.dichotomies import linear_dichotomies

NominalRules = Literal["one-against-rest", "subset"]
Kind = Literal["numeric", "ordinal", "surface", "fixed"] | NominalRules


@dataclass(frozen=True)
class FeatureGroup:
    """Features of one kind with the same number of categories; or surfaces, or given rules.

    Attributes
    ----------
    kind : {"numeric", "ordinal", "one-against-rest", "subset", "surface", "fixed"}
        Their rules: thresholds on numbers or on ordered categories; equality to a category;
        membership in a set of categories; a threshold on a weighted sum of terms; a given rule.
    categories : int
        The number of categories; 0 if numeric; the number of terms for surfaces, 2 for given rules.
    count : int
        The number of features, of families of surfaces, or of given rules.
    """

    kind: Kind
    categories: int
    count: int

    def sides(self, m: int) -> int:
        """Return the maximum number of non-trivial sets of examples that are a side of a rule.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.kind == "surface":
            return self.count * (2 * linear_dichotomies(m, self.categories) - 2)
        c = self._max_values(m)
        if self.kind == "subset":
            return self.count * ((1 << c) - 2)
        if self.kind == "one-against-rest" and c > 2:  # with two categories, both rules split alike
            return self.count * 2 * c
        return self.count * 2 * (c - 1)

    def sides_by_size(self, m: int) -> list[int]:
        """Return the maximum number of sets of k examples that are a side, for k = 1 ... m - 1.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.kind == "numeric":
            return [2 * self.count] * (m - 1)
        if self.kind == "surface":  # no better bound by size; only their sum is bounded
            return [self.sides(m)] * (m - 1)
        return [self.count * self._sides_of_size(m, min(k, m - k)) for k in range(1, m)]

    def _sides_of_size(self, m: int, k: int) -> int:
        """Return `sides_by_size` for one feature with categories and k up to half the examples."""
        c, half = self._max_values(m), 2 * k == m
        if self.kind == "one-against-rest":
            return min(c if c * k == m else c - 1, m // k)
        if self.kind == "subset":
            return comb(c, k if 2 * k < c else c // 2 + (not half))
        return min(c - 1, 2) if not half else 2 * (c > 1)

    def _max_values(self, m: int) -> int:
        """Return the maximum number of different categories, or numbers, of m examples."""
        return m if self.kind == "numeric" else min(self.categories, m)


@dataclass(frozen=True)
class Features:
    """The features of a table, for the argument `n_features` of bounds.

    The categories are those that examples can have, not only those of one table: if other codes are
    expected, they count as one more category.

    Parameters
    ----------
    numeric : int
        The number of numeric features; rules are thresholds.
    ordinal : tuple of int
        The number of categories of each ordered feature; rules are thresholds.
    nominal : tuple of int
        The number of categories of each feature without an order.
    nominal_rules : {"one-against-rest", "subset"}
        "x[feature] == category", as the rules of `Problem` on its `categories`; or "x[feature] is
        one of these categories". A child for each category ("multiway") is refused.
    surfaces : tuple of int
        The number of terms of each family of surfaces: D for hyperplanes of D features,
        C(D + M, D) - 1 for surfaces of degree M.
    fixed_rules : int
        The number of given rules, which must be chosen independently of the examples.
    """

    numeric: int = 0
    ordinal: tuple[int, ...] = ()
    nominal: tuple[int, ...] = ()
    nominal_rules: NominalRules = "one-against-rest"
    surfaces: tuple[int, ...] = ()
    fixed_rules: int = 0

    def __post_init__(self) -> None:
        for name in ("numeric", "fixed_rules"):
            object.__setattr__(self, name, checked_integer(name, getattr(self, name), 0, MAX_COUNT))
        for name, content in _LISTS.items():
            object.__setattr__(self, name, _numbers(name, content, getattr(self, name)))
        if self.nominal_rules not in get_args(NominalRules):
            raise ValueError(_refused_rules(self.nominal_rules))
        if not (self.count or self.surfaces or self.fixed_rules):
            raise ValueError("Features must describe at least one feature, found none.")

    @property
    def count(self) -> int:
        """The number of features with rules on a single feature."""
        return self.numeric + len(self.ordinal) + len(self.nominal)

    @property
    def only_numeric(self) -> bool:
        """Whether all rules are thresholds on numbers."""
        return not (self.ordinal or self.nominal or self.surfaces or self.fixed_rules)

    def groups(self) -> list[FeatureGroup]:
        """Return the features that can split, grouped by kind and number of categories."""
        kinds: Counter[tuple[Kind, int]] = Counter({("numeric", 0): self.numeric})
        kinds["fixed", 2] = self.fixed_rules
        kinds.update(("surface", n) for n in self.surfaces)
        kinds.update(("ordinal", n) for n in self.ordinal if n > 1)
        kinds.update((self.nominal_rules, n) for n in self.nominal if n > 1)
        return [
            FeatureGroup(kind, categories, count)
            for (kind, categories), count in sorted(kinds.items())
            if count
        ]

    def max_distinct(self, m: int) -> int:
        """Return the maximum number of different examples among m examples.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.numeric or self.surfaces or self.fixed_rules >= m:
            return m
        return min(m, prod(self.ordinal + self.nominal) << self.fixed_rules)


def numbers_of_categories(X: NDArray[np.float64], columns: Iterable[int]) -> tuple[int, ...]:
    """Return the number of categories that examples can have in each column of codes.

    It is the number of codes in the table plus one. The additional category stands for all codes
    that the table lacks, which equal no code of a tree.

    Parameters
    ----------
    X : ndarray
        The table.
    columns : iterable of int
        The columns of codes.
    """
    return tuple(len(np.unique(X[:, column])) + 1 for column in columns)


def as_features(n_features: int | Features) -> Features:
    """Return the features that a number, or a description, stands for.

    Parameters
    ----------
    n_features : int or Features
        At least 1; an int is a number of numeric features.
    """
    if isinstance(n_features, Features):
        return n_features
    return Features(numeric=checked_integer("n_features", n_features, 1, MAX_COUNT))


def _refused_rules(rules: object) -> str:
    """Return the reason why rules on nominal features are refused."""
    if rules == "multiway":
        return (
            "nominal_rules='multiway' is refused: a node with a child for each category has more "
            "than two, and the bounds are for shapes whose nodes have two children."
        )
    return f"nominal_rules must be 'one-against-rest' or 'subset', found {rules!r}."


_LISTS = {
    "ordinal": "numbers of categories, one for each feature",
    "nominal": "numbers of categories, one for each feature",
    "surfaces": "numbers of terms, one for each family of surfaces",
}


def _numbers(name: str, content: str, given: Any) -> tuple[int, ...]:
    """Return numbers of categories or terms, after checking them."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise TypeError(f"{name} must be a tuple of {content}, found {shown(given)}.")
    return tuple(
        checked_integer(f"each number in {name}", number, 1, MAX_COUNT) for number in given
    )
