"""`exactree prune`: the model file of the pruned tree, its bound, and wrong input."""

import json
from pathlib import Path

import pytest

from exactree.cli.model_file import read_model

from .conftest import Run


def test_a_pruned_model_is_described_written_and_can_be_used(
    run: Run, model: Path, fruit: Path
) -> None:
    result = run("prune", model, fruit, "--r", 0.5, "-o", "pruned.json")
    assert result.exit_code == 0
    sentence, file = result.stdout.splitlines()[-2:]
    assert sentence.startswith("pruned from 3 to 1 leaves: 2 of 6 rows are misclassified, risk")
    assert file == "model: pruned.json"
    pruned = read_model(Path("pruned.json"))
    assert pruned.tree.leaves == 1
    assert pruned.result["status"] == "pruned"
    assert pruned.result["risk_bound"] < pruned.result["risk_bound_before"]
    assert run("show", "pruned.json").exit_code == 0
    assert run("predict", "pruned.json", fruit, "-o", "p.csv").exit_code == 0


def test_with_the_default_r_nodes_that_save_errors_are_kept(
    run: Run, model: Path, fruit: Path
) -> None:
    result = json.loads(run("prune", model, fruit, "--json").stdout)
    assert (result["leaves"], result["leaves_before"], result["errors"]) == (3, 3, 0)
    assert result["model"] is None


def test_the_bound_of_vapnik_is_smaller_than_that_of_shawe_taylor(
    run: Run, model: Path, fruit: Path
) -> None:
    command = ["prune", model, fruit, "--r", 0.5, "--json", "--risk"]
    bounds = {
        risk: json.loads(run(*command, risk).stdout)["risk_bound"]
        for risk in ("vapnik", "shawe-taylor")
    }
    assert bounds["vapnik"] < bounds["shawe-taylor"]


@pytest.mark.parametrize(
    "wrong", [["--delta", "0"], ["--delta", "1"], ["--r", "2"], ["--risk", "none"]]
)
def test_wrong_options_are_usage_errors(
    run: Run, model: Path, fruit: Path, wrong: list[str]
) -> None:
    result = run("prune", model, fruit, *wrong)
    assert result.exit_code == 2
    assert wrong[0] in result.stderr


def test_a_class_that_the_tree_does_not_have_is_refused(
    run: Run, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.csv").write_text("x,size,colour,kind\n0,1,red,plum\n", encoding="utf-8")
    result = run("prune", model, "other.csv")
    assert result.exit_code == 1
    assert (
        "Column 'kind', row 1 (line 2 of other.csv): 'plum' is not a class of the tree"
        in result.stderr
    )


def test_categories_must_be_named_as_in_fit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n3,a\n", encoding="utf-8")
    command = ["fit", "t.csv", "--target", "y", "--categories", "x", "-o", "codes.json"]
    assert run(*command).exit_code == 0
    result = run("prune", "codes.json", "t.csv")
    assert result.exit_code == 1
    assert "splits on codes of 'x'; name all columns of codes in categories" in result.stderr
    result = run("prune", "codes.json", "t.csv", "--categories", "x", "--r", 0.5, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["leaves"] == 1
    result = run("prune", "codes.json", "t.csv", "--categories", "y")
    assert "Column 'y' in --categories is the target or the weights" in result.stderr


def test_tables_without_rows_or_target_are_refused(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "without_rows.csv").write_text("x,size,colour,kind\n", encoding="utf-8")
    (tmp_path / "without_target.csv").write_text("x,size,colour\n0,1,red\n", encoding="utf-8")
    for table in ("without_rows.csv", "without_target.csv", "absent.csv"):
        result = run("prune", model, table)
        assert result.exit_code == 1
        assert result.stderr.startswith("exactree: ")
        assert len(result.stderr.splitlines()) == 2
