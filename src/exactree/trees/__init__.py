"""Decision trees as frozen arrays: what every solver returns and every exporter reads."""

from exactree.trees.arrays import grow
from exactree.trees.ensemble import Ensemble
from exactree.trees.tree import Tree

__all__ = ["Ensemble", "Tree", "grow"]
