"""Programs of trees with surfaces predict like the tree, to the last digit of every sum."""

import ctypes
import runpy
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.export import EXPORTERS, to_c, to_python, to_sklearn, to_sql_expression
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule
from exactree.trees import Ensemble

HERE = Path(__file__).parent
# Functions that predict by the written program, from the tests of these exporters.
RUN = {
    name: runpy.run_path(str(HERE / f"test_{name}.py"))["run"]
    for name in ("python", "sql_expression")
}
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
compiled = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
FAMILIES = [
    Hyperplanes(),
    Hypersurfaces(2),
    Mixed([AxisParallel(), Hyperplanes([0, 1]), Hypersurfaces(3, features=[1])]),
]


def solved(rules, seed: int, depth: int = 2) -> tuple[xt.Tree, np.ndarray]:
    """Return a tree of a table of tenths, and rows: the table's, random ones, and random tenths."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 10, size=(9, 2)) / 10
    y = rng.integers(0, 3, size=9)
    tree = xt.solve(xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=depth))).tree
    rows = np.concatenate(
        [X, rng.uniform(-1, 2, size=(200, 2)), rng.integers(-5, 15, (200, 2)) / 10]
    )
    return tree, rows


def answers_in_c(model, X: np.ndarray, folder: Path, flags=("-std=c99", "-pedantic")) -> list[int]:
    """Compile without a warning and return the numbers of the predicted classes."""
    path = folder / f"tree{len(list(folder.iterdir()))}.c"
    path.write_text(to_c(model), encoding="utf-8")
    library = path.with_suffix(".so")
    strict = ["-Wall", "-Wextra", "-Werror", *flags]
    subprocess.run(
        [COMPILER, *strict, "-shared", "-fPIC", "-o", str(library), str(path)], check=True
    )
    predict = ctypes.CDLL(str(library)).predict
    predict.argtypes = [ctypes.POINTER(ctypes.c_double)]
    row_type = ctypes.c_double * X.shape[1]
    return [predict(row_type(*row)) for row in X.tolist()]


@pytest.mark.parametrize("rules", FAMILIES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_python_and_sql_predict_like_the_tree(rules, seed: int) -> None:
    tree, rows = solved(rules, seed)
    assert len(tree.surfaces)
    assert RUN["python"](tree, rows) == tree.predict(rows).tolist()
    assert RUN["sql_expression"](tree, rows, tree.feature_names) == tree.predict(rows).tolist()
    both = Ensemble((tree, tree))
    assert RUN["python"](both, rows) == both.predict(rows).tolist()
    assert RUN["sql_expression"](both, rows, tree.feature_names) == both.predict(rows).tolist()


@compiled
@pytest.mark.parametrize("rules", FAMILIES)
def test_c_predicts_like_the_tree(rules, tmp_path: Path) -> None:
    tree, rows = solved(rules, 3)
    assert answers_in_c(tree, rows, tmp_path) == tree.predict_index(rows).tolist()
    both = Ensemble((tree, tree))
    assert answers_in_c(both, rows, tmp_path) == both.predict_index(rows).tolist()


def tree_with_sums_near_the_threshold() -> tuple[xt.Tree, np.ndarray]:
    """Return a tree, and rows whose sums are equal to its threshold or next to it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    X[:, 2] = (1.0 - X[:, 0] * 0.1 - X[:, 1] * 0.7) / 0.3
    rule = SurfaceRule.linear((0.1, 0.7, 0.3), float(np.nextafter(1.0, 0.0)))
    left = rule.holds(X)
    tree = xt.solve(xt.Problem(X, left.astype(int), rules=FixedRules([rule]))).tree
    assert (tree.predict_index(X) == left).all()
    assert 20 < left.sum() < 380
    return tree, X


@compiled
def test_sums_are_rounded_as_by_predict(tmp_path: Path) -> None:
    """Another order of the terms, or a fused product, would send many rows to the other child."""
    tree, rows = tree_with_sums_near_the_threshold()
    expected = tree.predict_index(rows).tolist()
    assert RUN["python"](tree, rows) == expected
    assert RUN["sql_expression"](tree, rows, tree.feature_names) == expected
    assert answers_in_c(tree, rows, tmp_path) == expected
    assert answers_in_c(tree, rows, tmp_path, ("-O3",)) == expected
    info = Path("/proc/cpuinfo")
    if info.is_file() and " fma " in info.read_text("utf-8"):
        assert answers_in_c(tree, rows, tmp_path, ("-O3", "-mfma")) == expected


@compiled
def test_sums_that_are_nan_go_right(tmp_path: Path) -> None:
    """The difference of two infinities is NaN. Several labelings, so that trees differ in shape."""
    rules = [SurfaceRule.linear((1e200, -1e200), 0.5), SurfaceRule.linear((1, 0), 0.5)]
    X = np.array([[0, 1], [1, 0], [0.2, 0.1], [0, 2], [2, 0]])
    hostile = np.array([[1e200, 1e200], [-1e200, 1e200], [1e200, -1e200]])
    for y in ([0, 1, 2, 0, 1], [0, 1, 1, 2, 1], [1, 0, 2, 1, 0]):
        limits = xt.Limits(max_depth=2)
        tree = xt.solve(xt.Problem(X, y, rules=FixedRules(rules), limits=limits)).tree
        rows = np.concatenate([X, hostile])
        assert RUN["python"](tree, rows) == tree.predict(rows).tolist()
        assert answers_in_c(tree, rows, tmp_path) == tree.predict_index(rows).tolist()


def test_the_programs_show_sums_in_order() -> None:
    rules = FixedRules([SurfaceRule(((1, 0), (1, 1), (0, 2)), (0.5, 0.0, -1.25), 0.75)])
    X = np.array([[0, 1], [2, 0]])
    tree = xt.solve(xt.Problem(X, [0, 1], rules=rules)).tree
    assert "if x[0] * 0.5 + x[1] * x[1] * -1.25 <= 0.75:  # 0.5·x0 - 1.25·x1^2\n" in to_python(tree)
    assert '"x0" * 0.5E0 + "x1" * "x1" * -1.25E0 <= 0.75E0' in to_sql_expression(tree)
    assert "x[0] * 0x1.0000000000000p-1 + x[1] * x[1] * -0x1.4" in to_c(tree)
    assert "contract" not in to_c(xt.solve(xt.Problem(X, [0, 1])).tree)


@pytest.mark.parametrize("convert", [to_sklearn, xt.smallest_equal_tree])
def test_forms_without_surfaces_recommend_to_python_in_one_sentence(convert) -> None:
    message = r"^(a tree of scikit-learn|the smallest equal tree) has one feature at .*to_python"
    with pytest.raises(ValueError, match=message) as refusal:
        convert(solved(Hyperplanes(), 0)[0])
    assert str(refusal.value).count(". ") == 0


def test_every_other_exporter_accepts_surfaces() -> None:
    tree, _ = solved(Hypersurfaces(2), 1)
    for name, export in EXPORTERS.items():
        if name not in ("sklearn", "spreadsheet", "treelite"):
            assert export(tree) is not None
