"""Estimators for scikit-learn: parameters in, a fitted tree out; no algorithm lives here."""

from exactree.estimators.tree_classifier import OptimalTreeClassifier

__all__ = ["OptimalTreeClassifier"]
