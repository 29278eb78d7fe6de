"""Verification of an outcome by its predictions: cost, limits, status, rounding to float32."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.errors import InternalError
from exactree.objectives import ClassCosts, Errors
from exactree.problem.confusion import broken_rates, confusion_of
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.constraint_checks import broken_constraints, features_used
from exactree.trees import Ensemble, RegressionTree, Tree
from exactree.trees.routing import AT_MOST

__all__ = [
    "broken_limits",
    "cost_of_found",
    "errors_of_found",
    "keeps_limits",
    "note_float32",
    "recount",
    "write_replay",
]

# The leaf of each row, by tree.
_Leaves = Iterable[NDArray[np.int64]]

# Rows per batch: with ten features, a batch fits into a processor cache.
_CHUNK = 1 << 13


def recount(problem: Problem, outcome: Outcome) -> None:
    """Check an outcome against its tree or ensemble; raise InternalError if they disagree.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    outcome : Outcome
        The outcome of the search.

    Raises
    ------
    InternalError
        If cost, limits or status do not fit the tree or ensemble. This is a bug of exactree; the
        message names a file with the problem, to attach to a bug report.
    """
    faults = list(_faults(problem, outcome))
    if faults:
        path = write_replay(problem, faults)
        raise InternalError(
            f"The solution failed its recount: {'; '.join(faults)}. Please report this bug of "
            f"exactree and attach the file {path}, which holds the problem."
        )


def cost_of_found(problem: Problem, found: Tree | Ensemble) -> Cost:
    """Return the cost of a tree or an ensemble, counted from its predictions.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    return _cost(problem, found, _reached(problem, found))


def _cost(problem: Problem, found: Tree | Ensemble, reached: _Leaves) -> Cost:
    trees = _trees(found)
    errors = _errors(problem, found, reached) + _feature_prices(problem, trees)
    return problem.cost_of(errors, [tree.size for tree in trees], [tree.depth for tree in trees])


def _reached(problem: Problem, found: Tree | Ensemble) -> _Leaves:
    """Return the leaf of each row by the splits of the tree, or of each tree when it is read."""
    X = problem.dataset.X
    if isinstance(found, Tree):
        return [found.leaf_index(X)]
    return (tree.leaf_index(X) for tree in found.trees)


def _feature_prices(problem: Problem, trees: tuple[Tree, ...]) -> int | Fraction:
    """Return the prices of the features that some tree uses, in units of the integer weights."""
    prices = problem.feature_constraints.prices
    if not prices:
        return 0
    return problem.feature_constraints.price_of(features_used(*trees)) * problem.price_unit


def _errors(problem: Problem, found: Tree | Ensemble, reached: _Leaves) -> int | Fraction:
    """Return the exact errors of any kind, without prices, in units of the integer weights.

    Errors of an ensemble are counted from its votes, those of a tree from the leaves of the rows.
    """
    dataset, term = problem.dataset, problem.term
    if problem.rate is not None:
        return problem.rate.errors(*confusion_of(problem, found))
    if isinstance(found, Ensemble):
        return errors_of_found(problem, found)
    (leaves,) = reached
    if isinstance(term, Errors):
        return int(dataset.weights[found.prediction[leaves] != dataset.labels].sum())
    # Numpy sorts short integers in linear time.
    by_leaf = np.argsort(leaves.astype(np.min_scalar_type(found.node_count)), kind="stable")
    ends = np.cumsum(np.bincount(leaves)).tolist()
    subsets = (by_leaf[start:end] for start, end in pairwise([0, *ends]) if start < end)
    return sum(term.leaf(dataset, subset) for subset in subsets)


def keeps_limits(problem: Problem, found: Tree | Ensemble) -> bool:
    """Return whether a tree or an ensemble meets all limits.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    return not any(broken_limits(problem, found))


def _faults(problem: Problem, outcome: Outcome) -> Iterator[str]:
    """Yield a message for every contradiction."""
    found = outcome.tree if problem.n_trees == 1 else outcome.ensemble
    of_wrong_kind = outcome.ensemble if problem.n_trees == 1 else outcome.tree
    has_solution = outcome.status in (Status.OPTIMAL, Status.FEASIBLE)
    contradicted = has_solution != (found is not None) or has_solution != (outcome.cost is not None)
    if contradicted or of_wrong_kind:
        yield f"status {outcome.status} contradicts the solution or its absence"
    if outcome.status in (Status.FEASIBLE, Status.STOPPED) and outcome.stopped_by is None:
        yield f"status {outcome.status}, but nothing has stopped the search"
    if found is None or outcome.cost is None:
        return
    if problem.regression != isinstance(found, RegressionTree):
        yield "the tree is a classification tree instead of a regression tree, or conversely"
    reached = _reached(problem, found)
    yield from _broken_limits(problem, found, reached)
    if isinstance(problem.term, ClassCosts) and isinstance(found, Tree):
        yield from _expensive_predictions(problem.term, problem.dataset, found, *reached)
    counted = _cost(problem, found, reached)
    kind = "tree" if isinstance(found, Tree) else "ensemble"
    if counted != outcome.cost:
        yield f"the {kind} costs {counted}, not {outcome.cost}"
    if as_tuple(outcome.lower_bound) > as_tuple(outcome.cost):
        yield f"the lower bound {outcome.lower_bound} is above the cost {outcome.cost}"
    if outcome.status is Status.OPTIMAL and outcome.lower_bound != outcome.cost:
        yield f"status optimal, but the lower bound {outcome.lower_bound} is below {outcome.cost}"


def _expensive_predictions(
    term: ClassCosts, dataset: Dataset, tree: Tree, reached: NDArray[np.int64]
) -> Iterator[str]:
    """Yield a message for every leaf that does not predict the cheapest class."""
    for leaf in np.unique(reached).tolist():
        best = term.predicted(dataset, np.flatnonzero(reached == leaf))
        if tree.prediction[leaf] != best:
            yield f"leaf {leaf} predicts class {tree.prediction[leaf]} instead of {best}"


def broken_limits(problem: Problem, found: Tree | Ensemble) -> Iterator[str]:
    """Return a message for every limit that a tree or an ensemble breaks.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    return _broken_limits(problem, found, _reached(problem, found))


def _broken_limits(problem: Problem, found: Tree | Ensemble, reached: _Leaves) -> Iterator[str]:
    limits = problem.limits
    trees = _trees(found)
    if len(trees) != problem.n_trees:
        yield f"{len(trees)} trees were found, not n_trees={problem.n_trees}"
    for tree, leaves in zip(trees, reached, strict=True):
        yield from _broken_limits_of_a_tree(problem, tree, leaves)
    if problem.constrained:
        yield from broken_constraints(problem, trees)
    leaves_of_trees = [_leaves_of_counted_classes(problem, tree) for tree in trees]
    if not problem.keeps_leaf_limits(*leaves_of_trees):
        yield f"more leaves predict a class than max_leaves_of={limits.max_leaves_of} allows"
    total = sum(tree.size for tree in trees)
    if limits.max_total_size is not None and total > limits.max_total_size:
        yield f"total size {total} is above max_total_size={limits.max_total_size}"
    yield from broken_rates(problem, found)
    if problem.max_errors is not None:
        errors = Fraction(errors_of_found(problem, found), problem.dataset.weight_scale)
        if errors > problem.max_errors:
            yield f"{errors} errors are above max_errors={problem.max_errors}"


def _broken_limits_of_a_tree(
    problem: Problem, tree: Tree, reached: NDArray[np.int64]
) -> Iterator[str]:
    limits = problem.limits
    if limits.max_depth is not None and tree.depth > limits.max_depth:
        yield f"depth {tree.depth} is above max_depth={limits.max_depth}"
    if limits.max_size is not None and tree.size > limits.max_size:
        yield f"size {tree.size} is above max_size={limits.max_size}"
    at_leaves = tree.children_left < 0
    # Rows are counted by the tree's splits, because `n_node_samples` was written by the search.
    rows = np.bincount(reached, minlength=tree.node_count)
    fewest = int(rows[at_leaves].min())
    if fewest < problem.min_rows:
        yield f"a leaf holds {fewest} rows, fewer than {problem.min_rows}"


def _leaves_of_counted_classes(problem: Problem, tree: Tree) -> list[int]:
    labels = tree.prediction[tree.children_left < 0].tolist()
    return [labels.count(label) for label in problem.counted_classes]


def _trees(found: Tree | Ensemble) -> tuple[Tree, ...]:
    return (found,) if isinstance(found, Tree) else found.trees


def errors_of_found(problem: Problem, found: Tree | Ensemble) -> int:
    """Return the integer weight that the predictions of a tree or an ensemble misclassify.

    Parameters
    ----------
    problem : Problem
        The solved problem, a classification.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    dataset = problem.dataset
    return int(dataset.weights[found.predict_index(dataset.X) != dataset.labels].sum())


def note_float32(problem: Problem, outcome: Outcome) -> Outcome:
    """Return an outcome whose trees record whether rounding to float32 moves a row to another leaf.

    This is checked here, where the rows are available: a tree does not keep them, and its
    thresholds do not determine the result. A threshold of 1.0 may separate 1.0 from the next
    float64, which float32 merges with it, or from 2.0.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    outcome : Outcome
        The outcome of the search.
    """

    def with_note(tree: Tree) -> Tree:
        # The tree has been checked, and nothing else depends on this note.
        same = _same_in_float32(tree, problem.dataset.X)
        return tree.unchecked(**{**vars(tree), "same_in_float32": same})

    if outcome.ensemble is not None:
        return replace(outcome, ensemble=Ensemble(tuple(map(with_note, outcome.ensemble.trees))))
    return outcome if outcome.tree is None else replace(outcome, tree=with_note(outcome.tree))


def _same_in_float32(tree: Tree, X: NDArray[np.float64]) -> bool:
    """Return whether all rows reach the same leaves after features are rounded to float32."""
    rows = np.flatnonzero(_rows_moved_by_rounding(tree, X))
    chunks = (X[rows[start : start + _CHUNK]] for start in range(0, len(rows), _CHUNK))
    return all(_same_in_float32_chunk(tree, chunk) for chunk in chunks)


def _rows_moved_by_rounding(tree: Tree, X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the rows of which a comparison of some node may change; all others keep their leaves.

    Comparisons of a number with thresholds change if rounding changes between which of them it
    lies. Other comparisons cannot change if the number is not rounded at all.
    """
    moved = np.zeros(len(X), dtype=bool)
    for feature in sorted(features_used(tree)):
        column, nodes = X[:, feature], tree.feature == feature
        rounded = _in_float32(column)
        if len(tree.surfaces) or (tree.comparison[nodes] != AT_MOST).any():
            moved |= (rounded != column) & ~np.isnan(column)
            continue
        thresholds = np.unique(tree.threshold[nodes])
        moved |= np.searchsorted(thresholds, column) != np.searchsorted(thresholds, rounded)
    return moved


def _same_in_float32_chunk(tree: Tree, X: NDArray[np.float64]) -> bool:
    return bool((tree.leaf_index(X) == tree.leaf_index(_in_float32(X))).all())


def _in_float32(X: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return X.astype(np.float32).astype(np.float64)


def write_replay(problem: Problem, reasons: list[str]) -> str:
    """Write a problem to a temporary file that can be attached to a bug report.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    reasons : list of str
        The faults.

    Returns
    -------
    str
        The path of the file.
    """
    dataset, limits = problem.dataset, problem.limits
    statement = {
        "minimize": problem.minimize,
        "rules": repr(problem.rules),
        "leaf_penalty": str(problem.leaf_penalty),
        "n_trees": problem.n_trees,
        "feature_constraints": repr(problem.feature_constraints),
        "limits": {name: str(value) for name, value in vars(limits).items()},
        "weight_scale": str(dataset.weight_scale),
        "cost_matrix": None
        if problem.costs is None
        else [list(map(str, c)) for c in problem.costs],
        "smoothing": problem.smoothing,
        "positive": problem.positive,
        "reasons": reasons,
    }
    handle, path = tempfile.mkstemp(prefix="exactree-replay-", suffix=".npz")
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file,
            X=dataset.X,
            labels=dataset.targets if problem.regression else dataset.labels,
            weights=dataset.weights,
            problem=np.array(json.dumps(statement)),
        )
    return path
