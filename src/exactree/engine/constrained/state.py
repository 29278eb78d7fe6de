"""What the trees of a subset must satisfy, how two children share it, and whether a tree does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

from exactree.engine.constrained.ground import CostedLeaf, CostedNode, CostedTree, Ground, leaves_of

__all__ = ["LeafCondition", "State", "features_used", "obeys", "shares", "whole"]


# Bytes of a state without its quotas and places, and of one of each, but for the ranks.
_OF_STATE, _OF_QUOTA, _OF_PLACE = 1600, 200, 800


@dataclass(frozen=True)
class LeafCondition:
    """A place in the space of the features, and what the leaf that it reaches must say.

    Attributes
    ----------
    ranks : tuple of int
        In every column.
    most : bool
        Whether the leaf must say at most `limit`; else it must say more.
    limit : Fraction
        A number.
    """

    ranks: tuple[int, ...]
    most: bool
    limit: Fraction

    def allows(self, leaf: CostedLeaf) -> bool:
        """Tell whether the place may reach a leaf."""
        return (leaf.leaf_value <= self.limit) == self.most


@dataclass(frozen=True)
class State:
    """What the trees of a subset must satisfy.

    Attributes
    ----------
    depth, size : int
        Nodes on a path, and in all.
    features : frozenset of int
        Those that may be used, if what they must stand below is above them.
    above : frozenset of int
        Features that others must stand below, and that nodes above ask.
    required : frozenset of int
        Features that must be asked.
    quotas : tuple of pairs of int
        Classes, and how many leaves may predict each.
    places : tuple of LeafCondition
        Those that reach the subset.
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
        """Bytes that it takes in memory, at most."""
        places = sum(_OF_PLACE + 8 * len(place.ranks) for place in self.places)
        return _OF_STATE + _OF_QUOTA * len(self.quotas) + places

    def within(self, rows: int) -> "State":
        """Return the same for that many rows: a tree for m rows has less than m nodes."""
        size = min(self.size, max(rows - 1, 0))
        if self.depth < 62:
            size = min(size, (1 << self.depth) - 1)
        # There is one leaf more than there are nodes: more of a class need no quota.
        quotas = tuple((label, most) for label, most in self.quotas if most <= size)
        return replace(self, depth=min(self.depth, size), size=size, quotas=quotas)

    def open_features(self, ground: Ground) -> frozenset[int]:
        """Return the features that the root may use.

        Where as many are required as there may be nodes, every node asks one of them.
        """
        only_below = ground.problem.feature_constraints.only_below
        features_used = (
            self.features if len(self.required) < self.size else self.required & self.features
        )
        return frozenset(
            f for f in features_used if f not in only_below or only_below[f] in self.above
        )

    def reachable(self, ground: Ground) -> frozenset[int]:
        """Return the features that any node may use: those with as many levels above as needed."""
        only_below = ground.problem.feature_constraints.only_below
        found = self.open_features(ground)
        for _ in range(self.depth - 1):
            more = found | {f for f in self.features if only_below.get(f) in found}
            if more == found:
                break
            found = more
        return found


def whole(ground: Ground, features: frozenset[int]) -> State:
    """Return what the trees of the whole table must satisfy.

    Parameters
    ----------
    ground : Ground
        The problem.
    features : frozenset of int
        Those that may be used.
    """
    problem, rows = ground.problem, len(ground.ranks)
    depth, size = problem.limits.max_depth, problem.most_size
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
    ground: Ground, state: State, rows: int, column: int, rank: int
) -> Iterator[tuple[State, State]]:
    """List the ways in which the two children of a rule can share what must be satisfied.

    Parameters
    ----------
    ground : Ground
        The problem.
    state : State
        What the whole subset must satisfy.
    rows : int
        How many the part has.
    column, rank : int
        The rule.
    """
    feature = ground.features[column]
    above = state.above | ({feature} & set(ground.problem.feature_constraints.only_below.values()))
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
    """List how two children share the nodes below the root; one share where both can be full."""
    below = state.size - 1
    if state.size == rows - 1:  # no tree for that many rows has more
        return [(below, below)]
    most = min(below, (1 << (state.depth - 1)) - 1 if state.depth < 63 else below)
    least = below - most
    if least >= most:
        return [(most, most)]
    return [(left, below - left) for left in range(least, most + 1)]


def features_used(ground: Ground, tree: CostedTree) -> frozenset[int]:
    """Return the features that a tree uses.

    Parameters
    ----------
    ground : Ground
        The problem.
    tree : CostedLeaf or CostedNode
        Any tree.
    """
    if isinstance(tree, CostedLeaf):
        return frozenset()
    mine = ground.features[tree.column]
    return features_used(ground, tree.left) | features_used(ground, tree.right) | {mine}


def obeys(ground: Ground, tree: CostedTree, state: State) -> bool:
    """Tell whether a tree satisfies what the trees of its subset must.

    Parameters
    ----------
    ground : Ground
        The problem.
    tree : CostedLeaf or CostedNode
        Keeps the limits on depth, and asks features that may be used.
    state : State
        What must be satisfied.
    """
    problem = ground.problem
    leaves = list(leaves_of(tree))
    labels = Counter(leaf.label for leaf in leaves)
    return (
        tree.size <= state.size
        and state.required <= features_used(ground, tree)
        and all(labels[label] <= most for label, most in state.quotas)
        and all(len(leaf.rows) >= problem.min_rows for leaf in leaves)
        and all(leaf.weight >= problem.least_weight for leaf in leaves)
        and _stands_below(ground, tree, state.above)
        and all(place.allows(_reached(tree, place)) for place in state.places)
    )


def _stands_below(ground: Ground, tree: CostedTree, above: frozenset[int]) -> bool:
    only_below = ground.problem.feature_constraints.only_below
    if isinstance(tree, CostedLeaf) or not only_below:
        return True
    feature = ground.features[tree.column]
    if feature in only_below and only_below[feature] not in above:
        return False
    below = above | {feature}
    return all(_stands_below(ground, side, below) for side in (tree.left, tree.right))


def _reached(tree: CostedTree, place: LeafCondition) -> CostedLeaf:
    while isinstance(tree, CostedNode):
        tree = tree.left if place.ranks[tree.column] <= tree.rank else tree.right
    return tree
