"""The certificate of a report: what the page holds, and what is refused."""

import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.certificates import Reason
from exactree.export import report
from exactree.export.page import certificate as page_certificate
from exactree.export.page.certificate import CHECKER

from .reported import CERTIFIED, certified, ensemble, regression

pytest.importorskip("jinja2")
SOURCE = Path(__file__).parents[2] / "crates" / "check-wasm" / "src" / "lib.rs"


@pytest.fixture
def checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a file stand for the checker, which is compiled only where there is a compiler for it."""
    path = tmp_path / "checker.wasm"
    path.write_bytes(b"the checker")
    monkeypatch.setattr(page_certificate, "CHECKER", path)
    return path


def data_in(page: str) -> Any:
    (found,) = re.findall(r'id="certificate-data">(.*?)</script>', page)
    return json.loads(found)


def unpacked(text: str) -> bytes:
    return gzip.decompress(b64decode(text))


def test_the_compiled_checker_is_a_program_of_webassembly() -> None:
    if not CHECKER.exists():
        pytest.skip("`make wasm` has not compiled the checker")
    content = CHECKER.read_bytes()
    assert content.startswith(b"\0asm\1\0\0\0")
    assert len(content) < 200_000
    assert not re.search(rb"/(root|home|Users)/", content), (
        "no path of the machine that compiled it"
    )


def test_reasons_have_the_numbers_that_the_checker_answers() -> None:
    numbers = re.findall(r"Reason::(\w+) => (\d+),", SOURCE.read_text("utf-8"))
    names = [(reason.name, str(number)) for number, reason in enumerate(Reason, 1)]
    assert [(name.upper(), number) for name, number in numbers] == [
        *names,
        ("STOPPED", str(len(names) + 1)),
    ]


@pytest.mark.parametrize("kind", CERTIFIED)
def test_the_page_holds_certificate_statement_and_checker(checker: Path, kind: str) -> None:
    arguments = certified(kind)
    page = report(**arguments)
    data = data_in(page)
    assert unpacked(data["certificate"]) == arguments["certificate"].content
    assert data["statement"] == arguments["certificate"].statement
    assert unpacked(data["checker"]) == checker.read_bytes()
    assert data["table"] is None
    assert "Check this certificate" in page
    assert page.count("'sha256-") == 2
    assert "'wasm-unsafe-eval'" in page


def test_a_page_without_a_certificate_allows_no_webassembly(checker: Path) -> None:
    arguments = certified("classes") | {"certificate": None}
    page = report(**arguments)
    assert "wasm" not in page
    assert "The certificate" not in page


def test_only_an_embedded_table_is_in_the_page(checker: Path) -> None:
    arguments = certified("weights")
    data = data_in(report(**arguments, embed_table=True))
    X, y, weights = (np.array(arguments[name]) for name in ("X", "y", "sample_weight"))
    kept = weights > 0
    table, rows = unpacked(data["table"]), int(kept.sum())
    assert data["rows"] == rows
    columns = np.frombuffer(table[: 24 * rows], dtype="<f8").reshape(3, rows)
    assert (X[kept] == columns.T).all()
    labels = np.frombuffer(table[24 * rows : 28 * rows], dtype="<u4")
    assert (np.unique(y)[labels] == y[kept]).all()
    integers = np.frombuffer(table[28 * rows :], dtype="<u8")
    assert (integers / int(data["scale"]) == weights[kept]).all()
    assert (data["weights"], data["target"]) == ("how many", "answer")


def test_without_the_compiled_checker_there_is_no_button(checker: Path) -> None:
    checker.unlink()
    arguments = certified("classes")
    page = report(**arguments, embed_table=True)
    assert arguments["certificate"].statement in page
    assert "has no checker for browsers" in page
    assert "Check this certificate" not in page
    assert "wasm-unsafe-eval" not in page
    assert "certificate-data" not in page


def test_a_certificate_of_another_table_is_refused() -> None:
    arguments = certified("classes")
    other = arguments | {"X": arguments["X"] + (np.arange(60) == 7)[:, None]}
    with pytest.raises(xt.CertificateRefused) as refused:
        report(**other)
    assert refused.value.reason == "table"
    wider = certified("levels")["certificate"]
    with pytest.raises(xt.CertificateRefused) as refused:
        report(**arguments | {"certificate": wider})
    assert refused.value.reason == "table"


@pytest.mark.parametrize("max_depth", [1, 3])
def test_a_certificate_of_another_tree_is_refused(max_depth: int) -> None:
    arguments = certified("classes")
    model = xt.OptimalTreeClassifier(max_depth=max_depth).fit(arguments["X"], arguments["y"])
    with pytest.raises(ValueError, match="of another tree than that of the report"):
        report(**arguments | {"model": model})


@pytest.mark.parametrize("reported", [ensemble, regression])
def test_ensembles_and_regression_trees_have_no_certificate(reported: Any) -> None:
    arguments = certified("classes") | dict(zip(("model", "X", "y"), reported(), strict=True))
    with pytest.raises(ValueError, match="of another tree than that of the report"):
        report(**arguments)


def test_wrong_arguments_are_refused(monkeypatch: pytest.MonkeyPatch, checker: Path) -> None:
    arguments = certified("classes")
    with pytest.raises(TypeError, match=r"Certificate.load\(path\)"):
        report(**arguments | {"certificate": "model.xtc"})
    for name, value in (("embed_table", True), ("sample_weight", np.ones(60))):
        with pytest.raises(ValueError, match="are for a certificate; pass certificate="):
            report(**arguments | {"certificate": None, name: value})
    monkeypatch.setattr(page_certificate, "MAX_TABLE_BYTES", 60 * 36 - 1)
    report(**arguments)
    with pytest.raises(ValueError, match="it takes 2,160 bytes, more than 2,159"):
        report(**arguments, embed_table=True)
