"""Wrong certificates, each sealed again, so that a rule of the checkers has to refuse it.

A kind of mutation changes valid certificates at every place where it can; some place must be
refused for the reason that the kind names. A change that leaves the certificate valid, such as
dropping a threshold that was not needed, is accepted by right: the random tests of `test_rules.py`
show that no accepted claim is wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest
from tests.certificates.written import Prover, Written, WrittenClaim, random_table, reason

from exactree.certificates.checker import RankedTable, Reason

# Content, and the table that it is checked for.
Changed = tuple[bytes, RankedTable]


@cache
def valid() -> tuple[Written, ...]:
    """Return valid certificates that use every rule, with and without limits and prices."""
    random, found = Random(7), []
    for depth, size, prices in (
        (0, None, (1, 0)), (1, None, (1, 0)), (2, None, (1, 0)), (2, 2, (1, 0)), (3, None, (1, 0)),
        (3, 4, (2, 1)), (3, None, (5, 2)),
    ):  # fmt: skip
        table = random_table(random, 9, 2, 5, 3)
        written = Prover(table, *prices).certificate(depth, size, random)
        assert reason(written.sealed(), table) is None
        found.append(written)
    for minimize, depth, size, max_errors in (
        (("errors", "size"), 3, 4, None), (("size", "errors"), 3, None, 3),
        (("errors", "depth", "size"), 3, 4, None), (("depth", "size"), 3, 5, 2),
        (("size",), 3, None, 0), (("errors",), 2, None, 20), (("errors", "size"), 1, None, 0),
    ):  # fmt: skip
        table = random_table(random, 9, 2, 5, 2)
        written = Prover(table).certificate(depth, size, random, minimize, max_errors)
        assert reason(written.sealed(), table) is None
        found.append(written)
    for splits, depth in (("cs", 2), ("nc", 2), ("sn", 1), ("s-", 3)):
        table = random_table(random, 12, 2, 3, 2, splits)
        written = Prover(table).certificate(depth, None, random)
        assert reason(written.sealed(), table) is None
        found.insert(7, written)
    for splits, depth, size, rows, prices in (
        ("nn", 1, None, 2, (1, 0)), ("nn", 2, None, 2, (1, 0)), ("nn", 3, 4, 2, (2, 1)),
        ("nc", 2, 2, 2, (1, 0)), ("n", 2, None, 3, (1, 0)),
    ):  # fmt: skip
        table = random_table(random, 10, len(splits), 5, 2, splits)
        written = Prover(table, *prices, rows).certificate(depth, size, random)
        assert reason(written.sealed(), table) is None
        found.insert(7, written)
    for seed in (12, 19):  # whose proofs list thresholds twice
        of_seed = Random(seed)
        table = random_table(of_seed, 10, 1, 9, 2, "n")
        found.insert(7, Prover(table, 1, 0, 2).certificate(2, None, of_seed))
    seeded = Random(23)
    for depth, size, leaf_price, min_rows in (
        (1, None, 0, 0), (1, None, 0, 2), *[(2, None, 0, 0)] * 4, (2, 2, 2, 2)
    ):  # fmt: skip
        table = random_table(seeded, 10, 2, 5, 3, costs=True)
        written = Prover(table, 1, leaf_price, min_rows).certificate(depth, size, seeded)
        assert reason(written.sealed(), table) is None
        found.insert(7, written)
    assert found[-1].fields["tree"] == "none"
    assert found[-2].fields["tree"] != "none"
    return tuple(found)


def changed_text(old: str, new: str, count: int = 1):
    """Return a mutation of the header's text."""

    def mutate(written: Written) -> Iterator[Changed]:
        header, body, rest = written.sealed().partition(b"\nbody\n")
        text = header.decode()
        if old in text:
            yield text.replace(old, new, count).encode() + body + rest, written.table

    return mutate


def changed_line(name: str, change):
    """Return a mutation of the value of a field of the header."""

    def mutate(written: Written) -> Iterator[Changed]:
        header, body, rest = written.sealed().partition(b"\nbody\n")
        lines = header.decode().split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{name} "))
        value = change(lines[at].removeprefix(f"{name} "))
        if value is not None:
            lines[at] = f"{name} {value}"
            yield "\n".join(lines).encode() + body + rest, written.table

    return mutate


def plus(amount: int):
    """Return a change of a number, None where it is no number or would be negative."""

    def change(value: str) -> str | None:
        if not value.isdigit() or int(value) + amount < 0:
            return None
        return str(int(value) + amount)

    return change


def changed_body(change):
    """Return a mutation of the bytes after the header."""

    def mutate(written: Written) -> Iterator[Changed]:
        header, end, body = written.sealed().partition(b"\nbody\n")
        yield header + end + change(body), written.table

    return mutate


def changed_table(change):
    """Return the check of a valid certificate for another table."""

    def mutate(written: Written) -> Iterator[Changed]:
        table = written.table
        values = change(table.columns.copy(), table.classes.copy(), table.weights.copy())
        other = RankedTable(*values, 1, table.splits)
        if other.digest() != table.digest():
            yield written.sealed(), other

    return mutate


def changed_sets(change):
    """Return a mutation of every set."""

    def mutate(written: Written) -> Iterator[Changed]:
        for at, entry in enumerate(written.sets):
            sets = list(written.sets)
            sets[at] = change(at, entry, written.table)
            yield replace(written, sets=tuple(sets)).sealed(), written.table

    return mutate


def changed_claims(change):
    """Return a mutation of every claim; `change` lists the claims in its place."""

    def mutate(written: Written) -> Iterator[Changed]:
        for at, claim in enumerate(written.claims):
            for fields in change(at, claim, written):
                yield written.with_claim(at, **fields).sealed(), written.table

    return mutate


def with_rule(of_rule: int, of_depth: int | None, **fields):
    """Return a change of the claims of a rule and a depth (any for None)."""

    def change(_: int, claim: WrittenClaim, __: Written):
        if claim.rule == of_rule and of_depth in (None, claim.depth):
            yield {name: value(claim) for name, value in fields.items()}

    return changed_claims(change)


def changed_lists(rule: int, change):
    """Return a mutation of every list of thresholds of claims of a rule."""

    def lists(at: int, claim: WrittenClaim, written: Written):
        if claim.rule == rule:
            for place, entries in enumerate(claim.lists):
                for new in change(at, entries, written):
                    changed = (*claim.lists[:place], tuple(new), *claim.lists[place + 1 :])
                    yield {"lists": changed}

    return changed_claims(lists)


def dropped(position: int):
    """Return a change that drops an entry of a list."""

    def change(_: int, entries, __):
        if len(entries) > 2:
            yield [entry for entry in entries if entry != entries[position]]

    return change


def each_citation(change):
    """Return a change of every entry with citations."""

    def lists(at: int, entries, written: Written):
        for place, (rank, left, right) in enumerate(entries):
            for new in change(at, left, right, written):
                yield [*entries[:place], (rank, *new), *entries[place + 1 :]]

    return lists


def with_minimum(change):
    """Return a mutation of the certificates with a minimum of rows in leaves."""
    return lambda written: () if written.fields["min-rows"] == 0 else change(written)


def one_outer_set(claim: WrittenClaim, written: Written) -> Iterator[dict[str, object]]:
    """Replace the outer set of a claim by every other set."""
    if claim.outer is not None:
        for outer in range(len(written.sets) + 1):
            yield {"outer": outer}


def copies_swapped(_: int, entries, __: Written):
    """Exchange the two copies of a threshold."""
    for at in range(len(entries) - 1):
        first, second = entries[at : at + 2]
        if first[0] == second[0]:
            yield [*entries[:at], second, first, *entries[at + 2 :]]


def without_copy(_: int, entries, __: Written):
    """Drop a copy of a threshold, with the bound on one child."""
    for at in range(len(entries) - 1):
        if entries[at][0] == entries[at + 1][0]:
            yield [*entries[:at], *entries[at + 1 :]]


def bound_of_smaller_child(at: int, entries, written: Written):
    """Drop a bound on a left child where one on a smaller child is as great.

    Without a minimum of rows the greater child would cost as much.
    """
    greatest = -1
    for place, (rank, left, right) in enumerate(entries):
        if left is not None:
            value = written.claims[left].value
            if value <= greatest:
                yield [*entries[:place], (rank, None, right), *entries[place + 1 :]]
            greatest = max(greatest, value)


def last_claim(**fields):
    """Return a change of the last claim."""

    def change(at: int, claim: WrittenClaim, written: Written):
        if at == len(written.claims) - 1:
            values = {name: value(claim) for name, value in fields.items()}
            if None not in values.values():
                yield values

    return changed_claims(change)


def without_claims(written: Written) -> Iterator[Changed]:
    """Drop all claims."""
    nothing = (0,) * len(written.conclusions)
    yield replace(written, sets=(), claims=(), conclusions=nothing).sealed(), written.table


def changed_conclusions(change):
    """Return a mutation of the citations that prove the lower bound."""

    def mutate(written: Written) -> Iterator[Changed]:
        for conclusions in change(written.conclusions, len(written.claims)):
            yield replace(written, conclusions=tuple(conclusions)).sealed(), written.table

    return mutate


def number_changed(name: str, at: int, amount: int):
    """Return a mutation of a number of the tuple in a line of the header."""

    def change(value: str) -> str | None:
        numbers = value.split(" ")
        if len(numbers) <= at or (new := plus(amount)(numbers[at])) is None:
            return None
        return " ".join([*numbers[:at], new, *numbers[at + 1 :]])

    return changed_line(name, change)


def of_costs(mutate):
    """Return a mutation of certificates with costs of classes only."""
    return lambda w: [] if w.table.stated_costs is None else mutate(w)


def changed_costs(change):
    """Return a mutation of the costs of classes."""
    return changed_line("class-costs", lambda value: " ".join(map(str, change(value.split(" ")))))


def cheaper_errors(written: Written) -> Iterator[Changed]:
    """Lower each cost of a class by one."""
    costs = written.table.stated_costs or ()
    for at in (at for at, cost in enumerate(costs) if cost):
        lower = (*costs[:at], costs[at] - 1, *costs[at + 1 :])
        line = " ".join(map(str, lower))
        yield written.with_fields(**{"class-costs": line}).sealed(), written.table


def of_several(change):
    """Return a change of a value that has a space."""
    return lambda value: change(value) if " " in value else None


def without_last(written: Written) -> Iterator[Changed]:
    """Drop the last claim."""
    yield replace(written, claims=written.claims[:-1]).sealed(), written.table


def swapped_leaves(written: Written) -> Iterator[Changed]:
    """Exchange classes of leaves in the tree."""
    codes = {"0": "1", "1": "2", "2": "0"}
    tree = " ".join(codes.get(token, token) for token in str(written.fields["tree"]).split())
    yield written.with_fields(tree=tree).sealed(), written.table


def split_by(old: str, new: str):
    """Return a mutation of the splits, with the digest for the new ones."""

    def mutate(written: Written) -> Iterator[Changed]:
        splits = written.table.splits.replace(old, new)
        if splits != written.table.splits:
            table = written.table.of_statement(splits, written.table.stated_costs)
            yield replace(written, table=table).sealed(), table

    return mutate


def many_levels(written: Written) -> Iterator[Changed]:
    """Split a feature of 13 levels by any set of them."""
    columns, zeros = np.arange(13.0)[:, None], np.zeros(13, dtype=np.int64)
    table = RankedTable(columns, zeros, zeros + 1, 1)
    content = replace(written, table=table).sealed().replace(b"splits n", b"splits s")
    yield content, table


def many_sets(written: Written) -> Iterator[Changed]:
    """Claim so many sets of a long table that they take more than two gibibytes."""
    rows = 70_000
    columns, labels = np.zeros((rows, 1)), np.zeros(rows, dtype=np.int64)
    table = RankedTable(columns, labels, labels + 1, 1)
    fields = written.fields | {"max-depth": 0, "cost": written.fields["leaf-price"], "tree": "0"}
    long = Written(table, fields, ((0, 0, 0),) * 250_000)
    if fields["error-price"] == 1 and fields["lower-bound"]:
        yield long.sealed(), table


def of_set(change):
    """Return a change of the set of the claims that are cited."""
    return with_rule(2, None, set=change)


NOTHING = {"lists": lambda claim: tuple(() for _ in claim.lists)}
MORE = {"value": lambda claim: claim.value + 1}

KINDS = {
    "another version": ("FORMAT", changed_text("certificate 1", "certificate 2")),
    "another name of a field": ("FORMAT", changed_text("rows ", "row ")),
    "a field dropped": ("FORMAT", changed_text("features 2\n", "")),
    "fields in another order": ("FORMAT", changed_text("sets", "claims")),
    "no space after a name": ("FORMAT", changed_text("max-depth ", "max-depth")),
    "a number with a sign": ("FORMAT", changed_line("cost", lambda value: f"+{value}")),
    "a negative number": ("FORMAT", changed_line("lower-bound", lambda _: "-1")),
    "no number": ("FORMAT", changed_line("rows", lambda _: "")),
    "an unknown quantity": ("FORMAT", changed_line("minimize", lambda _: "leaves")),
    "no quantity": ("FORMAT", changed_line("minimize", lambda _: "")),
    "a quantity twice": ("FORMAT", changed_line("minimize", of_several(lambda _: "size size"))),
    "a quantity too many": ("FORMAT", changed_text("e errors\nmax", "e errors size\nmax")),
    "a number too few in the bound": (
        "FORMAT", changed_line("lower-bound", of_several(lambda value: value.split(" ")[0])),
    ),
    "a number too many in the cost": ("FORMAT", changed_line("cost", lambda value: f"{value} 0")),
    "a tree without cost": ("FORMAT", changed_line("cost", lambda _: "none")),
    "a cost without tree": ("FORMAT", changed_line("tree", lambda _: "none")),
    "limited errors with a price of leaves": (
        "FORMAT", changed_text("\nmax-errors none", "\nmax-errors 1000"),
    ),
    "limited errors with costs of classes": (
        "FORMAT", of_costs(changed_text("\nmax-errors none", "\nmax-errors 1000")),
    ),
    "a word among costs of classes": ("FORMAT", of_costs(changed_costs(lambda c: ["x", *c[1:]]))),
    "a number beyond 64 bits": ("FORMAT", changed_line("cost", lambda _: str(2**64))),
    "a number of many digits": ("FORMAT", changed_line("cost", lambda _: "9" * 5000)),
    "another digit": ("FORMAT", changed_line("cost", lambda _: "٣")),
    "another word for no limit": ("FORMAT", changed_line("max-size", lambda _: "None")),
    "no end of the header": (
        "FORMAT", lambda w: [(w.sealed().replace(b"\nbody\n", b"\n"), w.table)],
    ),
    "another digest": ("TABLE", changed_line("table", lambda value: value[::-1])),
    "more rows": ("TABLE", changed_line("rows", plus(1))),
    "more features": ("TABLE", changed_line("features", plus(1))),
    "fewer classes": ("TABLE", changed_line("classes", plus(-1))),
    "another unit of weight": ("TABLE", changed_line("weight-scale", plus(1))),
    "other weights": ("TABLE", changed_table(lambda X, y, w: (X, y, w * 2))),
    "other labels": ("TABLE", changed_table(lambda X, y, w: (X, np.roll(y, 1), w))),
    "another order of rows": ("TABLE", changed_table(lambda X, y, w: (X[::-1], y[::-1], w[::-1]))),
    "another order of values": ("TABLE", changed_table(lambda X, y, w: (-X, y, w))),
    "columns swapped": ("TABLE", changed_table(lambda X, y, w: (X[:, ::-1], y, w))),
    "values made equal": ("TABLE", changed_table(lambda X, y, w: (np.where(X == 1, 2, X), y, w))),
    "a missing value filled": (
        "TABLE", changed_table(lambda X, y, w: (np.where(np.isnan(X), 0, X), y, w)),
    ),
    "other splits": ("TABLE", changed_line("splits", lambda value: value.replace("n", "c"))),
    "a feature that may not be used": (
        "TABLE", changed_line("splits", lambda value: "-" + value[1:]),
    ),
    "a cost of a class dropped": ("TABLE", of_costs(changed_costs(lambda c: c[:-1]))),
    "no cost of a class": ("TABLE", of_costs(changed_costs(lambda c: c[:2]))),
    "a cost of a class beyond 62 bits": (
        "TABLE", of_costs(changed_costs(lambda c: [2**62, *c[1:]])),
    ),
    "a cost of a class of 64 bits": (
        "TABLE", of_costs(changed_costs(lambda c: [2**64 - 2, *c[1:]])),
    ),
    "unknown splits": ("TABLE", changed_line("splits", lambda value: "x" + value[1:])),
    "splits of too few features": ("TABLE", changed_line("splits", lambda value: value[1:])),
    "no tree": ("TREE", changed_line("tree", lambda _: "")),
    "a node too many": ("TREE", changed_line("tree", lambda value: f"{value} 0")),
    "a node too few": ("TREE", changed_line("tree", lambda value: "0:0 0")),
    "a class that the table lacks": ("TREE", changed_line("tree", lambda _: "3")),
    "a feature that the table lacks": ("TREE", changed_line("tree", lambda _: "2:0 0 1")),
    "a threshold that splits nothing": ("TREE", changed_line("tree", lambda _: "0:9 0 1")),
    "a node that is no number": ("TREE", changed_line("tree", lambda _: "0:x 0 1")),
    "two spaces between nodes": (
        "TREE", changed_line("tree", lambda value: value.replace(" ", "  ") + " "),
    ),
    "a tree that is too deep": ("TREE", changed_line("max-depth", lambda _: "0")),
    "a tree that is too large": ("TREE", changed_line("max-size", lambda _: "0")),
    "a tree with too many errors": ("TREE", changed_line("max-errors", lambda _: "0")),
    "a tree larger than the table": (
        "TREE", changed_line("tree", lambda _: "0:0 " * 9 + "0 " * 9 + "0"),
    ),
    "a smaller cost": ("COST", changed_line("cost", plus(-1))),
    "a greater cost": ("COST", changed_line("cost", plus(1))),
    "a smaller second quantity": ("COST", number_changed("cost", 1, -1)),
    "a greater second quantity": ("COST", number_changed("cost", 1, 1)),
    "a greater third quantity": ("COST", number_changed("cost", 2, 1)),
    "another quantity": ("COST", changed_line("minimize", lambda _: "depth")),
    "quantities in another order": (
        "COST",
        changed_line("minimize", of_several(lambda value: " ".join(value.split(" ")[::-1]))),
    ),
    "other classes in the leaves": ("COST", swapped_leaves),
    "plain errors instead of costs of classes": (
        "COST", of_costs(changed_costs(lambda _: ["none"])),
    ),
    "costs of classes in another order": ("COST", of_costs(changed_costs(lambda c: c[::-1]))),
    "another price of errors": ("COST", changed_line("error-price", plus(1))),
    "another price of leaves": ("COST", changed_line("leaf-price", plus(1))),
    "a byte dropped at the end": ("LENGTH", changed_body(lambda body: body[:-1])),
    "half of the body": ("LENGTH", changed_body(lambda body: body[: len(body) // 2])),
    "a byte more": ("LENGTH", changed_body(lambda body: body + b"\0")),
    "huge number of sets": ("LENGTH", changed_line("sets", lambda _: str(2**63))),
    "huge number of claims": ("LENGTH", changed_line("claims", lambda _: str(2**63))),
    "a claim less than the header says": ("LENGTH", changed_line("claims", plus(1))),
    "a number of ten bytes beyond 64 bits": (
        "LENGTH", changed_body(lambda body: b"\xff" * 9 + b"\x02" + body),
    ),
    "a number that does not end": ("LENGTH", changed_body(lambda b: b"\xff" * 40 + b)),
    "sets beyond the memory": ("SIZE", many_sets),
    "a set that is its own parent": ("SET", changed_sets(lambda at, s, _: (at + 1, *s[1:]))),
    "a set of a later set": ("SET", changed_sets(lambda at, s, _: (at + 2, *s[1:]))),
    "a set by an unknown feature": ("SET", changed_sets(lambda _, s, __: (s[0], 2, s[2]))),
    "a set by an unknown threshold": (
        "SET", changed_sets(lambda _, s, t: (s[0], s[1], 2 * (t.values[s[1]] - 1))),
    ),
    "a claim about an unknown set": ("SET", last_claim(set=lambda _: 10_000)),
    "a citation of a claim that does not exist": (
        "CITATION",
        changed_lists(2, each_citation(lambda at, left, right, _: [(-1, right), (left, at - 999)])),
    ),
    "a conclusion by a claim that does not exist": (
        "CITATION", changed_conclusions(lambda cited, claims: [(claims + 1,) * len(cited)]),
    ),
    "an unknown rule": ("RULE", last_claim(rule=lambda _: 3)),
    "splits below depth 0": ("RULE", with_rule(0, 0, rule=lambda _: 2)),
    "evaluated splits at depth 3": ("RULE", with_rule(2, 3, rule=lambda _: 1)),
    "a count raised by one": ("COUNTING", with_rule(0, None, **MORE)),
    "a count for deeper trees": (
        "COUNTING", with_rule(0, 0, depth=lambda _: 2, size=lambda _: None),
    ),
    "splits for a count": ("COUNTING", with_rule(1, 1, rule=lambda _: 0)),
    "a cheaper error that the tree does not make": ("LEAF", of_costs(cheaper_errors)),
    "a cheaper error in a cited claim": ("COUNTING", of_costs(cheaper_errors)),
    "a cheaper error in splits": ("SPLIT", of_costs(cheaper_errors)),
    "a leaf raised by one": ("LEAF", with_rule(1, 0, **MORE)),
    "more than a leaf for evaluated splits": ("LEAF", with_rule(1, 2, value=lambda _: 2**63)),
    "more than a leaf for cited splits": ("LEAF", with_rule(2, None, value=lambda _: 2**64 - 1)),
    "a stump raised by one": ("STUMP", with_rule(1, 1, **MORE)),
    "a leaf for depth one": ("STUMP", with_rule(1, 0, depth=lambda _: 1, size=lambda _: None)),
    "an evaluated threshold beyond the last": (
        "THRESHOLD", changed_lists(1, lambda _, entries, __: [(*entries, 1000)]),
    ),
    "a cited threshold beyond the last": (
        "THRESHOLD", changed_lists(2, lambda _, entries, __: [(*entries, (1000, None, None))]),
    ),
    "a threshold beyond 64 bits": (
        "THRESHOLD", changed_lists(1, lambda _, entries, __: [(*entries, 2**64 - 2)]),
    ),
    "evaluated splits raised by one": ("SPLIT", with_rule(1, 2, **MORE)),
    "cited splits raised by one": ("SPLIT", with_rule(2, None, **MORE)),
    "all evaluated thresholds dropped": ("SPLIT", with_rule(1, 2, **NOTHING)),
    "all cited thresholds dropped": ("SPLIT", with_rule(2, None, **NOTHING)),
    "a feature dropped": ("SPLIT", changed_lists(1, lambda *_: [()])),
    "a feature dropped among cited": ("SPLIT", changed_lists(2, lambda *_: [()])),
    "the first threshold dropped": ("SPLIT", changed_lists(2, dropped(0))),
    "a threshold in the middle dropped": ("SPLIT", changed_lists(2, dropped(1))),
    "the last threshold dropped": ("SPLIT", changed_lists(2, dropped(-1))),
    "the first evaluated threshold dropped": ("SPLIT", changed_lists(1, dropped(0))),
    "the last evaluated threshold dropped": ("SPLIT", changed_lists(1, dropped(-1))),
    "children swapped": ("SPLIT", changed_lists(2, each_citation(lambda _, a, b, __: [(b, a)]))),
    "no claim for the left child": (
        "SPLIT", changed_lists(2, each_citation(lambda _, __, r, ___: [(None, r)])),
    ),
    "no claim for the right child": (
        "SPLIT", changed_lists(2, each_citation(lambda _, a, __, ___: [(a, None)])),
    ),
    "the claim of another child": (
        "SPLIT",
        changed_lists(2, each_citation(lambda at, a, b, _: [(other, b) for other in range(at)])),
    ),
    "cited claims about larger sets": (
        "SPLIT", changed_claims(lambda at, c, w: [{"set": 0}] if c.rule == 0 and c.set else []),
    ),
    "a cited claim for flatter trees": (
        "SPLIT", changed_claims(lambda _, c, __: [{"depth": 0}] if c.rule != 2 and c.depth else []),
    ),
    "a cited claim for smaller trees": (
        "SPLIT", changed_claims(lambda _, c, __: [{"size": 0}] if c.rule != 2 and c.size else []),
    ),
    "a cited claim of a smaller value": (
        "SPLIT",
        changed_claims(lambda _, c, __: [{"value": c.value - 1}] if c.value and c.rule < 2 else []),
    ),
    "sets of levels, but claims for one": ("LEAF", split_by("c", "s")),
    "a feature more, but no claims for it": ("THRESHOLD", split_by("-", "n")),
    "more levels than sets may have": ("TABLE", many_levels),
    "a conclusion dropped": ("LENGTH", changed_conclusions(lambda cited, _: [cited[:-1]])),
    "a conclusion too many": ("LENGTH", changed_conclusions(lambda cited, _: [(*cited, 0)])),
    "a greater lower bound": ("CONCLUSION", changed_line("lower-bound", plus(1))),
    "a greater second bound": ("CONCLUSION", number_changed("lower-bound", 1, 1)),
    "a greater third bound": ("CONCLUSION", number_changed("lower-bound", 2, 1)),
    "a bound of the first quantity alone for the second": (
        "CONCLUSION", changed_conclusions(lambda cited, _: [(cited[0],) * len(cited)]),
    ),
    "conclusions swapped": ("CONCLUSION", changed_conclusions(lambda cited, _: [cited[::-1]])),
    "no claim for the last bound": (
        "CONCLUSION", changed_conclusions(lambda cited, _: [(*cited[:-1], 0)]),
    ),
    "a larger limit of the errors": ("CONCLUSION", changed_line("max-errors", lambda _: "1000")),
    "no limit of the errors": ("CONCLUSION", changed_line("max-errors", lambda _: "none")),
    "no tree, although there is one": ("CONCLUSION", changed_line("lower-bound", lambda _: "none")),
    "no number of rows": ("FORMAT", changed_line("min-rows", lambda _: "none")),
    "more rows in every leaf": ("TREE", changed_line("min-rows", plus(1))),
    "more rows in every leaf than there are": ("TREE", changed_line("min-rows", lambda _: "99")),
    "fewer rows in every leaf": ("SPLIT", changed_line("min-rows", plus(-1))),
    "any number of rows in a leaf": (
        "COUNTING", changed_line("min-rows", lambda value: None if value == "0" else "0"),
    ),
    "a tree with a small leaf": (
        "TREE", lambda w: [(w.with_fields(tree="0:0 0 0:0 0 0").sealed(), w.table)],
    ),
    "an outer set that does not exist": (
        "SET", with_minimum(changed_claims(lambda _, c, w: [{"outer": len(w.sets) + 1}])),
    ),
    "other outer sets of cited claims": (
        "SPLIT", changed_claims(lambda _, c, w: one_outer_set(c, w) if c.rule == 0 else []),
    ),
    "other outer sets of stumps": (
        "STUMP", changed_claims(lambda _, c, w: one_outer_set(c, w) if c.rule == 1 else []),
    ),
    "another outer set of the last claim": (
        "CONCLUSION",
        changed_claims(
            lambda at, c, w: one_outer_set(c, w) if at == len(w.claims) - 1 else []
        ),
    ),
    "a stump without a minimum of rows": (
        "STUMP", with_minimum(with_rule(1, 1, outer=lambda _: None)),
    ),
    "evaluated splits without a minimum of rows": (
        "SPLIT", with_minimum(with_rule(1, 2, outer=lambda _: None)),
    ),
    "cited splits without a minimum of rows": (
        "SPLIT", with_minimum(with_rule(2, None, outer=lambda _: None)),
    ),
    "inner and outer sets exchanged": (
        "SPLIT",
        changed_claims(
            lambda _, c, __: [] if c.outer in (None, c.set) else [{"set": c.outer, "outer": c.set}]
        ),
    ),
    "the copies of a threshold exchanged": ("SPLIT", changed_lists(2, copies_swapped)),
    "a cited threshold once instead of twice": ("SPLIT", changed_lists(2, without_copy)),
    "evaluated thresholds once instead of twice": (
        "SPLIT", changed_lists(1, lambda _, entries, __: [sorted({*entries})]),
    ),
    "the bound of a smaller child": ("SPLIT", changed_lists(2, bound_of_smaller_child)),
    "thresholds listed too often": (
        "THRESHOLD", changed_lists(1, lambda _, entries, __: [entries[:1] * 30]),
    ),
    "thresholds that fall": (
        "THRESHOLD", changed_lists(1, lambda _, entries, __: [entries[::-1]]),
    ),
    "no claims": ("CONCLUSION", without_claims),
    "the last claim dropped": ("CONCLUSION", without_last),
    "a smaller last value": (
        "CONCLUSION", last_claim(value=lambda c: c.value - 1 if c.value else None),
    ),
    "a last claim about a child": (
        "CONCLUSION",
        lambda w: [
            (replace(w, claims=(*w.claims, claim)).sealed(), w.table)
            for claim in w.claims
            if claim.set
        ],
    ),
    "a last claim for flatter trees": (
        "CONCLUSION", lambda w: [(replace(w, claims=w.claims[:1]).sealed(), w.table)],
    ),
    "a deeper limit": ("CONCLUSION", changed_line("max-depth", plus(1))),
    "no limit on the depth": ("CONCLUSION", changed_line("max-depth", lambda _: "none")),
    "a larger limit on the size": ("CONCLUSION", changed_line("max-size", plus(1))),
    "no limit on the size": ("CONCLUSION", changed_line("max-size", lambda _: "none")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutation_is_refused_for_its_reason(kind: str) -> None:
    expected, mutate = KINDS[kind]
    reasons = set()
    for written in valid():
        for content, table in mutate(written):
            reasons.add(reason(content, table))
            if expected in reasons:
                return
    pytest.fail(f"{kind}: refused for {reasons}, not for {expected}")


def test_every_reason_has_a_mutation() -> None:
    assert {expected for expected, _ in KINDS.values()} == {reason.name for reason in Reason}
    assert len(KINDS) >= 60
