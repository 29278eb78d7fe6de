"""The tree as plain data: version 5 of the model schema, written exactly and read with distrust.

Version 1 had no comparisons, as all rules were thresholds; version 2 has no surfaces, version 3
nothing about missing values. Each is still written for trees that need no more, so that older
programs read them. Versions 4 and 6 are for regressions, see `regression_schema`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import ModelError
from exactree.rules.family import LEFT, RIGHT
from exactree.rules.surface import MOST_POWER, NO_SURFACES, Surfaces
from exactree.trees.shape import AT_MOST, NO_COMPARISON, NO_FEATURE, NONE_MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from exactree.trees.tree import Tree

FORMAT = "exactree tree"
_WITH_SURFACES = 3
_WITHOUT_SURFACES = 2
VERSION = 5
NEWEST = 6

INTEGERS = ("children_left", "children_right", "feature", "prediction", "n_node_samples")
NUMBERS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "value",
    "prediction",
    "n_node_samples",
    "errors",
)
PER_NODE = (*NUMBERS[:3], "comparison", *NUMBERS[3:])
ENTRIES = ("format", "version", "classes", "feature_names", "named", *PER_NODE)

# Names of the label types a file may ask for; nothing else of a file ever names a type.
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


def to_dict(tree: Tree) -> dict[str, Any]:
    """Return the tree as nested lists, numbers and strings that JSON carries exactly."""
    return {
        "format": FORMAT,
        "version": _version(tree),
        "classes": _labels_to_dict(tree.classes),
        "feature_names": list(tree.feature_names),
        "named": tree.named,
        **{name: getattr(tree, name).tolist() for name in PER_NODE},
        **surfaces_to_dict(tree.surfaces),
        **missing_to_dict(tree),
    }


def _version(tree: Tree) -> int:
    """Return the first version that can say what a tree is."""
    if missing_to_dict(tree):
        return VERSION
    return _WITH_SURFACES if len(tree.surfaces) else _WITHOUT_SURFACES


def missing_to_dict(tree: Tree) -> dict[str, Any]:
    """Write where missing values go, if the tree was fitted with any.

    JSON knows no infinite numbers: a threshold that only divides missing values off is null.
    """
    if not (tree.missing != NONE_MISSING).any():
        return {}
    finite = np.isfinite(tree.threshold).tolist()
    pairs = zip(tree.threshold.tolist(), finite, strict=True)
    return {
        "threshold": [number if sound else None for number, sound in pairs],
        "missing": tree.missing.tolist(),
    }


def missing_from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the thresholds that divide missing values off as 0, and which are."""
    if "missing" not in record:
        return {}
    _check_texts(record["missing"], "missing")
    thresholds = record["threshold"]
    if not isinstance(thresholds, list) or len(thresholds) != len(record["missing"]):
        raise ModelError(
            "the entries 'threshold' and 'missing' of the model must be lists of the same length"
        )
    beyond = {LEFT: -math.inf, RIGHT: math.inf}
    numbers = [
        beyond.get(side, math.nan) if number is None else _number(number, node)
        for node, (number, side) in enumerate(zip(thresholds, record["missing"], strict=True))
    ]
    return {
        "threshold": np.array(numbers, dtype=np.float64),
        "missing": np.array(record["missing"], dtype=np.str_),
    }


def surfaces_to_dict(surfaces: Surfaces) -> dict[str, Any]:
    """Write the surfaces, if there are any."""
    if not len(surfaces):
        return {}
    return {
        "surfaces": {
            "monomials": [list(monomial) for monomial in surfaces.monomials],
            "weights": [list(weights) for weights in surfaces.weights],
        }
    }


def from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the tree that a record describes, or raise ModelError.

    Types and lengths are checked here; whether the nodes form a sound tree is checked by the
    tree itself.
    """
    check_origin(record)
    if record["version"] == 1:
        record = _with_comparisons(record)
    check_entries(record, _expected(record), "the model")
    names = names_from_dict(record)
    classes = _labels_from_dict(record["classes"])
    read = missing_from_dict(record) | {"value": _table(record["value"], len(classes))}
    columns = columns_from_dict(record, NUMBERS, **read)
    return {
        **columns,
        "classes": classes,
        **names,
        "surfaces": surfaces_from_dict(record.get("surfaces"), len(names["feature_names"])),
    }


def _expected(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the entries that a tree for classes of this version has."""
    version = record["version"]
    if version < VERSION:
        return (*ENTRIES, "surfaces") if version == _WITH_SURFACES else ENTRIES
    optional = (name for name in ("surfaces", "missing") if name in record)
    return (*ENTRIES, *optional)


def names_from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the names of the features, and whether the user gave them."""
    _check_texts(record["feature_names"], "feature_names")
    if not isinstance(record["named"], bool):
        raise ModelError("the entry 'named' of the model must be true or false")
    return {"feature_names": tuple(record["feature_names"]), "named": record["named"]}


def columns_from_dict(
    record: Mapping[str, Any], numbers: tuple[str, ...], **read: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Read what a tree has at every node, and refuse different lengths.

    Entries that have been `read` are of the same length, too.
    """
    columns = {name: _column(record[name], name) for name in numbers if name not in read}
    _check_texts(record["comparison"], "comparison")
    columns |= {"comparison": np.array(record["comparison"], dtype=np.str_), **read}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"'{name}' {length}" for name, length in lengths.items())
        raise ModelError(f"the entries of the model have different lengths: {told}")
    return columns


def surfaces_from_dict(record: Any, n_features: int) -> Surfaces:
    """Read the surfaces: powers of all features, and weights of all monomials."""
    if record is None:
        return NO_SURFACES
    if not isinstance(record, dict):
        raise ModelError("the entry 'surfaces' of the model must be an object")
    check_entries(record, ("monomials", "weights"), "the entry 'surfaces' of the model")
    monomials, weights = record["monomials"], record["weights"]
    shapes = (("monomials", monomials, n_features), ("weights", weights, len(monomials)))
    for name, rows, length in shapes:
        sound = isinstance(rows, list) and all(
            isinstance(row, list) and len(row) == length for row in rows
        )
        if not sound:
            raise ModelError(f"the entry {name!r} of the surfaces must hold lists of {length}")
    powers = [power for row in monomials for power in row]
    if not all(type(power) is int and 0 <= power <= MOST_POWER for power in powers):
        raise ModelError(f"the powers of the surfaces must be integers from 0 to {MOST_POWER}")
    if not all(_is_float(weight) for row in weights for weight in row):
        raise ModelError("the weights of the surfaces must be finite numbers")
    return Surfaces(
        tuple(tuple(row) for row in monomials),
        tuple(tuple(float(weight) for weight in row) for row in weights),
    )


def _with_comparisons(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what version 2 would have written of a tree in version 1."""
    if "comparison" in record:
        raise ModelError("the model has version 1, which has no entry 'comparison'")
    features = record.get("feature")
    listed = features if isinstance(features, list) else []
    asked = [NO_COMPARISON if feature == NO_FEATURE else AT_MOST for feature in listed]
    return {**record, "comparison": asked}


def check_origin(record: Any, expected: str = FORMAT, newest: int = NEWEST) -> None:
    """Say first whether this is ours at all, and whether it is of this version."""
    if not isinstance(record, dict) or record.get("format") != expected:
        raise ModelError(f"this is not an exactree model: its 'format' is not \"{expected}\"")
    version = record.get("version")
    if type(version) is not int or version < 1:
        raise ModelError("the entry 'version' of the model must be an integer from 1 on")
    if version > newest:
        raise ModelError(
            f"the model has version {version}, this exactree reads versions up to {newest}: "
            "update exactree to read it"
        )


def check_entries(record: Mapping[str, Any], expected: tuple[str, ...], where: str) -> None:
    """Refuse missing entries, and unknown ones since they may change the meaning."""
    for name in expected:
        if name not in record:
            raise ModelError(f"{where} lacks the entry '{name}'")
    for name in record:
        if name not in expected:
            raise ModelError(f"{where} has the entry {name!r}, which this version does not know")


def _check_texts(texts: Any, name: str) -> None:
    """Refuse what is no list of strings."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ModelError(f"the entry {name!r} of the model must be a list of strings")


def _column(numbers: Any, name: str) -> NDArray[Any]:
    """Read one number per node: integers or floats as the entry demands, nothing else."""
    if not isinstance(numbers, list):
        raise ModelError(f"the entry '{name}' of the model must be a list of numbers")
    integral = name in INTEGERS
    for position, number in enumerate(numbers):
        sound = _is_integer(number) if integral else _is_float(number)
        if not sound:
            what = "a 64-bit integer" if integral else "a finite number"
            raise ModelError(f"entry {position} of '{name}' in the model must be {what}")
    return np.array(numbers, dtype=np.int64 if integral else np.float64)


def _table(rows: Any, n_classes: int) -> NDArray[np.float64]:
    """Read the class weights: one row per node, one column per class."""
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == n_classes for row in rows
    ):
        raise ModelError(
            "the entry 'value' of the model must be a list with, for each node, a list of "
            f"{n_classes} numbers, one for each class"
        )
    columns = [number for row in rows for number in row]
    return _column(columns, "value").reshape(len(rows), n_classes)


def _number(number: Any, node: int) -> float:
    if not _is_float(number):
        raise ModelError(f"entry {node} of 'threshold' in the model must be a finite number")
    return float(number)


def _is_integer(number: Any) -> bool:
    return type(number) is int and -(2**63) <= number < 2**63


def _is_float(number: Any) -> bool:
    # Other writers of JSON turn 3.0 into 3; larger integers might not survive as float64.
    if type(number) is int:
        return abs(number) <= 2**53
    return type(number) is float and math.isfinite(number)


# --- labels --------------------------------------------------------------------------------


def plain_labels(classes: NDArray[Any]) -> list[Any]:
    """Return the labels as Python objects, numpy scalars inside object arrays included."""
    return [label.item() if isinstance(label, np.generic) else label for label in classes.tolist()]


def _labels_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """Write the labels with the name of their array type, so that they return as they were."""
    kind = {"U": "str", "O": "object", "T": "object"}.get(classes.dtype.kind, classes.dtype.name)
    labels = plain_labels(classes) if kind in LABEL_DTYPES else [classes[0]]
    for index, label in enumerate(labels):
        if kind not in LABEL_DTYPES or not _carries(label):
            raise ModelError(
                f"the label of class {index} (of type {type(label).__name__}) cannot be written "
                "to JSON exactly, allowed are strings, integers below 2**4096, booleans, floats "
                "and None"
            )
    return {"dtype": kind, "labels": [_label_to_json(label) for label in labels]}


def _carries(label: Any) -> bool:
    if type(label) is int:
        # Python reads no longer integers from text, and 4300 digits are its default limit.
        return label.bit_length() <= 4096
    if type(label) is float:
        return not math.isnan(label)
    return label is None or type(label) in (str, bool)


def _label_to_json(label: Any) -> Any:
    if isinstance(label, float) and not math.isfinite(label):
        return {"float": repr(label)}
    return label


def _label_from_json(label: Any) -> Any:
    if isinstance(label, dict):
        if list(label) == ["float"] and label["float"] in ("inf", "-inf"):
            return float(label["float"])
        raise ModelError("a label of the model is an object other than {'float': 'inf'}")
    if not _carries(label):
        raise ModelError(
            "a label of the model is not a string, an integer, a boolean, a float or null"
        )
    return label


def _labels_from_dict(record: Any) -> NDArray[Any]:
    """Read the labels into an array of the type they had."""
    if not isinstance(record, dict):
        raise ModelError("the entry 'classes' of the model must be an object")
    check_entries(record, ("dtype", "labels"), "the entry 'classes' of the model")
    kind, labels = record["dtype"], record["labels"]
    if not isinstance(kind, str) or kind not in LABEL_DTYPES:
        raise ModelError(
            f"the labels of the model have the type {kind!r}, allowed are {', '.join(LABEL_DTYPES)}"
        )
    if not isinstance(labels, list) or not labels:
        raise ModelError("the model must have a list of at least one label")
    plain = [_label_from_json(label) for label in labels]
    classes = np.empty(len(plain), dtype=object)
    classes[:] = plain
    if kind != "object":
        classes = _typed(classes, kind)
    if len(set(plain_labels(classes))) < len(plain):
        raise ModelError("the labels of the model are not distinct")
    return classes


def _typed(classes: NDArray[Any], kind: str) -> NDArray[Any]:
    """Convert to the named type, refusing labels that it would change."""
    wanted = {"bool": (bool,), "str": (str,)}.get(kind, (int, float) if "float" in kind else (int,))
    labels = classes.tolist()
    fit = all(type(label) in wanted for label in labels)
    if fit and "int" in kind:
        limits = np.iinfo(LABEL_DTYPES[kind])
        fit = limits.min <= min(labels) and max(labels) <= limits.max
    try:
        with np.errstate(over="ignore"):
            typed: NDArray[Any] | None = classes.astype(LABEL_DTYPES[kind]) if fit else None
    except OverflowError:  # an integer beyond every float
        typed = None
    if typed is None or typed.tolist() != labels:
        raise ModelError(f"the labels of the model do not fit their type {kind}")
    return typed
