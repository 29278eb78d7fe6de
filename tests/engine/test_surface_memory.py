"""Searches that would take too much memory for columns of surfaces are refused at once."""

from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.engine import surface_memory
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule


def problem(n: int, rules: Any, minimize: str = "squared_error", d: int = 2) -> xt.Problem:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    labels = y if minimize in ("squared_error", "absolute_error") else y > 0
    return xt.Problem(X, labels, rules=rules, minimize=minimize, limits=xt.Limits(max_depth=1))


@pytest.fixture
def without_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every listing of surfaces fail."""

    def listed(*_: Any) -> None:
        raise AssertionError("surfaces were listed before the estimate")

    monkeypatch.setattr(Hypersurfaces, "surfaces", listed)


@pytest.mark.usefixtures("without_columns")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_regression_over_300_lines_is_refused_before_anything_is_listed(n_jobs: int) -> None:
    """Every pair of 44,850 lines has a sum and a weight, of eight bytes each."""
    with pytest.raises(xt.MethodRefused) as refused:
        xt.solve(problem(300, Hyperplanes()), n_jobs=n_jobs)
    told = str(refused.value)
    assert "300 examples in up to 44,850 ways" in told
    assert f"{44_850 * (16 * 44_850 + 100 * 300):,} bytes, more than 4,000,000,000" in told
    assert "about 175 different examples at most" in told
    assert "AxisParallel()" in told


@pytest.mark.usefixtures("without_columns")
@pytest.mark.parametrize(
    ("minimize", "n"),
    [
        ("squared_error", 200),
        ("absolute_error", 700),
        ("log_loss", 700),
        ("f1_error", 400),
        ("balanced_error", 400),
    ],
)
def test_so_is_every_search_that_takes_as_much(minimize: str, n: int) -> None:
    with pytest.raises(xt.MethodRefused, match="What works: about"):
        xt.solve(problem(n, Hyperplanes(), minimize))
    by_columns = problem(400, Hyperplanes(), "errors")
    with pytest.raises(xt.MethodRefused, match="'proper' where plain errors are minimized"):
        xt.solve(by_columns, method="branch-and-bound")


def test_the_memory_limit_counts() -> None:
    """Of 100 examples the pairs take 400 MB; no limit refuses small tables."""
    asked = problem(100, Hyperplanes())
    with pytest.raises(xt.MethodRefused, match="more than memory_limit=200,000,000"):
        xt.solve(asked, memory_limit=200_000_000)
    with pytest.raises(xt.MethodRefused, match="about 68 different examples at most"):
        xt.solve(asked, memory_limit=1000)
    small = problem(20, Hyperplanes())
    assert xt.solve(small, memory_limit=100_000_000).status is xt.Status.OPTIMAL
    assert xt.solve(small, memory_limit=1000).stopped_by == "memory limit"  # but not refused


def test_the_number_of_columns_is_at_least_what_is_listed() -> None:
    rng = np.random.default_rng(1)
    given = FixedRules([SurfaceRule.linear(w, 0.5) for w in rng.normal(size=(7, 2))])
    families = [Hyperplanes(), Hyperplanes([1]), Hypersurfaces(2), given]
    families += [Mixed([AxisParallel(), Hyperplanes()]), Mixed([given, Hypersurfaces(2, [0])])]
    for rules in families:
        for n in (2, 5, 9):
            asked = problem(n, rules, "errors")
            estimated = sum(one.count(n) for one in surface_memory._families(asked))
            assert estimated >= len(xt.problem.columns.in_columns(asked).columns)
        if rules == Hyperplanes():
            assert estimated == 36, "in general position all of them are there"


def test_thresholds_beside_surfaces_leave_pairs_uncounted() -> None:
    mixed = problem(180, Mixed([AxisParallel(), Hyperplanes()]))
    assert not all(one.two_valued for one in surface_memory._families(mixed))
    outcome = xt.solve(mixed, time_limit=1)
    assert outcome.tree is not None
    with pytest.raises(xt.MethodRefused):
        xt.solve(problem(180, Hyperplanes()), time_limit=1)
