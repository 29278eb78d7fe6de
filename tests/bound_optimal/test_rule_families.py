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

Subset = frozenset[int]
LISTED_RULES = FixedRules(
    [
        SurfaceRule.linear((1, -1), 0.5),
        # The opposite of the first rule, but both rules send examples on the line left.
        SurfaceRule.linear((-1, 1), -0.5),
        SurfaceRule.linear((1, 2), 3),
        SurfaceRule.linear((0, 1), 1),
    ]
)
SINGLE_FAMILIES: list[tuple[RuleFamily, list[int]]] = [
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
    (LISTED_RULES, []),
]
MIXTURES: list[tuple[RuleFamily, list[int]]] = [
    (Mixed([AxisParallel(), Hyperplanes()]), []),
    (Mixed([AxisParallel([0]), Hyperplanes([1])]), []),
    (Mixed([AxisParallel(), Hyperplanes([1])]), [0]),
    (Mixed([AxisParallel(level_sets=True), Hyperplanes([1])]), [0]),
    (Mixed([Hyperplanes(), Hypersurfaces(2)]), []),
    (Mixed([AxisParallel(), LISTED_RULES]), [0]),
    (Mixed([AxisParallel(), Hyperplanes(), Hypersurfaces(2, [0]), LISTED_RULES]), []),
]


def tables(rules: RuleFamily, categories: list[int], max_rows: int) -> Iterator[xt.Problem]:
    """Yield problems on random small tables, in general position and on a grid."""
    rng = np.random.default_rng(0)
    for n, on_grid in product(range(2, max_rows + 1), (False, True)):
        X = rng.integers(0, 4, (n, 2)).astype(float) if on_grid else rng.normal(size=(n, 2))
        X[:, categories] = rng.integers(0, 5, (n, len(categories)))
        yield xt.Problem(X, rng.integers(0, 2, n), rules=rules, categories=categories or None)


def children(problem: xt.Problem, subset: Subset) -> set[Subset]:
    """Return the nonempty children of a subset for all rules that split it, by brute force."""
    rows, X = np.array(sorted(subset), dtype=np.int64), problem.dataset.X
    found: set[Subset] = set()
    for rule in problem.rules.distinct(X, rows) if len(subset) > 1 else ():
        left = frozenset(rows[rule.holds(X[rows])].tolist())
        found |= {left, subset - left}
    return found - {frozenset(), subset}


@pytest.mark.parametrize(("rules", "categories"), SINGLE_FAMILIES + MIXTURES, ids=repr)
def test_the_bound_on_stumps_is_at_least_the_number_of_splits(
    rules: RuleFamily, categories: list[int]
) -> None:
    n_equal = 0
    for problem in tables(rules, categories, 8):
        n = len(problem.dataset.X)
        splits = len(children(problem, frozenset(range(n)))) // 2
        features = features_of(problem)
        tight = stump_partitioning_function_bound(features, n)
        assert splits <= tight <= trivial_stump_bound(features, n)
        n_equal += 0 < splits == tight
    # Equality is possible, except for mixtures and categories.
    assert n_equal > 0 or len(families_of(problem.rules)) > 1 or categories


@pytest.mark.parametrize(("rules", "categories"), SINGLE_FAMILIES + MIXTURES, ids=repr)
def test_tight_and_loose_bounds_are_at_least_the_number_of_partitions_by_trees_of_a_shape(
    rules: RuleFamily, categories: list[int]
) -> None:
    shapes = [shape for leaves in range(2, 5) for shape in enumerate_shapes(leaves)]
    for problem in tables(rules, categories, 5):
        features, n = features_of(problem), len(problem.dataset.X)
        tight, loose = PartitioningBounds(features), PartitioningBounds(features, "loose")
        for shape, classes in product(shapes, (2, 3)):
            labelings = labelings_of(problem, shape, frozenset(range(n)), classes, {})
            # A partition is a labeling in which the names of the classes do not matter.
            partitions = {frozenset(filter(None, labeling)) for labeling in labelings}
            n_partitions = sum(len(partition) == classes for partition in partitions)
            assert n_partitions <= tight.bound(shape, n, classes) <= loose.bound(shape, n, classes)


Cache = dict[tuple[TreeShape, Subset], set[tuple[Subset, ...]]]


def labelings_of(
    problem: xt.Problem, shape: TreeShape, subset: Subset, classes: int, cache: Cache
) -> set[tuple[Subset, ...]]:
    """Return the labelings of a subset by trees of a shape.

    A labeling is a tuple with the examples of each class.
    """
    if (shape, subset) in cache:
        return cache[shape, subset]
    empty: Subset = frozenset()
    if shape.children is None:
        labels = range(classes)
        return {tuple(subset if c == label else empty for c in labels) for label in labels}
    left, right = shape.children
    found: set[tuple[Subset, ...]] = set()
    for left_child in children(problem, subset) | {empty, subset}:
        pairs = product(
            labelings_of(problem, left, left_child, classes, cache),
            labelings_of(problem, right, subset - left_child, classes, cache),
        )
        found |= {tuple(a | b for a, b in zip(p, q, strict=True)) for p, q in pairs}
    cache[shape, subset] = found
    return found


def test_every_family_of_rules_is_tested() -> None:
    public_families = {
        entry
        for entry in vars(families).values()
        if isinstance(entry, type) and issubclass(entry, RuleFamily) and entry is not RuleFamily
    }
    problems = [next(tables(rules, codes, 2)) for rules, codes in SINGLE_FAMILIES + MIXTURES]
    tested = {type(family) for problem in problems for family in families_of(problem.rules)}
    # Risk bounds support no missing values, and no rules that depend on the table; a mixture is
    # counted family by family.
    without = {families.ThresholdsWithMissing, families.RulesOfTable, Mixed}
    assert tested == public_families - without


def test_rules_without_a_known_bound_are_refused() -> None:
    problem = xt.Problem([[0.0], [np.nan], [1.0]], [0, 1, 0])
    with pytest.raises(TypeError, match=r"no risk bound is known for the rules (Mixed|Thresholds)"):
        features_of(problem)
    with pytest.raises(ValueError, match="risk bounds take no missing values"):
        solve_bound_optimal(problem, 2)


def test_lines_split_twenty_examples_in_190_ways() -> None:
    """Thresholds on two features split them in only 2 * 19 = 38 ways: no bound for lines."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    problem = xt.Problem(X, X.sum(axis=1) > 0, rules=Hyperplanes())
    assert len(children(problem, frozenset(range(20)))) == 2 * 190
    assert stump_partitioning_function_bound(features_of(problem), 20) == 190
    assert stump_partitioning_function_bound(Features(2), 20) == 38
    both = xt.Problem(X, X.sum(axis=1) > 0, rules=Mixed([AxisParallel(), Hyperplanes()]))
    assert features_of(both) == Features(numeric=2, surfaces=(2,))
    assert stump_partitioning_function_bound(features_of(both), 20) == 190 + 38


def test_the_risk_bound_of_a_line_is_larger_than_that_of_a_threshold() -> None:
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


@pytest.mark.parametrize(("rules", "categories"), SINGLE_FAMILIES + MIXTURES, ids=repr)
def test_native_and_spec_find_the_minimum_bound_over_all_trees_of_a_family(
    rules: RuleFamily, categories: list[int]
) -> None:
    leaves = 0
    for problem in tables(rules, categories, 5):
        # The smaller r, the higher the price of an error, and the more leaves pay off.
        for r in (0.3, 1e-6):
            native = solve_bound_optimal(problem, max_leaves=3, r=r)
            spec = solve_bound_optimal(problem, max_leaves=3, r=r, implementation="spec")
            assert native.status is xt.Status.OPTIMAL
            assert float(native.cost) == pytest.approx(float(spec.cost), rel=1e-12)
            assert native.tree is not None
            leaves = max(leaves, native.tree.leaves)
    assert leaves > 1


def test_too_many_surfaces_give_a_tree_and_a_lower_bound_within_a_time_limit() -> None:
    rng = np.random.default_rng(0)
    X: NDArray[np.float64] = rng.normal(size=(2000, 2))
    y = (X.sum(axis=1) > 0) ^ (rng.random(2000) < 0.05)
    problem = xt.Problem(X, y, rules=Hyperplanes())
    outcome = solve_bound_optimal(problem, max_leaves=3, time_limit=1)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "time limit")
    assert 0 < outcome.lower_bound < outcome.cost
    with pytest.raises(xt.MethodRefused, match="give a time_limit"):
        solve_bound_optimal(problem, max_leaves=3)
