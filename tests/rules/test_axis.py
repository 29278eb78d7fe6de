"""Axis-parallel rules split a subset in every way that one feature can, each once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules import AxisParallel, AxisRule, RuleFamily
from exactree.testing import check_rule_family, tables

FAMILY = AxisParallel()


def divisions_by_all_thresholds(X: np.ndarray, part: np.ndarray) -> set[tuple[bool, ...]]:
    """Every way to divide, by trying each value of the subset as a threshold."""
    ways = {tuple(X[part, f] <= t) for f in range(X.shape[1]) for t in X[part, f]}
    return {way for way in ways if any(way) and not all(way)}


@given(st.data())
def test_the_rules_are_all_ways_to_divide_the_part(data: st.DataObject) -> None:
    X = data.draw(tables(max_rows=8)) + 0.0
    part = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1)))
    rules = list(FAMILY.distinct(X, part))
    found = [tuple(rule.holds(X[part]).tolist()) for rule in rules]
    assert len(set(found)) == len(found)
    assert set(found) == divisions_by_all_thresholds(X, part)
    check_rule_family(FAMILY, X, part)


def test_a_rule_stands_between_neighbouring_values_of_the_part() -> None:
    X = np.array([[1.0], [2.0], [3.0], [9.0]])
    rules = list(FAMILY.distinct(X, np.array([3, 0, 2])))
    assert rules == [AxisRule(0, 1.0, 3.0), AxisRule(0, 3.0, 9.0)]
    assert [rule.threshold for rule in rules] == [2.0, 6.0]
    assert rules[0].holds(X).tolist() == [True, True, False, False]


def test_of_features_that_divide_alike_the_first_is_taken() -> None:
    X = np.array([[0.0, 5.0, 1.0], [1.0, 7.0, 0.0]])
    assert [rule.feature for rule in FAMILY.distinct(X, np.arange(2))] == [0, 2]


def test_constant_features_have_no_rules() -> None:
    assert not list(FAMILY.distinct(np.ones((4, 2)), np.arange(4)))


def test_the_family_is_a_rule_family_and_families_are_equal() -> None:
    assert isinstance(FAMILY, RuleFamily)
    assert AxisParallel() == FAMILY
