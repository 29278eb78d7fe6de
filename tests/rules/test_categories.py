"""Equality rules split a subset by each of its codes, as columns of 0 and 1 do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules import (
    AxisParallel,
    AxisRule,
    Categories,
    CategoryRule,
    Column,
    Mixed,
    RuleFamily,
)
from exactree.testing import check_rule_family, tables

CODES = st.lists(
    st.tuples(st.integers(-1, 2), st.integers(0, 3), st.sampled_from([0.5, 1.0, 2.5])),
    min_size=1,
    max_size=8,
).map(lambda rows: np.array(rows, dtype=np.float64))


def subsets(rows: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.integers(0, rows - 1), unique=True, min_size=1).map(np.array)


@given(st.data())
def test_the_rules_are_all_codes_of_the_subset(data: st.DataObject) -> None:
    X = data.draw(CODES)
    subset = data.draw(subsets(len(X)))
    splits = {tuple(X[subset, f] == code) for f in (0, 1) for code in X[subset, f]}
    family = Categories((0, 1))
    listed = [tuple(rule.holds(X[subset]).tolist()) for rule in family.distinct(X, subset)]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {split for split in splits if any(split) and not all(split)}
    check_rule_family(family, X, subset)


@given(st.data())
def test_several_families_have_the_rules_of_all_of_them(data: st.DataObject) -> None:
    X = data.draw(CODES)
    subset = data.draw(subsets(len(X)))
    families = (AxisParallel([2]), Categories((0, 1)))
    listed = {rule.holds(X[subset]).tobytes() for rule in Mixed(families).distinct(X, subset)}
    of_each = [
        {r.holds(X[subset]).tobytes() for r in family.distinct(X, subset)} for family in families
    ]
    assert listed == of_each[0] | of_each[1]
    check_rule_family(Mixed(families), X, subset)


@given(st.data())
def test_thresholds_on_some_features_are_those_of_a_table_with_these_features_only(
    data: st.DataObject,
) -> None:
    X = data.draw(tables(max_rows=8)) + 0.0  # turns -0.0 into 0.0, as in datasets
    subset = data.draw(subsets(len(X)))
    features = data.draw(st.sets(st.integers(0, X.shape[1] - 1), min_size=1).map(sorted))
    by_features = list(AxisParallel(features).distinct(X, subset))
    by_table = AxisParallel().distinct(X[:, features], subset)
    assert by_features == [
        AxisRule(features[rule.feature], rule.low, rule.high) for rule in by_table
    ]
    check_rule_family(AxisParallel(features), X, subset)


def test_a_rule_sends_one_code_left_and_all_other_codes_right_also_unseen_codes() -> None:
    X = np.array([[3.0], [5.0], [3.0], [7.0]])
    rules = list(Categories((0,)).distinct(X, np.array([0, 1, 2])))
    assert rules == [CategoryRule(0, 3), CategoryRule(0, 5)]
    assert rules[0].holds(X).tolist() == [True, False, True, False]
    assert rules[1].holds(np.array([[5.0], [-1.0], [5.5]])).tolist() == [True, False, False]


def test_of_two_codes_each_has_a_rule_because_they_send_different_examples_left() -> None:
    """A larger subset has both rules, and a child must have every rule of its parent."""
    X = np.array([[0.0], [1.0], [2.0]])
    assert list(Categories((0,)).distinct(X, np.array([0, 1]))) == [
        CategoryRule(0, 0),
        CategoryRule(0, 1),
    ]


def test_a_single_code_has_no_rule() -> None:
    assert not list(Categories((0,)).distinct(np.ones((3, 1)), np.arange(3)))


def test_of_rules_that_split_alike_only_one_is_distinct() -> None:
    X = np.array([[4.0, 0.1], [5.0, 0.2]])
    family, subset = Mixed((AxisParallel([1]), Categories((0,)))), np.arange(2)
    listed = [rule for rule, _ in family.by_feature(X, subset)]
    assert listed == [AxisRule(1, 0.1, 0.2), CategoryRule(0, 4), CategoryRule(0, 5)]
    assert list(family.distinct(X, subset)) == [AxisRule(1, 0.1, 0.2), CategoryRule(0, 5)]


def test_the_column_of_a_code_is_zero_where_its_rule_holds() -> None:
    X = np.array([[3.0], [5.0], [8.0]])
    assert Categories((0,)).columns(X) == [
        Column(0, (3,)),
        Column(0, (5,)),
        Column(0, (8,)),
    ]
    assert Column(0, (5,)).values(X).tolist() == [1.0, 0.0, 1.0]
    assert Column(0).values(X).tolist() == [3.0, 5.0, 8.0]


def test_families_are_rule_families_and_equal_by_content() -> None:
    assert isinstance(Categories((0,)), RuleFamily)
    assert isinstance(Mixed(()), RuleFamily)
    assert AxisParallel([0, "a"]) == AxisParallel((0, "a")) != AxisParallel()


def test_names_of_features_are_refused_outside_of_a_problem() -> None:
    with pytest.raises(ValueError, match="feature 'a' is given by name"):
        AxisParallel(["a"]).columns(np.zeros((1, 1)))


@pytest.mark.parametrize("features", ["height", 3])
def test_features_that_are_no_list_are_refused(features: object) -> None:
    with pytest.raises(TypeError, match="features must be a list of names or indices, or None"):
        AxisParallel(features)  # type: ignore[arg-type]
