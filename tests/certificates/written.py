"""Certificates as Python objects that tests write, change and seal again; and a slow prover."""

from dataclasses import dataclass, field, replace
from math import inf
from random import Random

import numpy as np

from exactree import _native
from exactree.certificates.checker import RankedTable, Refused, check, normalised, shares

NO_LIMIT = 2**64 - 1

# A threshold, and the places of the claims that are cited for its two children; None cites nothing.
Citation = tuple[int, int | None, int | None]


@dataclass(frozen=True)
class WrittenClaim:
    """A claim: `lists` has thresholds by feature (rule 1), or citations by feature and share.

    `outer` is the set on which rows of leaves are counted, None if the claim is relaxed.
    """

    set: int
    depth: int | None
    size: int | None
    value: int
    rule: int
    lists: tuple = ()
    outer: int | None = None


@dataclass(frozen=True)
class Written:
    """A certificate for a table."""

    table: RankedTable
    fields: dict[str, object]
    sets: tuple[tuple[int, int, int], ...] = ()
    claims: tuple[WrittenClaim, ...] = ()
    # By quantity, 0 or how far before the end the claim is that proves its bound.
    conclusions: tuple[int, ...] = (1,)
    extra: bytes = b""

    def with_claim(self, at: int, **changes: object) -> "Written":
        """Return the certificate with other fields of a claim."""
        claims = list(self.claims)
        claims[at] = replace(claims[at], **changes)
        return replace(self, claims=tuple(claims))

    def with_fields(self, **changes: object) -> "Written":
        """Return the certificate with other fields of the header."""
        return replace(self, fields=self.fields | changes)

    def sealed(self) -> bytes:
        """Return the certificate as bytes with right digest and lengths."""
        table = self.table
        known = {
            "table": table.digest(),
            "rows": len(table.weights),
            "features": len(table.features),
            "classes": table.n_classes,
            "splits": table.splits,
            "weight-scale": table.weight_scale,
        }
        counts = {"sets": len(self.sets), "claims": len(self.claims)}
        lines = [f"{name} {value}\n" for name, value in (known | self.fields | counts).items()]
        body = b"".join(varint(number) for numbers in self.sets for number in numbers)
        two_sets = str(self.fields["min-rows"]) != "0"
        body += b"".join(encoded(at, claim, two_sets) for at, claim in enumerate(self.claims))
        body += b"".join(map(varint, self.conclusions))
        return ("exactree-certificate 1\n" + "".join(lines) + "body\n").encode() + body + self.extra


def varint(number: int) -> bytes:
    """Encode a number."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def encoded(at: int, claim: WrittenClaim, two_sets: bool) -> bytes:
    """Encode the claim at a place; with a minimum of rows it has an outer set."""
    outer = [claim.outer] if two_sets else []
    limits = [0 if limit is None else limit + 1 for limit in (*outer, claim.depth, claim.size)]
    numbers = [claim.set, *limits, claim.value, claim.rule]
    for thresholds in claim.lists:
        numbers.append(len(thresholds))
        last = 0
        for entry in thresholds:
            rank, *cited = entry if isinstance(entry, tuple) else (entry,)
            numbers += [
                (rank - last) % 2**64,
                *(0 if claim is None else at - claim for claim in cited),
            ]
            last = rank
    return b"".join(map(varint, numbers))


def reason(content: bytes, table: RankedTable) -> str | None:
    """Return the reason of both checkers to refuse a certificate, None if both accept it."""
    try:
        check(content, table)
        twin = None
    except Refused as refused:
        twin = refused.reason.name
    columns = np.ascontiguousarray(table.columns, dtype=np.float64)
    labels, weights = table.classes.astype(np.uint32), table.weights.astype(np.uint64)
    native = _native.check_certificate(content, columns, labels, weights, table.weight_scale)
    assert native == twin, (native, twin)
    return twin


@dataclass
class Prover:
    """Minimum costs by trying all trees, and certificates of them."""

    table: RankedTable
    # The unit of costs, and the price of an error if the table has no costs of classes.
    error_price: int = 1
    leaf_price: int = 0
    # The minimum number of rows in a leaf; 0 for none.
    min_rows: int = 0
    sets: list[tuple[int, int, int]] = field(default_factory=list)
    claims: list[WrittenClaim] = field(default_factory=list)
    members: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.members = [np.ones(len(self.table.weights), dtype=bool)]
        self.known: dict[tuple, tuple[int, list[str]]] = {}
        self.price = self.error_price if self.table.stated_costs is None else 1

    def leaf(self, rows: np.ndarray, outer: np.ndarray | None) -> tuple[float, list[str]]:
        """Return the cost of the best leaf, and the leaf; infinity if it has too few outer rows."""
        if outer is not None and outer.sum() < self.min_rows:
            return inf, []
        errors = self.table.errors[rows].sum(axis=0)
        return self.price * int(errors.min()) + self.leaf_price, [str(errors.argmin())]

    def optimum(
        self, rows: np.ndarray, depth: int, size: int, outer: np.ndarray | None = None
    ) -> tuple[float, list[str]]:
        """Return the minimum cost, and a tree of that cost, by trying all trees.

        Rows of leaves are counted on the outer set; None counts none.
        """
        outer = outer if self.min_rows else None
        key = rows.tobytes(), depth, size, None if outer is None else outer.tobytes()
        if key not in self.known:
            found = self._splits(rows, depth, size, outer)
            self.known[key] = min([self.leaf(rows, outer), *found])
        return self.known[key]

    def _splits(self, rows: np.ndarray, depth: int, size: int, outer: np.ndarray | None):
        if depth == 0 or size == 0:
            return
        either = rows if outer is None else rows | outer
        for feature, ranks in enumerate(self.table.ranks):
            for rank in self.thresholds(either, ranks):
                sides = ranks <= rank, ranks > rank
                for left_size in range(size):
                    one, two = (
                        self.optimum(
                            rows & side, depth - 1, share, None if outer is None else outer & side
                        )
                        for side, share in zip(
                            sides, (left_size, size - 1 - left_size), strict=True
                        )
                    )
                    yield one[0] + two[0], [f"{feature}:{rank}", *one[1], *two[1]]

    def child(self, parent: int, feature: int, rank: int, side: int) -> int:
        """Return the set of a child, which is added if it is new."""
        entry = parent, feature, 2 * rank + side
        if entry in self.sets:
            return self.sets.index(entry) + 1
        below = self.table.ranks[feature] <= rank
        self.sets.append(entry)
        self.members.append(self.members[parent] & (~below if side else below))
        return len(self.sets)

    def add(self, claim: WrittenClaim) -> int:
        """Add a claim and return its place."""
        self.claims.append(claim)
        return len(self.claims) - 1

    def prove(
        self, at: int, depth: int, size: int, random: Random, outer: int | None = None
    ) -> int:
        """Add claims that prove the optimum of a set; return the place of the last.

        Rows of leaves are counted on the set `outer`; None makes the claim relaxed.
        """
        rows, (depth, size) = self.members[at], normalised((depth, size))
        counted = None if outer is None else self.members[outer]
        value = self.optimum(rows, depth, size, counted)[0]
        if value == inf:  # there is no tree
            return self.add(WrittenClaim(at, depth, size, 2**40, 0, (), outer))
        if depth == 0:
            rule, lists = random.choice((0, 1)), ()
        elif depth == 1 and random.random() < 0.5:
            rule, lists = 1, ()
        elif depth == 2 and random.random() < 0.5:
            twice = 1 if counted is None else 2
            rule, lists = (
                1,
                tuple(
                    tuple(
                        rank for rank in self.possible(rows, counted, ranks) for _ in range(twice)
                    )
                    for ranks in self.table.ranks
                ),
            )
        else:
            rule, lists = 2, self._cited(at, depth, size, value, random, outer)
        return self.add(WrittenClaim(at, depth, size, int(value), rule, lists, outer))

    def thresholds(self, rows: np.ndarray, ranks: np.ndarray) -> tuple[int, ...]:
        """Return the thresholds that split a set."""
        return tuple(sorted({*ranks[rows].tolist()})[:-1])

    def possible(
        self, rows: np.ndarray, outer: np.ndarray | None, ranks: np.ndarray
    ) -> tuple[int, ...]:
        """Return the thresholds with enough outer rows on both sides."""
        if outer is None:
            return self.thresholds(rows, ranks)
        sides = ((rank, outer & (ranks <= rank)) for rank in self.thresholds(rows | outer, ranks))
        return tuple(
            rank for rank, left in sides
            if min(left.sum(), (outer & ~left).sum()) >= self.min_rows
        )  # fmt: skip

    def _cited(
        self, at: int, depth: int, size: int, value: float, random: Random, outer: int | None
    ) -> tuple:
        lists = []
        counted = None if outer is None else self.members[outer]
        for feature, of_rows in enumerate(self.table.ranks):
            for share in shares((depth, size)):
                entries = []
                ranks = self.possible(self.members[at], counted, of_rows)
                for place, rank in enumerate(ranks):
                    near = ranks[place + 1 : place + 2], ranks[max(place - 1, 0) : place]
                    # Outer rows up to the next threshold or from the one before; or the children's.
                    wide, own = (
                        [
                            self._child_sets(at, outer, feature, rank, side, of_leaves[side])
                            for side in (0, 1)
                        ]
                        for of_leaves in (near, ((rank,), (rank,)))
                    )
                    bounds = [self._bound(wide[i], depth - 1, share[i]) for i in (0, 1)]
                    enough = outer is None or sum(bounds) >= value
                    left, right = (
                        self.prove(sets[0], depth - 1, share[side], random, sets[1])
                        for side, sets in enumerate(wide if enough else own)
                    )
                    if enough:
                        entries.append((rank, left, right))
                    else:  # between a threshold and itself, the children have their own rows
                        entries += [(rank, left, None), (rank, None, right)]
                lists.append(tuple(entries))
        return tuple(lists)

    def _child_sets(
        self, at: int, outer: int | None, feature: int, rank: int, side: int, near: tuple[int, ...]
    ) -> tuple[int, int | None]:
        """Return the sets of a child, of which the outer one is divided by another threshold."""
        child = self.child(at, feature, rank, side)
        if outer is None:
            return child, None
        return child, self.child(outer, feature, near[0], side) if near else outer

    def _bound(self, sets: tuple[int, int | None], depth: int, size: int) -> float:
        """Return the minimum cost of a child."""
        inner, outer = sets
        counted = None if outer is None else self.members[outer]
        return self.optimum(self.members[inner], *normalised((depth, size)), counted)[0]

    def certificate(
        self,
        depth: int,
        size: int | None,
        random: Random,
        minimize: tuple[str, ...] = ("errors",),
        max_errors: int | None = None,
    ) -> Written:
        """Return a certificate of the optimum, or that no tree is within the limits."""
        depth, most = normalised((depth, NO_LIMIT if size is None else size))
        found = self.lexicographic_optimum(depth, most, minimize, max_errors)
        cost, tree = ("none", "none") if found is None else (" ".join(map(str, found[0])), found[1])
        cap = None if max_errors is None else max_errors * self.error_price
        caps: dict[str, int | None] = {"errors": cap, "size": most, "depth": depth}
        places = []
        outer = 0 if self.min_rows else None
        if found is None:
            places.append(self.prove(0, depth, most, random, outer))
        for quantity, value in () if found is None else zip(minimize, found[0], strict=True):
            limit = caps[quantity]
            below = caps | {quantity: value - 1 if limit is None else min(limit, value - 1)}
            caps[quantity] = value
            if value == 0:
                places.append(None)
            else:
                places.append(self.prove(0, below["depth"], below["size"], random, outer))
        costs = self.table.stated_costs
        fields = {
            "error-price": self.error_price,
            "leaf-price": self.leaf_price,
            "class-costs": "none" if costs is None else " ".join(map(str, costs)),
            "minimize": " ".join(minimize),
            "max-depth": depth,
            "max-size": "none" if size is None else size,
            "max-errors": "none" if max_errors is None else max_errors,
            "min-rows": self.min_rows,
            "cost": cost,
            "lower-bound": cost,
            "tree": tree,
        }
        conclusions = tuple(0 if at is None else len(self.claims) - at for at in places)
        return Written(self.table, fields, tuple(self.sets), tuple(self.claims), conclusions)

    def lexicographic_optimum(
        self, depth: int, size: int, minimize: tuple[str, ...], max_errors: int | None
    ) -> tuple[tuple[int, ...], str] | None:
        """Return the minimum of some quantities and a tree that has it; None without a tree."""
        found = []
        for max_depth in range(depth + 1):
            for max_size in range(size + 1):
                rows = self.members[0]
                cost, tree = self.optimum(rows, max_depth, max_size, rows)
                if cost == inf:
                    continue
                if max_errors is None or cost <= max_errors * self.error_price:
                    values = {"errors": cost, "size": max_size, "depth": max_depth}
                    found.append((tuple(values[name] for name in minimize), " ".join(tree)))
        return min(found, default=None)


def random_table(
    random: Random,
    rows: int,
    features: int,
    values: int,
    classes: int,
    splits: str | None = None,
    *,
    costs: bool = False,
) -> RankedTable:
    """Draw a small table; with `splits` some values are missing, with `costs` classes have some."""
    present = [*map(float, range(values))] * (1 if splits is None else 4)
    cells = present if splits is None else [*present, np.nan, np.nan]
    columns = [[random.choice(cells) for _ in range(features)] for _ in range(rows)]
    labels = [random.randrange(classes) for _ in range(rows)]
    weights = [random.choice((1, 1, 1, 2, 5)) for _ in range(rows)]
    of_classes = None
    if costs:  # right predictions may cost something, and there may be labels without examples
        known = len({*labels})
        cells = known * (known + random.choice((0, 0, 1)))
        of_classes = tuple(random.choice((0, 0, 1, 2, 3)) for _ in range(cells))
    given = np.array(columns), np.array(labels), np.array(weights)
    return RankedTable(*given, 1, splits, of_classes)
