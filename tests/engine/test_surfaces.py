"""Trees of hyperplanes and other surfaces: every method agrees with the definition."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import exactree as xt
from exactree.export import to_json, to_text
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.testing import drawn_weights

QUICK = settings.get_current_profile_name() == "quick"

FAMILIES = [
    Hyperplanes(),
    Hypersurfaces(2),
    Mixed([AxisParallel(), Hyperplanes()]),
    Mixed([AxisParallel([0]), Hypersurfaces(2, features=[1])]),
]


@st.composite
def tables(draw):
    """Draw up to nine examples of one to three features and two to four classes."""
    n, d, classes = draw(st.integers(1, 9)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    on_grid = draw(st.booleans())
    X = rng.integers(0, 4, size=(n, d)) if on_grid else rng.normal(size=(n, d))
    weights = drawn_weights(n, lambda low, high: draw(st.integers(low, high)))
    return X.astype(np.float64), rng.integers(0, classes, size=n), weights


PROBLEMS = [
    {"minimize": "errors", "limits": xt.Limits(max_depth=1)},
    {"minimize": "errors", "limits": xt.Limits(max_size=2)},
    {"minimize": "errors", "leaf_penalty": 0.1, "limits": xt.Limits(max_depth=2, max_size=2)},
    {"minimize": "errors", "limits": xt.Limits(max_size=2, min_samples_leaf=2)},
    {"minimize": "size", "limits": xt.Limits(max_size=2, max_errors=1)},
    {"minimize": ("depth", "errors"), "limits": xt.Limits(max_size=2, max_errors=2)},
]


@settings(max_examples=8 if QUICK else 20, deadline=None)
@given(tables(), st.sampled_from(FAMILIES[:2]), st.sampled_from(PROBLEMS))
def test_the_engine_agrees_with_the_definition(table, rules, parameters) -> None:
    """The definition makes the rules of each subset from the examples of the subset."""
    problem = xt.Problem(*table, rules=rules, **parameters)
    try:
        expected = xt.solve(problem, implementation="spec")
    except xt.MethodRefused:
        assume(False)  # too large for the definition
    outcome = xt.solve(problem, method="branch-and-bound")
    assert (outcome.status, outcome.cost) == (expected.status, expected.cost)


@settings(max_examples=15, deadline=None)
@given(tables(), st.sampled_from(FAMILIES[2:]))
def test_mixtures_agree_with_the_definition(table, rules) -> None:
    if table[0].shape[1] < 2:
        return
    problem = xt.Problem(*table, rules=rules, limits=xt.Limits(max_depth=1))
    assert xt.solve(problem).cost == xt.solve(problem, implementation="spec").cost


@settings(max_examples=15, deadline=None)
@given(tables())
def test_more_rules_are_never_worse(table) -> None:
    parameters = {"limits": xt.Limits(max_depth=2)}
    families = [AxisParallel(), Mixed([AxisParallel(), Hyperplanes()]), Hyperplanes()]
    axis, mixed, planes = (
        xt.solve(xt.Problem(*table, rules=r, **parameters)).cost for r in families
    )
    assert axis >= mixed == planes
    if len(table[0]) <= 7:
        assert xt.solve(xt.Problem(*table, rules=Hypersurfaces(2), **parameters)).cost <= planes
    if table[0].shape[1] == 1:
        assert axis == planes


@pytest.mark.parametrize("method", ["subsets", "support-sets", "witness", "box"])
def test_the_methods_of_the_papers_support_surfaces(method: str) -> None:
    """Exclusive or needs two hyperplanes, or three axis-parallel rules."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    problem = xt.Problem(X, y, rules=Hyperplanes(), minimize="size", limits=xt.Limits(max_errors=0))
    for implementation in ("native", "spec"):
        try:
            outcome = xt.solve(problem, method=method, implementation=implementation)
        except xt.MethodRefused:
            assert method == "box"  # its table has an entry for each box of 12 columns
            continue
        assert outcome.cost == 2
    assert xt.solve(xt.Problem(X, y, minimize="size", limits=xt.Limits(max_errors=0))).cost == 3


def circle_tree() -> tuple[xt.Tree, np.ndarray, np.ndarray]:
    """Return the optimal stump for a circle, and its table."""
    X = np.random.default_rng(4).normal(size=(12, 2))
    y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 < 1, "in", "out")
    rules = Mixed([AxisParallel(), Hypersurfaces(2)])
    problem = xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=1))
    return xt.solve(problem).tree, X, y


def test_a_circle_is_one_surface() -> None:
    tree, X, y = circle_tree()
    assert tree.size == 1
    assert (tree.predict(X) == y).all()
    assert len(tree.surfaces) == 1
    assert "·x0^2" in to_text(tree)
    assert tree.decision_path(X).sum() == 2 * len(X)


def test_trees_with_surfaces_return_from_json_exactly() -> None:
    tree, X, _ = circle_tree()
    again = xt.Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert again == tree
    assert hash(again) == hash(tree)
    assert (again.apply(X) == tree.apply(X)).all()
    assert json.loads(to_json(tree))
    assert tree.to_dict()["version"] == 3


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("surfaces", [], "must be an object"),
        ("surfaces", None, "must be an object"),
        ("surfaces", {"monomials": 1, "weights": []}, "'monomials'"),
        ("surfaces", {"monomials": [[1]], "weights": []}, "'monomials'"),
        ("surfaces", {"monomials": [[1, 0]], "weights": [[1.0, 2.0]]}, "'weights'"),
        ("surfaces", {"monomials": [[1, -1]], "weights": [[1.0]]}, "powers"),
        ("surfaces", {"monomials": [[1, 999]], "weights": [[1.0]]}, "powers"),
        ("surfaces", {"monomials": [[1, 0]], "weights": [["1"]]}, "weights of the surfaces"),
        ("surfaces", {"monomials": [[1, 0]], "weights": []}, "uses feature 2"),
        ("version", 2, "'surfaces'"),
    ],
)
def test_invalid_surfaces_are_refused(entry, value, message) -> None:
    record = circle_tree()[0].to_dict()
    with pytest.raises(xt.ModelError, match=message):
        xt.Tree.from_dict({**record, entry: value})


def test_a_tree_without_surfaces_is_written_in_version_2() -> None:
    tree = xt.solve(xt.Problem([[0], [1]], [0, 1])).tree
    assert tree.to_dict()["version"] == 2
    assert "surfaces" not in tree.to_dict()


def test_the_margin_between_two_groups_is_their_distance() -> None:
    """The groups are nearest at (1, 0) and (3, 3), projected on the diagonal: 5 / sqrt(2)."""
    X = np.array([[0, 0], [1, 0], [0, 1], [3, 3], [4, 3], [3, 4]], dtype=np.float64)
    problem = xt.Problem(X, [0, 0, 0, 1, 1, 1], rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    tree = xt.solve(problem).tree
    weights = np.array(tree.surfaces.weights[0])
    value = X @ weights
    gap = abs(value[3:].min() - value[:3].max()) / np.linalg.norm(weights)
    assert gap > 0.999 * 5 / np.sqrt(2)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_the_margin_is_at_least_that_of_scipy(degree: int, seed: int) -> None:
    """Margins are those of products scaled to the same range; 1 part in 10,000 may be missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2)) * [1.0, 50.0]
    y = (X[:, 0] + X[:, 1] / 50 > 0).astype(int)
    rules = Hypersurfaces(degree)
    tree = xt.solve(xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=1))).tree
    assert (tree.size, tree.surfaces.monomials) == (1, rules.monomials(2))
    left = tree.apply(X) == 1
    weights = np.array(tree.surfaces.weights[0])
    assert 1 <= np.abs(weights).max() < 2
    P = np.stack([np.prod(X**powers, axis=1) for powers in tree.surfaces.monomials], axis=1)
    scale = 2.0 ** -np.frexp(np.ptp(P, axis=0))[1]

    def margin(inner: np.ndarray) -> float:
        value = P * scale @ inner
        return (value[~left].min() - value[left].max()) / np.linalg.norm(inner)

    sides = np.where(left, -1.0, 1.0)[:, None] * np.c_[P * scale, np.ones(len(P))]
    widest = margin(weights / scale)
    best = minimize(
        lambda v: v[:-1] @ v[:-1],
        sides.sum(axis=0),
        jac=lambda v: np.append(2 * v[:-1], 0.0),
        constraints={"type": "ineq", "fun": lambda v: sides @ v - 1, "jac": lambda v: sides},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assert margin(best.x[:-1]) > 0.9 * widest, "scipy has solved it"
    assert widest >= (1 - 1e-4) * margin(best.x[:-1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-1074 + 40, -996, -300, 0, 996])
def test_tiny_and_huge_numbers_make_the_same_tree_and_no_warnings(power: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 9, (12, 2)).astype(float), rng.integers(0, 2, 12)
    limits = xt.Limits(max_depth=1)
    plain = xt.solve(xt.Problem(X, y, rules=Hyperplanes(), limits=limits))
    scaled = np.ldexp(X, power)
    for method in ("proper", "branch-and-bound"):
        problem = xt.Problem(scaled, y, rules=Hyperplanes(), limits=limits)
        outcome = xt.solve(problem, method=method)
        assert outcome.cost == plain.cost
        assert (outcome.tree.predict(scaled) != y).sum() == plain.cost
        assert outcome.tree.explain(scaled[0]) is not None
        assert len(str(outcome.tree).split("\n")) == 3
    problem = xt.Problem(X * 1e-300, y, rules=Hyperplanes(), limits=limits)
    assert xt.solve(problem).cost == plain.cost


def test_the_stats_have_the_number_of_surfaces() -> None:
    X, y = np.random.default_rng(0).normal(size=(10, 2)), [0, 1] * 5
    outcome = xt.solve(xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1)))
    assert (outcome.stats["surfaces"], outcome.stats["surfaces_left_out"]) == (9 + 36, 0)


def test_the_outcome_reports_the_number_of_surfaces_that_are_left_out() -> None:
    """It is also reported with an infeasible problem, as a left-out surface might be feasible."""
    X = [[a / 3, b / 3] for a in range(5) for b in range(5)]
    y = [0, 1] * 12 + [0]
    parameters = {"rules": Hyperplanes(), "limits": xt.Limits(max_depth=1)}
    outcome = xt.solve(xt.Problem(X, y, **parameters), method="branch-and-bound")
    assert outcome.stats["surfaces_left_out"] == 5
    assert outcome.stats["surfaces"] == 223
    assert "; 5 of 228 splits by a surface are too fine for double precision" in str(outcome)
    strict = {**parameters, "limits": xt.Limits(max_depth=1, max_errors=0)}
    none = xt.solve(xt.Problem(X, y, **strict), method="branch-and-bound")
    assert none.status is xt.Status.INFEASIBLE
    assert "; 5 of 228 splits" in str(none)
    whole = xt.solve(xt.Problem(np.array(X) * 3, y, **parameters))
    assert "too fine" not in str(whole)


def test_surfaces_use_no_categories() -> None:
    """Surfaces use numeric features only."""
    X = np.array([[0, 0.5, 1.0], [1, 0.25, 2.0], [2, 0.75, 0.0], [1, 0.1, 1.5]])
    rules = Hyperplanes()
    problem = xt.Problem(
        X, [0, 1, 0, 0], rules=rules, categories=[0], limits=xt.Limits(max_depth=2)
    )
    outcome, expected = xt.solve(problem), xt.solve(problem, implementation="spec")
    assert outcome.cost == expected.cost == 0
    with pytest.raises(ValueError, match="features of Hyperplanes is empty"):
        xt.Problem(X, [0, 1, 0, 0], rules=Hyperplanes(features=[]))


def test_trees_of_given_rules_have_their_weights_and_thresholds() -> None:
    """Other lines split the examples alike, but the tree has the lines that were given."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    given = [SurfaceRule.linear((1, 1), 0.25), SurfaceRule.linear((1.0, 1.0), 1.9)]
    given.append(SurfaceRule.linear((1.0, 0.0), 77.0))  # has an empty child
    problem = xt.Problem(
        X, y, rules=FixedRules(given), minimize="size", limits=xt.Limits(max_errors=0)
    )
    for implementation in ("native", "spec"):
        tree = xt.solve(problem, implementation=implementation).tree
        assert tree.size == 2
        assert sorted(tree.threshold[tree.feature >= 0]) == [0.25, 1.9]
        assert set(tree.surfaces.weights) == {(1.0, 1.0)}
        assert (tree.predict(X) == y).all()
    assert xt.solve(xt.Problem(X, y, rules=FixedRules(given[:1]))).cost == 1


@settings(max_examples=15, deadline=None)
@given(tables(), st.integers(0, 2**32 - 1))
def test_given_rules_agree_with_the_definition(table, seed) -> None:
    X, y, weights = table
    rng = np.random.default_rng(seed)
    given = [
        SurfaceRule.linear(rng.integers(-2, 3, size=X.shape[1]), int(rng.integers(-2, 4)))
        for _ in range(6)
    ]
    limits = xt.Limits(max_depth=2)
    problem = xt.Problem(X, y, weights, rules=FixedRules(given), limits=limits)
    assert xt.solve(problem).cost == xt.solve(problem, implementation="spec").cost


def test_a_minimum_leaf_weight_holds_for_trees_of_surfaces_also_without_time():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 3)), rng.integers(1, 4, 40)
    limits = xt.Limits(max_depth=2, min_weight_fraction_leaf=0.3)
    y = (rng.normal(size=40) < X @ [1, 2, -1]).astype(int)
    problem = xt.Problem(X, y, weights, rules=xt.rules.Hyperplanes(), limits=limits)
    outcome = xt.solve(problem, time_limit=0.01)
    assert outcome.stopped_by == "time limit"
    assert outcome.tree is not None
    reached = outcome.tree.apply(X)
    assert all(weights[reached == leaf].sum() >= 0.3 * weights.sum() for leaf in reached)
