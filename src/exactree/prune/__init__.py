"""The pruning room: which nodes of a fitted tree are worth their leaves on new examples."""

from exactree.prune.any_tree import read_tree
from exactree.prune.by_bound import Pruning, prune_with_bound

__all__ = ["Pruning", "prune_with_bound", "read_tree"]
