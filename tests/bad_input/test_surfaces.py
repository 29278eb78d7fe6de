"""Tables that surfaces cannot split, and invalid surface rules."""

import re
from typing import Any

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status, solve
from exactree.rules import (
    AxisParallel,
    FixedRules,
    Hyperplanes,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    SurfaceRule,
)

from .mistakes import MISTAKES, Mistake, X, Y, is_short_line

SURFACES = [Hyperplanes(), Hypersurfaces(2), Mixed([AxisParallel(), Hyperplanes()])]


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("mistake", MISTAKES[:3], ids=lambda mistake: mistake.name)
def test_surfaces_refuse_values_that_are_not_finite_numbers(
    rules: RuleFamily, mistake: Mistake
) -> None:
    with pytest.raises(ValueError, match=mistake.words[0]) as caught:
        Problem(mistake.X, Y, rules=rules)
    assert is_short_line(str(caught.value))
    tree = solve(Problem(X, Y, rules=rules)).tree
    assert tree is not None
    with pytest.raises(ValueError, match=mistake.words[0]):
        tree.predict(mistake.X)


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_constant_features_have_no_splits(rules: RuleFamily, implementation: str) -> None:
    """No rule splits equal rows; if one feature varies, the surfaces are thresholds on it."""
    constant = np.full((5, 2), 0.1)
    problem = Problem(constant, [0, 1, 1, 0, 1], rules=rules, limits=Limits(max_depth=2))
    outcome = solve(problem, implementation=implementation)
    assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 2, 0)
    constant[3:, 1] = 0.7
    problem = Problem(constant, [0, 1, 1, 0, 0], rules=rules, limits=Limits(max_depth=2))
    outcome = solve(problem, implementation=implementation)
    assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 1, 1)


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_examples_than_define_a_surface_are_split_in_all_ways(
    rules: RuleFamily, n: int
) -> None:
    """A hyperplane in six features goes through 6 examples, a surface of degree two through 27."""
    table = np.random.default_rng(n).normal(size=(n, 6))
    for labels in ([0, 1, 0], [0, 0, 1], [1, 0, 0]):
        outcome = solve(Problem(table, labels[:n], rules=rules, limits=Limits(max_depth=1)))
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, 0)


@pytest.mark.parametrize(
    ("rules", "shape", "numbers"),
    [
        (Hyperplanes(), (400, 4), "1,050,739,900 surfaces through 4"),
        (Hypersurfaces(2), (60, 3), "surfaces through 9"),
        (Hypersurfaces(100), (200, 1), "surfaces through 100"),
        (Mixed([AxisParallel(), Hyperplanes()]), (300, 5), "surfaces through 5"),
    ],
)
def test_too_many_surfaces_are_refused_with_numbers_and_advice(
    rules: RuleFamily, shape: tuple[int, int], numbers: str
) -> None:
    """The refusal comes before any surface is computed."""
    table = np.random.default_rng(0).normal(size=shape)
    problem = Problem(table, np.arange(shape[0]) % 2, rules=rules)
    with pytest.raises(MethodRefused, match=numbers) as caught:
        solve(problem)
    message = str(caught.value)
    assert re.search(r"take [\d,.e+]+ bytes, more than 500,000,000", message)
    assert "Take fewer examples, a lower degree, or fewer features" in message
    assert is_short_line(message)


WRONG_RULES: list[tuple[Any, type[Exception], str]] = [
    ([SurfaceRule.linear((1, 2, 3), 0)], ValueError, "rule 0: .* are for 3 features, and X has 2"),
    ([SurfaceRule((), (), 0.0)], ValueError, "rule 0: .* are for 0 features, and X has 2"),
    ([SurfaceRule(((1, 0),), (1.0, 2.0), 0.0)], ValueError, "has 2 weights for 1 monomials"),
    ([SurfaceRule(((1, -1),), (1.0,), 0.0)], ValueError, "powers must be integers from 0 to 100"),
    ([SurfaceRule(((1, 0.5),), (1.0,), 0.0)], ValueError, "powers must be integers"),  # type: ignore[arg-type]
    ([SurfaceRule.linear((1, np.nan), 0)], ValueError, "rule 0: .* must be finite"),
    ([SurfaceRule.linear((1, 1), np.inf)], ValueError, "rule 0: .* must be finite"),
    ([(1, 2)], TypeError, r"SurfaceRule.linear\(weights, threshold\) makes such a rule"),
    (SurfaceRule.linear((1, 1), 0), TypeError, "FixedRules takes a list of rules.SurfaceRule"),
]


@pytest.mark.parametrize(("rules", "error", "words"), WRONG_RULES)
def test_fixed_rules_that_do_not_fit_the_table_are_refused(
    rules: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        Problem(X, Y, rules=FixedRules(rules))
    assert is_short_line(str(caught.value))


def test_fixed_rules_that_split_nothing_give_a_leaf() -> None:
    for rules in ([], [SurfaceRule.linear((1, 1), 77.0)]):
        outcome = solve(Problem(X, Y, rules=FixedRules(rules)))  # type: ignore[arg-type]
        assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 2, 0)
