"""Trees with one to three nodes over several families of rules, and models to compare with.

There are many surfaces, so they use only two or three features: those of the best logistic
regressions, chosen on the training examples alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.limited import solve_within
from exactree import Limits, Problem, Status
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed, RuleFamily

__all__ = ["MODELS", "Fitted", "Model", "Training", "features_for_lines"]

DEPTH = 2  # maximum depth of every tree: three nodes are a root and its two children

Labels = NDArray[np.int64]
Table = NDArray[np.float64]
Features = tuple[int, ...]


@dataclass(frozen=True)
class Training:
    """Training data of a model, with features and limit.

    Attributes
    ----------
    X, y : ndarray
        The examples; labels are 0, 1, ...
    nodes : int
        Maximum number of nodes of a tree.
    features : tuple of int
        The features of surfaces, the best two first.
    seconds : float
        CPU seconds that a search may take.
    """

    X: Table
    y: Labels
    nodes: int
    features: Features
    seconds: float


@dataclass(frozen=True)
class Fitted:
    """A fitted model.

    Attributes
    ----------
    predict : callable
        From examples to labels.
    size : int
        Nodes of the tree.
    proved : bool or None
        Whether the model claims that no tree within the same limits makes fewer training errors;
        None for models that make no such claim.
    left_out : int
        Number of splits of the examples by a surface for which no rule in floating-point numbers
        was found.
    """

    predict: Callable[[Table], Labels]
    size: int = 0
    proved: bool | None = None
    left_out: int = 0


@dataclass(frozen=True)
class Model:
    """A model of the comparison.

    Attributes
    ----------
    fit : callable
        From the training to the fitted model.
    tree : bool
        Whether it is a tree, which is trained for each number of nodes.
    only_few : bool
        Whether it is trained on few examples only, because it has very many rules.
    """

    fit: Callable[[Training], Fitted]
    tree: bool = True
    only_few: bool = False


def features_for_lines(X: Table, y: Labels) -> Features:
    """Return the two features whose logistic regression has the least log-loss, and the best third.

    Parameters
    ----------
    X, y : ndarray
        The training examples.

    Returns
    -------
    tuple of int
        Three features, or all features of a table that has fewer; ties go to the first.
    """
    scaled = StandardScaler().fit_transform(X)

    def loss(features: Features) -> float:
        columns = scaled[:, list(features)]
        return float(log_loss(y, LogisticRegression().fit(columns, y).predict_proba(columns)))

    all_features = range(X.shape[1])
    if len(all_features) < 3:
        return tuple(all_features)
    pair = min(combinations(all_features, 2), key=loss)
    third = min((f for f in all_features if f not in pair), key=lambda f: loss((*pair, f)))
    return (*pair, third)


def _optimal(family: Callable[[Features], RuleFamily]) -> Callable[[Training], Fitted]:
    """Return a function that finds the tree with the fewest errors over a family of rules."""

    def fit(training: Training) -> Fitted:
        limits = Limits(max_depth=min(DEPTH, training.nodes), max_size=training.nodes)
        rules = family(training.features)
        problem = Problem(training.X, training.y, rules=rules, minimize="errors", limits=limits)
        outcome, _ = solve_within(problem, training.seconds)
        assert outcome.tree is not None
        proved = outcome.status is Status.OPTIMAL
        left_out = int(outcome.stats.get("surfaces_left_out", 0))
        return Fitted(outcome.tree.predict, outcome.tree.size, proved, left_out)

    return fit


def _cart(training: Training) -> Fitted:
    limits = {"max_depth": DEPTH, "max_leaf_nodes": training.nodes + 1}
    cart = DecisionTreeClassifier(**limits, random_state=0).fit(training.X, training.y)
    return Fitted(cart.predict, int(cart.tree_.node_count - cart.tree_.n_leaves))


def _logistic(training: Training) -> Fitted:
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return Fitted(model.fit(training.X, training.y).predict)


def _logistic_of_two(training: Training) -> Fitted:
    pair = list(training.features[:2])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(training.X[:, pair], training.y)
    return Fitted(lambda X: model.predict(X[:, pair]))


def _largest_class(training: Training) -> Fitted:
    label = np.bincount(training.y).argmax()
    return Fitted(lambda X: np.full(len(X), label))


# Models by their names in tables and pictures.
MODELS: dict[str, Model] = {
    "largest class": Model(_largest_class, tree=False),
    "logistic regression": Model(_logistic, tree=False),
    "logistic regression, two features": Model(_logistic_of_two, tree=False),
    "CART": Model(_cart),
    "thresholds": Model(_optimal(lambda _: AxisParallel())),
    "thresholds, two features": Model(_optimal(lambda best: AxisParallel(best[:2]))),
    "lines": Model(_optimal(lambda best: Hyperplanes(best[:2]))),
    "thresholds and lines": Model(
        _optimal(lambda best: Mixed((AxisParallel(), Hyperplanes(best[:2]))))
    ),
    "planes": Model(_optimal(Hyperplanes), only_few=True),
    "curves of degree two": Model(_optimal(lambda best: Hypersurfaces(2, best[:2])), only_few=True),
}
