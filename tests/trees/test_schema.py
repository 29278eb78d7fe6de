"""The model schema: exact in both directions, and one message for anything invalid."""

import copy
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.errors import ModelError
from exactree.trees import Tree, grow

LEAF = (-1, 0.0, 0.0, -1, -1)
NODES = [(0, 0.0, 1.0, 1, 2), LEAF, (0, 1.0, 2.0, 3, 4), LEAF, LEAF]


def record() -> dict[str, Any]:
    """Return a sound model of size two."""
    return grow(make_dataset([[0.0], [1.0], [2.0]], ["a", "b", "a"]), NODES).to_dict()


def changed(**entries: Any) -> dict[str, Any]:
    return {**record(), **entries}


@given(data=st.data())
def test_a_tree_returns_from_json_bit_by_bit(fitted_table: Any, data: Any) -> None:
    tree = data.draw(fitted_table()).tree
    restored = Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert restored == tree
    for name in ("threshold", "value", "errors"):
        assert getattr(restored, name).tobytes() == getattr(tree, name).tobytes()
    assert restored.classes.dtype == tree.classes.dtype
    assert [type(a) for a in restored.classes.tolist()] == [type(a) for a in tree.classes.tolist()]


@given(data=st.data())
def test_any_threshold_returns_from_json_bit_by_bit(data: Any) -> None:
    number = data.draw(st.floats(allow_nan=False, allow_infinity=False))
    threshold = [number, -2.0, -2.0, -2.0, -2.0]
    tree = Tree.from_dict(json.loads(json.dumps(changed(threshold=threshold))))
    assert tree.threshold.tobytes() == np.array(threshold).tobytes()


@pytest.mark.parametrize(
    "classes",
    [
        np.array([True, False]),
        np.array([1, 2], dtype=np.uint8),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([-np.inf, np.inf]),
        np.array([0.1, 1.5], dtype=np.float32),
        np.array(["a", "\ud800"]),
        np.array([None, "None"], dtype=object),
        np.array([2**100, 0.5], dtype=object),
        np.array([np.int64(1), "1"], dtype=object),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_labels_that_json_can_represent_return_with_their_dtype(classes: np.ndarray) -> None:
    tree = Tree(**{**fields(), "classes": classes})
    restored = Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False)))
    assert restored == tree
    assert restored.classes.dtype == classes.dtype


@pytest.mark.parametrize(
    "label", [("a", 1), b"bytes", 1j, frozenset(), np.datetime64("2020-01-01"), 10**5000], ids=type
)
def test_other_labels_are_refused(label: Any) -> None:
    classes = np.empty(2, dtype=object)
    classes[:] = ["a", label]
    tree = Tree(**{**fields(), "classes": classes})
    with pytest.raises(ModelError, match=r"cannot be written to JSON exactly, allowed are strings"):
        tree.to_dict()


def test_labels_of_other_arrays_are_refused() -> None:
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    with pytest.raises(ModelError, match="cannot be written to JSON"):
        Tree(**{**fields(), "classes": dates}).to_dict()


def fields() -> dict[str, Any]:
    tree = Tree.from_dict(record())
    return {name: getattr(tree, name) for name in tree.__dataclass_fields__}


BAD = {
    "not an object": ([], "not an exactree model"),
    "not ours": ({"format": "other"}, "not an exactree model"),
    "from the future": (changed(version=7), "version 7, this exactree reads versions up to 6"),
    "later entry in version 1": (changed(version=1), "version 1, which has no entry 'comparison'"),
    "version no integer": (changed(version=1.0), "'version'"),
    "version zero": (changed(version=0), "'version'"),
    "unknown entry": (changed(extra=1), "'extra', which this version does not have"),
    "names no list": (changed(feature_names="x"), "'feature_names'"),
    "names no strings": (changed(feature_names=[1]), "'feature_names'"),
    "named no boolean": (changed(named=1), "'named'"),
    "column no list": (changed(feature={}), "'feature' .* list of numbers"),
    "integers no integers": (changed(feature=[0.0] * 5), "entry 0 of 'feature'"),
    "integers booleans": (changed(feature=[True] * 5), "entry 0 of 'feature'"),
    "integers too large": (changed(n_node_samples=[2**70] * 5), "64-bit integer"),
    "numbers strings": (changed(threshold=["1"] * 5), "entry 0 of 'threshold'"),
    "threshold infinite": (changed(threshold=[float("inf")] * 5), "finite number"),
    "threshold not a number": (changed(threshold=[float("nan")] * 5), "finite number"),
    "integer not exact": (changed(threshold=[2**53 + 1] * 5), "finite number"),
    "lengths differ": (changed(errors=[0.0] * 4), "different lengths: .*'errors' 4"),
    "value too short": (changed(value=[[1.0, 1.0]] * 2), "different lengths: .*'value' 2"),
    "value ragged": (changed(value=[[1.0]] * 5), "'value' .* 2 numbers"),
    "value no table": (changed(value=[1.0] * 5), "'value' .* 2 numbers"),
    "value negative": (changed(value=[[-1.0, 2.0]] * 5), "negative or not finite"),
    "value empty": (changed(value=[[0.0, 0.0]] * 5), "positive finite"),
    "value overflows": (changed(value=[[1e308, 1e308]] * 5), "positive finite"),
    "prediction out of range": (changed(prediction=[2] * 5), "outside 0 to 1"),
    "no examples": (changed(n_node_samples=[0] * 5), "no examples"),
    "examples do not add up": (changed(n_node_samples=[4, 1, 2, 1, 1]), "4 examples .* have 3"),
    "errors negative": (changed(errors=[-1.0] * 5), "errors that are negative"),
    "no nodes": (
        changed(**{name: [] for name in record() if isinstance(record()[name], list)}),
        "at least one node",
    ),
    "cycle": (changed(children_left=[1, -1, 0, -1, -1]), "cycle"),
    "own child": (changed(children_left=[0, -1, 3, -1, -1]), "cycle"),
    "child out of range": (changed(children_right=[2, -1, 9, -1, -1]), "child 9"),
    "one child": (changed(children_right=[2, -1, -1, -1, -1]), "child -1"),
    "two parents": (changed(children_right=[4, -1, 4, -1, -1]), "child of two nodes, 0 and 2"),
    "unreachable": (changed(children_left=[3, -1, 3, -1, -1]), "two nodes"),
    "unreachable leaf": (
        changed(children_left=[3, -1, -1, -1, -1], children_right=[4, -1, -1, -1, -1]),
        "node 1 .* cannot be reached",
    ),
    "not in preorder": (
        changed(children_left=[2, -1, 3, -1, -1], children_right=[1, -1, 4, -1, -1]),
        "not in preorder",
    ),
    "feature out of range": (changed(feature=[1, -2, 0, -2, -2]), "feature 1, allowed are 0 to 0"),
    "node without feature": (changed(feature=[-2, -2, 0, -2, -2]), "feature -2"),
    "leaf with feature": (changed(feature=[0, 0, 0, -2, -2]), "leaf 1"),
    "leaf with threshold": (changed(threshold=[0.5, 0.5, 1.5, -2.0, -2.0]), "leaf 1"),
    "comparison no strings": (changed(comparison=[1] * 5), "'comparison' .* list of strings"),
    "unknown comparison": (
        changed(comparison=["<", "", "<=", "", ""]),
        "node 0 .* comparison '<', allowed are '<='",
    ),
    "node without comparison": (changed(comparison=[""] * 5), "node 0 .* comparison ''"),
    "leaf with comparison": (changed(comparison=["<="] * 5), "leaf 1 .* no comparison"),
    "code no integer": (changed(comparison=["==", "", "<=", "", ""]), "the code 0.5"),
    "comparisons too few": (changed(comparison=["<="]), "different lengths: .*'comparison' 1"),
    "classes no object": (changed(classes=["a", "b"]), "'classes'"),
    "classes incomplete": (changed(classes={"dtype": "str"}), "lacks the entry 'labels'"),
    "unknown label type": (changed(classes={"dtype": "os.system", "labels": [1]}), "os.system"),
    "label type no string": (changed(classes={"dtype": [], "labels": [1]}), "have the type"),
    "no labels": (changed(classes={"dtype": "str", "labels": []}), "at least one label"),
    "labels repeat": (changed(classes={"dtype": "str", "labels": ["a", "a"]}), "not distinct"),
    "label is an object": (
        changed(classes={"dtype": "object", "labels": [{"float": "nan"}, 1]}),
        "an object other than",
    ),
    "label is a list": (changed(classes={"dtype": "object", "labels": [[], 1]}), "not a string"),
    "labels of another type": (
        changed(classes={"dtype": "int64", "labels": ["1", "2"]}),
        "do not fit their type int64",
    ),
    "labels too large": (
        changed(classes={"dtype": "int8", "labels": [1, 200]}),
        "do not fit their type int8",
    ),
    "labels beyond floats": (
        changed(classes={"dtype": "float64", "labels": [1, 10**400]}),
        "do not fit their type float64",
    ),
    "labels rounded": (
        changed(classes={"dtype": "float32", "labels": [0.1, 0.2]}),
        "do not fit their type float32",
    ),
    "labels no booleans": (
        changed(classes={"dtype": "bool", "labels": [0, 1]}),
        "do not fit their type bool",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_unsound_models_are_refused(case: str) -> None:
    model, message = BAD[case]
    with pytest.raises(ModelError, match=message) as refusal:
        Tree.from_dict(model)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", record())
def test_a_missing_entry_is_named(name: str) -> None:
    model = record()
    del model[name]
    with pytest.raises(ModelError, match=name):
        Tree.from_dict(model)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(name=st.sampled_from(sorted(record())), place=st.integers(0, 9), junk=JSON)
def test_junk_anywhere_is_refused_or_sound(name: str, place: int, junk: Any) -> None:
    """For any content of an entry, the result is a tree or a ModelError."""
    model = copy.deepcopy(record())
    if isinstance(model[name], list) and place < len(model[name]):
        model[name][place] = junk
    else:
        model[name] = junk
    try:
        tree = Tree.from_dict(model)
    except ModelError:
        return
    assert Tree.from_dict(tree.to_dict()) == tree


def test_a_model_of_version_1_is_read_as_thresholds() -> None:
    old = changed(version=1)
    del old["comparison"]
    assert Tree.from_dict(old) == Tree.from_dict(record())
    with pytest.raises(ModelError, match="lacks the entry 'feature'"):
        Tree.from_dict({name: entry for name, entry in old.items() if name != "feature"})


def test_whole_numbers_may_stand_for_floats() -> None:
    """JavaScript writes 1.0 as 1."""
    assert Tree.from_dict(changed(value=[[2, 1], [1, 0], [1, 1], [0, 1], [1, 0]])) == (
        Tree.from_dict(record())
    )
