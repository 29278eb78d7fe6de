"""A tree with some of its nodes collapsed into leaves."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD, NO_COMPARISON, NO_FEATURE, NO_THRESHOLD, NONE_MISSING
from exactree.trees.schema import PER_NODE


def collapsed(tree: Tree, nodes: Iterable[int]) -> Tree:
    """Return the tree in which the nodes are leaves that predict their own classes.

    Parameters
    ----------
    tree : Tree
        The tree; it stays as it is.
    nodes : iterable of int
        Nodes of the tree. What lies below a collapsed node may be among them.
    """
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    leaf = np.zeros(tree.node_count, dtype=bool)
    leaf[list(nodes)] = True
    kept, ahead = [], [0]
    while ahead:
        node = ahead.pop()
        kept.append(node)
        leaf[node] |= left[node] == NO_CHILD
        if not leaf[node]:
            ahead += (right[node], left[node])
    place = np.full(tree.node_count + 1, NO_CHILD)  # the last entry is that of child -1
    place[kept] = np.arange(len(kept))
    entries = {name: getattr(tree, name)[kept] for name in (*PER_NODE, "missing")}
    for name in ("children_left", "children_right"):
        entries[name] = np.where(leaf[kept], NO_CHILD, place[entries[name]])
    entries["feature"] = np.where(leaf[kept], NO_FEATURE, entries["feature"])
    entries["comparison"] = np.where(leaf[kept], NO_COMPARISON, entries["comparison"])
    entries["missing"] = np.where(leaf[kept], NONE_MISSING, entries["missing"])
    entries["threshold"] = np.where(leaf[kept], NO_THRESHOLD, entries["threshold"])
    # Nodes that are gone may have been those where float32 sent rows elsewhere.
    return replace(tree, **entries, same_in_float32=tree.same_in_float32 or None)
