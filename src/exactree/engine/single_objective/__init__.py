"""One objective, one search: regressions, costs of classes, rates, ensembles, papers."""
