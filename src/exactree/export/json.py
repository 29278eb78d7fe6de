"""Trees and ensembles as JSON text: exact in both directions, and safe to read."""

from __future__ import annotations

import json
from importlib import resources
from os import PathLike, fspath
from typing import Any, NoReturn

from exactree.errors import ModelError
from exactree.export.calls import TEXT, answers_file_names, is_file_name
from exactree.export.model import Model, fitted
from exactree.trees import Ensemble, Tree
from exactree.trees.ensemble import FORMAT as ENSEMBLE

# The "kind" of models that `exactree fit` writes, and the last version of their format.
_OF_COMMAND = "exactree model"
_VERSION_OF_COMMAND = 3


@answers_file_names(TEXT)
def to_json(model: Model) -> str:
    """Return the tree as JSON text (strict JSON, ASCII, no NaN or Infinity).

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model to write; its labels must be strings, integers, booleans, floats or None.

    Returns
    -------
    str
        One object with ``"format": "exactree tree"`` and as ``"version"`` the oldest version of the
        format that can represent the tree; of an ensemble ``"exactree ensemble"`` and 1, with the
        objects of its trees.

    Raises
    ------
    ModelError
        If JSON cannot represent a label exactly.
    """
    # Floats are written as the shortest decimals that read back as the same float64.
    entries = [
        f"{json.dumps(name)}: {json.dumps(entry, allow_nan=False)}"
        for name, entry in fitted(model).to_dict().items()
    ]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def from_json(text: str | bytes) -> Tree | Ensemble:
    """Read a tree or an ensemble from JSON text.

    Parameters
    ----------
    text : str or bytes
        The content of a model file, of `to_json` or of the command ``exactree fit -o``. The trees
        of the command's models take the features that the command makes of a CSV file.

    Returns
    -------
    Tree or Ensemble
        Equal to the model that was written.

    Raises
    ------
    ModelError
        If the text is truncated, not a model of exactree, of a later version, or unsound; the
        message is one sentence.
    """
    if isinstance(text, PathLike) or (isinstance(text, str) and _is_path(text)):
        raise ModelError(
            "this is a path: pass the text of the file, from_json(Path("
            f"{fspath(text)!r}).read_text(encoding='utf-8'))"
        )
    try:
        if isinstance(text, bytes | bytearray):
            text = bytes(text).decode("utf-8-sig")
        record = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except ModelError:
        raise
    except json.JSONDecodeError as error:
        raise ModelError(
            f"the model is not complete JSON (line {error.lineno}, column {error.colno}): the "
            "file is truncated or not an exactree model"
        ) from None
    except (ValueError, RecursionError):
        # Bytes that are not UTF-8, integers of thousands of digits, too deep nesting.
        raise ModelError("this is not an exactree model: it cannot be read as JSON") from None
    if isinstance(record, dict) and record.get("kind") == _OF_COMMAND:
        record = _model_of_command(record)
    format_name = record.get("format") if isinstance(record, dict) else None
    return Ensemble.from_dict(record) if format_name == ENSEMBLE else Tree.from_dict(record)


def _is_path(text: str) -> bool:
    """Return whether text is the name of a file rather than its content."""
    return is_file_name(text) and not text.lstrip().startswith(("{", "["))


def _model_of_command(record: dict[str, Any]) -> Any:
    """Return the entry of the tree or the ensemble in a model of the command line."""
    version = record.get("version")
    if isinstance(version, int) and version > _VERSION_OF_COMMAND:
        raise ModelError(
            f"the model has version {version} of the format of exactree fit, but this exactree "
            f"reads only up to {_VERSION_OF_COMMAND}; install a newer release"
        )
    for entry in ("ensemble", "tree"):
        if entry in record:
            return record[entry]
    raise ModelError("the model of exactree fit has no tree: the file is damaged")


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema of model files of every version, including those of the command.

    Every text that `from_json` reads conforms to it. It defines types, entries and ranges; only
    `from_json` checks that columns have equal lengths and that nodes form a tree.

    Returns
    -------
    dict
        A schema of draft 2020-12, as ``exactree/export/model.schema.json`` has it.
    """
    text = resources.files(__package__).joinpath("model.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _refuse_constant(name: str) -> NoReturn:
    raise ModelError(f"the model contains the number {name}, allowed are finite numbers")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse repeated entries, because readers of JSON disagree on which of them counts."""
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ModelError("the model has the same entry twice")
    return record
