"""What a node may use: a yes/no question about an example; those it holds for go left."""

from typing import TypeAlias

from exactree.rules.axis import AxisRule
from exactree.rules.categories import CategoryRule, LevelsRule
from exactree.rules.missing import MissingRule
from exactree.rules.surface import SurfaceRule

__all__ = ["Rule"]

# Every kind of rule. Each has `holds(X)`, which tells for every row of a table whether it goes
# left; for a given table a rule is that set of examples.
Rule: TypeAlias = AxisRule | CategoryRule | LevelsRule | MissingRule | SurfaceRule
