"""The tree in Graphviz's DOT language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.layout import node_lines
from exactree.export.palette import class_colour
from exactree.export.wording import predicted, rule

if TYPE_CHECKING:
    from exactree.trees import Tree


def to_dot(tree: Tree) -> str:
    """Return the tree as a Graphviz digraph.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    str
        The text of a ``.dot`` file: ``dot -Tsvg tree.dot`` draws it.
    """
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", color="#6e7781", '
        'fontname="Helvetica", fontcolor="#1b1f24", fontsize=11];',
        '  edge [color="#6e7781", fontname="Helvetica", fontcolor="#57606a", fontsize=10];',
    ]
    for node in range(tree.node_count):
        label = _quoted("\n".join(line.text for line in node_lines(tree, node)))
        if tree.is_leaf(node):
            colour = class_colour(int(tree.prediction[node]))
            full = _quoted(predicted(tree, node))
            lines.append(
                f'  {node} [label={label}, tooltip={full}, fillcolor="#ffffff", '
                f'color="{colour}", penwidth=2];'
            )
            continue
        lines.append(f"  {node} [label={label}, tooltip={_quoted(rule(tree, node))}];")
        lines.append(f'  {node} -> {tree.children_left[node]} [label="yes"];')
        lines.append(f'  {node} -> {tree.children_right[node]} [label="no"];')
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    r"""Quote a label: Graphviz reads ``\N``, ``&lt;`` and ``"`` in it, names must not."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + escaped.replace("\n", "\\n") + '"'
