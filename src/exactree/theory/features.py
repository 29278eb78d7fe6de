"""The features of a table as far as bounds ask: how many, of which kind, with how many categories.

A rule has two sides, a set of examples and the others. Told here for features alike: how many
sets of examples can be such a side at most, in all (`sides`) and of each size (`sides_by_size`).
Surfaces and given rules are described likewise: what counts is how they split examples. The
derivation is in docs/papers/003-partitions.md.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, prod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from exactree.data.features import shown
from exactree.rules.dichotomies import linear_dichotomies
from exactree.theory.counts import MOST, whole

NominalRules = Literal["one-against-rest", "subset"]
Kind = Literal["numeric", "ordinal", "surface", "fixed"] | NominalRules


@dataclass(frozen=True)
class FeaturesAlike:
    """Some features of one kind with the same number of categories; or surfaces, or given rules.

    Attributes
    ----------
    kind : {"numeric", "ordinal", "one-against-rest", "subset", "surface", "fixed"}
        Their rules: thresholds on numbers or on ordered categories; the category is this one; it
        is one of these; a weighted sum of terms is at most a threshold; a rule that was given.
    categories : int
        The number of categories; 0 if numeric; of surfaces the number of terms, of a given rule 2.
    count : int
        The number of features, of families of surfaces, or of given rules.
    """

    kind: Kind
    categories: int
    count: int

    def sides(self, m: int) -> int:
        """Return how many sets of examples, neither none nor all, are a side of a rule at most.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.kind == "surface":
            return self.count * (2 * linear_dichotomies(m, self.categories) - 2)
        c = self._seen(m)
        if self.kind == "subset":
            return self.count * ((1 << c) - 2)
        if self.kind == "one-against-rest" and c > 2:  # of two, both rules divide alike
            return self.count * 2 * c
        return self.count * 2 * (c - 1)

    def sides_by_size(self, m: int) -> list[int]:
        """Return how many sets of k examples are a side of a rule at most, for k = 1 ... m - 1.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.kind == "numeric":
            return [2 * self.count] * (m - 1)
        if self.kind == "surface":  # no better bound by size: their sum is what counts
            return [self.sides(m)] * (m - 1)
        return [self.count * self._sides_of_size(m, min(k, m - k)) for k in range(1, m)]

    def _sides_of_size(self, m: int, k: int) -> int:
        """Return the same of one feature with categories, for k of at most half the examples."""
        c, half = self._seen(m), 2 * k == m
        if self.kind == "one-against-rest":
            return min(c if c * k == m else c - 1, m // k)
        if self.kind == "subset":
            return comb(c, k if 2 * k < c else c // 2 + (not half))
        return min(c - 1, 2) if not half else 2 * (c > 1)

    def _seen(self, m: int) -> int:
        """Return how many categories, or numbers, m examples can have."""
        return m if self.kind == "numeric" else min(self.categories, m)


@dataclass(frozen=True)
class Features:
    """The features of a table, wherever a bound asks for `n_features`.

    The categories are those that examples can have, not only those of one table: who expects
    codes that the table lacks counts one more for them all.

    Parameters
    ----------
    numeric : int
        How many features hold numbers; rules are thresholds.
    ordinal : tuple of int
        For each feature of ordered categories, how many; rules are thresholds.
    nominal : tuple of int
        For each feature of categories without an order, how many.
    nominal_rules : {"one-against-rest", "subset"}
        "x[feature] == category", as the rules of `Problem` on its `categories`; or "x[feature] is
        one of these categories". A child for each category ("multiway") is refused.
    surfaces : tuple of int
        For each family of surfaces, how many terms its rules weigh: D for hyperplanes of D
        features, C(D + M, D) - 1 for surfaces of degree M.
    fixed_rules : int
        How many rules were given, chosen without a look at the examples.
    """

    numeric: int = 0
    ordinal: tuple[int, ...] = ()
    nominal: tuple[int, ...] = ()
    nominal_rules: NominalRules = "one-against-rest"
    surfaces: tuple[int, ...] = ()
    fixed_rules: int = 0

    def __post_init__(self) -> None:
        for name in ("numeric", "fixed_rules"):
            object.__setattr__(self, name, whole(name, getattr(self, name), 0, MOST))
        for name, each in _LISTS.items():
            object.__setattr__(self, name, _numbers(name, each, getattr(self, name)))
        if self.nominal_rules not in get_args(NominalRules):
            raise ValueError(_refused_rules(self.nominal_rules))
        if not (self.count or self.surfaces or self.fixed_rules):
            raise ValueError("Features must describe at least one feature, found none.")

    @property
    def count(self) -> int:
        """The number of features whose rules are about one feature."""
        return self.numeric + len(self.ordinal) + len(self.nominal)

    @property
    def only_numeric(self) -> bool:
        """Whether all rules are thresholds on numbers."""
        return not (self.ordinal or self.nominal or self.surfaces or self.fixed_rules)

    def alike(self) -> list[FeaturesAlike]:
        """Return the features by kind and number of categories, those that can divide."""
        kinds: Counter[tuple[Kind, int]] = Counter({("numeric", 0): self.numeric})
        kinds["fixed", 2] = self.fixed_rules
        kinds.update(("surface", n) for n in self.surfaces)
        kinds.update(("ordinal", n) for n in self.ordinal if n > 1)
        kinds.update((self.nominal_rules, n) for n in self.nominal if n > 1)
        return [FeaturesAlike(*of, count) for of, count in sorted(kinds.items()) if count]

    def most_distinct(self, m: int) -> int:
        """Return how many of m examples can differ from each other.

        Parameters
        ----------
        m : int
            The number of examples.
        """
        if self.numeric or self.surfaces or self.fixed_rules >= m:
            return m
        return min(m, prod(self.ordinal + self.nominal) << self.fixed_rules)


def numbers_of_categories(X: NDArray[np.float64], columns: Iterable[int]) -> tuple[int, ...]:
    """Return for each column of codes how many categories examples can have.

    Those that the table has, and one more: codes that it lacks equal none that a tree uses for.

    Parameters
    ----------
    X : ndarray
        The table.
    columns : iterable of int
        Which of its columns hold codes.
    """
    return tuple(len(np.unique(X[:, column])) + 1 for column in columns)


def features_given(n_features: int | Features) -> Features:
    """Return the features that a number, or a description, stands for.

    Parameters
    ----------
    n_features : int or Features
        At least 1; an int is a number of features of numbers.
    """
    if isinstance(n_features, Features):
        return n_features
    return Features(numeric=whole("n_features", n_features, 1, MOST))


def _refused_rules(stated: object) -> str:
    """Say why rules on nominal features are refused."""
    if stated == "multiway":
        return (
            "nominal_rules='multiway' is refused: a node with a child for each category has more "
            "than two, and the bounds are for shapes whose nodes have two children."
        )
    return f"nominal_rules must be 'one-against-rest' or 'subset', found {stated!r}."


_LISTS = {
    "ordinal": "numbers of categories, one for each feature",
    "nominal": "numbers of categories, one for each feature",
    "surfaces": "numbers of terms, one for each family of surfaces",
}


def _numbers(name: str, each: str, stated: Any) -> tuple[int, ...]:
    """Return numbers of categories or terms, refusing what is none."""
    if not isinstance(stated, Iterable) or isinstance(stated, str):
        raise TypeError(f"{name} must be a tuple of {each}, found {shown(stated)}.")
    return tuple(whole(f"each number in {name}", number, 1, MOST) for number in stated)
