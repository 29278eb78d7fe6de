"""One tree in place of many: the smallest that predicts the same everywhere."""

from exactree.compress.smallest import smallest_equal_tree

__all__ = ["smallest_equal_tree"]
