"""Explanation of a prediction: its path, the margin to each threshold, the nearest change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.export.change import Change, nearest_change
from exactree.export.model import Model, unwrap
from exactree.export.statements import splits_on_surface
from exactree.export.wording import (
    feature_name,
    number,
    one_line,
    one_tree,
    rule,
)
from exactree.notebook import paragraph, table
from exactree.trees.routing import AT_MOST

__all__ = ["Change", "Explanation", "Step", "explain"]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from exactree.trees import Tree


@dataclass(frozen=True, repr=False)
class Step:
    """A node on the path to the leaf.

    Attributes
    ----------
    node : int
        The node.
    feature : str
        The name of the feature, or a weighted sum.
    rule : str
        The rule of the node; the example goes left if it holds.
    holds : bool
        Whether the rule holds.
    value : object
        The value of the example: a number, a level, or None if it is missing.
    margin : float or None
        The distance of the number from the threshold; None for levels, codes and missing values.
        At margin 0 the number equals the threshold: the rule holds, but for no greater number.
    """

    node: int
    feature: str
    rule: str
    holds: bool
    value: Any
    margin: float | None

    @property
    def value_text(self) -> str:
        """The value as text."""
        return "missing" if self.value is None else _as_text(self.value)

    @property
    def margin_text(self) -> str:
        """The margin as text; empty if there is none."""
        return "" if self.margin is None else f"{self.margin:.4g}"

    def __str__(self) -> str:
        margin = f", margin {self.margin_text}" if self.margin_text else ""
        verb = "holds" if self.holds else "does not hold"
        return f"{self.rule} {verb} (it is {self.value_text}{margin})"

    def __repr__(self) -> str:
        return f"<Step: {self}>"


@dataclass(frozen=True, repr=False)
class Explanation:
    """The explanation of a prediction.

    Attributes
    ----------
    prediction : object
        The label, or the number of a regression.
    leaf : int
        The leaf that the example reaches.
    path : tuple of Step
        The nodes on the path, from the root.
    change : Change or None
        The nearest example with another prediction; None if there is none or it is not known.
    no_change : str
        The reason for the absence of a change, as a clause; empty if there is a change.
    """

    prediction: Any
    leaf: int
    path: tuple[Step, ...]
    change: Change | None
    no_change: str = ""

    @property
    def sentence(self) -> str:
        """The path and the change as a sentence."""
        reasons = " and ".join(map(str, self.path)) or "the tree is a single leaf"
        other = self.no_change if self.change is None else str(self.change)
        return f"{one_line(self.prediction)}, because {reasons}; {other}."

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Explanation: {self}>"

    def _repr_html_(self) -> str:
        """Return the prediction, a table of the path, and the change."""
        if not self.path:
            return paragraph(self.sentence)
        rows = [
            (step.rule, "yes" if step.holds else "no", step.value_text, step.margin_text)
            for step in self.path
        ]
        other = self.no_change if self.change is None else str(self.change)
        path = table(("rule", "holds", "value", "margin"), rows)
        return paragraph(f"{one_line(self.prediction)}, because") + path + paragraph(f"{other}.")


def explain(
    model: Model,
    x: ArrayLike,
    *,
    to: Any = None,
    costs: Mapping[str | int, float] | Sequence[float] | None = None,
    fixed: str | int | Iterable[str | int] = (),
    exact: bool = False,
) -> Explanation:
    """Explain the prediction of one example.

    Parameters
    ----------
    model : Tree, Outcome, fitted estimator or Pipeline
        A single tree; for an ensemble use its `to_tree()`. The explanation of a pipeline is about
        the columns that its steps return.
    x : array-like, series or data frame
        The values of the features of one example, or a table with one row. The names of a series,
        such as ``X.iloc[0]``, are those of columns.
    to : object, optional
        The desired prediction; by default any other label.
    costs : mapping of str or int to float, or sequence of float, optional
        The cost of changing a feature, by name or index: per unit of a number, or once for a level
        or a code. By default 1 for every feature; a sequence has a cost for each feature.
    fixed : str, int, or iterable of these, optional
        Features that cannot change. Missing values cannot change either, and no value becomes
        missing.
    exact : bool
        Whether the change has the nearest float64 numbers. By default its numbers are rounded away
        from the example to short decimals that lead to the same leaf, such as 2.46 where all
        numbers above 2.45 do; the reported cost is that of the rounded numbers.

    Returns
    -------
    Explanation
        The explanation, with the nearest example with another prediction: before rounding, it has
        the minimum sum of costs among all examples of float64 values. Costs are compared exactly.
        Of several nearest examples the example with the fewest changes is reported, and of several
        of these that of the first leaf. In a leaf below a hyperplane the example is the nearest up
        to a millionth of its cost and a billionth of the cost of the values and sums themselves;
        leaves thinner than that count as empty.

    Raises
    ------
    ValueError
        If there is more than one row, or a feature, a cost or the label is invalid.
    """
    unwrapped = unwrap(model)
    tree = one_tree(unwrapped.model, "an explanation")
    names = getattr(model, "feature_names_in_", None) if unwrapped.steps else None
    row = _row(tree, unwrapped.table(_in_a_table(x, names)))
    leaf = int(tree.leaf_index(row)[0])
    fixed = (fixed,) if isinstance(fixed, str | int) else fixed
    change, reason = nearest_change(tree, row[0], leaf, to, costs, fixed, exact)
    return Explanation(
        tree.classes.tolist()[tree.prediction[leaf]], leaf, _path(tree, row), change, reason
    )


def _in_a_table(x: Any, names: Any = None) -> Any:
    """Return the values of one example as a table with one row; a table is returned as it is.

    The row has columns with names if the example has them, as a series of pandas, or if the steps
    of a pipeline know their input by names.
    """
    labels = list(x.index) if hasattr(x, "to_frame") else []
    if labels and all(isinstance(label, str) for label in labels):
        return x.to_frame().T.infer_objects()
    if np.ndim(np.asarray(x, dtype=object)) != 1:
        return x
    if names is None:
        return [list(x)]
    import narwhals as nw  # the steps were fitted on a data frame

    row = {name: [value] for name, value in zip(names, x, strict=True)}
    return nw.from_dict(row, backend="pandas").to_native()


def _row(tree: Tree, x: Any) -> NDArray[np.float64]:
    """Return an example as a checked table with one row."""
    row = make_features(x, tree.feature_names, tree.named, tree.complete_features, tree.levels)
    if len(row) != 1:
        raise ValueError(f"x must be one example, got {len(row)} rows.")
    return row


def _path(tree: Tree, row: NDArray[np.float64]) -> tuple[Step, ...]:
    """Return the steps of an example, given as a table with one row."""
    node, steps = 0, []
    while not tree.is_leaf(node):
        holds = bool(tree.goes_left(node, row)[0])
        value, margin = _value_and_margin(tree, node, row)
        steps.append(Step(node, feature_name(tree, node), rule(tree, node), holds, value, margin))
        node = int((tree.children_left if holds else tree.children_right)[node])
    return tuple(steps)


def _value_and_margin(tree: Tree, node: int, row: NDArray[np.float64]) -> tuple[Any, float | None]:
    """Return the value that a node compares, and its distance from the threshold."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if splits_on_surface(tree, node):
        value = float(tree.surfaces.sums_of(feature - tree.n_features, row)[0])
        return value, abs(value - threshold)
    value = float(row[0, feature])
    if np.isnan(value):
        return None, None
    if feature in tree.levels:
        levels = tree.levels[feature]
        return (levels[int(value)] if value >= 0 else "a level never seen"), None
    if tree.comparison[node] != AT_MOST or np.isinf(threshold):
        return value, None
    return value, abs(value - threshold)


def _as_text(value: Any) -> str:
    return number(value) if isinstance(value, float) else one_line(value)
