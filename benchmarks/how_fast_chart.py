"""The chart and the summary at the top of docs/about/how-fast.md, from the newest records.

Each row of the chart is one problem, such as depth 4 on binary features; each mark is a table, at
the ratio of the fastest other solver. Tables that neither finished have no ratio.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS, PEERS
from benchmarks.picture import BLACK, BLUE, GREY, ORANGE, picture
from benchmarks.ratios import Ratio, mean_of

__all__ = [
    "CHARTED",
    "WITH_MORE_TIME",
    "ChartRow",
    "Speed",
    "chart_rows_of",
    "draw",
    "rows_of",
    "slower_rows",
    "summary",
]

# The charted comparisons: name of the record -> what is minimized, on what.
CHARTED = {
    "continuous": "errors, numeric features",
    "deep": "errors, numeric features",
    "binary": "errors, binary features",
    "sparse": "errors, leaf",
    "regression": "squared error",
}

# Comparisons on the page that are not in the chart: the same tables with more time.
WITH_MORE_TIME = {
    "deep-600": "errors, numeric features, 600 s",
    "binary-300": "errors, binary features, 300 s",
}


@dataclass(frozen=True)
class Speed:
    """The ratio of the fastest other solver on one table."""

    table: str
    solver: str
    ratio: Ratio


@dataclass(frozen=True)
class ChartRow:
    """One row of the chart: a name, the speeds, and the number of tables that neither finished."""

    name: str
    speeds: tuple[Speed, ...]
    unfinished: int

    @property
    def mean(self) -> Ratio:
        """The geometric mean over the tables."""
        return mean_of([speed.ratio for speed in self.speeds])


def chart_rows_of(name: str, record: Path) -> list[ChartRow]:
    """Return the problems of a record that were compared with other solvers."""
    title = (CHARTED | WITH_MORE_TIME)[name]
    rows: dict[str, list[Any]] = {}
    for row in json.loads(record.read_text(encoding="utf-8"))["rows"]:
        if row["depth"] is None:
            problem = f"{title} penalty {row['leaf_penalty']}"
        else:
            problem = f"{title}, depth {row['depth']}"
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


def _not_faster(problem: ChartRow) -> list[Speed]:
    """Return the tables on which another solver was faster, or finished alone."""
    return [s for s in problem.speeds if s.ratio.value < 1 or s.ratio.sign == "<="]


def summary(problems: Sequence[ChartRow]) -> str:
    """Return one paragraph on all problems."""
    marks = sum(len(problem.speeds) for problem in problems)
    slower = [speed for problem in problems for speed in _not_faster(problem)]
    unfinished = sum(problem.unfinished for problem in problems)
    means = sorted(problem.mean.value for problem in problems)
    least = min(speed.ratio.value for problem in problems for speed in problem.speeds)
    return (
        f"The chart has {marks} marks, one for each pair of a problem and a table. For "
        f"{marks - len(slower)} of them exactree proved its tree in less processor time than every "
        "other solver in the comparison. A mark shows the time of the fastest other solver divided "
        "by that of exactree; the geometric means over the tables of a problem are between "
        f"{means[0]:.2g} and {means[-1]:.2g}. Another solver was faster for {len(slower)} pairs, "
        f"which are listed below the chart; the smallest ratio is {least:.2g}. For {unfinished} "
        "more pairs no solver finished within the limit of the run."
    )


def rows_of(problems: Iterable[ChartRow]) -> list[str]:
    """Return a line for each problem with its number of tables."""
    return [f"- {problem.name}: {len(problem.speeds)} tables" for problem in problems]


def slower_rows(problems: Iterable[ChartRow]) -> list[str]:
    """Return a line for each problem for which another solver was faster on some table."""
    return [
        f"- {problem.name}: "
        + ", ".join(f"{speed.table} ({speed.solver}, {speed.ratio})" for speed in slower)
        for problem in problems
        if (slower := _not_faster(problem))
    ]


def draw(problems: Sequence[ChartRow], path: Path) -> None:
    """Draw the ratios of all problems as SVG."""
    with picture(path, columns=1, width=8.0, height=0.6 + 0.36 * len(problems)) as axes:
        axes.axvspan(1e-9, 1, color=GREY, alpha=0.18, linewidth=0)
        axes.axvline(1, color=BLACK, linewidth=0.8)
        for place, problem in enumerate(problems):
            _draw_row(axes, -place, problem)
        axes.set_xscale("log")
        smallest = min(speed.ratio.value for p in problems for speed in p.speeds)
        greatest = max(speed.ratio.value for p in problems for speed in p.speeds)
        axes.set_xlim(smallest / 1.6, greatest * 1.6)
        axes.set_yticks([-place for place in range(len(problems))], [p.name for p in problems])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.tick_params(left=False)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.set_xlabel(
            "CPU time of the fastest other solver / that of exactree (grey: the other is faster)"
        )
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)


def _draw_row(axes: Any, place: int, problem: ChartRow) -> None:
    """Draw the tables of a problem and their mean; the first row has the legend."""
    styles = {"": (BLUE, "o", "both finished"), ">=": (ORANGE, ">", "the other did not finish")}
    for sign, (colour, marker, meaning) in styles.items():
        values = [speed.ratio.value for speed in problem.speeds if speed.ratio.sign == sign]
        axes.scatter(
            values,
            [place] * len(values),
            marker=marker,
            s=22,
            facecolors=colour if sign else "none",
            edgecolors=colour,
            label=meaning if place == 0 else None,
        )
    mean = problem.mean.value
    label = "geometric mean" if place == 0 else None
    axes.plot([mean, mean], [place - 0.32, place + 0.32], color=BLACK, linewidth=2.2, label=label)
