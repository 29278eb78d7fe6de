"""Public laws and random problems, to test rules, objectives and solvers of your own.

The strategies need hypothesis, which is imported when the first of them is called.
"""

from exactree.testing.drawn_weights import drawn_weights, random_errors, random_weights
from exactree.testing.irreducible import check_irreducible
from exactree.testing.laws import check_objective, check_rule_family, check_solver
from exactree.testing.strategies import (
    features,
    labels,
    limits,
    problems,
    quantities,
    regressions,
    tables,
    targets,
    weights,
)

__all__ = [
    "check_irreducible",
    "check_objective",
    "check_rule_family",
    "check_solver",
    "drawn_weights",
    "features",
    "labels",
    "limits",
    "problems",
    "quantities",
    "random_errors",
    "random_weights",
    "regressions",
    "tables",
    "targets",
    "weights",
]
