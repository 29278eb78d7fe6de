"""The rules of certificates, each compared with the enumeration of all trees of small tables."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
from tests.certificates.written import NO_LIMIT, Prover, WrittenClaim, random_table, reason

from exactree.certificates.checker import normalised, shares

PRICES = [(1, 0), (1, 0), (1, 1), (2, 3)]


def test_certificates_of_the_minimum_are_accepted() -> None:
    random = Random(1)
    for _ in range(60):
        table = random_table(random, random.randrange(1, 8), 2, random.randrange(1, 5), 3)
        depth, size = random.randrange(4), random.choice((None, None, *range(5)))
        prover = Prover(table, *random.choice(PRICES))
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
        written = Prover(table).certificate(random.randrange(3), None, random)
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
        prover = Prover(table, *prices)
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


def test_no_accepted_claim_exceeds_the_minimum() -> None:
    """Claims with random values, limits, thresholds and citations: those accepted are true."""
    random = Random(2)
    accepted = refused = 0
    for _ in range(900):
        table = random_table(random, random.randrange(2, 7), 2, 4, random.choice((2, 2, 3)))
        prover = Prover(table, *random.choice(PRICES))
        for rank in range(table.values[0] - 1):
            for side in (0, 1):
                prover.child(0, 0, rank, side)
        last = 0
        for at in random.sample(range(len(prover.members)), random.randrange(len(prover.members))):
            prover.prove(at, random.randrange(2), NO_LIMIT, random)
        limits = random.randrange(3), random.choice((0, 1, 2, 3))
        last = prover.add(_drawn_claim(prover, limits, random))
        written = prover.certificate(0, 0, random)
        known = written.claims[:last]
        tried = written.claims[last]
        rows = prover.members[tried.set]
        minimum = prover.optimum(rows, *limits)[0]
        # The claim is the last: its own verdict decides, not the conclusion.
        alone = replace(written, claims=(*known, tried)).with_fields(**{"lower-bound": 0})
        verdict = reason(alone.sealed(), table)
        if tried.value > minimum:
            refused += 1
            assert verdict is not None, (tried, minimum)
        else:
            accepted += verdict is None
    assert accepted > 100
    assert refused > 100


def _drawn_claim(prover: Prover, limits: tuple[int, int], random: Random) -> WrittenClaim:
    at = random.randrange(len(prover.members))
    value = max(0, prover.optimum(prover.members[at], *limits)[0] + random.choice((-2, -1, 0, 1)))
    rule = random.choice((0, 1, 2, 2))
    if rule == 2 and min(limits) == 0:
        rule = 0
    lists: list[tuple] = []
    normal = normalised(limits)
    for count in prover.table.values:
        if rule == 1 and normal[0] == 2:
            lists.append(tuple(sorted(r for r in range(count - 1) if random.random() < 0.8)))
        for _ in shares(normal) if rule == 2 else ():
            places = [None, *range(len(prover.claims))]
            ranks = [rank for rank in range(count - 1) if random.random() < 0.8]
            lists.append(tuple((r, random.choice(places), random.choice(places)) for r in ranks))
    return WrittenClaim(at, *limits, value, rule, tuple(lists))
