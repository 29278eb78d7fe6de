"""Public lists of support sets, hitting sets and branching sets, against trying all sets."""

from itertools import chain, combinations

import numpy as np
import pytest

import exactree as xt
from exactree.feature_sets import branching_set, branching_sets, hitting_sets, support_sets
from exactree.spec import branching_sets as paper
from exactree.spec.examples import as_examples
from exactree.spec.minimal_support_sets import is_minimal, is_support_set, minimal_support_sets


def all_sets(members, most):
    most = len(members) if most is None else min(most, len(members))
    return chain.from_iterable(combinations(members, size) for size in range(most + 1))


def draw(rng):
    X = rng.integers(0, rng.integers(1, 4), (int(rng.integers(1, 9)), int(rng.integers(1, 6))))
    X = X.astype(float)
    if rng.random() < 0.2:
        X[rng.integers(len(X)), rng.integers(X.shape[1])] = np.nan
    return X, rng.integers(0, rng.integers(1, 4), len(X))


def differ(a, b):
    return [f for f in range(len(a)) if not (a[f] == b[f] or (a[f] != a[f] and b[f] != b[f]))]


def test_support_sets_are_those_of_all_sets_tried():
    rng = np.random.default_rng(20_261_122)
    for _ in range(400):
        X, y = draw(rng)
        most = int(rng.integers(0, 4)) if rng.random() < 0.5 else None
        pairs = [(a, b) for a in range(len(X)) for b in range(a) if y[a] != y[b]]
        differences = [set(differ(X[a], X[b])) for a, b in pairs]
        meets = [
            S for S in all_sets(range(X.shape[1]), most) if all(set(S) & d for d in differences)
        ]
        for minimal in (False, True):
            expected = {
                S
                for S in meets
                if not minimal or not any(all((set(S) - {f}) & d for d in differences) for f in S)
            }
            found = support_sets(X, y, max_size=most, minimal=minimal)
            assert found.count == len(expected)
            listed = list(found)
            assert len(listed) == len(expected), (X, y, most)
            assert set(listed) == expected, (X, y, most)
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


def test_hitting_sets_are_those_of_all_sets_tried():
    rng = np.random.default_rng(20_261_124)
    for _ in range(400):
        letters = "abcdef"[: int(rng.integers(1, 7))]
        sets = [
            "".join(letter for letter in letters if rng.random() < 0.4)
            for _ in range(int(rng.integers(0, 6)))
        ]
        most = int(rng.integers(0, 4)) if rng.random() < 0.5 else None
        members = list(dict.fromkeys("".join(sets)))
        hit = [H for H in all_sets(members, most) if all(set(H) & set(s) for s in sets)]
        for minimal in (False, True):
            expected = {
                H
                for H in hit
                if not minimal or not any(all((set(H) - {m}) & set(s) for s in sets) for m in H)
            }
            found = hitting_sets(sets, max_size=most, minimal=minimal)
            listed = list(found)
            assert len(listed) == len(expected), (sets, most)
            assert set(listed) == expected, (sets, most)
            assert found.count == len(expected)


def test_the_support_sets_of_the_reduction_are_the_hitting_sets():
    original = xt.instances.HittingSet([{1, 2}, {2, 3}, {3, 1}, {4}])
    instance = original.apply()
    found = support_sets(instance.X, instance.y, minimal=True)
    assert sorted(map(len, found)) == sorted(map(len, hitting_sets(original.sets, minimal=True)))


def test_sets_are_counted_without_going_through_them():
    X, y = np.vstack([np.zeros(300), np.ones(300)]), [0, 1]
    found = support_sets(X, y)
    assert found.count == 2**300 - 1
    assert found.nodes == 0
    assert [next(found) for _ in range(3)] == [(0,), (0, 1), (0, 1, 2)]
    assert found.nodes < 10_000
    assert not found.complete


def test_a_list_that_the_time_stops_says_so():
    sets = [set(range(10 * k, 10 * k + 10)) for k in range(20)]
    found = hitting_sets(sets, time_limit=1e-9)
    assert list(found) == []
    assert found.stopped_by == "time limit"
    assert not found.complete
    assert hitting_sets(sets, minimal=True, time_limit=1e-9).count is None
    assert hitting_sets([], time_limit=60).count == 1


def test_two_examples_that_only_their_labels_distinguish_have_no_support_set():
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
def test_what_is_wrong_is_stated_in_one_sentence_before_any_work(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_branching_sets_are_those_of_all_sets_tried():
    """A set is one if it meets every useful set; that of the paper is among them."""
    rng = np.random.default_rng(20_261_125)
    several = 0
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
            met = {B for B in all_sets(others, None) if all(set(B) & R for R in useful)}
            least = {B for B in met if not any(set(B) - {f} == set(C) for f in B for C in met)}
            for minimal, expected in ((False, met), (True, least)):
                found = branching_sets(X, y, S, minimal=minimal)
                assert found.count == len(expected)
                listed = list(found)
                assert len(listed) == len(expected), (X, S)
                assert set(listed) == expected, (X, S)
                assert found.complete
            assert branching_set(X, y, S) in met
            assert set(branching_sets(X, y, S, max_size=1)) == {B for B in met if len(B) <= 1}
            several += len(least) > 1
    assert several > 5, several
