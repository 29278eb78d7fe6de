"""Trees as an HTML fragment, for notebooks and the display of estimators."""

from __future__ import annotations

from html import escape
from typing import Never

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.svg import to_svg
from exactree.export.text import to_text

MAX_LEAVES = 64  # in a notebook wider pictures are harder to read than text


@answers_file_names(TEXT)
def to_html(model: Model, *table: Never, **named: Never) -> str:
    """Return the tree as a self-contained HTML element.

    The page about a model and a table is `report`.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble are drawn side by side.
    *table, **named
        Refused; `report` takes a table.

    Returns
    -------
    str
        A ``<div>`` with the picture of the tree, or with its text if it is large.
    """
    if table or named:
        raise TypeError(
            "to_html takes the model alone; the page with a table is export.report(model, X, y)."
        )
    tree = fitted(model)
    content = f"<pre>{escape(to_text(tree))}</pre>" if tree.leaves > MAX_LEAVES else to_svg(tree)
    return f'<div style="overflow:auto;max-height:80vh">{content}</div>'
