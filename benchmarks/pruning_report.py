"""Page of a run of `python -m benchmarks pruning`: our results compared with those of the paper."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.pruning_optimal import LOOSE, OPTIMAL
from benchmarks.pruning_record import AUTHORS, MODELS, ORDERS, TABLES, Draws

__all__ = ["CLOSE", "counts", "markdown", "published"]

CLOSE = 0.0025  # accuracies that differ by at most this count as equal, as in the paper
# Table, model, quantity -> mean and standard deviation in the paper.
Known = dict[tuple[str, str, str], tuple[float, float]]
WITHIN = (
    "tables on which the mean accuracy of `bound` is within the paper's standard deviation of the "
    "paper's mean"
)
FARTHEST = (
    "largest distance of a mean of `original` or `bound` from the paper's, in the paper's standard "
    "deviations"
)
BOUND_COLUMNS = ("leaves of `bound`", "CPU s of `bound`", "bound of `bound`")
# Quantity -> its title and number of decimal places.
QUANTITIES = {
    "train": ("Train accuracy", 3),
    "test": ("Test accuracy", 3),
    "leaves": ("Leaves", 1),
    "depth": ("Depth", 1),
    "seconds": ("CPU seconds of pruning", 2),
    "bound": ("Bound", 1),
}


def published() -> Known:
    """Return mean and standard deviation by table, model and quantity, as printed in the paper."""
    path = Path(__file__).with_name("pruning_published.csv")
    with path.open(encoding="utf-8") as lines:
        entries = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {
            (entry["table"], entry["model"], entry["quantity"]): (
                float(entry["mean"]),
                float(entry["deviation"]),
            )
            for entry in entries
        }


def counts(means: dict[tuple[str, str], float], tables: Sequence[str]) -> dict[str, int]:
    """Return the number of tables on which the bound is close to the best of several models.

    Parameters
    ----------
    means : dict
        Mean test accuracy by table and model.
    tables : sequence of str
        The tables to count.
    """
    rivals = {
        "the best of all four": MODELS,
        "the best of the three pruned": MODELS[1:],
        "`cart`": ("cart",),
    }
    return {
        name: sum(
            means[table, "bound"] >= max(means[table, model] for model in models) - CLOSE
            for table in tables
        )
        for name, models in rivals.items()
    }


def markdown(record: dict[str, Any], rows: Sequence[Draws], peer_rows: Sequence[Any]) -> str:
    """Return the page."""
    known = published()
    orders = [order for order in ORDERS if any(row.order == order for row in rows)]
    parts = [f"# {record['date']}-{record['name']}", "", _head(record), ""]
    parts += _summary(rows, known, orders)
    parts += ["", "## Cost-complexity pruning as the authors' program does it", ""]
    parts += _as_the_authors(rows, known)
    for order in orders:
        parts += ["", f"## Grown {order}", "", *_accuracies(rows, known, order)]
    if record.get("bound_optimal"):
        optimal = record["bound_optimal"]
        parts += ["", f"## The bound-optimal tree of at most {optimal['leaves']} leaves", ""]
        parts += [f"At most {optimal['seconds']:g} seconds for each draw."]
        for order in orders:
            heading = f"Compared with trees grown {order}:"
            parts += ["", heading, "", *_compared_with_optimal(rows, order)]
    parts += ["", "## All quantities, trees grown purest-first", ""]
    for table in _tables(rows):
        parts += [*_quantities(rows, known, table), ""]
    if peer_rows:
        parts += ["## The authors' program", "", *_peer(peer_rows), ""]
    return "\n".join(parts).rstrip() + "\n"


def _head(record: dict[str, Any]) -> str:
    machine = record["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    ended = "" if record["complete"] else " The run was interrupted."
    return (
        f"`python -m benchmarks pruning`, {record['n_draws']} draws of three quarters, at most 40 "
        f"leaves, r = 2^-13.7, delta = 0.05. {machine['processor']}, Python {machine['python']}, "
        f"{packages}, commit {machine['commit']}.{ended} In brackets: what the paper prints, from "
        "trees that its program grows purest-first. Bold: accuracies on new examples at most "
        f"{CLOSE} below the best of the four models."
    )


def _summary(rows: Sequence[Draws], known: Known, orders: Sequence[str]) -> list[str]:
    tables = _tables(rows)
    columns = {"paper": {(t, m): known[t, m, "test"][0] for t in tables for m in MODELS}}
    for order in orders:
        columns[f"grown {order}"] = _means(rows, order)
        if order == ORDERS[0]:  # the order of the paper, whose CART differs from ours
            columns["the same, CART of the authors"] = _with_their_cart(_means(rows, order))
    lines = ["## Summary", "", *_table_head(["", *columns])]
    totals = {name: counts(means, tables) for name, means in columns.items()}
    for rival in totals["paper"]:
        cells = [f"{totals[name][rival]} of {len(tables)}" for name in columns]
        lines.append(_line([f"accuracy of `bound` at least that of {rival}, less {CLOSE}", *cells]))
    gains = [mean(m[t, "bound"] - m[t, "cart"] for t in tables) for m in columns.values()]
    lines.append(
        _line(
            ["mean accuracy of `bound` minus that of `cart`", *(f"{gain:+.4f}" for gain in gains)]
        )
    )
    lines += ["", *_table_head(["", "paper", *(f"grown {order}" for order in orders)])]
    cells = [_within(rows, known, order, tables) for order in orders]
    lines.append(_line([WITHIN, "", *cells]))
    cells = [f"{farthest(rows, known, order):.2f}" for order in orders]
    lines.append(_line([FARTHEST, "", *cells]))
    slowest = [max(known[table, "bound", "seconds"][0] for table in tables)]
    slowest += [max(max(row.numbers["seconds"]) for row in _of(rows, o, "bound")) for o in orders]
    cells = [f"{seconds:.2f}" for seconds in slowest]
    lines.append(_line(["maximum CPU seconds of pruning by the bound", *cells]))
    return lines


def _with_their_cart(means: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return the same accuracies with CART and M-CART as the authors' program does them."""
    theirs = {name: name.split()[0] for name in AUTHORS}
    return means | {(t, theirs[m]): mean for (t, m), mean in means.items() if m in theirs}


def farthest(rows: Sequence[Draws], known: Known, order: str) -> float:
    """Return the largest distance of a mean from that of the paper, in its standard deviations.

    The means are accuracies, leaves, depth and bound of the unpruned and the bound-pruned trees.
    """
    return max(
        abs(row.of(quantity)[0] - known[row.table, row.model, quantity][0]) / deviation
        for row in rows
        if row.order == order and row.model in ("original", "bound")
        for quantity in row.numbers
        if quantity != "seconds" and (deviation := known[row.table, row.model, quantity][1]) > 0
    )


def _within(rows: Sequence[Draws], known: Known, order: str, tables: Sequence[str]) -> str:
    """Return the number of tables whose accuracy is within the paper's standard deviation."""
    count = 0
    for row in _of(rows, order, "bound"):
        expected, deviation = known[row.table, "bound", "test"]
        count += abs(row.of("test")[0] - expected) <= deviation
    return f"{count} of {len(tables)}"


def _accuracies(rows: Sequence[Draws], known: Known, order: str) -> list[str]:
    """Return the table that corresponds to Table 1 of the paper, for trees of one order."""
    lines = _table_head(["table (examples, classes)", *MODELS, *BOUND_COLUMNS])
    for table in _tables(rows):
        found = {row.model: row for row in rows if (row.table, row.order) == (table, order)}
        best = max(found[model].of("test")[0] for model in MODELS)
        cells = []
        for model in MODELS:
            accuracy, deviation = found[model].of("test")
            shown = f"{accuracy:.3f} ± {deviation:.3f}"
            shown = f"**{shown}**" if accuracy >= best - CLOSE else shown
            cells.append(shown + _in_brackets(known, table, model, "test", 3))
        row = found["bound"]
        for quantity in ("leaves", "seconds", "bound"):
            places = QUANTITIES[quantity][1]
            cell = f"{row.of(quantity)[0]:.{places}f}"
            cells.append(cell + _in_brackets(known, table, "bound", quantity, places))
        lines.append(_line([f"{table} ({row.examples}, {row.classes})", *cells]))
    return lines


def _as_the_authors(rows: Sequence[Draws], known: Known) -> list[str]:
    """Return a table on the trees pruned by the threshold rule of the authors' program."""
    quantities = ("test accuracy", "leaves")
    lines = _table_head(["table", *(f"{name}, {what}" for name in AUTHORS for what in quantities)])
    for table in _tables(rows):
        found = {row.model: row for row in rows if (row.table, row.order) == (table, ORDERS[0])}
        cells = []
        for name in AUTHORS if found else ():
            model = name.split()[0]
            accuracy, deviation = found[name].of("test")
            shown = f"{accuracy:.3f} ± {deviation:.3f}"
            cells.append(shown + _in_brackets(known, table, model, "test", 3))
            leaves = f"{found[name].of('leaves')[0]:.1f}"
            cells.append(leaves + _in_brackets(known, table, model, "leaves", 1))
        lines.append(_line([table, *cells]))
    return lines


def _compared_with_optimal(rows: Sequence[Draws], order: str) -> list[str]:
    """Return a table of accuracies by model, with leaves and bounds of the last two models."""
    columns = [f"{name}, {what}" for what in ("leaves", "bound") for name in ("pruned", "optimal")]
    lines = _table_head(
        ["table", *MODELS[:3], LOOSE, OPTIMAL, *columns, "lower bound", "proved", "CPU s"]
    )
    for table in _tables(rows):
        found = {row.model: row for row in rows if (row.table, row.order) == (table, order)}
        optimal = next(row for row in rows if (row.table, row.model) == (table, OPTIMAL))
        shown = [*(found[model] for model in (*MODELS[:3], LOOSE)), optimal]
        cells = ["{:.3f} ± {:.3f}".format(*row.of("test")) for row in shown]
        for quantity, places in (("leaves", 1), ("bound", 3)):
            cells += [f"{row.of(quantity)[0]:.{places}f}" for row in shown[-2:]]
        proved = optimal.numbers["proved"]
        cells += [f"{optimal.of('lower bound')[0]:.3f}", f"{sum(proved):.0f} of {len(proved)}"]
        lines.append(_line([table, *cells, f"{optimal.of('seconds')[0]:.1f}"]))
    return lines


def _quantities(rows: Sequence[Draws], known: Known, table: str) -> list[str]:
    """Return the table that corresponds to one of Tables 2 to 20 of the paper."""
    found = {row.model: row for row in rows if (row.table, row.order) == (table, ORDERS[0])}
    if not found:
        return []
    lines = [f"### {table}", "", *_table_head(["", *MODELS])]
    for quantity, (name, places) in QUANTITIES.items():
        cells = []
        for model in MODELS:
            if quantity not in found[model].numbers:
                cells.append("")
                continue
            number, deviation = found[model].of(quantity)
            shown = f"{number:.{places}f} ± {deviation:.{places}f}"
            cells.append(shown + _in_brackets(known, table, model, quantity, places))
        lines.append(_line([name, *cells]))
    return lines


def _peer(peer_rows: Sequence[Any]) -> list[str]:
    lines = [
        "The first draw, grown and pruned by the authors' program and by exactree, one after the "
        "other on one core.",
        "",
        *_table_head(["table", "", "CPU s", "leaves before", "leaves", "bound", "ratio"]),
    ]
    for row in peer_rows:
        ratio = row["peer"]["seconds"] / row["exactree"]["seconds"]
        for name in ("peer", "exactree"):
            result = row[name]
            leaves = [f"{result['leaves_before']:g}", f"{result['leaves']:g}"]
            last = [f"{result['bound']:.3f}", f"{ratio:,.0f}" if name == "exactree" else ""]
            lines.append(_line([row["table"], name, f"{result['seconds']:.3f}", *leaves, *last]))
    return lines


def _in_brackets(known: Known, table: str, model: str, quantity: str, places: int) -> str:
    if (table, model, quantity) not in known:
        return ""
    return f" ({known[table, model, quantity][0]:.{places}f})"


def _means(rows: Sequence[Draws], order: str) -> dict[tuple[str, str], float]:
    return {(row.table, row.model): row.of("test")[0] for row in rows if row.order == order}


def _of(rows: Sequence[Draws], order: str, model: str) -> list[Draws]:
    return [row for row in rows if (row.order, row.model) == (order, model)]


def _tables(rows: Sequence[Draws]) -> list[str]:
    measured = {row.table for row in rows}
    return [table for table in TABLES if table in measured]


def _table_head(cells: Sequence[str]) -> list[str]:
    return [_line(cells), _line(["---"] + ["---:"] * (len(cells) - 1))]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
