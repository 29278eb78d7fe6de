"""Exporters send missing values to the same child as `predict`, and show where they go."""

import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import Ensemble, Limits, OptimalTreeRegressor, Problem, Tree, export, solve
from exactree.trees import RegressionTree

HERE = Path(__file__).parent
NAN = np.nan


def fitted(rng: np.random.Generator, codes: bool = True) -> Tree:
    """Return an optimal tree for a random table in which values may be missing."""
    X = rng.integers(0, 4, (12, 3)).astype(float)
    X[rng.random(X.shape) < rng.choice([0.0, 0.3, 0.5])] = NAN
    y = rng.permutation(np.arange(12) % 3)
    limits = Limits(max_depth=3, max_size=5)
    problem = Problem(X, y, categories=[0] if codes else None, limits=limits)
    tree = solve(problem).tree
    assert tree is not None
    return tree


def rows(rng: np.random.Generator) -> np.ndarray:
    X = rng.integers(-1, 5, (60, 3)).astype(float)
    X[rng.random(X.shape) < 0.4] = NAN
    return X


def in_python(model: Tree | Ensemble, X: np.ndarray) -> list[Any]:
    names: dict[str, Any] = {}
    exec(export.to_python(model), names)
    return [names["predict"](row) for row in X.tolist()]


def in_sql(model: Tree | Ensemble, X: np.ndarray) -> list[Any]:
    # SQLite stores NaN as NULL.
    run = runpy.run_path(str(HERE / "test_sql_expression.py"))["run"]
    answers: list[Any] = run(model, X, ("x0", "x1", "x2"))
    return answers


@pytest.mark.parametrize("run", [in_python, in_sql])
def test_programs_predict_as_the_model(run: Any) -> None:
    rng = np.random.default_rng(5)
    # Direction of missing values, comparison, whether the split is on missing values alone.
    kinds_of_nodes = set()
    for _ in range(40):
        trees = (fitted(rng), fitted(rng))
        X = rows(rng)
        for tree in trees:
            assert run(tree, X) == tree.predict(X).tolist()
            columns = (tree.missing, tree.comparison, np.isinf(tree.threshold))
            kinds_of_nodes |= set(zip(*(column.tolist() for column in columns), strict=True))
        ensemble = Ensemble(trees)
        assert run(ensemble, X) == ensemble.predict(X).tolist()
    assert kinds_of_nodes >= {
        ("left", "==", False),
        ("right", "<=", False),
        ("left", "<=", True),
    }


def test_c_predicts_as_the_model(tmp_path: Path) -> None:
    c = runpy.run_path(str(HERE / "test_c.py"))
    if c["COMPILER"] is None:
        pytest.skip("there is no C compiler")
    rng = np.random.default_rng(6)
    for _ in range(6):
        ensemble = Ensemble(tuple(fitted(rng) for _ in range(9)))
        X = rows(rng)
        assert c["run"](ensemble, X, tmp_path) == ensemble.predict_index(X).tolist()


def test_scikit_learn_predicts_as_the_model() -> None:
    rng = np.random.default_rng(7)
    trees = [fitted(rng, codes=False) for _ in range(20)]
    assert any(np.isinf(tree.threshold).any() for tree in trees)
    for tree in trees:
        X = rows(rng)
        model = export.to_sklearn(tree, X)
        assert model.apply(X).tolist() == tree.apply(X).tolist()
        assert model.predict(X).tolist() == tree.predict(X).tolist()
    ensemble, X = Ensemble(tuple(trees)), rows(rng)
    assert export.to_sklearn(ensemble, X).predict(X).tolist() == ensemble.predict(X).tolist()


def test_regression_trees_keep_missing_values() -> None:
    X = np.array([[1.0], [2.0], [NAN], [NAN]])
    model = OptimalTreeRegressor(max_depth=2).fit(X, [1.0, 5.0, 9.0, 9.0])
    tree = model.tree_
    assert model.predict([[NAN], [0.0], [9.0]]).tolist() == [9.0, 1.0, 5.0]
    assert isinstance(export.from_json(export.to_json(tree)), RegressionTree)
    assert export.from_json(export.to_json(tree)) == tree
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.to_sklearn(X).predict(X).tolist() == [1.0, 5.0, 9.0, 9.0]
    absolute = OptimalTreeRegressor("absolute_error", max_depth=2).fit(X, [1.0, 5.0, 9.0, 9.0])
    with pytest.raises(ValueError, match="scikit-learn takes none where it minimizes absolute err"):
        absolute.tree_.to_sklearn(X)


def test_splits_on_missing_values_are_shown() -> None:
    X = [[1.0, 0.0], [NAN, 0.0], [5.0, NAN], [5.0, 1.0], [6.0, NAN], [6.0, 1.0]]
    y = ["low", "low", "gone", "high", "gone", "high"]
    tree = solve(Problem(X, y, limits=Limits(max_depth=2))).tree
    assert tree is not None
    shown = export.to_text(tree)
    assert shown.startswith("x0 <= 3 or missing\n")
    assert "x1 is missing" in shown
    for name in ("dot", "svg"):
        text = export.EXPORTERS[name](tree)
        assert "missing" in text
        assert "inf" not in text
    pytest.importorskip("matplotlib")
    drawn = [text.get_text() for text in export.plot_tree(tree).texts]
    assert any("missing" in text for text in drawn)


def test_region_plots_have_a_strip_for_missing_values() -> None:
    tree = solve(Problem([[0.0, 1.0], [1.0, 0.0]], [0, 1], limits=Limits(max_depth=1))).tree
    assert tree is not None
    ax = export.plot_regions(tree, [[NAN, 1.0]])
    assert [tick.get_text() for tick in ax.get_xticklabels(minor=True)] == ["missing"]
    pytest.importorskip("matplotlib.pyplot").close(ax.figure)
