"""The constraints of a problem as settings of the native searches."""

import numpy as np
from numpy.typing import NDArray

from exactree.engine.constrained.shares import Shares
from exactree.engine.constrained.trees import RankedTrees
from exactree.engine.native.settings import ConstraintSettings
from exactree.trees.arrays import ArrayNode

__all__ = ["constraint_settings"]


def constraint_settings(
    trees: RankedTrees, shares: Shares, incumbent: list[ArrayNode] | None
) -> ConstraintSettings:
    """Return the constraints of a problem, for a native search.

    Parameters
    ----------
    trees : RankedTrees
        The problem and its columns.
    shares : Shares
        Smoothing of the shares of classes, and costs of errors; `Shares()` for a regression.
    incumbent : list of nodes or None
        A tree to start from.
    """
    problem, columns = trees.encoded.original, trees.encoded.columns
    features = problem.feature_constraints
    count = problem.dataset.X.shape[1]
    return ConstraintSettings(
        # Only surfaces use several features, and these are refused with constraints on features.
        features=[column.features[0] for column in columns],
        directions=[features.directions.get(feature, 0) for feature in range(count)],
        in_shares=features.in_shares,
        required=list(features.required),
        only_below=[features.only_below.get(feature) for feature in range(count)],
        max_features=features.max_features,
        leaves=sorted(problem.leaf_limits.items()),
        error_costs=[*shares.error_costs],
        share_scale=shares.scale,
        share_added=[*shares.added],
        min_leaf_weight=problem.min_leaf_weight,
        values=_values(trees) if features.directions else [[] for _ in range(count)],
        incumbent=incumbent,
    )


def _values(trees: RankedTrees) -> list[list[list[int]]]:
    """Return the values of categories and of features with several columns, as ranks by column.

    A category has the codes of the table and one further code, which stands for all others.
    """
    problem, columns = trees.encoded.original, trees.encoded.columns
    X = problem.dataset.X
    of_feature: dict[int, list[int]] = {}
    for index, column in enumerate(columns):
        of_feature.setdefault(column.features[0], []).append(index)
    found: list[list[list[int]]] = [[] for _ in range(X.shape[1])]
    for feature, indices in of_feature.items():
        if feature not in problem.categories and len(indices) == 1:
            continue
        values = np.unique(X[:, feature])
        if feature in problem.categories:
            values = np.append(values, values[-1] + 1)
        table = np.zeros((len(values), X.shape[1]))
        table[:, feature] = values
        ranks: list[NDArray[np.int64]] = [
            np.searchsorted(trees.values(index), columns[index].values(table)) for index in indices
        ]
        found[feature] = np.stack(ranks, axis=1).tolist()
    return found
