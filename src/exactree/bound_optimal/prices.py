"""The risk bound as a cost: a price for the shape of a tree, and a price for each error.

Inequality (8) of the paper on partitions is linear in the errors, so that both can be
distinguished.
"""

from functools import partial
from math import floor, log

from exactree.problem import Problem
from exactree.rules import AxisParallel, Categories, FixedRules, Hypersurfaces, families_of
from exactree.theory import Features, TreeShape, risk_bound
from exactree.theory.counts import MOST, whole
from exactree.theory.features import NominalRules, numbers_of_categories
from exactree.theory.risk import R

__all__ = ["RiskPrices", "features_of"]


def features_of(problem: Problem) -> Features:
    """Return how bounds describe the rules of a problem.

    Parameters
    ----------
    problem : Problem
        Columns of codes count as nominal features, with one category more than the table has
        codes; surfaces count by the number of terms that they weigh, given rules one by one.

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
            case FixedRules(rules=rules):
                fixed_rules += len(rules)
            case _:
                raise TypeError(f"no risk bound is known for the rules {family!r}.")
    nominal = numbers_of_categories(X, codes)
    return Features(numeric, (), nominal, nominal_rules, tuple(surfaces), fixed_rules)


class RiskPrices:
    """What shapes and errors add to the risk bound of a tree for one table.

    Parameters
    ----------
    problem : Problem
        The table and the rules; weights are multiplicities of examples.
    delta : float
        The probability with which the bound may fail, between 0 and 1.
    r : float
        Between 0 and 1: k errors have the prior (1 - r) r^k.

    Attributes
    ----------
    error_price : float
        What one error adds.
    """

    def __init__(self, problem: Problem, delta: float = 0.05, r: float = R) -> None:
        dataset = problem.dataset
        if dataset.weight_scale != 1:
            raise ValueError(
                "sample_weight must hold whole numbers here: a risk bound counts examples, and a "
                "weight is how often a row counts."
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
        self.shape_price(TreeShape())  # refuses delta and r that are none
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
        return self.shape_price(shape) + whole("n_errors", n_errors, 0, MOST) * self.error_price

    def most_errors_below(self, shape: TreeShape, bound: float) -> int:
        """Return with how many errors trees of a shape are below a bound; -1 if with none.

        Parameters
        ----------
        shape : TreeShape
            The shape.
        bound : float
            What the risk bound shall be below.
        """
        errors = max(floor((bound - self.shape_price(shape)) / self.error_price) + 1, -1)
        while errors >= 0 and self.bound(shape, errors) >= bound:
            errors -= 1
        return errors
