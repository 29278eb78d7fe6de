"""All rules of a problem as dichotomies: columns of bits, and rules for those that a tree uses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import count, shortened
from exactree.engine.native.border import DichotomyNode
from exactree.problem import Problem
from exactree.problem.encoding.columns import with_columns
from exactree.problem.encoding.tree_encoder import NoSuchRule
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.rules import Column, Hypersurfaces, SurfaceColumn, SurfaceRule, families_of
from exactree.rules.listing import DichotomyList, listing, listing_size
from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD

__all__ = [
    "MAX_BYTES",
    "SHORT_LIST_BYTES",
    "AllRules",
    "NoRule",
    "all_rules",
    "bytes_of",
    "tree_of",
]

# The maximum bytes of all dichotomies as bits; a search over more would not end within minutes.
MAX_BYTES = 500_000_000
# Listing at most this many bytes takes tenths of a second in every method.
SHORT_LIST_BYTES = 2_000_000
# Bytes of dichotomies that are compared with a split between two calls of `check`.
_BATCH_BYTES = 1_000_000


class NoRule(Exception):
    """A dichotomy for which no rule in floating point was found.

    Parameters
    ----------
    dichotomy : int
        Its number.
    """

    def __init__(self, dichotomy: int) -> None:
        super().__init__(dichotomy)
        self.dichotomy = dichotomy


@dataclass(frozen=True)
class AllRules:
    """The dichotomies of a problem.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    bits : ndarray of uint8, shape (m, bytes)
        The rows that each dichotomy sends left, lowest bits first.
    sources : tuple of (int, DichotomyList, Column or SurfaceColumn)
        For every origin of dichotomies, the number of its first dichotomy, and the origin.
    known : dict of int to SurfaceRule
        Rules of dichotomies of surfaces that need not be computed (see `with_rules_of`).
    """

    problem: Problem
    bits: NDArray[np.uint8]
    sources: tuple[tuple[int, DichotomyList | Column | SurfaceColumn], ...]
    known: Mapping[int, SurfaceRule] = field(default_factory=dict)

    @property
    def of_surfaces(self) -> bool:
        """Whether some of the dichotomies come from a family of surfaces."""
        return any(isinstance(source, DichotomyList) for _, source in self.sources)

    def left(self, k: int) -> NDArray[np.bool_]:
        """Return the rows that a dichotomy sends left, as a mask."""
        rows = len(self.problem.dataset.X)
        return np.unpackbits(self.bits[k], count=rows, bitorder="little").astype(np.bool_)

    def column(self, k: int) -> Column | SurfaceColumn:
        """Return a column with a dichotomy among its thresholds, or raise `NoRule`."""
        start, source = next(pair for pair in reversed(self.sources) if pair[0] <= k)
        if not isinstance(source, DichotomyList):
            return source
        rule = self.known.get(k) or source.rule(k - start)
        if rule is None:
            raise NoRule(k)
        return SurfaceColumn(rule)

    def with_rules_of(self, tree: Tree, check: Callable[[], object]) -> "AllRules":
        """Return the same dichotomies, with the surfaces of a tree as rules of theirs.

        A search from this tree then finds no tree that costs more, even if no rule would be
        computed for one of these dichotomies.

        Parameters
        ----------
        tree : Tree
            A tree for the table, whose splits are exact.
        check : callable
            Called every few milliseconds; an exception from it ends the work.
        """
        X, known = self.problem.dataset.X, dict(self.known)
        everywhere = np.ones(len(X), dtype=np.bool_)
        for node, operand in enumerate(tree.feature.tolist()):
            if operand < X.shape[1]:
                continue
            rule = tree.surfaces.rule(operand - X.shape[1], float(tree.threshold[node]))
            try:
                to_left = tree.goes_left(node, X)
                dichotomy, swapped = self._matching(node, everywhere, to_left, check)
            except NoSuchRule:  # its other rows are split by rounding
                continue
            known[dichotomy] = rule.opposite if swapped else rule
        return replace(self, known=known)

    def nodes_of(self, tree: Tree, check: Callable[[], object]) -> list[DichotomyNode]:
        """Return the nodes of a tree, in the form that a search returns.

        Parameters
        ----------
        tree : Tree
            A tree for the table; no node sends all its rows to one child.
        check : callable
            Called every few milliseconds; an exception from it ends the work.

        Raises
        ------
        NoSuchRule
            If no dichotomy splits the rows of a node as the tree does.
        """
        nodes: list[DichotomyNode] = []
        self._write(tree, 0, np.ones(len(self.problem.dataset.X), dtype=np.bool_), nodes, check)
        return nodes

    def _write(
        self,
        tree: Tree,
        node: int,
        rows: NDArray[np.bool_],
        nodes: list[DichotomyNode],
        check: Callable[[], object],
    ) -> int:
        """Append the nodes of a subtree, given the mask of its rows; return its root's position."""
        index = len(nodes)
        nodes.append((-1, -1, -1))  # a leaf, replaced below if it is an inner node
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left != NO_CHILD:
            to_left = rows.copy()
            to_left[rows] = tree.goes_left(node, self.problem.dataset.X[rows])
            dichotomy, swapped = self._matching(node, rows, to_left, check)
            children = [(left, to_left), (right, rows & ~to_left)]
            if swapped:
                children.reverse()
            first, second = (self._write(tree, *child, nodes, check) for child in children)
            nodes[index] = (dichotomy, first, second)
        return index

    def _matching(
        self,
        node: int,
        rows: NDArray[np.bool_],
        to_left: NDArray[np.bool_],
        check: Callable[[], object],
    ) -> tuple[int, bool]:
        """Return a dichotomy with this split of a node's rows, and whether its children swap."""
        inside, left = (np.packbits(mask, bitorder="little") for mask in (rows, to_left))
        batch = max(1, _BATCH_BYTES // len(inside))
        for start in range(0, len(self.bits), batch):
            check()
            held = self.bits[start : start + batch] & inside
            for swapped, wanted in ((False, left), (True, inside ^ left)):
                fits = np.flatnonzero((held == wanted).all(axis=1))
                if len(fits):
                    return start + int(fits[0]), swapped
        raise NoSuchRule(node, int(rows.sum()))

    def grow(self, nodes: Sequence[DichotomyNode]) -> Tree:
        """Return the tree of the nodes of a result.

        Parameters
        ----------
        nodes : sequence of (dichotomy, left, right)
            In preorder; the dichotomy of a leaf is -1.

        Raises
        ------
        NoRule
            If a dichotomy has no rule in floating point.
        """
        names = [k for k, _, _ in nodes]
        used = sorted({k for k in names if k >= 0})
        columns = dict(zip(used, (self.column(k) for k in used), strict=True))
        listed = [None if k < 0 else (columns[k], self.left(k)) for k in names]
        return tree_of(self.problem, listed, [(left, right) for _, left, right in nodes])


def tree_of(
    problem: Problem,
    nodes: Sequence[tuple[Column | SurfaceColumn, NDArray[np.bool_]] | None],
    children: Sequence[tuple[int, int]],
) -> Tree:
    """Return the tree with given columns and splits.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    nodes : sequence of (column, ndarray of bool), or None
        In preorder, for each node a column, and a mask of the rows of the table that one of its
        thresholds sends left; None for a leaf.
    children : sequence of (int, int)
        The positions of the two children of each node.
    """
    columns = list(dict.fromkeys(node[0] for node in nodes if node is not None))
    encoded = with_columns(problem, columns)
    X = encoded.problem.dataset.X
    reached = {0: np.arange(len(X))}
    rows: list[tuple[int, float, float | None, int, int]] = []
    for index, (node, (left, right)) in enumerate(zip(nodes, children, strict=True)):
        if node is None:
            rows.append((-1, 0.0, 0.0, -1, -1))
            continue
        column, goes_left = node
        subset, number = reached[index], columns.index(column)
        to_left = goes_left[subset]
        reached[left], reached[right] = subset[to_left], subset[~to_left]
        low, high = X[reached[left], number].max(), X[reached[right], number].min()
        rows.append((number, float(low), float(high), left, right))
    return encoded.lift_tree(tree_from_nodes(encoded.problem, rows))


def all_rules(problem: Problem, check: Callable[[], object]) -> AllRules:
    """List the dichotomies of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    check : callable
        Called every few milliseconds; an exception from it ends the listing.
    """
    X = problem.dataset.X
    bits: list[NDArray[np.uint8]] = [np.empty((0, (len(X) + 7) // 8), dtype=np.uint8)]
    sources: list[tuple[int, DichotomyList | Column | SurfaceColumn]] = []
    start = 0
    for family in families_of(problem.rules):
        columns: Sequence[DichotomyList | Column | SurfaceColumn]
        columns = (
            [listing(family, X, check)]
            if isinstance(family, Hypersurfaces)
            else list(family.columns(X))
        )
        for source in columns:
            check()
            found = (
                source.bits()
                if isinstance(source, DichotomyList)
                else _thresholds(source.values(X))
            )
            sources.append((start, source))
            bits.append(found)
            start += len(found)
    return AllRules(problem, np.concatenate(bits), tuple(sources))


def bytes_of(problem: Problem, rows: NDArray[np.float64] | None = None) -> tuple[int, str]:
    """Return the maximum bytes of the list of dichotomies, and a clause that explains them.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    rows : ndarray of float64, optional
        Rows in place of the rows of the table.
    """
    X = problem.dataset.X if rows is None else rows
    total, sizes = 0, []
    for family in families_of(problem.rules):
        if isinstance(family, Hypersurfaces):
            n, surfaces, size = listing_size(family, X)
            through = max(min(len(family.monomials(X.shape[1])), n - 1), 0)
            sizes.append(
                f"{n:,} different examples have {shortened(surfaces)} surfaces through {through} "
                "of them"
            )
        else:
            values = [len(np.unique(column.values(X))) for column in family.columns(X)]
            size = sum(values) * ((len(X) + 7) // 8)
            sizes.append(f"{count(len(values), 'column')} have {sum(values):,} different values")
        total += size
    return total, ", ".join(sizes)


def _thresholds(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the rows that each threshold of a column sends left, as bits."""
    lows = np.unique(values)[:-1]
    return np.packbits(values[None, :] <= lows[:, None], axis=1, bitorder="little")
