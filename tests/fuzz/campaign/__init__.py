"""Random combinations of everything that a problem can state, held against the definition."""
