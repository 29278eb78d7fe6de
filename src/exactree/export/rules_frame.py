"""The rules of a tree as a data frame: a row for each leaf."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from exactree.export.boxes import boxes_of
from exactree.export.calls import answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.rules import condition_of
from exactree.export.wording import checked_float32_note, trees_of
from exactree.trees import RegressionTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exactree.trees import Tree


@answers_file_names("returns a data frame and writes no file: export.{0}(model).to_csv({1})")
def to_rules_frame(model: Model, library: str = "pandas") -> Any:
    """Return the rules of the leaves as a data frame.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The exported model.
    library : {"pandas", "polars"}
        The library of the data frame.

    Returns
    -------
    data frame
        A row for each leaf, from left to right: ``tree`` (its index), ``leaf``, ``rule`` (as in
        `to_rules`), ``prediction``, ``examples``, ``weight``, ``support`` (the share of the total
        weight) and ``errors``; for classes also ``probability``, the share of the predicted class.

    Raises
    ------
    ImportError
        If the library is not installed.
    ValueError
        If a label is text with lone surrogates.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    if library not in ("pandas", "polars"):
        raise ValueError(f"library must be 'pandas' or 'polars', got {library!r}.")
    try:
        frames = import_module(library)
    except ImportError:
        raise ImportError(f"to_rules_frame needs {library}: pip install {library}.") from None
    model = fitted(model)
    checked_float32_note(model, "the frame of rules")
    rows = [row for number, tree in enumerate(trees_of(model)) for row in _rows(number, tree)]
    try:
        return frames.DataFrame({name: [row[name] for row in rows] for name in rows[0]})
    except UnicodeEncodeError:
        raise ValueError(
            "a data frame cannot hold text with lone surrogates, and a label has one."
        ) from None


def _rows(number: int, tree: Tree) -> Iterator[dict[str, Any]]:
    labels = tree.classes.tolist()
    for box in boxes_of(tree):
        leaf, weight = box.leaf, float(tree.weighted_n_node_samples[box.leaf])
        row = {
            "tree": number,
            "leaf": leaf,
            "rule": condition_of(tree, box),
            "prediction": labels[tree.prediction[leaf]],
        }
        if not tree.counts_rows:
            yield row
            continue
        row |= {
            "examples": int(tree.n_node_samples[leaf]),
            "weight": weight,
            "support": weight / float(tree.weighted_n_node_samples[0]),
            "errors": float(tree.errors[leaf]),
        }
        if not isinstance(tree, RegressionTree):
            row["probability"] = float(tree.value[leaf, tree.prediction[leaf]]) / weight
        yield row
