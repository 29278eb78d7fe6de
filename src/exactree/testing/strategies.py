"""Hypothesis strategies for small random problems: ties, duplicates, contradictions, weights.

Hypothesis is imported inside the functions, because users of the package do not need it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.objectives import ERROR_TERMS, RATES
from exactree.problem import Limits, Problem
from exactree.problem.quantities import allowed_quantities
from exactree.rules import AxisParallel
from exactree.testing.drawn_weights import drawn_weights

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy
    from numpy.typing import NDArray

__all__ = [
    "features", "labels", "limits", "missing_values", "problems", "quantities", "regressions",
    "tables", "targets", "weights",
]  # fmt: skip

# Neighbours one ulp apart, neighbours equal in float32, subnormal and huge numbers, both zeros.
_ZEROS = [-5e-324, -0.0, 0.0, 5e-324]
_ONES = [1.0, float(np.nextafter(1.0, 2.0)), 1.0 + 1e-9]
_DELICATE = [-1e308, -1.0, *_ZEROS, *_ONES, 1e8, 1e308]
# Ties, large numbers that cancel digits, numbers without a short binary form, zeros, subnormals.
_TARGETS = [0.0, -0.0, 0.1, 0.2, 1 / 3, 2.5, -3.0, 5e-324, 1e-9, 1e8, 1e8 + 1, 1e8 + 2, -7e20]
_FRACTIONS = [Fraction(1, 3), Fraction(1, 7)]
_PENALTIES: list[float | Fraction] = [*_FRACTIONS, 0.01, 0.05, 0.00021544346900318845, 0.5, 2]


def tables(
    max_rows: int = 8, max_features: int = 3, min_rows: int = 1
) -> SearchStrategy[NDArray[np.float64]]:
    """Return tables with few distinct values, and so with ties and equal rows.

    Parameters
    ----------
    max_rows, max_features, min_rows : int
        Limits on the shape.
    """
    from hypothesis import strategies as st

    @st.composite
    def table(draw: DrawFn) -> NDArray[np.float64]:
        rows = draw(st.integers(min_rows, max_rows))
        columns = draw(st.integers(1, max_features))
        pool = [st.integers(0, 1), st.integers(-2, 3), st.integers(0, 50)]
        pools: list[SearchStrategy[Any]] = [*pool, st.sampled_from(_DELICATE)]
        drawn = [
            draw(st.lists(draw(st.sampled_from(pools)), min_size=rows, max_size=rows))
            for _ in range(columns)
        ]
        X = np.array(drawn, dtype=np.float64).T
        # Some rows are repeated, so that equal rows get equal and different labels.
        repeated = draw(st.lists(st.integers(0, rows - 1), max_size=max_rows - rows))
        return np.vstack([X, X[repeated]])

    return table()


def missing_values(X: NDArray[np.float64]) -> SearchStrategy[NDArray[np.float64]]:
    """Return a table with none, few or many of its values missing.

    Parameters
    ----------
    X : ndarray of float64
        The table.
    """
    from hypothesis import strategies as st

    def without(places: list[tuple[int, int]]) -> NDArray[np.float64]:
        missing = X.copy()
        for place in places:
            missing[place] = np.nan
        return missing

    place = st.tuples(st.integers(0, X.shape[0] - 1), st.integers(0, X.shape[1] - 1))
    some = st.lists(place, max_size=X.size)
    return (st.just([]) | some | st.lists(place, max_size=3)).map(without)


def labels(rows: int, max_classes: int = 5) -> SearchStrategy[list[Any]]:
    """Return labels: integers, strings, floats, tuples or mixed objects.

    Parameters
    ----------
    rows, max_classes : int
        Number of labels, and maximum number of classes.
    """
    from hypothesis import strategies as st

    kinds: list[list[Any]] = [
        [0, 1, 2, 3, 4],
        ["b", "a", "e", "c", "d"],
        [-1, 1, 7, 9, -3],
        [0.5, 1.5, -2.0, 1e300, 0.25],
        [(1, 2), (0,), (), (3, "x"), (3,)],
        [None.__class__, "a", 1, (2, 3), frozenset()],
    ]
    return st.tuples(st.sampled_from(kinds), st.integers(1, max_classes)).flatmap(
        lambda drawn: st.lists(st.sampled_from(drawn[0][: drawn[1]]), min_size=rows, max_size=rows)
    )


def targets(rows: int) -> SearchStrategy[list[float]]:
    """Return targets of a regression: small integers, or numbers that are sensitive to rounding.

    Parameters
    ----------
    rows : int
        Number of targets.
    """
    from hypothesis import strategies as st

    kinds: list[SearchStrategy[float]] = [
        st.integers(0, 1).map(float),
        st.integers(-4, 9).map(float),
        st.sampled_from(_TARGETS),
        st.floats(-100, 100),
    ]
    return st.sampled_from(kinds).flatmap(lambda kind: st.lists(kind, min_size=rows, max_size=rows))


def weights(rows: int) -> SearchStrategy[list[Any] | None]:
    """Return None, or integer or real weights; some may be zero, see `drawn_weights`.

    Parameters
    ----------
    rows : int
        Number of weights.
    """
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: DrawFn) -> list[Any] | None:
        def integer(low: int, high: int) -> int:
            return draw(st.integers(low, high))

        return drawn_weights(rows, integer, zeros=True)

    return drawn()


def limits(
    max_depth: int = 4, *, with_errors: bool = False, without: bool = True
) -> SearchStrategy[Limits]:
    """Return combinations of limits on depth, size, errors and rows per leaf.

    Parameters
    ----------
    max_depth : int
        Maximum of the limit on depth.
    with_errors : bool
        Whether errors may be limited as well.
    without : bool
        Whether depth and size may also have no limit, or a limit that no table reaches.
    """
    from hypothesis import strategies as st

    unlimited: SearchStrategy[Any] = st.sampled_from([None, 10**12])
    depth, size = st.integers(0, max_depth), st.none() | st.integers(0, 6)
    return st.builds(
        Limits,
        max_depth=depth | unlimited if without else depth,
        max_size=size | unlimited if without else size,
        max_errors=st.none() | st.sampled_from([0, 1, 2, 0.5]) if with_errors else st.none(),
        min_samples_leaf=st.just(1) | st.integers(1, 4) | st.sampled_from([0.1, 0.34]),
    )


def features(
    X: NDArray[np.float64],
) -> SearchStrategy[tuple[list[int] | None, list[int] | None]]:
    """Return the columns to use as codes, and the allowed features; either may be None.

    Parameters
    ----------
    X : ndarray of float64
        The table.
    """
    from hypothesis import strategies as st

    present = [column[~np.isnan(column)] for column in X.T]
    whole = [f for f, values in enumerate(present) if (values == np.floor(values)).all()]
    some = st.lists(st.integers(0, X.shape[1] - 1), min_size=1, unique=True)
    codes = st.lists(st.sampled_from(whole), unique=True) if whole else st.none()
    return st.tuples(st.none() | codes, st.none() | some)


def quantities(n_trees: int = 1) -> SearchStrategy[str | tuple[str, ...]]:
    """Return quantities to minimize among errors, sizes and depths: a name or a tuple of names.

    Parameters
    ----------
    n_trees : int
        Number of trees.
    """
    from hypothesis import strategies as st

    others = {*ERROR_TERMS, *RATES} - {"errors"}
    allowed = [name for name in allowed_quantities(n_trees) if name not in others]
    names = st.sampled_from(allowed)
    several = st.lists(names, min_size=1, max_size=3, unique=True).map(tuple)
    return names | several


def problems(
    max_rows: int = 7,
    max_features: int = 2,
    max_classes: int = 5,
    max_depth: int = 4,
    *,
    n_trees: int = 1,
    every_kind: bool = False,
) -> SearchStrategy[Problem]:
    """Return problems small enough for the definition.

    Parameters
    ----------
    max_rows, max_features, max_classes, max_depth : int
        Limits. The time of the definition grows like (2 * features * rows) ** depth.
    n_trees : int
        Number of trees.
    every_kind : bool
        Whether to draw any quantities and limits, columns of codes, missing values, and rules on
        some features only. By default problems minimize errors within limits on depth, size,
        errors and rows per leaf, and split by thresholds on all features; no value is missing.
    """
    from hypothesis import strategies as st

    @st.composite
    def problem(draw: DrawFn) -> Problem:
        X = draw(tables(max_rows, max_features))
        y = draw(labels(len(X), max_classes))
        minimize = draw(quantities(n_trees)) if every_kind else "errors"
        penalty = draw(st.sampled_from([0, 0, 0, *_PENALTIES])) if "errors" in minimize else 0
        # Without a limit on depth the definition takes long on more than a few rows.
        within = draw(limits(max_depth, with_errors=every_kind or not penalty, without=len(X) <= 5))
        sample_weight = draw(weights(len(X)))
        if every_kind:
            within = replace(within, max_total_size=draw(st.none() | st.integers(0, 6)))
            if sample_weight is None:  # a label is dropped if all its rows have weight zero
                leaf_limits = st.dictionaries(st.sampled_from(y), st.integers(0, 2), max_size=2)
                within = replace(within, max_leaves_of=draw(st.none() | leaf_limits))
        if every_kind:
            X = draw(missing_values(X))
        codes, allowed = draw(features(X)) if every_kind else (None, None)
        return Problem(
            X,
            y,
            sample_weight=sample_weight,
            rules=AxisParallel(allowed),
            categories=codes,
            minimize=minimize,
            leaf_penalty=penalty,
            n_trees=n_trees,
            limits=within,
        )

    return problem()


def regressions(
    max_rows: int = 7, max_features: int = 2, max_depth: int = 3, *, every_kind: bool = False
) -> SearchStrategy[Problem]:
    """Return regression problems small enough for the definition.

    Parameters
    ----------
    max_rows, max_features, max_depth : int
        Limits, as in `problems`.
    every_kind : bool
        Whether to draw also tuples of quantities, columns of codes, missing values, and rules on
        some features only.
    """
    from hypothesis import strategies as st

    @st.composite
    def problem(draw: DrawFn) -> Problem:
        X = draw(tables(max_rows, max_features))
        term = draw(st.sampled_from(["squared_error", "absolute_error"]))
        kinds: list[str | tuple[str, ...]] = [term, (term, "size"), ("size", term)]
        kinds += [(term, "depth"), (term, "size", "depth")]
        minimize = draw(st.sampled_from(kinds)) if every_kind else term
        if every_kind:
            X = draw(missing_values(X))
        codes, allowed = draw(features(X)) if every_kind else (None, None)
        return Problem(
            X,
            draw(targets(len(X))),
            sample_weight=draw(weights(len(X))),
            rules=AxisParallel(allowed),
            categories=codes,
            minimize=minimize,
            leaf_penalty=draw(st.sampled_from([0, 0, *_PENALTIES])),
            limits=draw(limits(max_depth, without=len(X) <= 4)),
        )

    return problem()
