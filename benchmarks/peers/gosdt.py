"""Adapter of GOSDT as maintained by its authors: fewest errors with a penalty per leaf."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"

from math import ceil
from typing import Any

from gosdt import GOSDTClassifier, Status
from numpy.typing import NDArray

from benchmarks.peers.peer import Answer

ROUNDING = 1e-6  # it computes in single precision


def sparse(X: NDArray[Any], y: NDArray[Any], leaf_penalty: str, time_limit: float) -> Answer:
    """Return the tree of minimum errors plus leaf penalties on binary features, without guesses."""
    model = GOSDTClassifier(
        regularization=float(leaf_penalty), allow_small_reg=True, time_limit=ceil(time_limit)
    )
    model.fit(X.astype(bool), y)
    (tree,) = model.trees_
    depth, size = _depth_and_size(tree.tree)
    return Answer(
        # Its own `predict` asks scikit-learn for an argument that is gone.
        lambda rows: tree.predict(rows.astype(bool)),
        depth,
        model.result_.status == Status.CONVERGED,
        size,
        len(y) * max(0.0, model.result_.lowerbound - ROUNDING),
    )


def _depth_and_size(node: Any) -> tuple[int, int]:
    """Return the depth and the number of nodes below and at a node."""
    if not hasattr(node, "left_child"):
        return 0, 0
    left, right = _depth_and_size(node.left_child), _depth_and_size(node.right_child)
    return 1 + max(left[0], right[0]), 1 + left[1] + right[1]
