"""Calls of the searches for the best tree of one surface, whose splits are not listed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.border import ClassCostsResult, OneSurfaceResult, RegressionResult
from exactree.engine.native.call import labels_of, replay_of
from exactree.engine.native.class_costs import class_costs_settings
from exactree.engine.native.regression import regression_settings
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import (
    CostsByClass,
    ExampleArrays,
    OneSurfaceSettings,
    SurfacePointArrays,
)
from exactree.problem import Problem

__all__ = ["best_surface", "points_of", "surface_class_costs", "surface_regression"]

# Which points go left, if the best tree is not a single leaf.
Left = list[bool] | None


def points_of(
    coordinates: NDArray[np.uint8],
    rows: NDArray[np.uint64],
    excluded: Sequence[NDArray[np.bool_]] = (),
) -> SurfacePointArrays:
    """Return points as the native searches take them.

    Parameters
    ----------
    coordinates : ndarray of uint8, shape (n, r, bytes)
        The bytes of the coordinates of different points, which span all coordinates.
    rows : ndarray of uint64
        The number of rows of each point.
    excluded : sequence of ndarray of bool
        Splits that are not allowed, with their opposites: which points go left.
    """
    banned = np.array(excluded, dtype=np.bool_).reshape(len(excluded), len(coordinates))
    return SurfacePointArrays(coordinates=coordinates, rows=rows, excluded=banned)


def best_surface(
    points: SurfacePointArrays,
    weights: NDArray[np.uint64],
    limits: tuple[int, int | None],
    options: SearchOptions,
) -> OneSurfaceResult | None:
    """Search for the split of minimum errors by one surface.

    Parameters
    ----------
    points : SurfacePointArrays
        The points.
    weights : ndarray of uint64, shape (n, classes)
        The weights by point and class.
    limits : tuple of int
        The minimum number of rows of each child, and an exclusive upper bound on the errors.
    options : SearchOptions
        Limits of the search.

    Returns
    -------
    OneSurfaceResult or None
        None if there are too many points or coordinates.
    """
    settings = OneSurfaceSettings(
        min_samples_leaf=limits[0],
        upper_bound=limits[1],
        threads=options.threads,
        resources=replace(options, switches={}).resources,
    )
    return _native.one_surface(points, weights, settings, options.callback)


def surface_regression(
    problem: Problem,
    points: SurfacePointArrays,
    inverse: NDArray[np.int64],
    leaf_price: float,
    options: SearchOptions,
) -> tuple[RegressionResult, Left]:
    """Search for the tree of at most one surface with minimum squared or absolute error.

    Parameters
    ----------
    problem : Problem
        The regression.
    points : SurfacePointArrays
        The points; not too many, and of few coordinates.
    inverse : ndarray of int64
        The point of each row.
    leaf_price, options
        As in `minimum_deviation`.

    Returns
    -------
    tuple
        The result, without useful nodes, and which points go left; None for a single leaf.
    """
    settings = regression_settings(problem, leaf_price, options, None)
    numbers, dataset = inverse.astype(np.float64)[:, None], problem.dataset
    weights = dataset.weights.astype(np.uint64)
    with replay_of(problem):
        found, left = _native.one_surface_regression(
            points, numbers, dataset.targets, weights, settings, options.callback
        )
    return replace(found, stats={**found.stats, "threads": options.threads}), left


def surface_class_costs(
    problem: Problem,
    points: SurfacePointArrays,
    inverse: NDArray[np.int64],
    costs: CostsByClass,
    options: SearchOptions,
) -> tuple[ClassCostsResult, Left]:
    """Search for the tree of at most one surface with minimum class costs.

    Parameters
    ----------
    problem, points, inverse
        As in `surface_regression`, with classes.
    costs, options
        As in `minimum_class_costs`.

    Returns
    -------
    tuple
        As in `surface_regression`.
    """
    settings = class_costs_settings(problem, costs, options, None)
    numbers = inverse.astype(np.float64)[:, None]
    labels, weights, n_classes = labels_of(problem)
    examples = ExampleArrays(columns=numbers, labels=labels, weights=weights, n_classes=n_classes)
    with replay_of(problem):
        return _native.one_surface_class_costs(points, examples, settings, options.callback)
