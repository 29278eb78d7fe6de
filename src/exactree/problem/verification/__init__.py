"""Cost, limits and constraints of a tree, recounted from its own predictions."""
