"""Incumbents: any fitted tree, converted to a tree of the problem within its limits.

The cost of an incumbent is recomputed from its leaves on this table and never taken on trust.

Listing all surfaces of a problem may take minutes. So the tree is first converted without this
list: for each of its splits a surface is computed that splits the same examples in the same way.
Once a search has listed its columns, the incumbent is expressed in them (`Incumbent.nodes_in`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.problem.encoding.columns import EncodedProblem, in_columns, with_columns
from exactree.problem.encoding.surfaces import splits_exactly, subsets, surface_between
from exactree.problem.encoding.tree_encoder import (
    NoSuchRule,
    SourceTree,
    TreeEncoder,
    splits_of,
)
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found
from exactree.rules import Column, Hypersurfaces, SurfaceColumn, SurfaceRule, families_of
from exactree.rules.surface import Monomial
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = ["Incumbent", "as_incumbent"]


@dataclass(frozen=True, eq=False)
class Incumbent:
    """A tree from which a search can start.

    Attributes
    ----------
    tree : Tree
        A tree of the problem, within its limits.
    exact : bool
        Whether the tree is known to split its examples in exact arithmetic as it does in floating
        point. If not, it may cost less than every tree of the search, whose surfaces are exact.
    """

    tree: Tree
    exact: bool = True

    def nodes_in(self, encoded: EncodedProblem) -> list[ArrayNode] | None:
        """Return the tree in the columns of a search, in the form that the search returns.

        None if no column splits the examples of a node as the tree does. That happens only for
        surfaces: a split has no column if it is due to rounding, or if no weights in floating point
        realize it.

        Parameters
        ----------
        encoded : EncodedProblem
            The problem in columns.
        """
        encoder, tree = TreeEncoder(encoded), self.tree
        arrays = (tree.children_left, tree.children_right, tree.feature)
        source = SourceTree(*arrays, tree.goes_left, encoded.original.dataset.X)
        try:
            return encoder.nodes(encoder.within_limits(source))
        except NoSuchRule:
            return None

    def unless_proved(self, problem: Problem, outcome: Outcome) -> Outcome:
        """Return the outcome of a search, with the better of both trees if the search was stopped.

        Parameters
        ----------
        problem, outcome
            As in `or_better`.
        """
        proved = outcome.status in (Status.OPTIMAL, Status.INFEASIBLE)
        return outcome if proved else self.or_better(problem, outcome)

    def or_better(self, problem: Problem, outcome: Outcome) -> Outcome:
        """Return the outcome of a search that ignored the incumbent, with the better of both trees.

        Parameters
        ----------
        problem : Problem
            The problem that was solved.
        outcome : Outcome
            The outcome of the search.
        """
        cost = cost_of_found(problem, self.tree)
        if outcome.cost is not None and as_tuple(outcome.cost) < as_tuple(cost):
            return outcome
        if outcome.status is Status.OPTIMAL:
            return replace(outcome, cost=cost, lower_bound=cost, tree=self.tree)
        bound = min(outcome.lower_bound, cost, key=as_tuple)
        if bound == cost:
            by = outcome.stopped_by if outcome.stopped_by == "interrupt" else None
            optimal = replace(outcome, status=Status.OPTIMAL, lower_bound=cost, stopped_by=by)
            return replace(optimal, cost=cost, tree=self.tree)
        return replace(
            outcome, status=Status.FEASIBLE, cost=cost, lower_bound=bound, tree=self.tree
        )


def as_incumbent(problem: Problem, model: Any, *, checks_constraints: bool = True) -> Incumbent:
    """Return a fitted tree as a tree of a problem.

    The tree is pruned in three steps: first nodes below `max_depth`, nodes with a child of fewer
    than `min_samples_leaf` rows, and nodes that send all examples to one child; then, by the
    cheapest pruning, as many nodes as `max_size` requires; then, without constraints and unless
    leaves have a price within `max_errors`, all nodes whose removal costs nothing.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one tree.
    model : Tree or fitted estimator
        A tree, or an estimator of this package or of scikit-learn with one tree.
    checks_constraints : bool
        Whether the tree must satisfy all limits and constraints after this pruning; a search under
        constraints prunes it further.

    Raises
    ------
    TypeError
        If the model is not a fitted tree.
    ValueError
        If the model has other features, has a split that is not a rule of the problem, or breaks a
        limit that pruning cannot satisfy.
    """
    if problem.n_trees > 1:
        raise ValueError(f"incumbent is for one tree, got n_trees={problem.n_trees}.")
    source = _source_tree(problem, model)
    if any(isinstance(family, Hypersurfaces) for family in families_of(problem.rules)):
        encoded = _without_listing(problem, source, getattr(model, "tree_", model))
    else:
        encoded = in_columns(problem)
    encoder = TreeEncoder(encoded)
    tree = encoder.within_limits(source)
    # A node that saves nothing may be needed for a constraint, such as a required feature, and a
    # node that saves less than the price of its leaf for `max_errors`.
    needs_all = problem.constrained or (problem.leaf_penalty and problem.max_errors is not None)
    nodes = encoder.nodes(tree if needs_all else encoder.reduced(tree))
    found = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes))
    for why in broken_limits(problem, found) if checks_constraints else ():
        raise ValueError(f"incumbent: after pruning to the limits, {why}.")
    return Incumbent(found, _splits_exactly(found, problem.dataset.X))


def _splits_exactly(tree: Tree, X: NDArray[np.float64]) -> bool:
    """Return whether all surfaces of a tree split its examples as in real numbers."""
    if not tree.surfaces:
        return True
    for node, rows in subsets(tree, X):
        terms = _weights_at(tree, node)
        rule = SurfaceRule(tuple(terms), tuple(terms.values()), float(tree.threshold[node]))
        if terms and not splits_exactly(rule, X[rows]):
            return False
    return True


def _without_listing(problem: Problem, source: SourceTree, tree: Any) -> EncodedProblem:
    """Return a problem in columns with only those surfaces that the splits of a tree need."""
    families, X = families_of(problem.rules), problem.dataset.X
    surface_families = [family for family in families if isinstance(family, Hypersurfaces)]
    listed = [family for family in families if not isinstance(family, Hypersurfaces)]
    columns: list[Column | SurfaceColumn] = [c for family in listed for c in family.columns(X)]
    for node, rows, goes_left in splits_of(source, problem.limits.max_depth):
        for family in surface_families:
            rule = surface_between(family, X[rows], goes_left, _weights_at(tree, node))
            if rule is not None:
                columns.append(SurfaceColumn(rule))
    return with_columns(problem, list(dict.fromkeys(columns)))


def _weights_at(tree: Any, node: int) -> dict[Monomial, float]:
    """Return the weights of the surface of a node by monomial, empty for any other node."""
    surface = int(tree.feature[node]) - tree.n_features
    return dict(tree.surfaces.terms(surface)) if surface >= 0 else {}


def _source_tree(problem: Problem, model: Any) -> SourceTree:
    """Read a tree of exactree or scikit-learn; both name their arrays alike."""
    tree = getattr(model, "tree_", model)
    if not all(hasattr(tree, name) for name in ("children_left", "feature", "threshold")):
        raise TypeError(
            "incumbent must be a fitted tree of exactree or of scikit-learn, got "
            f"{type(model).__name__}{' that is not fitted' if hasattr(model, 'fit') else ''}."
        )
    dataset = problem.dataset
    if tree.n_features != dataset.X.shape[1]:
        raise ValueError(
            f"incumbent was fitted on {tree.n_features} features, X has {dataset.X.shape[1]}."
        )
    of_exactree = isinstance(tree, Tree)
    names = getattr(model, "feature_names_in_", None)
    if of_exactree and tree.named:
        names = tree.feature_names
    if names is not None and dataset.named and tuple(names) != dataset.feature_names:
        raise ValueError("incumbent was fitted on features of other names, or in another order.")
    X = _with_codes_of(tree, problem) if of_exactree else dataset.X
    goes_left = tree.goes_left if of_exactree else _goes_left_in_scikit_learn(tree)
    return SourceTree(tree.children_left, tree.children_right, tree.feature, goes_left, X)


def _with_codes_of(tree: Tree, problem: Problem) -> NDArray[np.float64]:
    """Return the table with the codes that levels have in a tree; unknown levels get -1."""
    levels = problem.dataset.levels
    X = problem.dataset.X.copy()
    for feature in {*levels, *tree.levels}:
        if (feature in levels) != (feature in tree.levels):
            name = problem.dataset.feature_names[feature]
            raise ValueError(f"incumbent: {name!r} has levels in only one of the incumbent and X.")
        codes = {level: code for code, level in enumerate(tree.levels[feature])}
        recoded = np.array([codes.get(level, -1) for level in levels[feature]], dtype=np.float64)
        present = ~np.isnan(X[:, feature])
        X[present, feature] = recoded[X[present, feature].astype(np.int64)]
    return X


def _goes_left_in_scikit_learn(
    tree: Any,
) -> Callable[[int, NDArray[np.float64]], NDArray[np.bool_]]:
    """Return the routing of a tree of scikit-learn, which compares in float32."""

    def goes_left(node: int, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        column = X[:, tree.feature[node]].astype(np.float32)
        missing = bool(tree.missing_go_to_left[node])
        return np.asarray(np.where(np.isnan(column), missing, column <= tree.threshold[node]))

    return goes_left
