"""Conversion of scikit-learn's trees with equal predictions, and collapsing of nodes."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from exactree import OptimalEnsembleClassifier, OptimalTreeClassifier
from exactree.prune import prune_with_bound, read_tree
from exactree.prune.partly_pruned import collapsed

IRIS = load_iris(return_X_y=True)
TWO_TREES = OptimalEnsembleClassifier(2).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("leaves", [None, 5])  # with a limit, nodes are not in preorder
def test_a_converted_tree_predicts_the_same(
    kind: type[DecisionTreeClassifier], leaves: int | None
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32).astype(np.float64)
    y = np.array(["a", "b", "c"])[(X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)]
    weight = rng.random(300)
    for sample_weight in (None, weight):
        model = kind(max_leaf_nodes=leaves, max_depth=7, random_state=0)
        model.fit(X, y, sample_weight=sample_weight)
        tree = read_tree(model)
        rows = np.concatenate(
            [X, np.repeat(tree.threshold, 4).reshape(-1, 4), rng.normal(size=(500, 4))]
        )
        assert tree.predict(rows).tolist() == model.predict(rows).tolist()
        np.testing.assert_allclose(tree.predict_proba(rows), model.predict_proba(rows), atol=1e-12)
        assert tree.leaves == model.get_n_leaves()
        assert tree.depth == model.get_depth()
        if sample_weight is None:
            assert tree.errors[tree.feature < 0].sum() == (tree.predict(X) != y).sum()


def test_names_of_features_are_kept() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"length": [0.0, 1.0, 2.0], "width": [0.0, 1.0, 0.0]})
    tree = read_tree(DecisionTreeClassifier().fit(frame, ["a", "b", "a"]))
    assert (tree.named, tree.feature_names) == (True, ("length", "width"))


def test_a_tree_of_a_forest_is_accepted() -> None:
    forest = RandomForestClassifier(2, random_state=0).fit(*IRIS)
    assert prune_with_bound(forest.estimators_[0], *IRIS).tree.size >= 0


@pytest.mark.parametrize("seed", range(20))
def test_collapsed_nodes_predict_their_own_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 9, size=(80, 3)).astype(float), rng.integers(0, 3, size=80)
    tree = read_tree(DecisionTreeClassifier(random_state=seed).fit(X, y))
    nodes = rng.choice(np.flatnonzero(tree.feature >= 0), size=5).tolist()
    pruned = collapsed(tree, nodes)
    paths = np.asarray(tree.decision_path(X).todense(), dtype=bool)
    for row in range(80):
        collapsed_nodes = [node for node in np.flatnonzero(paths[row]) if node in nodes]
        end = collapsed_nodes[0] if collapsed_nodes else tree.apply(X[[row]])[0]
        assert pruned.predict_index(X[[row]])[0] == tree.prediction[end]
    assert collapsed(tree, []) == tree
    assert collapsed(tree, [0]).leaves == 1


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (None, TypeError, "got NoneType"),
        ("tree", TypeError, "got str"),
        (DecisionTreeClassifier, TypeError, "got ABCMeta"),
        (DecisionTreeClassifier(), ValueError, "not fitted yet"),
        (OptimalTreeClassifier(), ValueError, "not fitted yet"),
        (TWO_TREES, TypeError, "got OptimalEnsembleClassifier"),
        (RandomForestClassifier(2).fit(*IRIS), TypeError, "got RandomForestClassifier"),
        (
            DecisionTreeClassifier().fit(IRIS[0], np.c_[IRIS[1], IRIS[1]]),
            TypeError,
            "got 2 outputs",
        ),
    ],
)
def test_foreign_models_are_refused(model: object, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        prune_with_bound(model, *IRIS)
