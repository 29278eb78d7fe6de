"""The rules room: which yes/no questions a node may ask."""

from exactree.rules.axis import AxisParallel, AxisRule
from exactree.rules.categories import Categories, CategoryRule
from exactree.rules.family import Column, RuleFamily
from exactree.rules.mixed import Mixed
from exactree.rules.rule import Rule

__all__ = [
    "AxisParallel", "AxisRule", "Categories", "CategoryRule", "Column", "Mixed", "Rule",
    "RuleFamily",
]  # fmt: skip
