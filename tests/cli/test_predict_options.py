"""`exactree predict` appends to the table, and writes probabilities and ids."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from exactree.cli.model_file import read_model

from .conftest import FRUIT, Run


def test_predictions_are_appended_to_the_table(run: Run, model: Path, fruit: Path) -> None:
    lines = run("predict", model, fruit, "--append", "--quiet").stdout.splitlines()
    table = FRUIT.splitlines()
    assert lines[0] == f"{table[0]},predicted_kind"
    assert lines[1:] == [f"{row},{row.split(',')[3]}" for row in table[1:]]
    again = run("predict", model, fruit, "--append", "-o", "out.csv")
    assert again.exit_code == 0
    refused = run("predict", model, "out.csv", "--append")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "out.csv already has a column 'predicted_kind'." in refused.stderr


def test_an_appended_table_keeps_its_form(run: Run, tmp_path: Path) -> None:
    text = "größe;preis;wert\n1,5;1.000 €;2,5\n2,5;2.000 €;3,25\n"
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    fit = ("fit", "t.csv", "--target", "wert", "--task", "regression", "--numbers", "preis")
    assert run(*fit, "-o", "m.json").exit_code == 0
    assert run("predict", "m.json", "t.csv", "--append", "-o", "out.csv").exit_code == 0
    written = (tmp_path / "out.csv").read_bytes()
    expected = "größe;preis;wert;predicted_wert\n1,5;1.000 €;2,5;2,5\n2,5;2.000 €;3,25;3,25\n"
    assert written == b"\xef\xbb\xbf" + expected.encode()


def test_ids_are_written_before_predictions(run: Run, model: Path, fruit: Path) -> None:
    shown = run("predict", model, fruit, "--ids", "size, x", "--quiet").stdout.splitlines()
    assert shown[:2] == ["size,x,kind", "1,0,apple"]
    for ids, code in (("sise", 1), ("kind", 1)):
        assert run("predict", model, fruit, "--ids", ids).exit_code == code
    assert "did you mean 'size'?" in run("predict", model, fruit, "--ids", "sise").stderr
    both = run("predict", model, fruit, "--ids", "x", "--append")
    assert both.exit_code == 2


def test_probabilities_are_the_shares_in_the_leaf(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "kind", "--max-depth", 0)
    assert run(*fit, "-o", "m.json").exit_code == 0
    shown = run("predict", "m.json", fruit, "--probabilities", "--quiet").stdout.splitlines()
    assert shown[:2] == ["kind,probability_apple,probability_pear", "apple,0.666667,0.333333"]
    smooth = ("--minimize", "log_loss", "--smoothing", "laplace", "-o", "m.json")
    assert run(*fit, *smooth).exit_code == 0
    assert read_model(Path("m.json")).smoothing == "laplace"
    shown = run("predict", "m.json", fruit, "--probabilities", "--quiet").stdout.splitlines()
    assert shown[1] == "apple,0.625,0.375"  # (4 + 1) / (6 + 2)
    printed = json.loads(run("predict", "m.json", fruit, "--probabilities", "--json").stdout)
    assert set(printed["columns"]) == {"kind", "probability_apple", "probability_pear"}


def test_probabilities_of_an_ensemble_are_shares_of_votes(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "kind", "--n-trees", 3, "-o", "m.json")
    assert run(*fit).exit_code == 0
    shown = run("predict", "m.json", fruit, "--probabilities", "--quiet").stdout.splitlines()
    shares = {cell for line in shown[1:] for cell in line.split(",")[1:]}
    assert shares <= {"0", "0.333333", "0.666667", "1"}


def test_numbers_have_no_probabilities(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "size", "--task", "regression", "-o", "m.json")
    assert run(*fit).exit_code == 0
    result = run("predict", "m.json", fruit, "--probabilities")
    assert result.exit_code == 2
    assert "--probabilities needs a model of classes" in result.stderr


def test_only_used_columns_are_needed(run: Run, model: Path, tmp_path: Path) -> None:
    tree = read_model(model).tree
    used = {tree.feature_names[feature] for feature in tree.feature if feature >= 0}
    assert "size" not in used
    (tmp_path / "new.csv").write_text("colour,x\nred,0\ngreen,4\n", encoding="utf-8")
    assert run("predict", model, "new.csv").stdout == "kind\napple\npear\n"
    (tmp_path / "new.csv").write_text("colour,x,size\nred,0,huge\n", encoding="utf-8")
    assert run("predict", model, "new.csv").stdout == "kind\napple\n"


def test_columns_of_hyperplanes_are_needed(run: Run, tmp_path: Path) -> None:
    rows = "".join(f"{x},{y},0,{int(x > y)}\n" for x in range(4) for y in range(4))
    (tmp_path / "t.csv").write_text("a,b,c,y\n" + rows, encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "y", "--rules", "hyperplanes", "--max-depth", 1)
    assert run(*fit, "--features", "a,b", "-o", "m.json").exit_code == 0
    (tmp_path / "new.csv").write_text("a,b\n3,0\n0,3\n", encoding="utf-8")
    assert run("predict", "m.json", "new.csv").stdout == "y\n1\n0\n"
    (tmp_path / "new.csv").write_text("a,c\n3,0\n", encoding="utf-8")
    assert "lacks columns that the tree uses: 'b'." in run("predict", "m.json", "new.csv").stderr


def test_the_hint_for_absent_columns_names_those_of_the_table(run: Run) -> None:
    rows = "".join(f"{i},{i % 3},{i * i % 7},{i % 2}\n" for i in range(8))
    Path("t.csv").write_text("Age,size,job,wage\n" + rows, encoding="utf-8")
    assert run("fit", "t.csv", "--target", "wage", "-o", "m.json", "--quiet").exit_code == 0

    def refusal(header: str, *words: str) -> str:
        Path("new.csv").write_text(f"{header}\n1,2,3\n", encoding="utf-8")
        result = run(words[0], "m.json", "new.csv", *words[1:])
        assert result.exit_code == 1
        return result.stderr

    report = ("report", "-o", "r.html")
    assert refusal("age,jobs,z", *report) == (
        "exactree: new.csv lacks columns that the tree was fitted on: 'Age', 'size', 'job'.\n"
        "hint: its columns are: age, jobs, z; if they are the same, rename 'age' to 'Age' and "
        "'jobs' to 'job'.\n"
    )
    used = refusal("x,y,z", "predict")
    assert "lacks columns that the tree uses: " in used
    assert used.endswith("hint: its columns are: x, y, z.\n")
    for command in (report, ("prune",)):  # "Age" resembles "wage", but it is another column
        assert refusal("Age,size,job", *command) == (
            "exactree: new.csv lacks the column 'wage', which has the labels.\n"
            "hint: its columns are: Age, size, job.\n"
        )
    fit = ("fit", "t.csv", "--target", "wage", "--max-depth", 1)
    held_out = run("front", *fit[1:], "--held-out", "new.csv")
    assert "new.csv lacks the column 'wage'" in held_out.stderr
    Path("new.csv").write_text("Age size job\n1 2 3\n", encoding="utf-8")
    one_column = run("predict", "m.json", "new.csv").stderr
    assert one_column.endswith("it has only one column; --sep gives the separator of the cells.\n")


def test_rows_without_a_label_are_predicted_and_not_counted(
    run: Run, model: Path, tmp_path: Path
) -> None:
    text = "x,size,colour,kind\n0,1,red,apple\n1,2,red,\n3,1,green,apple\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    result = run("predict", model, "t.csv")
    assert result.stdout == "kind\napple\napple\npear\n"
    assert result.stderr == "exactree: 1 of the 2 rows with a label are misclassified\n"
    (tmp_path / "t.csv").write_text("x,size,colour,kind\n0,1,red,\n", encoding="utf-8")
    assert run("predict", model, "t.csv").stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="pipes end differently elsewhere")
@pytest.mark.parametrize(
    "words", [["predict", "m.json", "t.csv"], ["show", "m.json"], ["fit", "t.csv", "--target", "y"]]
)
def test_a_broken_pipe_ends_quietly(run: Run, tmp_path: Path, words: list[str]) -> None:
    rows = "".join(f"{row % 97},{row % 2}\n" for row in range(20_000))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "y", "--max-depth", 1)
    assert run(*fit, "-o", "m.json").exit_code == 0
    reading_end, writing_end = os.pipe()
    os.close(reading_end)  # the reader has ended already
    options = ["--max-depth", "1"] if words[0] == "fit" else []
    quiet = ["--quiet"] if words[0] == "predict" else []
    answer = subprocess.run(
        [sys.executable, "-m", "exactree", *words, *options, *quiet],
        stdout=writing_end,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    os.close(writing_end)
    assert (answer.returncode, answer.stderr) == (141, "")
