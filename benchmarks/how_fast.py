"""The command `python -m benchmarks.how_fast`: write docs/about/how-fast.md from records.

The page has the newest record of each comparison in `SECTIONS`, and a chart of those in `CHARTED`;
a test compares page and records.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import fill

from benchmarks.how_fast_chart import (
    CHARTED,
    WITH_MORE_TIME,
    ChartRow,
    chart_rows_of,
    draw,
    rows_of,
    slower_rows,
    summary,
)

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "records"
PAGE = ROOT / "docs" / "about" / "how-fast.md"
CHART = PAGE.with_suffix(".svg")

# The sections in order: name of the record -> heading and problem.
SECTIONS = {
    "continuous": ("Numeric features", "Fewest errors within depths 2 and 3, all thresholds."),
    "deep": ("Numeric features, depth 4", "Fewest errors within depth 4, all thresholds."),
    "deep-600": (
        "Numeric features, depth 4, with more time",
        "The same with 600 seconds, compared with the fastest other solver.",
    ),
    "binary": ("Binary features", "Fewest errors within depths 3, 4 and 5."),
    "binary-300": (
        "Binary features, with more time",
        "The same with 300 seconds, compared with the fastest other solver.",
    ),
    "sparse": (
        "Leaf penalty",
        "Fewest errors with a penalty per leaf, without a limit on depth.",
    ),
    "least-size": (
        "Fewest nodes",
        "The smallest tree without errors. `prototype` is an earlier, unpublished program of this "
        "project for this problem in C++, on one thread, not a solver of another group; Witty, "
        "MurTree and SAT solvers were not run here ([peers](peers.md#programs-not-measured-here)). "
        "Known results and earlier proofs (`known` in the record) are from a list made with "
        "`prototype` in at most 30 seconds. It agrees with a witness-tree solver where that "
        "finished and with a SAT encoding where it was tried; it does not have all published "
        "results.",
    ),
    "regression": (
        "Regression",
        "Minimum squared error within depths 3, 4 and 5 on binary features.",
    ),
    "growth": (
        "Large and real tables",
        "Fewest errors on planted tables at depth 2, and on real tables at depth 3.",
    ),
}

OPENING = """\
# How fast is exactree? Benchmarks

{summary}

![Ratios of running times, by problem and table](how-fast.svg)

Tables in the chart, by problem:

{rows}

Tables on which another solver was faster, with its ratio:

{slower}

The same for the comparisons with more time, which are not in the chart:

{slower_with_more_time}

All solvers got the same tables on the same machine in the same run, and their results were
compared. A ratio is the processor time of the other solver divided by that of exactree, so exactree
was faster if it exceeds 1; `>=` means that the other solver was stopped at its limit. The best peer
is the fastest other solver for each table. Means are geometric, and the minimum is over single
tables, whose ratios differ by orders of magnitude. The records list every table.

`python -m benchmarks.how_fast` writes this page and its chart from the newest record of each
comparison. See also [how the benchmarks are run](../../benchmarks/README.md), [how running time
grows](../growth.md) with rows, features and depth, and [the quality of early
incumbents](../anytime.md).
"""


def newest(name: str) -> Path:
    """Return the page of the newest record with a name; names of files begin with the date.

    Of several records of one day, the first counts: the names of the others end with a number.
    """
    return max(RECORDS.glob(f"????-??-??-{name}.md"))


def facts(record: str) -> dict[str, str]:
    """Return the facts at the head of a record."""
    head = record.partition("\n\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^- ([\w ]+): (.+)$", head, re.MULTILINE))


def sentences(record: str) -> list[str]:
    """Return the sentences of a record, the lines of its last list.

    Older records mention remarks even if there are none, and call proofs the first that are only
    not in one list.
    """
    text = record.rstrip().rpartition("\n\n")[2]
    renamed = "without an earlier proof in the reference list"
    text = text.replace("proved for the first time", renamed)
    if "- remark: " not in text:
        text = text.replace(", apart from the remarks;", ";")
    return text.splitlines()


def section(name: str) -> str:
    """Return the section on one record."""
    heading, problem = SECTIONS[name]
    path = newest(name)
    record = path.read_text(encoding="utf-8")
    run = facts(record)
    others = [p for p in run["packages"].split(", ") if not p.startswith(("exactree", "numpy"))]
    compared = f" Compared with {', '.join(others)}." if others else ""
    where = f"{path.stem[:10]}, {run['processor']}, Python {run['python']}, commit {run['commit']}"
    source = f"[The record](../../benchmarks/records/{path.name}): {where}."
    opening = f"{problem}{compared} {source}"
    return "\n".join([f"## {heading}", "", opening, "", *sentences(record), ""])


def charted(names: Iterable[str] = CHARTED) -> list[ChartRow]:
    """Return the problems of the chart, or of other records."""
    records = {name: newest(name).with_suffix(".json") for name in names}
    return [problem for name, path in records.items() for problem in chart_rows_of(name, path)]


def page() -> str:
    """Return the whole page."""
    problems = charted()
    opening = OPENING.format(
        summary=fill(summary(problems), 100),
        rows="\n".join(rows_of(problems)),
        slower="\n".join(slower_rows(problems)),
        slower_with_more_time="\n".join(slower_rows(charted(WITH_MORE_TIME))) or "- none",
    )
    return "\n".join([opening, *map(section, SECTIONS)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    draw(charted(), CHART)
    print(PAGE.relative_to(ROOT))
