"""Adapter of GOSDT as maintained by its authors: fewest errors with a penalty per leaf."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"

from math import ceil
from typing import Any

from gosdt import GOSDTClassifier, Status
from numpy.typing import NDArray

from benchmarks.peers.peer import Answer

ROUNDING = 1e-6  # tolerance for GOSDT's bounds, which are computed in single precision


def sparse(X: NDArray[Any], y: NDArray[Any], leaf_penalty: str, time_limit: float) -> Answer:
    """Return the tree of minimum errors plus leaf penalties on binary features.

    GOSDT's options that guess bounds or thresholds, and so lose exactness, are off.
    """
    model = GOSDTClassifier(
        regularization=float(leaf_penalty), allow_small_reg=True, time_limit=ceil(time_limit)
    )
    model.fit(X.astype(bool), y)
    (tree,) = model.trees_
    depth, size = _depth_and_size(tree.tree)
    return Answer(
        # The classifier's own `predict` uses an argument that newer scikit-learn does not have.
        lambda rows: tree.predict(rows.astype(bool)),
        depth,
        model.result_.status == Status.CONVERGED,
        size,
        len(y) * max(0.0, model.result_.lowerbound - ROUNDING),
    )


def _depth_and_size(node: Any) -> tuple[int, int]:
    """Return the depth and the number of inner nodes of the subtree at a node."""
    if not hasattr(node, "left_child"):
        return 0, 0
    left, right = _depth_and_size(node.left_child), _depth_and_size(node.right_child)
    return 1 + max(left[0], right[0]), 1 + left[1] + right[1]
