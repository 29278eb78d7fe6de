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
    assert described.pop("task") == "classification"
    assert [column["name"] for column in described.pop("columns")] == [
        "x",
        "size",
        "colour",
        "kind",
    ]
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
        ("y\n1\n", "t.csv has no columns of features"),
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


ROOMS = """\
id;Größe (m²);Miete;Lage;Stand;code
a1;20,5;1.200,50 €;Mitte;03.01.2026;1
a2;;950,00 €;Rand;04.01.2026;2
a3;30,5;2.310,00 €;Mitte;04.01.2026;10
a4;44,0;780,00 €;k.A.;07.01.2026;2
"""
OPTIONS = (
    "--exclude",
    "id,Stand",
    "--numbers",
    "Miete",
    "--missing",
    "k.A.",
    "--categories",
    "code",
)


def test_there_is_a_row_for_every_column_of_the_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(ROOMS, encoding="utf-8")
    words = ("describe", "r.csv", "--target", "Miete", "--task", "regression", *OPTIONS)
    result = run(*words, "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "column      use       kind    values  missing  range or levels",
        "id          excluded  text         4        0  a1, a2, a3, a4",
        "Größe (m²)  feature   number       3        1  20.5 to 44",
        "Miete       target    number       4        0  780 to 2310",
        "Lage        feature   text         2        1  Mitte, Rand",
        "Stand       excluded  date         3        0  03.01.2026, 04.01.2026, 07.01.2026",
        "code        feature   codes        3        0  1, 2, 10",
        "",
        "examples (n)             4",
        "features (d)             8",
        "target                   mean 1,310.12, standard deviation 596.341",
        "distinct values (D_max)  4 at most in a feature",
        "thresholds               12",
        "repeated rows            0 equal in all features to an earlier row",
    ]
    printed = json.loads(run(*words, "--json").stdout)
    assert (printed["task"], printed["n_thresholds"], printed["D_max"]) == ("regression", 12, 4)
    assert printed["columns"][1]["missing"] == 1


def test_a_target_of_measurements_leads_to_the_description_of_a_regression(
    run: Run, raisin: Path
) -> None:
    refused = run("describe", raisin, "--target", "Area")
    assert "hint: --task regression predicts numbers" in refused.stderr
    result = run("describe", raisin, "--target", "Area", "--task", "regression")
    assert "\nthresholds               " in result.stdout
    assert "Area             target   number " in result.stdout


def test_levels_are_listed_up_to_a_few(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{'v' * 30}{i % 6},{i % 2}\n" for i in range(12))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    line = run("describe", "t.csv", "--target", "y", "--quiet").stdout.splitlines()[1]
    shown = ", ".join([f"{'v' * 20}..."] * 4)
    assert line == f"x       feature  text          6        0  {shown}, ..."


def test_contradictory_rows_count_from_one_as_in_all_messages(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,a\n1,b\n2,b\n", encoding="utf-8")
    printed = run("describe", "t.csv", "--target", "y").stdout
    assert "contradictory rows       1, 2 (row 1 is the first below the header)\n" in printed
    assert "minimum errors           1 (no tree has fewer; use --max-errors)\n" in printed
