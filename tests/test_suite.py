"""Every method solves every problem of the suite that it accepts; skipped problems are listed."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from exactree import Status
from exactree.problem.quantities import as_tuple

# Some tables have the largest floating-point numbers: no method may overflow.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SUITE = Path(__file__).parent / "suite"
SKIPS = runpy.run_path(str(SUITE / "skips.py"))
ENUMERATION = runpy.run_path(str(SUITE / "enumeration.py"))
INSTANCES = SKIPS["PROBLEMS"]["instances"]()
FORMS, METHOD_NAMES = SKIPS["FORMS"], SKIPS["columns"]()
# The expected mark of each form for each problem; tests/suite/skips.py lists the marks.
GOLDEN = SKIPS["read"]()


def named(instance: Any) -> str:
    return str(instance.name)


def check(instance: Any, known: Any, form: tuple[str, str], expected: str) -> None:
    """Run a form of a method, and compare its mark and its outcome with the known answer."""
    description = f"{instance.name}: {known}, {known.source}"
    problem = SKIPS["problem_of"](instance.table, known)
    mark, outcome = SKIPS["outcome_of"](problem, *form, SKIPS["seconds_for"](known, *form))
    assert mark == expected, description
    if mark == "?":
        # Holds also where a fast machine finishes in time: the two bounds are then equal.
        assert as_tuple(outcome.lower_bound) <= as_tuple(known.cost), description
        assert outcome.cost is None or as_tuple(known.cost) <= as_tuple(outcome.cost), description
    elif mark == "+":
        cost = SKIPS["reported"](known)
        assert outcome.cost == cost, description
        proved = Status.INFEASIBLE if known.cost is None else Status.OPTIMAL
        assert outcome.status is proved, description
        if known.cost is not None:
            assert as_tuple(outcome.lower_bound) == as_tuple(cost), description


@pytest.mark.parametrize("column", range(len(FORMS)), ids=METHOD_NAMES)
@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_known_answers(instance: Any, column: int) -> None:
    for known in instance.problems:
        mark = GOLDEN[instance.name, str(known)][column]
        assert (mark == "~") == (METHOD_NAMES[column] in known.long), str(known)
        if mark != "~":
            check(instance, known, FORMS[column], mark)


LONG = [
    pytest.param(instance, known, form, id=f"{instance.name}: {known}: {name}")
    for instance in INSTANCES
    for known in instance.problems
    for form, name in zip(FORMS, METHOD_NAMES, strict=True)
    if name in known.long
]


@pytest.mark.long
@pytest.mark.parametrize(("instance", "known", "form"), LONG)
def test_known_answers_that_take_long(instance: Any, known: Any, form: tuple[str, str]) -> None:
    check(instance, known, form, "+")


def test_long_and_endless_name_existing_forms() -> None:
    """Specifications finish or refuse; only native forms can be endless."""
    for instance in INSTANCES:
        for known in instance.problems:
            assert set(known.long) <= set(METHOD_NAMES), str(known)
            native = {name for name in METHOD_NAMES if name.startswith("native ")}
            assert set(known.endless) <= native - set(known.long), str(known)


def test_the_file_of_marks_lists_exactly_the_problems_of_the_suite() -> None:
    listed = [(instance.name, str(known)) for instance in INSTANCES for known in instance.problems]
    assert len(set(listed)) == len(listed)
    assert list(GOLDEN) == listed
    assert SKIPS["written"](GOLDEN) == SKIPS["GOLDEN"].read_text(encoding="utf-8")


def test_some_form_solves_every_problem_and_every_form_solves_some() -> None:
    for instance in INSTANCES:
        for known in instance.problems:
            marks = GOLDEN[instance.name, str(known)]
            assert {"+", "~"} & set(marks), f"{instance.name}: {known}"
    for column, name in enumerate(METHOD_NAMES):
        solved = sum(marks[column] in ("+", "~") for marks in GOLDEN.values())
        assert solved > 30, name


@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_known_answers_agree_with_the_enumeration(instance: Any) -> None:
    for known in instance.problems:
        if ENUMERATION["quick"](instance.table, known):
            assert ENUMERATION["answer"](instance.table, known) == known.cost, str(known)
        else:
            assert known.source != "enumeration", str(known)


@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_known_answers_agree_with_the_encoding(instance: Any) -> None:
    pytest.importorskip("ortools.sat.python.cp_model")
    encoding = runpy.run_path(str(SUITE / "encoding.py"))
    for known in instance.problems:
        if encoding["quick"](instance.table, known):
            assert encoding["answer"](instance.table, known) == known.cost, str(known)
        else:
            assert known.source != "encoding", str(known)
