"""Tree: predictions, immutability, and equality."""

import copy
import dataclasses
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.errors import InternalError, ModelError
from exactree.trees import Tree, grow

LEAF = (-1, 0.0, 0.0, -1, -1)


def stump(X: Any = ((0.0,), (1.0,)), y: Any = ("a", "b")) -> Tree:
    return grow(make_dataset(X, list(y)), [(0, 0.0, 1.0, 1, 2), LEAF, LEAF])


def test_a_comparison_that_no_route_knows_is_never_taken_for_another() -> None:
    """Trees of solvers are not checked, see `Tree.unchecked`."""
    tree = Tree.unchecked(**{**vars(stump()), "comparison": np.array(["<", "", ""])})
    with pytest.raises(InternalError, match="other comparisons than <= and =="):
        tree.leaf_index(np.array([[0.0]]))
    with pytest.raises(InternalError, match="node 0 of a tree has the comparison '<'"):
        tree.goes_left(0, np.array([[0.0]]))


def walk(tree: Tree, x: np.ndarray) -> list[int]:
    """Return the nodes that one example passes, by the definition of a tree."""
    path = [0]
    while tree.children_left[path[-1]] != -1:
        node = path[-1]
        value, threshold = x[tree.feature[node]], tree.threshold[node]
        goes_left = {"<=": value <= threshold, "==": value == threshold}[tree.comparison[node]]
        path.append(int((tree.children_left if goes_left else tree.children_right)[node]))
    return path


@given(data=st.data())
def test_predictions_equal_those_of_routing_row_by_row(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table())
    tree = case.tree
    new_rows = data.draw(
        st.lists(
            st.lists(
                st.floats(allow_nan=False, allow_infinity=False),
                min_size=tree.n_features,
                max_size=tree.n_features,
            ),
            max_size=5,
        )
    )
    X = np.vstack([case.dataset.X, np.array(new_rows).reshape(-1, tree.n_features)])
    paths = [walk(tree, x) for x in X]
    leaves = np.array([path[-1] for path in paths])
    assert tree.apply(X).tolist() == leaves.tolist()
    assert tree.predict_index(X).tolist() == tree.prediction[leaves].tolist()
    assert tree.predict(X).tolist() == tree.classes[tree.prediction[leaves]].tolist()
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(1)
    passed = tree.decision_path(X).toarray()
    assert [np.flatnonzero(row).tolist() for row in passed] == paths
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        child = np.array([path[path.index(node) + 1] for path in paths if node in path])
        goes_left = tree.goes_left(node, X[[node in path for path in paths]])
        assert (goes_left == (child == tree.children_left[node])).all()


@given(data=st.data())
def test_size_leaves_and_depth_are_those_of_the_nodes(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table())
    tree = case.tree
    inner = sum(node[0] >= 0 for node in case.nodes)
    assert (tree.size, tree.leaves, tree.n_leaves) == (inner, inner + 1, inner + 1)
    assert tree.node_count == len(case.nodes)
    longest = max(len(walk(tree, x)) for x in case.dataset.X) - 1
    assert (tree.depth, tree.max_depth) == (longest, longest)
    assert tree.weighted_n_node_samples.tolist() == tree.value.sum(axis=1).tolist()


@given(data=st.data())
def test_equality_hash_and_pickle_go_by_content(fitted_table: Any, data: Any) -> None:
    tree, other = data.draw(fitted_table()).tree, data.draw(fitted_table()).tree
    for copied in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert copied == tree
        assert hash(copied) == hash(tree)
    # JSON distinguishes the labels 0 and False, which are equal in Python.
    assert (tree == other) == (json.dumps(tree.to_dict()) == json.dumps(other.to_dict()))
    assert tree != "tree"


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": [0.25, -2.0, -2.0]},
        {"classes": np.array(["a", "c"])},
        {"feature_names": ("y",)},
        {"prediction": [0, 1, 1]},
        {"named": True},
    ],
)
def test_trees_that_differ_in_one_field_are_different(change: Any) -> None:
    assert dataclasses.replace(stump(), **change) != stump()


def test_trees_with_labels_of_another_type_are_different() -> None:
    assert dataclasses.replace(stump(), classes=np.array([0, 1])) != dataclasses.replace(
        stump(), classes=np.array([False, True])
    )
    assert dataclasses.replace(stump(), classes=np.array([0, 1])) == dataclasses.replace(
        stump(), classes=np.array([0, 1], dtype=np.int8)
    )


def test_fields_and_arrays_are_read_only() -> None:
    tree = pickle.loads(pickle.dumps(stump()))
    for field in dataclasses.fields(tree):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(tree, field.name, None)
        if isinstance(getattr(tree, field.name), np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                getattr(tree, field.name)[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        tree.weighted_n_node_samples[0] = 0


def test_a_tree_copies_the_arrays_from_which_it_is_made() -> None:
    threshold = np.array([0.5, -2.0, -2.0])
    tree = dataclasses.replace(stump(), threshold=threshold)
    threshold[0] = 9
    assert tree.threshold[0] == 0.5


def test_a_pickled_stump_has_less_than_two_kilobytes() -> None:
    assert len(pickle.dumps(stump())) < 2000


def test_labels_of_any_hashable_kind() -> None:
    tree = stump(y=[("tuple", 1), frozenset({2})])
    assert tree.predict([[0.0], [1.0]]).tolist() == [("tuple", 1), frozenset({2})]
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert "('tuple', 1)" in str(tree)


def test_no_rows_and_a_single_leaf() -> None:
    assert stump().predict(np.empty((0, 1))).tolist() == []
    assert stump().decision_path(np.empty((0, 1))).shape == (0, 3)
    leaf = grow(make_dataset([[0.0]], ["only"]), [LEAF])
    assert leaf.predict([[5.0], [6.0]]).tolist() == ["only", "only"]
    assert (leaf.size, leaf.depth, leaf.leaves) == (0, 0, 1)


def test_names_and_number_of_features_are_checked() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0], "b": [5.0, 5.0]})
    tree = grow(make_dataset(frame, [0, 1]), [(0, 0.0, 1.0, 1, 2), LEAF, LEAF])
    assert tree.predict(frame).tolist() == [0, 1]
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match="missing:\n- b"):
        tree.predict(frame[["a"]])
    with pytest.raises(ValueError, match="X has 1 features, but exactree is expecting 2"):
        tree.predict([[1.0]])


def test_repr_is_one_line() -> None:
    assert repr(stump()) == "<Tree: size 1, depth 1, 2 classes>"


def test_notebooks_get_pictures() -> None:
    assert stump()._repr_svg_().startswith("<svg")
    assert "<svg" in stump()._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": [0.5]}, "'threshold'"),
        ({"value": [1.0, 2.0, 3.0]}, "'value'"),
        ({"classes": np.array(["a"])}, "1 classes but 'value' has 2 columns"),
        ({"children_left": []}, "at least one node"),
    ],
)
def test_fields_that_do_not_fit_together_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        dataclasses.replace(stump(), **change)


def test_all_rows_are_routed_together_one_level_at_a_time(monkeypatch) -> None:
    X = np.random.default_rng(0).random((10_000, 4))
    nodes = [(0, 0.25, 0.75, 1, 4), (1, 0.25, 0.75, 2, 3), LEAF, LEAF, LEAF]
    corners = np.array([[0.25, 0.25], [0.25, 0.75], [0.75, 0.25], [0.75, 0.75]])
    tree = grow(make_dataset(np.hstack([corners, corners]), [0, 1, 0, 1]), nodes)
    calls, where = [], np.where
    monkeypatch.setattr(
        np, "where", lambda *arguments: calls.append(arguments) or where(*arguments)
    )
    tree.predict(X)
    assert len(calls) == tree.depth


def test_deep_trees_need_no_recursion() -> None:
    rows = 3000
    X = np.arange(rows, dtype=float)[:, None]
    dataset = make_dataset(X, np.arange(rows) % 2)
    nodes: list[Any] = []
    for i in range(rows - 1):
        nodes += [(0, float(i), float(i + 1), 2 * i + 1, 2 * i + 2), LEAF]
    tree = grow(dataset, [*nodes, LEAF])
    assert tree.depth == rows - 1
    assert (tree.predict(X) == np.arange(rows) % 2).all()
    assert Tree.from_dict(tree.to_dict()) == tree
    assert hash(pickle.loads(pickle.dumps(tree))) == hash(tree)
