"""Every method answers every question of the suite that it takes; who skips what is on file."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from exactree import Status
from exactree.problem.cost import as_tuple

SUITE = Path(__file__).parent / "suite"
SKIPS = runpy.run_path(str(SUITE / "skips.py"))
ENUMERATION = runpy.run_path(str(SUITE / "enumeration.py"))
INSTANCES = SKIPS["QUESTIONS"]["instances"]()
FORMS, METHOD_NAMES = SKIPS["FORMS"], SKIPS["columns"]()
GOLDEN = SKIPS["read"]()


def named(instance: Any) -> str:
    return str(instance.name)


def check(instance: Any, question: Any, column: int) -> None:
    """Ask one form of a method, and compare its answer, or its refusal, with what is on file."""
    said = f"{instance.name}: {question}"
    problem = SKIPS["problem_of"](instance.table, question)
    mark, outcome = SKIPS["ask"](problem, *FORMS[column])
    assert mark == GOLDEN[instance.name, str(question)][column], said
    if outcome is not None:
        assert outcome.cost == question.cost, f"{said}, {question.source}"
        proved = Status.INFEASIBLE if question.cost is None else Status.OPTIMAL
        assert outcome.status is proved, said
        if question.cost is not None:
            assert as_tuple(outcome.lower_bound) == as_tuple(question.cost), said


@pytest.mark.parametrize("column", range(len(FORMS)), ids=METHOD_NAMES)
@pytest.mark.parametrize("instance", INSTANCES, ids=named)
def test_known_answers(instance: Any, column: int) -> None:
    method, form = FORMS[column]
    for question in instance.questions:
        if form == "native" or method not in question.long:
            check(instance, question, column)


LONG = [
    pytest.param(instance, question, column, id=f"{instance.name}: {question}: {method}")
    for instance in INSTANCES
    for question in instance.questions
    for column, (method, form) in enumerate(FORMS)
    if form == "spec" and method in question.long
]


@pytest.mark.long
@pytest.mark.parametrize(("instance", "question", "column"), LONG)
def test_known_answers_that_take_long(instance: Any, question: Any, column: int) -> None:
    check(instance, question, column)


def test_the_file_has_every_question_once_and_no_other() -> None:
    asked = [(instance.name, str(q)) for instance in INSTANCES for q in instance.questions]
    assert len(set(asked)) == len(asked)
    assert list(GOLDEN) == asked
    assert SKIPS["written"](GOLDEN) == SKIPS["GOLDEN"].read_text(encoding="utf-8")


def test_some_method_answers_every_question_and_every_specification_answers_some() -> None:
    """Larger tables are beyond all specifications: they wait for native forms."""
    for instance in INSTANCES:
        for question in instance.questions:
            marks = GOLDEN[instance.name, str(question)]
            said = f"{instance.name}: {question}"
            assert "+" in marks or len(instance.table.rows) > 10, said
    for column, (method, form) in enumerate(FORMS):
        answered = sum(marks[column] == "+" for marks in GOLDEN.values())
        assert answered > 30 or form == "native", method


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
