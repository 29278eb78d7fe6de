"""Random combinations of everything that a problem can state, compared with the definition."""
