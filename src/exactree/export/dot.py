"""Trees in Graphviz's DOT language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.layout import node_lines
from exactree.export.model import Model, fitted
from exactree.export.palette import LIGHT, leaf_colour
from exactree.export.wording import predicted, rule, trees_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exactree.trees import Tree


@answers_file_names(TEXT)
def to_dot(model: Model) -> str:
    """Return the tree as a Graphviz digraph.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble are drawn side by side.

    Returns
    -------
    str
        The text of a ``.dot`` file: ``dot -Tsvg tree.dot`` draws it.
    """
    lines = [
        "digraph tree {",
        f'  node [shape=box, style="rounded,filled", fillcolor="{LIGHT.box}", '
        f'color="{LIGHT.line}", fontname="Helvetica", fontcolor="{LIGHT.ink}", fontsize=11];',
        f'  edge [color="{LIGHT.line}", fontname="Helvetica", fontcolor="{LIGHT.detail}", '
        "fontsize=10];",
    ]
    trees = trees_of(fitted(model))
    if len(trees) == 1:
        lines += _nodes(trees[0], "")
    else:
        for number, member in enumerate(trees):
            lines += [
                f"  subgraph cluster_{number} {{",
                f'  label="tree {number}"; color="{LIGHT.line}";',
            ]
            lines += [*_nodes(member, f"tree{number}_"), "  }"]
    return "\n".join([*lines, "}"]) + "\n"


def _nodes(tree: Tree, prefix: str) -> Iterator[str]:
    """Write the nodes of a tree, whose names begin with a prefix, and its edges."""
    for node in range(tree.node_count):
        name = f"{prefix}{node}"
        label = _quoted("\n".join(line.text for line in node_lines(tree, node)))
        if tree.is_leaf(node):
            colour = leaf_colour(tree, node)
            full = _quoted(predicted(tree, node))
            yield (
                f'  {name} [label={label}, tooltip={full}, fillcolor="{LIGHT.background}", '
                f'color="{colour}", penwidth=2];'
            )
            continue
        yield f"  {name} [label={label}, tooltip={_quoted(rule(tree, node))}];"
        yield f'  {name} -> {prefix}{tree.children_left[node]} [label="yes"];'
        yield f'  {name} -> {prefix}{tree.children_right[node]} [label="no"];'


def _quoted(text: str) -> str:
    r"""Quote a label, and escape ``\N``, ``&lt;`` and ``"``, which Graphviz would interpret."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + escaped.replace("\n", "\\n") + '"'
