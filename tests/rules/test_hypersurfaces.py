"""Families of hyperplanes and other surfaces: laws, counts, arithmetic, refusals."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import MethodRefused
from exactree.rules import (
    AxisParallel,
    Hyperplanes,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    SurfaceColumn,
    SurfaceRule,
)
from exactree.rules.surface import formula, sums
from exactree.testing import check_rule_family

FAMILIES = [Hyperplanes(), Hypersurfaces(2), Hyperplanes(features=(1,))]


@st.composite
def tables(draw, max_rows: int = 6):
    """Draw a small table of two features, often with duplicates and examples on a line.

    No two of its dichotomies differ by roundings only, so each has a rule in floating point.
    """
    values = draw(st.sampled_from([[0, 1, 2], [0.1, 0.25, 0.7], [-1e6, 0.5, 7.25]]))
    rows = st.tuples(st.sampled_from(values), st.sampled_from(values))
    return np.array(draw(st.lists(rows, min_size=1, max_size=max_rows)), dtype=np.float64)


@settings(max_examples=30, deadline=None)
@given(tables(), st.sampled_from(FAMILIES))
def test_the_families_satisfy_the_laws_of_rule_families(X, family) -> None:
    check_rule_family(family, X, np.arange(len(X)))


@settings(max_examples=10, deadline=None)
@given(tables(5))
def test_mixtures_with_thresholds_satisfy_the_laws_of_rule_families(X) -> None:
    check_rule_family(Mixed([AxisParallel(), Hyperplanes()]), X, np.arange(len(X)))


@pytest.mark.parametrize(("d", "degree"), [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)])
def test_the_number_of_surfaces_is_covers_number_of_the_products(d: int, degree: int) -> None:
    """Cover 1965: C(n-1, 1) + ... + C(n-1, G) dichotomies of n examples in general position.

    There are G = C(d + M, d) - 1 products of up to M of d features. Opposites count once.
    """
    n, g = 8, comb(d + degree, d) - 1
    X = np.random.default_rng(degree).normal(size=(n, d))
    rules, left_out = Hypersurfaces(degree).surfaces(X)
    assert len(Hypersurfaces(degree).monomials(d)) == g
    assert len(rules) + left_out == sum(comb(n - 1, i) for i in range(1, g + 1))
    assert left_out == 0


def test_hyperplanes_of_one_feature_are_thresholds() -> None:
    X = np.array([[3.0], [1.0], [2.0], [2.0]])
    by_hyperplanes = {tuple(rule.holds(X)) for rule in Hyperplanes().distinct(X, np.arange(4))}
    by_thresholds = [rule.holds(X) for rule in AxisParallel().distinct(X, np.arange(4))]
    assert by_hyperplanes == {tuple(split) for left in by_thresholds for split in (left, ~left)}


@given(st.integers(0, 2**32 - 1), st.integers(-40, 40), st.integers(1, 2))
def test_scaling_a_feature_by_a_power_of_two_changes_nothing(seed, power, degree) -> None:
    X = np.random.default_rng(seed).integers(-300, 300, size=(5, 2)).astype(float)
    family = Hypersurfaces(degree)
    scaled = X * [2.0**power, 1.0]
    before, after = (
        [tuple(rule.holds(table)) for rule in family.surfaces(table)[0]] for table in (X, scaled)
    )
    assert before == after


def test_dichotomies_without_a_rule_in_floating_point_are_counted() -> None:
    """The squares exceed all floats, so only thresholds are left of three dichotomies."""
    X = np.array([[1e200], [2e200], [3e200]])
    rules, left_out = Hypersurfaces(2).surfaces(X)
    assert len(rules) + left_out == 3
    assert left_out > 0
    for rule in rules:
        assert 0 < rule.holds(X).sum() < 3


def test_almost_on_a_line_a_dichotomy_may_have_no_rule() -> None:
    """The roundings of its thirds put the middle example off the line of the other two."""
    X = np.array([[1 / 3, 1], [2 / 3, 2 / 3], [1, 1 / 3]])
    rules, left_out = Hyperplanes().surfaces(X)
    assert len(rules) + left_out == 3
    held = {tuple(rule.holds(X).tolist()) for rule in rules}
    assert held >= {(True, False, False), (True, True, False)}


def test_the_sum_of_a_row_does_not_depend_on_the_other_rows() -> None:
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(50, 3)), rng.normal(size=(4, 9))
    monomials = Hypersurfaces(2).monomials(3)
    whole = sums(monomials, weights, X)
    for i in (0, 7, 49):
        for k in range(4):
            assert sums(monomials, weights[k : k + 1], X[i : i + 1])[0, 0] == whole[i, k]


def test_rules_and_columns_as_text() -> None:
    rule = SurfaceRule(((1, 0), (0, 1), (1, 1), (0, 2)), (0.31, -1.2, 0.0, 12345.678), 2.4)
    text = "0.31·a - 1.2·b + 1.235e+04·b^2"
    assert formula(rule.monomials, rule.weights, ["a", "b"]) == text
    assert SurfaceColumn(rule).name(["a", "b"]) == text
    assert SurfaceColumn(rule).features == (0, 1)
    assert formula(((1, 0), (1, 1)), (-1.0, 2.0), ["a", "b"]) == "-1·a + 2·a·b"


def test_too_many_surfaces_are_refused_with_numbers() -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(MethodRefused, match=r"60 different examples have .* Take fewer examples"):
        Hypersurfaces(2).surfaces(X)


@pytest.mark.parametrize("family", [Hyperplanes(), Hypersurfaces(2)])
def test_few_examples_of_many_features_have_all_dichotomies(family) -> None:
    X = np.random.default_rng(1).normal(size=(5, 12))
    rules, left_out = family.surfaces(X)
    assert (len(rules), left_out) == (2**4 - 1, 0)


def test_one_example_and_equal_examples_have_no_rules() -> None:
    for X in (np.zeros((1, 2)), np.ones((4, 3))):
        assert Hypersurfaces(2).surfaces(X) == ([], 0)


def test_wrong_degrees_and_unknown_features_are_refused() -> None:
    for degree in (0, 1.5, "2", 101):
        with pytest.raises(ValueError, match="degree must be an integer >= 1"):
            Hypersurfaces(degree)
    with pytest.raises(ValueError, match="names are resolved only by Problem"):
        Hyperplanes(features=["a"]).surfaces(np.zeros((2, 1)))


def test_hyperplanes_are_a_rule_family() -> None:
    assert isinstance(Hyperplanes(), RuleFamily)


def test_a_grid_of_decimals_has_all_splits_of_the_grid_of_integers() -> None:
    """Rounding errors put tenths off their lines; that adds splits, and removes none."""
    integers = np.array([(a, b) for a in range(5) for b in range(5)], dtype=np.float64)
    tenths = integers / 10
    expected = {
        tuple(rule.holds(integers).tolist()) for rule in Hyperplanes().surfaces(integers)[0]
    }
    splits = {tuple(rule.holds(tenths).tolist()) for rule in Hyperplanes().surfaces(tenths)[0]}
    opposites = {tuple(not goes_left for goes_left in split) for split in splits}
    assert expected <= splits | opposites
