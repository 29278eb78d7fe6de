"""Trees as a fragment of HTML, for notebooks and the estimators' display."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from exactree.export.svg import to_svg
from exactree.export.text import to_text

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

MAX_LEAVES = 64  # wider pictures are hard to read in a notebook, the text stays easy


def to_html(tree: Tree | Ensemble) -> str:
    """Return the tree as one HTML element, which needs nothing from elsewhere.

    Parameters
    ----------
    tree : Tree or Ensemble
        The tree, or an ensemble: its trees stand side by side.

    Returns
    -------
    str
        A ``<div>`` with the picture, or with the text of the tree when that is large.
    """
    content = f"<pre>{escape(to_text(tree))}</pre>" if tree.leaves > MAX_LEAVES else to_svg(tree)
    return f'<div style="overflow:auto;max-height:80vh">{content}</div>'
