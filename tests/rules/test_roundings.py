"""Splits under the arithmetic of `predict`: only splits decided by rounding are lost."""

import runpy
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, roundings
from exactree.rules.coordinates import Coordinates
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import embedded, in_features
from exactree.rules.readings import integers
from exactree.rules.roundings import gaps, realize
from exactree.rules.sides import ScaledExamples
from exactree.rules.surface import products

QUICK = settings.get_current_profile_name() == "quick"

TABLES = runpy.run_path(str(Path(__file__).parents[1] / "real_tables.py"))
FAMILIES = [Hyperplanes(), Hypersurfaces(2)]


def grid(m: int, d: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[np.arange(m)] * d), axis=-1).reshape(-1, d).astype(np.float64)


def hard_table(kind: str, n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 4, size=(n, d)).astype(np.float64)
    if kind == "tenths":
        return whole / 10
    if kind == "duplicates":
        return np.repeat(whole[: (n + 1) // 2], 2, axis=0)
    if kind == "offset":
        return 1e6 + whole * 1e-6
    if kind == "almost on a line":
        return rng.normal(size=(n, 1)) @ rng.normal(size=(1, d)) + 1e-15 * rng.normal(size=(n, d))
    if kind == "on a line":
        return whole[:, :1] * rng.integers(-3, 4, size=(1, d))
    if kind == "constant":
        return np.where(np.arange(d) == 0, 0.3, whole)
    return whole * 10.0 ** rng.integers(-200, 200, size=(1, d))


KINDS = [
    "tenths",
    "duplicates",
    "offset",
    "almost on a line",
    "on a line",
    "constant",
    "scales",
]


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
    st.sampled_from(FAMILIES),
)
def test_every_dichotomy_has_one_rule_or_is_counted_as_left_out(kind, n, d, seed, family) -> None:
    """Each rule realizes another exact dichotomy, and the other dichotomies are counted."""
    X = hard_table(kind, n, d, seed)
    rules, left_out = family.surfaces(X)
    distinct = np.unique(X, axis=0)
    exact = dichotomies(embedded(distinct, family.monomials(d))[0]).non_trivial()
    splits = {left.tobytes() for left in exact.left}
    held = [rule.holds(distinct).tobytes() for rule in rules]
    assert len(set(held)) == len(held)
    assert set(held) <= splits
    assert len(held) + left_out == len(splits)
    if kind in ("duplicates", "on a line", "constant") or d == 1 == family.degree:
        assert left_out == 0


@pytest.mark.parametrize(
    ("X", "family"),
    [
        (grid(6, 2), Hyperplanes()),
        (grid(6, 2) / 10, Hyperplanes()),
        (grid(6, 2) / 100, Hyperplanes()),
        (grid(3, 3) / 10, Hyperplanes()),
        (1000 + grid(5, 2) / 10, Hyperplanes()),
        (np.random.default_rng(0).uniform(size=(60, 2)), Hyperplanes()),
        (np.random.default_rng(1).uniform(size=(25, 3)), Hyperplanes()),
        (np.random.default_rng(3).integers(0, 10, (30, 2)) / 10, Hyperplanes()),
        (np.random.default_rng(3).integers(0, 100, (25, 3)) / 100, Hyperplanes()),
        (grid(3, 2), Hypersurfaces(2)),
        (np.random.default_rng(4).uniform(size=(14, 2)), Hypersurfaces(2)),
        (np.random.default_rng(5).integers(0, 100, (14, 2)) / 100, Hypersurfaces(2)),
        (np.random.default_rng(6).integers(0, 10, (12, 2)) / 10, Hypersurfaces(2)),
        (grid(8, 2) / 10, Hyperplanes()),
    ],
)
def test_no_dichotomy_of_ordinary_numbers_is_lost(X, family) -> None:
    assert family.surfaces(X)[1] == 0


def test_of_a_grid_of_thirds_few_dichotomies_are_left_out() -> None:
    """Of four examples almost on a line, often no rounded sum separates two from the others.

    For example, let (1, 0), (2, 1), (3, 2) and (4, 3), divided by three, be such examples. Let the
    inner two go right and the outer two left. Let w and v be the weights of x and -y, and p and q
    the rounded thirds of w and v. The second sum, 2p - q, exceeds the first sum, p, so p > q. It
    exceeds the fourth sum, 4p - v, so 2(p - q) < v - 3q. The left of this inequality is at least
    two last digits of q, and the right at most two: there are no such weights.
    """
    rules, left_out = Hyperplanes().surfaces(grid(5, 2) / 3)
    assert 0 < left_out < 0.03 * len(rules)


def test_no_dichotomy_of_hundredths_is_lost() -> None:
    X = np.round(np.random.default_rng(0).normal(size=(40, 2)), 2)
    rules, left_out = Hyperplanes().surfaces(X)
    exact = dichotomies(embedded(np.unique(X, axis=0), ((1, 0), (0, 1)))[0]).non_trivial()
    assert (len(rules), left_out) == (len(exact.left), 0)
    general = np.random.default_rng(1).uniform(size=(40, 2))
    assert len(Hyperplanes().surfaces(general)[0]) == comb(39, 1) + comb(39, 2)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "raisin"])
@pytest.mark.parametrize("features", [[0, 1], [2, 3]])
def test_no_dichotomy_of_real_tables_is_lost(name, features) -> None:
    assert Hyperplanes().surfaces(TABLES["some_rows"](name, 60, 0)[0][:, features])[1] == 0
    assert Hypersurfaces(2).surfaces(TABLES["some_rows"](name, 12, 0)[0][:, features])[1] == 0


@pytest.mark.skipif(TABLES["FOLDER"] is None, reason="EXACTREE_DATA names no folder of tables")
@pytest.mark.parametrize("name", ["glass_0.2_0", "ecoli_0.2_0", "haberman_0.2_0"])
def test_no_dichotomy_of_tables_in_the_folder_is_lost(name) -> None:
    X = TABLES["min_size_table"](name)[0][:60]
    for features in ([0, 1], [1, 2]):
        assert Hyperplanes().surfaces(X[:, features])[1] == 0


def as_they_are(X):
    """Return the doubles of a table in real numbers."""
    return [[Fraction(value) for value in row] for row in X.tolist()]


def splits_of(X, family):
    """Return the products of a table, and weights and left examples of its dichotomies.

    The weights are correct for real numbers.
    """
    monomials = family.monomials(X.shape[1])
    examples, factors = embedded(X, monomials)
    exact = dichotomies(examples).non_trivial()
    weights = in_features(exact.weights, factors)
    return np.stack(list(products(monomials, X)), axis=1), weights, exact.left


def test_random_last_digits_find_weights_where_exact_weights_fail() -> None:
    """On a grid of thirds some weights fail by a rounding error, and after some tries none does."""
    P, weights, left = splits_of(grid(4, 2) / 3, Hyperplanes())
    last, first = gaps(P, weights, left)
    assert (last >= first).sum() > 5
    result = realize(P, weights, left)
    assert result.found.all()
    assert (gaps(P, result.weights, left)[0] == result.last_left).all()
    kept = last < first
    assert (result.weights[kept] == weights[kept]).all()


@pytest.mark.parametrize("missing", ["other roundings", "coordinates"])
def test_each_of_the_two_further_tries_finds_weights_that_the_other_does_not(
    monkeypatch, missing
) -> None:
    """For examples almost on a line, rounded squares differ from the exact squares."""
    X = hard_table("almost on a line", 7, 2, 0)
    P, weights, left = splits_of(X, Hypersurfaces(2))
    found = realize(P, weights, left).found.sum()
    if missing == "coordinates":
        monkeypatch.setattr(Coordinates, "weights", lambda self, left: np.zeros(P.shape[1]))
    else:
        monkeypatch.setattr(roundings, "_variants", lambda weights, *_: weights[None])
    assert realize(P, weights, left).found.sum() < found


@pytest.mark.parametrize("kind", ["almost on a line", "offset"])
@pytest.mark.parametrize("d", [1, 2])
def test_dichotomies_are_left_out_only_if_rounded_products_make_them_impossible(kind, d) -> None:
    """All dichotomies of the products, rounded as by `predict`, have a rule."""
    possible, left_out = 0, 0
    for seed in range(12):
        X = np.unique(hard_table(kind, 8, d, seed), axis=0)
        P, weights, left = splits_of(X, Hypersurfaces(2))
        result = realize(P, weights, left)
        rounded, same = np.unique(P[:, np.isfinite(P).all(axis=0)], axis=0, return_inverse=True)
        whole, _ = integers(as_they_are(rounded))
        exact = dichotomies(ScaledExamples.of(whole)).non_trivial().mirrored()
        reachable = {split.tobytes() for split in exact.left[:, same.ravel()]}
        is_reachable = np.array([split.tobytes() in reachable for split in left], dtype=np.bool_)
        assert result.found[is_reachable].all(), seed
        possible += is_reachable.sum()
        left_out += (~result.found).sum()
    assert possible > 0
    if d == 2:
        assert left_out > 0, "rounding has made nothing impossible"


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.integers(2, 9),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
    st.sampled_from(FAMILIES),
)
def test_splits_by_thresholds_are_never_lost(kind, n, d, seed, family) -> None:
    """So surfaces never have a worse optimum than thresholds, whatever the roundings."""
    X = hard_table(kind, n, d, seed)
    subset = np.arange(len(X))
    splits = {rule.holds(X).tobytes() for rule in family.distinct(X, subset)}
    assert {rule.holds(X).tobytes() for rule in AxisParallel().distinct(X, subset)} <= splits


def test_splits_by_thresholds_need_no_random_tries(monkeypatch) -> None:
    """Without weights to start from, exactly the splits by thresholds are found."""
    monkeypatch.setattr(Coordinates, "weights", lambda self, left: np.zeros(2))
    X = np.random.default_rng(0).normal(size=(7, 2))
    P, weights, left = splits_of(X, Hyperplanes())
    thresholds = {rule.holds(X).tobytes() for rule in AxisParallel().distinct(X, np.arange(7))}
    expected = [split.tobytes() in thresholds or (~split).tobytes() in thresholds for split in left]
    assert realize(P, 0 * weights, left).found.tolist() == expected
    assert 0 < sum(expected) < len(left)


def test_examples_with_equal_products_are_never_separated() -> None:
    """The squares of these numbers are rounded to 0."""
    X = np.array([[1e-200], [2e-200], [3e-200]])
    P = np.stack(list(products(((2,),), X)), axis=1)
    assert (P == 0).all()
    splits = np.array([[True, False, False], [True, True, False]])
    assert not realize(P, np.ones((2, 1)), splits).found.any()


def test_the_same_call_gives_the_same_rules() -> None:
    X = grid(6, 2) / 10
    assert Hyperplanes().surfaces(X) == Hyperplanes().surfaces(X)
