"""Decoding of a search's outcome, and removal of nodes that the decoded rules make superfluous.

A search represents a rule by its column on the whole table. The rule of a node in the decoded tree
depends on the node's subset: levels that do not occur in the subset go right, missing values follow
the larger child if the subset has none, and a threshold lies between two values of the subset,
although other examples of the table may have values in between. Applied to a larger subset, the
decoded rule is a rule of the problem, but possibly not the rule that the search has tried there.
Therefore a decoded subtree can sometimes replace a larger subtree at the same cost, although
the search could not place it there.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Law
from exactree.problem.encoding.columns import EncodedProblem, in_columns
from exactree.problem.encoding.tree_encoder import SourceTree, TreeEncoder
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.outcome import Outcome
from exactree.problem.problem import Problem
from exactree.problem.quantities import as_tuple
from exactree.problem.reduction import ExactCost, Reduction
from exactree.problem.verification.recount import broken_limits, cost_of_found, errors_of_found
from exactree.rules import AxisParallel
from exactree.trees import Ensemble, Tree
from exactree.trees.arrays import fields_and_subsets
from exactree.trees.routing import NO_CHILD

__all__ = ["decode_outcome", "without_rounded_gains"]


def decode_outcome(
    encoded: EncodedProblem, outcome: Outcome, stopped: Callable[[], bool] = lambda: False
) -> Outcome:
    """Return the outcome of a problem in columns as one of the original problem.

    No node of its trees can be replaced by one of its subtrees at the same cost, unless the time
    limit ends this reduction early.

    Parameters
    ----------
    encoded : EncodedProblem
        The problem.
    outcome : Outcome
        The outcome of the search in columns, of any status.
    stopped : callable
        Returns whether the time limit is reached.
    """
    found = encoded.lift(outcome)
    if found.ensemble is not None:
        return replace(found, ensemble=_reduced_ensemble(encoded, found.ensemble, stopped))
    if found.tree is None or not _may_have_superfluous_nodes(encoded.original, found.tree):
        return found
    return replace(found, tree=_reduced(encoded, found.tree, stopped))


def without_rounded_gains(problem: Problem, tree: Tree) -> Tree:
    """Return a tree without nodes that reduce only the rounded cost.

    A search in rounded weights cannot distinguish a node that saves nothing from a node that saves
    a little.

    Parameters
    ----------
    problem : Problem
        The problem that was solved; its costs are exact.
    tree : Tree
        A tree within its limits.
    """
    if not tree.size or problem.constrained or tree.surfaces:
        return tree
    encoded = in_columns(problem)
    encoder = TreeEncoder(encoded)
    arrays = (tree.children_left, tree.children_right, tree.feature)
    source = encoder.within_limits(SourceTree(*arrays, tree.goes_left, problem.dataset.X))
    nodes = encoder.nodes(encoder.reduced(source))
    simple = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes))
    if _may_have_superfluous_nodes(problem, simple):
        simple = _reduced(encoded, simple, lambda: False)
    simple_cost, cost = (as_tuple(cost_of_found(problem, each)) for each in (simple, tree))
    better = simple.size < tree.size and simple_cost <= cost
    return simple if better and not any(broken_limits(problem, simple)) else tree


def _may_have_superfluous_nodes(problem: Problem, tree: Tree) -> bool:
    """Return whether decoding can change rules of a tree, and superfluous nodes cost nothing.

    The rule of the root belongs to the whole table, so a tree with a single node is decoded
    unchanged. If nodes have a price, no optimal tree has a superfluous node. A rate is not a sum of
    costs of leaves, so superfluous nodes are not searched for.
    """
    free = "size" not in problem.quantities and not problem.leaf_penalty
    free = free and problem.rate is None
    if not free or tree.size <= 1 or problem.constrained or tree.surfaces:
        return False
    return problem.quantities != (problem.error_term,) or not _rules_are_columns(problem, tree)


def _rules_are_columns(problem: Problem, tree: Tree) -> bool:
    """Return whether every rule of a tree splits the whole table as the column of the search does.

    A number with two values has a single threshold. Then decoding changes nothing, and a search for
    the errors alone has removed all superfluous nodes (`crates/search/src/engine/simplify.rs`).
    """
    if problem.rules != AxisParallel():
        return False
    features = set(tree.feature[tree.children_left != NO_CHILD].tolist())
    columns = (problem.dataset.X[:, feature] for feature in features)
    return all(((column == column.min()) | (column == column.max())).all() for column in columns)


def _reduced(encoded: EncodedProblem, tree: Tree, stopped: Callable[[], bool]) -> Tree:
    """Replace nodes by their decoded subtrees as long as possible; every pass removes a node."""
    problem, encoder = encoded.original, TreeEncoder(encoded)
    while True:
        source = _without_superfluous_nodes(
            tree,
            problem.dataset.X,
            lambda rows: problem.term.leaf(problem.dataset, rows),
            problem.term.laws,
            _spare_errors(problem, tree),
            stopped,
        )
        if source is None:
            return tree
        nodes = encoder.nodes(encoder.reduced(encoder.within_limits(source)))
        smaller = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes))
        same = cost_of_found(problem, smaller) == cost_of_found(problem, tree)
        # A leaf with more rows may predict a class whose number of leaves is at its limit.
        if not same or any(broken_limits(problem, smaller)) or smaller.size >= tree.size:
            return tree
        tree = smaller


def _without_superfluous_nodes(
    tree: Tree,
    X: NDArray[np.float64],
    leaf: Callable[[NDArray[np.int64]], ExactCost],
    laws: frozenset[Law],
    spare: ExactCost | None,
    stopped: Callable[[], bool],
) -> SourceTree | None:
    """Return the tree with nodes replaced by their subtrees; None if no node can be replaced.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : ndarray of float64
        The rows of the problem's table.
    leaf, laws, spare, stopped
        As in `Reduction`.
    """
    reduction = Reduction(
        tree.children_left.copy(),
        tree.children_right.copy(),
        lambda node, rows: tree.goes_left(node, X, rows),
        leaf,
        laws,
        spare,
        stopped,
    )
    root = reduction.run(0, np.arange(len(X)))
    if reduction.size[root] == tree.size:
        return None
    return SourceTree(reduction.left, reduction.right, tree.feature, tree.goes_left, X, root)


def _reduced_ensemble(
    encoded: EncodedProblem, ensemble: Ensemble, stopped: Callable[[], bool]
) -> Ensemble:
    """Replace nodes by their decoded subtrees as long as possible; every step removes a node.

    No optimal ensemble has a superfluous node if the total size is minimized, or the largest size
    alone, because among these ensembles the search returns one of minimum total size.
    """
    quantities = encoded.original.quantities
    if "total_size" in quantities or quantities == ("largest_size",):
        return ensemble
    trees, member = ensemble.trees, 0
    while member < len(trees):
        smaller = _smaller_member(encoded, trees, member, stopped)
        if smaller is None:
            member += 1
        else:  # a tree before this one may have become reducible
            trees, member = (*trees[:member], smaller, *trees[member + 1 :]), 0
    return Ensemble(trees)


def _smaller_member(
    encoded: EncodedProblem, trees: tuple[Tree, ...], member: int, stopped: Callable[[], bool]
) -> Tree | None:
    """Return a smaller tree that may take the place of one tree of an ensemble, if there is one."""
    problem, tree, ensemble = encoded.original, trees[member], Ensemble(trees)
    if not tree.size or tree.surfaces:
        return None
    wrong = _wrong_weight_by_vote(problem, trees, member)
    source = _without_superfluous_nodes(
        tree,
        problem.dataset.X,
        lambda rows: int(wrong[rows].sum(axis=0).min()),
        # Every class is wrong about at least as much weight after examples are added, and so is
        # the best class. The sums fit, because the total weight does.
        frozenset({Law.NEVER_CHEAPER}),
        _spare_errors(problem, ensemble),
        stopped,
    )
    if source is None:
        return None
    encoder = TreeEncoder(encoded)
    nodes = encoder.nodes(encoder.within_limits(source))
    classes = [
        int(wrong[subset].sum(axis=0).argmin())
        for subset in fields_and_subsets(encoded.problem.dataset, nodes)[1]
    ]
    smaller = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes, classes))
    reduced = Ensemble((*trees[:member], smaller, *trees[member + 1 :]))
    same = cost_of_found(problem, reduced) == cost_of_found(problem, ensemble)
    # A leaf may predict another class, whose number of leaves is at its limit.
    return smaller if same and not any(broken_limits(problem, reduced)) else None


def _wrong_weight_by_vote(
    problem: Problem, trees: tuple[Tree, ...], member: int
) -> NDArray[np.int64]:
    """Return the misclassified weight of each row for each class that a tree may vote for.

    It is 0 where the ensemble classifies the row correctly with this vote.
    """
    dataset, rows = problem.dataset, np.arange(len(problem.dataset.X))
    votes = np.zeros((len(rows), len(dataset.classes)), dtype=np.int64)
    for other in (*trees[:member], *trees[member + 1 :]):
        votes[rows, other.predict_index(dataset.X)] += 1
    wrong = np.empty_like(votes)
    for label in range(votes.shape[1]):
        votes[:, label] += 1
        wrong[:, label] = np.where(votes.argmax(axis=1) == dataset.labels, 0, dataset.weights)
        votes[:, label] -= 1
    return wrong


def _spare_errors(problem: Problem, found: Tree | Ensemble) -> ExactCost | None:
    """Return by how much replacements may raise the errors within `max_errors`.

    None, so that no replacement may change the errors, if errors are minimized, are not the plain
    weight of misclassified examples, or have no limit.
    """
    if problem.error_term in problem.quantities or not problem.plain_errors:
        return None
    limit = problem.max_error_weight
    return None if limit is None else limit - errors_of_found(problem, found)
