"""Shared code of the specifications: rows, rules by threshold, fitted trees, outcomes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from exactree.errors import InternalError
from exactree.problem import Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.columns import with_columns
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import (
    AxisRule,
    CategoryRule,
    Column,
    LevelsRule,
    MissingRule,
    Rule,
    SurfaceColumn,
    SurfaceRule,
)
from exactree.rules.family import LEFT, RIGHT
from exactree.spec.irreducible import irreducible
from exactree.spec.trees import (
    FeatureRow,
    SpecLeaf,
    SpecNode,
    SpecTree,
    depth,
    goes_left,
    label_of,
    leaves,
    size,
)
from exactree.trees import Ensemble, Tree
from exactree.trees.arrays import ArrayNode

__all__ = [
    "FeatureRow",
    "SpecLeaf",
    "SpecNode",
    "SpecTree",
    "answer",
    "depth",
    "fitted_tree",
    "goes_left",
    "label_of",
    "leaves",
    "rows",
    "size",
    "thresholds",
]  # fmt: skip


def rows(problem: Problem) -> tuple[FeatureRow, ...]:
    """Return the table as tuples of numbers; labels and weights are in `problem.dataset`."""
    return tuple(tuple(row) for row in problem.dataset.X.tolist())


def thresholds(X: Sequence[FeatureRow], subset: Iterable[int], feature: int) -> list[AxisRule]:
    """List one rule for each split of a subset by a threshold of a feature.

    Parameters
    ----------
    X : sequence of rows
        The table.
    subset : iterable of int
        Indices of rows.
    feature : int
        Index of the feature.
    """
    values = sorted({X[row][feature] for row in subset})
    return [AxisRule(feature, low, high) for low, high in pairwise(values)]


def answer(
    problem: Problem,
    found: SpecTree | Sequence[SpecTree] | None,
    reason: str | None = None,
    stats: Mapping[str, Any] | None = None,
) -> Outcome:
    """Return the result of a specification as an outcome, irreducible and with a recounted cost.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : SpecTree, sequence of SpecTree or None
        A best tree, the trees of a best ensemble (which keep the classes of their leaves), or
        None if nothing meets the limits.
    reason : str, optional
        The reason of infeasibility; by default derived from the limits and the table.
    stats : mapping of str, optional
        Statistics by name.

    Returns
    -------
    Outcome
        `OPTIMAL`, or `INFEASIBLE`.
    """
    return replace(_outcome(problem, found, reason), stats=dict(stats or {}))


def _outcome(
    problem: Problem, found: SpecTree | Sequence[SpecTree] | None, reason: str | None
) -> Outcome:
    """Return the outcome without statistics."""
    if found is None:
        outcome = infeasible(problem)
        return outcome if reason is None else _with_reason(outcome, reason)
    trees = [found] if isinstance(found, SpecLeaf | SpecNode) else found
    trees = irreducible(problem, rows(problem), trees)
    if problem.n_trees == 1:
        tree = fitted_tree(problem, trees[0])
        cost = cost_of_found(problem, tree)
        return Outcome(Status.OPTIMAL, cost, cost, tree)
    ensemble = Ensemble(tuple(fitted_tree(problem, tree) for tree in trees))
    cost = cost_of_found(problem, ensemble)
    return Outcome(Status.OPTIMAL, cost, cost, None, ensemble=ensemble)


def fitted_tree(problem: Problem, tree: SpecTree) -> Tree:
    """Return a fitted tree; leaves keep their classes in ensembles and where a rate is minimized.

    All other leaves predict the cheapest class of their subset.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    tree : SpecTree
        A tree whose rules split the subsets that reach them.
    """
    X, rules = rows(problem), list(dict.fromkeys(_rules(tree)))
    with_missing = problem.dataset.with_missing
    rules_by_column = (SurfaceRule, LevelsRule)
    if any(isinstance(rule, rules_by_column) or rule.feature in with_missing for rule in rules):
        encoded = with_columns(problem, [_column(problem, rule) for rule in rules])
        columns = encoded.problem.dataset.X.T.tolist()
        replacements = {
            rule: _threshold(k, columns[k], [goes_left(rule, row) for row in X])
            for k, rule in enumerate(rules)
        }
        return encoded.lift_tree(fitted_tree(encoded.problem, _by_columns(tree, replacements)))
    nodes: list[ArrayNode] = []
    classes: list[int] = []
    for entry, label in _preorder(X, tree, range(len(X)), 0):
        nodes.append(entry)
        classes.append(label)
    with_classes = problem.n_trees > 1 or problem.rate is not None
    return tree_from_nodes(problem, nodes, classes if with_classes else None)


def _rules(tree: SpecTree) -> Iterator[Rule]:
    """List the rules of a tree."""
    if isinstance(tree, SpecNode):
        yield tree.rule
        yield from _rules(tree.left)
        yield from _rules(tree.right)


def _column(problem: Problem, rule: Rule) -> Column | SurfaceColumn:
    """Return a column of numbers with a threshold that is equivalent to a rule."""
    if isinstance(rule, SurfaceRule):
        return SurfaceColumn(rule)
    side = LEFT if rule.missing_left else RIGHT
    if rule.feature not in problem.dataset.with_missing:
        side = ""
    if isinstance(rule, AxisRule):
        return Column(rule.feature, None, side)
    if isinstance(rule, LevelsRule):
        return Column(rule.feature, rule.codes, side)
    codes = {rule.code} if isinstance(rule, CategoryRule) else set()
    if isinstance(rule, MissingRule) and not rule.missing_left:
        values = problem.dataset.X[:, rule.feature]
        codes = set(values[values == values].tolist())
    return Column(rule.feature, tuple(codes), side)


def _threshold(k: int, column: Sequence[float], left: Sequence[bool]) -> AxisRule:
    """Return the threshold of a column that splits the table as a rule does."""
    low = max(value for value, goes in zip(column, left, strict=True) if goes)
    high = min(value for value, goes in zip(column, left, strict=True) if not goes)
    return AxisRule(k, low, high)


def _by_columns(tree: SpecTree, replacements: Mapping[Rule, AxisRule]) -> SpecTree:
    """Return a tree with thresholds on columns in place of its rules."""
    if isinstance(tree, SpecLeaf):
        return tree
    children = (_by_columns(child, replacements) for child in (tree.left, tree.right))
    return SpecNode(replacements[tree.rule], *children)


def _preorder(
    X: Sequence[FeatureRow], tree: SpecTree, subset: Sequence[int], index: int
) -> Iterator[tuple[ArrayNode, int]]:
    """List the nodes below a node as `grow` reads them, each with the class of its leaf, else -1.

    The values beside a threshold are those of the subset that reaches its node. `index` is the
    number of the first node.
    """
    if isinstance(tree, SpecLeaf):
        yield (-1, 0.0, 0.0, -1, -1), tree.label
        return
    assert isinstance(tree.rule, AxisRule | CategoryRule), "other rules are encoded as columns"
    feature = tree.rule.feature
    left = [row for row in subset if goes_left(tree.rule, X[row])]
    right = [row for row in subset if not goes_left(tree.rule, X[row])]
    if not left or not right:
        raise InternalError(f"a specification's tree has an empty child below {tree.rule}")
    low = max(X[row][feature] for row in left)
    by_code = isinstance(tree.rule, CategoryRule)
    high = None if by_code else min(X[row][feature] for row in right)
    right_index = index + 2 + 2 * size(tree.left)
    yield (feature, low, high, index + 1, right_index), -1
    yield from _preorder(X, tree.left, left, index + 1)
    yield from _preorder(X, tree.right, right, right_index)


def _with_reason(outcome: Outcome, reason: str) -> Outcome:
    return Outcome(Status.INFEASIBLE, None, outcome.lower_bound, None, reason=reason)
