"""The options whose running times are measured, and the problem with each of them.

An option changes the arguments of `Problem` in its name, or cells of the table; without it the
problem is that of plain errors, or of the squared error in a regression. Random weights, costs,
cells and codes come from a fixed seed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.limited import solve_within
from benchmarks.measurement import Minimized
from benchmarks.peers.peer import Answer
from exactree import Constraints, Limits, Problem, Status

__all__ = [
    "CODES",
    "MAX_WEIGHT",
    "MISSING",
    "OPTIONS",
    "PLAIN",
    "Option",
    "problem_arguments",
    "with_option",
]

SEED = 0
MAX_WEIGHT = 9  # weights and costs are 1 to 9
MISSING = 0.05  # share of the cells
CODES = 8  # maximum number of codes of a column

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """An option of a problem.

    Attributes
    ----------
    name : str
        Name in records and on the command line: that of the argument if there is one.
    arguments : callable
        From features and labels to arguments of `Problem`: `X` among them if the option changes
        the table, and `limits` as a mapping of limits besides the depth.
    minimize : {"errors", "squared_error"}
        The tables for the option: those with classes, or those of a regression.
    new_table : bool
        Whether the option changes the table, so that other trees are possible.
    """

    name: str
    arguments: Callable[[NDArray[Any], NDArray[Any]], Arguments]
    minimize: Minimized = "errors"
    new_table: bool = False


def problem_arguments(name: str, X: NDArray[Any], y: NDArray[Any], depth: int | None) -> Arguments:
    """Return the arguments of `Problem` for an option on a table."""
    changed = OPTIONS[name].arguments(X, y)
    limits = Limits(max_depth=depth, **changed.get("limits", {}))
    return {"X": X, "y": y, **changed, "limits": limits}


def with_option(
    X: NDArray[Any], y: NDArray[Any], option: str, depth: int | None, time_limit: float
) -> Callable[[], Answer]:
    """Return the function to measure: from the arguments of an option to a verified tree.

    Parameters
    ----------
    X, y : ndarray
        The table without the option.
    option : str
        A name of `OPTIONS`.
    depth : int or None
        Maximum depth of the tree.
    time_limit : float
        CPU seconds, which depend less on other load than wall seconds.
    """
    arguments = problem_arguments(option, X, y, depth)

    def fit() -> Answer:
        outcome, _ = solve_within(Problem(**arguments), time_limit)
        tree = outcome.tree
        if tree is None:
            raise RuntimeError(f"no tree: {outcome}")
        return Answer(
            lambda _: tree.predict(arguments["X"]),
            tree.depth,
            outcome.status is Status.OPTIMAL,
            tree.size,
            _number(outcome.lower_bound),
            _number(outcome.cost),
        )

    return fit


def _number(value: Any) -> int | float:
    """Return a cost or bound as a number of JSON."""
    return value if isinstance(value, int) else float(value)


def _fixed(**arguments: Any) -> Callable[[NDArray[Any], NDArray[Any]], Arguments]:
    """Return arguments that do not depend on the table."""
    return lambda X, y: arguments


def _weights(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    return {"sample_weight": _random().integers(1, MAX_WEIGHT + 1, len(y))}


def _missing(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    return {"X": np.where(_random().random(X.shape) < MISSING, np.nan, X)}


def _categories(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Return the table with codes in the column most correlated with the label.

    The codes are those of quantiles, in random order.
    """
    column = int(np.abs(_correlations(X, y)).argmax())
    thresholds = np.unique(np.quantile(X[:, column], np.arange(1, CODES) / CODES))
    intervals = np.digitize(X[:, column], thresholds)
    coded = X.copy()
    coded[:, column] = _random().permutation(len(thresholds) + 1)[intervals]
    return {"X": coded, "categories": [column]}


def _costs(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Return random integer costs of wrong predictions."""
    classes = len(np.unique(y))
    costs = _random().integers(1, MAX_WEIGHT + 1, (classes, classes))
    np.fill_diagonal(costs, 0)
    return {"cost_matrix": costs}


def _monotone(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Return the features with the greatest and the smallest correlation with the label."""
    order = np.argsort(_correlations(X, y), kind="stable")
    return {"monotonic_cst": {int(order[0]): -1, int(order[-1]): 1}}


def _correlations(X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlation of every feature with the label; 0 for a constant feature."""
    centred, labels = X - X.mean(axis=0), y - y.mean()
    lengths = np.linalg.norm(centred, axis=0) * np.linalg.norm(labels)
    products = centred.T @ labels
    correlations: NDArray[np.float64] = np.zeros(X.shape[1])
    np.divide(products, lengths, out=correlations, where=lengths > 0)
    return correlations


def _random() -> np.random.Generator:
    return np.random.default_rng(SEED)


# The option that the others are compared with, by the minimized quantity of the tables.
PLAIN: dict[Minimized, str] = {"errors": "plain", "squared_error": "squared_error"}

OPTIONS = {
    option.name: option
    for option in (
        Option(PLAIN["errors"], _fixed()),
        Option("sample_weight", _weights),
        *(
            Option(f"min_samples_leaf={rows}", _fixed(limits={"min_samples_leaf": rows}))
            for rows in (5, 0.01, 0.05)
        ),
        Option("missing", _missing, new_table=True),
        Option("categories", _categories, new_table=True),
        Option("cost_matrix", _costs),
        *(
            Option(quantity, _fixed(minimize=quantity))
            for quantity in ("balanced_error", "log_loss", "gini", "f1_error")
        ),
        Option(
            "gini, min_samples_leaf=0.01",
            _fixed(minimize="gini", limits={"min_samples_leaf": 0.01}),
        ),
        Option("monotonic_cst", _monotone),
        Option("max_features=3", _fixed(constraints=Constraints(max_features=3))),
        *(
            Option(quantity, _fixed(minimize=quantity), minimize="squared_error")
            for quantity in (PLAIN["squared_error"], "absolute_error")
        ),
        Option(
            "squared_error, min_samples_leaf=0.01",
            _fixed(minimize="squared_error", limits={"min_samples_leaf": 0.01}),
            minimize="squared_error",
        ),
    )
}
