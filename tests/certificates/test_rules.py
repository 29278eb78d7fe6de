"""The rules of certificates, each compared with the enumeration of all trees of small tables."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import inf
from random import Random

import numpy as np
import pytest
from tests.certificates.written import NO_LIMIT, Prover, WrittenClaim, random_table, reason

from exactree.certificates.checker import RankedTable, normalised, shares

PRICES = [(1, 0), (1, 0), (1, 1), (2, 3)]


@pytest.mark.parametrize("costs", [False, True])
def test_certificates_of_the_minimum_are_accepted(costs: bool) -> None:
    random = Random(1)
    for _ in range(60):
        rows, values = random.randrange(1, 8), random.randrange(1, 5)
        table = random_table(random, rows, 2, values, 3, costs=costs)
        depth, size = random.randrange(4), random.choice((None, None, *range(5)))
        prover = Prover(table, *random.choice(PRICES), random.choice((0, 0, 1, 2, 3)))
        if prover.min_rows > len(table.weights):
            continue
        written = prover.certificate(depth, size, random)
        assert reason(written.sealed(), table) is None
        cost = int(written.fields["cost"])
        more = written.with_fields(**{"lower-bound": cost + 1})
        assert reason(more.sealed(), table) == "CONCLUSION"


def test_columns_have_all_splits_of_the_features() -> None:
    """The splits by thresholds of columns are those by definition, up to exchange of children."""
    random = Random(4)
    for _ in range(200):
        splits = random.choice(("n", "c", "s", "-"))
        values = random.randrange(1, 6)
        table = random_table(random, random.randrange(1, 14), 1, values, 2, splits)
        found = {
            _both(ranks <= rank)
            for ranks, count in zip(table.ranks, table.values, strict=True)
            for rank in range(count - 1)
        }
        assert found == {*_splits(table.columns[:, 0], splits)}


def _both(left: np.ndarray) -> frozenset[bytes]:
    """Return a split, whichever of its children is the left one."""
    return frozenset((left.tobytes(), (~left).tobytes()))


def _splits(column: np.ndarray, kind: str):
    """List all splits of a feature by their definition."""
    missing, values = np.isnan(column), np.unique(column[~np.isnan(column)])
    if kind == "n":
        lefts = [column <= value for value in values]
    elif kind == "c":
        lefts = [column == value for value in values]
    else:
        sizes = range(len(values) + 1) if kind == "s" else ()
        sets = [chosen for size in sizes for chosen in combinations(values.tolist(), size)]
        lefts = [np.isin(column, chosen) for chosen in sets]
    of_missing = [missing] if kind != "-" else []
    for left in (*lefts, *(left | missing for left in lefts), *of_missing):
        if left.any() and not left.all():
            yield _both(left)


def test_certificates_of_categories_and_missing_values_are_accepted() -> None:
    random = Random(5)
    for _ in range(60):
        splits = "".join(random.choice("ncs-") for _ in range(2))
        table = random_table(random, random.randrange(2, 8), 2, 3, 2, splits)
        prover = Prover(table, min_rows=random.choice((0, 1, 2)))
        written = prover.certificate(random.randrange(3), None, random)
        assert reason(written.sealed(), table) is None


def test_no_bound_in_lexicographic_order_exceeds_the_minimum() -> None:
    """Tuples with random bounds, proved by all claims that could help: those accepted are true."""
    random = Random(3)
    accepted = refused = without_tree = 0
    for _ in range(150):
        table = random_table(random, random.randrange(2, 7), 2, 4, 2)
        minimize = tuple(random.sample(("errors", "size", "depth"), random.randrange(1, 4)))
        max_errors = random.choice((None, *range(4)))
        limits = random.randrange(3), random.choice((None, 1, 2, 3))
        prices = random.choice(PRICES) if max_errors is None else (1, 0)
        prover = Prover(table, *prices, random.choice((0, 0, 1, 2)))
        written = prover.certificate(*limits, random, minimize, max_errors)
        assert reason(written.sealed(), table) is None
        if written.fields["cost"] == "none":
            without_tree += 1
            continue
        optimum = tuple(map(int, str(written.fields["cost"]).split()))
        for _ in range(10):
            bound = tuple(max(0, value + random.choice((-1, 0, 0, 1))) for value in optimum)
            cited = tuple(random.randrange(len(prover.claims) + 1) for _ in minimize)
            changed = replace(written, conclusions=random.choice((cited, written.conclusions)))
            changed = changed.with_fields(**{"lower-bound": " ".join(map(str, bound))})
            verdict = reason(changed.sealed(), table)
            assert verdict in (None, "CONCLUSION")
            accepted += verdict is None
            refused += bound > optimum
            assert verdict is not None or bound <= optimum
        none = written.with_fields(**{"lower-bound": "none"})
        assert (
            reason(replace(none, conclusions=(min(1, len(prover.claims)),)).sealed(), table)
            == "CONCLUSION"
        )
    assert min(accepted, refused) > 100
    assert without_tree > 5


def test_claims_about_other_outer_rows_prove_nothing() -> None:
    """The first three of four rows cost more than all four, with two rows in every leaf."""
    table = RankedTable(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), np.full(4, 1), 1)
    prover = Prover(table, min_rows=2)
    three = prover.child(0, 0, 2, 0)
    rows = prover.members
    assert prover.optimum(rows[0], 1, 1, rows[0])[0] == 0
    assert prover.optimum(rows[three], 1, 1, rows[three])[0] == 1
    assert prover.optimum(rows[three], 1, 1, rows[0])[0] == 0
    prover.certificate(1, None, Random(1))
    verdicts = {}
    for outer in (three, 0, None):
        claim = WrittenClaim(three, 1, 1, 1, 1, (), outer)
        for bound in (0, 1):
            prover.claims.clear()
            written = replace(prover.certificate(1, None, Random(1)), claims=(claim,))
            written = replace(written, conclusions=(1,)).with_fields(**{"lower-bound": bound})
            verdicts[outer, bound] = reason(written.sealed(), table)
    assert verdicts == {
        (three, 0): None, (three, 1): "CONCLUSION",
        (0, 0): "STUMP", (0, 1): "STUMP", (None, 0): "STUMP", (None, 1): "STUMP",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("min_rows", "costs"),
    [(0, False), (1, False), (2, False), (3, False), (0, True), (2, True)],
)
def test_no_accepted_claim_exceeds_the_minimum(min_rows: int, costs: bool) -> None:
    """Claims with random values, limits, thresholds and citations: those accepted are true."""
    random = Random(2)
    accepted = refused = 0
    for _ in range(700):
        values = random.choice((4, 4, 8))
        rows, classes = random.randrange(2, 9), random.choice((2, 2, 3))
        table = random_table(random, rows, 2, values, classes, costs=costs)
        prover = Prover(table, *random.choice(PRICES), min_rows)
        for rank in range(table.values[0] - 1):
            for side in (0, 1):
                prover.child(0, 0, rank, side)
        for at in random.sample(range(len(prover.members)), random.randrange(len(prover.members))):
            outer = _drawn_outer(prover, random)
            prover.prove(at, random.randrange(2), NO_LIMIT, random, outer)
        limits = random.randrange(3), random.choice((0, 1, 2, 3))
        last = prover.add(_drawn_claim(prover, limits, random))
        written = prover.certificate(0, 0, random)
        tried = written.claims[last]
        rows = prover.members[tried.set]
        counted = None if tried.outer is None else prover.members[tried.outer]
        minimum = prover.optimum(rows, *limits, counted)[0]
        # The claim is the last: its own verdict decides, not the conclusion.
        alone = replace(written, claims=written.claims[: last + 1], conclusions=(0,))
        fields = {"lower-bound": 0} if written.fields["tree"] != "none" else {}
        verdict = reason(alone.with_fields(**fields).sealed(), table)
        if tried.value > minimum:
            refused += 1
            assert verdict not in (None, "CONCLUSION"), (tried, minimum)
        else:
            accepted += verdict in (None, "CONCLUSION")
    assert accepted > 100
    assert refused > 100


def test_few_thresholds_do_not_prove_more_than_the_minimum() -> None:
    """The exact costs of the children of a list prove no value above the minimum, often itself."""
    random = Random(6)
    accepted = refused = 0
    for _ in range(1_500):
        table = random_table(random, random.randrange(6, 14), 1, 14, 2)
        prover = Prover(table, 1, 0, random.choice((2, 3)))
        splits, limits = table.values[0] - 1, (2, 3)
        if not splits:
            continue
        at = random.choice((0, 0, prover.child(0, 0, random.randrange(splits), 1)))
        outer = random.choice((0, 0, 0, prover.child(0, 0, random.randrange(splits), 0)))
        rows, counted = prover.members[at], prover.members[outer]
        minimum = prover.optimum(rows, *limits, counted)[0]
        if minimum == inf or prover.leaf(rows, None)[0] == minimum:
            continue
        ranks = [rank for rank in range(splits) if random.random() < 0.4]
        ranks = sorted([*ranks, *(rank for rank in ranks if random.random() < 0.4)])
        rule = random.choice((1, 1, 1, 1, 2))
        lists = tuple(_exactly_cited(prover, (at, outer), ranks, random) if rule == 2 else ranks)
        for more in (0, 1):
            claim = WrittenClaim(at, *limits, int(minimum) + more, rule, (lists,), outer)
            claims = (*prover.claims, claim)
            written = Prover(table, 1, 0, 0).certificate(0, 0, random)
            written = written.with_fields(**{"min-rows": prover.min_rows, "lower-bound": 0})
            written = replace(written, sets=tuple(prover.sets), claims=claims, conclusions=(0,))
            verdict = reason(written.sealed(), table)
            assert verdict in ("SPLIT", "LEAF") or not more
            accepted += verdict is None
            refused += verdict is not None
    assert min(accepted, refused) > 100


# Labels, weights and thresholds by which one more than the minimum would be proved if children had
# their own outer rows: every left, every right, the last left, or the first right child.
NARROW = {
    "left": ("0011100010", "2123311331", (2, 7)),
    "right": ("0011100010", "2123311331", (3, 3, 6)),
    "last": ("0110011000", "1111111231", (1, 3)),
    "first": ("010100011", "112211332", (5, 5)),
}


@pytest.mark.parametrize("child", NARROW)
def test_outer_rows_reach_to_the_next_threshold(child: str) -> None:
    labels, weights, ranks = NARROW[child]
    columns = np.arange(float(len(labels)))[:, None]
    table = RankedTable(columns, np.array([*map(int, labels)]), np.array([*map(int, weights)]), 1)
    prover = Prover(table, min_rows=2)
    rows = prover.members[0]
    minimum = int(prover.optimum(rows, 2, 3, rows)[0])
    written = prover.certificate(2, None, Random(1))
    claim = WrittenClaim(0, 2, 3, minimum + 1, 1, (ranks,), 0)
    written = replace(written, sets=(), claims=(claim,), conclusions=(1,))
    assert reason(written.sealed(), table) == "SPLIT"


def _exactly_cited(
    prover: Prover, sets: tuple[int, int], ranks: list[int], random: Random
) -> Iterator[tuple[int, int, int]]:
    """List thresholds with proofs of the minimum costs of their children."""
    at, outer = sets
    for place, rank in enumerate(ranks):
        inner = [prover.child(at, 0, rank, side) for side in (0, 1)]
        counted = [
            prover.child(outer, 0, ranks[place + 1], 0) if place + 1 < len(ranks) else outer,
            prover.child(outer, 0, ranks[place - 1], 1) if place else outer,
        ]
        left, right = (prover.prove(inner[side], 1, 1, random, counted[side]) for side in (0, 1))
        yield rank, left, right


def _drawn_outer(prover: Prover, random: Random) -> int | None:
    """Draw the set on which rows of leaves are counted."""
    if not prover.min_rows or random.random() < 0.2:
        return None
    return random.choice((0, random.randrange(len(prover.members))))


def _drawn_claim(prover: Prover, limits: tuple[int, int], random: Random) -> WrittenClaim:
    at, outer = random.randrange(len(prover.members)), _drawn_outer(prover, random)
    if outer is not None and random.random() < 0.5:
        outer = at
    counted = None if outer is None else prover.members[outer]
    minimum = prover.optimum(prover.members[at], *limits, counted)[0]
    value = 9 if minimum == inf else max(0, int(minimum) + random.choice((-2, -1, 0, 1)))
    rule = random.choice((0, 1, 2, 2))
    if rule == 2 and min(limits) == 0:
        rule = 0
    lists: list[tuple] = []
    normal = normalised(limits)
    likely = random.choice((0.2, 0.4, 0.8, 1))
    for feature, count in enumerate(prover.table.values):
        twice = [*range(count - 1)] * (2 if prover.min_rows else 1)
        ranks = sorted(rank for rank in twice if random.random() < likely)
        if rule == 1 and normal[0] == 2:
            lists.append(tuple(ranks))
        for share in shares(normal) if rule == 2 else ():
            entries = []
            for place, rank in enumerate(ranks):
                # Outer rows up to the next threshold, and from the one before.
                near = (ranks[place + 1 :] or [count])[0], (ranks[:place] or [-1])[-1]
                entries.append((
                    rank,
                    *(
                        _drawn_citation(
                            prover, (at, outer), (feature, rank, near[side]), side,
                            (normal[0] - 1, share[side]), random,
                        )
                        for side in (0, 1)
                    ),
                ))  # fmt: skip
            lists.append(tuple(entries))
    return WrittenClaim(at, *limits, value, rule, tuple(lists), outer)


def _drawn_citation(
    prover: Prover,
    sets: tuple[int, int | None],
    split: tuple[int, int, int],
    side: int,
    limits: tuple[int, int],
    random: Random,
) -> int | None:
    """Return any claim, or one about a child of a set; rarely about nearly the right outer rows."""
    if not prover.min_rows or random.random() < 0.1:
        return random.choice([None, *range(len(prover.claims))])
    (at, outer), (feature, rank, near) = sets, split
    child = prover.child(at, feature, rank, side)
    near += random.choice((0,) * 20 + (-1, 1))
    if outer is not None and 0 <= near < prover.table.values[feature] - 1:
        outer = prover.child(outer, feature, near, side)
    elif outer is None and random.random() < 0.3:
        outer = child  # which proves nothing without a minimum
    return prover.prove(child, *limits, random, outer)
