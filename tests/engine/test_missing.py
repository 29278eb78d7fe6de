"""Missing values: every method agrees with the definition, and routing is as documented."""

import runpy
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import PAPERS, branch_and_bound
from exactree.problem.verification.recount import recount
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.spec import min_cost
from exactree.spec.methods import METHODS
from exactree.testing import check_irreducible

INSTANCES = runpy.run_path(str(Path(__file__).with_name("instances.py")))
random_problem_with_missing = INSTANCES["random_problem_with_missing"]
NAN = np.nan

FORMS = [(name, "native") for name in (*PAPERS, "proper")]
FORMS += [(name, "spec") for name in METHODS if name != "branch-and-bound"]


def comparisons_used(outcome):
    """Count the nodes of an outcome by comparison, child of missing values, and kind of threshold.

    A threshold is infinite if the rule is whether the value is missing.
    """
    counts = Counter()
    for tree in outcome.trees:
        columns = (tree.comparison, tree.missing, np.isinf(tree.threshold))
        counts.update(zip(*(column.tolist() for column in columns), strict=True))
    return counts


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 5))]
)
def test_the_engine_agrees_with_the_definition(seed):
    rng = np.random.default_rng([71, seed])
    comparisons, n_done, minimized = Counter(), 0, Counter()
    while n_done < 400:
        problem = random_problem_with_missing(rng)
        try:
            outcome = branch_and_bound(problem)
        except xt.MethodRefused:
            continue
        n_done += 1
        expected = min_cost(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        recount(problem, outcome)
        recount(problem, expected)
        if outcome.tree is not None:
            assert outcome.lower_bound == outcome.cost
            if problem.quantities != ("depth",):  # off the longest path, nodes may be superfluous
                check_irreducible(problem, outcome.tree)
            for tree in (outcome.tree, expected.tree):
                assert xt.export.from_json(xt.export.to_json(tree)) == tree
        comparisons += comparisons_used(outcome) + comparisons_used(expected)
        minimized[problem.quantities] += 1
    for kind in product(("<=", "=="), ("left", "right", ""), (False,)):
        assert comparisons[kind] > 20, (kind, comparisons)
    assert comparisons["<=", "left", True] > 20
    assert len(minimized) > 5


@pytest.mark.parametrize("divisor", [3, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(("method", "form"), FORMS)
def test_every_method_agrees_with_the_definition(method, form, divisor):
    rng = np.random.default_rng([72, len(method)])
    # The tables of the dynamic programs "subsets" and "box" grow fastest with the rows.
    max_rows, problems = {"subsets": (6, 300), "box": (5, 160)}.get(method, (8, 240))
    comparisons, n_done = Counter(), 0
    while n_done < problems // divisor:
        minimize = "depth" if method == "support-sets" and n_done % 3 == 0 else "size"
        problem = random_problem_with_missing(
            rng, minimize=minimize, max_rows=max_rows, informative=0.8
        )
        try:
            outcome = xt.solve(problem, method=method, implementation=form)
        except xt.MethodRefused:
            continue
        n_done += 1
        expected = min_cost(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        comparisons += comparisons_used(outcome)
    minimum = 20 if divisor == 1 else 10 // divisor
    assert sum(n for (_, child, _), n in comparisons.items() if child == "left") > minimum
    assert sum(n for (_, child, _), n in comparisons.items() if child == "right") > minimum


def test_a_root_is_removed_if_the_decoded_rule_of_a_node_below_suffices():
    """In a subset without code 0, the search's rule "missing or 0" is decoded as "missing".

    This rule alone separates the labels of the whole table: a root above it is superfluous.
    """
    table, labels, weights = [[NAN], [0], [1]], ["no", "yes", "yes"], [1, 0.1, 1]
    parameters = {"categories": [0], "limits": xt.Limits(max_depth=2)}
    problem = xt.Problem(table, labels, weights, **parameters)
    tree = branch_and_bound(problem).tree
    check_irreducible(problem, tree)
    assert str(tree).startswith("x0 is missing")
    assert tree.size == 1


@pytest.mark.parametrize("minimize", ["squared_error", "absolute_error"])
def test_regressions_agree_with_the_definition(minimize):
    rng = np.random.default_rng(73)
    children = Counter()
    for _ in range(150):
        n, d = int(rng.integers(3, 9)), int(rng.integers(1, 3))
        X = rng.integers(0, 4, (n, d)).astype(float)
        X[rng.random((n, d)) < 0.3] = NAN
        y = rng.integers(0, 9, n).astype(float)
        limits = xt.Limits(max_depth=int(rng.integers(1, 3)))
        categories = [0] if rng.random() < 0.5 else None
        problem = xt.Problem(X, y, minimize=minimize, categories=categories, limits=limits)
        outcome = xt.solve(problem)
        assert outcome.cost == pytest.approx(min_cost(problem).cost, rel=1e-12)
        assert xt.Tree.from_dict(outcome.tree.to_dict()) == outcome.tree
        children.update(outcome.tree.missing.tolist())
    assert min(children["left"], children["right"]) > 20


def test_ensembles_agree_with_the_definition():
    rng = np.random.default_rng(74)
    for _ in range(40):
        X = rng.integers(0, 3, (5, 2)).astype(float)
        X[rng.random((5, 2)) < 0.3] = NAN
        y = rng.integers(0, 2, 5)
        limits = xt.Limits(max_errors=1)
        parameters = {"n_trees": 2, "minimize": "total_size", "limits": limits}
        problem = xt.Problem(X, y, categories=[0], **parameters)
        outcome = xt.solve(problem)
        assert outcome.cost == min_cost(problem).cost
        if outcome.ensemble is not None:
            predicted = outcome.ensemble.predict(problem.dataset.X)
            assert (predicted != y).sum() <= 1
            assert xt.Ensemble.from_dict(outcome.ensemble.to_dict()) == outcome.ensemble


def test_the_child_of_missing_values_is_optimized():
    """The missing value has the class of the small numbers, or that of the large numbers."""
    for column, child in (
        ([1, 2, NAN, 7, 8, 9], "left"),
        ([9, 9, 9, 1, 1, NAN], "left"),
        ([1, 2, 3, 7, 8, NAN], "right"),
    ):
        table = [[value] for value in column]
        tree = xt.solve(xt.Problem(table, [0, 0, 0, 1, 1, 1], limits=xt.Limits(max_depth=1))).tree
        assert tree.missing.tolist() == [child, "", ""]
        assert tree.errors[0] == 3
        assert tree.predict(table).tolist() == [0, 0, 0, 1, 1, 1]


def test_missing_or_not_missing_is_a_rule():
    X, y = [[1], [NAN], [3], [NAN], [2]], ["known", "not", "known", "not", "known"]
    for categories in (None, [0]):
        problem = xt.Problem(X, y, categories=categories, limits=xt.Limits(max_depth=1))
        for implementation in ("native", "spec"):
            outcome = xt.solve(problem, implementation=implementation)
            assert outcome.cost == 0
            assert outcome.tree.threshold[0] in (-np.inf, np.inf)
            assert str(outcome.tree).split("\n")[0] in ("x0 is missing", "x0 is not missing")
            assert outcome.tree.predict([[NAN], [77]]).tolist() == ["not", "known"]


def test_missing_values_at_prediction_alone_go_to_the_child_with_more_examples():
    tree = xt.solve(xt.Problem([[0], [1], [2]], [0, 1, 1], limits=xt.Limits(max_depth=1))).tree
    assert tree.missing.tolist() == ["", "", ""]
    assert tree.missing_go_to_left.tolist() == [False, False, False]
    assert tree.predict([[NAN]]).tolist() == [1]
    tree = xt.solve(xt.Problem([[0], [1], [2]], [0, 0, 1], limits=xt.Limits(max_depth=1))).tree
    assert tree.missing_go_to_left.tolist() == [True, False, False]
    assert tree.predict([[NAN]]).tolist() == [0]
    even = xt.solve(xt.Problem([[0], [1]], [0, 1], limits=xt.Limits(max_depth=1))).tree
    assert even.predict([[NAN]]).tolist() == [1]


def test_all_optimal_trees_include_the_test_for_missing_values_in_both_directions():
    problem = xt.Problem([[0], [NAN], [1]], [0, 1, 0], limits=xt.Limits(max_depth=1))
    listed = list(xt.enumerate_optimal(problem))
    assert [str(tree).split("\n")[0] for tree in listed] == ["x0 is missing", "x0 is not missing"]
    assert xt.count_optimal(problem) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: xt.solve(xt.Problem(X, y, rules=Hyperplanes())),
        lambda X, y: xt.BoundPrunedTreeClassifier().fit(X, y),
        lambda X, y: xt.BoundOptimalTreeClassifier().fit(X, y),
        lambda X, y: xt.prune.prune_with_bound(
            xt.OptimalTreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]), X, y
        ),
    ],
)
def test_functions_without_support_for_missing_values_name_the_column(call):
    with pytest.raises(ValueError, match=r"column 'x1', row 1: the value is missing .*take"):
        call([[0.0, 1.0], [1.0, NAN]], [0, 1])


MIXTURES = [
    Mixed([AxisParallel([1]), Hyperplanes([0])]),
    Mixed([AxisParallel([1]), Hypersurfaces(2, ["x0"])]),
    Mixed([AxisParallel([1]), FixedRules([SurfaceRule.linear((1, 0), 0.1)])]),
]


@pytest.mark.parametrize("rules", MIXTURES, ids=repr)
def test_only_features_of_surfaces_must_be_complete(rules):
    rng = np.random.default_rng(0)
    optima = set()
    for _ in range(6):
        X = rng.normal(size=(9, 2))
        y = rng.integers(0, 2, 9)
        X[rng.random(9) < 0.3, 1] = NAN
        problem = xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=1))
        spec = xt.solve(problem, implementation="spec")
        for method in ("auto", "branch-and-bound", "proper"):
            outcome = xt.solve(problem, method=method)
            assert (outcome.status, outcome.cost) == (xt.Status.OPTIMAL, spec.cost)
            tree = outcome.tree
            assert (tree.predict(X) != y).sum() == spec.cost
            assert xt.Tree.from_dict(tree.to_dict()) == tree
        optima.add(spec.cost)
        model = xt.OptimalTreeClassifier(rules=rules, max_depth=1).fit(X, y)
        assert model.score(X, y) == pytest.approx(1 - spec.cost / 9)
        if len(model.tree_.surfaces):
            absent = np.where([[True, False]], NAN, X)
            with pytest.raises(ValueError, match=r"'x0', row 0: .* is missing .*surfaces of"):
                model.predict(absent)
    assert len(optima) > 1
    X[2, 0] = NAN
    with pytest.raises(ValueError, match=r"column 'x0', row 2: .*other surfaces take no missing"):
        xt.Problem(X, y, rules=rules)


def test_an_exported_program_with_surfaces_routes_missing_values_as_the_tree():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.5)
    X[::4, 1] = NAN
    tree = xt.solve(xt.Problem(X, y, rules=MIXTURES[0], limits=xt.Limits(max_depth=3))).tree
    assert len(tree.surfaces)
    assert (tree.missing != "").any()
    program: dict = {}
    exec(xt.export.to_python(tree), program)
    assert [program["predict"](row) for row in X] == tree.predict(X).tolist()


def test_trees_fitted_with_missing_values_are_refused_by_pruning_and_compression():
    X, y = [[0.0], [1.0], [NAN], [2.0]], [0, 1, 1, 1]
    tree = xt.OptimalTreeClassifier().fit(X, y).tree_
    message = "node 0 of the tree was fitted with missing values of 'x0', and .* take"
    for call in (
        lambda: xt.prune.prune_with_bound(tree, [[0.0], [1.0]], [0, 1]),
        lambda: xt.smallest_equal_tree(tree),
        lambda: xt.Ensemble((tree, tree)).to_tree(),
    ):
        with pytest.raises(ValueError, match=message):
            call()
