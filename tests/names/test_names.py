"""Errors for unknown names give ours; the right calls in the messages run."""

import inspect
import pickle
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import exactree as xt
from exactree import Constraints, Limits, Problem, solve
from exactree.names.foreign import METHODS, PARAMETERS, QUANTITIES, RULES
from exactree.objectives import OBJECTIVES, RATES
from exactree.spec.methods import METHODS as OUR_METHODS

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 2.0], [4.0, 4.0]])
y = ["a", "b", "a", "b", "b"]
problem = Problem(X, y)
ESTIMATORS = (
    xt.BoundOptimalTreeClassifier,
    xt.BoundPrunedTreeClassifier,
    xt.OptimalEnsembleClassifier,
    xt.OptimalTreeClassifier,
    xt.OptimalTreeClassifierCV,
    xt.OptimalTreeRegressor,
    xt.OptimalTreeRegressorCV,
)
CALLS = (Problem, Limits, Constraints, solve, xt.pareto_front, xt.enumerate_optimal, *ESTIMATORS)
ENDS_AS_A_SENTENCE = re.compile(r"[^\n]*[.?]")


def parameters(call: Any) -> set[str]:
    return set(inspect.signature(call).parameters)


OURS = set().union(*map(parameters, (Problem, Limits, Constraints, solve)))


def refusal(call: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(TypeError) as error:
        call(*arguments, **named)
    assert ENDS_AS_A_SENTENCE.fullmatch(str(error.value))
    return str(error.value)


def right_call(message: str) -> Any:
    """Return the result of the call that a message shows."""
    return eval(message.partition("; write ")[2].removesuffix("."))


@pytest.mark.parametrize("name", PARAMETERS)
def test_foreign_parameters_are_answered_by_ours(name: str) -> None:
    ours, explanation = PARAMETERS[name]
    assert ours in OURS or not ours
    assert explanation
    for call in CALLS:
        if name in parameters(call):
            continue
        message = refusal(call, **{name: 1})
        assert message.startswith(f"{call.__name__} has no parameter {name!r}")
        assert f"use {ours} (" in message if ours else explanation in message


@pytest.mark.parametrize("name", QUANTITIES)
def test_foreign_objectives_are_answered_by_ours(name: str) -> None:
    allowed = {*OBJECTIVES, *RATES}
    ours, explanation = QUANTITIES[name]
    assert name not in allowed
    assert ours in allowed or not ours
    ending = f"; use '{ours}', {explanation}." if ours else f"; {explanation}."
    for spelled in (name, name.upper()):
        with pytest.raises(ValueError, match=f"got {spelled!r}{re.escape(ending)}$"):
            Problem(X, y, minimize=spelled)
    with pytest.raises(ValueError, match=re.escape(ending) + "$"):
        xt.OptimalTreeClassifier(name).fit(X, y)


@pytest.mark.parametrize("name", RULES)
def test_foreign_rules_are_answered_by_ours(name: str) -> None:
    ours, explanation = RULES[name]
    ending = f"; use {ours} ({explanation})."
    with pytest.raises(ValueError, match=re.escape(ending) + "$"):
        Problem(X, y, rules=name)
    if "..." not in ours:
        Problem(X, y, rules=eval(f"xt.{ours}"))


@pytest.mark.parametrize("family", ["AxisParallel", "Hyperplanes", "Hypersurfaces", "Mixed"])
def test_a_family_in_place_of_its_instance_shows_the_call(family: str) -> None:
    with pytest.raises(ValueError, match=r"; call the class: rules\.") as error:
        xt.OptimalTreeClassifier(rules=getattr(xt.rules, family)).fit(X, y)
    written = str(error.value).partition("call the class: ")[2].removesuffix(".")
    assert written.startswith(f"rules.{family}(")
    if "..." not in written:
        Problem(X, y, rules=eval(f"xt.{written}"))


def test_other_wrong_rules_show_what_is_near() -> None:
    with pytest.raises(ValueError, match=r"; several families are rules.Mixed\(\[\.\.\.\]\)\.$"):
        Problem(X, y, rules=[xt.rules.AxisParallel(), xt.rules.Hyperplanes()])
    with pytest.raises(ValueError, match=r"got 'hyperplnes'; did you mean 'hyperplanes'\?$"):
        Problem(X, y, rules="hyperplnes")
    with pytest.raises(ValueError, match=r"got 3\.$"):
        Problem(X, y, rules=3)


@pytest.mark.parametrize("name", METHODS)
def test_foreign_methods_are_answered_by_ours(name: str) -> None:
    ours, explanation = METHODS[name]
    assert ours in OUR_METHODS or explanation
    with pytest.raises(ValueError, match=re.escape(explanation or f"use {ours!r}.")):
        solve(problem, method=name)


def test_typing_errors_are_answered_by_the_nearest_name() -> None:
    near = {"max_dpth": "max_depth", "time_limt": "time_limit", "leafpenalty": "leaf_penalty"}
    for wrong, right in near.items():
        message = refusal(xt.OptimalTreeClassifier, **{wrong: 1})
        assert message.endswith(f"{wrong!r}; did you mean {right!r}?")
    assert refusal(Problem, X, y, max_dept=1).endswith("did you mean 'max_depth'?")
    assert refusal(solve, problem, zzz=1).startswith("solve has no parameter 'zzz'; it has cluster")
    with pytest.raises(ValueError, match=r"got 'eror'; did you mean 'error.*'\?$"):
        Problem(X, y, minimize="eror")
    with pytest.raises(ValueError, match=r"got 'witnes'; did you mean 'witness'\?$"):
        solve(problem, method="witnes")
    with pytest.raises(AttributeError, match=r"; did you mean 'OptimalTreeClassifier'\?$"):
        xt.OptimalTreeClasifier  # noqa: B018
    with pytest.raises(AttributeError, match=r"; it is exactree\.rules\.Hyperplanes$"):
        xt.Hyperplanes  # noqa: B018


GIVEN = {
    "max_depth": 2,
    "max_size": 3,
    "max_errors": Fraction(1, 2),
    "min_samples_leaf": 2,
    "min_weight_fraction_leaf": 0.1,
    "max_total_size": 3,
    "max_leaves_of": {"a": 1},
    "min_precision": 0.5,
    "min_recall": 0.5,
}


@pytest.mark.parametrize("name", GIVEN)
def test_limits_given_elsewhere_show_a_call_that_runs(name: str) -> None:
    assert GIVEN.keys() == parameters(Limits), "every limit has an example"
    limits = Limits(**{name: GIVEN[name]})
    message = refusal(Problem, X, y, **{name: GIVEN[name]})
    assert message.startswith(f"Problem has no parameter {name!r}; write Problem(X, y, limits=")
    if name.startswith("min_p") or name.startswith("min_r"):
        message = refusal(Problem, X, y, minimize="f1_error", **{name: GIVEN[name]})
        message = message.replace("(X, y,", "(X, y, minimize='f1_error',")
    assert right_call(message).limits == limits
    for call in (solve, xt.pareto_front, xt.enumerate_optimal):
        message = refusal(call, X, y, **{name: GIVEN[name]})
        assert f"; write {call.__name__}(Problem(X, y, limits=Limits({name}=" in message


def test_parameters_of_several_calls_show_one_call() -> None:
    message = refusal(solve, X, y, max_depth=1, min_samples_leaf=2, minimize="gini")
    assert message == (
        "solve has no parameters 'max_depth' and 'min_samples_leaf' and 'minimize'; write "
        "solve(Problem(X, y, minimize='gini', limits=Limits(max_depth=1, min_samples_leaf=2)))."
    )
    assert (
        right_call(message).cost
        == solve(
            Problem(X, y, minimize="gini", limits=Limits(max_depth=1, min_samples_leaf=2))
        ).cost
    )
    message = refusal(Problem, X, y, max_depth=1, time_limit=3)
    assert right_call(message).tree.depth == 1
    assert message.endswith("solve(Problem(X, y, limits=Limits(max_depth=1)), time_limit=3).")
    assert right_call(refusal(Problem, X, y, max_features=1)).feature_constraints.max_features == 1
    assert refusal(Limits, minimize="size").endswith(
        "write Problem(X, y, minimize='size', limits=Limits(...))."
    )
    assert refusal(Limits, time_limit=1).endswith(
        "write solve(Problem(X, y, limits=Limits(...)), time_limit=1)."
    )


def test_estimators_show_where_other_parameters_belong() -> None:
    weights = refusal(xt.OptimalTreeClassifier, sample_weight=[1, 2])
    assert weights.endswith("sample_weight is a parameter of fit.")
    message = refusal(xt.OptimalTreeClassifierCV, max_depth=3)
    assert message.endswith("write OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=3)).")
    message = refusal(xt.OptimalTreeRegressorCV, max_leaf_nodes=3)
    assert message.endswith("OptimalTreeRegressorCV(OptimalTreeRegressor(max_size=...)).")
    long = refusal(Problem, X, y, max_leaves_of=dict.fromkeys("abcdefghijklm", 1))
    assert long.endswith("limits=Limits(max_leaves_of=...)).")


def test_a_table_in_place_of_a_problem_shows_the_call() -> None:
    for call in (solve, xt.enumerate_optimal, lambda *a: xt.pareto_front(*a, ("size", "errors"))):
        with pytest.raises(TypeError, match=r"got ndarray; .* solve\(Problem\(X, y, limits="):
            call(X)
    with pytest.raises(TypeError, match=r"limits must be a Limits\(max_depth=\.\.\.\), got {"):
        Problem(X, y, limits={"max_depth": 2})


def test_set_params_answers_as_the_constructor_does() -> None:
    model = xt.OptimalTreeClassifier(max_depth=1)
    sentence = r"^Invalid parameter 'ccp_alpha' for OptimalTreeClassifier\(max_depth=1\): .*"
    with pytest.raises(ValueError, match=sentence + "use leaf_penalty"):
        model.set_params(ccp_alpha=1)
    with pytest.raises(ValueError, match="'max_dept'; did you mean 'max_depth'"):
        model.set_params(max_dept=1)
    assert model.set_params(max_depth=2) is model
    tuned = xt.OptimalTreeClassifierCV(model)
    assert tuned.set_params(estimator__max_depth=5).estimator.max_depth == 5
    with pytest.raises(ValueError, match="Invalid parameter"):
        tuned.set_params(estimator__ccp_alpha=5)


@pytest.mark.parametrize("call", CALLS)
def test_signatures_stay_explicit(call: Any) -> None:
    kinds = {entry.kind for entry in inspect.signature(call).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert pickle.loads(pickle.dumps(call)) is call


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_tables_that_are_refused_show_the_way_out(estimator: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    pair = np.array([[0, 1], [1, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.raises(TypeError, match=r"sparse matrix, .*; use X\.toarray\(\), which takes 80"):
        estimator().fit(sparse.csr_matrix(X), [0, 1, 0, 1, 1])
    with pytest.raises(ValueError, match=r"shape \(5, 2\) instead; .*: fit one model for each col"):
        estimator().fit(X, pair)
    with pytest.raises(ValueError, match=r"shape \(5, 1\) instead; .*: use y\.ravel\(\)\.$"):
        Problem(X, pair[:, :1])


def test_save_and_load_are_answered_by_the_calls_of_the_exporters() -> None:
    model = xt.OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    with pytest.raises(AttributeError, match=r"no attribute 'save'; .*export\.to_json\(model\)"):
        model.save("m.json")
    with pytest.raises(AttributeError, match=r"no attribute 'load'; .*export\.from_json"):
        xt.load  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'to_json'; it is exactree\.export"):
        xt.to_json  # noqa: B018
    assert not hasattr(model, "load")


def test_errors_of_properties_are_kept() -> None:
    with pytest.raises(NotFittedError):
        xt.OptimalTreeClassifier().feature_importances_  # noqa: B018


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_wrong_calls_of_fit_are_answered_by_the_right_ones(estimator: Any) -> None:
    name = estimator.__name__
    for arguments in ((X, y), (X,), ()):
        message = refusal(estimator.fit, *arguments)
        assert message.endswith(f"call the class first: {name}().fit(X, y).")
    if "sample_weight" in inspect.signature(estimator.fit).parameters:
        message = refusal(estimator().fit, X, y, sample_weights=[1] * 5)
        assert (
            message
            == f"{name}.fit has no parameter 'sample_weights'; did you mean 'sample_weight'?"
        )


def test_parameters_of_the_class_given_to_fit_show_the_call() -> None:
    message = refusal(xt.OptimalTreeClassifier().fit, X, y, max_depth=2)
    assert message.endswith(
        "it belongs to the class: OptimalTreeClassifier(max_depth=...).fit(X, y)."
    )
    message = refusal(xt.OptimalTreeClassifier().fit, X, y, eval_set=None)
    assert message.endswith("it has X, y, sample_weight.")


def test_grids_and_classes_given_to_the_tuned_estimators_are_answered() -> None:
    tuned, base, grid = xt.OptimalTreeClassifierCV, xt.OptimalTreeClassifier, {"max_depth": [1]}
    for message in (
        refusal(tuned, base(), grid),
        refusal(tuned, base(), param_grid=grid),
        refusal(tuned(grid).fit, X, y),
    ):
        assert "no grid is needed, " in message
        assert "GridSearchCV" in message
    assert refusal(tuned(base).fit, X, y).endswith("; call the class: OptimalTreeClassifier().")
    message = refusal(xt.OptimalTreeRegressorCV(xt.OptimalTreeRegressor).fit, X, range(5))
    assert message.endswith("; call the class: OptimalTreeRegressor().")


def test_other_arguments_without_names_are_refused() -> None:
    message = refusal(xt.OptimalTreeClassifier, "errors", 3)
    assert message.startswith("OptimalTreeClassifier takes one argument without its name; write")
    assert "max_depth" in message


def test_parameters_of_other_estimators_name_these() -> None:
    both = "is a parameter of OptimalEnsembleClassifier and OptimalTreeClassifier."
    assert refusal(xt.OptimalTreeRegressor, class_weight="balanced").endswith(both)
    assert refusal(xt.OptimalTreeRegressorCV, class_weight="balanced").endswith(both)
    ensembles = "; n_trees is a parameter of OptimalEnsembleClassifier."
    for estimator in (xt.OptimalTreeClassifier, xt.OptimalTreeRegressor):
        assert refusal(estimator, n_estimators=3).endswith(ensembles)


def test_no_foreign_name_is_suggested_in_place_of_ours() -> None:
    assert refusal(xt.OptimalTreeClassifier, time=3).endswith("; use time_limit (seconds).")
    assert refusal(xt.OptimalTreeClassifier, timeot=3).endswith("; did you mean 'time_limit'?")


@pytest.mark.parametrize("call", [xt.OptimalTreeClassifier, xt.OptimalTreeRegressor])
def test_a_list_of_quantities_shows_the_tuple(call: Any) -> None:
    message = r"^minimize is a list; write minimize=\('errors', 'size'\)\.$"
    for fit in (lambda names: call(minimize=names).fit(X, y), lambda n: Problem(X, y, minimize=n)):
        with pytest.raises(TypeError, match=message):
            fit(["errors", "size"])
