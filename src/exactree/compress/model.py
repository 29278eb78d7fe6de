"""The rules and predictions of a model: thresholds and codes by feature, and a class for any row.

A model is a tree or an ensemble of this package, or a classifier of trees of scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.features import default_names
from exactree.data.levels import Levels
from exactree.data.thresholds import before_rounding
from exactree.export.wording import refuse_surfaces, trees_of
from exactree.trees import Ensemble, RegressionTree, Tree
from exactree.trees.checks import refuse_level_sets, refuse_missing
from exactree.trees.routing import EQUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ACCEPTED = (
    "a Tree, an Ensemble, a fitted classifier of exactree, or a fitted DecisionTreeClassifier, "
    "RandomForestClassifier, ExtraTreesClassifier, GradientBoostingClassifier or "
    "HistGradientBoostingClassifier"
)


@dataclass(frozen=True)
class InputModel:
    """The rules and predictions of a model to compress: an ensemble, or a single tree.

    Attributes
    ----------
    thresholds, codes : dict of int to tuple of float
        The numbers t of the rules "x[feature] <= t" and "x[feature] == t" by feature, ascending.
    predict_index : callable
        Returns the class index of every row of a table.
    classes : ndarray
        The labels.
    feature_names : tuple of str
        A name for each feature.
    named : bool
        Whether the names were given by the user.
    levels : mapping of int to tuple
        The levels of features of text or categories.
    """

    thresholds: dict[int, tuple[float, ...]]
    codes: dict[int, tuple[float, ...]]
    predict_index: Callable[[NDArray[np.float64]], NDArray[np.int64]]
    classes: NDArray[Any]
    feature_names: tuple[str, ...]
    named: bool
    levels: Levels = field(default_factory=dict)


def read_model(model: Any) -> InputModel:
    """Read a model.

    Parameters
    ----------
    model : object
        A tree, an ensemble, or a fitted classifier of this package or of scikit-learn.

    Raises
    ------
    TypeError
        If it is any other object.
    ValueError
        If it has rules that the smallest equal tree cannot have, or an initial estimator.
    """
    for fitted in ("tree_", "ensemble_"):
        found = getattr(model, fitted, None)
        model = found if isinstance(found, Tree | Ensemble) else model
    if isinstance(model, Tree | Ensemble) and not isinstance(model, RegressionTree):
        return _of_ours(model)
    if type(model).__module__.startswith("sklearn."):
        return _of_sklearn(model)
    raise TypeError(f"smallest_equal_tree takes {_ACCEPTED}, got {type(model).__name__}.")


def _of_ours(model: Tree | Ensemble) -> InputModel:
    thresholds: list[tuple[int, float]] = []
    codes: list[tuple[int, float]] = []
    refuse_surfaces(model, "the smallest equal tree")
    for tree in trees_of(model):
        refuse_missing(tree, "the smallest equal tree takes none")
        refuse_level_sets(tree, "the smallest equal tree")
        for node in np.flatnonzero(tree.feature >= 0).tolist():
            rules = codes if tree.comparison[node] == EQUAL else thresholds
            rules.append((int(tree.feature[node]), float(tree.threshold[node])))
    return InputModel(
        _by_feature(thresholds),
        _by_feature(codes),
        model.predict_index,
        model.classes,
        model.feature_names,
        model.named,
        model.levels,
    )


def _of_sklearn(model: Any) -> InputModel:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if not hasattr(model, "classes_") or getattr(model, "n_outputs_", 1) != 1:
        raise TypeError(
            f"smallest_equal_tree takes classifiers with a single output, got {model!r}."
        )
    names = getattr(model, "feature_names_in_", None)
    features = default_names(model.n_features_in_) if names is None else tuple(names.tolist())
    class_index = {label: number for number, label in enumerate(model.classes_.tolist())}

    def predict_index(X: NDArray[np.float64]) -> NDArray[np.int64]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            labels = model.predict(X).tolist()
        return np.array([class_index[label] for label in labels], dtype=np.int64)

    thresholds = _by_feature(_sklearn_thresholds(model))
    return InputModel(thresholds, {}, predict_index, model.classes_, features, names is not None)


def _sklearn_thresholds(model: Any) -> Iterator[tuple[int, float]]:
    """Yield the feature and threshold of every inner node of a model of scikit-learn."""
    from sklearn import ensemble, tree

    if isinstance(model, ensemble.HistGradientBoostingClassifier):
        if model.is_categorical_ is not None and model.is_categorical_.any():
            raise ValueError(
                "smallest_equal_tree takes HistGradientBoostingClassifier without categorical "
                "features only: these have rules on sets of codes, which the smallest tree cannot "
                "use."
            )
        for predictor in chain.from_iterable(model._predictors):  # a list for each iteration
            inner = predictor.nodes[predictor.nodes["is_leaf"] == 0]
            yield from zip(
                inner["feature_idx"].tolist(), inner["num_threshold"].tolist(), strict=True
            )
        return
    if isinstance(model, tree.DecisionTreeClassifier):
        trees = [model]
    elif isinstance(model, ensemble.RandomForestClassifier | ensemble.ExtraTreesClassifier):
        trees = model.estimators_
    elif isinstance(model, ensemble.GradientBoostingClassifier):
        if model.init not in (None, "zero"):
            raise ValueError(
                "smallest_equal_tree takes GradientBoostingClassifier with init=None or 'zero' "
                f"only: another estimator may have any rules, got init={model.init!r}."
            )
        trees = model.estimators_.ravel().tolist()
    else:
        raise TypeError(f"smallest_equal_tree takes {_ACCEPTED}, got {type(model).__name__}.")
    for estimator in trees:
        arrays = estimator.tree_
        for node in np.flatnonzero(arrays.children_left >= 0).tolist():
            yield int(arrays.feature[node]), before_rounding(float(arrays.threshold[node]))


def _by_feature(rules: Any) -> dict[int, tuple[float, ...]]:
    """Sort the distinct finite numbers of rules by feature; infinite thresholds split nothing."""
    found: dict[int, set[float]] = {}
    for feature, number in rules:
        if np.isfinite(number):
            found.setdefault(feature, set()).add(number + 0.0)  # a float, and 0.0 instead of -0.0
    return {feature: tuple(sorted(found[feature])) for feature in sorted(found)}
