"""Incumbents: any fitted tree or ensemble, converted to one of the problem within its limits.

The cost of an incumbent is recomputed from its leaves on this table and never taken on trust.

Listing all surfaces of a problem may take minutes. So the tree is first converted without this
list: for each of its splits a surface is computed that splits the same examples in the same way.
Once a search has listed its columns, the incumbent is expressed in them (`Incumbent.nodes_in`).
"""

from abc import ABC, abstractmethod
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
from exactree.problem.quantities import ENSEMBLE_LIMITS, as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found
from exactree.rules import Column, Hypersurfaces, SurfaceColumn, SurfaceRule, families_of
from exactree.rules.surface import Monomial
from exactree.trees import Ensemble, Tree
from exactree.trees.arrays import ArrayNode

__all__ = [
    "EnsembleIncumbent",
    "Incumbent",
    "Start",
    "as_ensemble_incumbent",
    "as_incumbent",
    "splits_tree_exactly",
]


class Start(ABC):
    """A tree or an ensemble from which a search can start."""

    @property
    @abstractmethod
    def found(self) -> Tree | Ensemble:
        """The tree or the ensemble."""

    @abstractmethod
    def problem_and_options(self, problem: Problem) -> tuple[Problem, dict[str, Any]]:
        """Return the problem to search, and the options that make a search start here.

        Parameters
        ----------
        problem : Problem
            The problem to solve.
        """

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
        found = self.found
        cost = cost_of_found(problem, found)
        if outcome.cost is not None and as_tuple(outcome.cost) < as_tuple(cost):
            return outcome
        name = "tree" if isinstance(found, Tree) else "ensemble"
        own: dict[str, Any] = {"cost": cost, name: found}
        if outcome.status is Status.OPTIMAL:
            return replace(outcome, lower_bound=cost, **own)
        bound = min(outcome.lower_bound, cost, key=as_tuple)
        if bound == cost:
            by = outcome.stopped_by if outcome.stopped_by == "interrupt" else None
            return replace(outcome, status=Status.OPTIMAL, lower_bound=cost, stopped_by=by, **own)
        return replace(outcome, status=Status.FEASIBLE, lower_bound=bound, **own)


@dataclass(frozen=True, eq=False)
class EnsembleIncumbent(Start):
    """An ensemble from which a search can start.

    The searches for ensembles take no ensemble; they search within its value of the first
    quantity, where there is a limit on it.

    Attributes
    ----------
    ensemble : Ensemble
        An ensemble of the problem, within its limits.
    exact : bool
        As in `Incumbent`, for all trees.
    """

    ensemble: Ensemble
    exact: bool = True

    @property
    def found(self) -> Ensemble:
        """The ensemble."""
        return self.ensemble

    def problem_and_options(self, problem: Problem) -> tuple[Problem, dict[str, Any]]:
        """Return the problem within the ensemble's value of the first quantity, and no options."""
        limit = ENSEMBLE_LIMITS.get(problem.quantities[0])
        priced = problem.leaf_penalty or problem.feature_constraints.prices
        if limit is None or not self.exact or (limit == "max_errors" and priced):
            return problem, {}
        # The ensemble is within the limits, so its value is at most an earlier limit.
        own: dict[str, Any] = {limit: as_tuple(cost_of_found(problem, self.ensemble))[0]}
        return problem.within(replace(problem.limits, **own)), {}

    def unless_proved(self, problem: Problem, outcome: Outcome) -> Outcome:
        """Return the outcome of a search, with the incumbent unless the search found a better one.

        Parameters
        ----------
        problem, outcome
            As in `or_better`.
        """
        if outcome.status is Status.INFEASIBLE:
            return outcome
        return self.or_better(problem, outcome)


@dataclass(frozen=True, eq=False)
class Incumbent(Start):
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

    @property
    def found(self) -> Tree:
        """The tree."""
        return self.tree

    def problem_and_options(self, problem: Problem) -> tuple[Problem, dict[str, Any]]:
        """Return the problem, and the tree as an option."""
        return problem, {"incumbent": self}

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
    source = _source_tree(problem, model)
    encoded = _in_columns_of(problem, source, getattr(model, "tree_", model))
    encoder = TreeEncoder(encoded)
    tree = encoder.within_limits(source)
    # A node that saves nothing may be needed for a constraint, such as a required feature, and a
    # node that saves less than the price of its leaf for `max_errors`.
    needs_all = problem.constrained or (problem.leaf_penalty and problem.max_errors is not None)
    nodes = encoder.nodes(tree if needs_all else encoder.reduced(tree))
    found = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes))
    for why in broken_limits(problem, found) if checks_constraints else ():
        raise ValueError(f"incumbent: after pruning to the limits, {why}.")
    return Incumbent(found, splits_tree_exactly(found, problem.dataset.X))


def as_ensemble_incumbent(
    problem: Problem, model: Any, *, checks_constraints: bool = True
) -> EnsembleIncumbent:
    """Return a fitted ensemble as an ensemble of a problem.

    Its trees are pruned to `max_depth` and `min_samples_leaf`: a node becomes a leaf that votes for
    the class of greatest weight.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of two or more trees.
    model : Ensemble or fitted estimator
        An ensemble of as many trees, or an estimator of this package with one.
    checks_constraints : bool
        Whether the ensemble must satisfy all limits and constraints after this pruning.

    Raises
    ------
    TypeError
        If the model is not a fitted ensemble of this package.
    ValueError
        If the model has another number of trees, other features or labels, or a split that is not
        a rule of the problem, or if it breaks a limit after this pruning.
    """
    ensemble = getattr(model, "ensemble_", model)
    if not isinstance(ensemble, Ensemble):
        raise TypeError(
            f"incumbent must be a fitted ensemble of exactree for n_trees={problem.n_trees}, got "
            f"{type(model).__name__}{' that is not fitted' if hasattr(model, 'fit') else ''}."
        )
    if len(ensemble.trees) != problem.n_trees:
        raise ValueError(
            f"incumbent has {len(ensemble.trees)} trees, but the problem n_trees={problem.n_trees}."
        )
    found = Ensemble(tuple(_tree_that_votes(problem, tree) for tree in ensemble.trees))
    for why in broken_limits(problem, found) if checks_constraints else ():
        raise ValueError(f"incumbent: after pruning to the depth and leaf size, {why}.")
    X = problem.dataset.X
    return EnsembleIncumbent(found, all(splits_tree_exactly(tree, X) for tree in found.trees))


def _tree_that_votes(problem: Problem, tree: Tree) -> Tree:
    """Return a tree of an ensemble as a tree of the problem with the same votes."""
    labels = problem.dataset.classes.tolist()
    for label in tree.classes[tree.prediction[tree.children_left < 0]].tolist():
        if label not in labels:
            raise ValueError(f"incumbent predicts {label!r}, which is not a label of y.")
    source = _source_tree(problem, tree)
    encoded = _in_columns_of(problem, source, tree)
    nodes, origins = TreeEncoder(encoded).with_origins(source)
    voted = tree.classes[tree.prediction].tolist()
    classes = [labels.index(voted[node]) if node >= 0 else 0 for node in origins]
    return encoded.lift_tree(tree_from_nodes(encoded.problem, nodes, classes))


def _in_columns_of(problem: Problem, source: SourceTree, tree: Any) -> EncodedProblem:
    """Return a problem in columns, of its surfaces only those that the splits of a tree need."""
    if any(isinstance(family, Hypersurfaces) for family in families_of(problem.rules)):
        return _without_listing(problem, source, tree)
    return in_columns(problem)


def splits_tree_exactly(tree: Tree, X: NDArray[np.float64]) -> bool:
    """Return whether all surfaces of a tree split its examples as in real numbers.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : ndarray of float64, shape (n, d)
        The table of its problem.
    """
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
