"""The specification of method="proper", the algorithm odt of 004, agrees with the definition."""

import numpy as np
import pytest

import exactree as xt
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.spec import proper
from exactree.testing import random_weights

PROBLEMS = [
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
def test_it_agrees_with_the_definition(d: int, rules: object, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    grid = rng.integers(0, 3, size=(n, d)).astype(np.float64)
    for X in (grid, rng.normal(size=(n, d))):
        y, weights = rng.integers(0, 3, n), random_weights(rng, n)
        for parameters in PROBLEMS:
            problem = xt.Problem(X, y, weights, rules=rules, **parameters)
            expected = xt.solve(problem, implementation="spec")
            outcome = xt.solve(problem, method="proper", implementation="spec")
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost)


def test_codes_are_supported() -> None:
    X = np.array([[0, 0.5], [1, 0.25], [2, 0.75], [1, 0.1], [0, 0.3]])
    problem = xt.Problem(X, [0, 1, 0, 0, 1], categories=[0], limits=xt.Limits(max_size=2))
    outcome = xt.solve(problem, method="proper", implementation="spec")
    assert outcome.cost == xt.solve(problem).cost


def test_planes_in_space_separate_four_examples(monkeypatch) -> None:
    monkeypatch.setattr(proper, "MAX_CHOICES", 10_000)
    X, y = np.random.default_rng(0).normal(size=(4, 3)), [0, 1, 2, 0]
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_size=2))
    assert xt.solve(problem, method="proper", implementation="spec").cost == 0


def test_subsets_with_fewer_examples_than_features_are_split() -> None:
    """Two examples of three features span no plane, but a plane separates them from the others."""
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    problem = xt.Problem(X, [0, 1, 1, 0], rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    assert xt.solve(problem, method="proper", implementation="spec").cost == 0


def test_many_choices_are_refused_with_advice() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    problem = xt.Problem(X, [0, 1] * 6, rules=Hyperplanes(), limits=xt.Limits(max_size=3))
    with pytest.raises(xt.MethodRefused, match=r"choices of 2 of 264 rules, .*34,981.*'native'"):
        xt.solve(problem, method="proper", implementation="spec")
    limits = xt.Limits(max_size=1, max_leaves_of={0: 1})
    with pytest.raises(xt.MethodRefused, match="takes no max_leaves_of"):
        xt.solve(problem.within(limits), method="proper", implementation="spec")
    assert proper.reason_to_refuse(problem.with_trees(2)) == "it takes one tree only"
