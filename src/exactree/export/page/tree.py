"""A tree as the items of nested lists, in the order of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.export.palette import DARK, LIGHT, bar_of, leaf_colour
from exactree.export.wording import errors, examples, predicted, rule
from exactree.trees.routing import node_depths

if TYPE_CHECKING:
    from exactree.trees import Tree

__all__ = ["BarSegment", "Item", "tree_items"]


@dataclass(frozen=True)
class BarSegment:
    """A segment of the bar in a node.

    Attributes
    ----------
    width : float
        Its share of the bar, in percent.
    light, dark : str
        Its colours.
    """

    width: float
    light: str
    dark: str


@dataclass(frozen=True)
class Item:
    """A node or a leaf.

    Attributes
    ----------
    node : int
        Its number.
    level : int
        Its depth plus 1.
    answer : str
        The answer that leads to it, empty for the root.
    text : str
        Its rule, or its prediction.
    counts : tuple of str
        The counts of its examples.
    leaf : bool
        Whether it is a leaf.
    shares : tuple of BarSegment
        The bar.
    light, dark : str
        The colours of a leaf.
    closes : int
        Number of subtrees that end with it, and so the number of lists that are closed after it.
    """

    node: int
    level: int
    answer: str
    text: str
    counts: tuple[str, ...]
    leaf: bool
    shares: tuple[BarSegment, ...]
    light: str
    dark: str
    closes: int


def tree_items(tree: Tree) -> list[Item]:
    """Return the items of a tree in preorder.

    Parameters
    ----------
    tree : Tree
        The tree.
    """
    depths = node_depths(tree.children_left, tree.children_right).tolist()
    lefts = set(tree.children_left.tolist())
    items = []
    for node, depth in enumerate(depths):
        following = depths[node + 1] if node + 1 < len(depths) else 0
        leaf = tree.is_leaf(node)
        items.append(
            Item(
                node=node,
                level=depth + 1,
                answer="" if not node else "yes" if node in lefts else "no",
                text=predicted(tree, node) if leaf else rule(tree, node, "≤"),
                counts=_counts(tree, node, leaf),
                leaf=leaf,
                shares=_shares(tree, node),
                light=leaf_colour(tree, node, LIGHT) if leaf else "",
                dark=leaf_colour(tree, node, DARK) if leaf else "",
                closes=max(0, depth - following) if leaf else 0,
            )
        )
    return items


def _counts(tree: Tree, node: int, leaf: bool) -> tuple[str, ...]:
    return (examples(tree, node), errors(tree, node)) if leaf else (examples(tree, node),)


def _shares(tree: Tree, node: int) -> tuple[BarSegment, ...]:
    bars = zip(bar_of(tree, node, LIGHT), bar_of(tree, node, DARK), strict=True)
    return tuple(
        BarSegment(round(100 * share, 3), light, dark)
        for (light, share), (dark, _) in bars
        if share > 0
    )
