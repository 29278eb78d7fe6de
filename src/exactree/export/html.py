"""Trees as an HTML fragment, for notebooks and the display of estimators."""

from __future__ import annotations

from html import escape

from exactree.export.model import Model, fitted
from exactree.export.svg import to_svg
from exactree.export.text import to_text

MAX_LEAVES = 64  # in a notebook wider pictures are harder to read than text


def to_html(model: Model) -> str:
    """Return the tree as a self-contained HTML element.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble are drawn side by side.

    Returns
    -------
    str
        A ``<div>`` with the picture of the tree, or with its text if it is large.
    """
    tree = fitted(model)
    content = f"<pre>{escape(to_text(tree))}</pre>" if tree.leaves > MAX_LEAVES else to_svg(tree)
    return f'<div style="overflow:auto;max-height:80vh">{content}</div>'
