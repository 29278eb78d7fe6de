"""scikit-learn's estimator checks for every estimator; every expected failure has a reason."""

import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from exactree import (
    BoundOptimalTreeClassifier,
    BoundPrunedTreeClassifier,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)
from exactree.rules import Hyperplanes

# No estimator has min_samples_leaf above 1. One of the checks requires that a row of weight two
# counts as two rows, but min_samples_leaf counts it as one row. (scikit-learn's own trees fail that
# check for the same reason.)
EVERY_CLASS: list[BaseEstimator] = [
    OptimalTreeClassifier(max_depth=1),
    BoundOptimalTreeClassifier(2),
    # A proof for the random labels of the checks would take longer than the time limit. The gap
    # stops a search after the same number of steps in every fit, so that fits can be compared.
    OptimalEnsembleClassifier(2, "largest_size", max_size=60, stop_at_gap=0.99),
    OptimalTreeRegressor(max_size=2, max_depth=None),
    OptimalTreeClassifierCV(cv=3),
    OptimalTreeRegressorCV(along="depth", cv=3),
    BoundPrunedTreeClassifier(),
]
OTHER_SETTINGS: list[BaseEstimator] = [
    OptimalTreeClassifier(),
    OptimalTreeClassifier(max_depth=2, leaf_penalty=0.01),
    OptimalTreeClassifier(max_size=4, max_depth=None),
    OptimalTreeClassifier(("errors", "size"), max_depth=2),
    OptimalTreeClassifier("depth"),
    BoundOptimalTreeClassifier(4),
    OptimalEnsembleClassifier(stop_at_gap=0.99),
    OptimalTreeRegressor(),
    OptimalTreeRegressor("absolute_error", max_depth=2, leaf_penalty=0.01),
    OptimalTreeClassifier(warm_start=True, max_depth=2),
    OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=2), along="leaf_penalty", cv=3),
    BoundPrunedTreeClassifier(None, r=1e-9, risk="vapnik", random_state=0),
    BoundPrunedTreeClassifier(2, order="purest-first"),
]


def test_estimators_without_the_tag_for_missing_values_refuse_them() -> None:
    with_tag = [
        estimator
        for estimator in (*EVERY_CLASS, *OTHER_SETTINGS)
        if estimator.__sklearn_tags__().input_tags.allow_nan
    ]
    assert len(with_tag) == 15, "all but the five Bound... estimators"
    assert not any("Bound" in type(estimator).__name__ for estimator in with_tag)
    surfaces = OptimalTreeClassifier(rules=Hyperplanes(), max_depth=1)
    assert not surfaces.__sklearn_tags__().input_tags.allow_nan
    X, y = [[0.0, 1.0], [float("nan"), 0.0]], [0, 1]
    for refusing in (surfaces, BoundPrunedTreeClassifier(), BoundOptimalTreeClassifier()):
        with pytest.raises(ValueError, match="column 'x0', row 1: the value is missing"):
            refusing.fit(X, y)
    fitted = surfaces.fit([[0.0, 1.0], [1.0, 0.0]], y)
    with pytest.raises(ValueError, match=r"column 'x0', row 1: .* takes no missing values"):
        fitted.predict(X)


# The check requires that nearly all new rows are predicted as the class whose weight is ten million
# times that of the others. It sets min_weight_fraction_leaf, which prevents leaves of single
# examples of the light classes. Estimators that cannot use this limit may fail: ensembles do not
# have it, and minimize="depth" requires a tree without errors, which this limit makes impossible.
CLASS_WEIGHTS = {
    "check_class_weight_classifiers": "single examples of light classes have leaves of their own"
}


def expected_to_fail(estimator: BaseEstimator) -> dict[str, str]:
    """Return the checks that an estimator may fail, and the reasons."""
    parameters = estimator.get_params()
    limits_weight = "min_weight_fraction_leaf" in parameters and parameters["minimize"] != "depth"
    return CLASS_WEIGHTS if "class_weight" in parameters and not limits_weight else {}


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@parametrize_with_checks(EVERY_CLASS, expected_failed_checks=expected_to_fail)
def test_every_estimator_passes_a_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@parametrize_with_checks(OTHER_SETTINGS, expected_failed_checks=expected_to_fail)
def test_other_settings_pass_a_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_with_the_array_api_no_check_is_skipped() -> None:
    # A process of its own, because scipy reads the environment variable when it is imported.
    program = """
        from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
        from exactree import (
            BoundOptimalTreeClassifier, BoundPrunedTreeClassifier,
            OptimalEnsembleClassifier, OptimalTreeClassifier, OptimalTreeRegressor,
        )

        results = check_estimator(OptimalTreeClassifier(max_depth=2), on_skip=None)
        assert len(results) > 50
        bound_estimators = (BoundOptimalTreeClassifier(2), BoundPrunedTreeClassifier())
        others = (OptimalEnsembleClassifier(max_errors=9), OptimalTreeRegressor(max_depth=1))
        for other in (*bound_estimators, *others):
            for estimator, check in estimator_checks_generator(other):
                if "array_api" in check.func.__name__:
                    check(estimator)
        print([(result["check_name"], result["status"]) for result in results
               if result["status"] not in ("passed", "xfail")])
    """
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program)],
        env=os.environ
        | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


@pytest.mark.parametrize(("limits", "poor"), [({"max_depth": 0}, True), ({"max_size": 1}, False)])
def test_only_a_regression_without_splits_is_tagged_poor(
    limits: dict[str, int], poor: bool
) -> None:
    tags = OptimalTreeRegressor(**limits).__sklearn_tags__()
    assert tags.estimator_type == "regressor"
    assert tags.regressor_tags.poor_score is poor
    assert tags.target_tags.required
    assert not tags.non_deterministic


@pytest.mark.parametrize(("limits", "poor"), [({"max_depth": 1}, True), ({"max_size": 3}, False)])
def test_only_trees_too_small_for_three_classes_are_tagged_poor(
    limits: dict[str, int], poor: bool
) -> None:
    tags = OptimalTreeClassifier(**limits).__sklearn_tags__()
    assert tags.classifier_tags.poor_score is poor
    assert tags.classifier_tags.multi_class
    assert tags.target_tags.required
    assert not tags.input_tags.sparse
    assert tags.input_tags.allow_nan
    assert not tags.non_deterministic
