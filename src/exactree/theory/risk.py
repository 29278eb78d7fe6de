"""A bound on a tree's errors on new examples, from its shape and its errors on the old ones.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Inequality (8), Theorem 2.3 of Shawe-Taylor et al., with the priors of section 6.2.
Symbols      m n_examples, k n_errors, delta: the bound fails with at most this probability;
             tau growth function; p_d prior of the shape, q_k prior of k errors.
The idea     (2k + 4 ln(4 tau(2m) / (delta q_k p_d))) / m, in logarithms throughout.
"""

from math import isfinite, log, log1p, pi
from typing import Any

from exactree.theory.counts import whole
from exactree.theory.enumerate_shapes import wedderburn_etherington
from exactree.theory.features import Features
from exactree.theory.growth import log_growth_function_bound
from exactree.theory.partitions import Form, checked
from exactree.theory.shape import TreeShape

R = 2**-13.7  # as the paper calibrated it on one table


def log_shape_prior(shape: TreeShape) -> float:
    """Return ln p_d: 6 / (pi² L²), shared equally by all shapes of L leaves.

    Parameters
    ----------
    shape : TreeShape
        The shape.
    """
    checked(shape, 1, 1)
    leaves = shape.leaves
    return log(6) - 2 * log(pi * leaves) - log(wedderburn_etherington(leaves))


def risk_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    n_errors: int,
    delta: float = 0.05,
    r: float = R,
    log_prior: float | None = None,
    form: Form = "loose",
) -> float:
    """Return a number that the share of errors on new examples does not exceed, with probability.

    The number is mostly above 1 and then says nothing by itself; it serves to compare trees.

    Parameters
    ----------
    shape : TreeShape
        The shape of the tree.
    n_features : int or Features
        The number of features of numbers, at least 1, or a description of other features.
    n_examples, n_classes : int
        At least 1 each; of the table that the tree was fitted to.
    n_errors : int
        The errors of the tree on that table.
    delta : float
        The probability with which the bound may fail, between 0 and 1.
    r : float
        Between 0 and 1: k errors have the prior (1 - r) r^k.
    log_prior : float, optional
        The natural logarithm of the prior of the shape, in place of `log_shape_prior`.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """
    m = checked(shape, n_examples, 1)[0]
    if whole("n_errors", n_errors, 0) > m:
        raise ValueError(f"n_errors must be at most n_examples, {m}, found {n_errors}.")
    _check_share("delta", delta)
    _check_share("r", r)
    prior = log_shape_prior(shape) if log_prior is None else log_prior
    if not (isfinite(prior) and prior <= 0):
        raise ValueError(f"log_prior must be finite and at most 0, found {log_prior!r}.")
    growth = log_growth_function_bound(
        shape, n_features=n_features, n_examples=2 * m, n_classes=n_classes, form=form
    )
    log_error_prior = log1p(-r) + n_errors * log(r)
    logarithm = log(4) + growth - log(delta) - log_error_prior - prior
    return (2 * n_errors + 4 * logarithm) / m


def _check_share(name: str, value: Any) -> None:
    if not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, found {value!r}.")
