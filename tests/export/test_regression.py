"""Regression trees in every form: exported models predict the same numbers."""

import json
import re
import shutil
import sqlite3
import subprocess
import warnings
import xml.etree.ElementTree as ElementTree
from ctypes import CDLL, POINTER, c_double
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.tree import DecisionTreeRegressor

from exactree import Limits, Problem, RegressionTree, export, rules, solve
from exactree.testing import regressions

QUICK = settings.get_current_profile_name() == "quick"

X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 8.0], [3.0, 9.0]])
Y = [0.1, 0.2, 5.0, 5.5]
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def solved(**arguments: Any) -> RegressionTree:
    arguments = {"minimize": "squared_error", "limits": Limits(max_size=2)} | arguments
    tree = solve(Problem(X, Y, **arguments), "branch-and-bound", "spec").tree
    assert isinstance(tree, RegressionTree)
    return tree


TREES = {
    "leaf": solved(limits=Limits(max_size=0)),
    "means": solved(sample_weight=[0.3, 1, 2, 1]),
    "medians": solved(minimize="absolute_error"),
    "codes": solved(categories=[1]),
    "lines": solved(rules=rules.Hyperplanes()),
}


def many_rows() -> np.ndarray:
    """Return the training rows, and rows of random numbers and integers around their range."""
    rng = np.random.default_rng(0)
    return np.concatenate([X, rng.uniform(-1, 10, (50, 2)), rng.integers(0, 10, (50, 2))])


def test_text_reports_numbers_and_their_errors() -> None:
    assert str(TREES["means"]) == (
        "x0 <= 1\n"
        "├─ yes: 0.176923      2 examples of weight 1.3, standard deviation 0.04213\n"
        "└─ no:  x0 <= 2\n"
        "        ├─ yes: 5     1 example of weight 2, standard deviation 0\n"
        "        └─ no:  5.5   1 example, standard deviation 0"
    )
    assert str(TREES["leaf"]) == "2.7   4 examples, standard deviation 2.556"
    assert "mean absolute deviation" in str(TREES["medians"])


@pytest.mark.parametrize("name", TREES)
def test_python_and_sql_predict_the_same_numbers(name: str) -> None:
    tree = TREES[name]
    rows = many_rows()
    space: dict[str, Any] = {}
    exec(export.to_python(tree), space)
    expected = tree.predict(rows).tolist()
    assert [space["predict"](row) for row in rows.tolist()] == expected
    database = sqlite3.connect(":memory:")
    database.execute('CREATE TABLE t ("x0" DOUBLE, "x1" DOUBLE)')
    database.executemany("INSERT INTO t VALUES (?, ?)", rows.tolist())
    answers = database.execute(
        f"SELECT {export.to_sql_expression(tree)} FROM t ORDER BY rowid"
    ).fetchall()
    assert [float(answer) for (answer,) in answers] == expected


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", TREES)
def test_c_predicts_the_same_numbers(name: str, tmp_path: Path) -> None:
    tree = TREES[name]
    rows = many_rows()
    path = tmp_path / "tree.c"
    path.write_text(export.to_c(tree), encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    library = path.with_suffix(".so")
    subprocess.run(
        [str(COMPILER), *strict, "-shared", "-fPIC", "-o", str(library), str(path)], check=True
    )
    predict = CDLL(str(library)).predict
    predict.argtypes, predict.restype = [POINTER(c_double)], c_double
    row_type = c_double * 2
    assert [predict(row_type(*row)) for row in rows.tolist()] == tree.predict(rows).tolist()


@settings(max_examples=20 if QUICK else 40, deadline=None)
@given(problem=regressions(max_rows=6))
def test_scikit_learn_predicts_the_same_numbers(problem: Problem) -> None:
    tree = solve(problem, "branch-and-bound", "spec").tree
    if tree is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values that float32 does not distinguish
        model = tree.to_sklearn(problem.dataset.X)
    assert isinstance(model, DecisionTreeRegressor)
    assert (model.get_depth(), model.get_n_leaves()) == (tree.depth, tree.leaves)
    assert model.tree_.value.shape == (tree.node_count, 1, 1)
    X = problem.dataset.X
    if (np.abs(X) < 1e30).all() and (X.astype(np.float32) == X).all():
        assert model.predict(X).tolist() == tree.predict(problem.dataset.X).tolist()
        leaves = np.unique(tree.apply(problem.dataset.X))
        impurity = tree.errors[leaves] / tree.weight[leaves]
        assert model.tree_.impurity[leaves].tolist() == impurity.tolist()


def test_scikit_learn_gets_the_names_of_features() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b"])
    problem = Problem(frame, Y, minimize="squared_error", limits=Limits(max_depth=1))
    tree = solve(problem, implementation="spec").tree
    assert tree is not None
    model = tree.to_sklearn()
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.predict(frame).tolist() == tree.predict(frame).tolist()
    assert model.criterion == "squared_error"


@pytest.mark.parametrize("name", TREES)
def test_json_restores_the_tree(name: str) -> None:
    written = export.to_json(TREES[name])
    assert export.from_json(written) == TREES[name]
    assert json.loads(written)["version"] == 4


@pytest.mark.parametrize("name", TREES)
def test_pictures_colour_leaves_by_their_numbers(name: str) -> None:
    tree = TREES[name]
    picture = export.to_svg(tree)
    ElementTree.fromstring(picture)
    dot = export.to_dot(tree)
    colours = re.findall(r'color="(#[0-9a-f]{6})", penwidth', dot)
    assert len(colours) == tree.leaves
    assert len(set(colours)) == len(set(tree.value[tree.children_left < 0, 0].tolist()))
    assert all(f'stroke="{colour}"' in picture for colour in colours)
    for text in (picture, dot, export.to_html(tree)):
        assert "deviation" in text
    axes = export.plot_tree(tree)
    assert any("deviation" in text.get_text() for text in axes.texts)
    pytest.importorskip("matplotlib.pyplot").close(axes.figure)


def test_regions_of_numbers_have_a_scale() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    for y in (None, Y):
        axes = export.plot_regions(TREES["means"], X, y)
        drawn = axes.collections[0].get_array()
        assert set(np.unique(drawn)) <= set(TREES["means"].value[:, 0])
        assert len(axes.figure.axes) == 2  # the picture and its scale of colours
        pyplot.close(axes.figure)
