"""Constraints on the features that a tree uses, and monotonicity in features."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.parameters import shown
from exactree.names import answers_unknown_names
from exactree.notebook import changed_fields
from exactree.problem.parameters import columns_named, exact_number, whole_number
from exactree.rules import Categories, RuleFamily, families_of, of_surfaces

__all__ = ["Constraints", "FeatureConstraints", "read_feature_constraints"]

Feature = str | int

_DIRECTIONS = "1 (increasing), -1 (decreasing) or 0"


@answers_unknown_names
@dataclass(frozen=True, repr=False)
class Constraints:
    """Constraints on the features that a tree uses; features by name or index.

    A tree uses a feature if one of its nodes splits on it. An ensemble uses the features that any
    of its trees uses; `only_below` and `monotonic_cst` hold in every tree.

    Parameters
    ----------
    required : iterable of str or int
        Features that the tree must use.
    only_below : mapping of feature to feature
        The first feature of each pair may be used only below a node that splits on the second.
    max_features : int, optional
        The maximum number of features that the tree, or all trees of an ensemble together, may
        use, at least 0.
    monotonic_in : {"probability", "prediction"}
        The quantity to which `monotonic_cst` applies in a classification: the share of the second
        class in the leaf that an example reaches (smoothed if the objective smooths shares), or
        only the predicted class. In a regression it is always the predicted value, in an ensemble
        the class that each tree votes for, so that the share of the votes is monotone.

    Raises
    ------
    ValueError, TypeError
        If a value is invalid.
    """

    required: Sequence[Feature] = ()
    only_below: Mapping[Feature, Feature] = field(default_factory=dict, hash=False)
    max_features: int | None = None
    monotonic_in: str = "probability"

    def __repr__(self) -> str:
        """Return the constraints that differ from the defaults."""
        return changed_fields(self)

    def __post_init__(self) -> None:
        if isinstance(self.required, str) or not isinstance(self.required, Iterable):
            raise TypeError(f"required must be a list of features, got {self.required!r}.")
        object.__setattr__(self, "required", tuple(self.required))
        if not isinstance(self.only_below, Mapping):
            raise TypeError(f"only_below must map features to features, got {self.only_below!r}.")
        object.__setattr__(self, "only_below", dict(self.only_below))
        if self.max_features is not None:
            allowed = "an integer >= 0 or None"
            max_features = whole_number("max_features", self.max_features, 0, allowed)
            object.__setattr__(self, "max_features", max_features)
        if self.monotonic_in not in ("probability", "prediction"):
            raise ValueError(
                f"monotonic_in must be 'probability' or 'prediction', got {self.monotonic_in!r}."
            )


@dataclass(frozen=True, repr=False)
class FeatureConstraints:
    """Checked constraints with features by index, monotonicity, and the prices of features.

    Attributes
    ----------
    directions : mapping of int to int
        1 for features in which the tree must not decrease, -1 for features in which it must not
        increase.
    in_shares : bool
        Whether monotonicity applies to shares of the second class; else to predictions.
    required : tuple of int
        Features that the tree must use.
    only_below : mapping of int to int
        Features that may be used only below a node that splits on another feature.
    max_features : int or None
        The maximum number of features that the tree may use.
    prices : mapping of int to Fraction
        The price of using a feature, as a share of the total weight.
    """

    directions: Mapping[int, int] = field(default_factory=dict)
    in_shares: bool = True
    required: tuple[int, ...] = ()
    only_below: Mapping[int, int] = field(default_factory=dict)
    max_features: int | None = None
    prices: Mapping[int, Fraction] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the constraints that differ from the defaults."""
        return changed_fields(self)

    def __bool__(self) -> bool:
        """Whether there is any constraint or price."""
        named = (self.directions, self.required, self.only_below, self.prices)
        return any(named) or self.max_features is not None

    def price_of(self, features: Iterable[int]) -> Fraction:
        """Return the price that a tree pays for its features, as a share of the total weight.

        Parameters
        ----------
        features : iterable of int
            The features that the tree uses, each once.
        """
        return sum((self.prices.get(feature, Fraction(0)) for feature in features), Fraction(0))

    def parameters_by_name(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the constraints that can be infeasible, with names of features, for messages.

        Parameters
        ----------
        names : sequence of str
            The names of all features.
        """
        given: dict[str, Any] = {}
        if self.required:
            given["required"] = [names[feature] for feature in self.required]
        if self.only_below:
            pairs = self.only_below.items()
            given["only_below"] = {names[below]: names[above] for below, above in pairs}
        if self.max_features is not None:
            given["max_features"] = self.max_features
        return given


def read_feature_constraints(
    dataset: Dataset,
    rules: RuleFamily,
    regression: bool,
    monotonic_cst: Any,
    feature_penalty: Any,
    constraints: Any,
) -> FeatureConstraints:
    """Check the constraints, directions and prices of features that a user gives.

    Parameters
    ----------
    dataset : Dataset
        The table.
    rules : RuleFamily
        All rules of the problem.
    regression : bool
        Whether the problem is a regression.
    monotonic_cst, feature_penalty, constraints : object
        As in `Problem`.

    Raises
    ------
    ValueError, TypeError
        If they are not allowed, or do not go with the table.
    """
    if constraints is None:
        constraints = Constraints()
    if not isinstance(constraints, Constraints):
        raise TypeError(f"constraints must be a Constraints(...), got {constraints!r}.")
    names = dataset.feature_names
    required = columns_named("required", constraints.required, names)
    feature_constraints = FeatureConstraints(
        _directions(monotonic_cst, names),
        constraints.monotonic_in == "probability" and not regression,
        required,
        _only_below(constraints.only_below, names),
        constraints.max_features,
        _prices(feature_penalty, names),
    )
    if feature_constraints:
        _refuse_surfaces(rules)
    _refuse_unused(dataset, rules, required)
    if feature_constraints.directions:
        _refuse_monotone(dataset, rules, regression, feature_constraints.directions)
    return feature_constraints


def _directions(given: Any, names: Sequence[str]) -> dict[int, int]:
    """Return the features with a direction."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        chosen = _by_index("monotonic_cst", given, names)
    elif isinstance(given, Iterable) and not isinstance(given, str):
        listed = list(given)
        if len(listed) != len(names):
            raise ValueError(
                f"monotonic_cst must have one entry for each of the {len(names)} features, got "
                f"{len(listed)}."
            )
        chosen = dict(enumerate(listed))
    else:
        raise TypeError(
            f"monotonic_cst must list {_DIRECTIONS} for each feature, or map features to these, "
            f"got {given!r}."
        )
    for feature, direction in chosen.items():
        whole = isinstance(direction, int | np.integer) and not isinstance(direction, bool)
        if not whole or direction not in (-1, 0, 1):
            raise ValueError(
                f"monotonic_cst must be {_DIRECTIONS} for a feature, got {shown(direction)} for "
                f"{names[feature]!r}."
            )
    return {feature: int(direction) for feature, direction in chosen.items() if direction}


def _by_index(name: str, given: Mapping[Any, Any], names: Sequence[str]) -> dict[int, Any]:
    """Return a mapping with features by index; refuse a feature that is named twice."""
    columns_named(name, given, names)
    return {columns_named(name, [key], names)[0]: value for key, value in given.items()}


def _only_below(given: Mapping[Feature, Feature], names: Sequence[str]) -> dict[int, int]:
    above = {
        below: columns_named("only_below", [other], names)[0]
        for below, other in _by_index("only_below", given, names).items()
    }
    for feature in above:
        ancestor, seen = feature, set()
        while ancestor in above and ancestor not in seen:
            seen.add(ancestor)
            ancestor = above[ancestor]
        if ancestor in seen:
            raise ValueError(
                f"only_below: {names[feature]!r} could never be used, because it may be used only "
                "below features that may be used only below it."
            )
    return above


def _prices(given: Any, names: Sequence[str]) -> dict[int, Fraction]:
    allowed = "a finite number >= 0, or map features to such numbers"
    if not isinstance(given, Mapping):
        price = exact_number("feature_penalty", given, allowed)
        return dict.fromkeys(range(len(names)), price) if price else {}
    prices = {
        feature: exact_number(f"feature_penalty[{names[feature]!r}]", price, "a number >= 0")
        for feature, price in _by_index("feature_penalty", given, names).items()
    }
    return {feature: price for feature, price in prices.items() if price}


def _refuse_surfaces(rules: RuleFamily) -> None:
    if of_surfaces(rules):
        raise ValueError(
            "monotonic_cst, feature_penalty and constraints need rules that use one feature each; "
            "they do not go with hyperplanes and other surfaces."
        )


def _refuse_unused(dataset: Dataset, rules: RuleFamily, required: tuple[int, ...]) -> None:
    """Refuse a required feature that no split may use."""
    if not required:
        return
    columns = [column for family in families_of(rules) for column in family.columns(dataset.X)]
    features = {feature for column in columns for feature in column.features}
    for feature in required:
        if feature not in features:
            raise ValueError(
                f"required names {dataset.feature_names[feature]!r}, which no rule may use."
            )


def _refuse_monotone(
    dataset: Dataset, rules: RuleFamily, regression: bool, directions: Mapping[int, int]
) -> None:
    """Refuse tables for which monotone trees are undefined or no search supports them."""
    if not regression and len(dataset.classes) > 2:
        if len(np.unique(dataset.labels)) <= 2:
            raise ValueError(
                "monotonic_cst needs two classes, and cost_matrix adds labels that are not in y."
            )
        raise ValueError(
            f"monotonic_cst needs two classes, as in scikit-learn, and y has "
            f"{len(dataset.classes)}; make one problem for each class against the others."
        )
    dataset.refuse_missing(
        "monotonic_cst takes no missing values, in any feature: they have no place in the order of "
        "a feature with a direction, and points are compared at known values of the others"
    )
    for family in families_of(rules):
        if not isinstance(family, Categories):
            continue
        for feature in family.features:
            if feature in directions:
                raise ValueError(
                    f"monotonic_cst names {dataset.feature_names[feature]!r}, a column of text or "
                    "codes without an order."
                )
