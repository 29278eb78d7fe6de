"""Files of Parquet and Arrow are read and written with their types."""

import sys
from pathlib import Path

import pytest

from .conftest import Run

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")


def table() -> "pa.Table":
    return pa.table(
        {
            "x": pa.array([0.1, 0.2, None, 0.4], pa.float32()),
            "n": pa.array([2**53 + 2, 1, 2, 3], pa.int64()),
            "colour": pa.array(["red", "red", None, "green"]).dictionary_encode(),
            "flag": pa.array([True, False, True, False]),
            "price": pa.array(["1.10", "1.20", "1.30", "1.40"]).cast(pa.decimal128(5, 2)),
            "day": pa.array([1, 2, 3, 4], pa.date32()),
            "list": [[1], [2], [3], [4]],
            "y": ["a", "a", "b", "b"],
        }
    )


def write(path: Path) -> Path:
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(table(), path)
    elif path.suffix == ".feather":
        feather.write_feather(table(), str(path))
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table().schema) as writer:
            writer.write_table(table())
    return path


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_a_tree_is_fitted_to_a_file_and_predicts_it(run: Run, tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    fit = ("fit", name, "--target", "y", "-o", "m.json", "--max-depth", 2)
    assert "Column 'day' holds dates" in run(*fit, "--exclude", "list").stderr
    nested = run(*fit, "--exclude", "day")
    assert (nested.exit_code, nested.stdout) == (1, "")
    assert f"Column 'list' of {name} holds list<" in nested.stderr
    result = run(*fit, "--exclude", "day,list")
    assert "0 errors" in result.stdout
    assert run("predict", "m.json", name).stdout == "y\na\na\nb\nb\n"
    assert run("describe", name, "--target", "y", "--exclude", "day,list").exit_code == 0


def test_numbers_that_stand_for_missing_values_are_named(run: Run, tmp_path: Path) -> None:
    codes = pa.table({"x": [1.5, -999, 2.5, -999], "y": ["a", "b", "a", "b"]})
    feather.write_feather(codes, "t.feather")
    fit = ("fit", "t.feather", "--target", "y", "--max-depth", 1)
    assert run(*fit, "--missing", "-999").stdout.startswith("x is missing\n")
    assert run(*fit).stdout.startswith("x <= ")


def test_numbers_of_32_bits_are_those_of_python(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "t.parquet")
    fit = ("fit", "t.parquet", "--target", "y", "--exclude", "day,list,n,flag,price,colour")
    shown = run(*fit, "--max-depth", 2).stdout
    assert "x <= 0.3" in shown


def test_predictions_are_appended_with_the_types_of_the_table(run: Run, tmp_path: Path) -> None:
    from pyarrow import parquet

    write(tmp_path / "t.parquet")
    fit = ("fit", "t.parquet", "--target", "y", "--exclude", "day,list", "-o", "m.json")
    assert run(*fit).exit_code == 0
    words = ("predict", "m.json", "t.parquet", "--append", "--probabilities")
    for name in ("out.parquet", "out.arrow"):
        assert run(*words, "-o", name).exit_code == 0
        read = parquet.read_table if name.endswith("t") else _read_arrow
        found = read(tmp_path / name)
        assert found.select(table().column_names).to_pydict() == table().to_pydict()
        assert [found.schema.field(n).type for n in ("x", "list")] == [
            table().schema.field(n).type for n in ("x", "list")
        ]
        assert found["predicted_y"].to_pylist() == ["a", "a", "b", "b"]
        assert found["probability_a"].to_pylist() == [1, 1, 0, 0]
    # labels stay text, whatever they look like
    (tmp_path / "t.csv").write_text("x,y\n1,007\n2,7\n", encoding="utf-8")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json").exit_code == 0
    assert run("predict", "m.json", "t.csv", "-o", "p.parquet").exit_code == 0
    assert parquet.read_table(tmp_path / "p.parquet")["y"].to_pylist() == ["007", "7"]


def _read_arrow(path: Path) -> "pa.Table":
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def test_other_content_and_a_missing_library_are_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t.parquet", "t.arrow"):
        (tmp_path / name).write_text("x,y\n1,2\n", encoding="utf-8")
        result = run("fit", name, "--target", "y")
        assert result.exit_code == 1
        assert f"{name} is not a file of Parquet or Arrow" in result.stderr
        assert result.stderr.count("\n") == 2
    absent = run("fit", "absent.parquet", "--target", "y")
    assert "absent.parquet cannot be read: No such file or directory." in absent.stderr
    for loaded in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, loaded, None)
    result = run("fit", "t.parquet", "--target", "y")
    assert result.exit_code == 1
    assert "need pyarrow: pip install 'exactree[parquet]'" in result.stderr
