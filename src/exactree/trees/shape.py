"""The shape of a tree in preorder arrays: what stands at leaves, and how deep nodes lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0
# How a node compares a feature with its threshold: a number is at most it, a code equals it, or
AT_MOST = "<="
EQUAL = "=="
IN = "in"  # any of several codes; the threshold is the number of the set
NO_COMPARISON = ""
# Of a node, beside LEFT and RIGHT: all examples it was fitted on had a value.
NONE_MISSING = ""


def node_depths(
    children_left: NDArray[np.int64], children_right: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of nodes above each node, for children that follow their parents."""
    depths = [0] * len(children_left)
    for node, (left, right) in enumerate(
        zip(children_left.tolist(), children_right.tolist(), strict=True)
    ):
        if left != NO_CHILD:
            depths[left] = depths[right] = depths[node] + 1
    return np.array(depths, dtype=np.int64)
