"""Scaled products of features, and weights of them from linear models."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.rules import Hypersurfaces, SurfaceRule
from exactree.rules.surface import Monomial, Surfaces

__all__ = ["SurfaceTerms", "least_hinge_weights", "logistic_weights"]


@dataclass(frozen=True)
class SurfaceTerms:
    """A family of surfaces, with its terms for every row: scaled products of features, and 1.

    Attributes
    ----------
    family : Hypersurfaces
        The family.
    monomials : tuple of tuple of int
        Its products of features.
    terms : ndarray of float64, shape (n, terms)
        The products of every row, scaled, and 1; 0 for products that are not finite.
    middle, spread : ndarray of float64
        The mean and the standard deviation of each product, by which it is scaled.
    """

    family: Hypersurfaces
    monomials: tuple[Monomial, ...]
    terms: NDArray[np.float64]
    middle: NDArray[np.float64]
    spread: NDArray[np.float64]

    @classmethod
    def of(cls, family: Hypersurfaces, X: NDArray[np.float64]) -> "SurfaceTerms":
        """Return the terms of a table.

        Parameters
        ----------
        family : Hypersurfaces
            The family.
        X : ndarray of float64, shape (n, d)
            The table.
        """
        monomials = family.monomials(X.shape[1])
        units = tuple(tuple(row) for row in np.eye(len(monomials)).tolist())
        with np.errstate(over="ignore", invalid="ignore"):
            P = Surfaces(monomials, units).values(X)
            middle, spread = P.mean(axis=0), P.std(axis=0)
            usable = np.isfinite(P).all(axis=0) & np.isfinite(spread) & (spread > 0)
            spread = np.where(usable, spread, np.inf)
            middle = np.where(usable, middle, 0.0)
            terms = np.where(usable, (P - middle) / np.where(usable, spread, 1.0), 0.0)
        return cls(family, monomials, np.column_stack([terms, np.ones(len(X))]), middle, spread)

    def weights_of(self, rule: SurfaceRule) -> NDArray[np.float64] | None:
        """Return the weights of a rule for the scaled terms, None for one of another family.

        Parameters
        ----------
        rule : SurfaceRule
            The rule.
        """
        given = dict(zip(rule.monomials, rule.weights, strict=True))
        if any(w and m not in self.monomials for m, w in given.items()):
            return None
        weights = np.array([given.get(monomial, 0.0) for monomial in self.monomials])
        finite = np.isfinite(self.spread)
        scaled = np.where(finite, weights * np.where(finite, self.spread, 1.0), 0.0)
        return np.append(scaled, float(weights @ self.middle) - rule.threshold)


def logistic_weights(
    terms: NDArray[np.float64], sign: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of a logistic regression.

    Parameters
    ----------
    terms : ndarray of float64, shape (n, terms)
        The scaled products of features, and 1.
    sign : ndarray of float64, shape (n,)
        -1 for the examples that should go left, 1 for the others.
    weights : ndarray of float64, shape (n,)
        The weights of the examples.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=100.0, max_iter=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # weights that have not converged are a start, too
        model.fit(terms[:, :-1], sign, sample_weight=weights / weights.mean())
    return np.append(model.coef_[0], model.intercept_[0])


def least_hinge_weights(
    terms: NDArray[np.float64], sign: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the weights of least hinge loss, by a linear programme; 0 errors if that is possible.

    The loss of an example is the amount by which its sum fails to be 1 on its own side, so it is at
    least 1 for an example on the other side.

    Parameters
    ----------
    terms : ndarray of float64, shape (n, terms)
        The scaled products of features, and 1.
    sign : ndarray of float64, shape (n,)
        -1 for the examples that should go left, 1 for the others.
    weights : ndarray of float64, shape (n,)
        The weights of the examples.
    """
    from scipy.optimize import linprog

    n, t = terms.shape
    rows = np.hstack([-sign[:, None] * terms, -np.eye(n)])
    costs = np.append(np.zeros(t), weights / max(float(weights.sum()), 1.0))
    bounds = [(None, None)] * t + [(0, None)] * n
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = linprog(costs, rows, -np.ones(n), bounds=bounds, method="highs")
    return None if found.x is None else np.asarray(found.x[:t], dtype=np.float64)
