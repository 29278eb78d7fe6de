"""Decision trees as frozen arrays: what every solver returns and every exporter reads."""

from exactree.trees.arrays import grow
from exactree.trees.ensemble import Ensemble
from exactree.trees.regression_tree import RegressionTree, grow_regression
from exactree.trees.tree import Tree

__all__ = ["Ensemble", "RegressionTree", "Tree", "grow", "grow_regression"]
