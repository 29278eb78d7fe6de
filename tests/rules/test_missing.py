"""Rules with missing values: all thresholds and codes with missing values left or right."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules import (
    AxisRule,
    Categories,
    CategoryRule,
    Column,
    MissingRule,
    Mixed,
    ThresholdsWithMissing,
)
from exactree.testing import check_rule_family

NAN = np.nan
TABLES = st.lists(
    st.tuples(st.sampled_from([NAN, -1.0, 0.0, 2.0]), st.sampled_from([NAN, 0.5, 1.0, 1e308])),
    min_size=1,
    max_size=8,
).map(np.array)


def subsets(rows: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.integers(0, rows - 1), unique=True, min_size=1).map(np.array)


def all_splits(values: list[float], by_code: bool) -> set[tuple[bool, ...]]:
    """Return all splits of values, by trying each value as a threshold or code."""
    missing = [np.isnan(value) for value in values]
    splits = {tuple(missing), tuple(not is_missing for is_missing in missing)}
    for t in values:
        for missing_left in (False, True):
            splits.add(
                tuple(
                    missing_left if np.isnan(value) else value == t if by_code else value <= t
                    for value in values
                )
            )
    return {split for split in splits if any(split) and not all(split)}


@given(st.data())
def test_the_rules_are_all_thresholds_and_codes_with_missing_values_on_either_side(
    data: st.DataObject,
) -> None:
    X = data.draw(TABLES)
    subset = data.draw(subsets(len(X)))
    for feature, family in ((0, Categories((0,))), (1, ThresholdsWithMissing((1,)))):
        listed = [tuple(left.tolist()) for _, left in family.by_feature(X, subset)]
        assert len(set(listed)) == len(listed)
        assert set(listed) == all_splits(X[subset, feature].tolist(), by_code=feature == 0)
        for rule, left in family.by_feature(X, subset):
            assert rule.holds(X[subset]).tolist() == left.tolist()
        check_rule_family(family, X, subset)
    check_rule_family(Mixed((Categories((0,)), ThresholdsWithMissing((1,)))), X, subset)


def test_columns_of_numbers_have_missing_values_below_or_above_all_others() -> None:
    X = np.array([[3.0], [NAN], [-1.7976931348623157e308], [1.7976931348623157e308]])
    family = ThresholdsWithMissing((0,))
    assert family.columns(X) == [Column(0, missing="left"), Column(0, missing="right")]
    # No number is below or above the extreme floats, so ranks replace the numbers.
    assert Column(0, missing="left").values(X).tolist() == [1.0, -1.0, 0.0, 2.0]
    assert Column(0, missing="right").values(X).tolist() == [1.0, 3.0, 0.0, 2.0]
    above = np.nextafter(3.0, 4.0)
    assert Column(0, missing="right").values(X[:3]).tolist() == [3.0, above, *X[2]]
    assert Column(0, missing="left").values(X[1:2]).tolist() == [0.0]
    assert family.columns(X[[0, 2]]) == [Column(0)]


def test_missing_is_a_further_level_of_a_category() -> None:
    X = np.array([[3.0], [NAN], [5.0]])
    columns = Categories((0,)).columns(X)
    assert [column.name(["colour"]) for column in columns] == [
        "colour == 3",
        "colour == 3 or missing",
        "colour == 5",
        "colour == 5 or missing",
        "colour is missing",
        "colour in {3, 5}",
    ]


def test_rules_for_two_values_and_a_missing_value() -> None:
    X = np.array([[3.0], [NAN], [5.0]])
    everything = np.arange(3)
    assert list(ThresholdsWithMissing((0,)).distinct(X, everything)) == [
        AxisRule(0, 3.0, 5.0),
        AxisRule(0, 3.0, 5.0, missing_left=True),
        MissingRule(0, missing_left=True),
        MissingRule(0, missing_left=False),
    ]
    assert list(Categories((0,)).distinct(X, np.array([0, 1]))) == [
        MissingRule(0, missing_left=True),
        MissingRule(0, missing_left=False),
    ]
    assert CategoryRule(0, 3) in list(Categories((0,)).distinct(X, everything))
