"""`exactree fit` finds ensembles; the other commands take a model of several trees."""

import json
from pathlib import Path

import pytest

from exactree import Ensemble, Limits, Problem, solve

from .conftest import Run

# Three stumps vote as one tree of five nodes does.
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


def test_by_default_an_ensemble_makes_no_errors_and_is_smallest(run: Run) -> None:
    result = run(*FIT, "-o", "m.json")
    assert result.exit_code == 0, result.output
    assert [f"tree {number}" in result.stdout for number in range(4)] == [True] * 3 + [False]
    assert "cost 3 (0 errors, 6 leaves), lower bound 3" in result.stdout
    found = json.loads(run(*FIT, "--json").stdout)
    measures = ("cost", "errors", "n_trees", "total_size", "largest_size", "leaves", "gap")
    assert [found[name] for name in measures] == [3, 0, 3, 3, 1, 6, 0]
    assert (found["total_depth"], found["largest_depth"]) == (3, 1)


@pytest.mark.parametrize(
    ("asked", "cost"),
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
def test_objectives_and_limits(run: Run, asked: tuple[object, ...], cost: object) -> None:
    result = run(*FIT, *asked, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["cost"] == cost


def test_the_model_predicts_and_is_shown(run: Run, tmp_path: Path) -> None:
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
    return MAJORITY.split()[1:]


def test_the_report_shows_what_was_proved(run: Run, tmp_path: Path) -> None:
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
    ("words", "says"),
    [
        (("--minimize", "size"), "does not go with n_trees=3"),
        (("--minimize", "gini"), "does not go with n_trees=3"),
        (("--task", "regression"), "--task regression supports one tree only"),
        (("--n-trees", 0), "--n-trees"),
        (("--n-trees", 1, "--max-total-size", 2), "--max-total-size needs --n-trees"),
        (("--leaf-penalty", 0.1), "--leaf-penalty needs errors in --minimize"),
    ],
)
def test_what_does_not_go_with_several_trees_is_stated_before_any_work(
    run: Run, words: tuple[object, ...], says: str
) -> None:
    result = run(*FIT, *words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_an_ensemble_that_no_limit_allows_is_reported_as_one(run: Run) -> None:
    result = run(*FIT, "--max-total-size", 2)
    assert result.exit_code == 4
    assert "no ensemble meets the limits" in result.stderr


def test_weights_are_counted_as_in_python(run: Run, tmp_path: Path) -> None:
    weights = [1, 2, 3, 1, 2, 3, 1, 2]
    lines = [f"{row},{weight}" for row, weight in zip(rows(), weights, strict=True)]
    (tmp_path / "w.csv").write_text("\n".join(["a,b,c,kind,w", *lines]), encoding="utf-8")
    limits = ("--minimize", "errors", "--max-depth", 1, "--max-total-size", 2)
    words = ("fit", "w.csv", "--target", "kind", "--weights", "w", "--n-trees", 3, *limits)
    told = json.loads(run(*words, "--json").stdout)
    X = [[int(cell) for cell in row.split(",")[:3]] for row in rows()]
    y = [row.split(",")[3] for row in rows()]
    within = Limits(max_depth=1, max_total_size=2)
    problem = Problem(X, y, weights, n_trees=3, limits=within)
    assert told["cost"] == told["errors"] == solve(problem, implementation="spec").cost
