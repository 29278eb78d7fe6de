"""scikit-learn's complete estimator checks; an expected failure has a reason."""

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

# No entry has min_samples_leaf above 1: it counts rows as given, so a row of weight two is not two
# rows, which one of the checks asks for. (scikit-learn's own trees fail that check likewise.)
EVERY_CLASS: list[BaseEstimator] = [
    OptimalTreeClassifier(max_depth=1),
    BoundOptimalTreeClassifier(2),
    # Smallest ensembles without errors for the checks' random labels would use up the time limit.
    # The gap ends a search at a step that it counts, so that equal fits are equal.
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


def test_the_tags_say_who_takes_missing_values() -> None:
    taking = [
        one
        for one in (*EVERY_CLASS, *OTHER_SETTINGS)
        if one.__sklearn_tags__().input_tags.allow_nan
    ]
    assert len(taking) == 15
    assert not any("Bound" in type(one).__name__ for one in taking)
    surfaces = OptimalTreeClassifier(rules=Hyperplanes(), max_depth=1)
    assert not surfaces.__sklearn_tags__().input_tags.allow_nan
    X, y = [[0.0, 1.0], [float("nan"), 0.0]], [0, 1]
    for refusing in (surfaces, BoundPrunedTreeClassifier(), BoundOptimalTreeClassifier()):
        with pytest.raises(ValueError, match="column 'x0', row 1: the value is missing"):
            refusing.fit(X, y)
    fitted = surfaces.fit([[0.0, 1.0], [1.0, 0.0]], y)
    with pytest.raises(ValueError, match=r"column 'x0', row 1: .* takes no missing values"):
        fitted.predict(X)


# The check wants nearly every new row in the class that weighs ten million times as much as the
# others. Trees get there by leaves of some least weight, which ensembles do not know, and with
# which no tree is without errors.
WEIGHED = {
    "check_class_weight_classifiers": "the tree of least weight makes room for single examples"
}


def expected_to_fail(estimator: BaseEstimator) -> dict[str, str]:
    """Return the checks that an estimator need not pass, and why."""
    stated = estimator.get_params()
    held_back = "min_weight_fraction_leaf" in stated and stated["minimize"] != "depth"
    return WEIGHED if "class_weight" in stated and not held_back else {}


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@parametrize_with_checks(EVERY_CLASS, expected_failed_checks=expected_to_fail)
def test_scikit_learn_check(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@parametrize_with_checks(OTHER_SETTINGS, expected_failed_checks=expected_to_fail)
def test_scikit_learn_check_of_other_settings(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_no_check_is_skipped_when_array_api_is_switched_on() -> None:
    # scipy reads the variable when it is loaded, hence a process of its own.
    program = """
        from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
        from exactree import (
            BoundOptimalTreeClassifier, BoundPrunedTreeClassifier,
            OptimalEnsembleClassifier, OptimalTreeClassifier, OptimalTreeRegressor,
        )

        results = check_estimator(OptimalTreeClassifier(max_depth=2), on_skip=None)
        assert len(results) > 50
        others = (OptimalEnsembleClassifier(max_errors=9), BoundPrunedTreeClassifier())
        for other in (*others, OptimalTreeRegressor(max_depth=1)):
            for estimator, check in estimator_checks_generator(other):
                if "array_api" in check.func.__name__:
                    check(estimator)
        print([(one["check_name"], one["status"]) for one in results
               if one["status"] not in ("passed", "xfail")])
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
def test_only_a_leaf_is_tagged_poor_in_a_regression(limits: dict[str, int], poor: bool) -> None:
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
