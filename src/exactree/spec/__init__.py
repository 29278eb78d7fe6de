"""The specifications: methods in readable form, each tested against the one above it."""

from exactree.spec.definition import least_cost

__all__ = ["least_cost"]
