"""Trees as an HTML fragment, for notebooks and the display of estimators."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from exactree.export.svg import to_svg
from exactree.export.text import to_text

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

MAX_LEAVES = 64  # in a notebook wider pictures are harder to read than text


def to_html(tree: Tree | Ensemble) -> str:
    """Return the tree as a self-contained HTML element.

    Parameters
    ----------
    tree : Tree or Ensemble
        The tree, or an ensemble, whose trees are drawn side by side.

    Returns
    -------
    str
        A ``<div>`` with the picture of the tree, or with its text if it is large.
    """
    content = f"<pre>{escape(to_text(tree))}</pre>" if tree.leaves > MAX_LEAVES else to_svg(tree)
    return f'<div style="overflow:auto;max-height:80vh">{content}</div>'
