"""For every family of rules, the bound is valid and the returned tree minimizes it."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree as xt
from exactree import rules as families
from exactree.bound_optimal import features_of, solve_bound_optimal
from exactree.rules import (
    AxisParallel,
    FixedRules,
    Hyperplanes,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    SurfaceRule,
    families_of,
)
from exactree.theory import (
    Features,
    PartitioningBounds,
    TreeShape,
    enumerate_shapes,
    risk_bound,
    shape_of,
    stump_partitioning_function_bound,
    trivial_stump_bound,
)

Part = frozenset[int]
GIVEN = FixedRules(
    [
        SurfaceRule.linear((1, -1), 0.5),
        SurfaceRule.linear((-1, 1), -0.5),  # nearly its opposite
        SurfaceRule.linear((1, 2), 3),
        SurfaceRule.linear((0, 1), 1),
    ]
)
ALONE: list[tuple[RuleFamily, list[int]]] = [
    (AxisParallel(), []),
    (AxisParallel([1]), []),
    (AxisParallel(), [0]),
    (AxisParallel(), [0, 1]),
    (AxisParallel(level_sets=True), [0]),
    (AxisParallel(level_sets=True), [0, 1]),
    (Hyperplanes(), []),
    (Hyperplanes([0]), []),
    (Hypersurfaces(2), []),
    (Hypersurfaces(3, [0]), []),
    (GIVEN, []),
]
MIXTURES: list[tuple[RuleFamily, list[int]]] = [
    (Mixed([AxisParallel(), Hyperplanes()]), []),
    (Mixed([AxisParallel([0]), Hyperplanes([1])]), []),
    (Mixed([AxisParallel(), Hyperplanes([1])]), [0]),
    (Mixed([AxisParallel(level_sets=True), Hyperplanes([1])]), [0]),
    (Mixed([Hyperplanes(), Hypersurfaces(2)]), []),
    (Mixed([AxisParallel(), GIVEN]), [0]),
    (Mixed([AxisParallel(), Hyperplanes(), Hypersurfaces(2, [0]), GIVEN]), []),
]


def tables(rules: RuleFamily, categories: list[int], most: int) -> Iterator[xt.Problem]:
    """Yield problems of random small tables, in general position and on a grid."""
    rng = np.random.default_rng(0)
    for n, on_grid in product(range(2, most + 1), (False, True)):
        X = rng.integers(0, 4, (n, 2)).astype(float) if on_grid else rng.normal(size=(n, 2))
        X[:, categories] = rng.integers(0, 5, (n, len(categories)))
        yield xt.Problem(X, rng.integers(0, 2, n), rules=rules, categories=categories or None)


def sides(problem: xt.Problem, part: Part) -> set[Part]:
    """Return every side, neither none nor all, of every rule for a subset: by brute force."""
    rows, X = np.array(sorted(part), dtype=np.int64), problem.dataset.X
    found: set[Part] = set()
    for rule in problem.rules.distinct(X, rows) if len(part) > 1 else ():
        left = frozenset(rows[rule.holds(X[rows])].tolist())
        found |= {left, part - left}
    return found - {frozenset(), part}


@pytest.mark.parametrize(("rules", "categories"), ALONE + MIXTURES, ids=repr)
def test_the_price_counts_at_least_the_splits_of_every_table(
    rules: RuleFamily, categories: list[int]
) -> None:
    met = 0
    for problem in tables(rules, categories, 8):
        n = len(problem.dataset.X)
        splits = len(sides(problem, frozenset(range(n)))) // 2
        features = features_of(problem)
        tight = stump_partitioning_function_bound(features, n)
        assert splits <= tight <= trivial_stump_bound(features, n)
        met += 0 < splits == tight
    assert met > 0 or len(families_of(problem.rules)) > 1 or categories, "it is a loose bound"


@pytest.mark.parametrize(("rules", "categories"), ALONE + MIXTURES, ids=repr)
def test_the_price_counts_at_least_the_partitions_of_all_trees(
    rules: RuleFamily, categories: list[int]
) -> None:
    shapes = [shape for leaves in range(2, 5) for shape in enumerate_shapes(leaves)]
    for problem in tables(rules, categories, 5):
        features, n = features_of(problem), len(problem.dataset.X)
        tight, loose = PartitioningBounds(features), PartitioningBounds(features, "loose")
        for shape, classes in product(shapes, (2, 3)):
            labelings = labelings_of(problem, shape, frozenset(range(n)), classes, {})
            partitions = {frozenset(filter(None, parts)) for parts in labelings}
            found = sum(len(partition) == classes for partition in partitions)
            assert found <= tight.bound(shape, n, classes) <= loose.bound(shape, n, classes)


Known = dict[tuple[TreeShape, Part], set[tuple[Part, ...]]]


def labelings_of(
    problem: xt.Problem, shape: TreeShape, part: Part, classes: int, known: Known
) -> set[tuple[Part, ...]]:
    """Return what trees of a shape predict for a subset: the examples of each class."""
    if (shape, part) in known:
        return known[shape, part]
    none: Part = frozenset()
    if shape.children is None:
        own = range(classes)
        return {tuple(part if c == one else none for c in own) for one in own}
    left, right = shape.children
    found: set[tuple[Part, ...]] = set()
    for side in sides(problem, part) | {none, part}:
        pairs = product(
            labelings_of(problem, left, side, classes, known),
            labelings_of(problem, right, part - side, classes, known),
        )
        found |= {tuple(a | b for a, b in zip(p, q, strict=True)) for p, q in pairs}
    known[shape, part] = found
    return found


def test_every_family_of_rules_is_among_these() -> None:
    every = {
        one
        for one in vars(families).values()
        if isinstance(one, type) and issubclass(one, RuleFamily) and one is not RuleFamily
    }
    problems = [next(tables(rules, codes, 2)) for rules, codes in ALONE + MIXTURES]
    priced = {type(one) for problem in problems for one in families_of(problem.rules)}
    # Risk bounds take no missing values; a mixture is priced family by family.
    assert priced == every - {families.ThresholdsWithMissing, Mixed}


def test_rules_without_a_known_bound_are_refused() -> None:
    problem = xt.Problem([[0.0], [np.nan], [1.0]], [0, 1, 0])
    with pytest.raises(TypeError, match=r"no risk bound is known for the rules (Mixed|Thresholds)"):
        features_of(problem)
    with pytest.raises(ValueError, match="risk bounds take no missing values"):
        solve_bound_optimal(problem, 2)


def test_lines_split_twenty_examples_in_190_ways() -> None:
    """Thresholds on two features make 38: priced as such, the bound of a line would be false."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    problem = xt.Problem(X, X.sum(axis=1) > 0, rules=Hyperplanes())
    assert len(sides(problem, frozenset(range(20)))) == 2 * 190
    assert stump_partitioning_function_bound(features_of(problem), 20) == 190
    assert stump_partitioning_function_bound(Features(2), 20) == 38
    both = xt.Problem(X, X.sum(axis=1) > 0, rules=Mixed([AxisParallel(), Hyperplanes()]))
    assert features_of(both) == Features(numeric=2, surfaces=(2,))
    assert stump_partitioning_function_bound(features_of(both), 20) == 190 + 38


def test_a_line_costs_more_than_a_threshold() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = X.sum(axis=1) > 0
    model = xt.BoundOptimalTreeClassifier(2, rules=Hyperplanes()).fit(X, y)
    assert model.outcome_.status is xt.Status.OPTIMAL
    assert (model.tree_.leaves, model.outcome_.stats["errors"]) == (2, 0)
    table: dict[str, Any] = {"n_examples": 60, "n_classes": 2, "n_errors": 0}
    stump = shape_of(model.tree_)
    as_lines = risk_bound(stump, n_features=Features(surfaces=(2,)), **table)
    assert model.risk_bound_ == pytest.approx(as_lines, rel=1e-12)
    assert as_lines > risk_bound(stump, n_features=2, **table) + 0.2


@pytest.mark.parametrize(("rules", "categories"), ALONE + MIXTURES, ids=repr)
def test_no_tree_of_the_family_has_a_smaller_bound(
    rules: RuleFamily, categories: list[int]
) -> None:
    leaves = 0
    for problem in tables(rules, categories, 5):
        for r in (0.3, 1e-6):
            native = solve_bound_optimal(problem, 3, r=r)
            spec = solve_bound_optimal(problem, 3, r=r, implementation="spec")
            assert native.status is xt.Status.OPTIMAL
            assert float(native.cost) == pytest.approx(float(spec.cost), rel=1e-12)
            assert native.tree is not None
            leaves = max(leaves, native.tree.leaves)
    assert leaves > 1


def test_surfaces_that_are_too_many_to_list_leave_a_tree_and_a_lower_bound() -> None:
    rng = np.random.default_rng(0)
    X: NDArray[np.float64] = rng.normal(size=(2000, 2))
    y = (X.sum(axis=1) > 0) ^ (rng.random(2000) < 0.05)
    problem = xt.Problem(X, y, rules=Hyperplanes())
    outcome = solve_bound_optimal(problem, 3, time_limit=1)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "time limit")
    assert 0 < outcome.lower_bound < outcome.cost
    with pytest.raises(xt.MethodRefused, match="give a time_limit"):
        solve_bound_optimal(problem, 3)
