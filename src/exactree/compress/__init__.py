"""The smallest tree that predicts the same as an ensemble everywhere."""

from exactree.compress.smallest import smallest_equal_tree

__all__ = ["smallest_equal_tree"]
