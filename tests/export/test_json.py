"""to_json and from_json: models are restored; other content ends in one error message."""

import dataclasses
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.errors import ModelError
from exactree.export import from_json, to_json
from exactree.trees import Ensemble, Tree

GOLDEN = Path(__file__).parent / "golden"


@given(data=st.data())
def test_a_tree_is_read_as_it_was_written(fitted_table: Any, data: Any) -> None:
    tree = data.draw(fitted_table()).tree
    text = to_json(tree)
    assert from_json(text) == tree
    assert from_json(text.encode()) == tree
    assert to_json(from_json(text)) == text
    assert text.isascii()


@given(data=st.data())
def test_an_ensemble_is_read_as_it_was_written(voting: Any, data: Any) -> None:
    ensemble, _ = data.draw(voting())
    text = to_json(ensemble)
    read = from_json(text)
    assert isinstance(read, Ensemble)
    assert read.trees == ensemble.trees
    assert to_json(read) == text


def test_files_of_versions_1_and_2_are_read(small_tree: Tree) -> None:
    """Later releases must read all versions; a tree like this one is written as version 2."""
    text = (GOLDEN / "small.json").read_text(encoding="utf-8")
    assert to_json(small_tree) == text
    assert from_json(text) == small_tree
    assert from_json((GOLDEN / "small_version_1.json").read_bytes()) == small_tree


def test_hostile_names_are_read_as_they_were_written(hostile_tree: Tree) -> None:
    tree = from_json(to_json(hostile_tree))
    assert tree == hostile_tree
    assert tree.feature_names == hostile_tree.feature_names


def test_infinite_labels_are_strict_json(small_tree: Tree) -> None:
    fields = {name: getattr(small_tree, name) for name in small_tree.__dataclass_fields__}
    tree = Tree(**{**fields, "classes": np.array([-np.inf, 0.1, np.inf])})
    assert "Infinity" not in to_json(tree)
    assert from_json(to_json(tree)) == tree


def test_a_byte_order_mark_does_no_harm(small_tree: Tree) -> None:
    assert from_json(b"\xef\xbb\xbf" + to_json(small_tree).encode()) == small_tree


def test_every_truncation_is_refused(small_tree: Tree) -> None:
    text = to_json(small_tree)
    for length in range(len(text.rstrip())):
        with pytest.raises(ModelError, match="truncated or not an exactree model"):
            from_json(text[:length])


BAD = {
    "empty": "",
    "empty bytes": b"",
    "text": "hello",
    "a pickle": b"\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.",
    "binary": bytes(range(256)),
    "incomplete UTF-8": b'{"format": "\xc3"}',
    "null": "null",
    "a number": "1",
    "a list": "[]",
    "another object": '{"a": 1}',
    "endless list": "[" * 200_000,
    "endless object": '{"a":' * 200_000,
    "huge integer": '{"format": ' + "9" * 5000 + "}",
    "NaN": '{"format": NaN}',
    "infinity": '{"format": -Infinity}',
    "an entry twice": '{"format": "exactree tree", "format": "exactree tree"}',
    "more content after the model": '{"format": "exactree tree"} {}',
    "from the future": '{"format": "exactree tree", "version": 99, "new": []}',
    "control character": "\x00",
}


@pytest.mark.parametrize("case", BAD)
def test_other_content_is_refused(case: str) -> None:
    with pytest.raises(ModelError) as refusal:
        from_json(BAD[case])
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_reading_executes_nothing(small_tree: Tree, tmp_path: Path) -> None:
    """A name that is Python code is not run."""
    target = tmp_path / "touched"
    code = f"__import__('os').mkdir({str(target)!r})"
    model = json.loads(to_json(small_tree))
    model["feature_names"] = [code, code]
    model["classes"]["labels"] = [code, "b", "c"]
    tree = from_json(json.dumps(model))
    assert tree.feature_names == (code, code)
    str(tree)
    assert not os.path.exists(target)


def test_damaged_bytes_end_in_a_valid_tree_or_a_model_error(small_tree: Tree) -> None:
    rng = random.Random(0)
    content = to_json(small_tree).encode()
    for _ in range(3000):
        damaged = bytearray(content)
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            tree = from_json(bytes(damaged))
        except ModelError:
            continue
        assert from_json(to_json(tree)) == tree


def test_labels_that_json_cannot_hold_are_refused(small_tree: Tree) -> None:
    fields = {name: getattr(small_tree, name) for name in small_tree.__dataclass_fields__}
    classes = np.empty(3, dtype=object)
    classes[:] = ["a", ("b",), 3]
    with pytest.raises(ModelError, match=r"class 1 \(of type tuple\) cannot be written"):
        to_json(Tree(**{**fields, "classes": classes}))


def test_the_effect_of_float32_is_restored(zoo: Any) -> None:
    """`same_in_float32` is not written if it is true: if float32 keeps all rows in their leaves."""
    close, numbers = zoo["close"].model, zoo["numbers"].model
    assert close.same_in_float32 is False
    assert from_json(to_json(close)).same_in_float32 is False
    assert numbers.same_in_float32 is True
    assert "same_in_float32" not in to_json(numbers)
    assert from_json(to_json(numbers)).same_in_float32 is True
    unknown = dataclasses.replace(numbers, same_in_float32=None)
    assert from_json(to_json(unknown)).same_in_float32 is None
    with pytest.raises(
        ModelError, match="'same_in_float32' of the model must be true, false or null"
    ):
        from_json(to_json(close).replace('"same_in_float32": false', '"same_in_float32": 0'))


@pytest.mark.parametrize("path", ["model.json", "some/where/model.json", Path("model.json")])
def test_a_path_is_answered_by_the_call_that_reads_it(path: Any) -> None:
    with pytest.raises(ModelError, match=r"^this is a path: pass the text of the file, from_json"):
        from_json(path)


def test_models_of_the_command_line_are_read(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from exactree.cli import main

    table = tmp_path / "t.csv"
    rows = [f"{colour},{number},{number > 3}" for number in range(8) for colour in ("red", "blue")]
    table.write_text("\n".join(["colour,x,y", *rows]), encoding="utf-8")
    model = tmp_path / "m.json"
    arguments = ["fit", str(table), "--target", "y", "--max-depth", "2", "-o", str(model)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    tree = from_json(model.read_text(encoding="utf-8"))
    assert tree.feature_names == ("colour", "x")
    assert tree.predict([["red", 5.0], ["blue", 1.0]]).tolist() == ["True", "False"]


def test_newer_and_empty_models_of_the_command_line_are_refused() -> None:
    with pytest.raises(ModelError, match="version 9 of the format of exactree fit"):
        from_json('{"kind": "exactree model", "version": 9, "tree": {}}')
    with pytest.raises(ModelError, match="has no tree"):
        from_json('{"kind": "exactree model", "version": 2}')
