"""Estimators for scikit-learn; the algorithms are in other packages."""

from exactree.estimators.bound_optimal_classifier import BoundOptimalTreeClassifier
from exactree.estimators.bound_pruned_classifier import BoundPrunedTreeClassifier
from exactree.estimators.ensemble_classifier import OptimalEnsembleClassifier
from exactree.estimators.onnx import register_onnx
from exactree.estimators.tree_classifier import OptimalTreeClassifier
from exactree.estimators.tree_regressor import OptimalTreeRegressor
from exactree.estimators.tuned_classifier import OptimalTreeClassifierCV
from exactree.estimators.tuned_regressor import OptimalTreeRegressorCV

__all__ = [
    "BoundOptimalTreeClassifier",
    "BoundPrunedTreeClassifier",
    "OptimalEnsembleClassifier",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "register_onnx",
]
