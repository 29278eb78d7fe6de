"""Tables of generators, with their objective and known optima."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shown
from exactree.files import replacing
from exactree.problem import Problem

__all__ = ["Instance", "Predictor", "make_instance", "refuse_large_table"]

# Maximum number of entries of a generated table: 400 MB.
MAX_CELLS = 50_000_000


class Predictor(Protocol):
    """The interface of trees and ensembles: prediction of labels."""

    def predict(self, X: Any, /) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The examples.
        """


@dataclass(frozen=True, eq=False)
class Instance:
    """A table, the objective of its theorem, and known optima.

    Attributes
    ----------
    X : ndarray of float64, shape (n, d)
        The features; read-only.
    y : ndarray of str, shape (n,)
        The labels; read-only.
    feature_names : tuple of str
        The names of the features, all different.
    example_names : tuple of str
        The names of the examples.
    minimize : str
        The quantity of the theorem: "size", "depth" or "total_size".
    n_trees : int
        The number of trees of the theorem.
    budget : int or None
        The answer to the original problem is yes iff the optimum is at most this; None if the
        optimum itself is the answer.
    known : mapping of str to int
        Optima from a theorem or a published computation, by the name of the quantity.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    example_names: tuple[str, ...]
    minimize: str = "size"
    n_trees: int = 1
    budget: int | None = None
    known: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        budget = "" if self.budget is None else f", budget={self.budget}"
        return f"Instance({rows} examples, {columns} features{budget})"

    def problem(self, minimize: str | tuple[str, ...] | None = None) -> Problem:
        """Return the problem of the instance, without errors.

        Parameters
        ----------
        minimize : str or tuple of str, optional
            By default the quantity of the theorem.
        """
        quantity: Any = self.minimize if minimize is None else minimize
        return Problem(self.X, self.y, minimize=quantity, n_trees=self.n_trees)

    def check_classified(self, answer: Predictor) -> None:
        """Raise ValueError if a tree or an ensemble misclassifies an example.

        Parameters
        ----------
        answer : Tree or Ensemble
            The tree or ensemble to lift.
        """
        wrong = np.flatnonzero(np.asarray(answer.predict(self.X)) != self.y)
        if len(wrong):
            raise ValueError(
                f"the answer misclassifies example {wrong[0]} ({self.example_names[wrong[0]]}); "
                "only an answer without errors can be lifted."
            )

    def write_csv(self, path: str | Path) -> None:
        """Write the table as CSV with the labels in the last column, "label".

        Parameters
        ----------
        path : str or Path
            The file to write.
        """
        with replacing(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*self.feature_names, "label"])
            for row, label in zip(self.X.tolist(), self.y.tolist(), strict=True):
                writer.writerow([*(int(v) if v.is_integer() else v for v in row), label])


def refuse_large_table(parameters: Mapping[str, int], rows: int, columns: int) -> None:
    """Raise ValueError if a table would have more than `MAX_CELLS` entries.

    Parameters
    ----------
    parameters : mapping of str to int
        The parameters that determine its size, by name.
    rows, columns : int
        The numbers of examples and of features.
    """
    if rows * columns > MAX_CELLS:
        given = " and ".join(f"{name}={shown(value)}" for name, value in parameters.items())
        raise ValueError(
            f"{given} would make a table of more than {MAX_CELLS:,} numbers; use smaller values."
        )


def make_instance(
    feature_names: Sequence[str],
    examples: Iterable[tuple[str, Sequence[float] | NDArray[Any], str]],
    **parameters: Any,
) -> Instance:
    """Return an instance with given examples.

    Parameters
    ----------
    feature_names : sequence of str
        A name for each feature.
    examples : iterable of (name, values, label)
        The rows.
    **parameters
        The other attributes of `Instance`.
    """
    names, rows, labels = zip(*examples, strict=True)
    X, y = np.array(rows, dtype=np.float64), np.array(labels)
    X.flags.writeable = y.flags.writeable = False
    return Instance(X, y, tuple(feature_names), tuple(names), **parameters)
