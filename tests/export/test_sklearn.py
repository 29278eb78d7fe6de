"""to_sklearn: an object of scikit-learn's class, equal predictions, warnings about float32."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.export import to_sklearn
from exactree.trees import Ensemble, Tree, grow

sklearn = pytest.importorskip("sklearn")
LEAF = (-1, 0.0, 0.0, -1, -1)
# Values that float32 distinguishes.
DISTINCT_IN_FLOAT32 = [0.0, 1.0, 0.1, 2.5, -3.0, 1e30, -1e30, 1e-30, 16777216.0]


def without_warning(tree: Tree, X: Any = None) -> Any:
    """Convert to scikit-learn's class; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return to_sklearn(tree, X)


@given(data=st.data())
def test_every_row_gets_the_prediction_of_the_model(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table(DISTINCT_IN_FLOAT32, codes=False))
    tree, X = case.tree, case.dataset.X
    for classifier in (without_warning(tree), without_warning(tree, X)):
        assert classifier.predict(X).tolist() == tree.predict(X).tolist()
        assert classifier.apply(X).tolist() == tree.apply(X).tolist()
        assert classifier.predict_proba(X) == pytest.approx(tree.predict_proba(X))
        assert (classifier.decision_path(X) != tree.decision_path(X)).nnz == 0
        assert classifier.get_depth() == tree.depth
        assert classifier.get_n_leaves() == tree.leaves
        assert classifier.classes_.tolist() == tree.classes.tolist()


@given(data=st.data())
def test_a_forest_has_the_votes_of_the_ensemble(voting: Any, data: Any) -> None:
    """The votes are equal as counts, so that ties are broken alike."""
    ensemble, dataset = data.draw(voting(DISTINCT_IN_FLOAT32, codes=False))
    X = dataset.X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forests = (ensemble.to_sklearn(), to_sklearn(ensemble, X))
    for forest in forests:
        assert forest.predict(X).tolist() == ensemble.predict(X).tolist()
        votes = ensemble.votes(X)
        assert (forest.predict_proba(X) == votes / len(ensemble.trees)).all()
        each = [tree.predict(X).astype(int).tolist() for tree in forest.estimators_]
        assert each == [tree.predict_index(X).tolist() for tree in ensemble.trees]
        assert forest.apply(X).T.tolist() == [tree.apply(X).tolist() for tree in ensemble.trees]
        assert forest.classes_.tolist() == ensemble.classes.tolist()


def test_a_forest_is_a_complete_estimator(three_trees: Ensemble) -> None:
    pandas = pytest.importorskip("pandas")
    forest = pickle.loads(pickle.dumps(three_trees.to_sklearn()))
    frame = pandas.DataFrame({"length": [1.0, 5.0, 3.0], "width": [0.0, 2.0, 0.15]})
    assert forest.feature_names_in_.tolist() == ["length", "width"]
    assert forest.predict(frame).tolist() == three_trees.predict(frame).tolist()
    again = sklearn.base.clone(forest).fit([[0.0], [1.0]], [0, 1])
    assert len(again.estimators_) == 3
    assert forest.feature_importances_.sum() == pytest.approx(1)


@given(data=st.data())
def test_the_warning_names_exactly_the_rows_that_float32_moves(
    fitted_table: Any, data: Any
) -> None:
    """A named row reaches another leaf in scikit-learn's tree, all other rows the same leaf."""
    case = data.draw(fitted_table(codes=False))
    tree, X = case.tree, case.dataset.X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier = to_sklearn(tree, X)
    differ = np.flatnonzero(classifier.apply(X) != tree.apply(X))
    if len(differ):
        (warning,) = caught
        assert str(warning.message).endswith(f"row(s) {', '.join(map(str, differ))}")
    else:
        assert not caught
        assert classifier.predict(X).tolist() == tree.predict(X).tolist()


def test_rules_by_code_are_refused() -> None:
    dataset = make_dataset([[3.0, 0.5], [5.0, 0.5], [7.0, 0.7]], [0, 1, 1])
    tree = grow(dataset, [(0, 5.0, None, 1, 2), LEAF, (1, 0.5, 0.7, 3, 4), LEAF, LEAF])
    with pytest.raises(ValueError, match=r"thresholds, and node\(s\) 0 compare .* \(x0 == 5\)"):
        to_sklearn(tree)


def tree_between(low: float, high: float) -> tuple[Tree, np.ndarray]:
    """Return a stump that separates two values, and its table of three rows."""
    X = np.array([[low], [high], [low]])
    return grow(make_dataset(X, ["a", "b", "a"]), [(0, low, high, 1, 2), LEAF, LEAF]), X


def test_rows_that_float32_merges_are_named() -> None:
    tree, X = tree_between(1.0, 1.0 + 1e-12)
    with pytest.warns(UserWarning, match=r"sends 1 of the rows to another leaf: row\(s\) 1$"):
        to_sklearn(tree, X)
    with pytest.warns(UserWarning, match="changes the leaf of training rows"):
        to_sklearn(tree)
    unknown = Tree(**{**fields(tree), "same_in_float32": None})
    with pytest.warns(UserWarning, match="separates: pass the training table as X"):
        to_sklearn(unknown)


def test_rows_that_float32_keeps_apart_are_kept_apart() -> None:
    """The midpoint of the rounded values is another number; the threshold is moved there."""
    step = 2.0**-23  # between neighbouring float32 numbers from 1 to 2
    low, high = 1 + 0.4 * step, 1 + 1.4 * step
    tree, X = tree_between(low, high)
    tree = Tree(**{**fields(tree), "threshold": np.array([1 + 1.2 * step, -2.0, -2.0])})
    classifier = without_warning(tree, X)
    assert classifier.predict(X).tolist() == ["a", "b", "a"]


def fields(tree: Tree) -> dict[str, Any]:
    return {name: getattr(tree, name) for name in tree.__dataclass_fields__}


def test_rows_too_large_for_float32_are_named() -> None:
    tree, X = tree_between(1.0, 1e300)
    with pytest.warns(UserWarning, match=r"refuses 1 of the rows.*row\(s\) 1$"):
        to_sklearn(tree, X)


def test_the_warning_names_20_rows_and_counts_the_others() -> None:
    low, high = 1.0, 1.0 + 1e-12
    X = np.array([[low]] + [[high]] * 30)
    tree = grow(make_dataset(X, ["a"] + ["b"] * 30), [(0, low, high, 1, 2), LEAF, LEAF])
    with pytest.warns(UserWarning, match=r"19, 20 and 10 more$"):
        to_sklearn(tree, X)


def test_a_majority_of_one_among_heavy_weights_is_kept() -> None:
    """As shares in float64 the weights 2^59 and 2^59 + 1 are equal."""
    dataset = make_dataset([[0.0], [0.0]], ["a", "b"], [2**59, 2**59 + 1])
    assert without_warning(grow(dataset, [LEAF])).predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("name", ["leaf", "numbers", "missing", "regression", "ensemble"])
def test_a_million_rows_get_the_prediction_of_the_model(zoo: Any, name: str) -> None:
    """A value above a threshold that float32 merges with it counts as this threshold."""
    case = zoo[name]
    rows = case.rows(1_000_000, infinite=False)
    rows[np.abs(rows) > 1e30] = 0
    merged = rows.copy()
    trees = getattr(case.model, "trees", (case.model,))
    nodes = [(t.feature[n], t.threshold[n]) for t in trees for n in range(t.node_count)]
    # The smallest threshold comes last: float32 merges the value with those between them, too.
    for feature, threshold in sorted(((f, t) for f, t in nodes if f >= 0), reverse=True):
        values = rows[:, feature]
        equal = values.astype(np.float32) == np.float32(threshold)
        merged[equal & (values > threshold), feature] = threshold
    model = without_warning(case.model, case.X)
    assert (model.predict(rows) == np.array(case.answers(merged))).all()
    assert model.predict(case.X).tolist() == case.answers(case.X)


def test_without_a_table_the_warning_rests_on_the_training_rows(zoo: Any) -> None:
    with pytest.warns(UserWarning, match="compares rounded features, and .* changes the leaf"):
        to_sklearn(zoo["close"].model)
    without_warning(zoo["numbers"].model)


def test_shap_values_add_up_to_the_probabilities(zoo: Any) -> None:
    shap = pytest.importorskip("shap", reason="shap is not installed")
    case = zoo["numbers"]
    model = without_warning(case.model)
    explainer = shap.TreeExplainer(model)
    values = explainer.shap_values(case.X, check_additivity=True)
    total = np.asarray(explainer.expected_value) + values.sum(axis=1)
    assert total == pytest.approx(case.model.predict_proba(case.X))


def test_dtreeviz_explains_the_same_path(zoo: Any) -> None:
    dtreeviz = pytest.importorskip("dtreeviz", reason="dtreeviz is not installed")
    case = zoo["numbers"]
    model = without_warning(case.model)
    y = case.model.predict_index(case.X)
    viz = dtreeviz.model(
        model,
        case.X,
        y,
        feature_names=list(case.names),
        target_name="y",
        class_names=["a", "b", "c"],
    )
    path = viz.explain_prediction_path(case.X[0])
    for node in case.model.decision_path(case.X[:1]).indices[:-1]:
        assert case.names[case.model.feature[node]] in path


def test_names_of_features_reach_frames_and_plots(small_tree: Tree) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("agg")
    from sklearn.tree import export_text

    classifier = small_tree.to_sklearn()
    frame = pandas.DataFrame({"length": [1.0, 5.0], "width": [0.0, 2.0]})
    assert classifier.feature_names_in_.tolist() == ["length", "width"]
    assert classifier.predict(frame).tolist() == small_tree.predict(frame).tolist()
    assert "|--- length <= 2.50" in export_text(classifier, feature_names=["length", "width"])
    assert len(sklearn.tree.plot_tree(classifier)) >= small_tree.node_count
    assert classifier.feature_importances_.sum() == pytest.approx(1)


def test_a_tree_is_a_complete_estimator(small_tree: Tree) -> None:
    classifier = pickle.loads(pickle.dumps(small_tree.to_sklearn()))
    assert type(classifier) is sklearn.tree.DecisionTreeClassifier
    assert type(sklearn.base.clone(classifier)) is sklearn.tree.DecisionTreeClassifier
    classifier.fit([[0.0], [1.0]], [0, 1])
    assert small_tree.classes.tolist() == ["flat", "long", "round"], "the fit changed the model"


def test_hostile_names_are_kept(hostile_tree: Tree) -> None:
    classifier = hostile_tree.to_sklearn()
    assert tuple(classifier.feature_names_in_) == hostile_tree.feature_names
    assert classifier.classes_.tolist() == hostile_tree.classes.tolist()


def test_labels_of_any_type_are_predicted() -> None:
    y = np.empty(2, dtype=object)
    y[:] = [("a", 1), frozenset()]
    tree = grow(make_dataset([[0.0], [1.0]], y), [(0, 0.0, 1.0, 1, 2), LEAF, LEAF])
    assert list(without_warning(tree).predict([[0.0], [1.0]])) == [("a", 1), frozenset()]
