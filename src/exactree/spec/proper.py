"""Best trees over any kind of rules by choosing K rules made from examples: the paper's odt.

Source      He and Little: Proper decision trees: An axiomatic framework for solving optimal
            decision tree problems with arbitrary splitting rules, 2025, arXiv:2503.01455.
Theorem     Theorems 1.1 and 4.13, section 5.2; limits on paths by section 4.8.1.
Time        All choices of K of M rules, that is, C(M, K), times at most K!; with n examples M is
            about 2^G · C(n, G) for surfaces through G examples. Problems with more than
            `MAX_CHOICES` choices are refused.
Symbols     K rules in a tree; G examples that define a surface; xs the data of a subset, here the
            remaining levels and the examples; objects of a rule: the examples it is made from.
The idea    A rule is made from examples, and can be below another rule only if these examples are
            all in the same child of the other rule. So few trees have given K rules: `sodt` finds
            the best of them, and `odt` the best of all choices of K rules. All sizes and depths are
            tried: the minimum errors for each determine the optimum of every objective.
Departures  1. A rule that is made from G examples can only split subsets that contain these G
               examples, but the definition also splits subsets of two. So if a surface needs more
               than two, its rule is listed once for each of its examples, as if made from this
               example alone. The trees are then those of the definition.
            2. The remaining levels are part of the data, and a leaf that breaks a limit costs
               infinity: the filter of section 4.8.1 as part of the objective.
"""

from collections.abc import Callable, Iterable
from functools import cache
from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from exactree.errors import MethodRefused
from exactree.objectives.errors import weight_by_class
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.definition import max_depth
from exactree.spec.listed_rules import rules_of
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

if TYPE_CHECKING:
    from exactree.proper import Best, DTree, ThroughExamples
    from exactree.proper.space import Root

    Splits = Callable[[tuple[ThroughExamples, ...]], Iterable[Root[ThroughExamples]]]

__all__ = ["MAX_CHOICES", "min_errors", "reason_to_refuse", "solve"]

# Maximum number of choices of rules, for all sizes and depths; they take half a second.
MAX_CHOICES = 2_000

RowTuple = tuple[int, ...]
# The remaining levels, and the examples.
Data = tuple[int, RowTuple]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return the reason why the method refuses a problem, None if it accepts the problem.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    if problem.n_trees != 1:
        return "it takes one tree only"
    return None if problem.limits.max_leaves_of is None else "it takes no max_leaves_of"


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum cost within the limits, or the proof of infeasibility.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a very small table.

    Raises
    ------
    MethodRefused
        If there are too many choices of rules.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    from exactree.proper import proper

    rules = rules_of(problem)
    splits = proper(rules).splits
    rows = len(problem.dataset.X)
    depth_limit = max_depth(problem)
    depth_limit = rows - 1 if depth_limit is None else min(depth_limit, rows - 1)
    size_limit = min(problem.max_leaves - 1, rows - 1, 2**depth_limit - 1)
    best: tuple[tuple[object, ...], Best[ThroughExamples, Data, float]] | None = None
    tried = 0
    for k in range(size_limit + 1):
        for depth in range(depth_limit + 1) if "depth" in problem.quantities else [depth_limit]:
            tried += comb(len(rules), k)
            _refuse_many(tried, k, len(rules))
            found = min_errors(problem, rules, splits, k, depth)
            if found is not None and _allowed(problem, found.cost):
                order = (problem.cost_of(int(found.cost), [k], [depth]), k, found.cost, depth)
                if best is None or order < best[0]:
                    best = order, found
        if best is not None and _cannot_improve(problem, best[1].cost):
            break
    tree = None if best is None else _tree(problem, best[1].tree, tuple(range(rows)))
    return answer(problem, tree, stats={"choices": tried})


def _refuse_many(tried: int, k: int, rules: int) -> None:
    if tried > MAX_CHOICES:
        raise MethodRefused(
            f"The specification of method='proper' tries all choices of {k} of {rules:,} rules, "
            f"including smaller trees {tried:,}, more than {MAX_CHOICES:,}; use fewer rows, a "
            "smaller max_size, or implementation='native'."
        )


def _allowed(problem: Problem, errors: float) -> bool:
    return errors < inf and (problem.max_error_weight is None or errors <= problem.max_error_weight)


def _cannot_improve(problem: Problem, errors: float) -> bool:
    """Return whether trees of more rules cannot be better."""
    return problem.quantities[0] == "size" or (problem.quantities == ("errors",) and errors == 0)


def min_errors(
    problem: Problem, rules: list["ThroughExamples"], splits: "Splits", k: int, depth: int
) -> "Best[ThroughExamples, Data, float] | None":
    """Return a tree of k rules and limited depth with the fewest errors, None if there is none.

    Parameters
    ----------
    problem : Problem
        The examples, and the minimum number of rows in a leaf.
    rules, splits
        The rules to choose from, and the possible roots, as in `exactree.proper.Space`.
    k, depth : int
        Size and depth of the tree.
    """
    from exactree.proper import Space, TreeObjective, odt

    @cache
    def divide(rule: "ThroughExamples", xs: Data) -> tuple[Data, Data]:
        levels, subset = xs
        left = tuple(row for row in subset if row in rule.left)
        right = tuple(row for row in subset if row not in rule.left)
        return (levels - 1, left), (levels - 1, right)

    @cache
    def leaf(xs: Data) -> float:
        levels, subset = xs
        if levels < 0 or len(subset) < problem.min_rows:
            return inf
        totals = weight_by_class(problem.dataset, np.array(subset))
        return sum(totals) - max(totals)

    space: Space[ThroughExamples, Data] = Space(splits, divide)
    objective: TreeObjective[ThroughExamples, Data, float] = TreeObjective(
        leaf, lambda left, _, right: left + right, lambda cost: cost
    )
    return odt(space, objective, k, rules, (depth, tuple(range(len(problem.dataset.X)))))


def _tree(problem: Problem, tree: "DTree[ThroughExamples, Data]", subset: RowTuple) -> SpecTree:
    """Return the tree with rules of the problem's family."""
    from exactree.proper import Leaf as ProperLeaf

    if isinstance(tree, ProperLeaf):
        totals = weight_by_class(problem.dataset, np.array(subset))
        return SpecLeaf(totals.index(max(totals)))
    left = tuple(row for row in subset if row in tree.rule.left)
    right = tuple(row for row in subset if row not in tree.rule.left)
    members = np.array(subset)
    splits = problem.rules.by_feature(problem.dataset.X, members)
    rules = {tuple(members[goes_left].tolist()): rule for rule, goes_left in splits}
    children = _tree(problem, tree.left, left), _tree(problem, tree.right, right)
    # The opposite of a rule on a code need not be a rule.
    if left in rules:
        return SpecNode(rules[left], *children)
    return SpecNode(rules[right], *children[::-1])
