"""Bounds on a tree's errors on new examples, from its shape and its training errors.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Inequality (8), Theorem 2.3 of Shawe-Taylor et al., with the priors of section 6.2;
             and inequality (4.41) of Vapnik, Statistical Learning Theory, 1998.
Symbols      m n_examples, k n_errors, delta the maximum probability that the bound fails;
             tau growth function; p_d prior of the shape, q_k prior of k errors,
             r parameter of the latter.
The idea     Shawe-Taylor: (2k + 4 ln(4 tau(2m) / (delta q_k p_d))) / m. Vapnik: with
             E = 4 ln(4 tau(2m) / (delta p_d)) / m the risk R satisfies R - k/m <= sqrt(E R), for
             all k at once. In logarithms throughout.
"""

import sys
from math import log, log1p, pi, sqrt

from exactree.data.parameters import MAX_COUNT, checked_integer, checked_share, shown
from exactree.theory.enumerate_shapes import wedderburn_etherington
from exactree.theory.features import Features
from exactree.theory.growth import log_growth_function_bound
from exactree.theory.partitions import Form, checked_arguments
from exactree.theory.shape import TreeShape

_LARGEST_FLOAT = sys.float_info.max
# The parameter r of the prior of errors, calibrated in the paper on one table.
DEFAULT_R = 2**-13.7


def log_shape_prior(shape: TreeShape) -> float:
    """Return ln p_d: 6 / (pi² L²), shared equally by all shapes of L leaves.

    Parameters
    ----------
    shape : TreeShape
        The shape.
    """
    checked_arguments(shape, 1, 1)
    return log_prior_by_leaves(shape.leaves, log(wedderburn_etherington(shape.leaves)))


def log_prior_by_leaves(leaves: int, log_shapes: float) -> float:
    """Return ln p_d, given the number of leaves and the log number of shapes with that many."""
    return log(6) - 2 * log(pi * leaves) - log_shapes


def log_error_prior(n_errors: int, r: float) -> float:
    """Return ln q_k: (1 - r) r^k.

    Parameters
    ----------
    n_errors : int
        The errors k.
    r : float
        Between 0 and 1.
    """
    checked_share("r", r)
    return log1p(-r) + checked_integer("n_errors", n_errors, 0, MAX_COUNT) * log(r)


def risk_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    n_errors: int,
    delta: float = 0.05,
    r: float = DEFAULT_R,
    log_q: float | None = None,
    log_prior: float | None = None,
    form: Form = "loose",
) -> float:
    """Return an upper bound on the error rate on new examples that holds with high probability.

    The bound is usually above 1, and then useful only for comparing trees.

    Parameters
    ----------
    shape : TreeShape
        The shape of the tree.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_classes : int
        At least 1 each; those of the training table.
    n_errors : int
        The training errors of the tree.
    delta : float
        The maximum probability that the bound fails, between 0 and 1.
    r : float
        Between 0 and 1: k errors have the prior (1 - r) r^k.
    log_q : float, optional
        The natural logarithm of the prior of `n_errors` errors, instead of that of `r`. The priors
        of all numbers of errors must sum to at most 1.
    log_prior : float, optional
        The natural logarithm of the prior of the shape, instead of `log_shape_prior`.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """
    growth = _log_growth(shape, n_features, n_examples, n_classes, n_errors, form)
    errors_prior = (
        log_error_prior(n_errors, r) if log_q is None else checked_logarithm("log_q", log_q)
    )
    prior = (
        log_shape_prior(shape) if log_prior is None else checked_logarithm("log_prior", log_prior)
    )
    return shawe_taylor(
        n_examples, n_errors, growth - prior - errors_prior, checked_share("delta", delta)
    )


def vapnik_risk_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    n_errors: int,
    delta: float = 0.05,
    log_prior: float | None = None,
    form: Form = "loose",
) -> float:
    """Return a bound on the error rate by Vapnik's inequality, which needs no prior of errors.

    It is smaller than `risk_bound`, and below 1 with enough examples. In pruning it gives leaves a
    large weight and errors a small weight.

    Parameters
    ----------
    shape : TreeShape
        The shape of the tree.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_classes : int
        At least 1 each; those of the training table.
    n_errors : int
        The training errors of the tree.
    delta : float
        The maximum probability that the bound fails, between 0 and 1.
    log_prior : float, optional
        The natural logarithm of the prior of the shape, instead of `log_shape_prior`.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """
    growth = _log_growth(shape, n_features, n_examples, n_classes, n_errors, form)
    prior = (
        log_shape_prior(shape) if log_prior is None else checked_logarithm("log_prior", log_prior)
    )
    return vapnik(n_examples, n_errors, growth - prior, checked_share("delta", delta))


def shawe_taylor(n_examples: int, n_errors: int, log_complexity: float, delta: float) -> float:
    """Return inequality (8), given ln(tau(2m) / (q_k p_d))."""
    return (2 * n_errors + 4 * (log(4) + log_complexity - log(delta))) / n_examples


def vapnik(n_examples: int, n_errors: int, log_complexity: float, delta: float) -> float:
    """Return the largest risk R with R - k/m <= sqrt(E R), given ln(tau(2m) / p_d)."""
    e = 4 * (log(4) + log_complexity - log(delta)) / n_examples
    share_wrong = n_errors / n_examples
    return share_wrong + e / 2 * (1 + sqrt(1 + 4 * share_wrong / e))


def _log_growth(
    shape: TreeShape,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    n_errors: int,
    form: Form,
) -> float:
    """Return the logarithm of the growth function for twice the number of examples."""
    m = checked_arguments(shape, n_examples, 1)[0]
    if checked_integer("n_errors", n_errors, 0) > m:
        raise ValueError(f"n_errors must be at most n_examples, {m}, found {shown(n_errors)}.")
    return log_growth_function_bound(
        shape, n_features=n_features, n_examples=2 * m, n_classes=n_classes, form=form
    )


def checked_logarithm(name: str, value: float) -> float:
    """Return the logarithm of a probability, after checking it.

    Parameters
    ----------
    name : str
        The name of the parameter.
    value : float
        The logarithm.
    """
    # Compared without conversion, because an integer may be too large for a float.
    given: object = value
    if not (isinstance(given, int | float) and -_LARGEST_FLOAT <= given <= 0):
        raise ValueError(f"{name} must be finite and at most 0, found {shown(value)}.")
    return float(value)
