"""Lists the problems of the suite that each method skips.

As a program it writes the list to `who_skips_what.txt`:

    python tests/suite/skips.py
"""

import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

from exactree import Limits, MethodRefused, Outcome, Problem, solve
from exactree.methods import NATIVE
from exactree.spec.methods import METHODS

FOLDER = Path(__file__).parent
GOLDEN = FOLDER / "who_skips_what.txt"
PROBLEMS = runpy.run_path(str(FOLDER / "problems.py"))
# Method and implementation: every specification, then every native form.
FORMS = [(name, "spec") for name in METHODS] + [(name, "native") for name in NATIVE]
HEAD = """\
Who skips what in the suite: one column per method, specifications first, then native forms.
Written by `python tests/suite/skips.py`; a test checks that it is up to date.

    +  solves the problem
    ~  solves the problem, but takes long; `make test-long` runs it
    ?  is stopped before it finishes; the known answer lies between its bounds
    -  does not accept this kind of problem
    x  accepts this kind of problem, but refuses the table as too large

"""
# Time limit of a form named in `endless`.
SECONDS = 1.0


def problem_of(table: Any, known: Any) -> Problem:
    """Return the problem of an entry of an instance."""
    limits: dict[str, Any] = {
        name: Fraction(value) if name == "max_errors" else value
        for name, value in known.limits.items()
    }
    numbers = [float(Fraction(label)) for label in table.labels] if known.regression else None
    return Problem(
        table.rows,
        numbers or table.labels,
        table.weights,
        minimize=known.minimize,
        leaf_penalty=known.leaf_penalty,
        n_trees=known.n_trees,
        limits=Limits(**limits),
    )


def reported(known: Any) -> Any:
    """Return the known answer as the package reports it: errors of a regression as floats."""
    if known.regression is None or known.cost is None:
        return known.cost
    if not isinstance(known.minimize, tuple):
        return float(known.cost)
    named = zip(known.minimize, known.cost, strict=True)
    return tuple(float(n) if name == known.regression else n for name, n in named)


def column(method: str, implementation: str) -> str:
    """Return the name of a form in the head of the file, and in `long` and `endless`."""
    return method if implementation == "spec" else f"native {method}"


def columns() -> list[str]:
    """Return the name of every form."""
    return [column(*form) for form in FORMS]


def seconds_for(known: Any, method: str, implementation: str) -> float | None:
    """Return the time limit of a form for a problem, None without a limit."""
    return SECONDS if column(method, implementation) in known.endless else None


def outcome_of(
    problem: Problem, method: str, implementation: str, seconds: float | None = None
) -> tuple[str, Outcome | None]:
    """Return the mark of a form for a problem, and its outcome unless it refuses the problem."""
    form: dict[str, Any] = {"method": method, "implementation": implementation}
    try:
        return "+" if seconds is None else "?", solve(problem, time_limit=seconds, **form)
    except MethodRefused:
        native = implementation == "native"
        refusal = (
            NATIVE[method](problem).refusal if native else METHODS[method].reason_to_refuse(problem)
        )
        return "x" if refusal is None else "-", None  # only the size of the table is refused


def mark_of(table: Any, known: Any, method: str, implementation: str) -> str:
    """Return the mark of a form for a problem, without running forms that take long."""
    if column(method, implementation) in known.long:
        return "~"
    seconds = seconds_for(known, method, implementation)
    return outcome_of(problem_of(table, known), method, implementation, seconds)[0]


def written(marks: dict[tuple[str, str], list[str]]) -> str:
    """Return the text of the file; `marks` are those of all forms, by instance and problem."""
    lines = [HEAD.rstrip("\n"), ""]
    for number, column in enumerate(columns()):
        lines.append("  " + "| " * number + column)
    instance = None
    for (name, known), row in marks.items():
        if name != instance:
            lines += ["", name]
            instance = name
        lines.append("  " + " ".join(row) + "   " + known)
    return "\n".join(lines) + "\n"


def read() -> dict[tuple[str, str], list[str]]:
    """Return the marks in the file."""
    marks = {}
    body = GOLDEN.read_text(encoding="utf-8").split(f"{columns()[-1]}\n\n", 1)[1]
    for block in body.rstrip("\n").split("\n\n"):
        name, *lines = block.split("\n")
        for line in lines:
            row, known = line.strip().split("   ", 1)
            marks[name, known] = row.split(" ")
    return marks


if __name__ == "__main__":
    marks = {
        (instance.name, str(known)): [mark_of(instance.table, known, *form) for form in FORMS]
        for instance in PROBLEMS["instances"]()
        for known in instance.problems
    }
    GOLDEN.write_text(written(marks), encoding="utf-8")
