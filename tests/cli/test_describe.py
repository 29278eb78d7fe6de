"""`exactree describe`: output as text and as JSON, and exit codes."""

import json
from pathlib import Path

import pytest

import exactree as xt

from .conftest import Run


def test_the_parameters_of_the_table_are_printed(run: Run, fruit: Path) -> None:
    result = run("describe", fruit, "--target", "kind")
    assert result.exit_code == 0
    assert result.stderr.startswith("exactree: column 'colour' is text with 2 levels")
    assert "examples (n)             6\n" in result.stdout
    assert "smallest class (min_#)   2\n" in result.stdout
    assert "\ncolour == green " in result.stdout
    assert "Default method:\n  branch-and-bound: " in result.stdout


def test_json_agrees_with_the_function_describe(run: Run, fruit: Path) -> None:
    result = run("describe", fruit, "--target", "kind", "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    described = json.loads(result.stdout)
    X = [[0, 1, 1], [1, 2, 1], [2, 3, 0], [3, 1, 0], [4, 2, 0], [5, 9, 1]]
    expected = xt.describe(X, ["apple", "apple", "apple", "pear", "pear", "apple"]).to_dict()
    # In the array the feature of the colour is a number, and has another name.
    names = [feature.pop("name") for feature in described["features"]]
    for feature in expected["features"]:
        del feature["name"]
    assert names == ["x", "size", "colour == green"]
    assert described == expected


def test_the_column_of_weights_is_not_a_feature(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y,w\n1,a,0.5\n1,b,2\n2,b,0\n", encoding="utf-8")
    result = run("describe", "t.csv", "--target", "y", "--weights", "w", "--json")
    described = json.loads(result.stdout)
    assert [feature["name"] for feature in described["features"]] == ["x"]
    assert described["contradictions"] == [[0, 1]]
    assert described["min_errors"] == "1/2"
    assert described["n_examples"] == 2, "the row of weight 0 is left out"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv is empty"),
        ("x,z\n1,2\n", "t.csv has no column 'y'; its columns are: x, z."),
        ("y\n1\n", "X has no columns"),
        ("x,y\n1,2\n2,\n", "Column 'y' has no value in row 2"),
    ],
)
def test_an_unusable_table_ends_in_one_sentence_and_a_hint(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    result = run("describe", "t.csv", "--target", "y")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert message in result.stderr
    assert result.stderr.count("\n") == 2


def test_the_target_is_required(run: Run, fruit: Path) -> None:
    result = run("describe", fruit)
    assert result.exit_code == 2
    assert "--target" in result.stderr


def test_ctrl_c_ends_in_one_sentence_and_a_hint(
    run: Run, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exactree.engine.largest_difference", interrupted)
    result = run("describe", fruit, "--target", "kind", "--json")
    assert result.exit_code == 130
    assert result.stderr == "exactree: interrupted.\nhint: nothing was written.\n"


def test_every_code_is_a_feature(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,x,b,y\n5,1,4,a\n6,1,5,b\n9,2,4,b\n", encoding="utf-8")
    result = run("describe", "t.csv", "--target", "y", "--categories", "c,b", "--json")
    names = [feature["name"] for feature in json.loads(result.stdout)["features"]]
    assert names == ["x", "c == 5", "c == 6", "c == 9", "b == 4"], "b == 5 is the opposite rule"
