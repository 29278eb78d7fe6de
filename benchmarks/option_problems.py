"""The list of options whose price in time is measured, and each of them as a problem.

An option states the problem of plain errors in another way: it changes one argument of `Problem`,
or cells of the table. Random weights, costs, cells and codes are those of a fixed seed.
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
    "HEAVIEST",
    "MISSING",
    "OPTIONS",
    "PLAIN",
    "Option",
    "problem_arguments",
    "with_option",
]

SEED = 0
HEAVIEST = 9  # weights and costs are 1 to 9
MISSING = 0.05  # share of the cells
CODES = 8  # a column has at most so many codes

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """One way to state a problem.

    Attributes
    ----------
    name : str
        The name in records and on the command line: of the argument, where there is one.
    arguments : callable
        From features and labels to arguments of `Problem`: `X` among them if the option changes
        the table, and `limits` as a mapping of limits besides the depth.
    minimize : {"errors", "squared_error"}
        The tables it is for: those with classes, or those of a regression.
    new_table : bool
        Whether it changes the table, so that other trees are possible than without it.
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
    """Return the fit to measure: from the arguments of an option to a verified tree.

    Parameters
    ----------
    X, y : ndarray
        The table without the option.
    option : str
        A name of `OPTIONS`.
    depth : int or None
        Greatest depth of the tree.
    time_limit : float
        CPU seconds, which unlike wall seconds do not depend on other load.
    """
    stated = problem_arguments(option, X, y, depth)

    def fit() -> Answer:
        outcome, _ = solve_within(Problem(**stated), time_limit)
        tree = outcome.tree
        if tree is None:
            raise RuntimeError(f"no tree: {outcome}")
        return Answer(
            lambda _: tree.predict(stated["X"]),
            tree.depth,
            outcome.status is Status.OPTIMAL,
            tree.size,
            _number(outcome.lower_bound),
            _number(outcome.cost),
        )

    return fit


def _number(value: Any) -> int | float:
    """Return a cost or bound as JSON can store it."""
    return value if isinstance(value, int) else float(value)


def _fixed(**arguments: Any) -> Callable[[NDArray[Any], NDArray[Any]], Arguments]:
    """Return arguments that do not depend on the table."""
    return lambda X, y: arguments


def _weights(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    return {"sample_weight": _random().integers(1, HEAVIEST + 1, len(y))}


def _missing(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    return {"X": np.where(_random().random(X.shape) < MISSING, np.nan, X)}


def _categories(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Code the column that says most about the label: its quantiles, in random order."""
    column = int(np.abs(_correlations(X, y)).argmax())
    borders = np.unique(np.quantile(X[:, column], np.arange(1, CODES) / CODES))
    places = np.digitize(X[:, column], borders)
    coded = X.copy()
    coded[:, column] = _random().permutation(len(borders) + 1)[places]
    return {"X": coded, "categories": [column]}


def _costs(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Return random integer costs of wrong predictions."""
    classes = len(np.unique(y))
    costs = _random().integers(1, HEAVIEST + 1, (classes, classes))
    np.fill_diagonal(costs, 0)
    return {"cost_matrix": costs}


def _monotone(X: NDArray[Any], y: NDArray[Any]) -> Arguments:
    """Return the feature that rises most with the label, and the one that falls most."""
    order = np.argsort(_correlations(X, y), kind="stable")
    return {"monotonic_cst": {int(order[0]): -1, int(order[-1]): 1}}


def _correlations(X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlation of every feature with the label; 0 for a constant feature."""
    centred, labels = X - X.mean(axis=0), y - y.mean()
    lengths = np.linalg.norm(centred, axis=0) * np.linalg.norm(labels)
    products = centred.T @ labels
    found: NDArray[np.float64] = np.zeros(X.shape[1])
    np.divide(products, lengths, out=found, where=lengths > 0)
    return found


def _random() -> np.random.Generator:
    return np.random.default_rng(SEED)


# By minimized quantity of the tables: the option that the others are compared with.
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
        Option("monotonic_cst", _monotone),
        Option("max_features=3", _fixed(constraints=Constraints(max_features=3))),
        *(
            Option(quantity, _fixed(minimize=quantity), minimize="squared_error")
            for quantity in (PLAIN["squared_error"], "absolute_error")
        ),
    )
}
