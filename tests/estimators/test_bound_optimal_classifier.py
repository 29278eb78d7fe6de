"""BoundOptimalTreeClassifier: attributes, parameters, weights, codes, warnings, tags."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from exactree import BoundOptimalTreeClassifier, NotProvedWarning, Status
from exactree.bound_optimal import features_of, solve_bound_optimal
from exactree.problem import Problem
from exactree.theory import Features, risk_bound, shape_of

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
# The label is that of one threshold, except for every tenth example.
Y = np.where((X[:, 0] > 0.2) ^ (np.arange(120) % 10 == 0), "yes", "no")


def test_a_fitted_model_has_the_tree_of_minimum_risk_bound_and_its_curve() -> None:
    """One threshold makes 12 errors: every tenth of the 120 examples."""
    model = BoundOptimalTreeClassifier(2).fit(X, Y)
    assert model.outcome_.status is Status.OPTIMAL
    assert model.get_n_leaves() == 2
    assert model.risk_bound_ == float(model.outcome_.cost)
    assert model.risk_bound_ == pytest.approx(
        risk_bound(shape_of(model.tree_), n_features=3, n_examples=120, n_classes=2, n_errors=12)
    )
    assert [entry.leaves for entry in model.curve_] == [1, 2]
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, Y) == 0.9
    assert model.feature_importances_.tolist() == [1, 0, 0]


def test_parameters_reach_the_search() -> None:
    assert BoundOptimalTreeClassifier(1).fit(X, Y).get_n_leaves() == 1
    # With so small an r an error costs more than any leaf, and all five leaves are used.
    small_r = BoundOptimalTreeClassifier(5, r=1e-30, delta=0.5).fit(X, Y)
    assert small_r.get_n_leaves() == 5
    outcome = solve_bound_optimal(Problem(X, Y), 5, r=1e-30, delta=0.5)
    assert small_r.outcome_.cost == outcome.cost
    spec = BoundOptimalTreeClassifier(2, implementation="spec").fit(X, Y)
    assert spec.outcome_.cost == BoundOptimalTreeClassifier(2).fit(X, Y).outcome_.cost
    assert spec.curve_ == ()


def test_weights_are_multiplicities() -> None:
    weight = rng.integers(0, 4, 120)
    weighted = BoundOptimalTreeClassifier(3).fit(X, Y, weight)
    repeated = BoundOptimalTreeClassifier(3).fit(X.repeat(weight, axis=0), Y.repeat(weight))
    assert weighted.outcome_.cost == repeated.outcome_.cost
    with pytest.raises(ValueError, match="sample_weight must be integers for a risk bound"):
        BoundOptimalTreeClassifier(3).fit(X, Y, np.full(120, 0.3))


def test_codes_are_nominal_features() -> None:
    codes = rng.integers(0, 3, 200)
    table = np.column_stack([codes, rng.normal(size=200)])
    model = BoundOptimalTreeClassifier(3, categories=[0]).fit(table, codes == 1)
    problem = Problem(table, codes == 1, categories=[0])
    # One category more than there are codes, for codes that are not in the table.
    assert features_of(problem) == Features(1, nominal=(4,))
    assert model.tree_.comparison[0] == "=="
    assert model.risk_bound_ == pytest.approx(
        risk_bound(
            shape_of(model.tree_),
            n_features=Features(1, nominal=(4,)),
            n_examples=200,
            n_classes=2,
            n_errors=0,
        )
    )
    numbers = BoundOptimalTreeClassifier(3).fit(table, codes == 1)
    assert model.risk_bound_ < numbers.risk_bound_


def test_a_fit_that_is_not_proved_warns_with_its_cost() -> None:
    model = BoundOptimalTreeClassifier(9, r=1e-12, time_limit=0.01)
    labels = X[:, 0] * X[:, 1] * X[:, 2] > 0
    with pytest.warns(NotProvedWarning, match="the time limit stopped the search at risk bound"):
        model.fit(X, labels)
    assert model.outcome_.lower_bound < model.outcome_.cost
    assert model.predict(X).shape == (120,)


def test_it_can_be_cross_validated_pickled_and_cloned() -> None:
    model = BoundOptimalTreeClassifier(2)
    assert cross_val_score(model, X, Y, cv=3).min() > 0.7
    fitted = pickle.loads(pickle.dumps(model.fit(X, Y)))
    np.testing.assert_array_equal(fitted.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "tree_")


def test_only_trees_too_small_for_three_classes_are_tagged_poor() -> None:
    for leaves, poor in ((1, True), (2, True), (3, False)):
        tags = BoundOptimalTreeClassifier(leaves).__sklearn_tags__()
        assert tags.classifier_tags.poor_score is poor
