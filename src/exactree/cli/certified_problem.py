"""The problem of a model file: what a certificate of its tree is about."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from exactree.certified_bound import check_covered
from exactree.cli.examples import CsvExamples
from exactree.cli.report import number_in_json
from exactree.errors import MethodRefused, ModelError
from exactree.problem import Limits, Problem
from exactree.rules import AxisParallel

__all__ = ["CertifiedProblem"]


@dataclass(frozen=True)
class CertifiedProblem:
    """What `Problem` needs besides a table; numbers are as in JSON, fractions as text.

    Attributes
    ----------
    minimize : list of str
        The minimized quantities, the most important first.
    max_depth, max_size : int or None
        Limits of the tree.
    min_samples_leaf : int
        The minimum number of examples in every leaf.
    max_errors, leaf_penalty : int, str or None
        The limit on the errors, and the price of a leaf.
    costs : list of [label, label, number] or None
        What predicting the second label for an example of the first costs; None for plain errors.
    categories, features : list of int or None
        The features of codes, and those that nodes may use; None for all.
    weights : str or None
        The column of the weights.
    """

    minimize: list[str]
    max_depth: int | None
    max_size: int | None
    min_samples_leaf: int
    max_errors: int | str | None
    leaf_penalty: int | str
    costs: list[tuple[Any, Any, int | str]] | None
    categories: list[int]
    features: list[int] | None
    weights: str | None

    @classmethod
    def of(
        cls,
        problem: Problem,
        examples: CsvExamples,
        *,
        features: tuple[int, ...] | None,
        weights: str | None,
        weighs_classes: bool,
    ) -> "CertifiedProblem | None":
        """Return what a model file stores of a problem; None if no certificate covers it.

        Parameters
        ----------
        problem : Problem
            The problem of a table.
        examples : CsvExamples
            The table.
        features : tuple of int or None
            The features that nodes may use; None for all.
        weights : str or None
            The column of the weights.
        weighs_classes : bool
            Whether classes have weights, which a table does not have.
        """
        try:
            check_covered(problem)
        except MethodRefused:
            return None
        if weighs_classes:
            return None
        errors = problem.max_errors
        return cls(
            minimize=list(problem.quantities),
            max_depth=problem.limits.max_depth,
            max_size=problem.max_tree_size,
            min_samples_leaf=problem.min_rows,
            max_errors=None if errors is None else _in_json(errors),
            leaf_penalty=_in_json(problem.leaf_penalty),
            costs=None if problem.costs is None else _listed_costs(problem),
            categories=list(examples.categories),
            features=None if features is None else list(features),
            weights=weights,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "CertifiedProblem":
        """Read plain data; a problem with other entries is refused.

        Parameters
        ----------
        stored : dict
            Data from `to_dict`.

        Raises
        ------
        ModelError
            If an entry is missing or unknown.
        """
        if set(stored) != set(cls.__dataclass_fields__):
            raise ModelError("the problem of the model has other entries than this release reads.")
        return cls(**stored)

    def of_table(self, X: NDArray[Any], labels: Any, weights: Any) -> Problem:
        """Return the problem for a table; invalid entries are refused as those of any problem.

        Parameters
        ----------
        X : ndarray
            The features.
        labels : list
            The labels.
        weights : ndarray or None
            The weights.
        """
        errors = None if self.max_errors is None else Fraction(str(self.max_errors))
        minimize = tuple(self.minimize)
        costs: dict[Any, dict[Any, Fraction]] = {}
        for true, predicted, cost in self.costs or ():
            costs.setdefault(true, {})[predicted] = Fraction(str(cost))
        return Problem(
            X,
            labels,
            weights,
            minimize=minimize[0] if len(minimize) == 1 else minimize,
            leaf_penalty=Fraction(str(self.leaf_penalty)),
            cost_matrix=costs or None,
            categories=self.categories,
            rules=AxisParallel(self.features),
            limits=Limits(
                self.max_depth,
                self.max_size,
                max_errors=errors,
                min_samples_leaf=self.min_samples_leaf,
            ),
        )


def _listed_costs(problem: Problem) -> list[tuple[Any, Any, int | str]]:
    """Return the costs of a matrix by labels."""
    assert problem.costs is not None
    labels = problem.dataset.classes.tolist()
    return [
        (true, predicted, _in_json(cost))
        for true, row in zip(labels, problem.costs, strict=True)
        for predicted, cost in zip(labels, row, strict=True)
    ]


def _in_json(number: int | Fraction | float) -> int | str:
    value = number_in_json(Fraction(number))
    return value if isinstance(value, int) else str(value)
