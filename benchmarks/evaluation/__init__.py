"""How small ensembles are, and how accurate they and trees over lines are on new examples."""

from typing import Any

from benchmarks.evaluation.accuracy import ACCURACY
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.sizes import SIZES
from benchmarks.evaluation.surfaces import SURFACES

__all__ = ["EVALUATIONS"]

# The commands, by their names.
EVALUATIONS: dict[str, Evaluation[Any]] = {one.name: one for one in (SIZES, ACCURACY, SURFACES)}
