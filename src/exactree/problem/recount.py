"""Counting an answer again from its predictions, independently of how it was found."""

import json
import os
import tempfile
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from exactree.errors import InternalError
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.trees.tree import Tree

__all__ = ["recount", "write_replay"]


def recount(problem: Problem, outcome: Outcome) -> None:
    """Check that an outcome is true of its tree; returns nothing or raises.

    Parameters
    ----------
    problem : Problem
        What was asked.
    outcome : Outcome
        What was answered.

    Raises
    ------
    InternalError
        If cost, limits or status do not fit the tree. That is a defect of this package; the
        message names a file with the problem, to be sent along with a report.
    """
    faults = list(_faults(problem, outcome))
    if faults:
        path = write_replay(problem, faults)
        raise InternalError(
            f"The answer failed its recount: {'; '.join(faults)}. Please report this defect of "
            f"exactree with the file {path}, which holds the problem."
        )


def _faults(problem: Problem, outcome: Outcome) -> Iterator[str]:
    """Say what does not fit."""
    with_tree = outcome.status in (Status.OPTIMAL, Status.FEASIBLE)
    if with_tree != (outcome.tree is not None) or with_tree != (outcome.cost is not None):
        yield f"status {outcome.status} does not fit to what was found"
    if outcome.tree is None or outcome.cost is None:
        return
    yield from _broken_limits(problem, outcome.tree)
    counted = problem.cost_of(_errors(problem, outcome.tree), outcome.tree.leaves)
    if counted != outcome.cost:
        yield f"the tree costs {counted}, not {outcome.cost}"
    if outcome.lower_bound > outcome.cost:
        yield f"the lower bound {outcome.lower_bound} is above the cost {outcome.cost}"
    if outcome.status is Status.OPTIMAL and outcome.lower_bound != outcome.cost:
        yield f"called optimal with the lower bound {outcome.lower_bound} below {outcome.cost}"


def _broken_limits(problem: Problem, tree: Tree) -> Iterator[str]:
    limits = problem.limits
    if limits.max_depth is not None and tree.depth > limits.max_depth:
        yield f"depth {tree.depth} is above max_depth={limits.max_depth}"
    if limits.max_size is not None and tree.size > limits.max_size:
        yield f"size {tree.size} is above max_size={limits.max_size}"
    at_leaves = tree.children_left < 0
    fewest = int(tree.n_node_samples[at_leaves].min())
    if fewest < problem.min_rows:
        yield f"a leaf holds {fewest} rows, fewer than {problem.min_rows}"
    most = limits.max_errors
    errors = Fraction(_errors(problem, tree), problem.dataset.weight_scale)
    if most is not None and errors > most:
        yield f"{errors} errors are above max_errors={most}"


def _errors(problem: Problem, tree: Tree) -> int:
    """Return the integer weight that the tree's predictions misclassify."""
    dataset = problem.dataset
    return int(dataset.weights[tree.predict_index(dataset.X) != dataset.labels].sum())


def write_replay(problem: Problem, reasons: list[str]) -> str:
    """Write a problem that met a defect to a temporary file, to be sent along with a report.

    Parameters
    ----------
    problem : Problem
        What was asked.
    reasons : list of str
        What went wrong.

    Returns
    -------
    str
        The path of the file.
    """
    dataset, limits = problem.dataset, problem.limits
    asked = {
        "minimize": problem.minimize,
        "leaf_penalty": str(problem.leaf_penalty),
        "limits": {name: str(value) for name, value in vars(limits).items()},
        "weight_scale": str(dataset.weight_scale),
        "reasons": reasons,
    }
    handle, path = tempfile.mkstemp(prefix="exactree-replay-", suffix=".npz")
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file,
            X=dataset.X,
            labels=dataset.labels,
            weights=dataset.weights,
            problem=np.array(json.dumps(asked)),
        )
    return path
