"""Axis-parallel rules make every split of a subset by a threshold on one feature, each once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules import AxisParallel, AxisRule, RuleFamily
from exactree.testing import check_rule_family, tables

FAMILY = AxisParallel()


def splits_by_all_thresholds(X: np.ndarray, subset: np.ndarray) -> set[tuple[bool, ...]]:
    """Return all splits, by trying each value of the subset as a threshold."""
    splits = {tuple(X[subset, f] <= t) for f in range(X.shape[1]) for t in X[subset, f]}
    return {split for split in splits if any(split) and not all(split)}


@given(st.data())
def test_the_rules_make_all_splits_of_the_subset(data: st.DataObject) -> None:
    X = data.draw(tables(max_rows=8)) + 0.0  # turns -0.0 into 0.0, as in datasets
    subset = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1)))
    rules = list(FAMILY.distinct(X, subset))
    listed = [tuple(rule.holds(X[subset]).tolist()) for rule in rules]
    assert len(set(listed)) == len(listed)
    assert set(listed) == splits_by_all_thresholds(X, subset)
    check_rule_family(FAMILY, X, subset)


def test_a_rule_stands_between_neighbouring_values_of_the_subset() -> None:
    X = np.array([[1.0], [2.0], [3.0], [9.0]])
    rules = list(FAMILY.distinct(X, np.array([3, 0, 2])))
    assert rules == [AxisRule(0, 1.0, 3.0), AxisRule(0, 3.0, 9.0)]
    assert [rule.threshold for rule in rules] == [2.0, 6.0]
    assert rules[0].holds(X).tolist() == [True, True, False, False]


def test_of_features_that_split_alike_only_the_first_has_a_rule() -> None:
    X = np.array([[0.0, 5.0, 1.0], [1.0, 7.0, 0.0]])
    assert [rule.feature for rule in FAMILY.distinct(X, np.arange(2))] == [0, 2]


def test_constant_features_have_no_rules() -> None:
    assert not list(FAMILY.distinct(np.ones((4, 2)), np.arange(4)))


def test_the_family_is_a_rule_family_and_equal_to_another_instance() -> None:
    assert isinstance(FAMILY, RuleFamily)
    assert AxisParallel() == FAMILY
