"""Every exporter and picture takes every kind of fitted model, or refuses it in one sentence."""

import inspect
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree import export
from exactree.bound_optimal import plot_curve
from exactree.export.model import Unwrapped, fitted, unwrap
from exactree.trees import Ensemble, Tree
from exactree.tuning import plot_tuning

pytest.importorskip("sklearn")
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

RNG = np.random.default_rng(3)
X = RNG.integers(0, 6, (40, 2)).astype(float)
Y = np.where(X[:, 0] < 3, "low", np.where(X[:, 1] < 2, "middle", "high"))
Y[::9] = "low"
TARGET = X[:, 0] + 0.5 * (X[:, 1] > 2)


def _scaled(estimator: Any, y: Any = Y) -> Pipeline:
    return make_pipeline(StandardScaler(), estimator).fit(X, y)


def _outcome(**arguments: Any) -> xt.Outcome:
    return xt.solve(xt.Problem(X, Y, limits=xt.Limits(max_depth=2), **arguments))


def _voters() -> Any:
    return xt.OptimalEnsembleClassifier(n_trees=2, max_depth=1)


BINARY = np.where(X[:, 0] < 3, "low", "high")
# Every kind of model, as functions because some searches take a second.
MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: _outcome().tree,
    "outcome": _outcome,
    "classifier": lambda: xt.OptimalTreeClassifier(max_depth=2).fit(X, Y),
    "regressor": lambda: xt.OptimalTreeRegressor(max_depth=2).fit(X, TARGET),
    "ensemble": lambda: _voters().fit(X, BINARY).ensemble_,
    "outcome of an ensemble": lambda: xt.solve(
        xt.Problem(X, BINARY, n_trees=2, minimize="total_size", limits=xt.Limits(max_depth=1))
    ),
    "ensemble estimator": lambda: _voters().fit(X, BINARY),
    "pruned": lambda: xt.BoundPrunedTreeClassifier().fit(X, BINARY),
    "bound optimal": lambda: xt.BoundOptimalTreeClassifier(max_leaves=3).fit(X, BINARY),
    "tuned": lambda: xt.OptimalTreeClassifierCV(xt.OptimalTreeClassifier(max_depth=2), cv=2).fit(
        X, Y
    ),
    "tuned regressor": lambda: xt.OptimalTreeRegressorCV(
        xt.OptimalTreeRegressor(max_depth=2), cv=2
    ).fit(X, TARGET),
    "pipeline": lambda: _scaled(xt.OptimalTreeClassifier(max_depth=2)),
    "pipeline of a regressor": lambda: _scaled(xt.OptimalTreeRegressor(max_depth=2), TARGET),
    "pipeline of an ensemble": lambda: _scaled(_voters(), BINARY),
    "pipeline in a pipeline": lambda: make_pipeline(
        StandardScaler(), make_pipeline(SelectKBest(k=1), xt.OptimalTreeClassifier(max_depth=1))
    ).fit(X, Y),
    "search": lambda: GridSearchCV(xt.OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(
        X, Y
    ),
    "search over a pipeline": lambda: GridSearchCV(
        make_pipeline(StandardScaler(), xt.OptimalTreeClassifier()),
        {"optimaltreeclassifier__max_depth": [1, 2]},
        cv=2,
    ).fit(X, Y),
}


@cache
def model_of(kind: str) -> Any:
    return MODELS[kind]()


def labels_of(kind: str) -> Any:
    model = fitted(model_of(kind))
    if model.classes.dtype.kind == "f":
        return TARGET
    return BINARY if len(model.classes) == 2 else Y


def _drawn(ax: Any) -> list[str]:
    """Return the texts of a picture, and close it."""
    found = ax.figure.findobj(lambda artist: hasattr(artist, "get_text"))
    texts = [text.get_text() for text in found]
    pytest.importorskip("matplotlib.pyplot").close(ax.figure)
    return texts


# Every public function that takes a model -> a call with a model, its table and its labels, and
# comparable content.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{
        function.__name__: lambda model, X, y, function=function: function(model)
        for function in export.EXPORTERS.values()
    },
    "to_sklearn": lambda model, X, y: (
        export.to_sklearn(model, X).predict(unwrap(model).table(X)).tolist()
    ),
    "to_onnx": lambda model, X, y: export.to_onnx(model).SerializeToString(),
    "to_treelite": lambda model, X, y: export.to_treelite(model).dump_as_json(),
    "to_rules_frame": lambda model, X, y: export.to_rules_frame(model).to_dict(),
    "plot_tree": lambda model, X, y: _drawn(export.plot_tree(model)),
    "plot_feature_use": lambda model, X, y: _drawn(export.plot_feature_use(model)),
    "plot_leaf_errors": lambda model, X, y: _drawn(export.plot_leaf_errors(model, X, y)),
    "plot_regions": lambda model, X, y: _drawn(export.plot_regions(model, X, y)),
    "explain": lambda model, X, y: export.explain(model, X[0]),
    "report": lambda model, X, y: _without_proof(export.report(model, X, y, front_seconds=0)),
}
OPTIONAL = {
    "to_onnx": "onnx",
    "to_treelite": "treelite",
    "to_rules_frame": "pandas",
    "report": "jinja2",
}
# They take the record of a search, which trees do not have, or the outcomes of a front.
OF_SEARCHES = {"plot_progress", "plot_front"}


def _without_proof(page: str) -> str:
    """Return the section of a report with the rules of the tree."""
    rules = page[page.index('id="rules"') :]
    return rules[: rules.index("</section>")]


def _result(name: str, model: Any, X: Any, y: Any) -> Any:
    """Return the result of a function, or its refusal as text."""
    try:
        return CALLS[name](model, X, y)
    except ValueError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


def test_every_public_function_with_a_model_is_called() -> None:
    takes_model = {
        name
        for name in export.__all__
        if name.startswith(("to_", "plot_")) or name in ("explain", "report")
    }
    assert takes_model == CALLS.keys() | OF_SEARCHES
    for name in CALLS:
        assert next(iter(inspect.signature(getattr(export, name)).parameters)) == "model"


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.filterwarnings("ignore:thresholds and values")
@pytest.mark.filterwarnings("ignore:.*float32")
def test_every_function_takes_every_model(name: str, kind: str) -> None:
    """The result is that of the tree or ensemble inside, for the table that it gets."""
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    if name.startswith("plot_"):
        pytest.importorskip("matplotlib")
    model, y = model_of(kind), labels_of(kind)
    inside = unwrap(model)
    expected = _result(name, inside.model, inside.table(X), y)
    assert _result(name, model, X, y) == expected
    if isinstance(expected, str) and expected.startswith("ValueError"):
        assert ". " not in expected, "one sentence"


@pytest.mark.parametrize("kind", [kind for kind in MODELS if "ensemble" in kind])
@pytest.mark.filterwarnings("ignore:thresholds and values")
@pytest.mark.parametrize("name", ["to_spreadsheet", "explain"])
def test_forms_of_one_tree_say_how_to_get_it(name: str, kind: str) -> None:
    with pytest.raises(
        ValueError, match=r"holds one tree, .* ensemble of 2: give its to_tree\(\)\.$"
    ):
        CALLS[name](model_of(kind), X, labels_of(kind))


@pytest.mark.parametrize("kind", ["outcome", "classifier", "pipeline", "search over a pipeline"])
def test_progress_of_every_model_with_a_search(kind: str) -> None:
    pytest.importorskip("matplotlib")
    assert "lower bound" in _drawn(export.plot_progress(model_of(kind)))


@pytest.mark.parametrize("function", [export.plot_progress, export.plot_front])
def test_pictures_of_searches_refuse_a_tree(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"^[^.]*got Tree[^.]*\.$"):
        function(model_of("tree"))


@pytest.mark.filterwarnings("ignore:thresholds and values")
def test_pictures_of_certain_estimators_take_their_pipelines() -> None:
    pytest.importorskip("matplotlib")
    tuned, bound = model_of("tuned"), model_of("bound optimal")
    for draw, model in ((plot_tuning, tuned), (plot_curve, bound)):
        in_pipeline = Pipeline([("scale", "passthrough"), ("tree", model)])
        assert _drawn(draw(in_pipeline)) == _drawn(draw(model))
        with pytest.raises(TypeError, match=r"got Tree\.$"):
            draw(model_of("tree"))
    assert _drawn(plot_curve(bound.outcome_)) == _drawn(plot_curve(bound.curve_))


def test_what_is_no_model_is_refused_in_one_sentence() -> None:
    sentence = r"^model must be a Tree, an Ensemble, an Outcome, .* is one, got {}\.$"
    with pytest.raises(TypeError, match=sentence.format("ndarray")):
        export.to_text(X)
    with pytest.raises(TypeError, match=sentence.format("DecisionTreeClassifier")):
        export.to_text(DecisionTreeClassifier().fit(X, Y))
    with pytest.raises(TypeError, match=sentence.format("Pipeline with DecisionTreeClassifier")):
        export.to_text(make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, Y))
    with pytest.raises(TypeError, match=sentence.format("GridSearchCV")):
        export.to_text(GridSearchCV(DecisionTreeClassifier(), {}))


def test_a_model_without_a_tree_is_refused_in_one_sentence() -> None:
    unfitted = xt.OptimalTreeClassifier()
    with pytest.raises(
        ValueError, match=r"^this OptimalTreeClassifier is not fitted yet: call fit"
    ):
        export.to_text(unfitted)
    with pytest.raises(ValueError, match=r"^this Pipeline is not fitted yet: call fit first\.$"):
        export.to_text(make_pipeline(StandardScaler(), unfitted))
    infeasible = xt.solve(xt.Problem(X, Y, limits=xt.Limits(max_depth=0, max_errors=0)))
    with pytest.raises(ValueError, match=r"^the search found no tree to export: infeasible"):
        export.to_text(infeasible)


def frame() -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=["length", "width"])


def names_in(pipeline: Pipeline, table: Any) -> tuple[tuple[str, ...], bool]:
    model = unwrap(pipeline.fit(table, Y)).model
    return model.feature_names, model.named


@pytest.mark.filterwarnings("ignore:thresholds and values")
def test_features_have_the_names_of_the_steps() -> None:
    """Names go through steps that keep them; other steps give their own."""
    classifier = xt.OptimalTreeClassifier(max_depth=1)
    chosen = (
        "length"
        if names_in(make_pipeline(SelectKBest(k=1), classifier), frame())[0] == ("length",)
        else "width"
    )
    assert names_in(make_pipeline(StandardScaler(), SelectKBest(k=1), classifier), frame()) == (
        (chosen,),
        True,
    )
    number = {"length": "x0", "width": "x1"}[chosen]
    assert names_in(make_pipeline(SelectKBest(k=1), classifier), X) == ((number,), False)
    assert names_in(make_pipeline(PCA(2), classifier), frame()) == (("pca0", "pca1"), True)
    transformed = ColumnTransformer(
        [("scaled", StandardScaler(), ["width"])], remainder="passthrough"
    )
    assert names_in(make_pipeline(transformed, classifier), frame()) == (
        ("scaled__width", "remainder__length"),
        True,
    )
    assert names_in(make_pipeline("passthrough", classifier), frame()) == (
        ("length", "width"),
        True,
    )
    nested = make_pipeline(StandardScaler(), make_pipeline(PCA(1), classifier))
    assert names_in(nested, frame()) == (("pca0",), True)


@pytest.mark.filterwarnings("ignore:thresholds and values")
def test_a_step_without_names_ends_the_names_before_it() -> None:
    """A step that has no names loses them; a later step numbers the columns that it gets."""
    classifier = xt.OptimalTreeClassifier(max_depth=1)
    swapped = FunctionTransformer(lambda table: np.asarray(table)[:, ::-1])
    assert names_in(make_pipeline(swapped, classifier), frame()) == (("x0", "x1"), False)
    name, named = names_in(make_pipeline(swapped, SelectKBest(k=1), classifier), frame())
    assert name in (("x0",), ("x1",))
    assert not named


@pytest.mark.filterwarnings("ignore:thresholds and values")
def test_frames_between_steps_keep_their_names() -> None:
    pipeline = make_pipeline(StandardScaler(), xt.OptimalTreeClassifier(max_depth=1))
    pipeline.set_output(transform="pandas").fit(frame(), Y)
    assert fitted(pipeline) == pipeline[-1].tree_
    assert fitted(pipeline).feature_names == ("length", "width")
    assert export.explain(pipeline, frame().iloc[[0]]).prediction == pipeline.predict(frame())[0]


def test_units_are_said_where_steps_change_values() -> None:
    scaled = model_of("pipeline")
    with pytest.warns(
        UserWarning, match="units of the columns that StandardScaler returns, not of"
    ):
        text = export.to_rules(scaled)
    assert text == export.to_rules(scaled[-1].tree_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selected = make_pipeline(SelectKBest(k=1), xt.OptimalTreeClassifier(max_depth=1)).fit(X, Y)
        export.to_text(selected)
        export.to_text(scaled[-1])
    two = make_pipeline(StandardScaler(), PCA(2), xt.OptimalTreeClassifier(max_depth=1)).fit(X, Y)
    with pytest.warns(
        UserWarning, match="columns that StandardScaler and PCA return, not"
    ) as found:
        export.to_json(two)
    assert found[0].filename == __file__


@pytest.mark.filterwarnings("ignore:thresholds and values")
def test_tables_of_pipelines_go_through_the_steps() -> None:
    scaled = model_of("pipeline")
    inside = unwrap(scaled)
    assert isinstance(inside, Unwrapped)
    assert isinstance(inside.model, Tree)
    assert isinstance(unwrap(model_of("pipeline of an ensemble")).model, Ensemble)
    assert inside.outcome is scaled[-1].outcome_
    assert inside.model.predict(inside.table(X)).tolist() == scaled.predict(X).tolist()
    by_tree = export.explain(scaled[-1], scaled[:-1].transform(X[:1])[0])
    assert export.explain(scaled, X[0]) == by_tree


def test_smoothing_of_the_estimator_in_a_pipeline_is_exported() -> None:
    pytest.importorskip("onnx")
    smooth = xt.OptimalTreeClassifier(max_depth=1, smoothing="laplace")
    selected = make_pipeline("passthrough", smooth).fit(X, Y)
    alone = export.to_onnx(selected[-1])
    assert export.to_onnx(selected) == alone
    tuned = xt.OptimalTreeClassifierCV(smooth, cv=2).fit(X, Y)
    assert export.to_onnx(tuned) == export.to_onnx(tuned.best_estimator_)
    assert export.to_onnx(selected[-1].tree_) != alone
