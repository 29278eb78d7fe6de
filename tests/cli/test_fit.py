"""`exactree fit`: output, files and exit codes."""

import csv
import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import Result

from exactree.trees import Tree

from .conftest import FRUIT, Run


def printed(result: Result) -> dict[str, object]:
    """Return the JSON object that a run has printed."""
    content = json.loads(result.stdout)
    assert isinstance(content, dict)
    return content


def test_the_tree_and_the_proof_are_printed(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--max-depth", 1)
    assert result.exit_code == 0
    assert "x <= 2\n" in result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.startswith("optimal, proved in ")
    assert last.endswith(" s: 1 error, lower bound 1")


def test_the_result_of_a_specification_has_no_time(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--implementation", "spec")
    assert result.stdout.splitlines()[-1] == "optimal, proved: 0 errors, lower bound 0"


def test_the_model_and_the_picture_are_written(run: Run, fruit: Path, tmp_path: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "-o", "m.json", "--plot", "tree.svg")
    assert result.exit_code == 0
    assert "model: m.json\npicture: tree.svg\n" in result.stdout
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").lstrip().startswith("<")
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    tree = Tree.from_dict(content["tree"])
    assert tree.feature_names == ("x", "size", "colour")
    assert content["result"]["status"] == "optimal"
    assert content["result"]["cost"] == content["result"]["lower_bound"] == 0

    assert run("fit", fruit, "--target", "kind", "--plot", "tree.dot").exit_code == 0
    assert "digraph" in (tmp_path / "tree.dot").read_text(encoding="utf-8")


def test_with_json_only_one_object_is_printed(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--max-depth", 1, "--json", "-o", "m.json")
    assert result.stderr == ""
    content = printed(result)
    assert content.pop("seconds") >= 0  # type: ignore[operator]
    assert content == {
        "status": "optimal",
        "cost": 1,
        "lower_bound": 1,
        "gap": 0.0,
        "stopped_by": None,
        "reason": None,
        "problem": "the fewest errors of all trees with at most 1 node on a path, whose nodes "
        "compare one feature with a threshold or test for one level of a category",
        "errors": 1.0,
        "depth": 1,
        "leaves": 2,
        "model": "m.json",
        "picture": None,
        "certificate": None,
    }


def test_quiet_prints_nothing(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--quiet", "--plot", "tree.svg")
    assert (result.exit_code, result.output) == (0, "")


def test_no_progress_is_written_to_a_pipe(run: Run, raisin: Path) -> None:
    result = run("fit", raisin, "--target", "Class", "--max-depth", 2)
    assert (result.exit_code, result.stderr) == (0, "")


def test_columns_of_text_are_reported(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind")
    assert result.stderr == "exactree: column 'colour' is text with 2 levels\n"


def test_text_becomes_levels(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,y\na,0\nb,1\nc,0\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--max-depth", 1, "-o", "m.json")
    assert "c == b" in result.stdout
    assert "0 errors" in result.stdout
    (tmp_path / "new.csv").write_text("c\nb\nz\n", encoding="utf-8")
    assert run("predict", "m.json", "new.csv").stdout == "y\n1\n0\n"  # z equals no level
    for form, shown in (("sql", "'b'"), ("dot", "c == b"), ("python", "'b'"), ("json", '"levels"')):
        assert shown in run("show", "m.json", "--format", form).stdout


def test_a_column_may_have_hundreds_of_levels(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"w{i},{int(i == 7)}\n" for i in range(300))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    assert "x == w7" in run("fit", "t.csv", "--target", "y", "--max-depth", 1).stdout


@pytest.mark.parametrize("missing", ["", "NA", "nan", "?", "None"])
def test_cells_without_a_value_are_missing_values(run: Run, tmp_path: Path, missing: str) -> None:
    rows = f"a,1,no\n{missing},2,yes\nb,{missing},no\na,3,no\n{missing},{missing},yes\n"
    (tmp_path / "t.csv").write_text("c,x,y\n" + rows, encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "-o", "m.json", "--cart")
    assert "c is missing" in result.stdout
    assert "optimal, proved" in result.stdout
    predicted = run("predict", "m.json", "t.csv")
    assert predicted.stdout == "y\nno\nyes\nno\nno\nyes\n"
    assert predicted.stderr == "exactree: 0 of 5 rows are misclassified\n"


def test_a_column_without_values_is_not_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,x,y\n,1,0\n,2,1\n", encoding="utf-8")
    assert "x <= 1\n" in run("fit", "t.csv", "--target", "y").stdout


def test_hyperplanes_refuse_missing_values(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,y\n1,1,0\n,2,1\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--rules", "hyperplanes")
    assert result.exit_code == 1
    assert "take no missing values" in result.stderr
    assert result.stderr.count("\n") == 2


def test_a_stopped_search_is_resumed_and_its_model_is_an_incumbent(
    run: Run, raisin: Path, tmp_path: Path
) -> None:
    fit = ("fit", raisin, "--target", "Class", "--max-depth", 3, "--json")
    stopped = run(*fit, "--resume", "run.json", "--time-limit", 0.01, "-o", "m.json")
    assert stopped.exit_code == 3
    assert (tmp_path / "run.json").exists()
    with_incumbent = run(*fit, "--incumbent", "m.json", "--time-limit", 0.001)
    assert printed(with_incumbent)["cost"] <= printed(stopped)["cost"]
    resumed = printed(run(*fit, "--resume", "run.json"))
    assert resumed["status"] == "optimal"
    assert resumed["cost"] <= printed(stopped)["cost"]


def test_an_ensemble_is_the_incumbent_of_a_search_for_ensembles(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{a},{b},{'ny'[(a + b) % 3 % 2]}\n" for a in range(4) for b in range(3))
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}", encoding="utf-8")
    fit = ["fit", "t.csv", "--target", "y", "--max-depth", 1, "--json"]
    two = [*fit, "--n-trees", 2, "--minimize", "errors"]
    first = printed(run(*two, "-o", "two.json"))
    again = run(*two, "--incumbent", "two.json", "--time-limit", 0.001)
    assert printed(again)["cost"] <= first["cost"]
    run(*fit, "-o", "one.json")
    assert "an ensemble is needed" in run(*two, "--incumbent", "one.json").output


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        (("--max-depth", 0), 2),
        (("--max-depth", "none"), 0),
        (("--max-depth", "none", "--max-size", 1), 1),
        (("--min-samples-leaf", 2), 0),
        (("--min-samples-leaf", 3), 1),
        (("--min-samples-leaf", "0.5"), 1),
        (("--min-samples-leaf", 4), 2),
        (("--max-errors", 1), 0),
        (("--leaf-penalty", "1/3"), 4),
        (("--leaf-penalty", "0.01"), "9/50"),
        (("--minimize", "size"), 2),
        (("--minimize", "size", "--max-errors", 1), 1),
        (("--minimize", "depth"), 2),
        (("--minimize", "errors,size", "--max-depth", 1), [1, 1]),
        (("--minimize", "size, errors", "--max-errors", "2"), [0, 2]),
        (("--minimize", "size", "--max-leaves-of", "apple=2"), 2),
        (("--minimize", "size", "--method", "witness"), 2),
        (("--max-depth", 0, "--class-weight", "apple=1/3", "--class-weight", "pear=5"), "4/3"),
        (("--max-depth", 0, "--class-weight", "balanced"), 3),
        (("--max-depth", 0, "--cost", "pear,apple=5"), 4),
        (("--max-depth", 0, "--cost", "pear,none=1/3", "--cost", "apple,none=0"), "2/3"),
        (("--max-depth", 0, "--minimize", "balanced_error"), "1/2"),
        # Six rows times 1 - (4/6)^2 - (2/6)^2; with smoothing the shares are 5/8 and 3/8.
        (("--minimize", "gini", "--max-depth", 1, "--max-size", 0), 16 / 6),
        (("--minimize", "gini", "--smoothing", "laplace", "--max-depth", 0), 6 * 30 / 64),
        (("--minimize", "f1_error", "--positive", "pear", "--max-depth", 0), "1/2"),
        (
            ("--minimize", "precision_error", "--min-recall", 1, "--max-depth", 1),
            "1/3",
        ),
        (("--implementation", "spec", "--max-leaves-of", "apple=1"), 1),
    ],
)
def test_options_of_the_problem_reach_the_search(
    run: Run, fruit: Path, options: tuple[object, ...], cost: int | float | str | list[int]
) -> None:
    result = run("fit", fruit, "--target", "kind", "--json", *options)
    assert result.exit_code == 0
    assert printed(result)["cost"] == printed(result)["lower_bound"] == cost


def test_the_default_depth_is_3_only_if_errors_come_first(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{x},{x % 2}\n" for x in range(9))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    content = printed(run("fit", "t.csv", "--target", "y", "--json"))
    assert (content["errors"], content["depth"]) == (1, 3)
    result = run("fit", "t.csv", "--target", "y", "--minimize", "size")
    assert "size 8 (0 errors, 9 leaves), lower bound 8" in result.stdout
    result = run("fit", "t.csv", "--target", "y", "--minimize", "size", "--max-depth", 3)
    assert result.exit_code == 4
    assert "no tree meets the limits: " in result.stderr


def test_leaves_of_integer_labels_can_be_limited(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n0,1\n1,2\n2,1\n", encoding="utf-8")
    words = ("--minimize", "size", "--max-leaves-of", "1=1", "--max-leaves-of", "2=3")
    result = run("fit", "t.csv", "--target", "y", *words)
    assert result.exit_code == 4
    assert "max_leaves_of={1: 1, 2: 3}" in result.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "0 errors"),
        (("--minimize", "depth"), "depth 2 (0 errors, 3 leaves)"),
        (("--minimize", "errors,size"), "0 errors, size 2 (3 leaves)"),
        (("--minimize", "gini", "--max-depth", 0), "gini 2.66667 (2 errors, 1 leaf)"),
        (("--cost", "apple,pear=2", "--max-depth", 0), "cost 2 (2 errors, 1 leaf)"),
    ],
)
def test_costs_are_in_the_words_of_python(
    run: Run, fruit: Path, options: tuple[object, ...], words: str
) -> None:
    shown = run("fit", fruit, "--target", "kind", *options).stdout.splitlines()[-1]
    assert shown.partition(" s: ")[2].rpartition(", lower bound ")[0] == words


def test_cost_with_a_penalty_is_reported(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--leaf-penalty", "0.01")
    assert "cost 0.18 (0 errors, 3 leaves), lower bound 0.18" in result.stdout
    # The penalty, times six rows, times three leaves.
    assert Fraction("0.01") * 6 * 3 == Fraction("0.18")


def test_errors_are_weighted_by_a_column(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,w,y\n0,5,a\n0,2,b\n1,0,b\n2,1,b\n", encoding="utf-8")
    content = printed(run("fit", "t.csv", "--target", "y", "--weights", "w", "--json"))
    assert content["cost"] == 2
    (tmp_path / "t.csv").write_text("x,w,y\n0,0.5,a\n0,0.25,b\n", encoding="utf-8")
    content = printed(run("fit", "t.csv", "--target", "y", "--weights", "w", "--json"))
    assert content["cost"] == "1/4"


def test_gzip_a_byte_order_mark_and_line_ends_of_windows_are_read(run: Run, tmp_path: Path) -> None:
    text = "\ufeff" + FRUIT.replace("\n", "\r\n")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode("utf-8")))
    content = printed(run("fit", "t.csv.gz", "--target", "kind", "--max-depth", 1, "--json"))
    assert content["cost"] == 1


def test_cart_has_at_least_the_errors_of_the_optimal_tree(run: Run, raisin: Path) -> None:
    result = run("fit", raisin, "--target", "Class", "--max-depth", 2, "--cart")
    rows = [line.split("│") for line in result.stdout.splitlines() if line[:1] == "│"]
    rows = [row for row in rows if len(row) > 5]  # without the lines of the tree
    errors = {row[1].strip(): int(row[2]) for row in rows}
    assert errors["exactree, proved"] == 91  # the optimum, as published by other solvers
    assert errors["CART, greedy"] >= 91


def test_cart_is_a_leaf_at_depth_0(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--max-depth", 0, "--cart")
    assert result.exit_code == 0
    assert result.stdout.count(" 33.33% ") == 2


def test_limits_that_no_tree_meets_end_with_exit_code_4(
    run: Run, fruit: Path, tmp_path: Path
) -> None:
    result = run(
        "fit", fruit, "--target", "kind", "--max-depth", 1, "--max-errors", 0, "-o", "m.json"
    )
    assert result.exit_code == 4
    assert "no tree meets the limits" in result.stderr
    assert "--max-errors 0" in result.stderr
    assert not (tmp_path / "m.json").exists()
    assert result.stdout == ""


def test_a_stopped_search_writes_its_incumbent_and_ends_with_exit_code_3(
    run: Run, raisin: Path, tmp_path: Path
) -> None:
    result = run(
        "fit", raisin, "--target", "Class", "--max-depth", 6, "--time-limit", 0.3, "-o", "m.json"
    )
    assert result.exit_code == 3
    assert "not proved, stopped by time limit after 0." in result.stderr
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert content["result"]["status"] == "feasible"
    tree = Tree.from_dict(content["tree"])
    rows = list(csv.DictReader(raisin.read_text("utf-8").splitlines()))
    table = [[float(row[name]) for name in tree.feature_names] for row in rows]
    wrong = sum(p != row["Class"] for p, row in zip(tree.predict(table), rows, strict=True))
    assert wrong == content["result"]["cost"] >= content["result"]["lower_bound"]


def test_two_threads_find_the_same_cost(run: Run, raisin: Path) -> None:
    fit = ("fit", raisin, "--target", "Class", "--max-depth", 2, "--json")
    assert printed(run(*fit, "--jobs", 2))["cost"] == printed(run(*fit))["cost"]


def test_a_single_class_is_a_leaf(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n0,a\n1,a\n", encoding="utf-8")
    content = printed(run("fit", "t.csv", "--target", "y", "--json"))
    assert (content["status"], content["cost"], content["leaves"]) == ("optimal", 0, 1)


COINS = """\
year,mint,words,y
1,2,a,0
1,3,b,1
2,5,a,0
2,3,a,1
3,9,b,0
"""


@pytest.fixture
def coins(tmp_path: Path) -> Path:
    """Write a table in which the label is 1 exactly for one code of the mint."""
    path = tmp_path / "coins.csv"
    path.write_text(COINS, encoding="utf-8")
    return path


def test_categories_are_split_by_code(run: Run, coins: Path, tmp_path: Path) -> None:
    fit = ("fit", coins, "--target", "y", "--max-depth", 1)
    assert printed(run(*fit, "--json"))["cost"] == 1, "no threshold separates the code 3"
    result = run(*fit, "--categories", "mint, year", "-o", "m.json", "--cart")
    assert result.exit_code == 0
    assert "mint == 3\n" in result.stdout
    assert result.stdout.count(" 0.00% ") == 2
    later = tmp_path / "later.csv"
    later.write_text("year,mint,words\n1,3,a\n8,1000,a\n", encoding="utf-8")
    assert run("predict", "m.json", later).stdout == "y\n1\n0\n"
    assert "mint == 3" in run("show", "m.json", "--format", "dot").stdout


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ("colour", "has no column 'colour'; its columns are: year, mint, words, y."),
        ("y", "Column 'y' in --categories is the target or the weights."),
        ("words", "Column 'words' has 'a' in row 1 (line 2 of coins.csv); columns named in"),
    ],
)
def test_columns_that_cannot_be_categories_are_refused(
    run: Run, coins: Path, categories: str, message: str
) -> None:
    result = run("fit", coins.name, "--target", "y", "--categories", categories)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 2


def test_other_families_of_rules_find_smaller_trees(run: Run, tmp_path: Path) -> None:
    rows = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"
    (tmp_path / "xor.csv").write_text(rows, encoding="utf-8")
    sizes = []
    for rules in ("axis-parallel", "hyperplanes", "degree-two", "mixed"):
        words = ("--target", "y", "--minimize", "size", "--rules", rules, "-o", "m.json")
        assert run("fit", "xor.csv", *words).exit_code == 0
        content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
        sizes.append(Tree.from_dict(content["tree"]).size)
    assert sizes == [3, 2, 1, 1]
    assert "·a" in run("show", "m.json").stdout
    assert run("predict", "m.json", "xor.csv", "-o", "p.csv").exit_code == 0
    assert "no" in (tmp_path / "p.csv").read_text(encoding="utf-8")
    assert run("bound", "m.json").exit_code == 0
    assert run("fit", "xor.csv", "--target", "y", "--rules", "curves").exit_code == 2


def test_splits_use_only_the_named_features(run: Run, tmp_path: Path) -> None:
    rows = "a,b,c,y\n0,5,u,0\n1,1,v,1\n2,4,w,0\n3,0,u,1\n4,3,v,0\n5,2,w,1\n"
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    for rules in ("axis-parallel", "hyperplanes", "degree-two", "mixed"):
        words = ("--target", "y", "--rules", rules, "-o", "m.json")
        assert run("fit", "t.csv", *words, "--features", "a, c").exit_code == 0
        content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
        tree = Tree.from_dict(content["tree"])
        entries = tree.feature[tree.feature >= 0]
        used = {feature for entry in entries for feature in tree.features_of_operand(entry)}
        assert tree.feature_names == ("a", "b", "c")
        assert used
        assert 1 not in used
        by_b = run("fit", "t.csv", *words, "--features", "b", "--max-depth", 1, "--json")
        assert printed(by_b)["cost"] == 0
    result = run("fit", "t.csv", "--target", "y", "--features", "a,d")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "exactree: --features names 'd'; the columns are a, b, c.\nhint: " in result.stderr


def test_dichotomies_that_are_left_out_are_reported(run: Run, tmp_path: Path) -> None:
    """Thirds on diagonals: see `test_of_decimal_grids_few_dichotomies_are_left_out`."""
    rows = [f"{a / 3!r},{b / 3!r},{a % 2}" for a in range(5) for b in range(5)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *rows]), encoding="utf-8")
    words = ("--rules", "hyperplanes", "--max-depth", 1, "--method", "branch-and-bound")
    result = run("fit", "t.csv", "--target", "y", *words)
    last = result.stdout.splitlines()[-1]
    assert last.endswith("are too fine for double precision, so no tree can use them")
    assert "; 5 of 228 " in last


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        (("--increasing", "x", "--features", "x"), 1),
        (("--decreasing", "x", "--features", "x"), 2),
        (("--required", "size"), 2),
        (("--max-features", 0), 2),
        (("--feature-penalty", "0.1"), Fraction(8, 5)),
        (("--min-weight-fraction-leaf", "0.5"), 1),
        (("--min-weight-fraction-leaf", "0.6"), 2),
    ],
)
def test_constraints_reach_the_search(
    run: Run, fruit: Path, options: tuple[object, ...], cost: Fraction
) -> None:
    result = run("fit", fruit, "--target", "kind", "--max-depth", 1, "--json", *options)
    assert Fraction(str(printed(result)["cost"])) == cost


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--increasing", "z"), "--increasing names 'z'"),
        (("--increasing", "x", "--decreasing", "x"), "name the same column"),
    ],
)
def test_contradictory_constraints_and_unknown_columns_are_refused(
    run: Run, fruit: Path, options: tuple[object, ...], sentence: str
) -> None:
    result = run("fit", fruit, "--target", "kind", *options)
    assert result.exit_code == 1
    assert sentence in result.stderr
