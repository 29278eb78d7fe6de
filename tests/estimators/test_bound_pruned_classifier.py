"""BoundPrunedTreeClassifier grows a greedy tree and prunes it as `prune_with_bound` does."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from exactree import BoundPrunedTreeClassifier, prune_with_bound
from exactree.prune import grow_greedily

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("order", ["best-first", "depth-first", "purest-first"])
@pytest.mark.parametrize("r", [2**-13.7, 0.5])
def test_a_fit_is_the_pruned_greedy_tree(order: Any, r: float) -> None:
    model = BoundPrunedTreeClassifier(6, order=order, r=r, random_state=0).fit(*IRIS)
    greedy = grow_greedily(*IRIS, max_leaves=6, order=order, random_state=0)
    expected = prune_with_bound(greedy, *IRIS, r=r)
    assert model.tree_ == expected.tree
    assert model.pruning_ == expected
    assert model.get_n_leaves() == expected.tree.leaves <= greedy.leaves
    assert (model.predict(IRIS[0]) != IRIS[1]).sum() == expected.n_errors
    assert model.predict_proba(IRIS[0]).shape == (150, 3)


def test_without_a_limit_on_leaves_the_greedy_tree_has_no_errors() -> None:
    """With such a small r no node is pruned."""
    model = BoundPrunedTreeClassifier(None, r=1e-300, random_state=0).fit(*IRIS)
    assert model.score(*IRIS) == 1


def test_categories_are_split_by_code() -> None:
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 6, size=200), rng.random(200)]
    y = (X[:, 0] == 3) ^ (rng.random(200) < 0.05)
    model = BoundPrunedTreeClassifier(categories=[0], r=0.01, random_state=0).fit(X, y)
    assert model.get_n_leaves() == 2
    assert str(model.tree_).startswith("x0 == 3")
    greedy = grow_greedily(X, y, categories=[0], random_state=0)
    assert model.pruning_ == prune_with_bound(greedy, X, y, categories=[0], r=0.01)
    assert BoundPrunedTreeClassifier(r=0.01, random_state=0).fit(X, y).get_n_leaves() > 2


def test_labels_of_mixed_types_and_names_of_columns_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"length": np.arange(40.0), "width": np.zeros(40)})
    labels = [("short", 1)] * 20 + ["long"] * 20
    model = BoundPrunedTreeClassifier(r=0.5).fit(frame, labels)
    assert model.predict(frame).tolist() == labels
    assert list(model.feature_names_in_) == ["length", "width"]
    assert model.tree_.feature_names == ("length", "width")
    model.fit(frame.to_numpy(), labels)
    assert not hasattr(model, "feature_names_in_")


def test_r_can_be_tuned_and_the_best_estimator_pickled() -> None:
    search = GridSearchCV(
        BoundPrunedTreeClassifier(random_state=0), {"r": np.array([2.0**-14, 0.9])}, cv=3
    ).fit(*IRIS)
    assert search.best_params_["r"] == 2.0**-14
    read = pickle.loads(pickle.dumps(search.best_estimator_))
    assert read.pruning_ == search.best_estimator_.pruning_
    assert not hasattr(clone(read), "tree_")


WRONG = [
    ("max_leaves", 0),
    ("max_leaves", 2.5),
    ("max_leaves", "many"),
    ("order", "random"),
    ("delta", 0),
    ("delta", 1),
    ("delta", float("nan")),
    ("delta", "small"),
    ("r", 0),
    ("r", 1.5),
    ("r", None),
    ("risk", "chernoff"),
    ("form", "exact"),
    ("categories", "x0"),
    ("categories", [0]),
    ("categories", [9]),
    ("random_state", "seed"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_is_refused_by_name_and_leaves_the_earlier_fit(
    name: str, value: Any
) -> None:
    model = BoundPrunedTreeClassifier().fit(*IRIS)
    before = model.tree_
    model.set_params(**{name: value})
    with pytest.raises((ValueError, TypeError), match=name if name != "random_state" else "seed"):
        model.fit(*IRIS)
    assert model.tree_ is before


def test_fit_has_no_parameter_for_weights() -> None:
    with pytest.raises(TypeError, match="sample_weight"):
        BoundPrunedTreeClassifier().fit(*IRIS, sample_weight=np.ones(150))  # type: ignore[call-arg]
