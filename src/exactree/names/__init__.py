"""Answers to unknown names: foreign names, parameters of other calls, typing errors."""

from exactree.names.unknown import answers_unknown_names, parameter_answer, suggestion
from exactree.names.values import suggested_method, suggested_quantity, suggested_rules

__all__ = [
    "answers_unknown_names",
    "parameter_answer",
    "suggested_method",
    "suggested_quantity",
    "suggested_rules",
    "suggestion",
]
