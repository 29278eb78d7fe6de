"""`report`: content of the page, no external resources, and escaping of names."""

import base64
import dataclasses
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.export import report
from exactree.export.page.chart import HEIGHT, WIDTH, Series, line_chart, ticks
from exactree.trees import Ensemble, Tree

from .reported import KINDS, Reported, classes, ensemble, missing_and_categories, regression

pytest.importorskip("jinja2")
# Elements without an end tag.
VOID = {"meta", "input"}
NO_FRONT = "No front of sizes and errors was given or searched for."


class Page(HTMLParser):
    """The elements and the text of a page, whose elements must all be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        # Contents of all elements named "script" or "style", each after a NUL.
        self.content: dict[str, str] = {}
        self.words: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID and not (self.open and self.open[-1] == "svg" and tag != "text"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("path", "rect", "circle"):
            return
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.content[self.open[-1]] = self.content.get(self.open[-1], "") + "\0" + data
        elif data.strip():
            self.words.append(data.strip())

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def data(self) -> Any:
        """The model and the examples that the page holds as JSON."""
        return json.loads(self.content["script"].split("\0")[1])


def read(reported: Reported, **arguments: Any) -> Page:
    """Return the page of a report, by default without a search for a front."""
    return Page(report(*reported, **({"front_seconds": 0} | arguments)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_well_formed_and_loads_no_resources(kind: str) -> None:
    text = report(*KINDS[kind](), front_seconds=0)
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "href", "action", "data", "srcset"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    assert not re.search(r"@import|url\(|https?:", text)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_only_the_program_of_the_page_may_run() -> None:
    page = read(classes())
    (policy,) = [tag["content"] for _, tag in page.tags if tag.get("http-equiv")]
    program = page.content["script"].split("\0")[-1]
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none';")


def test_proof_and_limits_are_reported() -> None:
    model, X, y = classes()
    text = read((model, X, y)).text
    assert "✓ Proved best" in text
    assert f"its cost is {model.outcome_.cost}" in text
    assert (
        "the fewest errors of all trees with at most 2 nodes on a path, whose nodes compare one "
        "feature with a threshold." in text
    )


def test_a_search_that_was_stopped_reports_its_gap() -> None:
    model, X, y = classes()
    stopped = dataclasses.replace(
        model.outcome_, status=xt.Status.FEASIBLE, lower_bound=1, stopped_by="time limit"
    )
    text = read((stopped, X, y)).text
    assert "Not proved The time limit ended the search before the proof" in text
    assert f"gap {stopped.gap:.1%}" in text


def test_without_an_outcome_no_proof_is_claimed() -> None:
    model, X, y = classes()
    text = read((model.tree_, X, y)).text
    assert "No record of a proof The model has no record of the proof" in text
    assert "lower bound" not in text


def test_the_rules_are_sentences_with_support_and_probability() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "a", "b"]
    tree = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_size=0))).tree
    assert "Always predict a. 4 100.0 % 75.0 % 1" in read((tree, X, y)).text
    tree = xt.solve(xt.Problem(X, y)).tree
    page = read((tree, X, y), held_out=([[9.0], [9.5], [0.0]], ["b", "a", "a"]))
    assert "If x0 > 2, predict b. 1 25.0 % 100.0 % 0 2 1" in page.text
    assert "held-out error rate 33.3 %" in page.text


def test_regression_trees_have_errors_in_the_unit_of_the_target_and_no_probabilities() -> None:
    text = read(regression()).text
    assert "training root mean squared error" in text
    assert "training mean absolute error" in text
    assert "probability" not in text


def test_other_examples_than_those_of_the_fit_count_as_held_out() -> None:
    model, X, y = classes()
    page = read((model, X[:20], y[:20]), front_seconds=5)
    wrong = (model.predict(X[:20]) != y[:20]).mean()
    assert "are not those of the fit" in page.text
    assert f"held-out error rate {100 * wrong:.1f} %" in page.text
    assert NO_FRONT in page.text
    assert "are not those of the fit" not in read((model, X, y)).text
    swapped = np.where(y == "low", "high", y)
    assert "are not those of the fit" in read((model, X, swapped)).text
    with pytest.raises(ValueError, match="X, y are not the training examples"):
        read((model, X[:20], y[:20]), held_out=(X, y))


def test_a_front_is_searched_for_unless_it_is_given() -> None:
    model, X, y = classes()
    front = xt.pareto_front(
        xt.Problem(X, y, limits=xt.Limits(max_depth=2)), ("size", "errors"), time_limit=60
    )
    text = read((model, X, y), front_seconds=60).text
    costs = [outcome.cost for outcome in front]
    rows = " ".join(f"{size} {100 * errors / len(y):.2f} % yes" for size, errors in costs)
    assert f"proved {rows}" in text
    assert read((model, X, y), front=front).text == text


def test_the_front_of_codes_and_levels_uses_the_same_rules() -> None:
    outcome, X, y = missing_and_categories()
    text = read((outcome, X, y), front_seconds=60).text
    assert f"{100 * outcome.cost / len(y):.2f} % yes" in text


def test_no_front_is_searched_for_an_ensemble() -> None:
    model, X, y = ensemble()
    assert NO_FRONT in read((model, X, y), front_seconds=60).text
    problem = xt.Problem(X, y, n_trees=3, minimize="total_size")
    front = xt.pareto_front(problem, ("total_size", "errors"))
    assert "training error rate proved 0 50.00 % yes" in read((model, X, y), front=front).text


def test_weights_are_reported() -> None:
    X, y = [[0.0], [1.0]], ["a", "b"]
    outcome = xt.solve(xt.Problem(X, y, sample_weight=[2, 3]))
    page = read((outcome, X, y), front_seconds=5)
    assert "had weights" in page.text
    assert "not those of the fit" not in page.text
    assert NO_FRONT in page.text


@pytest.mark.parametrize(("maximum", "expected"), [(0, []), (2, [0, 59]), (99, list(range(60)))])
def test_the_page_holds_at_most_the_given_number_of_examples(
    maximum: int, expected: list[int]
) -> None:
    data = read(classes(), examples=maximum).data
    assert [example["row"] for example in data["examples"]] == expected


def test_only_features_of_the_tree_are_in_the_page() -> None:
    _, X, y = classes()
    X = np.column_stack([np.full(60, 1234567.0), X])
    model = xt.OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert len(read((model, X, y)).data["features"]) == 1
    assert "1234567" not in report(model, X, y, front_seconds=0)


def test_hostile_names_are_text(hostile_tree: Tree) -> None:
    tree = hostile_tree
    X = np.random.default_rng(0).normal(size=(5, tree.n_features))
    y = [tree.classes[k] for k in range(5)]
    hostile = "</title></script><script>alert(1)</script><!--"
    page = Page(report(tree, X, y, title=hostile, front_seconds=0))
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert not {"b", "frac"} & {tag for tag, _ in page.tags}
    assert page.text.startswith(hostile)
    assert page.data["features"]
    report(tree, X, y, front_seconds=0).encode("utf-8")


def test_other_objects_empty_tables_and_too_few_labels_are_refused() -> None:
    model, X, y = classes()
    with pytest.raises(TypeError, match="got int"):
        report(3, X, y)
    with pytest.raises(ValueError, match="no rows"):
        report(model, X[:0], y[:0])
    with pytest.raises(ValueError, match="60 rows but y has 59 labels"):
        report(model, X, y[1:])


@pytest.mark.parametrize("held_out", [[[0.0]], ([[0.0]],), "table", 3])
def test_held_out_examples_are_a_pair(held_out: Any) -> None:
    with pytest.raises(ValueError, match=r"^held_out must be a pair .*\(X_test, y_test\)"):
        report(*classes(), held_out=held_out)


def test_without_jinja2_the_error_names_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'exactree[report]'")):
        report(*classes())


def test_the_page_says_that_a_leaf_always_predicts_the_same_and_that_trees_vote(
    single_leaf: Tree, three_trees: Ensemble
) -> None:
    assert "it always predicts the same" in read((single_leaf, [[0.0]], [9])).text
    page = read((three_trees, [[1.0, 0.1]], ["round"]))
    assert "Tree 2" in page.text
    assert "The trees vote" in page.text


@pytest.mark.parametrize("maximum", [0.0007, 0.3, 1.0, 7.0, 99.0, 1e6])
def test_ticks_begin_at_0_and_reach_the_maximum(maximum: float) -> None:
    marks = ticks(maximum)
    assert marks[0] == 0
    assert marks[-2] < maximum <= marks[-1] * (1 + 1e-9)
    assert 3 <= len(marks) <= 8


def test_ticks_of_counts_are_whole_numbers() -> None:
    assert ticks(6, whole=True) == [0, 1, 2, 3, 4, 5, 6]
    assert ticks(40, whole=True) == [0, 10, 20, 30, 40]


def test_charts_draw_every_point_within_the_picture() -> None:
    chart = line_chart([Series("<a>", ((0.0, 1.0), (2.0, 0.5)), hollow=(False, True))], "n", "e")
    assert chart.count("<circle") == 3, "two points, and the sample in the legend"
    assert chart.count("hollow") == 1
    assert "&lt;a&gt;" in chart
    points = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', chart)
    assert len(points) == 3
    assert all(0 <= float(x) <= WIDTH and 0 <= float(y) <= HEIGHT for x, y in points)
    stepped = line_chart([Series("b", ((0.0, 0.0), (1.0, 3.0)), steps=True)], "s", "c")
    assert re.search(r'd="M64.0 [\d.]+H[\d.]+V[\d.]+"', stepped)
