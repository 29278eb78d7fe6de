"""The list of methods: name, source, accepted problems and specification of each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from exactree.problem import Outcome, Problem
from exactree.problem.encoding.columns import in_columns
from exactree.problem.encoding.decoding import decode_outcome
from exactree.rules import AxisParallel, RuleFamily
from exactree.spec import (
    box,
    constrained,
    constrained_ensemble,
    definition,
    definition_ensemble,
    proper,
    subsets,
    subsets_ensemble,
    support_sets,
    threshold,
    witness,
    witness_ensemble,
)

__all__ = ["METHODS", "NO_CONSTRAINTS", "Method", "Specification", "accepting"]

NO_CONSTRAINTS = (
    "it takes no monotonic_cst, feature_penalty, constraints or, with rows of different weight, "
    "min_weight_fraction_leaf"
)


@dataclass(frozen=True)
class Method:
    """An entry of the list of methods.

    Attributes
    ----------
    name : str
        The value of `method` in `solve` that selects it.
    source : str
        The paper and its theorem.
    reason_to_refuse : callable
        Returns None for a problem that the method accepts, else the reason as a clause.
    spec : callable
        The readable specification. It has no time limit, and refuses problems that would take long.
    """

    name: str
    source: str
    reason_to_refuse: Callable[[Problem], str | None]
    spec: Callable[[Problem], Outcome]


def accepting(problem: Problem) -> list[str]:
    """Return the names of the methods whose specification accepts a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return [name for name, method in METHODS.items() if method.reason_to_refuse(problem) is None]


class Specification(Protocol):
    """The interface of a specification, which is a module of this package."""

    def reason_to_refuse(self, problem: Problem) -> str | None:
        """Return None for a problem that is accepted, else the reason as a clause."""
        ...

    def solve(self, problem: Problem) -> Outcome:
        """Return an optimal outcome, or the proof of infeasibility."""
        ...


def _method(
    name: str,
    source: str,
    for_one_tree: Specification,
    for_ensembles: Specification | None = None,
    own_rules: type[RuleFamily] | None = None,
    takes_all_objectives: bool = False,
    constrained_forms: tuple[Specification, Specification] | None = None,
) -> Method:
    """Return an entry from the specifications for one tree and for ensembles.

    The specification handles rules of the class `own_rules` itself; problems with other rules are
    encoded as thresholds on columns. It minimizes only the weight of errors unless
    `takes_all_objectives`. `constrained_forms` are the specifications for one
    tree and for ensembles under constraints.
    """

    def chosen(problem: Problem) -> Specification:
        if constrained_forms is not None and problem.constrained:
            if problem.n_trees == 1:
                return constrained_forms[0]
            if problem.feature_constraints:  # the weight of leaves is checked by every definition
                return constrained_forms[1]
        # Without a specification for ensembles, that for one tree refuses them.
        return for_one_tree if problem.n_trees == 1 or for_ensembles is None else for_ensembles

    def spec(problem: Problem) -> Outcome:
        solve = chosen(problem).solve
        if own_rules is not None and isinstance(problem.rules, own_rules):
            return solve(problem)
        encoded = in_columns(problem)
        return decode_outcome(encoded, solve(encoded.problem))

    def reason_to_refuse(problem: Problem) -> str | None:
        if problem.regression and not takes_all_objectives:
            return "it predicts classes, not numbers"
        if problem.constrained and constrained_forms is None:
            return NO_CONSTRAINTS
        if not problem.plain_errors and not takes_all_objectives:
            return "it counts the weight of errors, not other costs"
        return chosen(problem).reason_to_refuse(problem)

    return Method(
        name,
        source,
        reason_to_refuse=reason_to_refuse,
        spec=spec,
    )


METHODS = {
    method.name: method
    for method in (
        _method(
            "branch-and-bound",
            "the definition",
            definition,
            definition_ensemble,
            own_rules=RuleFamily,
            takes_all_objectives=True,
            constrained_forms=(constrained, constrained_ensemble),
        ),
        _method(
            "witness",
            "Komusiewicz et al., ICML 2023, Theorem 4.1",
            witness,
            witness_ensemble,
        ),
        _method("box", "Kobourov et al., AAAI 2023, Theorem 3.1", box),
        _method(
            "threshold",
            "Kobourov et al., AAAI 2023, Theorem 3.2",
            threshold,
            own_rules=AxisParallel,  # with some features only: Corollary 3.3
        ),
        _method("support-sets", "Ordyniak and Szeider, AAAI 2021", support_sets),
        _method(
            "subsets",
            "Komusiewicz et al., ICML 2023, Theorems 5.2 and 5.3",
            subsets,
            subsets_ensemble,
        ),
        _method(
            "proper",
            "He and Little, 2025, Theorems 1.1 and 4.13",
            proper,
            own_rules=RuleFamily,
        ),
    )
}
