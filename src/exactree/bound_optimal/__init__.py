"""The tree of minimum risk bound among all trees with at most a given number of leaves."""

from exactree.bound_optimal.curve import CurveEntry, plot_curve
from exactree.bound_optimal.prices import RiskPrices, features_of
from exactree.bound_optimal.search import MAX_LEAVES, solve_bound_optimal

__all__ = [
    "MAX_LEAVES",
    "CurveEntry",
    "RiskPrices",
    "features_of",
    "plot_curve",
    "solve_bound_optimal",
]
