"""What smallest ensembles are good for: how small they are, and how accurate on new examples."""

from typing import Any

from benchmarks.evaluation.accuracy import ACCURACY
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.sizes import SIZES

__all__ = ["EVALUATIONS"]

# The commands, by their names.
EVALUATIONS: dict[str, Evaluation[Any]] = {one.name: one for one in (SIZES, ACCURACY)}
