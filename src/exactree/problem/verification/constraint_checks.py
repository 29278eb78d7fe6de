"""Checks that trees satisfy a problem's minimum leaf weight and constraints on features.

Features that are forbidden need no check: they are excluded by the family of rules, so no rule of
the problem uses them. Limits are checked in `recount.py`, as are rates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import inf

import numpy as np

from exactree.problem.problem import Problem
from exactree.trees import Tree
from exactree.trees.routing import AT_MOST

__all__ = ["broken_constraints", "features_used"]


def broken_constraints(problem: Problem, trees: Sequence[Tree]) -> Iterator[str]:
    """Yield a clause if a leaf is too light, and for every constraint on features that is broken.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    trees : sequence of Tree
        A tree for its table, or the trees of an ensemble.

    Yields
    ------
    str
        A clause that says what does not hold.
    """
    for tree in trees:
        yield from _light_leaves(problem, tree)
    if not problem.feature_constraints:
        return
    feature_constraints, names = problem.feature_constraints, problem.dataset.feature_names
    used = features_used(*trees)
    for feature in feature_constraints.required:
        if feature not in used:
            yield f"no node uses {names[feature]!r}, which is required"
    if (
        feature_constraints.max_features is not None
        and len(used) > feature_constraints.max_features
    ):
        yield (
            f"{len(used)} features are used, more than "
            f"max_features={feature_constraints.max_features}"
        )
    for below, above in feature_constraints.only_below.items():
        if any(_used_without(tree, below, above) for tree in trees):
            yield f"{names[below]!r} is used where no node above uses {names[above]!r}"
    for feature, direction in feature_constraints.directions.items():
        if not all(_is_monotone(problem, tree, feature, direction) for tree in trees):
            way = "increasing" if direction > 0 else "decreasing"
            yield f"it is not {way} in {names[feature]!r}"


def features_used(*trees: Tree) -> set[int]:
    """Return the features that the nodes of a tree, or of several, use.

    Parameters
    ----------
    *trees : Tree
        Any trees.
    """
    return {
        feature
        for tree in trees
        for operand in tree.feature[tree.children_left >= 0].tolist()
        for feature in tree.features_of_operand(operand)
    }


def _light_leaves(problem: Problem, tree: Tree) -> Iterator[str]:
    """Yield a message if a leaf holds less than the minimum leaf weight."""
    if problem.min_leaf_weight:
        reached = np.zeros(tree.node_count, dtype=np.int64)
        np.add.at(reached, tree.leaf_index(problem.dataset.X), problem.dataset.weights)
        lightest = int(reached[tree.children_left < 0].min())
        if lightest < problem.min_leaf_weight:
            share = problem.limits.min_weight_fraction_leaf
            yield f"a leaf holds less weight than min_weight_fraction_leaf={share} requires"


def _used_without(tree: Tree, below: int, above: int) -> bool:
    """Return whether a node splits on `below` although no node above it splits on `above`."""
    open_nodes = [0]
    while open_nodes:
        node = open_nodes.pop()
        feature = int(tree.feature[node])  # -2 at leaves, which equals no feature
        if feature == below:
            return True
        if tree.children_left[node] >= 0 and feature != above:
            open_nodes += [int(tree.children_left[node]), int(tree.children_right[node])]
    return False


@dataclass(frozen=True)
class _ValueRegion:
    """The values of one feature that reach a leaf: low < x <= high, or codes.

    A node on codes sends its codes left and all others right. Unknown codes exist as well, so two
    leaves that each exclude some codes always have a code in common.
    """

    low: float = -inf
    high: float = inf
    codes: frozenset[float] | None = None  # None for all but those excluded
    other_than: frozenset[float] = frozenset()

    def among(self, codes: frozenset[float]) -> "_ValueRegion":
        """Return the part whose code is one of several."""
        return replace(self, codes=(codes if self.codes is None else self.codes & codes))

    def outside(self, codes: frozenset[float]) -> "_ValueRegion":
        """Return the part whose code is none of several."""
        return replace(self, other_than=self.other_than | codes)

    def meets(self, other: "_ValueRegion") -> bool:
        """Return whether some value can reach both leaves."""
        both = [codes for codes in (self.codes, other.codes) if codes is not None]
        if both:
            return bool(frozenset.intersection(*both) - self.other_than - other.other_than)
        return max(self.low, other.low) < min(self.high, other.high)


_EVERYTHING = _ValueRegion()


def _is_monotone(problem: Problem, tree: Tree, feature: int, direction: int) -> bool:
    """Return whether a tree is monotone in one feature.

    Take any two leaves a and b that the same values of all other features can reach, such that a
    is reached with a smaller value of the feature than b. The tree is monotone if and only if
    direction * value(a) <= direction * value(b) for all such pairs. The comparison is exact: values
    are fractions.
    """
    leaves = _leaf_regions(tree)
    leaf_value = _leaf_values(problem, tree)
    for a, b in permutations(leaves, 2):
        if direction * leaf_value[a] <= direction * leaf_value[b]:
            continue
        regions_a, regions_b = leaves[a], leaves[b]
        others = (regions_a.keys() | regions_b.keys()) - {feature}
        low_of_a = regions_a.get(feature, _EVERYTHING).low
        high_of_b = regions_b.get(feature, _EVERYTHING).high
        smaller_in_a = low_of_a < high_of_b
        if smaller_in_a and all(
            regions_a.get(f, _EVERYTHING).meets(regions_b.get(f, _EVERYTHING)) for f in others
        ):
            return False
    return True


def _leaf_regions(tree: Tree) -> dict[int, dict[int, _ValueRegion]]:
    """Return for every leaf the region of each feature used on its path."""
    leaves: dict[int, dict[int, _ValueRegion]] = {}
    open_nodes: list[tuple[int, dict[int, _ValueRegion]]] = [(0, {})]
    while open_nodes:
        node, regions = open_nodes.pop()
        if tree.children_left[node] < 0:
            leaves[node] = regions
            continue
        feature, value = int(tree.feature[node]), float(tree.threshold[node])
        region = regions.get(feature, _EVERYTHING)
        if tree.comparison[node] != AT_MOST:
            codes = frozenset(map(float, tree.left_codes_at(node)))
            left, right = region.among(codes), region.outside(codes)
        else:
            left = replace(region, high=min(region.high, value))
            right = replace(region, low=max(region.low, value))
        open_nodes.append((int(tree.children_left[node]), regions | {feature: left}))
        open_nodes.append((int(tree.children_right[node]), regions | {feature: right}))
    return leaves


def _leaf_values(problem: Problem, tree: Tree) -> dict[int, Fraction]:
    """Return the exact value of every leaf: a share, a class, a predicted value, or its vote."""
    if problem.n_trees > 1:
        return {leaf: Fraction(label) for leaf, label in enumerate(tree.prediction.tolist())}
    reached = tree.leaf_index(problem.dataset.X)
    return {
        int(leaf): problem.leaf_value(np.flatnonzero(reached == leaf))
        for leaf in np.unique(reached)
    }
