"""Tables with text, categories and missing values, in estimators and in exported trees."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree import (
    BoundPrunedTreeClassifier,
    Ensemble,
    Limits,
    ModelError,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    Tree,
    export,
    smallest_equal_tree,
    solve,
)
from exactree.spec import min_cost

NAN = np.nan
FRAME = pd.DataFrame(
    {
        "colour": ["red", "blue", None, "green", "red", "blue", "green"],
        "grade": pd.Categorical([1, 2, 1, 2, 3, None, 3]),
        "size": [1.0, 2.0, 3.0, NAN, 5.0, 6.0, 7.0],
    }
)
Y = ["no", "yes", "yes", "no", "no", "yes", "no"]
NEW = pd.DataFrame(
    {
        "colour": ["blue", "pink", None, "red"],
        "grade": [1, 7, None, 3],
        "size": [1.0, 2.0, NAN, 4.0],
    }
)


def test_exporters_name_levels_or_refuse_them() -> None:
    model = OptimalTreeClassifier(max_depth=1).fit(FRAME, Y)
    assert model.outcome_.cost == 0
    assert str(model.tree_).startswith("colour == blue or missing\n")
    for name in ("text", "dot", "svg"):
        assert "colour == blue or missing" in export.EXPORTERS[name](model.tree_)
    assert '"colour" = \'blue\' OR "colour" IS NULL' in export.to_sql_expression(model.tree_)
    assert "x[0] == 'blue' or x[0] is None" in export.to_python(model.tree_)
    assert "x[0], colour: 0 = blue, 1 = green, 2 = red; -1 = any other" in export.to_c(model.tree_)
    with pytest.raises(ValueError, match=r"have only thresholds, .* \(colour == blue or missing\)"):
        export.to_sklearn(model.tree_)
    with pytest.raises(ValueError, match="holds numbers as text"):
        export.plot_regions(OptimalTreeClassifier().fit(FRAME[["colour", "size"]], Y).tree_, FRAME)


@pytest.mark.parametrize("frame", [NEW, pl.from_pandas(NEW)], ids=["pandas", "polars"])
def test_an_unseen_level_equals_no_level_of_a_split(frame: Any) -> None:
    model = OptimalTreeClassifier(max_depth=1).fit(FRAME, Y)
    assert model.predict(frame).tolist() == ["yes", "no", "yes", "no"]
    assert model.tree_.predict(frame).tolist() == ["yes", "no", "yes", "no"]
    assert model.apply(frame).tolist() == model.tree_.apply(frame).tolist() == [1, 2, 1, 2]
    assert (
        model.decision_path(frame).toarray().tolist()
        == model.tree_.decision_path(frame).toarray().tolist()
    )
    assert model.predict_proba(frame)[:, 1].tolist() == [1, 0, 1, 0]
    assert model.score(frame, ["yes", "no", "yes", "no"]) == 1


def test_models_with_levels_are_restored_from_json_and_pickle() -> None:
    models: list[Tree | Ensemble] = [
        OptimalTreeClassifier(max_depth=2).fit(FRAME, Y).tree_,
        OptimalTreeRegressor(max_depth=2).fit(FRAME, range(7)).tree_,
        OptimalEnsembleClassifier(2).fit(FRAME, Y).ensemble_,
    ]
    for model in models:
        assert model.levels == {0: ("blue", "green", "red"), 1: (1, 2, 3)}
        for again in (export.from_json(export.to_json(model)), pickle.loads(pickle.dumps(model))):
            assert again == model
            assert again.predict(NEW).tolist() == model.predict(NEW).tolist()
    tree = models[0]
    assert isinstance(tree, Tree)
    assert tree.to_dict()["version"] == 5
    assert tree != Tree.from_dict(
        tree.to_dict() | {"levels": {"0": ["a", "b", "c"], "1": [1, 2, 3]}}
    )
    for levels in ({"9": ["a"]}, {"0": ["a", "a", "b"]}, {"0": []}, {"x": []}, [], {"0": "abc"}):
        with pytest.raises(ModelError, match="level"):
            Tree.from_dict(tree.to_dict() | {"levels": levels})


def test_the_error_names_a_level_that_json_cannot_hold() -> None:
    frame = pd.DataFrame({"age": pd.cut(pd.Series([1, 5, 9]), [0, 4, 10])})
    tree = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 1, 1]).tree_
    assert "age == (0, 4]" in str(tree)
    with pytest.raises(ModelError, match="of 'age' cannot be written to JSON exactly"):
        export.to_json(tree)


def test_python_programs_predict_as_the_tree() -> None:
    rng = np.random.default_rng(3)
    features: set[str] = set()
    for _ in range(30):
        frame = pd.DataFrame(
            {
                "a": rng.choice(["x", "y", "it's", None], 12),
                "b": pd.Categorical(rng.choice(["u", "v"], 12)),
                "c": rng.choice([0.5, 2.0, NAN], 12),
            }
        )
        labels = rng.permutation(np.arange(12) % 3)
        tree = OptimalTreeClassifier(max_depth=3, max_size=4).fit(frame, labels).tree_
        names: dict[str, Any] = {}
        exec(export.to_python(tree), names)
        rows = frame.astype(object).to_numpy().tolist()
        assert [names["predict"](row) for row in rows] == tree.predict(frame).tolist()
        rows = [[NAN if row[0] is None else row[0], *row[1:]] for row in rows]
        assert [names["predict"](row) for row in rows] == tree.predict(frame).tolist()
        lines = export.to_python(tree).split("\n")
        features |= {line.split()[1] for line in lines if " if " in line}
    assert len(features) > 2, "all three features are used"


def test_random_tables_have_the_cost_of_the_definition() -> None:
    rng = np.random.default_rng(4)
    by_level = 0
    for _ in range(60):
        rows = int(rng.integers(3, 8))
        frame = pd.DataFrame(
            {
                "a": pd.Categorical(rng.choice(["x", "y", "z"], rows)),
                "b": rng.choice([0.5, 2.0, NAN], rows),
            }
        )
        problem = Problem(frame, rng.integers(0, 2, rows), limits=Limits(max_depth=2))
        outcome = solve(problem)
        assert outcome.cost == min_cost(problem).cost
        assert outcome.tree is not None
        wrong = outcome.tree.predict(frame) != problem.dataset.classes[problem.dataset.labels]
        assert wrong.sum() == outcome.cost
        by_level += "==" in outcome.tree.comparison
    assert by_level > 10


def test_trees_made_from_an_ensemble_keep_its_levels() -> None:
    frame = FRAME.dropna()
    labels = [y for y, kept in zip(Y, FRAME.notna().all(axis=1), strict=True) if kept]
    ensemble = OptimalEnsembleClassifier(2).fit(frame, labels).ensemble_
    assert ensemble.to_tree().levels == ensemble.to_tree(frame, labels).levels == ensemble.levels
    smaller = smallest_equal_tree(ensemble).tree
    assert smaller is not None
    assert smaller.predict(frame).tolist() == labels


def test_an_estimator_without_support_for_text_refuses_it() -> None:
    with pytest.raises(ValueError, match="column 'colour', row 0: 'red' is text"):
        BoundPrunedTreeClassifier().fit(FRAME[["colour"]].dropna(), Y[:6])
