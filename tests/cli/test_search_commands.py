"""`exactree front`, `tune`, `enumerate` and `compress`: searches besides `fit`."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.cli.lists import as_option, parse_names
from exactree.cli.model_file import read_model
from exactree.cli.table import read_table

from .conftest import Run


def printed(run: Run, *words: object, code: int = 0) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def raisin_problem(**limits: int) -> xt.Problem:
    table = xt.datasets.load_raisin()
    return xt.Problem(table.X, table.y, limits=xt.Limits(**limits))


def test_the_front_is_that_of_python(run: Run, raisin: Path) -> None:
    words = ("front", raisin, "--target", "Class", "--max-depth", 2, "--held-out", raisin)
    found = printed(run, *words)["front"]
    outcomes = xt.pareto_front(raisin_problem(max_depth=2), ("size", "errors"))
    assert [(entry["size"], entry["errors"]) for entry in found] == [o.cost for o in outcomes]
    assert all(entry["proved"] and entry["held_out_errors"] == entry["errors"] for entry in found)
    shown = run(*words).stdout.splitlines()
    assert shown[0].split() == ["size", "errors", "leaves", "held-out", "errors", "proved"]
    assert shown[-2].split() == ["3", "91", "4", "91", "yes"]
    assert shown[-1] == "limits: max_depth=2"


def test_a_front_has_no_limit_that_was_not_given(run: Run, fruit: Path, tmp_path: Path) -> None:
    """As in Python; `fit` limits the depth to 3 by default."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 9, (40, 2)), rng.integers(0, 2, 40)
    path = tmp_path / "deep.csv"
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,label", *rows]))
    found = printed(run, "front", path, "--target", "label")
    costs = [(entry["size"], entry["errors"]) for entry in found["front"]]
    assert costs == [o.cost for o in xt.pareto_front(xt.Problem(X, y), ("size", "errors"))]
    assert found["limits"] == {}
    limited = printed(run, "front", path, "--target", "label", "--max-depth", 3)
    assert limited["limits"] == {"max_depth": 3}
    assert len(limited["front"]) < len(costs)
    assert run("front", path, "--target", "label").stdout.splitlines()[-1] == "limits: none"
    words = ("--max-leaves-of", "apple=1", "--max-errors", "7/2", "--max-size", 2)
    of_all_kinds = printed(run, "front", fruit, "--target", "kind", *words)["limits"]
    assert of_all_kinds == {"max_size": 2, "max_errors": "7/2", "max_leaves_of": {"apple": 1}}
    assert "auto means none" in " ".join(run("front", "--help").stdout.split())


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--quantities", "depth,errors"), ["depth", "errors"]),
        (("--quantities", "false_positives,false_negatives"), ["false_positives"]),
        (("--minimize", "balanced_error"), ["size", "balanced_error"]),
        (("--n-trees", 3), ["total_size", "errors"]),
    ],
)
def test_other_fronts(run: Run, fruit: Path, options: tuple[object, ...], names: list[str]) -> None:
    found = printed(run, "front", fruit, "--target", "kind", "--max-depth", 1, *options)["front"]
    assert set(names) <= set(found[0])


def test_a_front_of_a_regression(run: Run, fruit: Path) -> None:
    words = ("front", fruit, "--target", "size", "--task", "regression", "--max-depth", 2)
    found = printed(run, *words, "--held-out", fruit)["front"]
    for entry in found:
        assert entry["held_out_mean_squared_error"] * 6 == pytest.approx(entry["squared_error"])


def test_a_front_that_is_stopped_or_empty(run: Run, raisin: Path, fruit: Path) -> None:
    words = ("front", raisin, "--target", "Class", "--max-depth", 6, "--time-limit", 0.5)
    result = run(*words)
    assert result.exit_code == 3
    assert "the front was stopped by time limit" in result.stderr
    empty = run("front", fruit, "--target", "kind", "--max-depth", 0, "--max-errors", 0)
    assert (empty.exit_code, empty.stdout) == (4, "")
    alone = run("front", fruit, "--target", "kind", "--quantities", "size")
    assert alone.exit_code == 2


def test_tuning_is_that_of_python(run: Run, raisin: Path) -> None:
    words = ("tune", raisin, "--target", "Class", "--max-depth", 2, "--cv", 3, "-o", "m.json")
    found = printed(run, *words)
    table = xt.datasets.load_raisin()
    model = xt.OptimalTreeClassifierCV(xt.OptimalTreeClassifier(max_depth=2), cv=3)
    model.fit(table.X, table.y)
    assert found["chosen"] == model.best_params_
    scores = [entry["score"] for entry in found["tried"]]
    assert scores == model.cv_results_["mean_test_score"].tolist()
    assert [entry["chosen"] for entry in found["tried"]].index(True) == model.best_index_
    saved = read_model(Path("m.json"))
    assert saved.tree.size == model.tree_.size
    assert saved.target == "Class"
    shown = run(*words).stdout
    assert shown.splitlines()[0].split() == ["size", "score", "deviation"]
    assert "chosen" in shown


@pytest.mark.parametrize("along", ["size", "depth", "leaf-penalty"])
def test_a_regression_is_tuned(run: Run, tmp_path: Path, along: str) -> None:
    rng = np.random.default_rng(3)
    rows = "".join(f"{x:.3f},{int(x > 0.5) + y / 9:.3f}\n" for x, y in rng.random((60, 2)))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    words = ("tune", "t.csv", "--target", "y", "--task", "regression", "--max-depth", 2)
    found = printed(run, *words, "--along", along, "--cv", 3)
    assert sum(entry["chosen"] for entry in found["tried"]) == 1
    assert found["leaves"] == 2


def test_tuning_without_proof_or_tree(run: Run, raisin: Path, fruit: Path) -> None:
    words = ("tune", raisin, "--target", "Class", "--max-depth", 5, "--cv", 2)
    result = run(*words, "--time-limit", 0.2)
    assert result.exit_code == 3
    reason, hint = result.stderr.splitlines()[-2:]
    assert re.fullmatch(
        "exactree: The best tree of each size is proved for 0 of 2 folds, not for all rows: trees "
        r"may be missing above size \d, and another size may be better\.",
        reason,
    )
    assert hint == (
        "hint: --along 'depth' (which takes few searches), a longer --time-limit (0.2 s for each "
        "fold now) or a smaller --max-depth (5 now) would help."
    )
    proved = run("tune", raisin, "--target", "Class", "--max-depth", 1, "--along", "depth")
    assert proved.stderr.endswith(
        "; the best tree of each depth is proved for every fold and for all rows\n"
    )
    limits = ("--max-depth", 0, "--max-errors", 0)
    assert run("tune", fruit, "--target", "kind", "--cv", 2, *limits).exit_code == 4
    several = run("tune", fruit, "--target", "kind", "--n-trees", 2, "--minimize", "errors")
    assert several.exit_code == 2


def test_the_trees_listed_and_counted_are_those_of_python(run: Run, raisin: Path) -> None:
    words = ("enumerate", raisin, "--target", "Class", "--max-depth", 2)
    problem = raisin_problem(max_depth=2)
    for within in (0, 1):
        count = xt.count_optimal(problem, within=within)
        options = ("--within", within)
        assert printed(run, *words, *options, "--count") == {"count": count}
        assert run(*words, *options, "--count").stdout == f"{count}\n"
        found = printed(run, *words, *options, "--limit", "none")
        assert (found["complete"], len(found["trees"])) == (True, count)
    first = next(iter(xt.enumerate_optimal(problem)))
    shown = run(*words, "--limit", 1).stdout
    assert shown.startswith("1.\nConvexArea <= ")
    assert shown.count("errors\n") == first.leaves
    assert "perhaps of more" in shown


def test_listings_that_are_empty_or_stopped(run: Run, raisin: Path, fruit: Path) -> None:
    limits = ("--max-depth", 0, "--minimize", "size", "--max-errors", 0)
    for words in ((), ("--count",)):
        result = run("enumerate", fruit, "--target", "kind", *limits, *words)
        assert result.exit_code == 4, result.output
    words = ("enumerate", raisin, "--target", "Class", "--max-depth", 6, "--time-limit", 0.2)
    assert run(*words).exit_code == 5
    assert run(*words, "--count").exit_code == 5


def test_a_slack_of_several_quantities_applies_to_the_first(run: Run, fruit: Path) -> None:
    words = ("enumerate", fruit, "--target", "kind", "--minimize", "errors,size", "--within", 1)
    assert printed(run, *words, "--count")["count"] >= 1


def test_an_ensemble_becomes_one_equal_tree(run: Run, raisin: Path) -> None:
    fit = ("fit", raisin, "--target", "Class", "--n-trees", 3, "--max-errors", 100)
    assert run(*fit, "-o", "votes.json").exit_code == 0
    found = printed(run, "compress", "votes.json", "-o", "one.json")
    assert found["status"] == "optimal"
    assert found["cost"] == read_model(Path("one.json")).tree.size
    votes = run("predict", "votes.json", raisin, "--quiet").stdout
    assert run("predict", "one.json", raisin, "--quiet").stdout == votes
    assert "counts of rows are unknown: " in run("compress", "votes.json").stdout
    assert run("compress", "votes.json", "--max-cells", 1).exit_code == 1


@pytest.mark.parametrize("names", [("a",), ("a b", "c"), ("x, y", 'say "hi"'), ("it's",)])
def test_names_of_columns_are_read_as_they_are_shown(names: tuple[str, ...]) -> None:
    import shlex

    assert parse_names(shlex.split(as_option(names))[0]) == names
    assert read_table.__doc__  # the table that has them


def test_a_stopped_count_names_only_options_that_can_change(run: Run, raisin: Path) -> None:
    """`--within` cannot be smaller if it was not given."""
    words = ("enumerate", raisin, "--target", "Class", "--max-depth", 4, "--count")
    stopped = run(*words, "--time-limit", 0.05)
    assert "within" not in stopped.stderr
    assert "--time-limit" in stopped.stderr
    assert "--max-depth 3" in stopped.stderr
    with_slack = run(*words, "--time-limit", 0.05, "--within", 2)
    assert "a smaller --within (2 now)" in with_slack.stderr


def test_a_refusal_names_an_option_that_was_not_chosen_already(
    run: Run, raisin: Path, tmp_path: Path
) -> None:
    words = ("fit", raisin, "--target", "Class", "--max-depth", 3, "--quiet")
    by_spec = run(*words, "--implementation", "spec")
    assert by_spec.exit_code == 2
    assert "hint: --implementation native accepts more problems" in by_spec.stderr
    by_method = run(*words, "--method", "box")
    assert "--method auto selects a method that accepts the problem." in by_method.stderr
    large = tmp_path / "large.csv"
    large.write_text("a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(40)), encoding="utf-8")
    of_subsets = run("fit", large, "--target", "y", "--minimize", "size", "--method", "subsets")
    assert "The table of Theorem 6.4 of Komusiewicz et al. (ICML 2023)" in of_subsets.stderr


@pytest.mark.parametrize("command", ["front", "tune"])
def test_quiet_searches_print_nothing(run: Run, fruit: Path, command: str) -> None:
    words = (command, fruit, "--target", "kind", "--max-depth", 1, "--quiet")
    result = run(*words, *(("--cv", 2) if command == "tune" else ()))
    assert (result.exit_code, result.output) == (0, "")


def test_a_front_is_written_as_a_table(run: Run, fruit: Path) -> None:
    words = ("front", fruit, "--target", "kind", "--max-depth", 2, "-o", "front.csv")
    result = run(*words)
    assert result.exit_code == 0
    assert result.stdout.endswith("lines: front.csv\n")
    assert Path("front.csv").read_text(encoding="utf-8") == (
        "size,errors,leaves,proved\n0,2,1,yes\n1,1,2,yes\n2,0,3,yes\n"
    )
    assert json.loads(run(*words, "--json").stdout)["output"] == "front.csv"
    assert run(*words[:-1], "front.xlsx").exit_code == 2
