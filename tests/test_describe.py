"""`describe` compared with a naive computation, and messages for bad input."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactree as xt
from exactree.spec import find_thresholds
from exactree.spec.examples import as_examples
from exactree.spec.methods import METHODS
from exactree.testing import labels, tables, weights

QUICK = settings.get_current_profile_name() == "quick"


@st.composite
def weighted_tables(draw: st.DrawFn) -> tuple[Any, list[Any], list[Any] | None]:
    """Return a small table with equal rows, contradictions and perhaps weights."""
    X = draw(tables(8, 3))
    return X, draw(labels(len(X))), draw(weights(len(X)))


@given(weighted_tables())
@settings(max_examples=100 if QUICK else 300, deadline=None)
def test_a_description_agrees_with_a_naive_computation(
    table: tuple[Any, list[Any], list[Any] | None],
) -> None:
    X, y, weight = table
    found = xt.describe(X, y, weight)
    kept = [row for row in range(len(X)) if weight is None or weight[row] > 0]
    assert found.n_examples == len(kept)
    assert found.n_features == X.shape[1]
    counts = Counter(y[row] for row in kept)
    assert dict(zip(found.classes, found.class_sizes, strict=True)) == counts
    assert found.smallest_class == min(counts.values())
    rows = {row: tuple(value + 0.0 for value in X[row]) for row in kept}
    pairs = [(a, b) for a, b in combinations(kept, 2) if y[a] != y[b]]
    assert found.delta_max == max(
        (sum(v != w for v, w in zip(rows[a], rows[b], strict=True)) for a, b in pairs), default=0
    )
    assert found.duplicates == len(kept) - len({(rows[row], y[row]) for row in kept})
    assert set(found.contradictions) == set(naive_contradictions(rows, y))
    columns = list(zip(*rows.values(), strict=True))
    assert [entry.distinct for entry in found.features] == [len(set(column)) for column in columns]
    assert [entry.most_equal for entry in found.features] == [
        max(Counter(column).values()) for column in columns
    ]
    assert max(entry.distinct for entry in found.features) == found.D_max
    assert found.n_thresholds == sum(len(set(column)) - 1 for column in columns)
    json.dumps(found.to_dict())
    assert str(found)


def naive_contradictions(rows: dict[int, Any], y: list[Any]) -> Iterator[tuple[int, ...]]:
    """Yield the groups of equal rows with several labels."""
    for values in set(rows.values()):
        group = tuple(row for row in rows if rows[row] == values)
        if any(y[row] != y[group[0]] for row in group):
            yield group


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=7))
@settings(max_examples=100 if QUICK else 300, deadline=None)
def test_alternations_are_the_fewest_of_all_sorted_orders(examples: list[tuple[int, int]]) -> None:
    values, y = zip(*examples, strict=True)
    # Equal values may be in any order.
    blocks = [[label for v, label in examples if v == value] for value in sorted(set(values))]
    fewest = min(
        sum(a != b for a, b in pairwise(label for block in order for label in block))
        for order in product(*(set(permutations(block)) for block in blocks))
    )
    assert xt.describe([[value] for value in values], y).features[0].alternations == fewest


@given(weighted_tables())
@settings(max_examples=60, deadline=None)
def test_the_minimum_errors_are_those_of_the_best_tree(
    table: tuple[Any, list[Any], list[Any] | None],
) -> None:
    X, y, weight = table
    # For each group of equal rows the weights of its labels.
    groups: dict[bytes, dict[Any, Fraction]] = {}
    for row, values in enumerate(X + 0.0):
        totals = groups.setdefault(values.tobytes(), {})
        own = Fraction(1 if weight is None else weight[row])
        totals[y[row]] = totals.get(y[row], Fraction(0)) + own
    expected = sum(sum(totals.values()) - max(totals.values()) for totals in groups.values())
    found = xt.describe(X, y, weight).min_errors
    # Not equal, because weights are rounded once.
    assert math.isclose(float(found), float(expected), rel_tol=1e-9, abs_tol=1e-12)
    if len(X) <= 5:
        assert found == xt.solve(xt.Problem(X, y, weight), implementation="spec").cost


def test_the_native_delta_max_agrees_with_numpy_on_large_tables() -> None:
    rng = np.random.default_rng(1)
    for values, classes, n in ((2, 2, 300), (300, 3, 400), (70_000, 300, 600)):
        X = rng.integers(0, values, (n, 9)) * (rng.random((n, 9)) < 0.4)
        y = rng.integers(0, classes, n)
        differing = (X[:, None] != X[None]).sum(axis=2)
        assert xt.describe(X, y).delta_max == differing[y[:, None] != y[None]].max()


def test_contradictory_rows_have_the_numbers_of_the_given_table() -> None:
    X, y = [[5], [0], [1], [0], [1]], ["a", "a", "b", "b", "a"]
    found = xt.describe(X, y, [0, 1, 2, 3, 0])
    assert found.contradictions == ((1, 3),)
    assert found.min_errors == 1
    assert "contradictory rows       1, 3 (rows are counted from 0)" in str(found)
    assert xt.describe(X, y, [1, 0.25, 1, 0.75, 1]).min_errors == Fraction(5, 4)


def test_the_text_states_parameters_and_reasons() -> None:
    X, y = [[0, 1], [0, 2], [1, 2]], ["a", "b", "b"]
    text = str(xt.describe(X, y))
    assert "distinct values (D_max)  2 at most in a feature" in text
    assert "difference (delta_max)   2 features at most between two classes" in text
    assert "minimum errors           0\n" in text
    assert "  box: a table of 9 boxes" in text
    assert "(delta_max·D_max·s)^s = (4·s)^s search nodes" in text


def test_long_lists_are_shortened_in_the_text() -> None:
    rows = 60
    X = np.repeat(np.arange(rows)[:, None], 30, axis=1)
    text = str(xt.describe(np.vstack([X, X]), np.repeat([0, 1], rows)))
    assert "... and 10 more" in text
    assert "... (60 in all)" in text
    assert max(map(len, text.splitlines())) < 400


def test_there_is_advice_on_every_method() -> None:
    advised = [entry.method for entry in xt.describe([[0], [1]], [0, 1]).advice]
    assert sorted(advised) == sorted(METHODS)


def test_advice_depends_on_the_parameters() -> None:
    rng = np.random.default_rng(2)
    few = xt.describe(rng.integers(0, 2, (12, 3)), rng.integers(0, 2, 12))
    # The running time of Theorem 8 is too long for trees of a useful size.
    assert {entry.method for entry in few.advice if entry.bounded is False} == {"support-sets"}
    many = xt.describe(rng.random((500, 40)), rng.integers(0, 2, 500))
    assert not any(entry.bounded for entry in many.advice)
    assert [entry.method for entry in many.advice if entry.bounded is None] == ["branch-and-bound"]
    one_class = xt.describe([[0], [1]], [0, 0])
    assert [entry.method for entry in one_class.advice] == ["branch-and-bound"]
    assert one_class.delta_max == 0
    # There are 100 features, but two examples of different classes differ in at most two of them.
    sparse = np.eye(100)[rng.integers(0, 100, 300)]
    advice = xt.describe(sparse, sparse[:, :50].any(axis=1)).advice
    assert "witness" in {entry.method for entry in advice if entry.bounded}


def test_bounds_are_worded_as_worst_cases_and_not_as_discouragement() -> None:
    """Support sets solve this table at once, although their bound is above a billion for s = 2."""
    rng = np.random.default_rng(4)
    X = rng.integers(0, 40, (43, 3))
    y = rng.integers(0, 2, 43)
    described = xt.describe(X, y)
    text = str(described)
    assert "promising" not in text
    assert "Worst-case bounds for the smallest tree without errors" in text
    by_method = {entry.method: entry for entry in described.advice}
    assert by_method["support-sets"].bounded is False
    assert by_method["support-sets"].reason.endswith("below a billion for s <= 1")
    # A table of some megabytes suffices.
    assert by_method["box"].bounded
    assert re.fullmatch(r"a table of [\d,]+ boxes, \d+ MB", by_method["box"].reason)
    outcome = xt.solve(xt.Problem(X, y, minimize="size"), method="support-sets", time_limit=60)
    assert outcome.status == "optimal"
    assert outcome.cost > 4


def test_the_text_states_the_bound_of_theorem_8() -> None:
    text = str(xt.describe([[0, 1], [0, 2], [1, 2]], ["a", "b", "b"]))
    assert (
        "(2·delta_max·D_max^s)^s = (4·2^s)^s sets of features (Theorem 8 of Ordyniak and Szeider)"
        in text
    )


@pytest.mark.parametrize("s", [1, 2, 3])
def test_the_calls_for_a_support_set_are_within_the_bound_of_the_advice(
    s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With labels that no tree of s nodes separates, all shapes with features are tried."""
    calls, find_th = 0, find_thresholds.find_th

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return find_th(*arguments)

    monkeypatch.setattr(find_thresholds, "find_th", counted)
    n = 11
    X = np.column_stack([np.arange(n), np.arange(n)[::-1], np.arange(n) % 3])
    E = as_examples(xt.Problem(X, np.arange(n) % 2))
    assert find_thresholds.smallest_with(E, frozenset(range(s)), s) is None
    assert "(4·s·log2(16n))^s calls for each" in str(xt.describe(X, np.arange(n) % 2))
    assert s < calls <= (4 * s * math.log2(16 * n)) ** s


def test_a_description_is_frozen_and_hashable() -> None:
    found = xt.describe([[0], [1]], [0, 1])
    assert found == xt.describe([[0], [1]], [0, 1])
    assert hash(found) == hash(xt.describe([[0], [1]], [0, 1]))
    with pytest.raises(AttributeError):
        found.delta_max = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[0.0], [math.inf]], [0, 1], ("x0", "row 1", "infinite")),
        ([[0.0], [1.0]], [0], ("2 rows", "1 label")),
        ([[0.0], [1.0]], [0, None], ("row 1",)),
        ([[0.0], ["tall"]], [0, 1], ("x0", "tall")),
        (np.empty((0, 2)), [], ("no rows",)),
        ([0.0, 1.0], [0, 1], ("2D",)),
    ],
)
def test_wrong_input_is_refused_in_one_sentence(X: Any, y: Any, words: tuple[str, ...]) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        xt.describe(X, y)
    assert "\n" not in str(raised.value)
    for word in words:
        assert word in str(raised.value)


def test_codes_are_described_as_binary_columns() -> None:
    X, y = [[5, 1.5], [6, 2.5], [9, 1.5], [5, 2.5]], ["a", "b", "b", "a"]
    found = xt.describe(X, y, categories=[0])
    columns = [[1.5, 0, 1, 1], [2.5, 1, 0, 1], [1.5, 1, 1, 0], [2.5, 0, 1, 1]]
    expected = xt.describe(columns, y)
    assert [entry.name for entry in found.features] == ["x1", "x0 == 5", "x0 == 6", "x0 == 9"]
    assert (found.delta_max, found.n_thresholds) == (expected.delta_max, expected.n_thresholds)
    assert found.advice == expected.advice
    with pytest.raises(ValueError, match=r"X, column 'x1', row 0: 1\.5 is not an integer"):
        xt.describe(X, y, categories=["x1"])


def test_a_feature_with_missing_values_is_described_as_two_features() -> None:
    """In one feature missing values are below all other values, in the other feature above."""
    values, y = np.array([3.0, np.nan, 1.0, np.nan, 2.0, 1.0]), ["a", "b", "b", "b", "a", "a"]
    whole = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    both = [np.where(np.isnan(values), out, values) for out in (-np.inf, np.inf)]
    found = xt.describe(np.column_stack([values, whole]), y)
    by_hand = xt.describe(np.nan_to_num(np.column_stack([*both, whole])), y)
    assert found.n_features == 3
    for name in ("delta_max", "D_max", "duplicates", "contradictions", "min_errors"):
        assert getattr(found, name) == getattr(by_hand, name)
    numbers = {
        entry.name: (entry.distinct, entry.alternations, entry.most_equal)
        for entry in found.features
    }
    by_name = dict(
        zip(["x0, missing left", "x0, missing right", "x1"], by_hand.features, strict=True)
    )
    assert numbers == {
        name: (entry.distinct, entry.alternations, entry.most_equal)
        for name, entry in by_name.items()
    }
