"""Trees and ensembles for other eyes and other programs: one file per format, one list of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactree.export.c import to_c
from exactree.export.dot import to_dot
from exactree.export.html import to_html
from exactree.export.json import from_json, to_json
from exactree.export.plot import plot_tree
from exactree.export.python import to_python
from exactree.export.regions import plot_regions
from exactree.export.sklearn import to_sklearn
from exactree.export.sql import to_sql
from exactree.export.svg import to_svg
from exactree.export.text import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Every exporter by the name of its format; each takes the tree or ensemble first.
EXPORTERS: Mapping[str, Callable[..., Any]] = {
    "c": to_c,
    "dot": to_dot,
    "html": to_html,
    "json": to_json,
    "plot": plot_tree,
    "python": to_python,
    "sklearn": to_sklearn,
    "sql": to_sql,
    "svg": to_svg,
    "text": to_text,
}

__all__ = [
    "EXPORTERS",
    "from_json",
    "plot_regions",
    "plot_tree",
    "to_c",
    "to_dot",
    "to_html",
    "to_json",
    "to_python",
    "to_sklearn",
    "to_sql",
    "to_svg",
    "to_text",
]
