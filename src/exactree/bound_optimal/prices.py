"""The risk bound as a cost: a price for the shape of a tree plus a price for each error.

The prices are separate because inequality (8) of the paper on partitions is linear in the errors.
"""

from functools import partial
from math import floor, log

from exactree.data.parameters import MAX_COUNT, checked_integer
from exactree.problem import Problem
from exactree.rules import (
    AxisParallel,
    Categories,
    FixedRules,
    Hypersurfaces,
    RulesOfTable,
    families_of,
)
from exactree.theory import Features, TreeShape, risk_bound
from exactree.theory.features import NominalRules, numbers_of_categories
from exactree.theory.risk import DEFAULT_R

__all__ = ["RiskPrices", "features_of"]


def features_of(problem: Problem) -> Features:
    """Return the rules of a problem in the form that the bounds use.

    Parameters
    ----------
    problem : Problem
        Columns of codes count as nominal features, with one category more than the table has
        codes. Surfaces count by the number of their monomials, and fixed rules count one by one.

    Raises
    ------
    TypeError
        If no bound is known for some of the rules.
    """
    X = problem.dataset.X
    numeric = fixed_rules = 0
    codes: list[int] = []
    surfaces: list[int] = []
    nominal_rules: NominalRules = "one-against-rest"
    for family in families_of(problem.rules):
        match family:
            case AxisParallel(features=features):
                numeric += X.shape[1] if features is None else len(features)
            case Categories(features=features, level_sets=level_sets):
                codes += features
                nominal_rules = "subset" if level_sets else nominal_rules
            case Hypersurfaces():
                surfaces.append(family.number_of_monomials(X.shape[1]))
            case RulesOfTable(family=name):
                raise TypeError(
                    f"no risk bound is known for {name}, because its rules depend on the table."
                )
            case FixedRules(rules=rules):
                fixed_rules += len(rules)
            case _:
                raise TypeError(f"no risk bound is known for the rules {family!r}.")
    nominal = numbers_of_categories(X, codes)
    return Features(numeric, (), nominal, nominal_rules, tuple(surfaces), fixed_rules)


class RiskPrices:
    """Prices of shapes and errors in the risk bound of a tree, for one table.

    Parameters
    ----------
    problem : Problem
        The table and the rules; weights are numbers of copies of an example.
    delta : float
        The probability with which the bound may fail, between 0 and 1.
    r : float
        Parameter of the prior (1 - r) r^k of k errors, between 0 and 1.

    Attributes
    ----------
    error_price : float
        Price of one error.

    Raises
    ------
    ValueError
        If delta or r is not between 0 and 1, or a weight is not an integer.
    TypeError
        If no bound is known for some of the rules.
    """

    def __init__(self, problem: Problem, delta: float = 0.05, r: float = DEFAULT_R) -> None:
        dataset = problem.dataset
        if dataset.weight_scale != 1:
            raise ValueError(
                "sample_weight must be integers for a risk bound, which counts examples: a weight "
                "is the number of copies of a row."
            )
        self._without_errors = partial(
            risk_bound,
            n_features=features_of(problem),
            n_examples=dataset.total_weight,
            n_classes=len(dataset.classes),
            n_errors=0,
            delta=delta,
            r=r,
        )
        self._shape_price: dict[TreeShape, float] = {}
        self.shape_price(TreeShape())  # refuses invalid delta and r
        self.error_price = (2 - 4 * log(r)) / dataset.total_weight

    def shape_price(self, shape: TreeShape) -> float:
        """Return the risk bound of trees of a shape without errors.

        Parameters
        ----------
        shape : TreeShape
            The shape.
        """
        if shape not in self._shape_price:
            self._shape_price[shape] = self._without_errors(shape)
        return self._shape_price[shape]

    def bound(self, shape: TreeShape, n_errors: int) -> float:
        """Return the risk bound of trees of a shape with that many errors.

        Parameters
        ----------
        shape : TreeShape
            The shape.
        n_errors : int
            The errors.
        """
        n_errors = checked_integer("n_errors", n_errors, 0, MAX_COUNT)
        return self.shape_price(shape) + n_errors * self.error_price

    def max_errors_below(self, shape: TreeShape, limit: float) -> int:
        """Return the maximum number of errors with a risk bound below a limit.

        Parameters
        ----------
        shape : TreeShape
            The shape.
        limit : float
            The number that the risk bound must be below.

        Returns
        -------
        int
            The maximum number of errors; -1 if even without errors the risk bound is not below the
            limit.
        """
        # One more than the quotient, which may be rounded down.
        errors = max(floor((limit - self.shape_price(shape)) / self.error_price) + 1, -1)
        while errors >= 0 and self.bound(shape, errors) >= limit:
            errors -= 1
        return errors
