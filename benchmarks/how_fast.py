"""Write docs/about/how-fast.md: what the newest record of every comparison says, word for word.

``python -m benchmarks.how_fast`` writes the page; a test holds it against the records.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "records"
PAGE = ROOT / "docs" / "about" / "how-fast.md"

# What is shown, in this order: the name of a record, the heading, and the problem.
SHOWN = {
    "continuous": ("Features of numbers", "Least errors within depths 2 and 3, all thresholds."),
    "deep": ("Features of numbers, depth 4", "Least errors within depth 4, all thresholds."),
    "deep-600": (
        "Features of numbers, depth 4, with more time",
        "The same with 600 seconds, beside the fastest of the others.",
    ),
    "binary": ("Features of two values", "Least errors within depths 3, 4 and 5."),
    "binary-300": (
        "Features of two values, with more time",
        "The same with 300 seconds, beside the fastest of the others.",
    ),
    "sparse": (
        "A price per leaf",
        "Least errors with a penalty per leaf, without a limit on depth.",
    ),
    "least-size": (
        "Fewest nodes",
        "The smallest tree without errors. `prototype` is an earlier program for this.",
    ),
    "regression": (
        "Numbers to predict",
        "Least squared error within depths 3, 4 and 5 on features of two values.",
    ),
    "growth": ("Many rows, and real tables", "Least errors on planted tables and at depth 3."),
}

OPENING = """\
# How fast

What follows is written by `python -m benchmarks.how_fast` from the newest record of each
comparison; a test holds this page against the records. Every solver got the same tables on the
same machine in the same run, and the answers were held against each other. A ratio is the
processor time of the other solver over that of exactree, so more than 1 means that exactree was
faster; `>=` stands where the other one was stopped at its limit. How the runs are made says [the
page on benchmarks](../../benchmarks/README.md).

Ratios of one table differ by orders of magnitude, and some are below 1: see the records, which
list every table. How time grows with rows, features and depth is on [a page of its
own](../growth.md), what is known before the end on [another](../anytime.md).
"""


def newest(name: str) -> Path:
    """Return the newest record of a name: dates stand first in the names of files."""
    return max(RECORDS.glob(f"????-??-??-{name}.md"))


def facts(record: str) -> dict[str, str]:
    """Return the facts at the head of a record."""
    head = record.partition("\n\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^- ([\w ]+): (.+)$", head, re.MULTILINE))


def sentences(record: str) -> list[str]:
    """Return what a record says in sentences: the lines of its last list."""
    return record.rstrip().rpartition("\n\n")[2].splitlines()


def section(name: str) -> str:
    """Return the section on one record."""
    heading, asked = SHOWN[name]
    path = newest(name)
    record = path.read_text(encoding="utf-8")
    known = facts(record)
    others = [p for p in known["packages"].split(", ") if not p.startswith(("exactree", "numpy"))]
    beside = f" Beside {', '.join(others)}." if others else ""
    where = f"{path.stem[:10]}, {known['processor']}, Python {known['python']}"
    source = f"[The record](../../benchmarks/records/{path.name}): {where}."
    return "\n".join([f"## {heading}", "", f"{asked}{beside} {source}", "", *sentences(record), ""])


def page() -> str:
    """Return the whole page."""
    return "\n".join([OPENING, *map(section, SHOWN)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
