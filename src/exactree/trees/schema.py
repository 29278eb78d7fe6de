"""The tree as plain data: version 5 of the model schema. Numbers are exact, input is checked.

Version 1 had no comparisons, as all rules were thresholds; version 2 has no surfaces, and version
3 has no missing values. Versions 2 and 3 are still written for trees that need no more, so that
older programs can read them. Versions 4 and 6 are for regressions, see `regression_schema`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import ModelError
from exactree.rules.family import LEFT, RIGHT
from exactree.rules.surface import MAX_POWER, NO_SURFACES, Surfaces
from exactree.trees.label_schema import (
    is_exact_in_json,
    label_from_json,
    label_to_json,
    labels_from_dict,
    labels_to_dict,
)
from exactree.trees.routing import AT_MOST, NO_COMPARISON, NO_FEATURE, NONE_MISSING

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
OPTIONAL = ("surfaces", "missing", "levels", "level_sets", "same_in_float32", "counts_rows")
ENTRIES = ("format", "version", "classes", "feature_names", "named", *PER_NODE)


def to_dict(tree: Tree) -> dict[str, Any]:
    """Return the tree as nested lists, numbers and strings that JSON carries exactly."""
    return {
        "format": FORMAT,
        "version": _version(tree),
        "classes": labels_to_dict(tree.classes),
        "feature_names": list(tree.feature_names),
        "named": tree.named,
        **{name: getattr(tree, name).tolist() for name in PER_NODE},
        **surfaces_to_dict(tree.surfaces),
        **additions_to_dict(tree),
    }


def _version(tree: Tree) -> int:
    """Return the oldest version that can represent the tree."""
    if additions_to_dict(tree):
        return VERSION
    return _WITH_SURFACES if len(tree.surfaces) else _WITHOUT_SURFACES


def additions_to_dict(tree: Tree) -> dict[str, Any]:
    """Return the optional entries, which only the newest versions have.

    These are the direction of missing values, levels, and the effect of float32 on training rows.
    """
    level_sets = (
        {"level_sets": [list(codes) for codes in tree.level_sets]} if tree.level_sets else {}
    )
    return {
        **_missing_to_dict(tree),
        **_levels_to_dict(tree),
        **level_sets,
        **_float32_to_dict(tree),
        **({} if tree.counts_rows else {"counts_rows": False}),
    }


def _float32_to_dict(tree: Tree) -> dict[str, Any]:
    """Write whether float32 keeps training rows in their leaves, unless it is known to do so."""
    return {} if tree.same_in_float32 else {"same_in_float32": tree.same_in_float32}


def _sets_from_dict(record: Any) -> tuple[tuple[int, ...], ...]:
    """Read the sets of codes that nodes split on."""
    sound = isinstance(record, list) and all(
        isinstance(codes, list) and all(map(_is_integer, codes)) for codes in record
    )
    if not sound:
        raise ModelError("the entry 'level_sets' of the model must hold lists of integers")
    return tuple(tuple(codes) for codes in record)


def _levels_to_dict(tree: Tree) -> dict[str, Any]:
    """Write the levels of the features that have some, by the index of the feature."""
    for feature, levels in tree.levels.items():
        for level in levels:
            if not is_exact_in_json(level):
                raise ModelError(
                    f"the level {level!r} of {tree.feature_names[feature]!r} cannot be written to "
                    "JSON exactly, allowed are strings, integers below 2**4096, booleans and floats"
                )
    if not tree.levels:
        return {}
    return {
        "levels": {
            str(feature): [label_to_json(level) for level in levels]
            for feature, levels in sorted(tree.levels.items())
        }
    }


def _levels_from_dict(record: Any) -> dict[int, tuple[Any, ...]]:
    """Read the levels of features."""
    if not isinstance(record, dict):
        raise ModelError("the entry 'levels' of the model must be an object")
    for feature, levels in record.items():
        if not (isinstance(feature, str) and feature.isascii() and feature.isdecimal()):
            raise ModelError(
                "the keys of the entry 'levels' of the model must be feature numbers, as strings"
            )
        if not isinstance(levels, list):
            raise ModelError(f"the levels of feature {feature} of the model must be a list")
    return {
        int(feature): tuple(label_from_json(level) for level in levels)
        for feature, levels in record.items()
    }


def _missing_to_dict(tree: Tree) -> dict[str, Any]:
    """Write the direction of missing values, if the tree was fitted with any.

    JSON has no infinite numbers: a threshold that only separates missing values is null.
    """
    if not (tree.missing != NONE_MISSING).any():
        return {}
    finite = np.isfinite(tree.threshold).tolist()
    pairs = zip(tree.threshold.tolist(), finite, strict=True)
    return {
        "threshold": [number if sound else None for number, sound in pairs],
        "missing": tree.missing.tolist(),
    }


def additions_from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the optional entries, except columns of nodes."""
    read: dict[str, Any] = {}
    if "levels" in record:
        read["levels"] = _levels_from_dict(record["levels"])
    if "level_sets" in record:
        read["level_sets"] = _sets_from_dict(record["level_sets"])
    read["same_in_float32"] = record.get("same_in_float32", True)
    if not isinstance(read["same_in_float32"], bool | None):
        raise ModelError("the entry 'same_in_float32' of the model must be true, false or null")
    read["counts_rows"] = record.get("counts_rows", True)
    if not isinstance(read["counts_rows"], bool):
        raise ModelError("the entry 'counts_rows' of the model must be true or false")
    return read


def missing_from_dict(record: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Read the direction of missing values, and the thresholds, which may be infinite."""
    if "missing" not in record:
        return {}
    _check_texts(record["missing"], "missing")
    thresholds = record["threshold"]
    if not isinstance(thresholds, list) or len(thresholds) != len(record["missing"]):
        raise ModelError(
            "the entries 'threshold' and 'missing' of the model must be lists of the same length"
        )
    infinite = {LEFT: -math.inf, RIGHT: math.inf}
    numbers = [
        infinite.get(direction, math.nan) if number is None else _number(number, node)
        for node, (number, direction) in enumerate(zip(thresholds, record["missing"], strict=True))
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
    if not isinstance(record["classes"], dict):
        raise ModelError("the entry 'classes' of the model must be an object")
    check_entries(record["classes"], ("dtype", "labels"), "the entry 'classes' of the model")
    classes = labels_from_dict(record["classes"])
    read = missing_from_dict(record) | {"value": _table(record["value"], len(classes))}
    columns = columns_from_dict(record, NUMBERS, **read)
    return {
        **columns,
        "classes": classes,
        **names,
        "surfaces": surfaces_from_dict(record, len(names["feature_names"])),
        **additions_from_dict(record),
    }


def _expected(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the entries of a classification tree of this version."""
    version = record["version"]
    if version < VERSION:
        return (*ENTRIES, "surfaces") if version == _WITH_SURFACES else ENTRIES
    return (*ENTRIES, *(name for name in OPTIONAL if name in record))


def names_from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the names of the features, and whether the user gave them."""
    _check_texts(record["feature_names"], "feature_names")
    if not isinstance(record["named"], bool):
        raise ModelError("the entry 'named' of the model must be true or false")
    return {"feature_names": tuple(record["feature_names"]), "named": record["named"]}


def columns_from_dict(
    record: Mapping[str, Any], numbers: tuple[str, ...], **read: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """Read the columns with one entry per node, except those given in `read`.

    All columns must have the same length.
    """
    columns = {name: _column(record[name], name) for name in numbers if name not in read}
    _check_texts(record["comparison"], "comparison")
    columns |= {"comparison": np.array(record["comparison"], dtype=np.str_), **read}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"'{name}' {length}" for name, length in lengths.items())
        raise ModelError(f"the entries of the model have different lengths: {text}")
    return columns


def surfaces_from_dict(record: Mapping[str, Any], n_features: int) -> Surfaces:
    """Read the surfaces of a model: powers of all features, and weights of all monomials."""
    if "surfaces" not in record:
        return NO_SURFACES
    written = record["surfaces"]
    if not isinstance(written, dict):
        raise ModelError("the entry 'surfaces' of the model must be an object")
    check_entries(written, ("monomials", "weights"), "the entry 'surfaces' of the model")
    monomials, weights = written["monomials"], written["weights"]
    _check_rows(monomials, "monomials", n_features)
    _check_rows(weights, "weights", len(monomials))
    powers = [power for row in monomials for power in row]
    if not all(type(power) is int and 0 <= power <= MAX_POWER for power in powers):
        raise ModelError(f"the powers of the surfaces must be integers from 0 to {MAX_POWER}")
    if not all(_is_float(weight) for row in weights for weight in row):
        raise ModelError("the weights of the surfaces must be finite numbers")
    return Surfaces(
        tuple(tuple(row) for row in monomials),
        tuple(tuple(float(weight) for weight in row) for row in weights),
    )


def _check_rows(rows: Any, name: str, length: int) -> None:
    """Raise ModelError unless the rows are lists of this length."""
    sound = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == length for row in rows
    )
    if not sound:
        raise ModelError(f"the entry {name!r} of the surfaces must hold lists of {length}")


def _with_comparisons(record: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a record of version 1 to version 2."""
    if "comparison" in record:
        raise ModelError("the model has version 1, which has no entry 'comparison'")
    features = record.get("feature")
    listed = features if isinstance(features, list) else []
    comparisons = [NO_COMPARISON if feature == NO_FEATURE else AT_MOST for feature in listed]
    return {**record, "comparison": comparisons}


def check_origin(record: Any, expected: str = FORMAT, newest: int = NEWEST) -> None:
    """Raise ModelError unless the record has our format and a version that can be read."""
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
    """Refuse missing entries, and unknown entries because they may change the meaning."""
    for name in expected:
        if name not in record:
            raise ModelError(f"{where} lacks the entry '{name}'")
    for name in record:
        if name not in expected:
            raise ModelError(f"{where} has the entry {name!r}, which this version does not have")


def _check_texts(texts: Any, name: str) -> None:
    """Raise ModelError unless the value is a list of strings."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ModelError(f"the entry {name!r} of the model must be a list of strings")


def _column(numbers: Any, name: str) -> NDArray[Any]:
    """Read one number per node: integers or floats, as the entry requires."""
    if not isinstance(numbers, list):
        raise ModelError(f"the entry '{name}' of the model must be a list of numbers")
    integral = name in INTEGERS
    for position, number in enumerate(numbers):
        sound = _is_integer(number) if integral else _is_float(number)
        if not sound:
            allowed = "a 64-bit integer" if integral else "a finite number"
            raise ModelError(f"entry {position} of '{name}' in the model must be {allowed}")
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
    numbers = [number for row in rows for number in row]
    return _column(numbers, "value").reshape(len(rows), n_classes)


def _number(number: Any, node: int) -> float:
    if not _is_float(number):
        raise ModelError(f"entry {node} of 'threshold' in the model must be a finite number")
    return float(number)


def _is_integer(number: Any) -> bool:
    return type(number) is int and -(2**63) <= number < 2**63


def _is_float(number: Any) -> bool:
    # Other writers of JSON turn 3.0 into 3; larger integers may not be exact in float64.
    if type(number) is int:
        return abs(number) <= 2**53
    return type(number) is float and math.isfinite(number)
