"""Checked, immutable tables: features, labels, exact weights, levels of categories."""

from exactree.data.dataset import Dataset, make_dataset, make_features
from exactree.data.thresholds import threshold_between

__all__ = ["Dataset", "make_dataset", "make_features", "threshold_between"]
