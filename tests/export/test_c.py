"""to_c: the compiled function predicts like the model; names cannot become code."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactree.export import to_c
from exactree.trees import Ensemble, Tree

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
compiled = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def run(model: Tree | Ensemble, X: np.ndarray, folder: Path) -> list[int]:
    """Compile the function without a warning and return the numbers of the predicted classes."""
    assert COMPILER is not None
    path = folder / f"tree{len(list(folder.iterdir()))}.c"
    path.write_text(to_c(model), encoding="utf-8")
    library = path.with_suffix(".so")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    subprocess.run(
        [COMPILER, *strict, "-shared", "-fPIC", "-o", str(library), str(path)], check=True
    )
    predict = ctypes.CDLL(str(library)).predict
    predict.argtypes = [ctypes.POINTER(ctypes.c_double)]
    row_type = ctypes.c_double * X.shape[1]
    return [predict(row_type(*row)) for row in X.tolist()]


@compiled
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_every_row_gets_the_prediction_of_the_model(
    fitted_table: Any, voting: Any, rows_and_neighbours: Any, tmp_path: Path, data: Any
) -> None:
    case = data.draw(fitted_table())
    rows = rows_and_neighbours(case.dataset.X, [case.tree])
    assert run(case.tree, rows, tmp_path) == case.tree.predict_index(rows).tolist()
    ensemble, dataset = data.draw(voting())
    rows = rows_and_neighbours(dataset.X, ensemble.trees)
    assert run(ensemble, rows, tmp_path) == ensemble.predict_index(rows).tolist()


def test_the_program_of_a_small_tree(small_tree: Tree) -> None:
    assert to_c(small_tree) == (
        "/* Returns the index of the class of a row of features:\n"
        " *   0: flat\n *   1: long\n *   2: round\n"
        " * Compares in float64; rounding features to float32 changes the leaf of no training "
        "row.\n"
        " */\n"
        "int predict(const double *x)\n{\n"
        "    if (x[0] <= 2.5) { /* length */\n"
        "        return 2; /* round */\n    }\n"
        "    if (x[1] <= 1.75) { /* width */\n"
        "        return 1; /* long */\n    }\n"
        "    return 0; /* flat */\n}\n"
    )


ALL_ROWS = """
void predict_all(const double *rows, long n, int d, %s *answers)
{
    for (long k = 0; k < n; k++) {
        answers[k] = predict(rows + k * d);
    }
}
"""


@compiled
@pytest.mark.parametrize(
    "name",
    [
        "leaf",
        "numbers",
        "missing",
        "codes",
        "sets",
        "hyperplanes",
        "curves",
        "regression",
        "ensemble",
    ],
)
def test_a_million_rows_get_the_prediction_of_the_model(
    zoo: Any, name: str, tmp_path: Path
) -> None:
    case = zoo[name]
    rows = np.ascontiguousarray(case.rows(1_000_000))
    path = tmp_path / "model.c"
    kind = "double" if name == "regression" else "int"
    path.write_text(to_c(case.model) + ALL_ROWS % kind, encoding="utf-8")
    library = path.with_suffix(".so")
    flags = ["-std=c99", "-O2", "-shared", "-fPIC"]
    subprocess.run([str(COMPILER), *flags, "-o", str(library), str(path)], check=True)
    answers = np.empty(len(rows), dtype=np.float64 if kind == "double" else np.intc)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (rows, answers)]
    count, columns = ctypes.c_long(len(rows)), ctypes.c_int(rows.shape[1])
    ctypes.CDLL(str(library)).predict_all(pointers[0], count, columns, pointers[1])
    expected = case.model.predict_index(rows)
    if name == "regression":  # its classes are the distinct numbers that the tree predicts
        expected = case.model.classes[expected]
    assert (answers == expected).all()


@compiled
def test_hostile_names_stay_in_comments(hostile_tree: Tree, tmp_path: Path) -> None:
    names = ("*/ evil(); /*", *hostile_tree.feature_names[1:])
    fields = {name: getattr(hostile_tree, name) for name in hostile_tree.__dataclass_fields__}
    tree = Tree(**{**fields, "feature_names": names})
    X = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    for model in (tree, Ensemble((tree, tree))):
        assert run(model, X, tmp_path) == model.predict_index(X).tolist()


@compiled
def test_a_single_leaf_returns_its_class(single_leaf: Tree, tmp_path: Path) -> None:
    assert run(single_leaf, np.zeros((1, 1)), tmp_path) == [1]
