"""A problem in words: objective, limits and rules."""

from collections.abc import Iterable, Iterator

from exactree.data.parameters import count
from exactree.problem.problem import Problem
from exactree.problem.quantities import shown_cost
from exactree.rules import (
    AxisParallel,
    Categories,
    FixedRules,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    RulesOfTable,
    ThresholdsWithMissing,
)

__all__ = ["problem_text"]

_OBJECTIVE_TEXTS = {
    "errors": "the fewest errors",
    "size": "the fewest nodes",
    "depth": "the minimum depth",
    "total_size": "the fewest nodes in all trees",
    "largest_size": "the fewest nodes in the largest tree",
    "total_depth": "the minimum sum of depths",
    "largest_depth": "the minimum depth of the deepest tree",
}


def problem_text(problem: Problem) -> str:
    """Return a problem in words.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    str
        Such as "the fewest errors of all trees with at most 3 nodes on a path, whose nodes compare
        one feature with a threshold".
    """
    objective = ", then ".join(_quantity_text(problem, name) for name in problem.quantities)
    if problem.leaf_penalty:
        objective += (
            f" plus a price of {shown_cost(problem.leaf_penalty)} of the weight for each leaf"
        )
    if problem.feature_constraints.prices:
        objective += " plus prices of features"
    trees = "trees" if problem.n_trees == 1 else f"ensembles of {problem.n_trees} trees"
    limits = [*_limits(problem), *_constraints(problem)]
    within = f" with {', '.join(limits)}" if limits else " of any size"
    return f"{objective} of all {trees}{within}, whose nodes {_rules(problem.rules)}"


def _quantity_text(problem: Problem, name: str) -> str:
    if name == "errors" and problem.costs is not None:
        return "the minimum cost of errors"
    return _OBJECTIVE_TEXTS.get(name, f"the minimum {name.replace('_', ' ')}")


def _limits(problem: Problem) -> list[str]:
    """Return the limits of the user, in words."""
    limits, each = problem.limits, " in each tree" if problem.n_trees > 1 else ""
    clauses = []
    if limits.max_depth is not None:
        clauses.append(f"at most {count(limits.max_depth, 'node')} on a path")
    if limits.max_size is not None:
        clauses.append(f"at most {count(limits.max_size, 'node')}{each or ' in all'}")
    if limits.max_total_size is not None:
        clauses.append(f"at most {count(limits.max_total_size, 'node')} in all")
    if problem.max_errors is not None:
        clauses.append(f"at most {shown_cost(problem.max_errors)} errors")
    if problem.min_rows > 1:
        clauses.append(f"at least {count(problem.min_rows, 'row')} in every leaf")
    if problem.min_leaf_weight:
        share = shown_cost(problem.limits.min_weight_fraction_leaf)
        clauses.append(f"at least {share} of the weight in every leaf")
    for name in ("precision", "recall"):
        minimum = getattr(limits, f"min_{name}")
        if minimum is not None:
            clauses.append(f"a {name} of at least {shown_cost(minimum)}")
    by_class = limits.max_leaves_of
    if isinstance(by_class, int):
        clauses.append(
            f"at most {count(by_class, 'leaf')} of some class".replace("leafs", "leaves")
        )
        return clauses
    for label, limit in (by_class or {}).items():
        clauses.append(f"at most {count(limit, 'leaf')} of {label!r}".replace("leafs", "leaves"))
    return clauses


def _constraints(problem: Problem) -> Iterator[str]:
    """Yield the constraints on features, in words."""
    constraints, names = problem.feature_constraints, problem.dataset.feature_names

    def listed(features: Iterable[int]) -> str:
        return " and ".join(repr(names[feature]) for feature in features)

    monotone, in_shares = "predictions", constraints.in_shares and problem.n_trees == 1
    if problem.n_trees > 1:
        monotone = f"votes for {problem.dataset.classes.tolist()[-1]!r}"
    elif in_shares:
        monotone = f"a share of {problem.dataset.classes.tolist()[-1]!r}"
    for direction, change in ((1, "decrease"), (-1, "increase")):
        features = [f for f, own in constraints.directions.items() if own == direction]
        if features:
            verb = f"does not {change}" if in_shares else f"do not {change}"
            yield f"{monotone} that {verb} in {listed(features)}"
    if constraints.required:
        yield f"splits on {listed(constraints.required)}"
    for below, above in constraints.only_below.items():
        yield f"{listed([below])} only below {listed([above])}"
    if constraints.max_features is not None:
        yield f"at most {count(constraints.max_features, 'feature')}"


def _rules(rules: RuleFamily) -> str:
    """Return the splits of nodes in words."""
    families = rules.families if isinstance(rules, Mixed) else (rules,)
    families_used = [family for family in families if getattr(family, "features", None) != ()]
    if any(isinstance(family, ThresholdsWithMissing) for family in families_used):
        families_used = [family for family in families_used if not isinstance(family, AxisParallel)]
    return " or ".join(dict.fromkeys(map(_family_text, families_used))) or "have no rule"


def _family_text(family: RuleFamily) -> str:
    match family:
        case AxisParallel():
            return "compare one feature with a threshold"
        case ThresholdsWithMissing():
            return "compare one feature with a threshold (missing values on either side)"
        case Categories(level_sets=True):
            return "test for some levels of a category"
        case Categories():
            return "test for one level of a category"
        case RulesOfTable(family=name):
            return f"use a rule of {name}"
        case FixedRules():
            return "use one of the given rules"
        case Hypersurfaces(degree=1):
            return "compare a weighted sum of features with a threshold"
        case Hypersurfaces(degree=degree):
            return f"compare a polynomial of degree {degree} with a threshold"
        case _:
            return "use the allowed rules"
