"""The model file of the command line: trees, how to read their tables, and what was proved."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactree.cli.encoding import Encoding
from exactree.errors import ModelError
from exactree.files import write_text
from exactree.trees import Ensemble, Tree

# In version 1 columns of text were one-hot encoded; only an ensemble needs version 3.
VERSION = 3
VERSION_OF_TREES = 2
# A tree of half a million leaves takes less. Reading ends here, also of files that have no end.
MAX_BYTES = 2**28
_KIND = "exactree model"


@dataclass(frozen=True)
class SavedModel:
    """What `exactree fit` writes and `predict` and `show` read.

    Parameters
    ----------
    target : str
        The column that is predicted.
    encoding : Encoding
        How a table's columns become the features.
    predictor : Tree or Ensemble
        What predicts.
    result : dict
        What was proved about it: the same entries that ``fit --json`` prints.
    """

    target: str
    encoding: Encoding
    predictor: Tree | Ensemble
    result: dict[str, Any]

    @property
    def tree(self) -> Tree:
        """The only tree; a command that takes no ensemble asks for it."""
        if isinstance(self.predictor, Ensemble):
            trees = len(self.predictor.trees)
            raise ModelError(f"the model has {trees} trees that vote; this takes a single tree.")
        return self.predictor

    def write(self, path: Path) -> None:
        """Write the model as JSON."""
        ensemble = isinstance(self.predictor, Ensemble)
        content = {
            "kind": _KIND,
            "version": VERSION if ensemble else VERSION_OF_TREES,
            "target": self.target,
            "columns": self.encoding.to_list(),
            "result": self.result,
            "ensemble" if ensemble else "tree": self.predictor.to_dict(),
        }
        write_text(path, json.dumps(content, indent=1) + "\n")


def read_model(path: Path) -> SavedModel:
    """Read a model file.

    Parameters
    ----------
    path : Path
        A file that `SavedModel.write` wrote, with this release or an older one.

    Returns
    -------
    SavedModel
        The same model.

    Raises
    ------
    ModelError
        When the file is truncated, newer than this release, or not ours.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > MAX_BYTES:
        raise ModelError(
            f"{path} is larger than {MAX_BYTES:,} bytes, which no model of exactree is."
        )
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # also of integers of thousands of digits
        raise ModelError(f"{path} is not a model file, or only part of one: {error}.") from error
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise ModelError(f"{path} is JSON, but not a model that `exactree fit` wrote.")
    version = content.get("version")
    if not isinstance(version, int) or version < 1:
        raise ModelError(f"{path} states no valid version of the model format.")
    if version > VERSION:
        raise ModelError(
            f"{path} has version {version} of the model format, but this exactree reads only "
            f"up to {VERSION}; install a newer release."
        )
    try:
        return _model(content)
    except (ModelError, KeyError, TypeError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise ModelError(f"{path} is damaged: {reason.rstrip('.')}.") from error


def _model(content: dict[str, Any]) -> SavedModel:
    target, result = content["target"], content["result"]
    if not isinstance(target, str) or not isinstance(result, dict):
        raise ModelError("its target or its result has the wrong type")
    encoding = Encoding.from_list(content["columns"])
    predictor = (
        Ensemble.from_dict(content["ensemble"])
        if "ensemble" in content
        else Tree.from_dict(content["tree"])
    )
    if predictor.feature_names != encoding.features:
        raise ModelError("its columns do not give the features of its tree")
    return SavedModel(target, encoding, predictor, result)
