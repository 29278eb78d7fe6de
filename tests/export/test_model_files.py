"""Model files of any content and size end in a model or in one error message."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from exactree.cli import main
from exactree.cli.model_file import MAX_BYTES, read_model
from exactree.errors import ModelError
from exactree.export import from_json, to_json
from exactree.trees import Ensemble, Tree

WRONG: list[Any] = [
    None, True, -1, 0, 1, 2**53, 2**63, -(2**200), 1e308, -0.5, "", "x", "\ud800", [], [[]], {},
    {"float": "inf"}, [0, 0], "<=", "in", [1e400], [None], {"0": []}, {"": ["a", "a"]},
]  # fmt: skip


def paths_in(record: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths (tuples of keys and indices) to all entries of nested lists and objects."""
    entries: Any = ()
    if isinstance(record, dict):
        entries = record.items()
    elif isinstance(record, list):
        entries = enumerate(record)
    return [path, *(inner for key, entry in entries for inner in paths_in(entry, (*path, key)))]


def replaced(record: Any, path: tuple[Any, ...], content: Any) -> Any:
    """Return a copy of a record with other content at a path."""
    if not path:
        return content
    copied = copy.copy(record)
    copied[path[0]] = replaced(record[path[0]], path[1:], content) if path[1:] else content
    return copied


@pytest.fixture(scope="module")
def records(zoo: Any) -> list[dict[str, Any]]:
    """Return a model of every kind as parsed JSON."""
    return [json.loads(to_json(case.model)) for case in zoo.values()]


def read_or_refused(content: str | bytes) -> Tree | Ensemble | None:
    """Return the model, or None if one short sentence says why the content is refused."""
    try:
        return from_json(content)
    except ModelError as refusal:
        message = str(refusal)
    assert "\n" not in message
    assert len(message) < 700
    return None


@given(data=st.data())
def test_wrong_content_anywhere_is_refused_or_gives_a_valid_model(records: Any, data: Any) -> None:
    """The content includes cycles of nodes, as children are replaced by any number."""
    record = data.draw(st.sampled_from(records))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(paths_in(record)))
        numbers = st.integers(-3, 20) | st.floats() | st.text(max_size=3)
        record = replaced(record, path, data.draw(st.sampled_from(WRONG) | numbers))
        if not isinstance(record, dict):
            break
    model = read_or_refused(json.dumps(record))
    if model is not None:
        assert from_json(to_json(model)) == model
        rows = np.zeros((1, len(model.feature_names)))
        model.predict_index(rows)  # ends: there are no cycles


@given(data=st.data())
def test_lost_and_swapped_entries_are_refused_or_give_a_valid_model(
    records: Any, data: Any
) -> None:
    record = copy.deepcopy(data.draw(st.sampled_from(records)))
    inner = record["trees"][0] if "trees" in record else record
    first, second = (data.draw(st.sampled_from(sorted(inner))) for _ in range(2))
    inner[first], inner[second] = inner[second], inner[first]
    if data.draw(st.booleans()):
        del inner[first]
    model = read_or_refused(json.dumps(record))
    if model is not None:
        assert from_json(to_json(model)) == model


@given(content=st.binary(max_size=60) | st.text(max_size=60))
def test_random_bytes_are_refused(content: Any) -> None:
    assert read_or_refused(content) is None


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"format": "exactree ensemble", "version": 1, "trees": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"format": "exactree tree", "version": ' + "9" * 100_000 + "}",
        '{"format": "exactree tree", "version": 1e999999}',
        '{"a": ' * 5000 + "1" + "}" * 5000,
    ],
    ids=["lists", "lists for trees", "digits", "exponent", "objects"],
)
def test_very_deep_nesting_and_very_long_numbers_are_refused(content: str, tmp_path: Path) -> None:
    assert read_or_refused(content) is None
    path = tmp_path / "model.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError):
        read_model(path)


def test_ensembles_of_ensembles_are_refused(three_trees: Ensemble) -> None:
    record = three_trees.to_dict()
    for _ in range(3):
        record = {"format": "exactree ensemble", "version": 1, "trees": [record]}
    assert read_or_refused(json.dumps(record)) is None


@pytest.fixture(scope="module")
def fitted_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model file of the command line."""
    folder = tmp_path_factory.mktemp("models")
    rows = "\n".join(
        f"{k},{'red' if k % 3 else 'blue'},{'yes' if k > 4 else 'no'}" for k in range(9)
    )
    (folder / "table.csv").write_text(f"size,colour,answer\n{rows}\n", encoding="utf-8")
    options = ["--target", "answer", "--max-depth", "2", "--quiet"]
    command = ["fit", str(folder / "table.csv"), *options]
    result = CliRunner().invoke(main, [*command, "-o", str(folder / "model.json")])
    assert result.exit_code == 0, result.output
    return folder / "model.json"


@given(data=st.data())
def test_wrong_files_of_the_command_line_are_read_or_refused_in_one_line(
    fitted_file: Path, data: Any
) -> None:
    record = json.loads(fitted_file.read_text("utf-8"))
    path = data.draw(st.sampled_from(paths_in(record)))
    wrong = replaced(record, path, data.draw(st.sampled_from(WRONG)))
    file = fitted_file.parent / "wrong.json"
    file.write_text(json.dumps(wrong), encoding="utf-8")
    message = ""
    try:
        read_model(file)
    except ModelError as refusal:
        message = str(refusal)
    assert "\n" not in message


def test_truncated_files_are_refused(fitted_file: Path) -> None:
    content = fitted_file.read_bytes().rstrip()
    file = fitted_file.parent / "truncated.json"
    for length in range(0, len(content), 7):  # every seventh, because each is written to disk
        file.write_bytes(content[:length])
        with pytest.raises(ModelError, match="not a model file, or is truncated"):
            read_model(file)


def test_files_beyond_the_maximum_size_are_refused(tmp_path: Path) -> None:
    """The file is sparse: it takes no space on the disk."""
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ModelError, match=r"is larger than .* bytes, the maximum"):
        read_model(path)
