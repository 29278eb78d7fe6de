"""`exactree bound`: Figure 3 of paper 003 as text, JSON and picture; bounds of a model."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

import exactree as xt
from exactree.cli.encoding import CsvColumn, Encoding
from exactree.cli.model_file import SavedModel
from exactree.rules import AxisParallel, Hyperplanes, Mixed
from exactree.theory import (
    Features,
    TreeShape,
    shape_of,
    vc_bounds,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

from .conftest import Run


def test_the_figure_is_printed_with_a_bar_for_each_bound(run: Run) -> None:
    result = run("bound", "--figure")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["leaves", "depth", "lower", "upper"]
    assert [line.split()[:4] for line in lines[1:3]] == [["1", "0", "1", "1"], ["2", "1", "6", "6"]]
    assert len(lines) == 12
    for line, bound in zip(lines[1:], vc_bounds(), strict=True):
        assert line.count("#") == bound.upper - bound.lower + 1


def test_the_figure_is_drawn_and_printed_as_json(run: Run, tmp_path: Path) -> None:
    result = run("bound", "--figure", "--features", "2", "--depth", "1", "--json", "-o", "f.svg")
    assert json.loads(result.stdout) == [
        {"shape": ".", "leaves": 1, "depth": 0, "lower": 1, "upper": 1},
        {"shape": "(.,.)", "leaves": 2, "depth": 1, "lower": 3, "upper": 3},
    ]
    assert (tmp_path / "f.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_bounds_of_a_model_depend_on_the_number_of_features(run: Run, fruit: Path) -> None:
    """By default this is the number of features of the model: three."""
    run("fit", fruit, "--target", "kind", "--max-depth", "1", "-o", "model.json")
    bounds = json.loads(run("bound", "model.json", "--json").stdout)
    assert bounds == [{"shape": "(.,.)", "leaves": 2, "depth": 1, "lower": 4, "upper": 4}]
    with_ten_features = json.loads(run("bound", "model.json", "--features", "10", "--json").stdout)
    assert with_ten_features[0]["upper"] == 6


def test_either_a_model_or_the_figure_is_required(run: Run) -> None:
    for command in (["bound"], ["bound", "model.json", "--figure"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "give either a MODEL or --figure." in result.stderr


def test_the_bound_of_a_tree_with_codes_needs_the_numbers_of_categories(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("x,z,y\n1,1,a\n2,1,b\n3,1,a\n", encoding="utf-8")
    command = ["fit", "t.csv", "--target", "y", "--categories", "x", "-o", "codes.json"]
    assert run(*command).exit_code == 0
    result = run("bound", "codes.json")
    assert result.exit_code == 1
    assert "the tree splits on codes of 1 feature; give the numbers of categories" in result.stderr
    bounds = json.loads(run("bound", "codes.json", "--nominal", "3", "--json").stdout)
    assert bounds == [{"shape": "(.,.)", "leaves": 2, "depth": 1, "lower": 2, "upper": 3}]
    without_numbers = ("bound", "codes.json", "--nominal", "2", "--features", "0", "--json")
    assert json.loads(run(*without_numbers).stdout)[0]["upper"] == 2


def test_a_tree_that_splits_on_several_levels_is_refused(run: Run, tmp_path: Path) -> None:
    """The bounds hold for splits on one category; `fit` writes no other, but the library can."""
    X, y = [[0], [1], [2], [3]], ["a", "b", "a", "b"]
    rules, limits = AxisParallel(level_sets=True), xt.Limits(max_size=1)
    tree = xt.solve(xt.Problem(X, y, categories=[0], rules=rules, limits=limits)).tree
    assert tree is not None
    assert tree.level_sets
    named = replace(tree, feature_names=("x",), named=True)
    SavedModel("y", Encoding((CsvColumn("x"),)), named, {}).write(tmp_path / "sets.json")
    result = run("bound", "sets.json", "--nominal", "4")
    assert result.exit_code == 1
    assert "splits on several levels of 'x', and exactree bound accepts" in result.stderr


def test_the_bounds_of_a_tree_of_surfaces_are_those_of_the_theory(run: Run, tmp_path: Path) -> None:
    """All surfaces of its degree in its features count, not only those that it uses."""
    rng = np.random.default_rng(0)
    X = rng.random((14, 3)).round(3)
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    rows = [f"{a},{b},{c},{label}" for (a, b, c), label in zip(X.tolist(), y.tolist(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,y", *rows]), encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "y", "--max-depth", 1, "--quiet", "-o", "lines.json")
    assert run(*fit, "--rules", "hyperplanes", "--features", "a,b").exit_code == 0
    stump = TreeShape(TreeShape(), TreeShape())
    for options, terms in (((), 3), (("--features", 2), 2)):
        [found] = json.loads(run("bound", "lines.json", *options, "--json").stdout)
        features = Features(surfaces=(terms,))
        assert found["upper"] == vc_dimension_upper_bound(stump, features) == terms + 1
        assert found["lower"] == vc_dimension_lower_bound(stump, features)
    curve = (*fit[:-1], "curve.json", "--rules", "degree-two", "--features", "a,b")
    assert run(*curve).exit_code == 0
    [found] = json.loads(run("bound", "curve.json", "--features", 2, "--json").stdout)
    assert found["upper"] == vc_dimension_upper_bound(stump, Features(surfaces=(5,))) == 6


def test_a_mixed_tree_counts_thresholds_and_surfaces(run: Run, tmp_path: Path) -> None:
    family = Mixed([AxisParallel(), Hyperplanes()])
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [3, 0], [3, 1]]
    problem = xt.Problem(X, [0, 1, 1, 0, 2, 2], rules=family, limits=xt.Limits(max_depth=3))
    tree = xt.solve(problem).tree
    assert tree is not None
    tree = replace(tree, feature_names=("a", "b"), named=True)
    SavedModel("y", Encoding((CsvColumn("a"), CsvColumn("b"))), tree, {}).write(tmp_path / "m.json")
    inner = tree.feature[tree.children_left >= 0]
    has_thresholds = bool((inner < 2).any())
    features = Features(2 if has_thresholds else 0, surfaces=(2,))
    [found] = json.loads(run("bound", "m.json", "--json").stdout)
    assert found["upper"] == vc_dimension_upper_bound(shape_of(tree), features)


def test_the_figure_can_be_about_nominal_features(run: Run) -> None:
    command = ["bound", "--figure", "--features", "0", "--nominal", "3, 5", "--depth", "1"]
    upper = [line.split()[3] for line in run(*command).stdout.splitlines()[1:]]
    assert upper == [str(bound.upper) for bound in vc_bounds(1, Features(nominal=(3, 5)))]
    refused = run("bound", "--figure", "--nominal", "3,none")
    assert refused.exit_code == 2
    assert "'3,none' is not a list of integers >= 1" in refused.stderr
