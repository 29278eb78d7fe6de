"""What smallest ensembles are good for: how small they are, and how accurate on new examples."""

from benchmarks.evaluation import accuracy, sizes

__all__ = ["EVALUATIONS"]

# The commands, by their names.
EVALUATIONS = {sizes.NAME: sizes.main, accuracy.NAME: accuracy.main}
