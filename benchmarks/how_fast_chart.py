"""The chart and the summary at the top of docs/about/how-fast.md, from the newest records.

Each row of the chart is one problem, such as depth 4 on binary features; each mark is a table, at
the ratio of the fastest other solver. Tables that no solver finished have no ratio.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS, PEERS
from benchmarks.picture import BLACK, BLUE, GREY, ORANGE, picture
from benchmarks.ratios import Ratio, mean_of

__all__ = ["CHARTED", "ChartRow", "Speed", "chart_rows_of", "draw", "slower_lines", "summary"]

# The charted comparisons: name of the record -> what is minimized, on what.
CHARTED = {
    "continuous": "errors, numeric features",
    "deep": "errors, numeric features",
    "binary": "errors, binary features",
    "sparse": "errors, leaf",
    "regression": "squared error",
}


@dataclass(frozen=True)
class Speed:
    """The ratio of the fastest other solver on one table."""

    table: str
    solver: str
    ratio: Ratio


@dataclass(frozen=True)
class ChartRow:
    """One problem: its name, the speeds, and the number of tables that no solver finished."""

    name: str
    speeds: tuple[Speed, ...]
    unfinished: int

    @property
    def mean(self) -> Ratio:
        """The geometric mean over the tables."""
        return mean_of([speed.ratio for speed in self.speeds])


def chart_rows_of(name: str, record: Path) -> list[ChartRow]:
    """Return a row for each problem of a record that was compared with another exact solver."""
    rows: dict[str, list[Any]] = {}
    for row in json.loads(record.read_text(encoding="utf-8"))["rows"]:
        if row["depth"] is None:
            problem = f"{CHARTED[name]} penalty {row['leaf_penalty']}"
        else:
            problem = f"{CHARTED[name]}, depth {row['depth']}"
        if any(PEERS[solver].exact for solver in row["measurements"] if solver != OURS):
            rows.setdefault(problem, []).append(row)
    return [_problem(problem, of_problem) for problem, of_problem in rows.items()]


def _problem(name: str, rows: Iterable[Any]) -> ChartRow:
    speeds, unfinished = [], 0
    for row in rows:
        ratios = {solver: Ratio(**found) for solver, found in row["ratios"].items()}
        if ratios:
            best = min(ratios, key=lambda solver: ratios[solver].value)
            speeds.append(Speed(row["table"], best, ratios[best]))
        else:
            unfinished += 1
    return ChartRow(name, tuple(speeds), unfinished)


def _not_faster(row: ChartRow) -> list[Speed]:
    """Return the tables on which another solver was faster, or finished alone."""
    return [s for s in row.speeds if s.ratio.value < 1 or s.ratio.sign == "<="]


def summary(rows: Sequence[ChartRow]) -> str:
    """Return one paragraph on all problems; its "rows" are the marks of the chart."""
    marks = sum(len(row.speeds) for row in rows)
    slower = [speed for row in rows for speed in _not_faster(row)]
    unfinished = sum(row.unfinished for row in rows)
    means = sorted(row.mean.value for row in rows)
    least = min(speed.ratio.value for row in rows for speed in row.speeds)
    return (
        f"On {marks - len(slower)} of {marks} rows (a table and a problem) exactree proved its "
        "tree in less processor time than every other solver in the comparison. For each problem "
        "the chart has the time of the fastest other solver divided by that of exactree; the "
        f"geometric means over the tables are between {means[0]:.2g} and {means[-1]:.2g}. Another "
        f"solver was faster on {len(slower)} rows, which are listed below the chart; the smallest "
        f"ratio is {least:.2g}. On {unfinished} more rows no solver finished within the limit of "
        "the run."
    )


def slower_lines(rows: Iterable[ChartRow]) -> list[str]:
    """Return a line for each problem for which another solver was faster on some table."""
    return [
        f"- {row.name}: "
        + ", ".join(f"{speed.table} ({speed.solver}, {speed.ratio})" for speed in slower)
        for row in rows
        if (slower := _not_faster(row))
    ]


def draw(rows: Sequence[ChartRow], path: Path) -> None:
    """Draw the ratios of all problems as SVG."""
    with picture(path, columns=1, width=8.0, height=0.6 + 0.36 * len(rows)) as axes:
        axes.axvspan(1e-9, 1, color=GREY, alpha=0.18, linewidth=0)
        axes.axvline(1, color=BLACK, linewidth=0.8)
        for place, row in enumerate(rows):
            _draw_row(axes, -place, row)
        axes.set_xscale("log")
        smallest = min(speed.ratio.value for row in rows for speed in row.speeds)
        greatest = max(speed.ratio.value for row in rows for speed in row.speeds)
        axes.set_xlim(smallest / 1.6, greatest * 1.6)
        axes.set_yticks([-place for place in range(len(rows))], [row.name for row in rows])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.tick_params(left=False)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.set_xlabel(
            "CPU time of the fastest other solver / that of exactree (grey: the other is faster)"
        )
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)


def _draw_row(axes: Any, place: int, row: ChartRow) -> None:
    """Draw the tables of a problem and their mean; the first row has the legend."""
    styles = {"": (BLUE, "o", "both finished"), ">=": (ORANGE, ">", "the other did not finish")}
    for sign, (colour, marker, meaning) in styles.items():
        values = [speed.ratio.value for speed in row.speeds if speed.ratio.sign == sign]
        axes.scatter(
            values,
            [place] * len(values),
            marker=marker,
            s=22,
            facecolors=colour if sign else "none",
            edgecolors=colour,
            label=meaning if place == 0 else None,
        )
    mean = row.mean.value
    label = "geometric mean" if place == 0 else None
    axes.plot([mean, mean], [place - 0.32, place + 0.32], color=BLACK, linewidth=2.2, label=label)
