"""Text for problems: objective, limits and rules in words, and reasons of infeasibility."""
