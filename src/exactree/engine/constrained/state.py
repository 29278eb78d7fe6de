"""The constraints of a subproblem: how two children share them, and whether a tree meets them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

from exactree.engine.constrained.prepared import (
    CostedLeaf,
    CostedNode,
    CostedTree,
    PreparedProblem,
    leaves_of,
)

__all__ = ["LeafCondition", "State", "features_used", "obeys", "shares", "whole"]


# Bytes of a state without quotas and conditions, of a quota, and of a condition without ranks.
_OF_STATE, _OF_QUOTA, _OF_PLACE = 1600, 200, 800


@dataclass(frozen=True)
class LeafCondition:
    """A point of the feature space, and a bound on the value of the leaf that it reaches.

    Attributes
    ----------
    ranks : tuple of int
        The ranks of the point in every column.
    most : bool
        Whether the value must be at most `limit`; otherwise it must be greater.
    limit : Fraction
        The bound.
    """

    ranks: tuple[int, ...]
    most: bool
    limit: Fraction

    def allows(self, leaf: CostedLeaf) -> bool:
        """Return whether the point may reach a leaf."""
        return (leaf.leaf_value <= self.limit) == self.most


@dataclass(frozen=True)
class State:
    """The constraints of the trees of a subset.

    Attributes
    ----------
    depth, size : int
        Maximum depth and size.
    features : frozenset of int
        The features that may be used, below the features that they must stand below.
    above : frozenset of int
        Features that other features must stand below, and that nodes above use.
    required : frozenset of int
        Features that must be used.
    quotas : tuple of pairs of int
        Classes, and the maximum number of leaves that predict each.
    places : tuple of LeafCondition
        The conditions on points that reach the subset.
    """

    depth: int
    size: int
    features: frozenset[int]
    above: frozenset[int]
    required: frozenset[int]
    quotas: tuple[tuple[int, int], ...]
    places: tuple[LeafCondition, ...]

    @property
    def bytes(self) -> int:
        """An upper bound on its bytes in memory."""
        places = sum(_OF_PLACE + 8 * len(place.ranks) for place in self.places)
        return _OF_STATE + _OF_QUOTA * len(self.quotas) + places

    def within(self, rows: int) -> "State":
        """Return the same state for a number of rows m: a tree has fewer than m nodes."""
        size = min(self.size, max(rows - 1, 0))
        if self.depth < 62:
            size = min(size, (1 << self.depth) - 1)
        # A tree has one leaf more than nodes, so a greater quota has no effect.
        quotas = tuple((label, most) for label, most in self.quotas if most <= size)
        return replace(self, depth=min(self.depth, size), size=size, quotas=quotas)

    def open_features(self, prepared: PreparedProblem) -> frozenset[int]:
        """Return the features that the root may use.

        If there are as many required features as nodes, every node uses a required feature.
        """
        only_below = prepared.problem.feature_constraints.only_below
        features_used = (
            self.features if len(self.required) < self.size else self.required & self.features
        )
        return frozenset(
            f for f in features_used if f not in only_below or only_below[f] in self.above
        )

    def reachable(self, prepared: PreparedProblem) -> frozenset[int]:
        """Return the features that any node may use, below as many levels as they need."""
        only_below = prepared.problem.feature_constraints.only_below
        found = self.open_features(prepared)
        for _ in range(self.depth - 1):
            more = found | {f for f in self.features if only_below.get(f) in found}
            if more == found:
                break
            found = more
        return found


def whole(prepared: PreparedProblem, features: frozenset[int]) -> State:
    """Return the constraints of the trees of the whole table.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    features : frozenset of int
        The features that may be used.
    """
    problem, rows = prepared.problem, len(prepared.ranks)
    depth, size = problem.limits.max_depth, problem.max_tree_size
    return State(
        rows if depth is None else depth,
        rows if size is None else size,
        features,
        frozenset(),
        frozenset(problem.feature_constraints.required),
        tuple(sorted(problem.leaf_limits.items())),
        (),
    ).within(rows)


def shares(
    prepared: PreparedProblem, state: State, rows: int, column: int, rank: int
) -> Iterator[tuple[State, State]]:
    """List the ways in which the two children of a split can share the constraints.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    state : State
        The constraints of the whole subset.
    rows : int
        Number of rows of the subset.
    column, rank : int
        The split.
    """
    feature = prepared.features[column]
    above = state.above | (
        {feature} & set(prepared.problem.feature_constraints.only_below.values())
    )
    sides: tuple[list[LeafCondition], list[LeafCondition]] = ([], [])
    for place in state.places:
        sides[place.ranks[column] > rank].append(place)
    left_places, right_places = map(tuple, sides)
    left = replace(state, depth=state.depth - 1, above=above, places=left_places)
    right = replace(left, places=right_places)
    needed = sorted(state.required - {feature})
    chosen = [frozenset(c) for k in range(len(needed) + 1) for c in combinations(needed, k)]
    counts = [range(most + 1) for _, most in state.quotas]
    for size, required, quota in product(_sizes(state, rows), chosen, product(*counts)):
        pairs = list(zip(state.quotas, quota, strict=True))
        yield (
            replace(
                left,
                size=size[0],
                required=required,
                quotas=tuple((label, mine) for (label, _), mine in pairs),
            ),
            replace(
                right,
                size=size[1],
                required=frozenset(needed) - required,
                quotas=tuple((label, most - mine) for (label, most), mine in pairs),
            ),
        )


def _sizes(state: State, rows: int) -> list[tuple[int, int]]:
    """List how two children share the nodes below the root; one way where both can be full."""
    below = state.size - 1
    if state.size == rows - 1:  # no tree for these rows has more nodes
        return [(below, below)]
    most = min(below, (1 << (state.depth - 1)) - 1 if state.depth < 63 else below)
    least = below - most
    if least >= most:
        return [(most, most)]
    return [(left, below - left) for left in range(least, most + 1)]


def features_used(prepared: PreparedProblem, tree: CostedTree) -> frozenset[int]:
    """Return the features that a tree uses.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    tree : CostedLeaf or CostedNode
        Any tree.
    """
    if isinstance(tree, CostedLeaf):
        return frozenset()
    mine = prepared.features[tree.column]
    return features_used(prepared, tree.left) | features_used(prepared, tree.right) | {mine}


def obeys(prepared: PreparedProblem, tree: CostedTree, state: State) -> bool:
    """Return whether a tree satisfies the constraints of its subset.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    tree : CostedLeaf or CostedNode
        A tree within the depth, which uses only features that may be used.
    state : State
        The constraints.
    """
    problem = prepared.problem
    leaves = list(leaves_of(tree))
    labels = Counter(leaf.label for leaf in leaves)
    return (
        tree.size <= state.size
        and state.required <= features_used(prepared, tree)
        and all(labels[label] <= most for label, most in state.quotas)
        and all(len(leaf.rows) >= problem.min_rows for leaf in leaves)
        and all(leaf.weight >= problem.min_leaf_weight for leaf in leaves)
        and _stands_below(prepared, tree, state.above)
        and all(place.allows(_reached(tree, place)) for place in state.places)
    )


def _stands_below(prepared: PreparedProblem, tree: CostedTree, above: frozenset[int]) -> bool:
    only_below = prepared.problem.feature_constraints.only_below
    if isinstance(tree, CostedLeaf) or not only_below:
        return True
    feature = prepared.features[tree.column]
    if feature in only_below and only_below[feature] not in above:
        return False
    below = above | {feature}
    return all(_stands_below(prepared, side, below) for side in (tree.left, tree.right))


def _reached(tree: CostedTree, place: LeafCondition) -> CostedLeaf:
    while isinstance(tree, CostedNode):
        tree = tree.left if place.ranks[tree.column] <= tree.rank else tree.right
    return tree
