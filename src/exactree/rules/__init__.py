"""The rules room: which yes/no questions a node may ask."""

from exactree.rules.axis import AxisParallel, AxisRule
from exactree.rules.rule import Rule, RuleFamily

__all__ = ["AxisParallel", "AxisRule", "Rule", "RuleFamily"]
