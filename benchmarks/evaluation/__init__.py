"""Measurements with a common command line.

They measure sizes, accuracy on new examples, progress over time, and the growth of proof times.
"""

from typing import Any

from benchmarks.evaluation.accuracy import ACCURACY
from benchmarks.evaluation.anytime import ANYTIME
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.growth import GROWTH
from benchmarks.evaluation.sizes import SIZES
from benchmarks.evaluation.surfaces import SURFACES

__all__ = ["EVALUATIONS"]

# The commands, by their names.
EVALUATIONS: dict[str, Evaluation[Any, Any]] = {
    evaluation.name: evaluation for evaluation in (SIZES, ACCURACY, SURFACES, ANYTIME, GROWTH)
}
