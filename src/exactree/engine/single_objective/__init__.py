"""Searches for a single objective: regression, class costs, rates, ensembles, paper methods."""
