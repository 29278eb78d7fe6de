"""Tuning: the best tree for every value of one limit, and the choice among them."""

from exactree.tuning.choice import Choice, choose, settings_along
from exactree.tuning.figure import plot_tuning
from exactree.tuning.front import (
    LIMITED_QUANTITY_OF,
    LimitedFront,
    best_at,
    front_along,
    front_within,
)

__all__ = [
    "LIMITED_QUANTITY_OF",
    "Choice",
    "LimitedFront",
    "best_at",
    "choose",
    "front_along",
    "front_within",
    "plot_tuning",
    "settings_along",
]
