"""Labels of classes and levels as plain data, so that JSON restores them exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Names of the label types that a file may use; no other entry of a file names a type.
LABEL_DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    **{
        f"{sign}int{bits}": np.dtype(f"{sign}int{bits}").type
        for sign in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    **{f"float{bits}": np.dtype(f"float{bits}").type for bits in (16, 32, 64)},
    "str": np.str_,
    "object": np.object_,
}


def plain_labels(classes: NDArray[Any]) -> list[Any]:
    """Return the labels as Python objects, numpy scalars inside object arrays included."""
    return [label.item() if isinstance(label, np.generic) else label for label in classes.tolist()]


def labels_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Return the labels and the name of their array type, from which reading restores them."""
    kind = {"U": "str", "O": "object", "T": "object"}.get(classes.dtype.kind, classes.dtype.name)
    # Labels of a type that a file may not use are refused at the first label.
    labels = plain_labels(classes) if kind in LABEL_DTYPES else [classes[0]]
    for index, label in enumerate(labels):
        if kind not in LABEL_DTYPES or not is_exact_in_json(label):
            raise ModelError(
                f"the label of class {index} (of type {type(label).__name__}) cannot be written "
                "to JSON exactly, allowed are strings, integers below 2**4096, booleans, floats "
                "and None"
            )
    return {"dtype": kind, "labels": [label_to_json(label) for label in labels]}


def is_exact_in_json(label: Any) -> bool:
    """Return whether JSON represents a label exactly."""
    if type(label) is int:
        # By default Python reads integers of at most 4300 digits from text.
        return label.bit_length() <= 4096
    if type(label) is float:
        return not math.isnan(label)
    return label is None or type(label) in (str, bool)


def label_to_json(label: Any) -> Any:
    """Return a label in the form in which it is written; it must be exact in JSON."""
    if isinstance(label, float) and not math.isfinite(label):
        return {"float": repr(label)}
    return label


def label_from_json(label: Any) -> Any:
    """Return the label of its written form; raise ModelError if there is none."""
    if isinstance(label, dict):
        if list(label) == ["float"] and label["float"] in ("inf", "-inf"):
            return float(label["float"])
        raise ModelError("a label of the model is an object other than {'float': 'inf'}")
    if not is_exact_in_json(label):
        raise ModelError(
            "a label of the model is not a string, an integer, a boolean, a float or null"
        )
    return label


def labels_from_dict(record: dict[str, Any]) -> NDArray[Any]:
    """Read the labels into an array of their original type."""
    kind, labels = record["dtype"], record["labels"]
    if not isinstance(kind, str) or kind not in LABEL_DTYPES:
        raise ModelError(
            f"the labels of the model have the type {kind!r}, allowed are {', '.join(LABEL_DTYPES)}"
        )
    if not isinstance(labels, list) or not labels:
        raise ModelError("the model must have a list of at least one label")
    plain = [label_from_json(label) for label in labels]
    classes = np.empty(len(plain), dtype=object)
    classes[:] = plain
    if kind != "object":
        classes = _typed(classes, kind)
    if len(set(plain_labels(classes))) < len(plain):
        raise ModelError("the labels of the model are not distinct")
    return classes


def _typed(classes: NDArray[Any], kind: str) -> NDArray[Any]:
    """Convert to the named type, refusing labels that it would change."""
    types = {"bool": (bool,), "str": (str,)}.get(kind, (int, float) if "float" in kind else (int,))
    labels = classes.tolist()
    may_fit = all(type(label) in types for label in labels)
    if may_fit and "int" in kind:
        limits = np.iinfo(LABEL_DTYPES[kind])
        may_fit = limits.min <= min(labels) and max(labels) <= limits.max
    try:
        with np.errstate(over="ignore"):
            typed: NDArray[Any] | None = classes.astype(LABEL_DTYPES[kind]) if may_fit else None
    except OverflowError:  # an integer beyond every float
        typed = None
    if typed is None or typed.tolist() != labels:
        raise ModelError(f"the labels of the model do not fit their type {kind}")
    return typed
