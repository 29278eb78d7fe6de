"""Lists the problems of the suite that each method skips.

Written to `who_skips_what.txt` by

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
QUESTIONS = runpy.run_path(str(FOLDER / "problems.py"))
# Every specification, then every native form there is.
FORMS = [(name, "spec") for name in METHODS] + [(name, "native") for name in NATIVE]
HEAD = """\
Who skips what in the suite: one column per method, specifications first, then native forms.
Written by `python tests/suite/skips.py`; a test compares.

    +  answers
    ~  answers, but takes long: `make test-long` asks it
    ?  takes it and does not end: stopped, with the known answer between its bounds
    -  does not take this kind of problem
    x  takes it, but refuses the table as too large

"""
# Seconds that a form named in `endless` is given.
PATIENCE = 1.0


def problem_of(table: Any, question: Any) -> Problem:
    """Return the problem of an entry of an instance."""
    limits: dict[str, Any] = {
        name: Fraction(value) if name == "max_errors" else value
        for name, value in question.limits.items()
    }
    numbers = [float(Fraction(label)) for label in table.labels] if question.regression else None
    return Problem(
        table.rows,
        numbers or table.labels,
        table.weights,
        minimize=question.minimize,
        leaf_penalty=question.leaf_penalty,
        n_trees=question.n_trees,
        limits=Limits(**limits),
    )


def reported(question: Any) -> Any:
    """Return the known answer as the package reports it: errors of numbers as the nearest float."""
    if question.regression is None or question.cost is None:
        return question.cost
    if not isinstance(question.minimize, tuple):
        return float(question.cost)
    named = zip(question.minimize, question.cost, strict=True)
    return tuple(float(n) if name == question.regression else n for name, n in named)


def column(method: str, implementation: str) -> str:
    """Return the name of a form, as its column and the lists of a problem call it."""
    return method if implementation == "spec" else f"native {method}"


def columns() -> list[str]:
    """Return the name of every form."""
    return [column(*form) for form in FORMS]


def patience(question: Any, method: str, implementation: str) -> float | None:
    """Return the seconds a form is given for a problem; None until it ends."""
    return PATIENCE if column(method, implementation) in question.endless else None


def ask(
    problem: Problem, method: str, implementation: str, seconds: float | None = None
) -> tuple[str, Outcome | None]:
    """Return the mark of a method for a problem, and its outcome if it has one."""
    how: dict[str, Any] = {"method": method, "implementation": implementation}
    try:
        return "+" if seconds is None else "?", solve(problem, time_limit=seconds, **how)
    except MethodRefused:
        native = implementation == "native"
        why = NATIVE[method](problem).refusal if native else METHODS[method].accepts(problem)
        return "x" if why is None else "-", None


def mark(table: Any, question: Any, method: str, implementation: str) -> str:
    """Return the mark of a form for a problem, without asking what takes long."""
    if column(method, implementation) in question.long:
        return "~"
    seconds = patience(question, method, implementation)
    return ask(problem_of(table, question), method, implementation, seconds)[0]


def written(marks: dict[tuple[str, str], list[str]]) -> str:
    """Return the file for the marks of all forms, by instance and problem."""
    lines = [HEAD.rstrip("\n"), ""]
    for number, column in enumerate(columns()):
        lines.append("  " + "| " * number + column)
    instance = None
    for (name, question), row in marks.items():
        if name != instance:
            lines += ["", name]
            instance = name
        lines.append("  " + " ".join(row) + "   " + question)
    return "\n".join(lines) + "\n"


def read() -> dict[tuple[str, str], list[str]]:
    """Return the marks on file."""
    marks = {}
    body = GOLDEN.read_text(encoding="utf-8").split(f"{columns()[-1]}\n\n", 1)[1]
    for block in body.rstrip("\n").split("\n\n"):
        name, *lines = block.split("\n")
        for line in lines:
            row, question = line.strip().split("   ", 1)
            marks[name, question] = row.split(" ")
    return marks


if __name__ == "__main__":
    found = {
        (instance.name, str(question)): [mark(instance.table, question, *form) for form in FORMS]
        for instance in QUESTIONS["instances"]()
        for question in instance.questions
    }
    GOLDEN.write_text(written(found), encoding="utf-8")
