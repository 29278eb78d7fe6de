"""The model file of the command line: trees, the encoding of their tables, and the proof."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from exactree.cli.encoding import Encoding
from exactree.cli.endings import BadTable
from exactree.cli.table import CellTable
from exactree.cli.target import labels_of, numbers_of
from exactree.cli.text_form import TextForm
from exactree.errors import ModelError
from exactree.files import write_text
from exactree.problem import Outcome
from exactree.trees import Ensemble, RegressionTree, Tree
from exactree.trees.shares import checked_smoothing

# In version 1 columns of text were one-hot encoded; only an ensemble needs version 3.
VERSION = 3
VERSION_OF_TREES = 2
# A tree of half a million leaves takes less. The limit also stops reading infinite files.
MAX_BYTES = 2**28
_KIND = "exactree model"
SomeModel = TypeVar("SomeModel", bound=Tree | Ensemble)
_OPTIONAL = ("target_decimal", "smoothing", "missing", "problem")


@dataclass(frozen=True)
class SavedModel:
    """A model that `exactree fit` writes and other commands read.

    Parameters
    ----------
    target : str
        The predicted column.
    encoding : Encoding
        The conversion of the columns of a table to features.
    predictor : Tree or Ensemble
        The tree or ensemble.
    result : dict
        The outcome of the search, with the entries that ``fit --json`` prints.
    target_decimal : str, optional
        The decimal mark of a predicted column named in --numbers.
    smoothing : float or str, optional
        The smoothing of probabilities, as in `Tree.predict_proba`.
    missing : tuple of str
        Cells that are missing values in the tables of this model, as named in --missing.
    problem : dict, optional
        What a certificate of the model is about, from `CertifiedProblem.to_dict`.
    """

    target: str
    encoding: Encoding
    predictor: Tree | Ensemble
    result: dict[str, Any]
    target_decimal: str | None = None
    smoothing: float | str | None = None
    missing: tuple[str, ...] = ()
    problem: dict[str, Any] | None = None

    def form(self, given: TextForm) -> TextForm:
        """Return the form of a table for this model, with its missing values."""
        return replace(given, missing=(*self.missing, *given.missing))

    def check_counted(self, need: str) -> None:
        """Refuse a model of `exactree compress` that does not count rows, which something needs."""
        predictor = self.predictor
        trees = predictor.trees if isinstance(predictor, Ensemble) else (predictor,)
        if not all(tree.counts_rows for tree in trees):
            raise BadTable(
                f"{need} needs counts of rows, which this model does not have.",
                "exactree compress ENSEMBLE TABLE counts the rows of a table; the model of the "
                "ensemble has them, too.",
            )

    @property
    def tree(self) -> Tree:
        """The only tree, for commands that do not support ensembles."""
        if isinstance(self.predictor, Ensemble):
            trees = len(self.predictor.trees)
            raise ModelError(f"the model has {trees} trees that vote; a single tree is needed.")
        return self.predictor

    @property
    def ensemble(self) -> Ensemble:
        """The trees that vote, for commands that need several."""
        if isinstance(self.predictor, Ensemble):
            return self.predictor
        raise ModelError("the model is a single tree; an ensemble is needed.")

    def examples(self, table: CellTable) -> tuple[NDArray[Any], Any]:
        """Return the features and the labels of a table, as for the model."""
        X = self.encoding.apply(table)
        self.encoding.check_target(table, self.target)
        if isinstance(self.predictor, RegressionTree):
            return X, numbers_of(table, self.target, self.target_decimal)
        # Labels may look like integers here but not in the fitted table; their strings are equal.
        class_of = {str(label): label for label in self.predictor.classes.tolist()}
        labels = map(str, labels_of(table, self.target))
        return X, [class_of.get(label, label) for label in labels]

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
        for name in _OPTIONAL:
            if getattr(self, name) not in (None, ()):
                content[name] = getattr(self, name)
        write_text(path, json.dumps(content, indent=1) + "\n")


def with_names(predictor: SomeModel, features: tuple[str, ...]) -> SomeModel:
    """Return a tree or an ensemble with the names of its features.

    Parameters
    ----------
    predictor : Tree or Ensemble
        An answer to a problem whose features have no names.
    features : tuple of str
        The names.
    """
    if isinstance(predictor, Ensemble):
        trees = tuple(with_names(tree, features) for tree in predictor.trees)
        return replace(predictor, trees=trees)
    return replace(predictor, feature_names=features, named=True)


def named(outcome: Outcome, features: tuple[str, ...]) -> Tree | Ensemble | None:
    """Return the tree or ensemble of an outcome with the names of its features.

    Parameters
    ----------
    outcome : Outcome
        The outcome of a problem whose features have no names.
    features : tuple of str
        The names.
    """
    found = outcome.tree if outcome.ensemble is None else outcome.ensemble
    return None if found is None else with_names(found, features)


def read_model(path: Path) -> SavedModel:
    """Read a model file.

    Parameters
    ----------
    path : Path
        A file that `SavedModel.write` wrote, with this release or an older one.

    Returns
    -------
    SavedModel
        The model.

    Raises
    ------
    ModelError
        If the file is truncated, newer than this release, or not a model file.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > MAX_BYTES:
        raise ModelError(
            f"{path} is larger than {MAX_BYTES:,} bytes, the maximum for a model of exactree."
        )
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # ValueError also from integers with many digits
        raise ModelError(f"{path} is not a model file, or is truncated: {error}.") from error
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        raise ModelError(f"{path} is JSON, but not a model that `exactree fit` wrote.")
    version = content.get("version")
    if not isinstance(version, int) or version < 1:
        raise ModelError(f"{path} has no valid version of the model format.")
    if version > VERSION:
        raise ModelError(
            f"{path} has version {version} of the model format, but this exactree reads only "
            f"up to {VERSION}; install a newer release."
        )
    try:
        return _model(content)
    except (ModelError, KeyError, TypeError, ValueError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise ModelError(f"{path} is damaged: {reason.rstrip('.')}.") from error


def looks_like_model(path: Path) -> bool:
    """Return whether a file begins as `SavedModel.write` begins it.

    Parameters
    ----------
    path : Path
        Any file.
    """
    try:
        with path.open("rb") as file:
            return _KIND.encode() in file.read(100)
    except OSError:
        return False


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
    optional: dict[str, Any] = {name: content.get(name) for name in _OPTIONAL}
    if optional["target_decimal"] not in (None, ".", ","):
        raise ModelError("the decimal mark of its target is neither a point nor a comma")
    checked_smoothing(optional["smoothing"])
    optional["missing"] = _missing(optional["missing"])
    if not isinstance(optional["problem"], dict | None):
        raise ModelError("its problem has the wrong type")
    return SavedModel(target, encoding, predictor, result, **optional)


def _missing(stored: Any) -> tuple[str, ...]:
    """Return the cells that are missing values, from a model file."""
    cells = [] if stored is None else stored
    if not isinstance(cells, list) or not all(isinstance(cell, str) for cell in cells):
        raise ModelError("its missing values are not a list of text")
    return tuple(cells)
