"""The readable checker of certificates; `docs/certificate-rules.md` proves its rules.

A certificate is a list of *claims* about subsets of the examples: every tree of depth at most d
with at most b inner nodes costs at least v on the subset. If leaves have a minimum number of rows,
the rows of a leaf are counted on a second, *outer* subset. Each claim follows from the table and
from earlier claims by one of three rules; some claims prove the lower bound. `crates/check` does
the same, fast; both accept and refuse the same files. `table.py` has the table, `format.py` reads
the file.

A tree costs `price` times its errors plus `leaf_price` times its leaves. Its *errors* are the
weight that it misclassifies, or the costs of its predictions by true and predicted class. All costs
are Python's integers, which never overflow; sums of errors take at most 62 bits.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from exactree.certificates.format import NO_LIMIT, Body, Header, Reason, Refused, number, require
from exactree.certificates.table import Integers, RankedTable, RowSet

__all__ = ["Header", "RankedTable", "Reason", "Refused", "check"]

MAX_BYTES_OF_SETS = 2**31

ClaimLimits = tuple[int, int]  # depth, and number of inner nodes


@dataclass(frozen=True)
class RowPair:
    """Rows on which trees cost something, and rows of which every leaf has at least `least`.

    `least` is 0 if leaves have no minimum; then the outer rows do not matter.
    """

    inner: RowSet
    outer: RowSet
    least: int

    def part(self, inner: RowSet, outer: RowSet) -> "RowPair":
        """Return the rows that are also in these sets."""
        return RowPair(self.inner & inner, self.outer & outer, self.least)


@dataclass(frozen=True)
class Claim:
    """Every tree within the limits and with enough rows in its leaves costs at least `value`."""

    rows: RowPair
    limits: ClaimLimits
    value: int


def normalised(limits: ClaimLimits) -> ClaimLimits:
    """Return the tightest limits that allow the same trees."""
    depth, size = limits
    size = min(size, 2 ** min(depth, 64) - 1)
    return min(depth, size), size


def shares(limits: ClaimLimits) -> Iterator[tuple[int, int]]:
    """List the most inner nodes that the two children of a root can have; limits are normalised."""
    depth, size = limits
    if size == NO_LIMIT:
        yield NO_LIMIT, NO_LIMIT
        return
    most = min(2 ** (min(depth, 65) - 1) - 1, size - 1)
    least = size - 1 - most
    if least >= most:  # both children can be complete
        yield most, most
        return
    yield from ((left, size - 1 - left) for left in range(least, most + 1))


class Checker:
    """Verifies the claims of a certificate about a table."""

    def __init__(self, table: RankedTable, header: Header, body: bytes) -> None:
        self.table, self.header, self.body = table, header, Body(body)
        self.claims: list[Claim] = []

    def cost(self, errors: int, leaves: int) -> int:
        """Return the cost of a tree with these errors and leaves."""
        return self.header.price * errors + self.header.leaf_price * leaves

    def reach(self, rows: RowSet) -> int:
        """Return the most that these rows add to the cost of a tree."""
        return self.cost(int(self.table.reach[rows].sum()), 0)

    def check_tree(self) -> None:
        """Check the limits and the cost of the tree: nodes in preorder, "column:rank" or class."""
        if self.header.cost is None:
            return
        waiting = [(np.arange(len(self.table.weights)), 0)]
        errors = size = deepest = 0
        for token in self.header.tree.split(" "):
            require(len(waiting) > 0, Reason.TREE)
            rows, depth = waiting.pop()
            first, colon, rank = token.partition(":")
            if not colon:
                predicted = number(first, Reason.TREE)
                require(predicted < self.table.errors.shape[1], Reason.TREE)
                require(len(rows) >= self.header.min_rows, Reason.TREE)
                errors += int(self.table.errors[rows, predicted].sum())
                continue
            split = number(first, Reason.TREE), number(rank, Reason.TREE)
            left = self.below(*split, Reason.TREE)[rows]
            waiting += [(rows[~left], depth + 1), (rows[left], depth + 1)]
            size, deepest = size + 1, max(deepest, depth + 1)
            require(depth < self.header.max_depth, Reason.TREE)
            require(size < len(self.table.weights), Reason.TREE)
        require(not waiting and size <= self.header.max_size, Reason.TREE)
        require(errors <= self.header.max_errors, Reason.TREE)
        costs = {"errors": self.cost(errors, size + 1), "size": size, "depth": deepest}
        stated = tuple(costs[quantity] for quantity in self.header.minimize)
        require(stated == self.header.cost, Reason.COST)

    def below(self, feature: int, rank: int, reason: Reason) -> RowSet:
        """Return the rows of the table that a threshold sends left."""
        require(feature < len(self.table.ranks), reason)
        require(rank + 1 < self.table.values[feature], reason)
        rows: RowSet = self.table.ranks[feature] <= rank
        return rows

    def check_claims(self) -> None:
        """Check all sets and claims, and that some of these prove the lower bound."""
        header, rows = self.header, len(self.table.weights)
        require(max(header.sets, header.claims) <= len(self.body.body), Reason.LENGTH)
        require((header.sets + 1) * -(-rows // 64) * 8 <= MAX_BYTES_OF_SETS, Reason.SIZE)
        sets = [np.ones(rows, dtype=bool)]
        for _ in range(header.sets):
            parent, feature, rank_and_side = (self.body.number() for _ in range(3))
            require(parent < len(sets), Reason.SET)
            left = self.below(feature, rank_and_side // 2, Reason.SET)
            sets.append(sets[parent] & (~left if rank_and_side % 2 else left))
        for _ in range(header.claims):
            at = self.body.number()
            outer = self.body.limit() if header.min_rows else NO_LIMIT
            require(at < len(sets) and (outer < len(sets) or outer == NO_LIMIT), Reason.SET)
            limited = outer != NO_LIMIT
            of_leaves = sets[outer if limited else at], header.min_rows if limited else 0
            limits = self.body.limit(), self.body.limit()
            claim = Claim(RowPair(sets[at], *of_leaves), limits, self.body.number())
            self.check_claim(claim)
            self.claims.append(claim)
        self.check_conclusion(RowPair(sets[0], sets[0], header.min_rows))
        require(self.body.at == len(self.body.body), Reason.LENGTH)

    def check_conclusion(self, rows: RowPair) -> None:
        """Check that no tree has quantities below the lower bound in lexicographic order.

        For every quantity, a cited claim proves that no tree meets the bounds before it and its own
        minus one. Without a lower bound, one claim proves that no tree is within the limits.
        """
        header = self.header
        most = inf if header.max_errors == NO_LIMIT else self.cost(header.max_errors, 0)
        limits = {"errors": most, "size": header.max_size, "depth": header.max_depth}

        def check_none(below: dict[str, float]) -> None:
            depth_and_size = normalised((int(below["depth"]), int(below["size"])))
            worth = self.worth(self.citation(), rows, depth_and_size)
            require(worth > below["errors"], Reason.CONCLUSION)

        if header.lower_bound is None:
            check_none(limits)
            return
        for quantity, bound in zip(header.minimize, header.lower_bound, strict=True):
            if bound:
                check_none(limits | {quantity: min(limits[quantity], bound - 1)})
            else:
                self.citation()
            limits[quantity] = min(limits[quantity], bound)

    def check_claim(self, claim: Claim) -> None:
        """Check the next claim by its rule."""
        rule = self.body.number()
        rows, value, (depth, size) = claim.rows, claim.value, normalised(claim.limits)
        if rule == 0:
            leaves = min(2 ** min(depth, 64), size + 1)
            require(value <= self.counting(rows, leaves), Reason.COUNTING)
            return
        require(rule in (1, 2) and (depth <= 2 if rule == 1 else depth >= 1), Reason.RULE)
        require(value <= self.counting(rows, 1), Reason.LEAF)
        if rule == 2:
            self.check_cited_splits(claim, (depth, size))
        elif depth == 1:
            require(value <= self.leaf_and_stump(rows)[1], Reason.STUMP)
        elif depth == 2:
            self.check_evaluated_splits(claim, (depth, size))

    def counting(self, rows: RowPair, leaves: int) -> float:
        """Return a bound on trees with at most some leaves; with one leaf it is exact.

        A tree with j leaves predicts at most j classes, and makes wrong predictions for all others.
        There is no tree, and no bound is too great, if there are too few rows for a leaf.
        """
        if rows.least:
            leaves = min(leaves, int(rows.outer.sum()) // rows.least)
        best_leaf = int(self.table.errors[rows.inner].sum(axis=0).min())
        unavoidable = int(self.table.unavoidable[rows.inner].sum())
        # By class, what the best wrong prediction costs more than the best prediction.
        least, more = 0, []
        for code, weight in enumerate(self.table.by_class(rows.inner)):
            costs = self.table.class_costs[code].tolist()
            wrong = min(costs[:code] + costs[code + 1 :], default=costs[code])
            least += weight * min(costs)
            more.append(weight * (wrong - min(costs)))
        more.sort(reverse=True)
        bounds = (
            self.cost(max(best_leaf if j == 1 else least + sum(more[j:]), unavoidable), j)
            for j in range(1, min(leaves, len(more)) + 1)
        )
        return min(bounds, default=inf)

    def leaf_and_stump(self, rows: RowPair) -> tuple[int, int]:
        """Return the cost of the best leaf, and that of the best tree with at most one split."""
        either = rows.inner | rows.outer
        errors = np.where(rows.inner[:, None], self.table.errors, 0)[either]
        total = errors.sum(axis=0)
        leaf = self.cost(int(total.min()), 1)
        best = leaf
        for ranks in self.table.ranks:
            order = np.argsort(ranks[either], kind="stable")
            ends = np.flatnonzero(np.diff(ranks[either][order]))
            enough = self.enough_rows(rows.outer[either][order].cumsum(), rows.least)
            ends = ends[enough[ends]]
            if len(ends):
                left = errors[order].cumsum(axis=0)[ends]
                of_both = left.min(axis=1) + (total - left).min(axis=1)
                best = min(best, self.cost(int(of_both.min()), 2))
        return leaf, best

    @staticmethod
    def enough_rows(below: Integers, least: int) -> RowSet:
        """Return where both sides have enough rows, given the growing numbers on the left side."""
        enough: RowSet = (below >= least) & (below <= below[-1:] - least)
        return enough

    def worth(self, at: int, rows: RowPair, limits: ClaimLimits) -> int:
        """Return the bound that a claim (-1: none) proves for trees within limits on some rows.

        A tree that has enough outer rows in its leaves has enough of more rows. A tree within
        `limits` but not within those of the claim has at least two leaves more than the exceeded
        limit. Without the rows that only the claim has, a tree costs less by at most their reach.
        Every tree has a leaf.
        """
        if at < 0:
            return self.header.leaf_price
        claim = self.claims[at]
        is_for_more = rows.least > 0 and not (rows.outer & ~claim.rows.outer).any()
        if claim.rows.least and not is_for_more:
            return self.header.leaf_price
        value = claim.value
        for claimed, needed in zip(claim.limits, limits, strict=True):
            if claimed < needed:
                value = min(value, self.cost(0, claimed + 2))
        return max(value - self.reach(claim.rows.inner & ~rows.inner), self.header.leaf_price)

    def citation(self) -> int:
        """Return the place of the next cited claim, -1 for none; k means k places before."""
        distance = self.body.number()
        require(distance <= len(self.claims), Reason.CITATION)
        return len(self.claims) - distance if distance else -1

    def entries(self, feature: int, cites: bool) -> tuple[list[int], list[list[int]]]:
        """Read thresholds of a feature, in order, and the claims that each of them cites."""
        ranks: list[int] = []
        cited = []
        length = self.body.number()
        require(length <= 2 * self.table.values[feature], Reason.THRESHOLD)
        for _ in range(length):
            ranks.append((ranks[-1] if ranks else 0) + self.body.number())
            self.below(feature, ranks[-1], Reason.THRESHOLD)
            cited.append([self.citation(), self.citation()] if cites else [])
        return ranks, cited

    def children(
        self, rows: RowPair, feature: int, ranks: list[int]
    ) -> Iterator[tuple[RowPair, RowPair]]:
        """Return the children of thresholds.

        What is proved for the left one holds up to the next threshold, so its outer rows are those
        below the next threshold; likewise on the right side.
        """
        of_rows = self.table.ranks[feature]
        earlier, later = [-1, *ranks[:-1]], [*ranks[1:], self.table.values[feature]]
        for before, rank, after in zip(earlier, ranks, later, strict=False):
            yield (
                rows.part(of_rows <= rank, of_rows <= after),
                rows.part(of_rows > rank, of_rows > before),
            )

    def check_cited_splits(self, claim: Claim, limits: ClaimLimits) -> None:
        """Check that all trees with a split at the root cost enough, feature by feature.

        For every way to divide the inner nodes there is a list of thresholds, with citations for
        both children.
        """
        for feature in range(len(self.table.ranks)):
            for share in shares(limits):
                of_children = [normalised((limits[0] - 1, size)) for size in share]
                ranks, cited = self.entries(feature, cites=True)
                bounds = []
                for rank, both, children in zip(
                    ranks, cited, self.children(claim.rows, feature, ranks), strict=True
                ):
                    left, right = map(self.worth, both, children, of_children)
                    bounds.append((rank, left, right))
                self.cover(claim, feature, bounds)

    def check_evaluated_splits(self, claim: Claim, limits: ClaimLimits) -> None:
        """Check the same at depth two; the costs of the children are computed here."""
        for feature in range(len(self.table.ranks)):
            ranks, _ = self.entries(feature, cites=False)
            costs = [
                (rank, self.leaf_and_stump(left), self.leaf_and_stump(right))
                for rank, (left, right) in zip(
                    ranks, self.children(claim.rows, feature, ranks), strict=True
                )
            ]
            for left_size, right_size in shares(limits):
                sides = min(left_size, 1), min(right_size, 1)
                bounds = [(rank, left[sides[0]], right[sides[1]]) for rank, left, right in costs]
                self.cover(claim, feature, bounds)

    def cover(self, claim: Claim, feature: int, bounds: list[tuple[int, int, int]]) -> None:
        """Check that bounds at some thresholds imply the claim for all splits of the feature.

        `bounds` has thresholds with bounds on their left and right children. A split at or above a
        threshold has a larger left child, a split at or below it a larger right child. Splits
        without enough rows on both sides are none.
        """
        rows = claim.rows
        ranks = self.table.ranks[feature]
        values = np.unique(ranks[rows.inner | rows.outer])
        below = np.searchsorted(np.sort(ranks[rows.outer]), values, side="right")
        enough = self.enough_rows(below, rows.least)
        splits = values[:-1][enough[:-1]].tolist()
        leaf = self.header.leaf_price
        ends = (-1, leaf, leaf), (self.table.values[feature], leaf, leaf)
        covered = set()
        for before, after in pairwise([ends[0], *bounds, ends[1]]):
            first, end = bisect_left(splits, before[0]), bisect_right(splits, after[0])
            for split in splits[first:end]:
                costs = [before[1] + after[2]]
                for rank, left, right in (before, after) if costs[0] < claim.value else ():
                    low, high = sorted((rank, split))
                    moved = rows.inner & (ranks > low) & (ranks <= high)
                    costs.append(left + right - self.reach(moved))
                if max(costs) >= claim.value:
                    covered.add(split)
        require(len(covered) == len(splits), Reason.SPLIT)


def check(content: bytes, table: RankedTable) -> Header:
    """Verify a certificate for a table, and return its header.

    Parameters
    ----------
    content : bytes
        The unpacked file.
    table : RankedTable
        The examples; the certificate says how features are split.

    Raises
    ------
    Refused
        If the certificate proves nothing about the table.
    """
    header, body = Header.read(content)
    try:
        table = table.of_statement(header.splits, header.class_costs)
    except ValueError:
        raise Refused(Reason.TABLE) from None
    shape = (len(table.weights), len(table.features), table.n_classes, table.weight_scale)
    stated = (header.rows, header.features, header.classes, header.weight_scale)
    require(shape == stated and header.table == table.digest(), Reason.TABLE)
    checker = Checker(table, header, body)
    checker.check_tree()
    checker.check_claims()
    return header
