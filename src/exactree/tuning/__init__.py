"""Tuning: the best tree for every value of one limit, and the choice among them."""

from exactree.tuning.choice import Choice, choose, settings_along
from exactree.tuning.figure import plot_tuning
from exactree.tuning.front import LIMITED_QUANTITY_OF, best_at, front_along

__all__ = [
    "LIMITED_QUANTITY_OF",
    "Choice",
    "best_at",
    "choose",
    "front_along",
    "plot_tuning",
    "settings_along",
]
