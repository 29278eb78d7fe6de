"""Every method solves every problem of the suite that it accepts; the skipped ones are listed."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from exactree import Status
from exactree.problem.quantities import as_tuple

# Some tables hold the largest numbers there are.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SUITE = Path(__file__).parent / "suite"
SKIPS = runpy.run_path(str(SUITE / "skips.py"))
ENUMERATION = runpy.run_path(str(SUITE / "enumeration.py"))
INSTANCES = SKIPS["QUESTIONS"]["instances"]()
FORMS, METHOD_NAMES = SKIPS["FORMS"], SKIPS["columns"]()
GOLDEN = SKIPS["read"]()


def named(instance: Any) -> str:
    return str(instance.name)


def check(instance: Any, question: Any, form: tuple[str, str], expected: str) -> None:
    """Run a form of a method, and compare its mark and its answer with what is known."""
    said = f"{instance.name}: {question}, {question.source}"
    problem = SKIPS["problem_of"](instance.table, question)
    mark, outcome = SKIPS["ask"](problem, *form, SKIPS["patience"](question, *form))
    assert mark == expected, said
    if mark == "?":
        # A faster machine may find the answer and its proof in time: it is between the bounds, too.
        assert as_tuple(outcome.lower_bound) <= as_tuple(question.cost), said
        assert outcome.cost is None or as_tuple(question.cost) <= as_tuple(outcome.cost), said
    elif mark == "+":
        told = SKIPS["reported"](question)
        assert outcome.cost == told, said
        proved = Status.INFEASIBLE if question.cost is None else Status.OPTIMAL
        assert outcome.status is proved, said
        if question.cost is not None:
            assert as_tuple(outcome.lower_bound) == as_tuple(told), said


@pytest.mark.parametrize("column", range(len(FORMS)), ids=METHOD_NAMES)
@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_known_answers(instance: Any, column: int) -> None:
    for question in instance.questions:
        mark = GOLDEN[instance.name, str(question)][column]
        assert (mark == "~") == (METHOD_NAMES[column] in question.long), str(question)
        if mark != "~":
            check(instance, question, FORMS[column], mark)


LONG = [
    pytest.param(instance, question, form, id=f"{instance.name}: {question}: {name}")
    for instance in INSTANCES
    for question in instance.questions
    for form, name in zip(FORMS, METHOD_NAMES, strict=True)
    if name in question.long
]


@pytest.mark.long
@pytest.mark.parametrize(("instance", "question", "form"), LONG)
def test_known_answers_that_take_long(instance: Any, question: Any, form: tuple[str, str]) -> None:
    check(instance, question, form, "+")


def test_what_takes_long_is_stated_of_forms_there_are() -> None:
    """Specifications end, or refuse; only a native form can be stopped."""
    for instance in INSTANCES:
        for question in instance.questions:
            assert set(question.long) <= set(METHOD_NAMES), str(question)
            native = {name for name in METHOD_NAMES if name.startswith("native ")}
            assert set(question.endless) <= native - set(question.long), str(question)


def test_the_file_has_every_question_once_and_no_other() -> None:
    asked = [(instance.name, str(q)) for instance in INSTANCES for q in instance.questions]
    assert len(set(asked)) == len(asked)
    assert list(GOLDEN) == asked
    assert SKIPS["written"](GOLDEN) == SKIPS["GOLDEN"].read_text(encoding="utf-8")


def test_some_form_answers_every_question_and_every_form_answers_some() -> None:
    for instance in INSTANCES:
        for question in instance.questions:
            marks = GOLDEN[instance.name, str(question)]
            assert {"+", "~"} & set(marks), f"{instance.name}: {question}"
    for column, name in enumerate(METHOD_NAMES):
        answered = sum(marks[column] in ("+", "~") for marks in GOLDEN.values())
        assert answered > 30, name


@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_answers_are_what_enumeration_finds(instance: Any) -> None:
    for question in instance.questions:
        if ENUMERATION["quick"](instance.table, question):
            assert ENUMERATION["answer"](instance.table, question) == question.cost, str(question)
        else:
            assert question.source != "enumeration", str(question)


@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_answers_are_what_the_encoding_finds(instance: Any) -> None:
    pytest.importorskip("ortools.sat.python.cp_model")
    encoding = runpy.run_path(str(SUITE / "encoding.py"))
    for question in instance.questions:
        if encoding["encoded"](instance.table, question):
            assert encoding["answer"](instance.table, question) == question.cost, str(question)
        else:
            assert question.source != "encoding", str(question)
