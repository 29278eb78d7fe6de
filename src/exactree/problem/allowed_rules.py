"""All rules that a problem allows.

These are the user's families, and for category columns equality with a level, or sets of levels.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.features import CompleteFeatures
from exactree.data.parameters import shown
from exactree.names import suggested_rules
from exactree.problem.parameters import columns_named
from exactree.rules import (
    AxisParallel,
    Categories,
    Column,
    FixedRules,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    RulesOfTable,
    SurfaceColumn,
    SurfaceRule,
    ThresholdsWithMissing,
    families_of,
)
from exactree.rules.categories import MAX_LEVELS
from exactree.rules.surface import MAX_POWER

__all__ = ["MAX_LEVEL_SETS", "all_rules"]

# Every set of levels takes one column of zeros and ones.
MAX_LEVEL_SETS = 10_000

_NO_MISSING = "hyperplanes and other surfaces take no missing values"


def all_rules(dataset: Dataset, rules: RuleFamily, category_columns: tuple[int, ...]) -> RuleFamily:
    """Return the rules on every feature: for category columns by levels, else the user's families.

    Parameters
    ----------
    dataset : Dataset
        The table.
    rules : RuleFamily
        The user's argument.
    category_columns : tuple of int
        The indices of the category columns.

    Raises
    ------
    ValueError
        If the rules are no family, or do not fit the table.
    """
    missing = dataset.with_missing
    plain = (AxisParallel(), AxisParallel(level_sets=True))
    if rules in plain and not category_columns and not missing:
        return AxisParallel()
    given = [known for family in families_of(rules) for known in _known(dataset, family)]
    families: list[RuleFamily] = []
    used_category_columns: set[int] = set()
    for family in given:
        if isinstance(family, FixedRules):
            _check_fixed(dataset, family)
            used = {feature for rule in family.rules for feature in SurfaceColumn(rule).features}
            dataset.refuse_missing(CompleteFeatures(_NO_MISSING, tuple(sorted(used))))
            families.append(family)
            continue
        allowed = _allowed(dataset, family)
        used_category_columns |= set(allowed) & set(category_columns)
        numbers = tuple(feature for feature in allowed if feature not in category_columns)
        if isinstance(family, Hypersurfaces):
            dataset.refuse_missing(CompleteFeatures(_NO_MISSING, numbers))
            families += [replace(family, features=numbers)] if numbers else []
            continue
        families.append(AxisParallel(feature for feature in numbers if feature not in missing))
        if with_missing := tuple(feature for feature in numbers if feature in missing):
            families.append(ThresholdsWithMissing(with_missing))
    if used_category_columns:
        level_sets = any(isinstance(family, AxisParallel) and family.level_sets for family in given)
        if level_sets:
            _refuse_many_levels(dataset, sorted(used_category_columns))
        families.append(Categories(tuple(sorted(used_category_columns)), level_sets))
    return families[0] if len(families) == 1 else Mixed(tuple(families))


def _known(dataset: Dataset, family: RuleFamily) -> Iterator[RuleFamily]:
    """Yield a family; one of the user is replaced by its rules for the table.

    By the laws of families the columns of a table have all rules that split a subset.
    """
    if isinstance(family, AxisParallel | FixedRules | Hypersurfaces):
        yield family
        return
    if isinstance(family, type) or not isinstance(family, RuleFamily):
        raise ValueError(
            f"rules must be AxisParallel, Hyperplanes, Hypersurfaces, FixedRules, a RuleFamily of "
            f"your own or a Mixed of them, got {family!r}{suggested_rules(family)}"
        )
    name = type(family).__name__
    features: list[int] = []
    rules: list[SurfaceRule] = []
    columns: Iterable[object] = family.columns(dataset.X)
    for column in columns:
        if isinstance(column, SurfaceColumn):
            rules.append(column.rule)
        elif isinstance(column, Column) and column.codes is None and not column.missing:
            features.append(column.feature)
        else:
            raise ValueError(
                f"{name}.columns must return SurfaceColumn(rule) and Column(feature), "
                f"got {shown(column)}; mix AxisParallel() in for codes and missing values."
            )
    if features:
        yield AxisParallel(features)
    if rules or not features:
        yield RulesOfTable(tuple(rules), name)


def _refuse_many_levels(dataset: Dataset, features: list[int]) -> None:
    """Refuse features with too many levels for splits by arbitrary sets of levels."""
    columns = 0
    for feature in features:
        levels = len(np.unique(dataset.X[:, feature]))
        if levels > MAX_LEVELS:
            raise ValueError(
                f"level_sets=True takes at most {MAX_LEVELS} levels of a feature, and column "
                f"{dataset.feature_names[feature]!r} has {levels:,} (a missing value is one); "
                "merge rare levels, or leave level_sets=False."
            )
        columns += 2 ** (levels - 1) - 1
    if columns > MAX_LEVEL_SETS:
        raise ValueError(
            f"level_sets=True takes at most {MAX_LEVEL_SETS:,} splits by sets of levels of all "
            f"features, and there are {columns:,}; name fewer features, or leave level_sets=False."
        )


def _check_fixed(dataset: Dataset, family: FixedRules) -> None:
    """Refuse fixed rules that do not fit the table."""
    d = len(dataset.feature_names)
    for k, rule in enumerate(family.rules):
        lengths = {len(monomial) for monomial in rule.monomials}
        if lengths != {d}:
            raise ValueError(
                f"rules, rule {k}: its monomials are for {max(lengths, default=0)} features, and "
                f"X has {d}."
            )
        if len(rule.weights) != len(rule.monomials):
            raise ValueError(
                f"rules, rule {k} has {len(rule.weights)} weights for {len(rule.monomials)} "
                "monomials; each takes one."
            )
        powers: list[object] = [power for monomial in rule.monomials for power in monomial]
        if not all(isinstance(power, int) and 0 <= power <= MAX_POWER for power in powers):
            raise ValueError(f"rules, rule {k}: powers must be integers from 0 to {MAX_POWER}.")
        if not np.isfinite([*rule.weights, rule.threshold]).all():
            raise ValueError(f"rules, rule {k}: weights and threshold must be finite numbers.")


def _allowed(dataset: Dataset, family: RuleFamily) -> tuple[int, ...]:
    """Return the features that a family of rules may use."""
    assert isinstance(family, AxisParallel | Hypersurfaces)
    if family.features is None:
        return tuple(range(len(dataset.feature_names)))
    name = type(family).__name__
    allowed = columns_named(f"features of {name}", family.features, dataset.feature_names)
    if not allowed:
        raise ValueError(f"features of {name} is empty; name one, or leave it None.")
    return allowed
