"""Arguments that cannot be pruned or bounded, and files that are not models of exactree."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from exactree import ModelError, Tree
from exactree.export import from_json, to_json
from exactree.prune import prune_with_bound, prune_with_cross_validation
from exactree.theory import TreeShape, risk_bound, shape_of, vapnik_risk_bound

from .mistakes import FRAME, X, Y, is_short_line, small

WRONG_CALLS: list[tuple[str, Callable[[], Any], str]] = [
    ("a shape of one child", lambda: TreeShape(TreeShape()), "the right child is missing"),
    ("a shape of no shape", lambda: TreeShape(TreeShape(), "."), "right child must be a TreeShape"),  # type: ignore[arg-type]
    ("the shape of no tree", lambda: shape_of(7), "tree must be a fitted tree"),  # type: ignore[arg-type]
    ("pruning no tree", lambda: prune_with_bound(7, X, Y), "tree must be a Tree, .*got int"),
    ("pruning what is not fitted", lambda: prune_with_bound(small(), X, Y), "not fitted yet"),
    ("no rows", lambda: prune_with_bound(small().fit(X, Y), X[:0], Y[:0]), "X has no rows"),
    ("fewer labels", lambda: prune_with_bound(small().fit(X, Y), X, Y[:3]), "4 rows but y has 3"),
    ("no labels", lambda: prune_with_bound(small().fit(X, Y), X, None), "y"),
    ("a new class", lambda: prune_with_bound(small().fit(X, Y), X, [0, 0, 1, 2]), "y, row 3: 2 is"),
    ("other columns", lambda: prune_with_bound(small().fit(X, Y), X[:, :1], Y), "X has 1 features"),
    (
        "a value that is no number",
        lambda: prune_with_bound(small().fit(X, Y), X * np.nan, Y),
        "NaN",
    ),
    ("folds of no tree", lambda: prune_with_cross_validation(None, X, Y), "got NoneType"),
]


@pytest.mark.parametrize(("name", "call", "words"), WRONG_CALLS, ids=lambda value: str(value)[:20])
def test_arguments_that_cannot_be_pruned_or_bounded_are_refused(
    name: str, call: Callable[[], Any], words: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call()
    assert is_short_line(str(caught.value)), name


PRUNING: list[tuple[str, Any, str]] = [
    ("delta", 0, "delta must be a number between 0 and 1, found 0"),
    ("delta", 1, "delta must be a number between 0 and 1, found 1"),
    ("delta", -0.1, "delta must be"),
    ("delta", float("nan"), "delta must be"),
    ("delta", None, "delta must be"),
    ("r", 0.0, "r must be a number between 0 and 1, found 0.0"),
    ("r", float("inf"), "r must be"),
    ("risk", "hoeffding", "risk must be one of shawe-taylor, vapnik, found 'hoeffding'"),
    ("form", "tighter", "form must be one of tight, loose, paper, found 'tighter'"),
]


@pytest.mark.parametrize(("name", "value", "words"), PRUNING)
def test_a_wrong_parameter_of_pruning_is_refused(name: str, value: Any, words: str) -> None:
    tree = small().fit(X, Y).tree_
    with pytest.raises(ValueError, match=words) as caught:
        prune_with_bound(tree, X, Y, **{name: value})
    assert is_short_line(str(caught.value))


def test_bounds_never_overflow() -> None:
    """For the largest tables, the smallest probabilities and the most classes that are accepted."""
    shape = TreeShape()
    for _ in range(300):
        shape = TreeShape(shape, TreeShape())
    table = {"n_features": 10**12, "n_examples": 10**12, "n_classes": 30, "n_errors": 10**12}
    for bound in (risk_bound, vapnik_risk_bound):
        assert np.isfinite(bound(shape, delta=5e-324, **table))  # type: ignore[operator]
    assert np.isfinite(risk_bound(shape, r=5e-324, **table))
    tree = small().fit(X, Y).tree_
    for risk in ("shawe-taylor", "vapnik"):
        pruning = prune_with_bound(tree, X, Y, delta=5e-324, r=5e-324, risk=risk)  # type: ignore[arg-type]
        assert np.isfinite(pruning.bounds).all()


def changed(*path: Any, to: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that sets one value of nested dictionaries."""

    def change(model: dict[str, Any]) -> Any:
        container: Any = model
        for key in path[:-1]:
            container = container[key]
        container[path[-1]] = to
        return model

    return change


def version_key(model: dict[str, Any]) -> str:
    """Return the key of the schema version in a model's dictionary."""
    (name,) = (key for key in model if "version" in key)
    return name


def test_dictionaries_that_are_not_models_are_refused() -> None:
    good = small().fit(FRAME, Y).tree_.to_dict()
    assert Tree.from_dict(copy.deepcopy(good)) == small().fit(FRAME, Y).tree_
    version = version_key(good)
    future = changed(version, to=999)(copy.deepcopy(good))
    with pytest.raises(ModelError, match=r"999"):
        Tree.from_dict(future)
    for other in ({}, {"hello": 1}, [], None, "tree", 7):
        with pytest.raises(ModelError):
            Tree.from_dict(other)  # type: ignore[arg-type]
    for key in good:
        lacking = {name: value for name, value in good.items() if name != key}
        with pytest.raises(ModelError):
            Tree.from_dict(lacking)
    for key in good:
        with pytest.raises(ModelError):
            Tree.from_dict(changed(key, to={"not": "ours"})(copy.deepcopy(good)))


def test_texts_that_are_truncated_or_not_models_are_refused() -> None:
    text = to_json(small().fit(FRAME, Y).tree_)
    assert from_json(text) == small().fit(FRAME, Y).tree_
    body = text.rstrip()
    for end in range(0, len(body), max(1, len(body) // 40)):
        with pytest.raises(ModelError) as caught:
            from_json(body[:end])
        assert is_short_line(str(caught.value))
    for other in ("hello", "null", "[1, 2]", '{"a": 1}', "<svg/>", "NaN", "\x00\x01"):
        with pytest.raises(ModelError):
            from_json(other)
    future = json.loads(text)
    future[version_key(future)] = 999
    with pytest.raises(ModelError, match="999"):
        from_json(json.dumps(future))
