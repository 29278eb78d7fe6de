"""Splits under the arithmetic of `predict`: only splits decided by rounding are lost."""

import runpy
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, roundings
from exactree.rules.coordinates import Coordinates
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import embedded
from exactree.rules.roundings import divided, gaps
from exactree.rules.sides import ScaledExamples, integers
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
def test_every_way_has_its_rule_or_is_counted(kind, n, d, seed, family) -> None:
    """Each rule divides as one of the exact ways; with those left out they are all ways."""
    X = hard_table(kind, n, d, seed)
    rules, left_out = family.surfaces(X)
    distinct = np.unique(X, axis=0)
    exact = dichotomies(embedded(distinct, family.monomials(d))[0]).non_trivial()
    ways = {left.tobytes() for left in exact.left}
    held = [rule.holds(distinct).tobytes() for rule in rules]
    assert len(set(held)) == len(held)
    assert set(held) <= ways
    assert len(held) + left_out == len(ways)
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
    ],
)
def test_ordinary_numbers_lose_nothing(X, family) -> None:
    assert family.surfaces(X)[1] == 0


@pytest.mark.parametrize("X", [grid(8, 2) / 10, grid(10, 2) / 10, grid(5, 2) / 3])
def test_where_only_last_digits_differ_few_are_left_out(X) -> None:
    """Of four on one line but for roundings, often no sum puts just two on one side.

    Say (1, 0), (2, 1), (3, 2) and (4, 3), in thirds, with the inner ones to the right of the outer
    ones, and p and q the rounded thirds of the weights w and v of x and -y. The second sum, 2p - q,
    exceeds the first, p, so p > q. It exceeds the fourth, 4p - v, so 2(p - q) < v - 3q. The left
    is at least two last digits of q, and the right at most two: there are no such sums.
    """
    rules, left_out = Hyperplanes().surfaces(X)
    assert 0 < left_out < 0.03 * len(rules)


def test_hundredths_in_general_position_have_covers_number() -> None:
    X = np.round(np.random.default_rng(0).normal(size=(40, 2)), 2)
    rules, left_out = Hyperplanes().surfaces(X)
    exact = dichotomies(embedded(np.unique(X, axis=0), ((1, 0), (0, 1)))[0]).non_trivial()
    assert (len(rules), left_out) == (len(exact.left), 0)
    general = np.random.default_rng(1).uniform(size=(40, 2))
    assert len(Hyperplanes().surfaces(general)[0]) == comb(39, 1) + comb(39, 2)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "raisin"])
@pytest.mark.parametrize("features", [[0, 1], [2, 3]])
def test_real_tables_lose_nothing(name, features) -> None:
    assert Hyperplanes().surfaces(TABLES["part"](name, 60, 0)[0][:, features])[1] == 0
    assert Hypersurfaces(2).surfaces(TABLES["part"](name, 12, 0)[0][:, features])[1] == 0


@pytest.mark.skipif(TABLES["FOLDER"] is None, reason="EXACTREE_DATA names no folder of tables")
@pytest.mark.parametrize("name", ["glass_0.2_0", "ecoli_0.2_0", "haberman_0.2_0"])
def test_tables_of_the_folder_lose_nothing(name) -> None:
    X = TABLES["min_size"](name)[0][:60]
    for features in ([0, 1], [1, 2]):
        assert Hyperplanes().surfaces(X[:, features])[1] == 0


def ways_of(X, family):
    """Return products, weights that are right for real numbers, and ways of a table."""
    monomials = family.monomials(X.shape[1])
    examples, shifts = embedded(X, monomials)
    ways = dichotomies(examples).non_trivial()
    with np.errstate(over="ignore"):
        weights = np.ldexp(ways.weights, shifts)
    return np.stack(list(products(monomials, X)), axis=1), weights, ways.left


def test_other_roundings_are_needed_and_found() -> None:
    """On a grid of tenths some weights are wrong by a rounding, and none after some tries."""
    P, weights, left = ways_of(grid(6, 2) / 10, Hyperplanes())
    last, first = gaps(P, weights, left)
    assert (last >= first).sum() > 10
    result = divided(P, weights, left)
    assert result.found.all()
    assert (gaps(P, result.weights, left)[0] == result.last_left).all()
    kept = last < first
    assert (result.weights[kept] == weights[kept]).all()


@pytest.mark.parametrize("missing", ["other roundings", "coordinates"])
def test_both_ways_to_try_again_find_what_the_other_one_does_not(monkeypatch, missing) -> None:
    """Numbers almost on a line: their squares, rounded, are not where the exact ones are."""
    X = hard_table("almost on a line", 7, 2, 0)
    P, weights, left = ways_of(X, Hypersurfaces(2))
    found = divided(P, weights, left).found.sum()
    if missing == "coordinates":
        monkeypatch.setattr(Coordinates, "weights", lambda self, left: np.zeros(P.shape[1]))
    else:
        monkeypatch.setattr(roundings, "_others", lambda weights, *_: weights[None])
    assert divided(P, weights, left).found.sum() < found


@pytest.mark.parametrize("kind", ["almost on a line", "offset"])
@pytest.mark.parametrize("d", [1, 2])
def test_what_is_left_out_rounding_has_made_impossible(kind, d) -> None:
    """The products, as `predict` rounds them, are examples too: all their ways have a rule."""
    possible, left_out = 0, 0
    for seed in range(12):
        X = np.unique(hard_table(kind, 8, d, seed), axis=0)
        P, weights, left = ways_of(X, Hypersurfaces(2))
        result = divided(P, weights, left)
        rounded, same = np.unique(P[:, np.isfinite(P).all(axis=0)], axis=0, return_inverse=True)
        exact = dichotomies(ScaledExamples.of(integers(rounded)[0])).non_trivial().mirrored()
        reachable = {way.tobytes() for way in exact.left[:, same.ravel()]}
        can = np.array([way.tobytes() in reachable for way in left], dtype=np.bool_)
        assert result.found[can].all(), seed
        possible += can.sum()
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
def test_what_a_threshold_does_is_never_lost(kind, n, d, seed, family) -> None:
    """So more rules are never worse, whatever the roundings."""
    X = hard_table(kind, n, d, seed)
    part = np.arange(len(X))
    held = {rule.holds(X).tobytes() for rule in family.distinct(X, part)}
    assert {rule.holds(X).tobytes() for rule in AxisParallel().distinct(X, part)} <= held


def test_what_a_threshold_does_needs_no_luck(monkeypatch) -> None:
    """Without any other weights just these ways are found."""
    monkeypatch.setattr(Coordinates, "weights", lambda self, left: np.zeros(2))
    X = np.random.default_rng(0).normal(size=(7, 2))
    P, weights, left = ways_of(X, Hyperplanes())
    thresholds = {rule.holds(X).tobytes() for rule in AxisParallel().distinct(X, np.arange(7))}
    expected = [way.tobytes() in thresholds or (~way).tobytes() in thresholds for way in left]
    assert divided(P, 0 * weights, left).found.tolist() == expected
    assert 0 < sum(expected) < len(left)


def test_equal_products_are_never_distinguished() -> None:
    """The squares of the smaller numbers are 0 for every float."""
    X = np.array([[1e-200], [2e-200], [3e-200]])
    P = np.stack(list(products(((2,),), X)), axis=1)
    assert (P == 0).all()
    ways = np.array([[True, False, False], [True, True, False]])
    assert not divided(P, np.ones((2, 1)), ways).found.any()


def test_the_same_call_gives_the_same_rules() -> None:
    X = grid(6, 2) / 10
    assert Hyperplanes().surfaces(X) == Hyperplanes().surfaces(X)
