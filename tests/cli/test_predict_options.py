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


def test_an_appended_table_keeps_its_format(run: Run, tmp_path: Path) -> None:
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


def test_regression_has_no_probabilities(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "size", "--task", "regression", "-o", "m.json")
    assert run(*fit).exit_code == 0
    result = run("predict", "m.json", fruit, "--probabilities")
    assert result.exit_code == 2
    assert "--probabilities needs a classifier" in result.stderr


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


def test_the_hint_for_absent_columns_names_the_columns_of_the_table(run: Run) -> None:
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
    assert result.stderr == "exactree: 1 of the 2 rows with a label is misclassified\n"
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
    os.close(reading_end)  # the reader is gone
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


GERMAN = "größe;preis;wert;art\n1,5;1.000 €;2,5;süß\n2,5;2.000 €;3,25;herb\n"


@pytest.fixture
def german(run: Run, tmp_path: Path) -> Path:
    """Write a table as German spreadsheets save it, and fit a regression and a classifier."""
    path = tmp_path / "t.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    fit = ("fit", path, "--numbers", "preis", "--quiet", "--target")
    assert run(*fit, "wert", "--task", "regression", "-o", "m.json").exit_code == 0
    assert run(*fit, "art", "-o", "c.json").exit_code == 0
    return path


def test_an_appended_table_keeps_its_encoding(run: Run, german: Path) -> None:
    result = run("predict", "m.json", german, "--append", "-o", "out.csv", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    header, first = Path("out.csv").read_bytes().decode("cp1252").splitlines()[:2]
    assert header == "größe;preis;wert;art;predicted_wert"
    assert first == "1,5;1.000 €;2,5;süß;2,5"


def test_ids_and_probabilities_have_the_format_of_the_table(run: Run, german: Path) -> None:
    shown = run("predict", "m.json", german, "--ids", "art,größe", "--quiet").stdout
    assert shown.splitlines()[:2] == ["art;größe;wert", "süß;1,5;2,5"]
    shown = run("predict", "c.json", german, "--ids", "wert", "--probabilities", "--quiet").stdout
    assert shown.splitlines()[:2] == [
        "wert;art;probability_herb;probability_süß",
        "2,5;süß;0;1",
    ]
    plain = run("predict", "m.json", german, "--quiet").stdout
    assert plain == "wert\n2.5\n3.25\n"


def test_probabilities_have_the_decimal_mark_of_an_appended_table(run: Run, german: Path) -> None:
    fit = ("fit", german, "--numbers", "preis", "--quiet", "--target", "art", "--max-depth", 0)
    assert run(*fit, "-o", "c.json").exit_code == 0
    shown = run("predict", "c.json", german, "--append", "--probabilities", "--quiet").stdout
    assert shown.splitlines()[1].endswith(";0,5;0,5")


def test_a_label_that_the_encoding_lacks_makes_the_file_utf_8(run: Run, tmp_path: Path) -> None:
    (tmp_path / "fit.csv").write_text("größe,y\n1,żółty\n2,b\n", encoding="utf-8")
    (tmp_path / "t.csv").write_bytes("größe\n1\n".encode("cp1252"))
    assert run("fit", "fit.csv", "--target", "y", "-o", "m.json").exit_code == 0
    result = run("predict", "m.json", "t.csv", "--append", "-o", "out.csv")
    assert "out.csv is in UTF-8, because cp1252 has no 'ż'." in result.stderr
    assert Path("out.csv").read_text(encoding="utf-8") == "größe,predicted_y\n1,żółty\n"


@pytest.mark.parametrize("name", ["out.xlsx", "out.json", "out.csv.zip"])
def test_files_of_other_formats_for_predictions_are_refused(
    run: Run, model: Path, fruit: Path, name: str
) -> None:
    result = run("predict", model, fruit, "-o", name)
    assert result.exit_code == 2
    message = " ".join(result.stderr.split())
    assert f"'{name}' must end in .csv or .csv.gz or .tsv or .txt or .parquet or" in message
    assert not Path(name).exists()


def test_predictions_are_gzipped_or_separated_by_tabs(run: Run, model: Path, fruit: Path) -> None:
    import gzip

    assert run("predict", model, fruit, "-o", "out.csv.gz").exit_code == 0
    with gzip.open("out.csv.gz", "rt", encoding="utf-8") as file:
        assert file.readline() == "kind\n"
    assert run("predict", model, fruit, "--append", "-o", "out.tsv").exit_code == 0
    line = Path("out.tsv").read_text(encoding="utf-8").splitlines()[0]
    assert line == "x\tsize\tcolour\tkind\tpredicted_kind"
    for name in ("OUT.CSV", "out"):
        assert run("predict", model, fruit, "-o", name).exit_code == 0


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_files_of_other_formats_for_models_are_refused(run: Run, fruit: Path, command: str) -> None:
    result = run(command, fruit, "--target", "kind", "-o", "m.pkl")
    assert result.exit_code == 2
    message = " ".join(result.stderr.split())
    assert "'m.pkl' must end in .json; models are JSON, and exactree export writes other" in message


def test_the_decimal_mark_of_a_table_is_found_in_amounts_of_money(run: Run, tmp_path: Path) -> None:
    """The table has no other numbers with a fractional part."""
    table = "nr;preis;art\n1;1.000,50 €;a\n2;1.000,50 €;b\n3;2.000,50 €;b\n"
    (tmp_path / "t.csv").write_text(table, encoding="utf-8")
    fit = ("fit", "t.csv", "--numbers", "preis", "--exclude", "nr", "-o", "m.json", "--quiet")
    assert run(*fit, "--target", "art", "--max-depth", 1).exit_code == 0
    words = ("predict", "m.json", "t.csv", "--ids", "nr", "--probabilities", "--quiet")
    assert run(*words).stdout.splitlines()[1] == "1;b;0,333333;0,666667"
    numbers = ("--target", "preis", "--task", "regression", "--max-depth", 0)
    assert run(*fit, *numbers).exit_code == 0
    assert run(*words[:-2], "--quiet").stdout.splitlines()[1].startswith("1;1333,83")
