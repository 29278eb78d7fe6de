"""Answers to unknown names and options: names elsewhere, other calls, misspellings."""

from exactree.names.foreign import NO_GRID
from exactree.names.unknown import (
    answers_unknown_names,
    attribute_answer,
    option_answer,
    parameter_answer,
    refuse_attribute,
    suggestion,
)
from exactree.names.values import suggested_method, suggested_quantity, suggested_rules

__all__ = [
    "NO_GRID",
    "answers_unknown_names",
    "attribute_answer",
    "option_answer",
    "parameter_answer",
    "refuse_attribute",
    "suggested_method",
    "suggested_quantity",
    "suggested_rules",
    "suggestion",
]
