"""The specification of method="proper", which is odt, against the definition."""

import numpy as np
import pytest

import exactree as xt
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.spec import proper
from exactree.testing import random_weights

QUESTIONS = [
    {"limits": xt.Limits(max_size=2)},
    {"limits": xt.Limits(max_depth=1)},
    {"limits": xt.Limits(max_size=2, min_samples_leaf=2)},
    {"leaf_penalty": 0.1, "limits": xt.Limits(max_size=2)},
    {"minimize": "size", "limits": xt.Limits(max_size=2, max_errors=1)},
    {"minimize": ("errors", "depth"), "limits": xt.Limits(max_size=2)},
    {"minimize": ("depth", "size", "errors"), "limits": xt.Limits(max_errors=1, max_size=2)},
]
GIVEN = FixedRules([SurfaceRule.linear((1, 1), 2.5), SurfaceRule.linear((1, -1), 0.5)])
FAMILIES = [
    (1, Hyperplanes(), 5),
    (2, Hyperplanes(), 4),
    (3, Hyperplanes(), 3),
    (1, Hypersurfaces(2), 4),
    (2, AxisParallel(), 6),
    (2, Mixed([AxisParallel(), Hyperplanes([0])]), 4),
    (2, Mixed([GIVEN, AxisParallel([1])]), 6),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("d", "rules", "n"), FAMILIES)
def test_it_finds_what_the_definition_finds(d: int, rules: object, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = rng.integers(0, 3, size=(n, d)).astype(np.float64)
    for X in (grid, rng.normal(size=(n, d))):
        y, weights = rng.integers(0, 3, n), random_weights(rng, n)
        for question in QUESTIONS:
            problem = xt.Problem(X, y, weights, rules=rules, **question)
            defined = xt.solve(problem, implementation="spec")
            found = xt.solve(problem, method="proper", implementation="spec")
            assert (found.status, found.cost) == (defined.status, defined.cost)


def test_codes_are_made_from_examples_too() -> None:
    X = np.array([[0, 0.5], [1, 0.25], [2, 0.75], [1, 0.1], [0, 0.3]])
    problem = xt.Problem(X, [0, 1, 0, 0, 1], categories=[0], limits=xt.Limits(max_size=2))
    found = xt.solve(problem, method="proper", implementation="spec")
    assert found.cost == xt.solve(problem).cost


def test_four_examples_of_three_features(monkeypatch) -> None:
    monkeypatch.setattr(proper, "MAX_CHOICES", 10_000)
    X, y = np.random.default_rng(0).normal(size=(4, 3)), [0, 1, 2, 0]
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_size=2))
    assert xt.solve(problem, method="proper", implementation="spec").cost == 0


def test_parts_of_few_examples_are_divided() -> None:
    """Two examples of three features, divided below others: no plane goes through three there."""
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    problem = xt.Problem(X, [0, 1, 1, 0], rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    assert xt.solve(problem, method="proper", implementation="spec").cost == 0


def test_many_choices_are_refused_with_a_way_out() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    problem = xt.Problem(X, [0, 1] * 6, rules=Hyperplanes(), limits=xt.Limits(max_size=3))
    with pytest.raises(xt.MethodRefused, match=r"choices of 2 of 264 rules, .*34,981.*'native'"):
        xt.solve(problem, method="proper", implementation="spec")
    limits = xt.Limits(max_size=1, max_leaves_of={0: 1})
    with pytest.raises(xt.MethodRefused, match="takes no max_leaves_of"):
        xt.solve(problem.within(limits), method="proper", implementation="spec")
    assert proper.accepts(problem.with_trees(2)) == "it takes one tree only"
