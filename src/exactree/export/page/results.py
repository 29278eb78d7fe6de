"""How well a model predicts: measures, confusion matrices and recalls, with those of CART."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import MethodRefused
from exactree.export.cart import Cart, grow_cart
from exactree.export.held_out import is_weighted, typical_error, unit_of
from exactree.export.page.predicted_table import PredictedTable
from exactree.export.wording import one_line, trees_of, typical_deviation
from exactree.problem import Problem
from exactree.trees import Ensemble, RegressionTree, Tree
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "UNDEFINED",
    "ConfusionMatrix",
    "Results",
    "aligned",
    "error_in_unit",
    "results_of",
    "unit_of_errors",
]

MAX_CLASSES = 30  # a larger confusion matrix cannot be read
UNDEFINED = "\N{EN DASH}"
ANOTHER_LABEL = "another label"  # of examples whose class is not in the training examples


@dataclass(frozen=True)
class MeasureRow:
    """A measure on a table, or the size of the models.

    Attributes
    ----------
    table : str
        The table, empty for sizes.
    measure : str
        The measure.
    values : tuple of str
        Its value for each model.
    """

    table: str
    measure: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class TrueClass:
    """A row of a confusion matrix.

    Attributes
    ----------
    name : str
        The true class.
    counts : tuple of int
        Number of its examples by predicted class; empty if there are too many classes.
    examples : int
        Number of its examples.
    recall, cart_recall : str
        The share of them that are predicted correctly, by the model and by CART.
    """

    name: str
    counts: tuple[int, ...]
    examples: int
    recall: str
    cart_recall: str


@dataclass(frozen=True)
class ConfusionMatrix:
    """The confusion matrix of a table.

    Attributes
    ----------
    name : str
        The table.
    predicted : tuple of str
        The classes of the columns; empty if there are too many.
    classes : tuple of TrueClass
        The rows.
    """

    name: str
    predicted: tuple[str, ...]
    classes: tuple[TrueClass, ...]


@dataclass(frozen=True)
class Results:
    """How well a model predicts.

    Attributes
    ----------
    tables : tuple of str
        The tables of examples: training, held out, or both.
    models : tuple of str
        The model, and CART if it was grown.
    rows : tuple of MeasureRow
        Their sizes and measures.
    confusions : tuple of ConfusionMatrix
        One for each table; empty in a regression.
    """

    tables: tuple[str, ...]
    models: tuple[str, ...]
    rows: tuple[MeasureRow, ...]
    confusions: tuple[ConfusionMatrix, ...]

    @property
    def has_cart(self) -> bool:
        """Whether CART is compared."""
        return len(self.models) > 1

    @property
    def main_measures(self) -> list[tuple[str, str]]:
        """The measures of the model that matter most, named with their tables."""
        main = ("error rate", "R²", "mean absolute error")
        return [
            (f"{row.table} {row.measure}", row.values[0])
            for row in self.rows
            if row.measure in main
        ]


def results_of(
    model: Tree | Ensemble, training: PredictedTable | None, held_out: PredictedTable | None
) -> Results:
    """Return the results on training and held-out examples; every example counts once.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    training : PredictedTable or None
        The training examples; CART is grown on them. It is left out without them, after a fit with
        weights, and if scikit-learn cannot represent their values.
    held_out : PredictedTable or None
        Examples that were not used in the fit.
    """
    tables = {
        name: table
        for name, table in (("training", training), ("held-out", held_out))
        if table is not None
    }
    cart = None if training is None else _cart(model, training)
    models = ["these trees" if isinstance(model, Ensemble) else "this tree"]
    leaves, depths = [model.leaves], [max(tree.depth for tree in trees_of(model))]
    predicted = [[_labels(model, table) for table in tables.values()]]
    if cart is not None:
        models.append("CART (scikit-learn)")
        leaves.append(cart.leaves)
        depths.append(cart.depth)
        predicted.append([cart.predict(table.X) for table in tables.values()])
    rows = [
        MeasureRow("", "leaves", tuple(f"{count:,}" for count in leaves)),
        MeasureRow("", "depth", tuple(f"{depth:,}" for depth in depths)),
    ]
    regression = isinstance(model, RegressionTree)
    measures = _regression_measures if regression else _class_measures
    for at, (name, table) in enumerate(tables.items()):
        measured = [measures(table.truth, by_table[at]) for by_table in predicted]
        rows += [
            MeasureRow(
                name, measure, tuple(_texts(measure, [values[measure] for values in measured]))
            )
            for measure in measured[0]
        ]
    confusions = tuple(
        _confusion(model, name, table.truth, [by_table[at] for by_table in predicted])
        for at, (name, table) in enumerate(tables.items())
        if not regression
    )
    return Results(tuple(tables), tuple(models), tuple(rows), confusions)


def _labels(model: Tree | Ensemble, table: PredictedTable) -> NDArray[Any]:
    """Return the predicted numbers, or the indices of the predicted classes."""
    return model.classes[table.predicted] if isinstance(model, RegressionTree) else table.predicted


def _cart(model: Tree | Ensemble, training: PredictedTable) -> Cart | None:
    """Return CART with at most as many leaves and, beside one tree, at most the same depth."""
    trees = trees_of(model)
    absolute = isinstance(model, RegressionTree) and model.error_term == "absolute_error"
    values = training.X[~np.isnan(training.X)]
    if (
        any(map(is_weighted, trees))  # the weights are not known here
        or (absolute and len(values) < training.X.size)  # refused by scikit-learn
        or (len(values) and np.abs(values).max() > np.finfo(np.float32).max)
    ):
        return None
    code_features = {
        feature
        for tree in trees
        for feature in tree.feature[np.isin(tree.comparison, (EQUAL, IN))].tolist()
    }
    problem = Problem(
        training.X,
        training.truth,
        minimize=model.error_term if isinstance(model, RegressionTree) else "errors",
        categories=sorted(code_features | set(model.levels)) or None,
    )
    try:
        return grow_cart(problem, model.depth if isinstance(model, Tree) else None, model.leaves)
    except MethodRefused:
        return None


def _class_measures(truth: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    wrong = predicted != truth
    recalls = [float((~wrong)[truth == label].mean()) for label in np.unique(truth).tolist()]
    return {
        "errors": float(wrong.sum()),
        "error rate": float(wrong.mean()),
        "balanced accuracy": float(np.mean(recalls)),
    }


def _regression_measures(truth: NDArray[Any], predicted: NDArray[Any]) -> dict[str, float]:
    # imported on demand, because it is slow to import
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    defined = len(np.unique(truth)) > 1
    return {
        "R²": float(r2_score(truth, predicted)) if defined else np.nan,
        "mean absolute error": float(mean_absolute_error(truth, predicted)),
        "root mean squared error": float(root_mean_squared_error(truth, predicted)),
    }


def _texts(measure: str, values: list[float]) -> list[str]:
    """Return the values of a measure as the texts of a column."""
    if measure == "errors":
        return [f"{value:,.0f}" for value in values]
    if measure == "R²":
        return [UNDEFINED if np.isnan(value) else f"{value:.3f}" for value in values]
    if measure in ("error rate", "balanced accuracy"):
        return [f"{100 * value:.1f} %" for value in values]
    return aligned(values)


def _confusion(
    model: Tree | Ensemble,
    name: str,
    truth: NDArray[Any],
    predicted: Sequence[NDArray[Any]],
) -> ConfusionMatrix:
    """Return the confusion matrix of a table; `predicted` are the classes by model and by CART."""
    # imported on demand, because it is slow to import
    from sklearn.metrics import confusion_matrix

    names = [one_line(label) for label in model.classes.tolist()]
    labels = [*range(len(names))] + [-1] * bool((truth < 0).any())
    counts = confusion_matrix(truth, predicted[0], labels=labels)
    recalls = [_recalls(truth, found, labels) for found in predicted]
    shown = range(len(names)) if len(names) <= MAX_CLASSES else range(0)
    rows = tuple(
        TrueClass(
            name=names[label] if label >= 0 else ANOTHER_LABEL,
            counts=tuple(int(counts[at, k]) for k in shown),
            examples=int(counts[at].sum()),
            recall=recalls[0][at],
            cart_recall=recalls[1][at] if len(recalls) > 1 else "",
        )
        for at, label in enumerate(labels)
    )
    return ConfusionMatrix(name, tuple(names[k] for k in shown), rows)


def _recalls(truth: NDArray[Any], predicted: NDArray[Any], labels: Iterable[int]) -> list[str]:
    right = predicted == truth
    return [
        f"{100 * right[truth == label].mean():.1f} %" if (truth == label).any() else UNDEFINED
        for label in labels
    ]


def aligned(values: Sequence[float], unit: str = "") -> list[str]:
    """Return the numbers of a column with equally many decimals, four digits of the greatest.

    Parameters
    ----------
    values : sequence of float
        The numbers.
    unit : str
        A text after each number.
    """
    greatest = max((abs(value) for value in values), default=0.0)
    if greatest and not 1e-6 <= greatest < 1e12:
        return [f"{value:.3e}{unit}" for value in values]
    decimals = max(0, 3 - floor(log10(greatest))) if greatest else 0
    return [f"{value:,.{decimals}f}{unit}" for value in values]


def error_in_unit(model: Tree | Ensemble, mean: float) -> float:
    """Return a mean error in the target's unit, or in percent of the examples.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    mean : float
        Its mean error, of the kind that its search minimizes.
    """
    if not isinstance(model, RegressionTree):
        return 100 * mean
    return typical_deviation(model, mean, 1.0)


def unit_of_errors(model: Tree | Ensemble) -> str:
    """Return the name of the result of `error_in_unit`."""
    return typical_error(model) if isinstance(model, RegressionTree) else unit_of(model)
