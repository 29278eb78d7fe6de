"""The type of splitting rules; the examples for which a rule holds go left."""

from typing import TypeAlias

from exactree.rules.axis import AxisRule
from exactree.rules.categories import CategoryRule, LevelsRule
from exactree.rules.missing import MissingRule
from exactree.rules.surface import SurfaceRule

__all__ = ["Rule"]

# Every kind of rule has `holds(X)`, which returns for each row of a table whether it goes left; for
# a given table a rule is identified with that set of rows.
Rule: TypeAlias = AxisRule | CategoryRule | LevelsRule | MissingRule | SurfaceRule
