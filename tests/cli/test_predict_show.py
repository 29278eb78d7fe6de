"""`exactree predict` and `exactree show`: predictions and exports of a model file."""

import json
from pathlib import Path

import pytest

from exactree import export
from exactree.trees import Tree

from .conftest import FRUIT, Run


def test_the_training_table_is_predicted_and_its_errors_are_counted(
    run: Run, model: Path, fruit: Path
) -> None:
    result = run("predict", model, fruit)
    assert result.exit_code == 0
    assert result.stdout.split() == ["kind", *(r.split(",")[3] for r in FRUIT.split()[1:])]
    assert result.stderr == "exactree: 0 of 6 rows are misclassified\n"
    assert run("predict", model, fruit, "--quiet").stderr == ""


def test_columns_are_found_by_name(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text(
        "colour,other,size,x\nred,?,2,0\ngreen,,2,4\n", encoding="utf-8"
    )
    result = run("predict", model, "new.csv", "-o", "out.csv")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "kind\napple\npear\n"


def test_no_rows_give_no_predictions(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("x,size,colour\n", encoding="utf-8")
    assert run("predict", model, "new.csv").stdout == "kind\n"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("size,colour\n1,red\n", "new.csv lacks columns that the tree uses: 'x'."),
        ("x,size,colour\nbig,1,red\n", "Column 'x' has 'big' in row 1 (line 2 of new.csv)"),
    ],
)
def test_tables_that_do_not_fit_the_model_are_refused(
    run: Run, model: Path, tmp_path: Path, table: str, message: str
) -> None:
    (tmp_path / "new.csv").write_text(table, encoding="utf-8")
    result = run("predict", model, "new.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 2


@pytest.mark.parametrize("labels", [("1.50", "0.5"), ("007", "7"), ("+1", "-1"), ("10", "9")])
def test_predicted_labels_are_written_as_in_the_training_table(
    run: Run, tmp_path: Path, labels: tuple[str, str]
) -> None:
    (tmp_path / "t.csv").write_text(f"x,y\n1,{labels[0]}\n2,{labels[1]}\n", encoding="utf-8")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json").exit_code == 0
    assert run("predict", "m.json", "t.csv").stdout.split() == ["y", *labels]


def test_show_prints_the_model_in_every_format(run: Run, model: Path) -> None:
    text = run("show", model)
    assert text.exit_code == 0
    assert "digraph" in run("show", model, "--format", "dot").stdout
    assert "</svg>" in run("show", model, "--format", "svg").stdout
    assert run("show", model, "--format", "sql").stdout.startswith("CASE\n")
    assert "int predict(const double *x)" in run("show", model, "--format", "c").stdout
    assert run("show", model, "--format", "python").stdout.splitlines()[1] == "def predict(x):"
    shown = json.loads(run("show", model, "--format", "json").stdout)
    content = json.loads(model.read_text(encoding="utf-8"))
    tree = Tree.from_dict(content["tree"])
    assert Tree.from_dict(shown) == tree
    for name in ("rules", "javascript", "spreadsheet", "pmml"):
        expected = export.EXPORTERS[name](tree)
        assert run("show", model, "--format", name).stdout == f"{expected.rstrip()}\n"
    assert text.stdout == f"{str(tree).rstrip()}\n"
    assert run("show", model, "--format", "bmp").exit_code == 2


def broken(content: dict[str, object], **changes: object) -> str:
    """Return a model file with some entries changed, or removed if the change is None."""
    changed = {**content, **changes}
    return json.dumps({key: value for key, value in changed.items() if value is not None})


def test_damaged_model_files_are_refused_in_one_sentence(
    run: Run, model: Path, fruit: Path
) -> None:
    text = model.read_text(encoding="utf-8")
    content = json.loads(text)
    for written, message in [
        (text[: len(text) // 2], "is not a model file, or is truncated"),
        ("", "is not a model file, or is truncated"),
        ("[1, 2]", "is JSON, but not a model that `exactree fit` wrote."),
        ('{"tree": {}}', "is JSON, but not a model"),
        (broken(content, version=99), "has version 99 of the model format"),
        (broken(content, version="1"), "has no valid version"),
        (broken(content, tree=None), "is damaged: it has no 'tree'."),
        (broken(content, tree={}), "is damaged: "),
        (broken(content, columns=content["columns"][:1]), "do not give the features of its tree"),
        (broken(content, columns=[{}]), "is damaged: "),
        (broken(content, target=7), "is damaged: "),
    ]:
        model.write_text(written, encoding="utf-8")
        for words in (("show", model), ("predict", model, fruit)):
            result = run(*words)
            assert result.exit_code == 1, written[:80]
            assert result.stdout == ""
            assert message in result.stderr
            assert result.stderr.count("\n") == 2
    model.write_bytes(b"\xff\xfe\x00")
    assert run("show", model).exit_code == 1
    assert run("show", "absent.json").stderr == (
        "exactree: absent.json cannot be read: No such file or directory.\n"
        "hint: model files are written by exactree fit -o model.json.\n"
    )


def test_models_of_version_1_predict_as_before(run: Run, tmp_path: Path) -> None:
    """In version 1 columns of text were one-hot encoded, and unseen levels refused."""
    (tmp_path / "t.csv").write_text("red,y\n1,apple\n0,pear\n", encoding="utf-8")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json").exit_code == 0
    content = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    content |= {"version": 1, "columns": [{"name": "colour", "levels": ["green", "red"]}]}
    content["tree"]["feature_names"] = ["colour=red"]
    (tmp_path / "m.json").write_text(json.dumps(content), encoding="utf-8")
    for colour, answer in (("red", "y\napple\n"), ("green", "y\npear\n")):
        (tmp_path / "new.csv").write_text(f"colour\n{colour}\n", encoding="utf-8")
        assert run("predict", "m.json", "new.csv").stdout == answer
    (tmp_path / "new.csv").write_text("colour\nblue\n", encoding="utf-8")
    assert "'blue' in row 1 (line 2 of new.csv), a level that did not occur when" in (
        run("predict", "m.json", "new.csv").stderr
    )


def test_help_and_version_end_with_exit_code_0(run: Run) -> None:
    assert run("--version").exit_code == 0
    for words in (["--help"], ["fit", "-h"], ["predict", "--help"], ["show", "--help"]):
        assert run(*words).exit_code == 0
