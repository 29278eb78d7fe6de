"""Certificates as Python objects that tests write, change and seal again; and a slow prover."""

from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from exactree import _native
from exactree.certificates.checker import RankedTable, Refused, check, normalised, shares

NO_LIMIT = 2**64 - 1

# A threshold, and the places of the claims that are cited for its two children; None cites nothing.
Citation = tuple[int, int | None, int | None]


@dataclass(frozen=True)
class WrittenClaim:
    """A claim: `lists` has thresholds by feature (rule 1), or citations by feature and share."""

    set: int
    depth: int | None
    size: int | None
    value: int
    rule: int
    lists: tuple = ()


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
        body += b"".join(encoded(at, claim) for at, claim in enumerate(self.claims))
        body += b"".join(map(varint, self.conclusions))
        return ("exactree-certificate 1\n" + "".join(lines) + "body\n").encode() + body + self.extra


def varint(number: int) -> bytes:
    """Encode a number."""
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def encoded(at: int, claim: WrittenClaim) -> bytes:
    """Encode the claim at a place."""
    limits = [0 if limit is None else limit + 1 for limit in (claim.depth, claim.size)]
    numbers = [claim.set, *limits, claim.value, claim.rule]
    for thresholds in claim.lists:
        numbers.append(len(thresholds))
        last = -1
        for entry in thresholds:
            rank, *cited = entry if isinstance(entry, tuple) else (entry,)
            numbers += [rank - last - 1, *(0 if claim is None else at - claim for claim in cited)]
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
    assert native == twin
    return twin


@dataclass
class Prover:
    """Minimum costs by trying all trees, and certificates of them."""

    table: RankedTable
    error_price: int = 1
    leaf_price: int = 0
    sets: list[tuple[int, int, int]] = field(default_factory=list)
    claims: list[WrittenClaim] = field(default_factory=list)
    members: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.members = [np.ones(len(self.table.weights), dtype=bool)]
        self.known: dict[tuple, tuple[int, list[str]]] = {}

    def leaf(self, rows: np.ndarray) -> tuple[int, list[str]]:
        """Return the cost of the best leaf, and the leaf."""
        totals = self.table.by_class(rows)
        best = totals.index(max(totals))
        return self.error_price * (sum(totals) - max(totals)) + self.leaf_price, [str(best)]

    def optimum(self, rows: np.ndarray, depth: int, size: int) -> tuple[int, list[str]]:
        """Return the minimum cost, and a tree of that cost, by trying all trees."""
        key = rows.tobytes(), depth, size
        if key not in self.known:
            self.known[key] = min([self.leaf(rows), *self._splits(rows, depth, size)])
        return self.known[key]

    def _splits(self, rows: np.ndarray, depth: int, size: int):
        if depth == 0 or size == 0:
            return
        for feature, ranks in enumerate(self.table.ranks):
            for rank in sorted({*ranks[rows].tolist()})[:-1]:
                left, right = rows & (ranks <= rank), rows & (ranks > rank)
                for left_size in range(size):
                    one = self.optimum(left, depth - 1, left_size)
                    two = self.optimum(right, depth - 1, size - 1 - left_size)
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

    def prove(self, at: int, depth: int, size: int, random: Random) -> int:
        """Add claims that prove the optimum of a set; return the place of the last."""
        rows, (depth, size) = self.members[at], normalised((depth, size))
        value = self.optimum(rows, depth, size)[0]
        if depth == 0:
            rule, lists = random.choice((0, 1)), ()
        elif depth == 1 and random.random() < 0.5:
            rule, lists = 1, ()
        elif depth == 2 and random.random() < 0.5:
            rule, lists = 1, tuple(self.thresholds(rows, ranks) for ranks in self.table.ranks)
        else:
            rule, lists = 2, self._cited(at, depth, size, random)
        return self.add(WrittenClaim(at, depth, size, value, rule, lists))

    def thresholds(self, rows: np.ndarray, ranks: np.ndarray) -> tuple[int, ...]:
        """Return the thresholds that split a set."""
        return tuple(sorted({*ranks[rows].tolist()})[:-1])

    def _cited(self, at: int, depth: int, size: int, random: Random) -> tuple:
        lists = []
        for feature, ranks in enumerate(self.table.ranks):
            for left_size, right_size in shares((depth, size)):
                entries = []
                for rank in self.thresholds(self.members[at], ranks):
                    children = [self.child(at, feature, rank, side) for side in (0, 1)]
                    places = [
                        self.prove(child, depth - 1, share, random)
                        for child, share in zip(children, (left_size, right_size), strict=True)
                    ]
                    entries.append((rank, *places))
                lists.append(tuple(entries))
        return tuple(lists)

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
        if found is None:
            places.append(self.prove(0, depth, most, random))
        for quantity, value in () if found is None else zip(minimize, found[0], strict=True):
            limit = caps[quantity]
            below = caps | {quantity: value - 1 if limit is None else min(limit, value - 1)}
            caps[quantity] = value
            if value == 0:
                places.append(None)
            else:
                places.append(self.prove(0, below["depth"], below["size"], random))
        fields = {
            "error-price": self.error_price,
            "leaf-price": self.leaf_price,
            "minimize": " ".join(minimize),
            "max-depth": depth,
            "max-size": "none" if size is None else size,
            "max-errors": "none" if max_errors is None else max_errors,
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
                cost, tree = self.optimum(self.members[0], max_depth, max_size)
                if max_errors is None or cost <= max_errors * self.error_price:
                    values = {"errors": cost, "size": max_size, "depth": max_depth}
                    found.append((tuple(values[name] for name in minimize), " ".join(tree)))
        return min(found, default=None)


def random_table(
    random: Random, rows: int, features: int, values: int, classes: int, splits: str | None = None
) -> RankedTable:
    """Draw a small table; with `splits` some values are missing."""
    present = [*map(float, range(values))] * (1 if splits is None else 4)
    cells = present if splits is None else [*present, np.nan, np.nan]
    columns = [[random.choice(cells) for _ in range(features)] for _ in range(rows)]
    labels = [random.randrange(classes) for _ in range(rows)]
    weights = [random.choice((1, 1, 1, 2, 5)) for _ in range(rows)]
    return RankedTable(np.array(columns), np.array(labels), np.array(weights), 1, splits)
