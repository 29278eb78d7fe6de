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
    "continuous": ("Numeric features", "Least errors within depths 2 and 3, all thresholds."),
    "deep": ("Numeric features, depth 4", "Least errors within depth 4, all thresholds."),
    "deep-600": (
        "Numeric features, depth 4, with more time",
        "The same with 600 seconds, against the fastest of the others.",
    ),
    "binary": ("Binary features", "Least errors within depths 3, 4 and 5."),
    "binary-300": (
        "Binary features, with more time",
        "The same with 300 seconds, against the fastest of the others.",
    ),
    "sparse": (
        "Leaf penalty",
        "Least errors with a penalty per leaf, without a limit on depth.",
    ),
    "least-size": (
        "Fewest nodes",
        "The smallest tree without errors. `prototype` is an earlier program for this.",
    ),
    "regression": (
        "Regression",
        "Least squared error within depths 3, 4 and 5 on binary features.",
    ),
    "growth": ("Large and real tables", "Least errors on planted tables and at depth 3."),
}

OPENING = """\
# Benchmarks

Running times of exactree and other solvers. `python -m benchmarks.how_fast` writes this page from
the newest record of each comparison, and a test compares it with the records. All solvers got the
same tables on the same machine in the same run, and their answers were compared. A ratio is the
processor time of the other solver divided by that of exactree, so more than 1 means that exactree
was faster; `>=` means that the other one was stopped at its limit. [How the benchmarks are
run](../../benchmarks/README.md) is described on a page of its own.

Ratios of one table differ by orders of magnitude, and some are below 1: see the records, which
list every table. See also [how time grows with rows, features and depth](../growth.md) and [the
quality of early incumbents](../anytime.md).
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
    compared = f" Compared with {', '.join(others)}." if others else ""
    where = f"{path.stem[:10]}, {known['processor']}, Python {known['python']}"
    source = f"[The record](../../benchmarks/records/{path.name}): {where}."
    problem = f"{asked}{compared} {source}"
    return "\n".join([f"## {heading}", "", problem, "", *sentences(record), ""])


def page() -> str:
    """Return the whole page."""
    return "\n".join([OPENING, *map(section, SHOWN)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
