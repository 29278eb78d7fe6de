"""`exactree fit` with --n-trees, and the other commands with a model of several trees."""

import json
from pathlib import Path

import pytest

from exactree import Ensemble, Limits, Problem, solve

from .conftest import Run

# Three stumps predict these labels by their votes; a single tree needs five nodes.
MAJORITY = "a,b,c,kind\n" + "".join(
    f"{a},{b},{c},{'yes' if a + b + c > 1 else 'no'}\n"
    for a in (0, 1)
    for b in (0, 1)
    for c in (0, 1)
)
FIT = ("fit", "votes.csv", "--target", "kind", "--n-trees", 3)


@pytest.fixture(autouse=True)
def votes(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(MAJORITY, encoding="utf-8")


def test_the_default_is_a_smallest_ensemble_without_errors(run: Run) -> None:
    result = run(*FIT, "-o", "m.json")
    assert result.exit_code == 0, result.output
    assert [f"tree {number}" in result.stdout for number in range(4)] == [True] * 3 + [False]
    assert "total size 3 (0 errors, 6 leaves), lower bound 3" in result.stdout
    printed = json.loads(run(*FIT, "--json").stdout)
    measures = ("cost", "errors", "n_trees", "total_size", "largest_size", "leaves", "gap")
    assert [printed[name] for name in measures] == [3, 0, 3, 3, 1, 6, 0]
    assert (printed["total_depth"], printed["largest_depth"]) == (3, 1)


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        (("--minimize", "largest_size"), 1),
        (("--minimize", "total_depth", "--max-errors", "2"), 1),
        (("--minimize", "largest_depth,total_size"), [1, 3]),
        (("--minimize", "errors", "--max-depth", 1, "--max-total-size", 1), 2),
        (("--minimize", "errors,total_size", "--max-total-size", 3), [0, 3]),
        (("--min-samples-leaf", 4), 3),
        (("--max-leaves-of", "yes=1"), 3),
    ],
)
def test_objectives_and_limits_reach_the_search(
    run: Run, options: tuple[object, ...], cost: object
) -> None:
    result = run(*FIT, *options, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["cost"] == cost


def test_a_model_of_several_trees_can_be_used_and_shown(run: Run, tmp_path: Path) -> None:
    assert run(*FIT, "-o", "m.json", "--plot", "m.svg", "--cart", "--quiet").exit_code == 0
    assert (tmp_path / "m.svg").read_text(encoding="utf-8").lstrip().startswith("<")
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    ensemble = Ensemble.from_dict(content["ensemble"])
    assert (ensemble.total_size, ensemble.feature_names) == (3, ("a", "b", "c"))
    assert "tree" not in content
    predicted = run("predict", "m.json", "votes.csv")
    assert predicted.stdout.split() == ["kind", *(row[-3:].strip(",") for row in rows())]
    assert "0 of 8 rows are misclassified" in predicted.stderr
    for form in "text rules dot svg json sql c python javascript pmml".split():
        shown = run("show", "m.json", "--format", form)
        assert shown.exit_code == 0, (form, shown.output)
        assert shown.stdout
    refused = run("show", "m.json", "--format", "spreadsheet")
    assert refused.exit_code == 1
    assert "ensemble" in refused.stderr


def rows() -> list[str]:
    """Return the lines of MAJORITY below its header."""
    return MAJORITY.split()[1:]


def test_the_report_names_the_number_of_trees(run: Run, tmp_path: Path) -> None:
    assert run(*FIT, "-o", "m.json", "--quiet").exit_code == 0
    words = ("report", "m.json", "votes.csv", "-o", "page.html", "--front-seconds", 0)
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "kind, predicted by 3 decision trees" in (tmp_path / "page.html").read_text(
        encoding="utf-8"
    )


def test_commands_for_one_tree_refuse_a_model_of_several(run: Run) -> None:
    assert run(*FIT, "-o", "m.json", "--quiet").exit_code == 0
    for words in (("prune", "m.json", "votes.csv"), ("bound", "m.json")):
        result = run(*words)
        assert result.exit_code == 1
        assert "the model has 3 trees that vote; a single tree is needed" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--minimize", "size"), "does not go with n_trees=3"),
        (("--minimize", "gini"), "does not go with n_trees=3"),
        (("--task", "regression"), "--task regression supports one tree only"),
        (("--n-trees", 0), "--n-trees"),
        (("--n-trees", 1, "--max-total-size", 2), "--max-total-size needs --n-trees"),
        (("--leaf-penalty", 0.1), "--leaf-penalty needs errors in --minimize"),
    ],
)
def test_wrong_options_for_several_trees_are_usage_errors(
    run: Run, words: tuple[object, ...], message: str
) -> None:
    result = run(*FIT, *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_limits_that_no_ensemble_meets_end_with_exit_code_4(run: Run) -> None:
    result = run(*FIT, "--max-total-size", 2)
    assert result.exit_code == 4
    assert "no ensemble meets the limits" in result.stderr


def test_weights_are_counted_as_in_python(run: Run, tmp_path: Path) -> None:
    weights = [1, 2, 3, 1, 2, 3, 1, 2]
    lines = [f"{row},{weight}" for row, weight in zip(rows(), weights, strict=True)]
    (tmp_path / "w.csv").write_text("\n".join(["a,b,c,kind,w", *lines]), encoding="utf-8")
    limits = ("--minimize", "errors", "--max-depth", 1, "--max-total-size", 2)
    words = ("fit", "w.csv", "--target", "kind", "--weights", "w", "--n-trees", 3, *limits)
    printed = json.loads(run(*words, "--json").stdout)
    X = [[int(cell) for cell in row.split(",")[:3]] for row in rows()]
    y = [row.split(",")[3] for row in rows()]
    problem = Problem(X, y, weights, n_trees=3, limits=Limits(max_depth=1, max_total_size=2))
    assert printed["cost"] == printed["errors"] == solve(problem, implementation="spec").cost
