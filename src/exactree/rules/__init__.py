"""Families of splitting rules: thresholds, categories, missing values, surfaces, mixtures."""

from exactree.rules.axis import AxisParallel, AxisRule
from exactree.rules.categories import Categories, CategoryRule, LevelsRule
from exactree.rules.family import Column, RuleFamily
from exactree.rules.fixed import FixedRules, RulesOfTable
from exactree.rules.hypersurfaces import Hyperplanes, Hypersurfaces
from exactree.rules.missing import MissingRule, ThresholdsWithMissing
from exactree.rules.mixed import Mixed, Rule, families_of, of_surfaces
from exactree.rules.surface import SurfaceColumn, SurfaceRule, Surfaces

__all__ = [
    "AxisParallel",
    "AxisRule",
    "Categories",
    "CategoryRule",
    "Column",
    "FixedRules",
    "Hyperplanes",
    "Hypersurfaces",
    "LevelsRule",
    "MissingRule",
    "Mixed",
    "Rule",
    "RuleFamily",
    "RulesOfTable",
    "SurfaceColumn",
    "SurfaceRule",
    "Surfaces",
    "ThresholdsWithMissing",
    "families_of",
    "of_surfaces",
]
