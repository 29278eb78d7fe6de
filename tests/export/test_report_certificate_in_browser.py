"""The certificate of a report, checked in headless Chromium: for embedded tables and for files.

Skipped where no Chromium is installed, or `make wasm` has not compiled the checker.
"""

import gzip
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import exactree as xt
from exactree.certificates import Reason
from exactree.export import report
from exactree.export.page.certificate import CHECKER

from .reported import CERTIFIED, certified

pytest.importorskip("jinja2")
pytestmark = pytest.mark.skipif(
    not CHECKER.exists(), reason="`make wasm` has not compiled the checker"
)
REFUSED_TABLE = f"✗ Refused for the table in this page: {Reason.TABLE.value}."
NO_PROGRAM = b"\0asm\1\0\0\0"


def checked(page: Any, file: str | None = None) -> str:
    """Return the answer of the button, with a file of this content if one is given."""
    if file is not None:
        content = {"name": "table.csv", "mimeType": "text/csv", "buffer": file.encode()}
        page.set_input_files("#table-file", content)
        assert page.inner_text("#checked") == ""
    page.click("#check")
    page.wait_for_selector("#checked strong")
    assert page.is_enabled("#check")
    text: str = page.inner_text("#checked")
    return " ".join(text.split())


def changed(page: str, name: str, change: Callable[[bytearray], None]) -> str:
    """Return a page in which the packed content of an entry is changed."""
    (text,) = re.findall(r'id="certificate-data">(.*?)</script>', page)
    data = json.loads(text)
    content = bytearray(gzip.decompress(b64decode(data[name])))
    change(content)
    packed = b64encode(gzip.compress(bytes(content))).decode()
    assert packed != data[name]
    return page.replace(data[name], packed)


def frame_of(arguments: dict[str, Any]) -> pd.DataFrame:
    """Return the table with its labels and weights, as in a reader's file."""
    names = [f"x{f}" for f in range(np.shape(arguments["X"])[1])]
    X = arguments["X"]
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=names)
    frame.insert(1, "not used", "a, b")
    frame["answer"] = arguments["y"]
    weights = arguments["sample_weight"]
    return frame if weights is None else frame.assign(**{weights.name: weights})


@pytest.mark.parametrize("kind", CERTIFIED)
def test_certificates_are_verified_for_the_table_in_the_page(opened: Any, kind: str) -> None:
    arguments = certified(kind)
    page = opened(report(**arguments, embed_table=True)).page
    statement = arguments["certificate"].statement
    assert checked(page) == f"✓ Verified for the table in this page: {statement}."
    assert checked(page) == f"✓ Verified for the table in this page: {statement}.", "again"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("kind", CERTIFIED)
def test_certificates_are_verified_for_a_file(opened: Any, kind: str, separator: str) -> None:
    arguments = certified(kind)
    page = opened(report(**arguments)).page
    assert checked(page) == "Not checked: choose the file of the table first."
    frame = frame_of(arguments)
    file = "\ufeff" + frame.to_csv(index=False, sep=separator, lineterminator="\r\n")
    statement = arguments["certificate"].statement
    assert checked(page, file) == f"✓ Verified for the file “table.csv”: {statement}."
    # Of an example that has a weight.
    row = 5
    other = next(label for label in frame.answer if label != frame.answer[row])
    frame.loc[row, "answer"] = other
    refusal = f"✗ Refused for the file “table.csv”: {Reason.TABLE.value}."
    assert checked(page, frame.to_csv(index=False)) == refusal


def test_a_file_can_be_dropped(opened: Any) -> None:
    arguments = certified("classes")
    page = opened(report(**arguments)).page
    text = frame_of(arguments).to_csv(index=False)
    dropped = page.evaluate_handle(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.csv"));
            return data;
        }""",
        text,
    )
    page.dispatch_event("#certificate-form", "drop", {"dataTransfer": dropped})
    assert checked(page).startswith("✓ Verified for the file “dropped.csv”: no tree of depth")


def test_changed_tables_and_certificates_are_refused(opened: Any) -> None:
    text = report(**certified("weights"), embed_table=True)
    rows = 45

    def flip_a_label(table: bytearray) -> None:
        table[24 * rows + 4 * 7] ^= 1

    def change_a_weight(table: bytearray) -> None:
        table[-8] += 1

    def shorten(table: bytearray) -> None:
        del table[-1]

    for change in (flip_a_label, change_a_weight, shorten):
        assert checked(opened(changed(text, "table", change)).page) == REFUSED_TABLE

    def state_a_greater_bound(content: bytearray) -> None:
        before, name, after = content.partition(b"\nlower-bound ")
        bound, rest = after.split(b"\n", 1)
        content[:] = before + name + b"%d\n" % (int(bound) + 1) + rest

    def shorten_the_proof(content: bytearray) -> None:
        del content[-1]

    def change_the_version(content: bytearray) -> None:
        content[0] ^= 1

    for change, reason in (
        (state_a_greater_bound, Reason.CONCLUSION),
        (shorten_the_proof, Reason.LENGTH),
        (change_the_version, Reason.FORMAT),
    ):
        answer = checked(opened(changed(text, "certificate", change)).page)
        assert answer == f"✗ Refused for the table in this page: {reason.value}."


def test_a_broken_checker_verifies_nothing(opened: Any) -> None:
    text = report(**certified("classes"), embed_table=True)

    def replace(content: bytearray) -> None:
        content[:] = NO_PROGRAM

    def cut(content: bytearray) -> None:
        del content[len(content) // 2 :]

    for change in (replace, cut):
        answer = checked(opened(changed(text, "checker", change)).page)
        assert answer.startswith("The check failed without an answer, so nothing is verified: ")


def test_unusable_files_are_refused_with_a_reason(opened: Any) -> None:
    arguments = certified("levels")
    page = opened(report(**arguments)).page
    frame = frame_of(arguments)

    def answer(table: pd.DataFrame) -> str:
        return checked(page, table.to_csv(index=False))

    missing = answer(frame.drop(columns="length"))
    assert missing == "Not checked: the file has no column “length”."
    assert answer(frame.drop(columns="answer")) == "Not checked: the file has no column “answer”."
    blue = answer(frame.assign(colour="bluish"))
    assert blue == "Not checked: “bluish” in column “colour” is no level of the training examples."
    words = answer(frame.assign(length="long"))
    assert words == "Not checked: “long” in column “length” is no number."
    assert answer(frame.assign(answer=None)) == "Not checked: a row has no label."
    uneven = "colour,length,code,answer\nblue,1,2\n"
    assert checked(page, uneven) == "Not checked: a row has 3 cells, the header 4."
    assert answer(frame.iloc[:0]) == f"✗ Refused for the file “table.csv”: {Reason.TABLE.value}."
    assert checked(page, "") == "Not checked: the file has no column “colour”."


def test_weights_of_a_file_must_be_those_of_the_certificate(opened: Any) -> None:
    arguments = certified("weights")
    page = opened(report(**arguments)).page
    frame = frame_of(arguments)
    for weight in ("0.3", "-1", "heavy", ""):
        table = frame.assign(**{"how many": weight})
        answer = checked(page, table.to_csv(index=False))
        assert answer == f"Not checked: “{weight}” is no weight of the training examples."


def test_without_a_name_the_labels_are_the_only_other_column(opened: Any) -> None:
    arguments = certified("classes") | {"target": None}
    page = opened(report(**arguments)).page
    frame = frame_of(arguments)
    unknown = "Not checked: the page does not know which column of the file has the labels."
    assert checked(page, frame.to_csv(index=False)) == unknown
    table = frame.drop(columns="not used")
    assert checked(page, table.to_csv(index=False)).startswith("✓ Verified")


def test_the_certificate_can_be_saved(opened: Any, tmp_path: Path) -> None:
    arguments = certified("classes")
    page = opened(report(**arguments)).page
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "certificate.xtc"
    download.value.save_as(tmp_path / "saved.xtc")
    saved = xt.Certificate.load(tmp_path / "saved.xtc")
    assert saved == arguments["certificate"]
    xt.check(saved, arguments["X"], arguments["y"])


def test_narrow_pages_do_not_overflow(opened: Any) -> None:
    page = opened(report(**certified("classes"), embed_table=True), width=360).page
    checked(page)
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0


# Answers of many changed certificates, each from an instance of its own; -1 without an answer.
ANSWERS = """async ([checker, table, rows, features, scale, contents]) => {
    const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const program = await WebAssembly.compile(bytes(checker));
    return contents.map((content) => {
        const { memory, reserve, check } = new WebAssembly.Instance(program).exports;
        const placed = (content) => {
          const start = reserve(content.length);
          new Uint8Array(memory.buffer, start, content.length).set(content);
          return [start, content.length];
        };
        const places = [...placed(bytes(content)), ...placed(bytes(table))];
        try {
          return check(...places, rows, features, BigInt(scale));
        } catch {
          return -1;
        }
    });
}"""


@pytest.mark.parametrize("kind", CERTIFIED)
def test_the_checker_answers_as_that_of_python(browser: Any, kind: str) -> None:
    """On changed certificates; a panic would be a reason to refuse in the other checker."""
    arguments = certified(kind)
    text = report(**arguments, embed_table=True)
    (found,) = re.findall(r'id="certificate-data">(.*?)</script>', text)
    data = json.loads(found)
    content = arguments["certificate"].content
    rng = np.random.default_rng(5)
    contents = [content]
    for _ in range(300):
        mutated = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 3)):
            mutated[at] = rng.choice([mutated[at] ^ 1, mutated[at] ^ 128, int(rng.integers(256))])
        contents.append(bytes(mutated))
    expected = [answer_of(mutated, arguments) for mutated in contents]
    encoded = [b64encode(mutated).decode() for mutated in contents]
    checker, table = (gzip.decompress(b64decode(data[name])) for name in ("checker", "table"))
    page = browser.new_page()
    answers = page.evaluate(
        ANSWERS,
        [
            b64encode(checker).decode(),
            b64encode(table).decode(),
            data["rows"],
            len(data["features"]),
            data["scale"],
            encoded,
        ],
    )
    page.close()
    assert answers == expected
    assert len({*answers}) > 3, "several reasons"


def answer_of(content: bytes, arguments: dict[str, Any]) -> int:
    """Return the answer of the checker in this package as the number of its reason."""
    X, y, weights = (arguments[name] for name in ("X", "y", "sample_weight"))
    try:
        xt.check(xt.Certificate(content), X, y, sample_weight=weights)
    except xt.CertificateRefused as refused:
        return [reason.name.lower() for reason in Reason].index(refused.reason) + 1
    return 0
