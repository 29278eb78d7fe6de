"""Models compared on new examples (exact models, forests, CART), and their sizes.

Searches of exact models have a limit in CPU seconds; the models record whether they are proved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.limited import smallest, solve_within, unavoidable_errors
from exactree import Status

__all__ = ["MODELS", "Fitted", "fit"]

Labels = NDArray[np.int64]
Table = NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """A fitted model.

    Attributes
    ----------
    predict : callable
        From examples to labels.
    total_size, largest_size : int
        Nodes of all its trees, and of the largest tree.
    proved : bool or None
        Whether the model is proved to be smallest, or each bootstrap tree for its sample; None for
        models without such a claim.
    """

    predict: Callable[[Table], Labels]
    total_size: int
    largest_size: int
    proved: bool | None


@dataclass(frozen=True)
class Training:
    """Training data of a model, with seed and limit.

    Attributes
    ----------
    X, y : ndarray
        The examples; labels are 0, 1, ...
    seed : int
        Seed of the random generator.
    seconds : float
        CPU seconds that each exact search may take.
    """

    X: Table
    y: Labels
    seed: int
    seconds: float


def fit(name: str, X: Table, y: Labels, seed: int, seconds: float) -> Fitted:
    """Return a fitted model.

    Parameters
    ----------
    name : str
        Its name in `MODELS`.
    X, y : ndarray
        The training examples; labels are 0, 1, ...
    seed : int
        Seed of the random generator.
    seconds : float
        CPU seconds that each exact search may take.
    """
    return MODELS[name](Training(X, y, seed, seconds))


def _largest_class(training: Training) -> Fitted:
    label = np.bincount(training.y).argmax()
    return Fitted(lambda X: np.full(len(X), label), 0, 0, None)


def _exact(trees: int, minimize: str, share: float, training: Training) -> Fitted:
    """Return the smallest tree or ensemble with errors on at most a share of the examples."""
    X, y = training.X, training.y
    errors = max(unavoidable_errors(X, y), int(share * len(y)))
    problem = smallest(X, y, trees, minimize, errors)
    outcome, _ = solve_within(problem, training.seconds)
    proved = outcome.status is Status.OPTIMAL
    if outcome.ensemble is not None:
        found = outcome.ensemble
        return Fitted(found.predict, found.total_size, found.largest_size, proved)
    assert outcome.tree is not None
    return Fitted(outcome.tree.predict, outcome.tree.size, outcome.tree.size, proved)


def _bootstrap_forest(trees: int, training: Training) -> Fitted:
    """Return trees that vote, each the smallest tree for a bootstrap sample of the examples."""
    X, y = training.X, training.y
    rng = np.random.default_rng(training.seed)
    samples = [rng.integers(0, len(y), len(y)) for _ in range(trees)]
    voters = [
        _exact(1, "size", 0, Training(X[rows], y[rows], 0, training.seconds)) for rows in samples
    ]
    classes = int(y.max()) + 1

    def predict(examples: Table) -> Labels:
        labels = np.stack([tree.predict(examples) for tree in voters])
        votes = np.stack([(labels == label).sum(axis=0) for label in range(classes)])
        elected: Labels = votes.argmax(axis=0)  # ties elect the earlier class
        return elected

    sizes = [tree.total_size for tree in voters]
    return Fitted(predict, sum(sizes), max(sizes), all(tree.proved for tree in voters))


def _random_forest(trees: int, training: Training) -> Fitted:
    forest = RandomForestClassifier(trees, random_state=training.seed).fit(training.X, training.y)
    sizes = [_nodes(tree) for tree in forest.estimators_]
    return Fitted(forest.predict, sum(sizes), max(sizes), None)


def _pruned_cart(training: Training) -> Fitted:
    """Return CART with cost-complexity pruning chosen by cross-validation.

    Of equally accurate penalties the greatest is chosen, and so the smallest tree.
    """
    X, y = training.X, training.y
    cart = DecisionTreeClassifier(random_state=training.seed)
    penalties = np.unique(cart.cost_complexity_pruning_path(X, y).ccp_alphas.clip(0))[::-1]
    folds = StratifiedKFold(min(5, int(np.bincount(y).min())), shuffle=True, random_state=0)
    search = GridSearchCV(cart, {"ccp_alpha": penalties}, cv=folds).fit(X, y)
    size = _nodes(search.best_estimator_)
    return Fitted(search.predict, size, size, None)


def _nodes(tree: DecisionTreeClassifier) -> int:
    return int(tree.tree_.node_count - tree.tree_.n_leaves)


# Models by their names in tables and pictures.
MODELS: dict[str, Callable[[Training], Fitted]] = {
    "largest class": _largest_class,
    "smallest tree": partial(_exact, 1, "size", 0.0),
    "3 trees, total size": partial(_exact, 3, "total_size", 0.0),
    "5 trees, total size": partial(_exact, 5, "total_size", 0.0),
    "3 trees, largest size": partial(_exact, 3, "largest_size", 0.0),
    "smallest tree, 10% errors": partial(_exact, 1, "size", 0.1),
    "3 trees, total size, 10% errors": partial(_exact, 3, "total_size", 0.1),
    "3 trees, largest size, 10% errors": partial(_exact, 3, "largest_size", 0.1),
    "smallest tree, 20% errors": partial(_exact, 1, "size", 0.2),
    "3 trees, total size, 20% errors": partial(_exact, 3, "total_size", 0.2),
    "3 trees, largest size, 20% errors": partial(_exact, 3, "largest_size", 0.2),
    "3 bootstrap trees": partial(_bootstrap_forest, 3),
    "5 bootstrap trees": partial(_bootstrap_forest, 5),
    "100 bootstrap trees": partial(_bootstrap_forest, 100),
    "random forest": partial(_random_forest, 100),
    "pruned CART": _pruned_cart,
}
