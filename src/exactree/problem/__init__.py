"""Problems (`Problem`, `Limits`, `Constraints`) and the results of a search (`Outcome`)."""

from exactree.problem.constraints import Constraints
from exactree.problem.front import ParetoFront
from exactree.problem.limits import Limits
from exactree.problem.outcome import Listener, Outcome, Progress, Status
from exactree.problem.problem import Problem
from exactree.problem.quantities import Cost

__all__ = [
    "Constraints",
    "Cost",
    "Limits",
    "Listener",
    "Outcome",
    "ParetoFront",
    "Problem",
    "Progress",
    "Status",
]
