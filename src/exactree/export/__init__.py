"""Exporters of trees and ensembles: one file per format, and the list of all formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactree.export.c import to_c
from exactree.export.dot import to_dot
from exactree.export.explain import Change, Explanation, Step, explain
from exactree.export.feature_use import plot_feature_use
from exactree.export.front import plot_front
from exactree.export.html import to_html
from exactree.export.javascript import to_javascript
from exactree.export.json import from_json, model_schema, to_json
from exactree.export.leaf_errors import plot_leaf_errors
from exactree.export.onnx import to_onnx
from exactree.export.page import report
from exactree.export.plot import plot_tree
from exactree.export.pmml import to_pmml
from exactree.export.progress import plot_progress
from exactree.export.python import to_python
from exactree.export.regions import plot_regions
from exactree.export.rules import to_rules
from exactree.export.rules_frame import to_rules_frame
from exactree.export.sklearn import to_sklearn
from exactree.export.spreadsheet import to_spreadsheet
from exactree.export.sql import to_sql
from exactree.export.sql_expression import to_sql_expression
from exactree.export.svg import to_svg
from exactree.export.text import to_text
from exactree.export.treelite import to_treelite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Every exporter by the name of its format; each takes the tree or ensemble first.
EXPORTERS: Mapping[str, Callable[..., Any]] = {
    "c": to_c,
    "dot": to_dot,
    "html": to_html,
    "javascript": to_javascript,
    "json": to_json,
    "plot": plot_tree,
    "pmml": to_pmml,
    "python": to_python,
    "sklearn": to_sklearn,
    "sql": to_sql,
    "sql_expression": to_sql_expression,
    "svg": to_svg,
    "rules": to_rules,
    "rules_frame": to_rules_frame,
    "spreadsheet": to_spreadsheet,
    "treelite": to_treelite,
    "onnx": to_onnx,
    "text": to_text,
}

__all__ = [
    "EXPORTERS",
    "Change",
    "Explanation",
    "Step",
    "explain",
    "from_json",
    "model_schema",
    "plot_feature_use",
    "plot_front",
    "plot_leaf_errors",
    "plot_progress",
    "plot_regions",
    "plot_tree",
    "report",
    "to_c",
    "to_dot",
    "to_html",
    "to_javascript",
    "to_json",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_rules",
    "to_rules_frame",
    "to_sklearn",
    "to_spreadsheet",
    "to_sql",
    "to_sql_expression",
    "to_svg",
    "to_text",
    "to_treelite",
]


def __dir__() -> list[str]:
    """Return the public names alone, for completion in a notebook."""
    return __all__
