"""Pareto fronts of one tree, of regressions and of ensembles."""
