"""The readable checker of certificates; `docs/certificate-rules.md` proves its rules.

A certificate is a list of *claims* about subsets of the examples: every tree of depth at most d
with at most b inner nodes costs at least v on the subset. Each claim follows from the table and
from earlier claims by one of three rules; some claims prove the lower bound. `crates/check` does
the same, fast; both accept and refuse the same files. `table.py` has the table, `format.py` reads
the file.

A tree costs `error_price` times the weight that it misclassifies plus `leaf_price` times its
leaves. All costs are Python's integers, which never overflow.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import inf

import numpy as np

from exactree.certificates.format import NO_LIMIT, Body, Header, Reason, Refused, number, require
from exactree.certificates.table import RankedTable, RowSet

__all__ = ["Header", "RankedTable", "Reason", "Refused", "check"]

MAX_BYTES_OF_SETS = 2**31

ClaimLimits = tuple[int, int]  # depth, and number of inner nodes


@dataclass(frozen=True)
class Claim:
    """Every tree within the limits costs at least `value` on the rows."""

    rows: RowSet
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
        return self.header.error_price * errors + self.header.leaf_price * leaves

    def reach(self, rows: RowSet) -> int:
        """Return the most that these rows add to the cost of a tree: their price as errors."""
        return self.cost(int(self.table.weights[rows].sum()), 0)

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
                require(predicted < self.table.n_classes, Reason.TREE)
                totals = self.table.by_class(rows)
                errors += sum(totals) - totals[predicted]
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
            require(at < len(sets), Reason.SET)
            limits = self.body.limit(), self.body.limit()
            claim = Claim(sets[at], limits, self.body.number())
            self.check_claim(claim)
            self.claims.append(claim)
        self.check_conclusion(sets[0])
        require(self.body.at == len(self.body.body), Reason.LENGTH)

    def check_conclusion(self, rows: RowSet) -> None:
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

    def counting(self, rows: RowSet, leaves: int) -> int:
        """Return a bound on trees with at most some leaves; with one leaf it is exact.

        A tree with j leaves predicts at most j classes, and misclassifies all others.
        """
        heaviest = sorted(self.table.by_class(rows), reverse=True)
        unavoidable = int(self.table.unavoidable[rows].sum())
        return min(
            self.cost(max(sum(heaviest[j:]), unavoidable), j)
            for j in range(1, min(leaves, len(heaviest)) + 1)
        )

    def leaf_and_stump(self, rows: RowSet) -> tuple[int, int]:
        """Return the cost of the best leaf, and that of the best tree with at most one split."""
        weights, classes = self.table.weights[rows], self.table.classes[rows]
        by_class = np.zeros((len(weights), self.table.n_classes), dtype=np.int64)
        by_class[np.arange(len(weights)), classes] = weights
        total = by_class.sum(axis=0)
        leaf = self.cost(int(total.sum() - total.max()), 1)
        best = leaf
        for ranks in (ranks[rows] for ranks in self.table.ranks):
            order = np.argsort(ranks, kind="stable")
            ends = np.flatnonzero(np.diff(ranks[order]))
            if len(ends):
                left = by_class[order].cumsum(axis=0)[ends]
                correct = left.max(axis=1) + (total - left).max(axis=1)
                best = min(best, self.cost(int(total.sum() - correct.max()), 2))
        return leaf, best

    def worth(self, at: int, rows: RowSet, limits: ClaimLimits) -> int:
        """Return the bound that a claim (-1: none) proves for trees within limits on some rows.

        A tree within `limits` but not within those of the claim has at least two leaves more than
        the exceeded limit. Without the rows that only the claim has, a tree costs less by at most
        their reach. Every tree has a leaf.
        """
        if at < 0:
            return self.header.leaf_price
        claim = self.claims[at]
        value = claim.value
        for claimed, needed in zip(claim.limits, limits, strict=True):
            if claimed < needed:
                value = min(value, self.cost(0, claimed + 2))
        return max(value - self.reach(claim.rows & ~rows), self.header.leaf_price)

    def citation(self) -> int:
        """Return the place of the next cited claim, -1 for none; k means k places before."""
        distance = self.body.number()
        require(distance <= len(self.claims), Reason.CITATION)
        return len(self.claims) - distance if distance else -1

    def thresholds(self, rows: RowSet, feature: int) -> Iterator[tuple[int, RowSet, RowSet]]:
        """Read a list of thresholds of a feature, in increasing order, with their children."""
        rank = -1
        for _ in range(self.body.number()):
            rank += 1 + self.body.number()
            left = self.below(feature, rank, Reason.THRESHOLD)
            yield rank, rows & left, rows & ~left

    def check_cited_splits(self, claim: Claim, limits: ClaimLimits) -> None:
        """Check that all trees with a split at the root cost enough, feature by feature.

        For every way to divide the inner nodes there is a list of thresholds, with citations for
        both children.
        """
        for feature in range(len(self.table.ranks)):
            for left_size, right_size in shares(limits):
                of_left, of_right = ((limits[0] - 1, size) for size in (left_size, right_size))
                bounds = [
                    (
                        rank,
                        self.worth(self.citation(), left, normalised(of_left)),
                        self.worth(self.citation(), right, normalised(of_right)),
                    )
                    for rank, left, right in self.thresholds(claim.rows, feature)
                ]
                self.cover(claim, feature, bounds)

    def check_evaluated_splits(self, claim: Claim, limits: ClaimLimits) -> None:
        """Check the same at depth two; the costs of the children are computed here."""
        for feature in range(len(self.table.ranks)):
            costs = [
                (rank, self.leaf_and_stump(left), self.leaf_and_stump(right))
                for rank, left, right in self.thresholds(claim.rows, feature)
            ]
            for left_size, right_size in shares(limits):
                sides = min(left_size, 1), min(right_size, 1)
                bounds = [(rank, left[sides[0]], right[sides[1]]) for rank, left, right in costs]
                self.cover(claim, feature, bounds)

    def cover(self, claim: Claim, feature: int, bounds: list[tuple[int, int, int]]) -> None:
        """Check that bounds at some thresholds imply the claim for all splits of the feature.

        `bounds` has thresholds with bounds on their left and right children. A split at or above a
        threshold has a larger left child, a split at or below it a larger right child.
        """
        ranks = self.table.ranks[feature][claim.rows]
        weights = self.table.weights[claim.rows]
        at = [rank for rank, _, _ in bounds]
        lefts = [*accumulate((left for _, left, _ in bounds), max)]
        rights = [*accumulate((right for _, _, right in bounds[::-1]), max)][::-1]
        leaf = self.header.leaf_price
        splits = np.unique(ranks)[:-1].tolist()
        for gap in range(len(at) + 1):  # the splits from threshold gap - 1 to threshold gap
            left = lefts[gap - 1] if gap else leaf
            right = rights[gap] if gap < len(at) else leaf
            if left + right >= claim.value:
                continue
            first = bisect_left(splits, at[gap - 1]) if gap else 0
            end = bisect_left(splits, at[gap]) if gap < len(at) else len(splits)
            for split in splits[first:end]:
                near = 0
                for i in (gap - 1, gap):
                    if 0 <= i < len(at):
                        low, high = sorted((at[i], split))
                        moved = int(weights[(ranks > low) & (ranks <= high)].sum())
                        near = max(near, lefts[i] + rights[i] - self.cost(moved, 0))
                require(near >= claim.value, Reason.SPLIT)


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
        table = table.split_by(header.splits)
    except ValueError:
        raise Refused(Reason.TABLE) from None
    shape = (len(table.weights), len(table.features), table.n_classes, table.weight_scale)
    stated = (header.rows, header.features, header.classes, header.weight_scale)
    require(shape == stated and header.table == table.digest(), Reason.TABLE)
    checker = Checker(table, header, body)
    checker.check_tree()
    checker.check_claims()
    return header
