"""The parity family: tables for a small ensemble that need a large single tree.

Source      Komusiewicz et al. (001), Theorem 3.3; the bound of the claim is this project's.
Symbols     l = n_trees, odd; s = size. Values 0..s, one example for each of the (s + 1)^l tuples,
            blue iff more of its entries are even than odd.
Claim       l trees of size s classify it, the i-th by the parity of entry i. In a leaf of a single
            tree without errors, all features but at most (l - 1)/2 have one value: if each of (l +
            1)/2 features still had two, it would have two of different parity, and these features
            decide the vote. So a leaf holds at most (s + 1)^((l - 1)/2) examples, and a single tree
            needs at least (s + 1)^((l + 1)/2) - 1 nodes.
Conjecture  The mean number of examples in a leaf is smaller than this maximum, as the source
            expects; `examples_per_leaf` measures it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log2

from exactree.data.parameters import shown
from exactree.instances.instance import Instance, make_instance
from exactree.problem.parameters import whole_number
from exactree.trees import Tree, grow
from exactree.trees.ensemble import Ensemble

__all__ = ["Parity", "examples_per_leaf"]

# Minimum sizes of a single tree, found by complete search on these tables.
MIN_SIZE = {(3, 1): 5, (3, 2): 16, (3, 3): 34, (3, 4): 62, (5, 1): 19, (5, 2): 110}
MAX_EXAMPLES = 1_000_000


@dataclass(frozen=True)
class Parity:
    """All tuples of small integers, labeled by the majority of even and odd entries.

    Parameters
    ----------
    n_trees : int
        Number of features, and of trees of an ensemble that classifies the table; odd.
    size : int
        The largest value, and the size of each of these trees; at least 1.
    """

    n_trees: int
    size: int

    def __post_init__(self) -> None:
        for name, allowed in (("n_trees", "an odd integer >= 1"), ("size", "an integer >= 1")):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), 1, allowed))
        if self.n_trees % 2 == 0:
            raise ValueError(f"n_trees must be an odd integer >= 1, got {shown(self.n_trees)}.")
        # By logarithms, because a power of a huge number would take all memory.
        if self.n_trees * log2(self.size + 1) > log2(MAX_EXAMPLES):
            raise ValueError(
                f"n_trees={shown(self.n_trees)} and size={shown(self.size)} give (size + 1)^"
                f"n_trees examples; at most {MAX_EXAMPLES:,} are allowed."
            )

    def apply(self) -> Instance:
        """Return the table, with the minimum size of a single tree if it is known."""
        known = MIN_SIZE.get((self.n_trees, self.size))
        examples = [
            (" ".join(map(str, entries)), entries, self._label(entries))
            for entries in product(range(self.size + 1), repeat=self.n_trees)
        ]
        names = [f"entry {i + 1}" for i in range(self.n_trees)]
        return make_instance(names, examples, known={} if known is None else {"size": known})

    def ensemble(self) -> Ensemble:
        """Return the ensemble of the claim, in which each tree predicts the parity of an entry."""
        dataset = self.apply().problem().dataset
        trees = []
        for feature in range(self.n_trees):
            nodes: list[tuple[int, float, float, int, int]] = []
            leaf_classes = []
            for is_leaf, value, right in self._nodes(0, self.size, 0):
                number = len(nodes)
                nodes.append(
                    (-1, 0.0, 0.0, -1, -1)
                    if is_leaf
                    else (feature, value, value + 1.0, number + 1, right)
                )
                leaf_classes.append(value % 2)  # blue comes before red
            trees.append(grow(dataset, nodes, leaf_classes))
        return Ensemble(tuple(trees))

    @property
    def lower_bound(self) -> int:
        """A lower bound on the size of a single tree without errors."""
        return int((self.size + 1) ** ((self.n_trees + 1) // 2)) - 1

    @property
    def max_per_leaf(self) -> int:
        """The maximum number of examples in a leaf of a single tree without errors."""
        return int((self.size + 1) ** ((self.n_trees - 1) // 2))

    def _label(self, entries: tuple[int, ...]) -> str:
        odd = sum(entry % 2 for entry in entries)
        return "blue" if 2 * odd < len(entries) else "red"

    def _nodes(self, low: int, high: int, number: int) -> Iterator[tuple[bool, int, int]]:
        """List the nodes in preorder of the balanced tree that separates low..high.

        A node is listed as whether it is a leaf, its value, and the index of its right child.
        """
        if low == high:
            yield True, low, -1
            return
        middle = (low + high) // 2
        right = number + 1 + 2 * (middle - low) + 1
        yield False, middle, right
        yield from self._nodes(low, middle, number + 1)
        yield from self._nodes(middle + 1, high, right)


def examples_per_leaf(tree: Tree) -> tuple[Fraction, int]:
    """Return the mean and the largest number of examples in a leaf of a tree.

    Parameters
    ----------
    tree : Tree
        Any tree.
    """
    in_leaves = [int(n) for node, n in enumerate(tree.n_node_samples) if tree.is_leaf(node)]
    return Fraction(sum(in_leaves), len(in_leaves)), max(in_leaves)
