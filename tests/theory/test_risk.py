"""The risk bounds by formula (8) of source 003 and by Vapnik: exact numbers and laws."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, isfinite, log, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.theory import (
    TreeShape,
    enumerate_shapes,
    growth_function_bound,
    log_error_prior,
    log_shape_prior,
    risk_bound,
    vapnik_risk_bound,
    wedderburn_etherington,
)

LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)
SMALL = [shape for leaves in range(1, 7) for shape in enumerate_shapes(leaves)]
TABLE = {"n_features": 4, "n_examples": 20, "n_classes": 3, "n_errors": 2}


@given(st.sampled_from(SMALL), st.integers(0, 20), st.integers(1, 4), st.sampled_from([0.05, 0.5]))
def test_the_bound_agrees_with_formula_8(
    shape: TreeShape, k: int, n_classes: int, delta: float
) -> None:
    """Computed from the exact growth function, with no logarithm except that of formula (8)."""
    growth = growth_function_bound(
        shape, n_features=4, n_examples=40, n_classes=n_classes, form="loose"
    )
    r = Fraction(1, 1024)
    prior = 6 / (pi**2 * shape.leaves**2) / wedderburn_etherington(shape.leaves)
    argument = 4 * growth / ((1 - r) * r**k * Fraction(delta)) / Fraction(prior)
    expected = (2 * k + 4 * (log(argument.numerator) - log(argument.denominator))) / 20
    numbers = TABLE | {"n_classes": n_classes, "n_errors": k}
    assert risk_bound(shape, **numbers, delta=delta, r=1 / 1024) == pytest.approx(expected)  # type: ignore[arg-type]


@given(st.sampled_from(SMALL), st.integers(0, 20), st.integers(1, 4), st.sampled_from([0.05, 0.5]))
def test_the_bound_of_vapnik_agrees_with_its_formula(
    shape: TreeShape, k: int, n_classes: int, delta: float
) -> None:
    """The bound R solves (R - k/m)² = E R with R >= k/m; here with fifty digits."""
    growth = growth_function_bound(
        shape, n_features=4, n_examples=40, n_classes=n_classes, form="loose"
    )
    prior = 6 / (pi**2 * shape.leaves**2) / wedderburn_etherington(shape.leaves)
    numbers = TABLE | {"n_classes": n_classes, "n_errors": k}
    found = vapnik_risk_bound(shape, **numbers, delta=delta)  # type: ignore[arg-type]
    with localcontext() as context:
        context.prec = 50
        e = 4 * (4 * growth / (Decimal(delta) * Decimal(prior))).ln() / 20
        error_rate = Decimal(k) / 20
        expected = error_rate + (e + (e * e + 4 * e * error_rate).sqrt()) / 2
        assert abs((expected - error_rate) ** 2 - e * expected) < Decimal("1e-40")
    assert found == pytest.approx(float(expected), rel=1e-12)
    assert found >= k / 20


@given(st.sampled_from(SMALL), st.integers(0, 20))
def test_the_bound_of_vapnik_is_smaller(shape: TreeShape, k: int) -> None:
    """For x >= 0, x + E/2 (1 + sqrt(1 + 4x/E)) <= 2x + E; the prior of errors increases E."""
    numbers = TABLE | {"n_errors": k}
    assert vapnik_risk_bound(shape, **numbers) <= risk_bound(shape, **numbers, log_q=0.0)
    assert risk_bound(shape, **numbers, log_q=0.0) < risk_bound(shape, **numbers)


@given(st.integers(0, 20), st.sampled_from([0.5, 2**-10, 0.99]))
def test_the_prior_of_errors_may_be_given_as_a_logarithm(k: int, r: float) -> None:
    bound = risk_bound(STUMP, **(TABLE | {"n_errors": k}), log_q=log_error_prior(k, r))
    assert bound == pytest.approx(risk_bound(STUMP, **(TABLE | {"n_errors": k}), r=r))
    assert exp(log_error_prior(k, r)) == pytest.approx((1 - r) * r**k)


# Shape, features, examples, classes, errors; the bounds of Shawe-Taylor and of Vapnik, both with
# the prior of errors, by the program of the paper's authors (`form="paper"` here).
PUBLISHED = [
    (".", 4, 30, 3, 7, 10.126830531656868, 10.121451417318454),
    ("(.,.)", 10, 100, 2, 3, 1.7815579916980713, 1.7810526725607625),
    ("((.,.),.)", 5, 60, 4, 0, 1.6256683951444548, 1.6256683951444548),
    ("((.,.),(.,.))", 19, 157, 7, 20, 6.160160385171174, 6.157524936833728),
    ("(((.,.),.),(.,.))", 8, 1113, 10, 500, 18.181795526220338, 18.170688999015184),
    ("((((.,.),.),.),(.,.))", 57, 3450, 2, 400, 4.728070671437586, 4.725225822410154),
    ("((((.,.),.),((.,.),.)),((.,.),(.,.)))", 21, 1594, 10, 700, 17.907181997782995,
     17.896406096110034),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "n_features", "n_examples", "n_classes", "k", "shawe_taylor", "vapnik"),
    PUBLISHED,
    ids=[row[0] for row in PUBLISHED],
)
def test_the_bounds_have_the_published_values(
    code: str,
    n_features: int,
    n_examples: int,
    n_classes: int,
    k: int,
    shawe_taylor: float,
    vapnik: float,
) -> None:
    leaves = code.count(".")
    [shape] = [shape for shape in enumerate_shapes(leaves) if shape.code == code]
    numbers = {"n_features": n_features, "n_examples": n_examples, "n_classes": n_classes}
    found = risk_bound(shape, **numbers, n_errors=k, form="paper")
    assert found == pytest.approx(shawe_taylor, rel=1e-12)
    prior = log_shape_prior(shape) + log_error_prior(k, 2**-13.7)
    found = vapnik_risk_bound(shape, **numbers, n_errors=k, log_prior=prior, form="paper")
    assert found == pytest.approx(vapnik, rel=1e-12)


def test_the_priors_of_shapes_add_up_to_at_most_1() -> None:
    """The sum over all shapes of at most 7 leaves is less than 1, and close to it."""
    by_leaves = [exp(log_shape_prior(next(enumerate_shapes(n)))) for n in range(1, 8)]
    total = sum(p * wedderburn_etherington(n) for n, p in enumerate(by_leaves, start=1))
    assert 0.9 < total < 1
    assert total == pytest.approx(sum(6 / (pi * n) ** 2 for n in range(1, 8)))


@given(st.sampled_from(SMALL), st.integers(0, 19))
def test_bounds_increase_with_errors_leaves_and_certainty(shape: TreeShape, k: int) -> None:
    bound = risk_bound(shape, **(TABLE | {"n_errors": k}))
    assert bound < risk_bound(shape, **(TABLE | {"n_errors": k + 1}))
    assert bound < risk_bound(TreeShape(shape, LEAF), **(TABLE | {"n_errors": k}))
    assert bound < risk_bound(shape, **(TABLE | {"n_errors": k}), delta=0.01)
    assert bound >= risk_bound(shape, **(TABLE | {"n_errors": k}), form="tight")
    without_prior = risk_bound(shape, **(TABLE | {"n_errors": k}), log_prior=0.0)
    assert without_prior == pytest.approx(bound + 4 * log_shape_prior(shape) / 20)


def test_bounds_are_finite_for_large_tables_and_trees() -> None:
    shape = LEAF
    for _ in range(60):
        shape = TreeShape(shape, LEAF)
    numbers = {"n_features": 60, "n_examples": 50_000, "n_classes": 10, "n_errors": 50_000}
    assert isfinite(risk_bound(shape, **numbers))
    assert 1 < vapnik_risk_bound(shape, **numbers) < 2
    assert 0 < risk_bound(STUMP, n_features=1, n_examples=10**9, n_classes=2, n_errors=0) < 1e-6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"delta": 0}, "delta must be a number between 0 and 1, found 0"),
        ({"delta": 1.0}, "delta must be a number between 0 and 1, found 1.0"),
        ({"delta": float("nan")}, "delta must be a number between 0 and 1, found nan"),
        ({"delta": "small"}, "delta must be a number between 0 and 1, found 'small'"),
        ({"r": 2.0}, "r must be a number between 0 and 1, found 2.0"),
        ({"n_errors": -1}, "n_errors must be at least 0, found -1"),
        ({"n_errors": 21}, "n_errors must be at most n_examples, 20, found 21"),
        ({"n_examples": 0}, "n_examples must be at least 1, found 0"),
        ({"n_features": -3}, "n_features must be at least 1, found -3"),
        ({"n_classes": 0}, "n_classes must be at least 1, found 0"),
        ({"log_prior": 0.5}, "log_prior must be finite and at most 0, found 0.5"),
        ({"log_prior": float("-inf")}, "log_prior must be finite and at most 0, found -inf"),
        ({"log_q": 0.1}, "log_q must be finite and at most 0, found 0.1"),
    ],
)
def test_wrong_input_is_refused(change: dict[str, object], sentence: str) -> None:
    bounds = [risk_bound] if change.keys() & {"r", "log_q"} else [risk_bound, vapnik_risk_bound]
    for bound in bounds:
        with pytest.raises(ValueError, match=sentence):
            bound(STUMP, **(TABLE | change))  # type: ignore[arg-type]
