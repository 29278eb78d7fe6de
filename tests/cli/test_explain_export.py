"""`exactree explain` and `exactree export`: explanations, pictures, programs, ONNX."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from exactree.cli.formats import FORMATS
from exactree.cli.model_file import read_model
from exactree.cli.table import read_table

from .conftest import Run


def test_an_explanation_is_that_of_python(run: Run, model: Path, fruit: Path) -> None:
    fitted = read_model(model)
    X = fitted.encoding.apply(read_table(fruit))
    result = run("explain", model, fruit, "--rows", "4,1")
    assert result.exit_code == 0
    expected = [f"row {row}: {fitted.tree.explain(X[row - 1 : row])}" for row in (4, 1)]
    assert result.stdout.splitlines() == expected
    entries = json.loads(run("explain", model, fruit, "--rows", "4", "--json").stdout)["rows"]
    assert (entries[0]["row"], entries[0]["prediction"]) == (4, "pear")
    assert entries[0]["change"]["prediction"] == "apple"
    assert all(set(step) == {"rule", "holds", "value", "margin"} for step in entries[0]["path"])


def test_what_changes_is_limited(run: Run, model: Path, fruit: Path) -> None:
    words = ("explain", model, fruit, "--rows", 4, "--json")
    free = json.loads(run(*words).stdout)["rows"][0]["change"]
    names = ",".join(free["values"])
    fixed = json.loads(run(*words, "--fixed", names).stdout)["rows"][0]
    assert fixed["change"] is None or not set(fixed["change"]["values"]) & set(free["values"])
    price = tuple(word for name in free["values"] for word in ("--price", f"{name}=1000"))
    priced = json.loads(run(*words, *price).stdout)["rows"][0]["change"]
    assert priced["cost"] > free["cost"]
    assert json.loads(run(*words, "--to", "apple").stdout)["rows"][0]["change"] == free


def test_wrong_requests_are_refused(run: Run, model: Path, fruit: Path) -> None:
    for words, code, message in (
        (("--rows", "7"), 1, "has no row 7; it has 6 rows."),
        (("--rows", "0"), 2, "rows are counted from 1, the first row of the table"),
        (("--rows", "1,x"), 2, "'1,x' is not a list of rows, separated by commas"),
        (("--to", "plum"), 1, "plum"),
        (("--fixed", "taste"), 1, "taste"),
        (("--price", "x"), 2, "is not COLUMN=PRICE"),
    ):
        result = run("explain", model, fruit, *words)
        assert (result.exit_code, result.stdout) == (code, ""), words
        assert message in result.stderr


BEGINNINGS = {
    "png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg", "html": b"<", "dot": b"digraph",
    "json": b"{", "sql": b"CASE", "pmml": b"<",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_is_written_in_every_format(run: Run, model: Path, name: str) -> None:
    path = Path(f"out{FORMATS[name].ending}")
    assert run("export", model, "-o", path).stdout.splitlines()[0] == f"written: {path}"
    assert path.read_bytes().startswith(BEGINNINGS.get(name, b""))
    assert run("export", model, "-o", "other", "--format", name, "--json").exit_code == 0
    if name != "onnx":
        assert Path("other").read_bytes() == path.read_bytes() or name == "pdf"


def test_every_picture_of_fit_is_drawn(run: Run, fruit: Path) -> None:
    for ending, beginning in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg")):
        words = ("fit", fruit, "--target", "kind", "--quiet", "--plot", f"tree{ending}")
        assert run(*words).exit_code == 0
        assert Path(f"tree{ending}").read_bytes().startswith(beginning)


@pytest.mark.parametrize("command", ["front", "tune"])
@pytest.mark.parametrize("ending", [".png", ".pdf", ".svg"])
def test_charts_are_drawn(run: Run, fruit: Path, command: str, ending: str) -> None:
    cv = ("--cv", 2) if command == "tune" else ()
    words = (command, fruit, "--target", "kind", "--max-depth", 1, *cv, "--plot", f"c{ending}")
    result = run(*words)
    assert result.exit_code == 0, result.stderr
    assert f"picture: c{ending}" in result.stdout
    assert len(Path(f"c{ending}").read_bytes()) > 1000


def test_an_unknown_ending_is_refused(run: Run, model: Path) -> None:
    result = run("export", model, "-o", "tree.bmp")
    assert result.exit_code == 2
    assert "'tree.bmp' must end in .txt or" in " ".join(result.stderr.split())


def test_an_onnx_model_predicts_the_same(run: Run, fruit: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    fit = ("fit", fruit, "--target", "kind", "--exclude", "colour", "--max-depth", 1)
    smooth = ("--minimize", "log_loss", "--smoothing", "laplace")
    for options in ((), smooth):
        assert run(*fit, *options, "-o", "m.json").exit_code == 0
        assert run("export", "m.json", "-o", "m.onnx").exit_code == 0
        session = runtime.InferenceSession("m.onnx")
        X = read_model(Path("m.json")).encoding.apply(read_table(fruit)).astype(np.float64)
        labels, shares = session.run(None, {"X": X})
        words = ("predict", "m.json", fruit, "--probabilities", "--quiet")
        rows = [line.split(",") for line in run(*words).stdout.splitlines()[1:]]
        assert [row[0] for row in rows] == labels.tolist()
        np.testing.assert_allclose(np.array([row[1:] for row in rows], dtype=float), shares, 1e-5)


def test_a_missing_library_is_named_before_the_search(
    run: Run, model: Path, raisin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [
        name for name in sys.modules if name.partition(".")[0] in ("matplotlib", "onnx")
    ]:
        monkeypatch.setitem(sys.modules, loaded, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "onnx", None)
    slow = ("--target", "Class", "--max-depth", 6)
    for words, extra in (
        (("export", model, "-o", "m.onnx"), "onnx"),
        (("export", model, "-o", "m.png"), "plot"),
        (("fit", raisin, *slow, "--plot", "m.png"), "plot"),
        (("front", raisin, *slow, "--plot", "m.svg"), "plot"),
        (("tune", raisin, *slow, "--plot", "m.svg"), "plot"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"pip install 'exactree[{extra}]'" in result.stderr
        assert result.stderr.count("\n") == 2
