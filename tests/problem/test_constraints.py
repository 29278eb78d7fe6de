"""Constraints as a user states them: what they mean on hand-made trees, and what is refused."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import exactree as xt
from exactree.problem.verification.constraint_checks import broken_constraints
from exactree.spec import constrained
from exactree.spec.table import fitted_tree

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def cost(X, y, **stated):
    """Return the minimum cost by the definition, which must be that of the native search."""
    limits = xt.Limits(max_depth=stated.pop("max_depth", 2), **stated.pop("limits", {}))
    problem = xt.Problem(X, y, limits=limits, **stated)
    native = xt.solve(problem)
    assert native.cost == xt.solve(problem, implementation="spec").cost
    return native.cost


def test_a_decreasing_tree_makes_the_errors_that_an_increasing_one_does_not():
    X, y = [[0], [1], [2]], [0, 0, 1]
    assert cost(X, y, monotonic_cst=[1]) == 0
    assert cost(X, y, monotonic_cst=[-1]) == 1


def test_shares_must_be_monotone_unless_predictions_alone_are_meant():
    X, y = [[0]] * 3 + [[1]] * 4 + [[2]] * 3, [0, 0, 1, 0, 0, 0, 0, 1, 1, 1]
    stated = {"monotonic_cst": [1], "constraints": xt.Constraints(monotonic_in="prediction")}
    assert cost(X, y, **stated) == 1
    # 1/3 and then 0 would not do, 1/7 does.
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2), monotonic_cst=[1])
    tree = xt.solve(problem).tree
    assert tree.size == 1
    assert (np.diff(tree.predict_proba([[0], [1], [2]])[:, 1]) >= 0).all()


def test_a_required_feature_is_requested_where_it_saves_nothing():
    tree = xt.solve(
        xt.Problem(
            SQUARE,
            [0, 0, 1, 1],
            limits=xt.Limits(max_depth=2),
            constraints=xt.Constraints(required=[1]),
        )
    ).tree
    assert 1 in tree.feature
    assert tree.errors[tree.children_left < 0].sum() == 0


def test_a_feature_only_below_another_needs_it_above():
    X, y = SQUARE, [0, 1, 0, 1]
    below = xt.Constraints(only_below={1: 0})
    assert cost(X, y, max_depth=1, constraints=below) == 2
    assert cost(X, y, constraints=below) == 0


def test_at_most_so_many_features():
    X, y = SQUARE, [0, 1, 1, 0]
    assert cost(X, y, constraints=xt.Constraints(max_features=2)) == 0
    assert cost(X, y, constraints=xt.Constraints(max_features=1)) == 2
    assert cost(X, y, constraints=xt.Constraints(max_features=0)) == 2


def test_a_price_is_paid_once_for_every_feature_that_is_requested():
    X, y = SQUARE, [0, 1, 1, 0]
    assert cost(X, y, feature_penalty=0.1) == pytest.approx(0.8)
    assert cost(X, y, feature_penalty={0: 0.1}) == pytest.approx(0.4)
    assert cost(X, y, feature_penalty=0.3) == 2


def test_the_least_weight_of_a_leaf_counts_weight_and_not_rows():
    X, y = [[0], [1], [2], [3]], [0, 1, 1, 1]
    light = {"limits": {"min_weight_fraction_leaf": 0.3}}
    assert cost(X, y, **light) == 1  # as 0.3 of four rows are two
    assert cost(X, y, sample_weight=[4, 2, 2, 2], **light) == 0
    assert cost(X, y, sample_weight=[1, 3, 3, 3], **light) == 1


def test_leaves_stated_wrongly_break_a_constraint_exactly_where_places_in_a_grid_do():
    """Of every tree of small problems: by its leaves, and by all pairs of places."""
    random, broken, whole = Random(5), 0, 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (5, 2)).astype(float)
        y = rng.integers(0, 2, 5)
        problem = xt.Problem(
            X,
            y,
            categories=[1] if seed % 2 else None,
            limits=xt.Limits(max_depth=2),
            monotonic_cst={0: random.choice([-1, 1])},
            constraints=xt.Constraints(max_features=random.choice([1, 2])),
        )
        for tree in constrained.all_trees(problem, np.arange(5), 2):
            fitted = constrained.with_thresholds(
                fitted_tree(problem, tree), [*constrained.thresholds(tree)]
            )
            satisfied = not [*broken_constraints(problem, fitted)]
            assert satisfied == constrained.satisfies_constraints(problem, tree), (seed, fitted)
            broken, whole = broken + (not satisfied), whole + satisfied
    assert min(broken, whole) > 100


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"monotonic_cst": [1]}, "must have one entry for each of the 2 features"),
        ({"monotonic_cst": [2, 0]}, "must be 1 .increasing., -1 .decreasing. or 0 for a feature"),
        ({"monotonic_cst": "up"}, "must list"),
        ({"monotonic_cst": {"x7": 1}}, "monotonic_cst names 'x7'"),
        ({"constraints": {"required": [0]}}, "must be a Constraints"),
        ({"feature_penalty": -1}, "feature_penalty must be"),
        ({"feature_penalty": 1, "minimize": "size"}, "feature_penalty must be 0 unless"),
        ({"constraints": xt.Constraints(required=["z"])}, "required names 'z'"),
        ({"constraints": xt.Constraints(only_below={0: 1, 1: 0})}, "could never be used"),
        ({"monotonic_cst": [1, 0], "n_trees": 2, "minimize": "total_size"}, "about one tree"),
        ({"monotonic_cst": [1, 0], "rules": xt.rules.Hyperplanes()}, "hyperplanes"),
        ({"monotonic_cst": [1, 0], "categories": [0]}, "column of text or"),
    ],
)
def test_what_cannot_be_demanded_is_refused_in_one_sentence(stated, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        xt.Problem(SQUARE, [0, 1, 1, 0], **stated)


def test_monotone_trees_need_two_classes_and_all_values():
    with pytest.raises(ValueError, match="monotonic_cst needs two classes, as in scikit-learn"):
        xt.Problem(SQUARE, [0, 1, 2, 0], monotonic_cst=[1, 0])
    with pytest.raises(ValueError, match="monotonic_cst takes no missing values"):
        xt.Problem([[0, np.nan], [1, 2]], [0, 1], monotonic_cst=[1, 0])


@pytest.mark.parametrize(
    "stated", [{"max_features": -1}, {"monotonic_in": "shares"}, {"required": "x0"}]
)
def test_constraints_of_the_wrong_kind_are_refused(stated):
    with pytest.raises((ValueError, TypeError), match=next(iter(stated))):
        xt.Constraints(**stated)
    with pytest.raises(TypeError, match="only_below"):
        xt.Constraints(only_below=[0])


def test_a_share_of_weight_is_below_one():
    with pytest.raises(ValueError, match="min_weight_fraction_leaf must be a number in"):
        xt.Limits(min_weight_fraction_leaf=1)


@pytest.mark.parametrize("method", ["witness", "box", "threshold", "support-sets", "subsets"])
@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_other_methods_take_no_constraints(method, implementation):
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], minimize="size", monotonic_cst=[1, 0])
    with pytest.raises(xt.MethodRefused, match="it takes no monotonic_cst"):
        xt.solve(problem, method=method, implementation=implementation)


def test_fronts_and_lists_of_trees_take_no_constraints():
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], constraints=xt.Constraints(max_features=1))
    with pytest.raises(xt.MethodRefused, match="pareto_front does not accept"):
        xt.pareto_front(problem, ("errors", "size"))
    with pytest.raises(xt.MethodRefused, match="enumerate_optimal does not accept"):
        xt.enumerate_optimal(problem)
    with pytest.raises(xt.MethodRefused, match="count_optimal does not accept"):
        xt.count_optimal(problem)


def test_what_cannot_be_kept_is_infeasible_and_says_why():
    many = xt.Constraints(required=[0, 1])
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], limits=xt.Limits(max_depth=1), constraints=many)
    outcome = xt.solve(problem)
    assert outcome.status is xt.Status.INFEASIBLE
    assert outcome.reason == "no solution satisfies max_depth=1 and required=['x0', 'x1'] together"
    few = xt.Constraints(required=[0, 1], max_features=1)
    outcome = xt.solve(xt.Problem(SQUARE, [0, 1, 1, 0], constraints=few))
    assert outcome.reason == "max_features=1 is less than the number of required features"


def steps(X, feature):
    """Return rows and the same with one feature a little greater."""
    above = X.copy()
    above[:, feature] += np.random.default_rng(0).uniform(0, 2, len(X))
    return X, above


def test_estimators_take_the_list_of_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    y = X[:, 0] - X[:, 1] + rng.normal(0, 2, 30)
    wide = rng.uniform(-1, 7, (2000, 2))
    stated = {"monotonic_cst": np.array([1, -1]), "max_depth": 2}
    classifier = xt.OptimalTreeClassifier(**stated).fit(X, y > 0)
    regressor = xt.OptimalTreeRegressor(**stated).fit(X, y.round())
    for feature, direction in ((0, 1), (1, -1)):
        below, above = steps(wide, feature)
        shares = [classifier.predict_proba(places)[:, 1] for places in (below, above)]
        numbers = [regressor.predict(places) for places in (below, above)]
        for before, after in (shares, numbers):
            assert (direction * (after - before) >= 0).all()
    assert {0, 1} <= set(classifier.tree_.feature.tolist())


def test_smoothed_shares_are_others_than_those_that_are_monotone():
    model = xt.OptimalTreeClassifier(monotonic_cst=[1, 0], smoothing="laplace")
    with pytest.raises(ValueError, match="smoothing changes the shares"):
        model.fit(SQUARE, [0, 1, 1, 0])
    model.set_params(minimize="balanced_error")
    with pytest.raises(ValueError, match="smoothing changes the shares"):
        model.fit(SQUARE, [0, 1, 1, 0])
    model.set_params(minimize="errors")
    predicted = xt.Constraints(monotonic_in="prediction")
    model.set_params(constraints=predicted).fit(SQUARE, [0, 1, 1, 0])
    assert model.outcome_.status is xt.Status.OPTIMAL


@pytest.mark.parametrize("smoothing", [None, "laplace", 6])
def test_shares_that_are_minimized_are_monotone_as_they_are_reported(smoothing):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (40, 2)).astype(float)
    y = X[:, 0] + rng.normal(0, 2, 40) > 2
    model = xt.OptimalTreeClassifier(
        "log_loss", max_depth=2, smoothing=smoothing, monotonic_cst=[1, -1], min_samples_leaf=3
    ).fit(X, y)
    assert model.tree_.size > 0
    wide = rng.uniform(-1, 6, (1000, 2))
    for feature, direction in ((0, 1), (1, -1)):
        told = [model.predict_proba(places)[:, 1] for places in steps(wide, feature)]
        assert (direction * (told[1] - told[0]) >= -1e-12).all()


def test_what_a_leaf_says_follows_the_objective():
    """Three of four examples are of class 1, in a table of three and three."""
    X, y = [[0], [0], [0], [0], [1], [1]], [1, 1, 1, 0, 0, 0]
    leaf = np.arange(4)

    def said(monotonic_in="probability", **stated):
        constraints = xt.Constraints(monotonic_in=monotonic_in)
        problem = xt.Problem(X, y, monotonic_cst=[1], constraints=constraints, **stated)
        return problem.leaf_value(leaf)

    dear = {"cost_matrix": {0: {1: 4}}}
    assert said() == said(**dear) == said(minimize="balanced_error") == Fraction(3, 4)
    assert said("prediction") == 1
    assert said("prediction", **dear) == 0
    for name in ("log_loss", "gini"):
        assert said(minimize=name) == Fraction(3, 4)
        assert said(minimize=name, smoothing="laplace") == Fraction(4, 6)
        assert said(minimize=name, smoothing=6) == Fraction(6, 10)
        assert said("prediction", minimize=name, smoothing=6) == 1


def test_prices_of_features_are_in_the_unit_of_the_balanced_error():
    X, y = SQUARE, [0, 1, 1, 0]
    stated = {"minimize": "balanced_error", "feature_penalty": 0.1}
    assert cost(X, y, **stated) == Fraction(1, 5)
    assert cost(X, y, **stated, sample_weight=[3, 5, 7, 2]) == Fraction(1, 5)


def test_constraints_go_with_no_rate_and_no_other_quantity_of_other_costs():
    asked = {"constraints": xt.Constraints(max_features=1)}
    with pytest.raises(ValueError, match="do not go with a rate"):
        xt.Problem(SQUARE, [0, 1, 1, 0], minimize="precision_error", **asked)
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], minimize=("balanced_error", "size"), **asked)
    with pytest.raises(xt.MethodRefused, match="minimizes one quantity where errors have other"):
        xt.solve(problem, "branch-and-bound")
    with pytest.raises(ValueError, match="cost_matrix adds labels"):
        xt.Problem([[0], [1]], [0, 1], cost_matrix={0: {"ask": 0.5}}, monotonic_cst=[1])
