"""`exactree compress` counts the rows of a table, or says that counts are unknown."""

import json
from pathlib import Path

import pytest

from exactree.cli.model_file import read_model

from .conftest import Run


@pytest.fixture
def votes(run: Run, raisin: Path) -> Path:
    """Write the model of an ensemble."""
    fit = ("fit", raisin, "--target", "Class", "--n-trees", 3, "--max-errors", 100)
    assert run(*fit, "-o", "votes.json", "--quiet").exit_code == 0
    return Path("votes.json")


def test_the_leaves_count_the_rows_of_a_table(run: Run, votes: Path, raisin: Path) -> None:
    result = run("compress", votes, raisin, "-o", "one.json")
    assert result.exit_code == 0
    assert "counts of rows are unknown" not in result.stdout
    tree = read_model(Path("one.json")).tree
    assert (tree.n_node_samples[0], tree.counts_rows) == (720, True)
    shares = run("predict", "one.json", raisin, "--probabilities", "--quiet").stdout.splitlines()
    leaf = run("predict", "one.json", raisin, "--json").stdout
    assert json.loads(leaf)["misclassified"] == tree.errors[tree.children_left < 0].sum()
    assert {tuple(line.split(",")[1:]) for line in shares[1:]} == {
        tuple(f"{share:.6g}" for share in (value / value.sum()).tolist())
        for value in tree.value[tree.children_left < 0]
    }
    assert run("report", "one.json", raisin, "-o", "r.html", "--front-seconds", 0).exit_code == 0


def test_without_a_table_counts_are_unknown(run: Run, votes: Path, raisin: Path) -> None:
    result = run("compress", votes, "-o", "one.json")
    assert "examples" not in result.stdout
    assert (
        "counts of rows are unknown: exactree compress MODEL TABLE counts the rows of a table\n"
        in result.stdout
    )
    assert "examples" not in run("show", "one.json").stdout
    assert run("predict", "one.json", raisin, "--quiet").exit_code == 0
    for words in (("predict", "--probabilities"), ("report", "-o", "r.html")):
        refused = run(words[0], "one.json", raisin, *words[1:])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "needs counts of rows, which this model does not have." in refused.stderr
        assert "hint: exactree compress ENSEMBLE TABLE counts the rows" in refused.stderr
    assert run("export", "one.json", "-o", "one.svg").exit_code == 0
    assert " examples" not in Path("one.svg").read_text(encoding="utf-8")
    assert json.loads(run("compress", votes, "--json").stdout)["counts_rows"] is False


def test_a_table_without_rows_for_some_leaf_is_named(run: Run, votes: Path, raisin: Path) -> None:
    lines = raisin.read_text(encoding="utf-8").splitlines()[:2]
    Path("short.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    result = run("compress", votes, "short.csv")
    assert result.exit_code == 0
    assert "counts of rows are unknown: no row of short.csv reaches 2 leaves\n" in result.stdout


def test_a_table_of_other_classes_is_refused(run: Run, votes: Path, raisin: Path) -> None:
    text = raisin.read_text(encoding="utf-8").replace("Besni", "Other")
    Path("other.csv").write_text(text, encoding="utf-8")
    result = run("compress", votes, "other.csv")
    assert result.exit_code == 1
    assert "Column 'Class', row " in result.stderr
    assert "'Other' is not a class of the ensemble." in result.stderr
