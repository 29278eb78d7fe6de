"""Constraints as parameters: their meaning on small tables, and what is refused."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import exactree as xt
from exactree.problem.verification.constraint_checks import broken_constraints
from exactree.spec import constrained
from exactree.spec.table import fitted_tree

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]


def cost(X, y, **parameters):
    """Return the minimum cost by the definition, which must be that of the native search."""
    limits = xt.Limits(max_depth=parameters.pop("max_depth", 2), **parameters.pop("limits", {}))
    problem = xt.Problem(X, y, limits=limits, **parameters)
    native = xt.solve(problem)
    assert native.cost == xt.solve(problem, implementation="spec").cost
    return native.cost


def test_a_decreasing_tree_makes_the_errors_that_an_increasing_one_does_not():
    X, y = [[0], [1], [2]], [0, 0, 1]
    assert cost(X, y, monotonic_cst=[1]) == 0
    assert cost(X, y, monotonic_cst=[-1]) == 1


def test_shares_must_be_monotone_also_where_predictions_are():
    """The best tree splits on the first feature, and then on the second at 1.5 or 0.5.

    Its predictions rise with the first feature. But where the second feature is 0, the share of
    class 1 falls: it is 1/4 in the left leaf, with the one error, and 0 in the right leaf.
    """
    X = [[0, 0], [0, 0], [0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    y = [0, 0, 1, 0, 1, 0, 1, 1]
    in_predictions = xt.Constraints(monotonic_in="prediction")
    assert cost(X, y, monotonic_cst=[1, 0], constraints=in_predictions) == 1
    assert cost(X, y, monotonic_cst=[1, 0]) == 2


def test_a_required_feature_is_used_even_if_it_saves_no_errors():
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


def test_the_definition_refuses_more_trees_than_it_lists_in_minutes(monkeypatch):
    """There are 590 trees, but only about 379 subsets, the estimate before the listing."""
    monkeypatch.setattr(constrained, "MAX_TREES", 400)
    limits = xt.Limits(max_depth=3)
    problem = xt.Problem(np.arange(8)[:, None], [0, 1] * 4, limits=limits, monotonic_cst=[1])
    assert constrained.subsets_to_visit(problem) < 400
    with pytest.raises(xt.MethodRefused, match="too many under constraints for this table"):
        xt.solve(problem, implementation="spec")


def test_only_below_permits_a_feature_only_below_a_split_on_another_feature():
    X, y = SQUARE, [0, 1, 0, 1]
    below = xt.Constraints(only_below={1: 0})
    assert cost(X, y, max_depth=1, constraints=below) == 2
    assert cost(X, y, constraints=below) == 0


def test_max_features_limits_the_number_of_used_features():
    X, y = SQUARE, [0, 1, 1, 0]
    assert cost(X, y, constraints=xt.Constraints(max_features=2)) == 0
    assert cost(X, y, constraints=xt.Constraints(max_features=1)) == 2
    assert cost(X, y, constraints=xt.Constraints(max_features=0)) == 2


def test_a_feature_penalty_is_paid_once_for_every_used_feature():
    X, y = SQUARE, [0, 1, 1, 0]
    # A penalty is a share of the weight of four examples.
    assert cost(X, y, feature_penalty=0.1) == pytest.approx(0.8)
    assert cost(X, y, feature_penalty={0: 0.1}) == pytest.approx(0.4)
    assert cost(X, y, feature_penalty=0.3) == 2


def test_min_weight_fraction_leaf_counts_weight_and_not_rows():
    X, y = [[0], [1], [2], [3]], [0, 1, 1, 1]
    limited = {"limits": {"min_weight_fraction_leaf": 0.3}}
    assert cost(X, y, **limited) == 1  # each leaf has at least two rows, as 0.3 * 4 > 1
    assert cost(X, y, sample_weight=[4, 2, 2, 2], **limited) == 0
    assert cost(X, y, sample_weight=[1, 3, 3, 3], **limited) == 1


def test_the_check_of_a_found_tree_agrees_with_the_specification():
    """For every tree of small problems: by regions of leaves, and by predictions on a grid."""
    random, n_broken, n_kept = Random(5), 0, 0
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
            keeps = not [*broken_constraints(problem, [fitted])]
            assert keeps == (
                constrained.keeps_order(problem, tree)
                and constrained.keeps_budgets(problem, constrained.features_counted(problem, tree))
            ), (seed, fitted)
            n_broken, n_kept = n_broken + (not keeps), n_kept + keeps
    assert min(n_broken, n_kept) > 100


@pytest.mark.parametrize(
    ("parameters", "sentence"),
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
        ({"monotonic_cst": [1, 0], "rules": xt.rules.Hyperplanes()}, "hyperplanes"),
        ({"monotonic_cst": [1, 0], "categories": [0]}, "column of text or"),
    ],
)
def test_invalid_constraints_of_a_problem_are_refused_in_one_sentence(parameters, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        xt.Problem(SQUARE, [0, 1, 1, 0], **parameters)


def test_monotone_trees_need_two_classes_and_all_values():
    with pytest.raises(ValueError, match="monotonic_cst needs two classes, as in scikit-learn"):
        xt.Problem(SQUARE, [0, 1, 2, 0], monotonic_cst=[1, 0])
    with pytest.raises(ValueError, match="monotonic_cst takes no missing values"):
        xt.Problem([[0, np.nan], [1, 2]], [0, 1], monotonic_cst=[1, 0])


@pytest.mark.parametrize(
    "parameters", [{"max_features": -1}, {"monotonic_in": "shares"}, {"required": "x0"}]
)
def test_invalid_arguments_of_the_class_constraints_are_refused_by_name(parameters):
    with pytest.raises((ValueError, TypeError), match=next(iter(parameters))):
        xt.Constraints(**parameters)
    with pytest.raises(TypeError, match="only_below"):
        xt.Constraints(only_below=[0])


def test_min_weight_fraction_leaf_is_below_one():
    with pytest.raises(ValueError, match="min_weight_fraction_leaf must be a number in"):
        xt.Limits(min_weight_fraction_leaf=1)


@pytest.mark.parametrize("method", ["witness", "box", "threshold", "support-sets", "subsets"])
@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_other_methods_refuse_constraints(method, implementation):
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], minimize="size", monotonic_cst=[1, 0])
    with pytest.raises(xt.MethodRefused, match="it takes no monotonic_cst"):
        xt.solve(problem, method=method, implementation=implementation)


def test_fronts_satisfy_constraints():
    few = xt.Constraints(max_features=1)
    problem = xt.Problem([[0, 0], [0, 1], [1, 0], [2, 0]], [0, 1, 1, 0], constraints=few)
    front = xt.pareto_front(problem, ("size", "errors"))
    assert [outcome.cost for outcome in front] == [(0, 2), (1, 1)]  # (2, 0) with both
    assert xt.pareto_front(problem, ("size", "gini"))[0].cost == (0, 2)


def test_fronts_of_both_kinds_of_errors_refuse_constraints():
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], constraints=xt.Constraints(max_features=1))
    with pytest.raises(xt.MethodRefused, match="positives and negatives does not accept"):
        xt.pareto_front(problem, ("false_positives", "false_negatives"))


def test_constraints_that_no_tree_keeps_are_infeasible_with_a_reason():
    many = xt.Constraints(required=[0, 1])
    problem = xt.Problem(SQUARE, [0, 1, 1, 0], limits=xt.Limits(max_depth=1), constraints=many)
    outcome = xt.solve(problem)
    assert outcome.status is xt.Status.INFEASIBLE
    assert outcome.reason == "no solution satisfies max_depth=1 and required=['x0', 'x1'] together"
    few = xt.Constraints(required=[0, 1], max_features=1)
    outcome = xt.solve(xt.Problem(SQUARE, [0, 1, 1, 0], constraints=few))
    assert outcome.reason == "max_features=1 is less than the number of required features"


def rows_and_rows_above(X, feature):
    """Return rows, and the same rows with greater values of one feature."""
    above = X.copy()
    above[:, feature] += np.random.default_rng(0).uniform(0, 2, len(X))
    return X, above


def test_estimators_take_monotonic_cst_as_a_list_like_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (30, 2)).astype(float)
    y = X[:, 0] - X[:, 1] + rng.normal(0, 2, 30)
    wide = rng.uniform(-1, 7, (2000, 2))
    parameters = {"monotonic_cst": np.array([1, -1]), "max_depth": 2}
    classifier = xt.OptimalTreeClassifier(**parameters).fit(X, y > 0)
    regressor = xt.OptimalTreeRegressor(**parameters).fit(X, y.round())
    for feature, direction in ((0, 1), (1, -1)):
        below, above = rows_and_rows_above(wide, feature)
        shares = [classifier.predict_proba(rows)[:, 1] for rows in (below, above)]
        numbers = [regressor.predict(rows) for rows in (below, above)]
        for before, after in (shares, numbers):
            assert (direction * (after - before) >= 0).all()
    assert {0, 1} <= set(classifier.tree_.feature.tolist())


def test_smoothing_of_reported_shares_is_refused_with_monotone_shares():
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
def test_smoothed_shares_in_the_objective_are_monotone_as_reported(smoothing):
    rng = np.random.default_rng(4)
    X = rng.integers(0, 5, (40, 2)).astype(float)
    y = X[:, 0] + rng.normal(0, 2, 40) > 2
    model = xt.OptimalTreeClassifier(
        "log_loss", max_depth=2, smoothing=smoothing, monotonic_cst=[1, -1], min_samples_leaf=3
    ).fit(X, y)
    assert model.tree_.size > 0
    wide = rng.uniform(-1, 6, (1000, 2))
    for feature, direction in ((0, 1), (1, -1)):
        before, after = (
            model.predict_proba(rows)[:, 1] for rows in rows_and_rows_above(wide, feature)
        )
        assert (direction * (after - before) >= -1e-12).all()


def test_the_monotone_value_of_a_leaf_follows_the_objective():
    """Three of four examples are of class 1, in a table of three and three."""
    X, y = [[0], [0], [0], [0], [1], [1]], [1, 1, 1, 0, 0, 0]
    leaf = np.arange(4)

    def value(monotonic_in="probability", **parameters):
        constraints = xt.Constraints(monotonic_in=monotonic_in)
        problem = xt.Problem(X, y, monotonic_cst=[1], constraints=constraints, **parameters)
        return problem.leaf_value(leaf)

    expensive = {"cost_matrix": {0: {1: 4}}}
    assert value() == value(**expensive) == value(minimize="balanced_error") == Fraction(3, 4)
    assert value("prediction") == 1
    assert value("prediction", **expensive) == 0
    for name in ("log_loss", "gini"):
        assert value(minimize=name) == Fraction(3, 4)
        assert value(minimize=name, smoothing="laplace") == Fraction(4, 6)
        assert value(minimize=name, smoothing=6) == Fraction(6, 10)
        assert value("prediction", minimize=name, smoothing=6) == 1


def test_feature_penalties_have_the_unit_of_the_balanced_error():
    X, y = SQUARE, [0, 1, 1, 0]
    parameters = {"minimize": "balanced_error", "feature_penalty": 0.1}
    assert cost(X, y, **parameters) == Fraction(1, 5)
    assert cost(X, y, **parameters, sample_weight=[3, 5, 7, 2]) == Fraction(1, 5)


def test_objectives_that_cannot_go_with_constraints_are_refused():
    with pytest.raises(ValueError, match="feature_penalty must be 0 unless"):
        xt.Problem(SQUARE, [0, 1, 1, 0], minimize="precision_error", feature_penalty=0.1)
    with pytest.raises(ValueError, match="cost_matrix adds labels"):
        xt.Problem([[0], [1]], [0, 1], cost_matrix={0: {"ask": 0.5}}, monotonic_cst=[1])
