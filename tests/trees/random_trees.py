"""Strategies of hypothesis: random tables with any labels and weights, trees and ensembles."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from exactree.data.dataset import Dataset, make_dataset
from exactree.trees import Ensemble, Tree, grow

LOW = np.nextafter(1.0, 0.0)
# Neighbours one ulp apart, values that float32 merges, huge, tiny, subnormal, negative.
VALUES = [0.0, 1.0, LOW, 1 + 1e-8, 2.5, -3.0, 1e30, -1e30, 1e-30, 5e-324, 1e-310, 16777217.0]
LABELS = [
    ["a", "b", "c", "d"],
    [0, 1, 2, 3],
    [-1, 1],
    [7, 9],
    [0.5, 1.5, float("inf"), -float("inf")],
    [False, True],
    ['"quoted"', "new\nline", "<b>&amp;</b>", "\\N \u202e \x00 \ud800"],
    [2**70, -(2**70)],
]


@dataclass(frozen=True)
class FittedTable:
    """A tree, and the table and nodes from which `grow` made it.

    A node is a feature, the values below and above its threshold, and its children. For a code, the
    value below is the code and the value above None. Feature and children of a leaf are -1.
    """

    tree: Tree
    dataset: Dataset
    nodes: list[tuple[int, float, float | None, int, int]]


@st.composite
def datasets(draw: Any, values: list[float] = VALUES) -> Dataset:
    """Draw a small table."""
    rows = draw(st.integers(1, 20))
    columns = draw(st.integers(1, 3))
    X = [[draw(st.sampled_from(values)) for _ in range(columns)] for _ in range(rows)]
    labels = draw(st.sampled_from(LABELS))
    y = np.empty(rows, dtype=object)
    y[:] = [draw(st.sampled_from(labels)) for _ in range(rows)]
    weights = draw(
        st.one_of(
            st.none(),
            st.lists(st.integers(1, 2**55), min_size=rows, max_size=rows),
            st.lists(st.sampled_from([0.1, 0.25, 3.0, 1e-3]), min_size=rows, max_size=rows),
        )
    )
    return make_dataset(np.array(X), y, weights)


@st.composite
def fitted_table(draw: Any, values: list[float] = VALUES, codes: bool = True) -> FittedTable:
    """Draw a table and a tree whose splits have non-empty children; `codes` allows codes."""
    dataset = draw(datasets(values))
    nodes = draw(nodes_on(dataset, codes))
    return FittedTable(grow(dataset, nodes), dataset, nodes)


@st.composite
def voting(draw: Any, values: list[float] = VALUES, codes: bool = True) -> tuple[Ensemble, Dataset]:
    """Draw a table and one to four trees on it, whose leaves predict any class."""
    dataset = draw(datasets(values))
    trees = []
    for _ in range(draw(st.integers(1, 4))):
        nodes = draw(nodes_on(dataset, codes))
        labels = st.integers(0, len(dataset.classes) - 1)
        trees.append(grow(dataset, nodes, [draw(labels) for _ in nodes]))
    return Ensemble(tuple(trees)), dataset


@st.composite
def nodes_on(draw: Any, dataset: Dataset, codes: bool) -> list[Any]:
    """Draw the nodes of a tree whose splits have non-empty children; `codes` allows codes."""
    nodes: list[Any] = []

    def branch(subset: np.ndarray, depth: int) -> int:
        node = len(nodes)
        nodes.append((-1, 0.0, 0.0, -1, -1))
        features = [
            f for f in range(dataset.X.shape[1]) if len(np.unique(dataset.X[subset, f])) > 1
        ]
        if depth < 5 and features and draw(st.booleans()):
            feature = draw(st.sampled_from(features))
            distinct = np.unique(dataset.X[subset, feature])
            rank = draw(st.integers(0, len(distinct) - 2))
            low, high = float(distinct[rank]), float(distinct[rank + 1])
            goes_left = dataset.X[subset, feature] <= low
            if codes and low.is_integer() and draw(st.booleans()):
                goes_left, high = dataset.X[subset, feature] == low, None
            left = branch(subset[goes_left], depth + 1)
            right = branch(subset[~goes_left], depth + 1)
            nodes[node] = (feature, low, high, left, right)
        return node

    branch(np.arange(len(dataset.X)), 0)
    return nodes
