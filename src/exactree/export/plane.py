"""Two features as the axes of a picture: numbers, categories, and a strip for missing values."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.layout import shortened
from exactree.export.wording import counted, one_line, trees_of
from exactree.problem.parameters import columns_named
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from exactree.trees import Ensemble, Tree

__all__ = ["AxisCells", "axes_to_draw", "cells_of", "column_of", "fixed_values", "slice_note"]

LONGEST_LINE = 60  # characters below a slice
MOST_NAMED = 3  # features whose values are written below a slice
STEPS = 300  # cells along each axis of the picture


@dataclass(frozen=True, eq=False)
class AxisCells:
    """The cells along an axis.

    Attributes
    ----------
    values : ndarray of float64
        The value of the feature in each cell; NaN for a missing value.
    edges : ndarray of float64
        The borders of the cells.
    is_gap : ndarray of bool
        Whether a cell is the gap next to the strip of missing values.
    ticks : tuple of (float, str)
        Positions with a name.
    discrete : bool
        Whether the feature has codes.
    """

    values: NDArray[np.float64]
    edges: NDArray[np.float64]
    is_gap: NDArray[np.bool_]
    ticks: tuple[tuple[float, str], ...]
    discrete: bool

    def positions(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions of examples on the axis."""
        found = column.copy()
        if self.discrete:
            codes = self.values.tolist()
            found = np.array([codes.index(v) if v in codes else np.nan for v in found.tolist()])
        if np.isnan(self.values[0]):
            found[np.isnan(column)] = (self.edges[0] + self.edges[1]) / 2
        return found


def column_of(model: Tree | Ensemble, feature: str | int) -> int:
    """Return the index of a feature that is given by its name or index."""
    return columns_named("features", [feature], model.feature_names)[0]


def axes_to_draw(model: Tree | Ensemble, features: Sequence[str | int] | None) -> tuple[int, int]:
    """Return the two features to draw: those given, or else the only two that exist or are used.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    features : sequence of two str or int, or None
        The user's features.
    """
    if features is not None:
        chosen = [column_of(model, feature) for feature in features]
        if len(chosen) != 2 or chosen[0] == chosen[1]:
            raise ValueError(f"features must name two different features, got {features!r}.")
        return chosen[0], chosen[1]
    if len(model.feature_names) == 2:
        return 0, 1
    used = _used(model)
    if len(used) != 2:
        raise ValueError(
            f"plot_regions draws two features, and the model has {len(model.feature_names)} and "
            f"uses {len(used)}: name two in features=; the others have the values in at=."
        )
    return used[0], used[1]


def fixed_values(model: Tree | Ensemble, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a typical example: the median of each numeric feature, the most frequent code.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    X : ndarray of float64, shape (n, d)
        Examples.
    """
    example = np.full(X.shape[1], np.nan)
    for feature, column in enumerate(X.T):
        present = column[~np.isnan(column)]
        if len(present):
            values, counts = np.unique(present, return_counts=True)
            frequent = float(values[counts.argmax()])
            example[feature] = frequent if _has_codes(model, feature) else float(np.median(present))
    return example


def slice_note(
    model: Tree | Ensemble, plane: tuple[int, int], example: NDArray[np.float64], *, typical: bool
) -> str:
    """Return where a plane cuts the other features that nodes use; empty if there are none.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    plane : tuple of two int
        The features of the plane.
    example : ndarray of float64
        The values of all other features.
    typical : bool
        Whether these are the medians and most frequent levels.
    """
    others = [feature for feature in _used(model) if feature not in plane]
    if not others:
        return ""
    named = [f"{_short(model.feature_names[f])} = {_value(model, f, example[f])}" for f in others]
    if len(named) > MOST_NAMED:
        named[MOST_NAMED:] = [counted(len(others) - MOST_NAMED, "other feature")]
    values = "median or most frequent value" if typical else "given value"
    hidden = sum(_nodes_off_the_plane(tree, plane, example) for tree in trees_of(model))
    off = f"\n{counted(hidden, 'node')} of the tree not in the slice" if hidden else ""
    return "\n".join(wrap(f"slice at {', '.join(named)} ({values})", LONGEST_LINE)) + off


def _nodes_off_the_plane(tree: Tree, plane: tuple[int, int], example: NDArray[np.float64]) -> int:
    """Return the number of nodes on no path of the plane, apart from what its range leaves out."""
    left, right = tree.children_left, tree.children_right
    reached, stack = 0, [0]
    while stack:
        node = stack.pop()
        reached += 1
        if tree.is_leaf(node):
            continue
        free = not set(plane).isdisjoint(tree.features_of_operand(int(tree.feature[node])))
        goes_left = bool(tree.goes_left(node, example[None, :])[0])
        if free or goes_left:
            stack.append(int(left[node]))
        if free or not goes_left:
            stack.append(int(right[node]))
    return int(tree.node_count) - reached


def _used(model: Tree | Ensemble) -> list[int]:
    """Return the features that nodes use."""
    return sorted(
        {
            feature
            for tree in trees_of(model)
            for operand in tree.feature[tree.children_left >= 0].tolist()
            for feature in tree.features_of_operand(operand)
        }
    )


def _short(name: str) -> str:
    return shortened(one_line(name))


def _value(model: Tree | Ensemble, feature: int, value: float) -> str:
    """Return a value of a feature as text."""
    if np.isnan(value):
        return "missing"
    levels = model.levels.get(feature, ())
    if levels:
        return _short(str(levels[int(value)])) if 0 <= value < len(levels) else "other"
    return f"{value:.4g}"


def cells_of(model: Tree | Ensemble, feature: int, column: NDArray[np.float64]) -> AxisCells:
    """Return the cells of a feature for the range of the examples.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    feature : int
        The feature.
    column : ndarray of float64
        Its values in the examples.
    """
    present = column[~np.isnan(column)]
    ticks: list[tuple[float, str]] = []
    discrete = _has_codes(model, feature)
    if discrete:
        values, ticks = _codes(model, feature, present)
        edges = np.arange(len(values) + 1, dtype=np.float64) - 0.5
    else:
        low, high = (present.min(), present.max()) if len(present) else (0.0, 0.0)
        rim = 0.06 * (high - low) if high > low else 1.0
        edges = np.linspace(low - rim, high + rim, STEPS + 1, dtype=np.float64)
        values = np.asarray((edges[:-1] + edges[1:]) / 2, dtype=np.float64)
    is_gap = np.zeros(len(values), dtype=np.bool_)
    if len(present) < len(column):
        span = edges[-1] - edges[0]
        strip = edges[0] - np.array([0.1, 0.02]) * span
        edges = np.concatenate([strip, edges])
        values = np.concatenate([[np.nan, values[0]], values])
        is_gap = np.concatenate([[False, True], is_gap])
        ticks = [(float(strip.mean()), "missing"), *ticks]
    return AxisCells(values, edges, is_gap, tuple(ticks), discrete)


def _has_codes(model: Tree | Ensemble, feature: int) -> bool:
    """Return whether a feature holds levels, or a node splits on one of its codes."""
    return feature in model.levels or any(
        bool((np.isin(tree.comparison, (EQUAL, IN)) & (tree.feature == feature)).any())
        for tree in trees_of(model)
    )


def _codes(
    model: Tree | Ensemble, feature: int, present: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[tuple[float, str]]]:
    """Return the codes of a feature, and the name of each at its position."""
    levels: tuple[Any, ...] = model.levels.get(feature, ())
    codes = sorted({*present.tolist(), *map(float, range(len(levels)))}) or [0.0]
    names = [
        one_line(levels[int(code)]) if 0 <= code < len(levels) else
        "other" if levels else f"{code:g}"
        for code in codes
    ]  # fmt: skip
    return np.array(codes), [(float(position), name) for position, name in enumerate(names)]
