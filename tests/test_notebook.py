"""Text and HTML of objects at a prompt and in a notebook: short, readable, and escaped."""

import pickle
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree import notebook
from exactree.problem import ParetoFront

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (80, 3)).astype(float)
Y = np.where(X[:, 0] < 4, "low", np.where(X[:, 1] < 6, "<b>high</b>", "a & b"))
Y[::7] = "low"
TARGET = X[:, 0] * 10 + X[:, 2]
DEPTH_2 = xt.Limits(max_depth=2)
PROBLEM = xt.Problem(X, Y, limits=DEPTH_2)


def objects() -> dict[str, Any]:
    outcome = xt.solve(PROBLEM)
    assert outcome.tree is not None
    listing = xt.enumerate_optimal(PROBLEM)
    next(listing)
    voters = xt.Problem(X[:20, :2], Y[:20] == "low", n_trees=2, minimize="errors", limits=DEPTH_2)
    return {
        "problem": PROBLEM,
        "limits": DEPTH_2,
        "outcome": outcome,
        "stopped": xt.solve(xt.Problem(X, Y), time_limit=1e-9),
        "infeasible": xt.solve(PROBLEM.minimizing("size").within(xt.Limits(0, max_errors=0))),
        "ensemble": xt.solve(voters),
        "regression": xt.solve(xt.Problem(X, TARGET, minimize="squared_error", limits=DEPTH_2)),
        "progress": outcome.stats["progress"][-1],
        "description": xt.describe(X, Y),
        "explanation": xt.export.explain(outcome.tree, X[0]),
        "front": xt.pareto_front(PROBLEM, ("size", "errors")),
        "empty front": ParetoFront([], ("size", "errors")),
        "listing": listing,
    }


OBJECTS = objects()


class Elements(HTMLParser):
    """The elements and the text of HTML; every element must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.add(tag)
        if tag not in ("br", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.names.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", OBJECTS)
def test_text_is_short_and_without_statistics(name: str) -> None:
    thing = OBJECTS[name]
    text = repr(thing)
    assert len(text) < (1500 if name in ("description", "front") else 300)
    assert str(thing) in text
    for hidden in ("stats", "cache", "None", "0x", "object at", "Fraction("):
        assert hidden not in text


@pytest.mark.parametrize("name", OBJECTS)
def test_html_is_sound_and_names_are_data(name: str) -> None:
    page = Elements(OBJECTS[name]._repr_html_())
    assert "b" not in page.names
    assert page.text


def test_golden_text() -> None:
    assert repr(PROBLEM) == (
        "Problem(80 examples, 3 features, 3 classes, minimize='errors', limits=Limits(max_depth=2))"
    )
    assert repr(xt.Limits()) == "Limits()"
    limits = xt.Limits(max_size=3, max_errors=Fraction(1, 2), max_leaves_of={"low": 1})
    assert eval(repr(limits), {"Limits": xt.Limits, "Fraction": Fraction}) == limits
    assert repr(xt.Constraints(max_features=2)) == "Constraints(max_features=2)"
    progress = xt.Progress(12, 3, 1.25)
    assert repr(progress) == "<Progress: 1.25 s: cost 12, lower bound 3, gap 75.0%>"
    assert str(xt.Progress(None, 3, 2, 4)) == "2 s: no tree yet, lower bound 3, 4 workers"
    assert str(xt.Progress((1, 5), (1, 0), 2)).startswith("2 s: cost (1, 5), lower bound (1, 0), ")


def test_an_outcome_is_the_sentence_that_print_gives() -> None:
    outcome = OBJECTS["outcome"]
    assert repr(outcome) == f"<Outcome: {outcome}>"
    assert str(outcome).startswith("optimal, proved: 8 errors by ")
    page = Elements(outcome._repr_html_())
    assert str(outcome) in page.text
    assert "svg" in page.names
    assert "svg" not in Elements(OBJECTS["infeasible"]._repr_html_()).names


def test_a_front_is_a_list_shown_as_a_table() -> None:
    front = OBJECTS["front"]
    assert isinstance(front, list)
    assert front.quantities == ("size", "errors")
    header, *lines = repr(front).splitlines()
    assert header.split() == ["size", "errors"]
    assert [line.split() for line in lines] == [
        [str(outcome.cost[0]), str(outcome.cost[1]), "optimal"] for outcome in front
    ]
    copy = pickle.loads(pickle.dumps(front))
    assert repr(copy) == repr(front)
    stopped = xt.pareto_front(xt.Problem(X, Y), ("size", "errors"), time_limit=1e-9)
    assert "stopped by the time limit; lower bound " in repr(stopped)
    assert repr(OBJECTS["empty front"]) == "<Front: no tree meets the limits>"
    assert "table" in Elements(front._repr_html_()).names


def test_a_listing_says_whether_it_is_complete() -> None:
    listing = xt.enumerate_optimal(PROBLEM)
    assert repr(listing) == "<Listing: 0 returned, not complete, iterate for more>"
    number = len(list(listing))
    assert repr(listing) == f"<Listing: {number} returned, complete>"


def test_an_explanation_in_a_notebook_has_a_row_for_each_step() -> None:
    explanation = OBJECTS["explanation"]
    html = explanation._repr_html_()
    assert html.count("<tr>") == 1 + len(explanation.path)
    page = Elements(html)
    for step in explanation.path:
        assert step.rule in page.text
        assert step.margin_text in page.text
    leaf = xt.solve(xt.Problem(X, Y, limits=xt.Limits(max_depth=0))).tree
    assert leaf is not None
    assert "table" not in Elements(xt.export.explain(leaf, X[0])._repr_html_()).names


def test_a_description_in_a_notebook_has_its_tables() -> None:
    description = OBJECTS["description"]
    assert repr(description) == str(description)
    page = Elements(description._repr_html_())
    for text in ("examples (n)", "80", "alternations", "x2", "Default method", "branch-and-bound"):
        assert text in page.text
    wide = xt.describe(RNG.integers(0, 2, (30, 25)), RNG.integers(0, 2, 30))
    assert "... and 5 more" in Elements(wide._repr_html_()).text


@pytest.mark.parametrize(
    "model",
    [xt.OptimalTreeClassifier(max_depth=2), xt.OptimalTreeClassifier(max_depth=3, time_limit=1e-9)],
)
@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
def test_an_estimator_in_a_notebook_has_parameters_status_bound_and_tree(model: Any) -> None:
    before = model._repr_html_()
    assert "max_depth" in before
    model.fit(X, Y)
    html = model._repr_html_()
    assert "max_depth" in html
    assert notebook.paragraph(str(model.outcome_)) in html
    assert html.index("<svg", html.index(notebook.paragraph(str(model.outcome_))))
    if model.outcome_.status is xt.Status.FEASIBLE:
        assert "lower bound" in html
    assert model._repr_mimebundle_()["text/html"].endswith(model._picture())


def test_numbers_of_a_table_are_at_the_right() -> None:
    html = notebook.table(("name", "count"), [("<i>", "1,200"), ("-0.5", "x1")])
    assert html.count("right") == 2
    assert "&lt;i&gt;" in html
    assert notebook.paragraph("a\n<b>") == "<p>a<br>&lt;b&gt;</p>"
