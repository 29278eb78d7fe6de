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


def parts(rows: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.integers(0, rows - 1), unique=True, min_size=1).map(np.array)


@given(st.data())
def test_the_rules_are_all_codes_of_the_part(data: st.DataObject) -> None:
    X = data.draw(CODES)
    part = data.draw(parts(len(X)))
    ways = {tuple(X[part, f] == code) for f in (0, 1) for code in X[part, f]}
    family = Categories((0, 1))
    found = [tuple(rule.holds(X[part]).tolist()) for rule in family.distinct(X, part)]
    assert len(set(found)) == len(found)
    assert set(found) == {way for way in ways if any(way) and not all(way)}
    check_rule_family(family, X, part)


@given(st.data())
def test_several_families_have_the_rules_of_all_of_them(data: st.DataObject) -> None:
    X = data.draw(CODES)
    part = data.draw(parts(len(X)))
    families = (AxisParallel([2]), Categories((0, 1)))
    found = {rule.holds(X[part]).tobytes() for rule in Mixed(families).distinct(X, part)}
    of_each = [
        {r.holds(X[part]).tobytes() for r in family.distinct(X, part)} for family in families
    ]
    assert found == of_each[0] | of_each[1]
    check_rule_family(Mixed(families), X, part)


@given(st.data())
def test_thresholds_on_some_features_are_those_of_a_table_of_these(data: st.DataObject) -> None:
    X = data.draw(tables(max_rows=8)) + 0.0
    part = data.draw(parts(len(X)))
    features = data.draw(st.sets(st.integers(0, X.shape[1] - 1), min_size=1).map(sorted))
    some = list(AxisParallel(features).distinct(X, part))
    alone = AxisParallel().distinct(X[:, features], part)
    assert some == [AxisRule(features[rule.feature], rule.low, rule.high) for rule in alone]
    check_rule_family(AxisParallel(features), X, part)


def test_a_rule_sends_one_code_left_and_every_other_one_right_also_an_unseen_one() -> None:
    X = np.array([[3.0], [5.0], [3.0], [7.0]])
    rules = list(Categories((0,)).distinct(X, np.array([0, 1, 2])))
    assert rules == [CategoryRule(0, 3), CategoryRule(0, 5)]
    assert rules[0].holds(X).tolist() == [True, False, True, False]
    assert rules[1].holds(np.array([[5.0], [-1.0], [5.5]])).tolist() == [True, False, False]


def test_of_two_codes_each_has_a_rule_because_they_send_different_examples_left() -> None:
    """A larger part with a third code has both, so a law would be broken without one of them."""
    X = np.array([[0.0], [1.0], [2.0]])
    assert list(Categories((0,)).distinct(X, np.array([0, 1]))) == [
        CategoryRule(0, 0),
        CategoryRule(0, 1),
    ]


def test_a_single_code_has_no_rule() -> None:
    assert not list(Categories((0,)).distinct(np.ones((3, 1)), np.arange(3)))


def test_features_that_divide_alike_are_listed_by_feature_and_distinct_once() -> None:
    X = np.array([[4.0, 0.1], [5.0, 0.2]])
    family, part = Mixed((AxisParallel([1]), Categories((0,)))), np.arange(2)
    listed = [rule for rule, _ in family.by_feature(X, part)]
    assert listed == [AxisRule(1, 0.1, 0.2), CategoryRule(0, 4), CategoryRule(0, 5)]
    assert list(family.distinct(X, part)) == [AxisRule(1, 0.1, 0.2), CategoryRule(0, 5)]


def test_the_column_of_a_code_is_zero_where_its_rule_holds() -> None:
    X = np.array([[3.0], [5.0], [8.0]])
    assert Categories((0,)).columns(X) == [
        Column(0, (3,)),
        Column(0, (5,)),
        Column(0, (8,)),
    ]
    assert Column(0, (5,)).values(X).tolist() == [1.0, 0.0, 1.0]
    assert Column(0).values(X).tolist() == [3.0, 5.0, 8.0]


def test_families_are_families_and_equal_by_content() -> None:
    assert isinstance(Categories((0,)), RuleFamily)
    assert isinstance(Mixed(()), RuleFamily)
    assert AxisParallel([0, "a"]) == AxisParallel((0, "a")) != AxisParallel()


def test_names_of_features_are_known_in_a_problem_only() -> None:
    with pytest.raises(ValueError, match="'a' is known only in a Problem"):
        AxisParallel(["a"]).columns(np.zeros((1, 1)))


@pytest.mark.parametrize("features", ["height", 3])
def test_features_are_a_list(features: object) -> None:
    with pytest.raises(TypeError, match="features must be a list of names or indices, or None"):
        AxisParallel(features)  # type: ignore[arg-type]
