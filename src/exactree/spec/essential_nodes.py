"""Trees with few leaves of one class: Lemmas 3.4 and 3.5 and the size of Theorem 3.6 (000).

Source      000: Kobourov et al., AAAI 2023.
Theorem     Lemmas 3.4 and 3.5, Theorem 3.6.
Time        Every function visits each node once, with all leaves below it.
Symbols     red the class whose leaves are counted, R their number, d the number of features. An
            essential node has red leaves in both of its subtrees.
The idea    A tree with R red leaves branches between red leaves in R - 1 nodes. Between two of
            these nodes a smallest tree of two classes only cuts off leaves of the other class, with
            at most two cuts per feature, one from below and one from above. So its size is bounded
            by R and d.
Departures  1. The lemmas and the theorem are for two classes; Lemma 3.4 holds for any tree.
            2. "Minimum-size" may also mean the smallest of all trees with at most R red leaves.
"""

from exactree.spec.table import SpecLeaf, SpecNode, SpecTree

__all__ = ["essential_nodes", "largest_size", "longest_run", "red_leaves"]


def red_leaves(tree: SpecTree, red: int) -> int:
    """Return the number of leaves of a class."""
    if isinstance(tree, SpecLeaf):
        return int(tree.label == red)
    return red_leaves(tree.left, red) + red_leaves(tree.right, red)


def is_essential(tree: SpecNode, red: int) -> bool:
    """Return whether a node has red leaves in both of its subtrees."""
    return red_leaves(tree.left, red) > 0 and red_leaves(tree.right, red) > 0


def essential_nodes(tree: SpecTree, red: int) -> int:
    """Return the number of essential nodes; at most R - 1 (Lemma 3.4)."""
    if isinstance(tree, SpecLeaf):
        return 0
    below = essential_nodes(tree.left, red) + essential_nodes(tree.right, red)
    return below + int(is_essential(tree, red))


def longest_run(tree: SpecTree, red: int) -> int:
    """Return the longest run of nodes on a path that are not essential, at most 2d (Lemma 3.5).

    Parameters
    ----------
    tree : SpecLeaf or SpecNode
        The tree.
    red : int
        Index of the class.
    """

    def runs(tree: SpecTree, above: int) -> int:
        """Return the longest run if the last `above` nodes of the path are not essential."""
        if isinstance(tree, SpecLeaf):
            return above
        run = 0 if is_essential(tree, red) else above + 1
        return max(above, runs(tree.left, run), runs(tree.right, run))

    return runs(tree, 0)


def largest_size(d: int, R: int) -> int:
    """Return the largest size of a smallest tree with at most R red leaves (Theorem 3.6).

    Parameters
    ----------
    d : int
        Number of features.
    R : int
        Number of red leaves; with none the tree is a single leaf.
    """
    return 2 * d * (2 * R - 1) + R - 1 if R > 0 else 0
