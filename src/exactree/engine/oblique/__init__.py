"""Splits of any kind as dichotomies, and trees of surfaces where these are too many."""
