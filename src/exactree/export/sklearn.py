"""Trees as fitted scikit-learn models, and the effect of scikit-learn's float32 on rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.thresholds import threshold_between
from exactree.errors import level_of_user
from exactree.export.calls import answers_file_names
from exactree.export.model import Model, unwrap
from exactree.export.wording import checked_float32_note, refuse_surfaces, rule
from exactree.trees.checks import refuse_missing
from exactree.trees.ensemble import Ensemble
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.routing import EQUAL, IN, route
from exactree.trees.shares import shares_of, votes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from exactree.trees import Tree

MAX_NAMED = 20  # rows named in the warning


@overload
def to_sklearn(model: RegressionTree, X: ArrayLike | None = None) -> DecisionTreeRegressor: ...


@overload
def to_sklearn(
    model: Tree, X: ArrayLike | None = None
) -> DecisionTreeClassifier | DecisionTreeRegressor: ...


@overload
def to_sklearn(model: Ensemble, X: ArrayLike | None = None) -> RandomForestClassifier: ...


@overload
def to_sklearn(model: Model, X: ArrayLike | None = None) -> Any: ...


@answers_file_names(
    "returns a tree of scikit-learn and writes no file: joblib.dump(export.{0}(model), {1})"
)
def to_sklearn(
    model: Model, X: ArrayLike | None = None
) -> DecisionTreeClassifier | DecisionTreeRegressor | RandomForestClassifier:
    """Return a fitted model of scikit-learn that predicts like the tree or the ensemble.

    A tree becomes a `sklearn.tree.DecisionTreeClassifier`. A regression tree becomes a
    `sklearn.tree.DecisionTreeRegressor`, whose impurities are mean errors. An ensemble becomes a
    `sklearn.ensemble.RandomForestClassifier`, whose trees give their class a probability of 1, so
    that ``predict_proba`` is the share of the votes and ties go to the earlier class.

    Scikit-learn rounds features to float32 before it compares them, so thresholds are rounded, too,
    and numbers that equal a threshold go left. With the training table as `X`, thresholds are moved
    if that keeps rows in their leaves, and a warning names the rows that float32 still sends to
    another leaf. Without `X`, a warning says whether float32 moves training rows, as `solve` has
    checked, or may do so.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The exported model.
    X : array or data frame, optional
        The rows that should reach the same leaves, usually the training table.

    Returns
    -------
    DecisionTreeClassifier, DecisionTreeRegressor or RandomForestClassifier
        Fitted, with ``classes_`` and ``feature_names_in_`` of the tree.

    Raises
    ------
    ValueError
        If a tree splits on the code of a category, as scikit-learn's trees have only thresholds.
    """
    unwrapped = unwrap(model)
    tree = unwrapped.model
    X = None if X is None else unwrapped.table(X)
    refuse_surfaces(tree, "a tree of scikit-learn")
    if isinstance(tree, Ensemble):
        return _forest(tree, [_thresholds(member, X) for member in tree.trees])
    threshold = _thresholds(tree, X)
    if isinstance(tree, RegressionTree):
        if tree.error_term == "absolute_error":
            refuse_missing(tree, "scikit-learn takes none where it minimizes absolute errors")
        found = _regressor(tree, threshold)
    else:
        found = _classifier(tree, threshold, shares_of(tree), tree.classes.copy())
    if tree.named:
        found.feature_names_in_ = np.array(tree.feature_names, dtype=object)
    return found


def _thresholds(tree: Tree, X: ArrayLike | None) -> NDArray[np.float64]:
    """Return thresholds for comparisons in float32, and warn of rows that change their leaf."""
    _refuse_codes(tree)
    if X is None:
        _warn_of_thresholds(tree)
        return _float32(tree.threshold)
    features = make_features(X, tree.feature_names, tree.named, tree.complete_features)
    rounded = _float32(features)
    threshold = _thresholds_for_float32(tree, features, rounded)
    _warn_of_rows(tree, features, rounded, threshold)
    return threshold


def _refuse_codes(tree: Tree) -> None:
    by_code = np.flatnonzero(np.isin(tree.comparison, (EQUAL, IN)))
    if len(by_code):
        raise ValueError(
            f"scikit-learn's trees have only thresholds, and node(s) {_listed(by_code)} compare a "
            f"code ({rule(tree, int(by_code[0]))}); fit the tree on one column of 0 and 1 per code "
            "instead of categories."
        )


def _float32(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round like scikit-learn before a comparison; too large values become infinite.

    Thresholds are rounded as well, so that numbers up to a threshold still go left.
    """
    with np.errstate(over="ignore"):
        return features.astype(np.float32).astype(np.float64)


def _thresholds_for_float32(
    tree: Tree, features: NDArray[np.float64], rounded: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return thresholds that split the rounded rows as the tree splits the rows, if possible."""
    chosen = _float32(tree.threshold)
    subsets = {0: np.arange(len(features))}
    for node in range(tree.node_count):
        if tree.is_leaf(node):
            continue
        subset, feature = subsets.pop(node), tree.feature[node]
        goes_left = tree.goes_left(node, features[subset])
        left, right = subset[goes_left], subset[~goes_left]
        subsets[int(tree.children_left[node])] = left
        subsets[int(tree.children_right[node])] = right
        if len(left) and len(right):
            # Infinite if a child has only missing values; then no threshold is better.
            low = np.nanmax(rounded[left, feature], initial=-np.inf)
            high = np.nanmin(rounded[right, feature], initial=np.inf)
            if -np.inf < low < high < np.inf and not low <= chosen[node] < high:
                chosen[node] = _float32(threshold_between(low, high))
    return chosen


def _warn_of_thresholds(tree: Tree) -> None:
    """Warn if float32 sends training rows to other leaves, or may do so."""
    if tree.same_in_float32 is not None:
        checked_float32_note(tree, "a tree of scikit-learn", rounds=True)
        return
    warnings.warn(
        "scikit-learn compares in float32, which may not distinguish the values that the tree "
        "separates: pass the training table as X to see which rows are affected",
        UserWarning,
        stacklevel=level_of_user(),
    )


def _warn_of_rows(
    tree: Tree,
    features: NDArray[np.float64],
    rounded: NDArray[np.float64],
    threshold: NDArray[np.float64],
) -> None:
    """Warn of rows that do not reach their leaf in scikit-learn."""
    astray = route(tree, features) != route(tree, rounded, threshold)
    too_large = np.isinf(rounded).any(axis=1)
    astray &= ~too_large
    if astray.any():
        warnings.warn(
            f"scikit-learn compares in float32, which sends {int(astray.sum())} of the rows to "
            f"another leaf: row(s) {_listed(np.flatnonzero(astray))}",
            UserWarning,
            stacklevel=level_of_user(),
        )
    if too_large.any():
        warnings.warn(
            f"scikit-learn compares in float32 and refuses {int(too_large.sum())} of the rows, "
            f"which have larger values: row(s) {_listed(np.flatnonzero(too_large))}",
            UserWarning,
            stacklevel=level_of_user(),
        )


def _listed(numbers: NDArray[np.int64]) -> str:
    text = ", ".join(str(number) for number in numbers[:MAX_NAMED].tolist())
    more = len(numbers) - MAX_NAMED
    return f"{text} and {more} more" if more > 0 else text


def _forest(ensemble: Ensemble, thresholds: list[NDArray[np.float64]]) -> RandomForestClassifier:
    """Build a fitted `RandomForestClassifier` from the given trees."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    n_classes = len(ensemble.classes)
    forest = RandomForestClassifier(n_estimators=len(ensemble.trees), bootstrap=False)
    forest.estimator_ = DecisionTreeClassifier()
    # The trees of a forest have neither names nor labels, only indices of classes.
    forest.estimators_ = [
        _classifier(tree, threshold, votes_of(tree), np.arange(n_classes, dtype=np.float64))
        for tree, threshold in zip(ensemble.trees, thresholds, strict=True)
    ]
    forest.n_features_in_ = len(ensemble.feature_names)
    if ensemble.named:
        forest.feature_names_in_ = np.array(ensemble.feature_names, dtype=object)
    forest.classes_ = ensemble.classes.copy()
    forest.n_classes_ = n_classes
    forest.n_outputs_ = 1
    return forest


def _classifier(
    tree: Tree, threshold: NDArray[np.float64], shares: NDArray[np.float64], classes: NDArray[Any]
) -> DecisionTreeClassifier:
    """Build a fitted `DecisionTreeClassifier` from the given tree."""
    from sklearn.tree import DecisionTreeClassifier

    classifier = DecisionTreeClassifier()
    classifier.n_features_in_ = tree.n_features
    classifier.classes_ = classes
    classifier.n_classes_ = np.int64(tree.n_classes)
    classifier.n_outputs_ = 1
    classifier.max_features_ = tree.n_features
    impurity = 1.0 - (shares**2).sum(axis=1)
    classes_of_outputs = np.array([tree.n_classes], dtype=np.intp)
    classifier.tree_ = _sklearn_tree(tree, threshold, shares, impurity, classes_of_outputs)
    return classifier


def _regressor(tree: RegressionTree, threshold: NDArray[np.float64]) -> DecisionTreeRegressor:
    """Build a fitted `DecisionTreeRegressor` from the given tree."""
    from sklearn.tree import DecisionTreeRegressor

    regressor = DecisionTreeRegressor(criterion=tree.error_term)
    regressor.n_features_in_ = tree.n_features
    regressor.n_outputs_ = 1
    regressor.max_features_ = tree.n_features
    impurity = tree.errors / tree.weight
    one_output = np.array([1], dtype=np.intp)
    regressor.tree_ = _sklearn_tree(tree, threshold, tree.value, impurity, one_output)
    return regressor


def _sklearn_tree(
    tree: Tree,
    threshold: NDArray[np.float64],
    values: NDArray[np.float64],
    impurity: NDArray[np.float64],
    classes_of_outputs: NDArray[np.intp],
) -> Any:
    """Fill scikit-learn's own tree through its pickle protocol, the only interface for this."""
    from sklearn.tree import _tree

    # Zeros are neutral values for fields that a later scikit-learn may add.
    nodes = np.zeros(tree.node_count, dtype=_tree.NODE_DTYPE)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    nodes["feature"] = tree.feature
    nodes["threshold"] = threshold
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    nodes["impurity"] = impurity
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    state = {
        "max_depth": tree.depth,
        "node_count": tree.node_count,
        "nodes": nodes,
        "values": np.ascontiguousarray(values[:, None, :]),
    }
    filled = _tree.Tree(tree.n_features, classes_of_outputs, 1)
    filled.__setstate__(state)
    return filled
