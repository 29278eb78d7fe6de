"""Rules as sentences: the conditions of a leaf are merged, and hold for exactly its examples."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactree as xt
from exactree.export.sentences import leaf_sentences, parents_of, path_to
from exactree.trees import Tree

NAN = float("nan")


def texts(tree: Tree) -> list[str]:
    return [sentence.text for sentence in leaf_sentences(tree)]


def test_sentences_and_counts_of_a_small_tree(small_tree: Tree) -> None:
    round_, long, flat = leaf_sentences(small_tree)
    assert round_.text == "If length ≤ 2.5, predict round."
    assert long.text == "If length > 2.5 and width ≤ 1.75, predict long."
    assert (flat.examples, flat.support, flat.probability, flat.errors) == (2, 0.4, 0.5, 1.0)


def test_a_single_leaf_always_predicts(single_leaf: Tree) -> None:
    (sentence,) = leaf_sentences(single_leaf)
    assert sentence.text == "Always predict 9."
    assert (sentence.support, sentence.weight) == (1.0, 2.25)


def test_thresholds_of_a_feature_are_merged_to_one_interval() -> None:
    tree = xt.solve(xt.Problem([[0], [1], [2], [3]], list("abba"))).tree
    assert texts(tree) == [
        "If x0 ≤ 0.5, predict a.",
        "If 0.5 < x0 ≤ 2, predict b.",
        "If x0 > 2, predict a.",
    ]


def test_the_last_leaf_names_the_levels_of_all_other_leaves() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"colour": ["{0}", "blue", "green", "red"]})
    sentences = texts(xt.solve(xt.Problem(X, list("abcd"))).tree)
    conditions = {text.split(",")[0].removeprefix("If colour ") for text in sentences}
    single = {condition for condition in conditions if not condition.startswith("is not ")}
    assert len(single) == 3
    (last,) = conditions - single
    assert {f"is {level}" for level in last.removeprefix("is not ").split(" or ")} == single


def test_sets_of_levels_are_listed() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"colour": ["a", "b", "c", "d"]})
    rules = xt.rules.AxisParallel(level_sets=True)
    limits = xt.Limits(max_size=1)
    sentences = texts(xt.solve(xt.Problem(X, [1, 1, 0, 0], rules=rules, limits=limits)).tree)
    assert sorted(sentences) in (
        ["If colour is a or b, predict 1.", "If colour is not a or b, predict 0."],
        ["If colour is c or d, predict 0.", "If colour is not c or d, predict 1."],
    )


@pytest.mark.parametrize(
    ("column", "labels", "expected"),
    [
        ([NAN, 1, 2], "abb", {"If x0 is missing, predict a.", "If x0 is not missing, predict b."}),
        ([NAN, 1, 2], "aab", {"If x0 ≤ 1 or missing, predict a.", "If x0 > 1, predict b."}),
        ([NAN, 1, 2], "bab", {"If x0 ≤ 1, predict a.", "If x0 > 1 or missing, predict b."}),
    ],
)
def test_missing_values_are_named(column: list[float], labels: str, expected: set[str]) -> None:
    tree = xt.solve(xt.Problem([[value] for value in column], list(labels))).tree
    assert set(texts(tree)) == expected


def test_missing_values_of_categories_are_named() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"colour": ["red", None, "blue"]})
    sentences = texts(xt.solve(xt.Problem(X, list("abb"), limits=xt.Limits(max_size=1))).tree)
    assert sorted(sentences, key=lambda text: text[-2]) in (
        ["If colour is red, predict a.", "If colour is missing or not red, predict b."],
        ["If colour is not blue and not missing, predict a.",
         "If colour is blue or missing, predict b."],
    )  # fmt: skip


def test_a_name_with_is_not_does_not_change_the_condition() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a is not b": [NAN, 1, 2]})
    assert set(texts(xt.solve(xt.Problem(X, list("bab"))).tree)) == {
        "If a is not b ≤ 1, predict a.",
        "If a is not b > 1 or missing, predict b.",
    }


def test_weighted_sums_are_written_in_full() -> None:
    X = np.array([[0.0, 0], [1, 1], [1, 0], [0, 1], [2, 2]])
    problem = xt.Problem(X, X.sum(axis=1) > 1.5, rules=xt.rules.Hyperplanes())
    assert all("·x0" in text for text in texts(xt.solve(problem).tree))


def test_leaves_of_a_regression_have_no_probability() -> None:
    problem = xt.Problem([[0], [1], [2]], [1.0, 1, 7], minimize="squared_error")
    (low, high) = leaf_sentences(xt.solve(problem).tree)
    assert (low.text, low.probability) == ("If x0 ≤ 1, predict 1.", None)
    assert high.errors == 0


@given(data=st.data())
def test_paths_and_probabilities_are_those_of_the_tree(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table())
    tree, X = case.tree, case.dataset.X
    sentences = {sentence.leaf: sentence for sentence in leaf_sentences(tree)}
    assert sum(sentence.support for sentence in sentences.values()) == pytest.approx(1)
    parents = parents_of(tree)
    on_path = tree.decision_path(X).toarray()
    for row, leaf in enumerate(tree.leaf_index(X).tolist()):
        way = path_to(parents, leaf)
        assert [node for node, _ in way] + [leaf] == np.flatnonzero(on_path[row]).tolist()
        assert all(tree.goes_left(node, X[[row]])[0] == left for node, left in way)
        shares = tree.predict_proba(X[[row]])[0]
        assert sentences[leaf].probability == pytest.approx(shares[tree.prediction[leaf]])


@given(data=st.data())
def test_the_tightest_thresholds_hold_for_exactly_the_examples_of_a_leaf(
    fitted_table: Any, data: Any
) -> None:
    case = data.draw(fitted_table(codes=False))
    tree, X = case.tree, case.dataset.X
    parents, leaves = parents_of(tree), tree.leaf_index(X)
    for sentence in leaf_sentences(tree):
        holds = np.ones(len(X), dtype=bool)
        bounds: dict[tuple[int, bool], float] = {}
        for node, left in path_to(parents, sentence.leaf):
            key, threshold = (int(tree.feature[node]), left), float(tree.threshold[node])
            tighter = min if left else max
            bounds[key] = tighter(bounds.get(key, threshold), threshold)
        for (feature, left), threshold in bounds.items():
            holds &= (X[:, feature] <= threshold) == left
        assert (holds == (leaves == sentence.leaf)).all()
        assert len(sentence.conditions) == len({feature for feature, _ in bounds})


def test_hostile_names_stay_on_one_line(hostile_tree: Tree) -> None:
    assert all("\n" not in text for text in texts(hostile_tree))
