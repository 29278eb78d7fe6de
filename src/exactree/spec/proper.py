"""Best trees over rules of any kind by choosing K rules made from examples: the paper's odt.

Source      He and Little: Proper decision trees: An axiomatic framework for solving optimal
            decision tree problems with arbitrary splitting rules, 2025, arXiv:2503.01455.
Theorem     Theorems 1.1 and 4.13, section 5.2; limits on paths by section 4.8.1.
Time        Of M rules all choices of K: C(M, K) times at most K!; with n examples M is about
            2^G · C(n, G) for surfaces through G examples. Problems for which that is more than
            some thousands are refused.
Symbols     K rules in a tree; G examples that define a surface; xs the data of a subset, here the
            levels it has left and its examples; objects of a rule: the examples it is made from
            (`exactree.proper`).
The idea    A rule is made from examples, and can stand below another one only if these are all on
            one child of it. So K rules have few trees, of which `sodt` finds the best, and `odt`
            the best of all choices of K rules. Size and depth are tried in turn: with the least
            errors for every size and depth, every objective is known.
Departures  1. A rule that is made from G examples can divide only parts that hold that many. Two
               examples are in every subset that is divided. Where a surface takes more, each rule
               is there once for every one of its examples, as made from that one alone. So the
               trees are those of the definition, and the best is optimal among them all.
            2. The levels that are left go down with the data, and a leaf that breaks a limit costs
               infinitely much: the filter of section 4.8.1 as part of the objective.
"""

from collections.abc import Callable, Iterable
from functools import cache
from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from exactree.errors import MethodRefused
from exactree.objectives.errors import class_weights
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.definition import most_depth
from exactree.spec.listed_rules import rules_of
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

if TYPE_CHECKING:
    from exactree.proper import Best, DTree, ThroughExamples
    from exactree.proper.space import Root

    Splits = Callable[[tuple[ThroughExamples, ...]], Iterable[Root[ThroughExamples]]]

__all__ = ["MOST_CHOICES", "accepts", "least_errors", "solve"]

# Choices of rules, for all sizes and depths together; these take half a second.
MOST_CHOICES = 2_000

RowTuple = tuple[int, ...]
# The levels that are left, and the examples.
Data = tuple[int, RowTuple]


def accepts(problem: Problem) -> str | None:
    """Say why the method does not take a problem; None if it does.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    if problem.n_trees != 1:
        return "it takes one tree only"
    return None if problem.limits.max_leaves_of is None else "it takes no max_leaves_of"


def solve(problem: Problem) -> Outcome:
    """Return a tree of least cost within the limits, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With one tree and a very small table.

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
    deepest = most_depth(problem)
    deepest = rows - 1 if deepest is None else min(deepest, rows - 1)
    largest = min(problem.most_leaves - 1, rows - 1, 2**deepest - 1)
    best: tuple[tuple[object, ...], Best[ThroughExamples, Data, float]] | None = None
    tried = 0
    for k in range(largest + 1):
        for depth in range(deepest + 1) if "depth" in problem.quantities else [deepest]:
            tried += comb(len(rules), k)
            _refuse_many(tried, k, len(rules))
            found = least_errors(problem, rules, splits, k, depth)
            if found is not None and _allowed(problem, found.cost):
                order = (problem.cost_of(int(found.cost), [k], [depth]), k, found.cost, depth)
                if best is None or order < best[0]:
                    best = order, found
        if best is not None and _no_better(problem, best[1].cost):
            break
    tree = None if best is None else _tree(problem, best[1].tree, tuple(range(rows)))
    return answer(problem, tree, stats={"choices": tried})


def _refuse_many(tried: int, k: int, rules: int) -> None:
    if tried > MOST_CHOICES:
        raise MethodRefused(
            f"The specification of method='proper' tries all choices of {k} of {rules:,} rules, "
            f"with all smaller trees {tried:,}, more than {MOST_CHOICES:,}; give it fewer rows, a "
            "smaller max_size, or use implementation='native'."
        )


def _allowed(problem: Problem, errors: float) -> bool:
    return errors < inf and (problem.most_errors is None or errors <= problem.most_errors)


def _no_better(problem: Problem, errors: float) -> bool:
    """Return whether trees of more rules cannot be better."""
    return problem.quantities[0] == "size" or (problem.quantities == ("errors",) and errors == 0)


def least_errors(
    problem: Problem, rules: list["ThroughExamples"], splits: "Splits", k: int, depth: int
) -> "Best[ThroughExamples, Data, float] | None":
    """Return a tree of k rules with the fewest errors, no deeper than given; None if none.

    Parameters
    ----------
    problem : Problem
        The examples, and the rows that a leaf must hold.
    rules, splits
        The rules to choose from, and which can be the root, as in `exactree.proper.Space`.
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
        totals = class_weights(problem.dataset, np.array(subset))
        return sum(totals) - max(totals)

    space: Space[ThroughExamples, Data] = Space(splits, divide)
    objective: TreeObjective[ThroughExamples, Data, float] = TreeObjective(
        leaf, lambda left, _, right: left + right, lambda cost: cost
    )
    return odt(space, objective, k, rules, (depth, tuple(range(len(problem.dataset.X)))))


def _tree(problem: Problem, tree: "DTree[ThroughExamples, Data]", subset: RowTuple) -> SpecTree:
    """Return a tree with a rule of the family for every subset."""
    from exactree.proper import Leaf as ProperLeaf

    if isinstance(tree, ProperLeaf):
        totals = class_weights(problem.dataset, np.array(subset))
        return SpecLeaf(totals.index(max(totals)))
    left = tuple(row for row in subset if row in tree.rule.left)
    right = tuple(row for row in subset if row not in tree.rule.left)
    members = np.array(subset)
    every = problem.rules.by_feature(problem.dataset.X, members)
    rules = {tuple(members[goes_left].tolist()): rule for rule, goes_left in every}
    sides = _tree(problem, tree.left, left), _tree(problem, tree.right, right)
    # Of a code and its opposite one may be no rule.
    return SpecNode(rules[left], *sides) if left in rules else SpecNode(rules[right], *sides[::-1])
