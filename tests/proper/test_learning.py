"""Trees of hyperplanes through examples: `odt` over all choices of rules, and the definition."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

import exactree as xt
from exactree.proper import ThresholdAt, errors, gen_rules, odt, odt_ml, proper, relation
from exactree.rules import Hyperplanes, Hypersurfaces


def test_the_number_of_rules_of_examples_in_general_position() -> None:
    """Each rule goes through D of N examples, which it sends left or right in all 2^D ways."""
    X = np.random.default_rng(0).normal(size=(7, 2))
    assert len(gen_rules(X)) == comb(7, 2) * 2**2
    assert len(gen_rules(X, degree=2)) == comb(7, 5) * 2**5


def test_rules_generate_all_splits_by_hyperplanes() -> None:
    """The examples are on a grid, so many of them are on a line."""
    grid = np.array([(a, b) for a in range(3) for b in range(3)], dtype=np.float64)
    generated = {rule.left for rule in gen_rules(grid)}
    generated |= {frozenset(range(9)) - left for left in generated}
    distinct = Hyperplanes().distinct(grid, np.arange(9))
    assert generated - {frozenset(), frozenset(range(9))} == {
        frozenset(np.flatnonzero(rule.holds(grid)).tolist()) for rule in distinct
    }


def test_one_feature_has_the_ancestry_of_thresholds() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    rules = [rule for rule in gen_rules(X) if rule.objects[0] in rule.left]
    thresholds = [ThresholdAt(0, (x,)) for x in range(3)]
    for (a, b), (c, d) in zip(combinations(rules, 2), combinations(thresholds, 2), strict=True):
        assert relation(a, b) == relation(c, d)


def test_points_as_data_are_refused() -> None:
    """The rules know the examples by their indices; every point would be on the right."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 2]])
    y = [0, 1, 1, 0, 1]
    rules = gen_rules(X)
    indices = tuple(range(len(X)))
    by_index = [odt(proper(rules), errors(y.__getitem__), k, rules, indices) for k in (0, 1, 2)]
    assert [best.cost for best in by_index] == [odt_ml(X, y, k).cost for k in (0, 1, 2)]
    points = tuple(map(tuple, X.tolist()))
    of_point = dict(zip(points, y, strict=True)).__getitem__
    with pytest.raises(ValueError, match=r"tuple\(range\(len\(X\)\)\) as data, not points"):
        odt(proper(rules), errors(of_point), 1, rules, points)
    for thing in ("nonsense", -1, 5, None, X[0], [0, 0]):
        with pytest.raises(ValueError, match="is not the index of a row, from 0 to 4"):
            rules[0].side(thing)
    assert {rules[0].side(np.int64(i)) for i in range(5)} <= {1, -1}


@pytest.mark.parametrize(("d", "n"), [(1, 7), (2, 6), (3, 5)])
def test_odt_agrees_with_the_definition_if_subsets_are_large_enough(d: int, n: int) -> None:
    """It is never better: it generates only rules through D examples of the node's subset."""
    agreements = 0
    for seed in range(9):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(n, d)), rng.integers(0, 2 + seed % 3, n)
        results = [odt_ml(X, y, k) for k in (0, 1, 2)]
        cost = min(best.cost for best in results if best is not None)
        problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_size=2))
        by_definition = xt.solve(problem, implementation="spec")
        assert xt.solve(problem, method="proper").cost == by_definition.cost
        assert cost >= by_definition.cost
        tree = by_definition.tree
        if (tree.n_node_samples[tree.feature >= 0] >= d).all():
            agreements += 1
            assert cost == by_definition.cost
    assert agreements > 4


@pytest.mark.parametrize("seed", range(4))
def test_one_surface_of_degree_two_agrees_with_the_engine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6, 2)), rng.integers(0, 2, 6)
    problem = xt.Problem(X, y, rules=Hypersurfaces(2), limits=xt.Limits(max_size=1))
    best = min(odt_ml(X, y, k, degree=2).cost for k in (0, 1))
    assert best == xt.solve(problem).cost
