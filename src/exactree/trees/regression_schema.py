"""Regression trees as plain data: versions 4 and 6 of the model schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactree.errors import ModelError
from exactree.trees import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exactree.trees.regression_tree import RegressionTree

_FIRST = 4
VERSION = schema.NEWEST
VERSIONS = (_FIRST, VERSION)
REGRESSION_TERMS = ("squared_error", "absolute_error")
NUMBERS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "value",
    "n_node_samples",
    "weight",
    "errors",
)
ENTRIES = ("format", "version", "error_term", "feature_names", "named", "comparison", *NUMBERS)


def to_dict(tree: RegressionTree) -> dict[str, Any]:
    """Return the tree as nested lists, numbers and strings that JSON carries exactly.

    Version 4 lacks only optional entries. It is still written for trees that need none of them, so
    that older programs can read them.
    """
    return {
        "format": schema.FORMAT,
        "version": VERSION if schema.additions_to_dict(tree) else _FIRST,
        "error_term": tree.error_term,
        "feature_names": list(tree.feature_names),
        "named": tree.named,
        "comparison": tree.comparison.tolist(),
        **{name: getattr(tree, name).reshape(-1).tolist() for name in NUMBERS},
        **schema.surfaces_to_dict(tree.surfaces),
        **schema.additions_to_dict(tree),
    }


def from_dict(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the tree that a record describes, or raise ModelError.

    Types and lengths are checked here; whether the nodes form a sound tree is checked by the
    tree itself.
    """
    schema.check_origin(record)
    allowed = schema.OPTIONAL if record["version"] == VERSION else ("surfaces",)
    optional = (name for name in allowed if name in record)
    schema.check_entries(record, (*ENTRIES, *optional), "the model")
    check_error_term(record["error_term"])
    columns = schema.columns_from_dict(record, NUMBERS, **schema.missing_from_dict(record))
    return {
        **columns,
        "value": columns["value"][:, None],
        **schema.names_from_dict(record),
        "error_term": record["error_term"],
        "surfaces": schema.surfaces_from_dict(record, len(record["feature_names"])),
        **schema.additions_from_dict(record),
    }


def check_error_term(name: Any) -> None:
    """Raise ModelError unless the name is an error term of regressions."""
    if not isinstance(name, str) or name not in REGRESSION_TERMS:
        allowed = " or ".join(repr(term) for term in REGRESSION_TERMS)
        raise ModelError(f"the entry 'error_term' of the model must be {allowed}, got {name!r}")
