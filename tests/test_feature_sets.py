"""Public lists of support sets, hitting sets and branching sets agree with enumeration."""

from itertools import chain, combinations

import numpy as np
import pytest

import exactree as xt
from exactree.feature_sets import branching_set, branching_sets, hitting_sets, support_sets
from exactree.spec import branching_sets as paper
from exactree.spec.examples import as_examples
from exactree.spec.minimal_support_sets import is_minimal, is_support_set, minimal_support_sets


def all_sets(members, max_size):
    max_size = len(members) if max_size is None else min(max_size, len(members))
    return chain.from_iterable(combinations(members, size) for size in range(max_size + 1))


def draw(rng):
    X = rng.integers(0, rng.integers(1, 4), (int(rng.integers(1, 9)), int(rng.integers(1, 6))))
    X = X.astype(float)
    if rng.random() < 0.2:
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = np.nan
    return X, rng.integers(0, rng.integers(1, 4), len(X))


def differing_features(a, b):
    """Return the features in which two rows differ; missing values are equal."""
    return [f for f in range(len(a)) if not (a[f] == b[f] or (a[f] != a[f] and b[f] != b[f]))]


def test_support_sets_agree_with_enumeration():
    rng = np.random.default_rng(20_261_122)
    for _ in range(400):
        X, y = draw(rng)
        max_size = int(rng.integers(0, 4)) if rng.random() < 0.5 else None
        pairs = [(a, b) for a in range(len(X)) for b in range(a) if y[a] != y[b]]
        differences = [set(differing_features(X[a], X[b])) for a, b in pairs]
        support = [
            S for S in all_sets(range(X.shape[1]), max_size) if all(set(S) & d for d in differences)
        ]
        for minimal in (False, True):
            expected = {
                S
                for S in support
                if not minimal or not any(all((set(S) - {f}) & d for d in differences) for f in S)
            }
            found = support_sets(X, y, max_size=max_size, minimal=minimal)
            assert found.count == len(expected)
            listed = list(found)
            assert len(listed) == len(expected), (X, y, max_size)
            assert set(listed) == expected, (X, y, max_size)
            assert found.complete
            assert found.stopped_by is None


def test_minimal_support_sets_and_branching_sets_are_those_of_the_specification():
    rng = np.random.default_rng(20_261_123)
    compared = 0
    for _ in range(200):
        X, y = draw(rng)
        if np.isnan(X).any():
            continue
        E, k = as_examples(xt.Problem(X, y)), int(rng.integers(0, 5))
        expected = minimal_support_sets(E, k)
        assert set(support_sets(X, y, max_size=k, minimal=True)) == {
            tuple(sorted(S)) for S in expected
        }
        for S in support_sets(X, y, max_size=k):
            assert is_support_set(E, frozenset(S))
            assert branching_set(X, y, S) == tuple(sorted(paper.branching_set(E, frozenset(S))))
            compared += 1
        assert all(is_minimal(E, S) for S in expected)
    assert compared > 200


def test_hitting_sets_agree_with_enumeration():
    rng = np.random.default_rng(20_261_124)
    for _ in range(400):
        letters = "abcdef"[: int(rng.integers(1, 7))]
        sets = [
            "".join(letter for letter in letters if rng.random() < 0.4)
            for _ in range(int(rng.integers(0, 6)))
        ]
        max_size = int(rng.integers(0, 4)) if rng.random() < 0.5 else None
        members = list(dict.fromkeys("".join(sets)))
        hitting = [H for H in all_sets(members, max_size) if all(set(H) & set(s) for s in sets)]
        for minimal in (False, True):
            expected = {
                H
                for H in hitting
                if not minimal or not any(all((set(H) - {m}) & set(s) for s in sets) for m in H)
            }
            found = hitting_sets(sets, max_size=max_size, minimal=minimal)
            listed = list(found)
            assert len(listed) == len(expected), (sets, max_size)
            assert set(listed) == expected, (sets, max_size)
            assert found.count == len(expected)


def test_minimal_support_sets_of_an_instance_of_hitting_set_have_the_sizes_of_hitting_sets():
    original = xt.instances.HittingSet([{1, 2}, {2, 3}, {3, 1}, {4}])
    instance = original.apply()
    found = support_sets(instance.X, instance.y, minimal=True)
    assert sorted(map(len, found)) == sorted(map(len, hitting_sets(original.sets, minimal=True)))


def test_sets_are_counted_without_a_search():
    X, y = np.vstack([np.zeros(300), np.ones(300)]), [0, 1]
    found = support_sets(X, y)
    assert found.count == 2**300 - 1
    assert found.nodes == 0
    assert [next(found) for _ in range(3)] == [(0,), (0, 1), (0, 1, 2)]
    assert found.nodes < 10_000
    assert not found.complete


def test_a_time_limit_is_reported():
    sets = [set(range(10 * k, 10 * k + 10)) for k in range(20)]
    found = hitting_sets(sets, time_limit=1e-9)
    assert list(found) == []
    assert found.stopped_by == "time limit"
    assert not found.complete
    assert hitting_sets(sets, minimal=True, time_limit=1e-9).count is None
    assert hitting_sets([], time_limit=60).count == 1


def test_contradictory_examples_have_no_support_set():
    found = support_sets([[0, 1], [0, 1]], [0, 1])
    assert list(found) == []
    assert found.complete
    assert found.count == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: support_sets([[0], [1]], [0, 1], max_size=-1), "max_size"),
        (lambda: support_sets([[0], [1]], [0, 1], max_size=1.5), "max_size"),
        (lambda: support_sets([[0], [1]], [0, 1], minimal="yes"), "minimal"),
        (lambda: support_sets([[0], [1]], [0, 1], time_limit=0), "time_limit"),
        (lambda: support_sets([[0], [1]], [0]), "2 rows"),
        (lambda: hitting_sets([[1]], max_size="1"), "max_size"),
        (lambda: branching_set([[0], [1]], [0, 1], [1]), "features must be integers from 0 to 0"),
        (lambda: branching_set([[0], [1]], [0, 1], [True]), "feature"),
        (lambda: branching_set([[0, 0], [1, 0]], [0, 1], [1]), "features must be a support set"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_branching_sets_agree_with_enumeration():
    """A branching set meets every useful set; the set of the paper's algorithm is among them."""
    rng = np.random.default_rng(20_261_125)
    with_several = 0
    for _ in range(150):
        X, y = draw(rng)
        if np.isnan(X).any():
            continue
        E = as_examples(xt.Problem(X, y))
        for S in list(support_sets(X, y))[:3]:
            others = [f for f in range(X.shape[1]) if f not in S]
            useful = [
                set(R)
                for R in all_sets(others, None)
                if paper.is_useful(E, frozenset(S), frozenset(R))
            ]
            branching = {B for B in all_sets(others, None) if all(set(B) & R for R in useful)}
            minimal_sets = {
                B
                for B in branching
                if not any(set(B) - {f} == set(C) for f in B for C in branching)
            }
            for minimal, expected in ((False, branching), (True, minimal_sets)):
                found = branching_sets(X, y, S, minimal=minimal)
                assert found.count == len(expected)
                listed = list(found)
                assert len(listed) == len(expected), (X, S)
                assert set(listed) == expected, (X, S)
                assert found.complete
            assert branching_set(X, y, S) in branching
            small = {B for B in branching if len(B) <= 1}
            assert set(branching_sets(X, y, S, max_size=1)) == small
            with_several += len(minimal_sets) > 1
    assert with_several > 5, with_several
