"""Splits on sets of levels: equality with the definition; exports; limits on their number."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactree as xt
from exactree import export
from exactree.problem.verification.constraint_checks import broken_constraints
from exactree.rules import AxisParallel, AxisRule, Categories, Hyperplanes, LevelsRule, Mixed
from exactree.spec import min_cost
from exactree.spec.constrained import fitted_within_constraints
from exactree.spec.effort import subsets_to_visit
from exactree.spec.enumerate import optimal_trees
from exactree.spec.table import fitted_tree
from exactree.spec.trees import SpecLeaf, SpecNode
from exactree.testing import check_irreducible, check_rule_family, random_weights

NAN = np.nan
SETS = AxisParallel(level_sets=True)
CODES = st.lists(st.sampled_from([NAN, -1.0, 0.0, 2.0, 7.0]), min_size=1, max_size=7)


@given(CODES, st.data())
def test_the_rules_are_all_sets_of_the_levels_of_a_subset(
    column: list[float], data: st.DataObject
) -> None:
    X = np.array(column)[:, None]
    subset = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), unique=True, min_size=1)))
    family = Categories((0,), level_sets=True)
    levels = len(np.unique(X[subset]))
    found = {left.tobytes() for _, left in family.by_feature(X, subset)}
    assert len(found) == len(list(family.by_feature(X, subset))) == 2**levels - 2
    for rule, left in family.by_feature(X, subset):
        assert rule.holds(X[subset]).tolist() == left.tolist()
        # All examples of a level go to the same child.
        for level in np.unique(X[subset, 0]):
            of_level = np.isnan(X[subset, 0]) if np.isnan(level) else X[subset, 0] == level
            assert len(np.unique(left[of_level])) == 1
    check_rule_family(family, X, subset)


def draw(rng: np.random.Generator, minimize: Any, max_rows: int = 8) -> tuple[xt.Problem, Any]:
    """Draw a problem with sets of levels, and the same problem without them."""
    while True:
        rows = int(rng.integers(4, max_rows + 1))
        X = rng.integers(0, 5, (rows, 2)).astype(float)
        if rng.random() < 0.5:
            X[rng.random(X.shape) < 0.25] = NAN
        y = rng.integers(0, int(rng.integers(2, 4)), rows)
        limit = int(rng.integers(1, 3))
        limits = xt.Limits(max_size=limit) if minimize == "size" else xt.Limits(max_depth=limit)
        parameters = {"categories": [0], "limits": limits, "minimize": minimize}
        weights = random_weights(rng, rows)
        problem = xt.Problem(X, y, weights, rules=SETS, **parameters)
        if subsets_to_visit(problem) <= 3000:
            return problem, xt.Problem(X, y, weights, **parameters)


@pytest.mark.parametrize("minimize", ["errors", "size", ("errors", "size")], ids=str)
def test_the_engine_agrees_with_the_definition(minimize: Any) -> None:
    rng = np.random.default_rng(81)
    comparisons, better = Counter(), 0
    for _ in range(220):
        problem, plain = draw(rng, minimize)
        outcome, expected = xt.solve(problem), min_cost(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        if outcome.tree is None or expected.tree is None:
            continue
        check_irreducible(problem, outcome.tree)
        better += outcome.cost != xt.solve(plain).cost
        Z = rng.integers(-1, 6, (20, 2)).astype(float)
        Z[rng.random(Z.shape) < 0.3] = NAN
        for tree in (outcome.tree, expected.tree):
            comparisons.update(tree.comparison.tolist())
            assert export.from_json(export.to_json(tree)) == tree
            names: dict[str, Any] = {}
            exec(export.to_python(tree), names)
            assert [names["predict"](row) for row in Z.tolist()] == tree.predict(Z).tolist()
    assert comparisons["in"] > 20
    assert better > 5


@pytest.mark.parametrize("instances", [20, pytest.param(400, marks=pytest.mark.long)])
def test_monotone_trees_with_sets_of_levels_agree_with_the_definition(instances: int) -> None:
    rng = np.random.default_rng(83)
    sets = 0
    for number in range(instances):
        rows, codes = int(rng.integers(4, 7)), 4 if number % 2 == 0 else 3
        X = np.column_stack([rng.integers(0, 3, rows), rng.permutation(np.arange(rows) % codes)])
        problem = xt.Problem(
            X,
            rng.permutation(np.arange(rows) % 2),
            rules=SETS,
            minimize=["errors", "gini", "squared_error", "f1_error"][rng.integers(4)],
            categories=[1],
            monotonic_cst={0: int(rng.choice([-1, 1]))},
            limits=xt.Limits(max_depth=1 if codes == 4 else 2),
        )
        outcome, expected = xt.solve(problem), xt.solve(problem, implementation="spec")
        assert outcome.status is expected.status is xt.Status.OPTIMAL
        assert outcome.cost == pytest.approx(expected.cost), problem
        assert outcome.tree is not None
        sets += "in" in outcome.tree.comparison.tolist()
        again = xt.solve(problem, incumbent=outcome.tree)
        assert again.cost == pytest.approx(expected.cost), problem
    assert sets > 0


def test_monotone_trees_have_sets_of_all_levels_of_the_table() -> None:
    """A level that no example of a node has may reach its leaves, which must be monotone, too."""
    X = [[0, 3], [0, 0], [0, 1], [1, 0], [1, 1], [2, 2], [2, 0], [2, 1]]
    y = [1, 0, 0, 0, 1, 0, 1, 1]
    # At 1, level 2 must go where level 0 goes, because it has the class 0 at 2; level 3 must go
    # where level 1 goes, because it has the class 1 at 0.
    below, between, above = LevelsRule(1, (3,)), LevelsRule(1, (0, 2)), LevelsRule(1, (2,))
    tree = SpecNode(
        AxisRule(0, 0.0, 1.0),
        SpecNode(below, SpecLeaf(1), SpecLeaf(0)),
        SpecNode(
            AxisRule(0, 1.0, 2.0),
            SpecNode(between, SpecLeaf(0), SpecLeaf(1)),
            SpecNode(above, SpecLeaf(0), SpecLeaf(1)),
        ),
    )
    for directions, codes in (({0: 1}, (0, 2)), (None, (0,))):
        problem = xt.Problem(X, y, rules=SETS, categories=[1], monotonic_cst=directions)
        fitted = fitted_within_constraints(problem, tree)
        on_codes = [node for node in range(fitted.node_count) if fitted.feature[node] == 1]
        (node,) = (node for node in on_codes if 0 in fitted.left_codes_at(node))
        assert fitted.left_codes_at(node) == codes
        monotone = xt.Problem(X, y, rules=SETS, categories=[1], monotonic_cst={0: 1})
        assert bool(list(broken_constraints(monotone, [fitted]))) == (directions is None)


@pytest.mark.parametrize("method", ["witness", "threshold", "subsets", "box", "proper"])
def test_every_method_agrees_with_the_definition(method: str) -> None:
    rng = np.random.default_rng(82)
    done = 0
    while done < 20:
        problem, _ = draw(rng, "size", max_rows=5)
        try:
            outcome = xt.solve(problem, method=method)
        except xt.MethodRefused:
            continue
        done += 1
        assert outcome.cost == min_cost(problem).cost


FRAME = pd.DataFrame({"c": list("abcdefab")})
LABELS = [0, 1, 1, 0, 1, 0, 0, 1]


def test_sets_of_levels_are_exported_predicted_and_serialized() -> None:
    model = xt.OptimalTreeClassifier(max_depth=1, rules=SETS).fit(FRAME, LABELS)
    tree = model.tree_
    assert model.outcome_.cost == 0
    assert tree.comparison[0] == "in"
    assert tree.level_set_at(0) == (0, 3, 5)
    for name in ("text", "dot", "svg"):
        assert "c in {a, d, f}" in export.EXPORTERS[name](tree)
    assert "\"c\" IN ('a', 'd', 'f')" in export.to_sql_expression(tree)
    assert "x[0] in ('a', 'd', 'f')" in export.to_python(tree)
    assert "x[0] == 0.0 || x[0] == 3.0 || x[0] == 5.0" in export.to_c(tree)
    assert model.predict(pd.DataFrame({"c": ["d", "z"]})).tolist() == [0, 1]
    assert tree.to_dict()["level_sets"] == [[0, 3, 5]]
    for wrong in ([], [[]], [[9]], [["a"]], "a"):
        with pytest.raises(xt.ModelError):
            xt.Tree.from_dict(tree.to_dict() | {"level_sets": wrong})


def test_functions_without_support_for_sets_of_levels_refuse_them() -> None:
    tree = xt.OptimalTreeClassifier(max_depth=1, rules=SETS).fit(FRAME, LABELS).tree_
    for call in (
        lambda: xt.smallest_equal_tree(tree),
        lambda: xt.Ensemble((tree,)).to_tree(),
    ):
        with pytest.raises(ValueError, match="node 0 of the tree splits on several levels of 'c'"):
            call()
    with pytest.raises(ValueError, match="only thresholds"):
        export.to_sklearn(tree)
    with pytest.raises(ValueError, match="node 0 of the tree sends several levels of 'c' left"):
        xt.prune.prune_with_bound(tree, FRAME, LABELS)


def test_a_single_level_is_distinguished_from_missing_values() -> None:
    problem = xt.Problem([["c"], [None]], [1, 0], rules=SETS, minimize="f1_error")
    assert xt.solve(problem).cost == xt.solve(problem, implementation="spec").cost == 0


def test_too_many_levels_are_refused_with_numbers() -> None:
    X, y = [[f"level {k}"] for k in range(13)], [0, 1] * 6 + [0]
    with pytest.raises(ValueError, match="at most 12 levels of a feature, and column 'x0' has 13"):
        xt.Problem(X, y, rules=SETS)
    X = [[word] * 5 for [word] in X[:12]]
    with pytest.raises(ValueError, match=r"at most 10,000 splits .*, and there are 10,235"):
        xt.Problem(X, y[:12], rules=SETS)
    # Of the five features only two are split on, with 2 * 2,047 splits.
    two_features = xt.Problem(X, y[:12], rules=AxisParallel([0, 1], level_sets=True))
    assert Categories((0, 1), level_sets=True) in two_features.rules.families


def test_level_sets_change_nothing_for_a_table_without_categories() -> None:
    problem = xt.Problem([[0.0], [1.0]], [0, 1], rules=SETS)
    assert problem.rules == AxisParallel()


def test_level_sets_are_kept_beside_another_rule_family() -> None:
    mixed = xt.Problem(
        [["a", 0.0, 1.0], ["b", 1.0, 0.0]], [0, 1], rules=Mixed((Hyperplanes([1, 2]), SETS))
    )
    assert Categories((0,), level_sets=True) in mixed.rules.families


def test_the_listed_optimal_trees_with_sets_are_those_of_the_specification() -> None:
    problem = xt.Problem(
        [["a"], ["b"], ["c"]], [0, 1, 0], rules=SETS, limits=xt.Limits(max_depth=1)
    )
    listed = set(xt.enumerate_optimal(problem))
    assert listed == {fitted_tree(problem, tree) for tree in optimal_trees(problem)}
    assert {str(tree).splitlines()[0] for tree in listed} == {"x0 == b", "x0 in {a, c}"}
