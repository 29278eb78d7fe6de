"""Lower bounds where the surfaces are too many to list, and outcomes of stopped searches.

*The lower bound.* A tree for all examples is also a tree for a subset of them, with at most as many
errors, nodes and levels, if splits with an empty child are removed. So the minimum size, or depth,
for a subset is a lower bound for all examples. Errors of disjoint subsets add up, and so do their
minima. The subsets are drawn at random; for each the minimum is found, or a lower bound on it.
Limits on the rows of a leaf and on the leaves of a class are dropped for subsets, which can only
lower the bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import comb, inf, nextafter

import numpy as np
from numpy.typing import NDArray

from exactree.data.groups import unavoidable_errors
from exactree.engine.native import proper_tree
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.oblique.rule_list import MAX_BYTES, all_rules, bytes_of
from exactree.objectives import Law
from exactree.problem import Outcome, Problem, Status
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.outcome import Suggestion
from exactree.problem.quantities import Cost, Number, as_tuple
from exactree.problem.verification.recount import cost_of_found, keeps_limits
from exactree.rules import Hypersurfaces, families_of
from exactree.stopping import Stopped
from exactree.trees import Tree

__all__ = [
    "MAX_LISTED",
    "bound_by_subsets",
    "fewer_rules",
    "improved_outcome",
    "stopped_outcome",
    "trivial_bound",
    "without_search",
]

# The maximum number of dichotomies of a subset, unless another is given.
MAX_LISTED = 30_000


def fewer_rules(problem: Problem) -> tuple[Suggestion, ...]:
    """Return the changes with which the rules are few enough to list.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    fewer, more = 0, len(problem.dataset.X)
    while more - fewer > 1:
        middle = (fewer + more) // 2
        listable = bytes_of(problem, problem.dataset.X[:middle])[0] <= MAX_BYTES
        fewer, more = (middle, more) if listable else (fewer, middle)
    families = [f for f in families_of(problem.rules) if isinstance(f, Hypersurfaces)]
    degree = max((family.degree for family in families), default=1)
    d = problem.dataset.X.shape[1]
    advice = [Suggestion("X", "fewer rows of", note=f"about {fewer:,} at most")]
    if degree > 1:
        advice.append(Suggestion("rules", "a lower degree of", note=f"{degree} now"))
    if any(len(family.features_of(d)) > 1 for family in families):
        advice.append(Suggestion("features", "fewer"))
    return tuple(advice)


def without_search(problem: Problem, stopped_by: str) -> Outcome:
    """Return the outcome without any search: a single leaf, and the trivial lower bound.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    stopped_by : str
        The reason not to search.
    """
    leaf = None
    if problem.n_trees == 1:
        leaf = tree_from_nodes(problem, [(-1, 0.0, 0.0, -1, -1)])
        leaf = leaf if keeps_limits(problem, leaf) else None
    return stopped_outcome(problem, leaf, trivial_bound(problem), stopped_by)


def trivial_bound(problem: Problem) -> Cost:
    """Return the trivial lower bound, which holds for every tree.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return _bound_of(problem, 0, 0, 0)


def stopped_outcome(problem: Problem, tree: Tree | None, bound: Cost, by: str | None) -> Outcome:
    """Return the outcome of a stopped search from a tree and a lower bound.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    tree : Tree or None
        A tree within the limits.
    bound : int, Fraction or tuple
        A lower bound.
    by : str or None
        The reason why the search stopped.
    """
    if tree is None:
        return Outcome(Status.STOPPED, None, bound, None, {}, by)
    cost = cost_of_found(problem, tree)
    bound = min(bound, cost, key=as_tuple)
    if bound == cost:
        return Outcome(Status.OPTIMAL, cost, cost, tree, {}, by if by == "interrupt" else None)
    return Outcome(Status.FEASIBLE, cost, bound, tree, {}, by)


def improved_outcome(problem: Problem, outcome: Outcome, tree: Tree | None, bound: Cost) -> Outcome:
    """Return a stopped outcome, improved by a tree and a lower bound from before the search.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    outcome : Outcome
        The outcome of a search that was stopped.
    tree : Tree or None
        A tree within the limits.
    bound : int, Fraction or tuple
        A lower bound.
    """
    if outcome.tree is not None:
        found = [outcome.tree] if tree is None else [outcome.tree, tree]
        tree = min(found, key=lambda candidate: as_tuple(cost_of_found(problem, candidate)))
    bound = max(bound, outcome.lower_bound, key=as_tuple)
    best = stopped_outcome(problem, tree, bound, outcome.stopped_by)
    return replace(best, stats=outcome.stats)


def bound_by_subsets(
    problem: Problem,
    left: Callable[[], float | None],
    max_listed: int | None = None,
    solve: Callable[[Problem, float | None], Outcome] | None = None,
) -> Cost:
    """Return a lower bound from the minima of disjoint subsets of the examples.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    left : callable
        Returns the seconds that are left.
    max_listed : int, optional
        The maximum number of dichotomies of a subset: larger subsets have greater minima.
    solve : callable, optional
        Solves a subset, given also seconds; needed where leaves have other costs than errors.
    """
    quantity = problem.quantities[0]
    if quantity not in ("errors", "size", "depth"):
        return _sum_of_subsets(problem, left, max_listed, solve)
    # Rows that are equal in all features are misclassified by every tree but for one class; subsets
    # separate such rows.
    unavoidable = unavoidable_errors(problem.dataset)
    errors, max_minimum = 0, 0

    def check() -> None:
        if left() == 0.0:
            raise Stopped("time limit")

    for subset in _subsets(problem, max_listed):
        try:
            check()
            rules = all_rules(subset, check)
        except Stopped:
            break
        if quantity == "errors":
            errors += _minimum_errors(subset, rules.bits, left)
        else:
            minimum = _minimum_of(quantity, subset, rules.bits, max_minimum, left)
            max_minimum = max(max_minimum, minimum)
    return _bound_of(problem, max(errors, unavoidable), max_minimum, max_minimum)


def _subsets(problem: Problem, max_listed: int | None) -> Iterator[Problem]:
    """Yield the relaxed problems on disjoint random subsets of the examples."""
    rows = np.random.default_rng(0).permutation(len(problem.dataset.X))
    size = _examples_together(problem, max_listed or MAX_LISTED)
    for start in range(0, len(rows), size):
        yield problem.relaxed_to_examples(np.sort(rows[start : start + size]))


def _sum_of_subsets(
    problem: Problem,
    left: Callable[[], float | None],
    max_listed: int | None,
    solve: Callable[[Problem, float | None], Outcome] | None,
) -> Cost:
    """Return a lower bound from the minimum costs of disjoint subsets, and the price of a leaf.

    Only costs that are super-additive add up; smoothing may even make a subset more expensive than
    the table.
    """
    bound = trivial_bound(problem)
    if solve is None or Law.SUPER_ADDITIVE not in problem.term.laws:
        return bound
    total = Fraction(as_tuple(bound)[0])
    for subset in _subsets(problem, max_listed):
        if left() == 0.0:
            break
        found = solve(subset, left())
        total += Fraction(max(as_tuple(found.lower_bound)[0], 0))
    first: Number = total
    if isinstance(as_tuple(bound)[0], float) or problem.regression:
        first = nextafter(float(total), -inf) if total else 0.0
    return first if isinstance(problem.minimize, str) else (first, *as_tuple(bound)[1:])


def _bound_of(problem: Problem, errors: int, size: int, depth: int) -> Cost:
    """Return a lower bound on the first quantity as a lower bound on the cost."""
    first: Number
    first, *rest = as_tuple(problem.cost_of(errors, [size], [depth]))
    return first if isinstance(problem.minimize, str) else (first, *(0 for _ in rest))


def _examples_together(problem: Problem, max_listed: int) -> int:
    """Return the number of examples of a subset, which has few enough dichotomies."""
    families = families_of(problem.rules)
    d = problem.dataset.X.shape[1]
    monomials = [len(f.monomials(d)) for f in families if isinstance(f, Hypersurfaces)]
    n = 2
    while n < len(problem.dataset.X):
        if sum(_listed_dichotomies(n + 1, g) for g in monomials) > max_listed:
            break
        n += 1
    return n


def _listed_dichotomies(n: int, g: int) -> int:
    """Return the number of listed dichotomies of n examples; some are listed several times."""
    return comb(n, min(g, n - 1)) << min(g, n - 1)


def _minimum_errors(
    subset: Problem, bits: NDArray[np.uint8], left: Callable[[], float | None]
) -> int:
    """Return the minimum errors of a tree for a subset, or a lower bound on them."""
    caps = Caps(subset.limits.max_depth, subset.max_tree_size, None)
    return proper_tree(subset, bits, caps, SearchOptions.within(left())).lower_bound


def _minimum_of(
    quantity: str,
    subset: Problem,
    bits: NDArray[np.uint8],
    proved: int,
    left: Callable[[], float | None],
) -> int:
    """Return the minimum size or depth of a tree for a subset, or a lower bound on it.

    Values below `proved`, a lower bound on the minimum for all examples, need no search.
    """
    caps = Caps(subset.limits.max_depth, subset.max_tree_size, subset.max_error_weight)
    bound = proved
    while bound < len(subset.dataset.X):
        capped = replace(caps, **{quantity: bound})
        found = proper_tree(subset, bits, capped, SearchOptions.within(left()))
        if found.status != "infeasible":
            break
        bound += 1
    return bound
