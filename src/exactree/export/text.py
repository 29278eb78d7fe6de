"""Trees as indented text, one line per node, with the counts of leaves in a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.wording import counts, predicted, rule, terminal_width, trees_of
from exactree.trees import Ensemble

if TYPE_CHECKING:
    from exactree.trees import Tree

# Prefixes of a child, and of the lines below it.
YES, BELOW_YES = "├─ yes: ", "│       "
NO, BELOW_NO = "└─ no:  ", "        "


@answers_file_names(TEXT)
def to_text(model: Model) -> str:
    """Return the tree as text.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble follow each other, and a note on those without a split.

    Returns
    -------
    str
        Lines such as ``├─ yes: setosa   50 examples, 0 errors``, without a final line end.
    """
    found = fitted(model)
    texts = [_text(member) for member in trees_of(found)]
    if len(texts) == 1:
        return texts[0]
    paragraphs = [f"tree {number}\n{text}" for number, text in enumerate(texts)]
    if isinstance(found, Ensemble) and found.single_leaves_note:
        paragraphs.append(found.single_leaves_note)
    return "\n\n".join(paragraphs)


def _text(tree: Tree) -> str:
    lines = []
    first, below = {0: ""}, {0: ""}
    for node in range(tree.node_count):
        if tree.is_leaf(node):
            counted = ", ".join(counts(tree, node))
            lines.append((first[node] + predicted(tree, node), counted))
            continue
        lines.append((first[node] + rule(tree, node), ""))
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        first[left], below[left] = below[node] + YES, below[node] + BELOW_YES
        first[right], below[right] = below[node] + NO, below[node] + BELOW_NO
    width = max((terminal_width(line) for line, counted in lines if counted), default=0)
    return "\n".join(
        line + " " * (width - terminal_width(line) + 3) + counted if counted else line
        for line, counted in lines
    )
