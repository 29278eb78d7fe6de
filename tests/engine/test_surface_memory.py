"""Searches that would take too much memory for columns of surfaces are refused at once."""

from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.engine.oblique import memory
from exactree.rules import AxisParallel, FixedRules, Hyperplanes, Hypersurfaces, Mixed, SurfaceRule


def problem(n: int, rules: Any, minimize: str = "squared_error", depth: int = 2) -> xt.Problem:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    labels = y if minimize in ("squared_error", "absolute_error") else y > 0
    limits = xt.Limits(max_depth=depth)
    return xt.Problem(X, labels, rules=rules, minimize=minimize, limits=limits)


@pytest.fixture
def without_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every listing of surfaces fail."""

    def listed(*_: Any) -> None:
        raise AssertionError("surfaces were listed before the estimate")

    monkeypatch.setattr(Hypersurfaces, "surfaces", listed)


@pytest.mark.usefixtures("without_columns")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_regression_over_500_lines_is_refused_before_anything_is_listed(n_jobs: int) -> None:
    """Every line has some numbers for each example; pairs of lines are not kept."""
    with pytest.raises(xt.MethodRefused) as refused:
        xt.solve(problem(500, Hyperplanes()), n_jobs=n_jobs)
    message = str(refused.value)
    assert "500 examples in up to 124,750 ways" in message
    assert f"{124_750 * 100 * 500:,} bytes, more than 4,000,000,000" in message
    assert "about 431 different examples at most" in message
    assert "AxisParallel()" in message


@pytest.mark.usefixtures("without_columns")
@pytest.mark.parametrize(
    ("minimize", "n"),
    [
        ("squared_error", 500),
        ("absolute_error", 700),
        ("log_loss", 700),
        ("f1_error", 400),
    ],
)
def test_other_searches_that_need_too_much_memory_are_refused(minimize: str, n: int) -> None:
    with pytest.raises(xt.MethodRefused, match="What works: about"):
        xt.solve(problem(n, Hyperplanes(), minimize))
    by_columns = problem(400, Hyperplanes(), "errors", depth=1)
    with pytest.raises(xt.MethodRefused, match="'proper' where plain errors are minimized"):
        xt.solve(by_columns, method="branch-and-bound")


def test_a_memory_limit_refuses_fewer_examples() -> None:
    """The lines through 200 examples take 400 MB. No limit refuses a table of 20 examples."""
    limited = problem(200, Hyperplanes())
    with pytest.raises(xt.MethodRefused, match="more than memory_limit=200,000,000"):
        xt.solve(limited, memory_limit=200_000_000)
    with pytest.raises(xt.MethodRefused, match="about 126 different examples at most"):
        xt.solve(limited, memory_limit=1000)
    small = problem(20, Hyperplanes())
    assert xt.solve(small, memory_limit=100_000_000).status is xt.Status.OPTIMAL
    assert xt.solve(small, memory_limit=1000).stopped_by == "memory limit"  # but not refused


def test_the_estimated_number_of_columns_is_at_least_that_of_the_listed_columns() -> None:
    rng = np.random.default_rng(1)
    given = FixedRules([SurfaceRule.linear(w, 0.5) for w in rng.normal(size=(7, 2))])
    families = [Hyperplanes(), Hyperplanes([1]), Hypersurfaces(2), given]
    families += [Mixed([AxisParallel(), Hyperplanes()]), Mixed([given, Hypersurfaces(2, [0])])]
    for rules in families:
        for n in (2, 5, 9):
            with_rules = problem(n, rules, "errors", depth=1)
            estimated = sum(one.count(n) for one in memory._families(with_rules))
            assert estimated >= len(xt.problem.encoding.columns.in_columns(with_rules).columns)
        if rules == Hyperplanes():
            assert estimated == 36, "C(9, 2) lines through two of nine examples"


def test_pairs_of_columns_are_not_counted_in_mixtures_with_thresholds() -> None:
    mixed = problem(300, Mixed([AxisParallel(), Hyperplanes()]), "errors")
    assert not all(one.two_valued for one in memory._families(mixed))
    memory.refuse_many_surfaces(mixed, None, pairs=True)
    with pytest.raises(xt.MethodRefused):
        memory.refuse_many_surfaces(problem(300, Hyperplanes(), "errors"), None, pairs=True)


def lists_of_answers(rules: Any) -> list[Any]:
    """Return calls that list or count answers, or search for ensembles, over many lines."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 2)), rng.random(500) > 0.5
    single_tree = xt.Problem(X, y, rules=rules, minimize="size")
    ensembles = xt.Problem(X, y, rules=rules, minimize="total_size", n_trees=2)
    sizes = ("total_size", "errors")
    return [
        lambda: next(xt.enumerate_optimal(single_tree)),
        lambda: next(xt.enumerate_optimal(single_tree, within=1, memory_limit=2**40)),
        lambda: xt.count_optimal(single_tree),
        lambda: xt.pareto_front(single_tree, ("size", "errors")),
        lambda: xt.pareto_front(single_tree, ("false_positives", "false_negatives")),
        lambda: xt.solve(ensembles),
        lambda: xt.solve(ensembles, method="branch-and-bound"),
        lambda: next(xt.enumerate_optimal(ensembles)),
        lambda: xt.count_optimal(ensembles),
        lambda: xt.pareto_front(ensembles, sizes),
        lambda: xt.solve(single_tree, method="witness"),
    ]


@pytest.mark.usefixtures("without_columns")
@pytest.mark.parametrize("call", range(11))
@pytest.mark.parametrize("mixed", [False, True])
def test_lists_fronts_and_ensembles_are_refused_with_numbers_before_a_listing(
    call: int, mixed: bool
) -> None:
    """For 500 examples every line takes 50,000 bytes, and no memory_limit allows more than 4 GB."""
    rules = Mixed([AxisParallel(), Hyperplanes()]) if mixed else Hyperplanes()
    with pytest.raises(xt.MethodRefused, match=r"ways, for which .* bytes, more than") as refused:
        lists_of_answers(rules)[call]()
    assert "different examples at most" in str(refused.value)


@pytest.mark.usefixtures("without_columns")
def test_a_list_of_trees_observes_the_memory_limit_for_surfaces() -> None:
    """Lines split 150 examples in 11,175 ways, which take about 170 MB."""
    with pytest.raises(xt.MethodRefused, match="more than memory_limit=100,000,000"):
        xt.enumerate_optimal(
            problem(150, Hyperplanes(), "errors", depth=1), memory_limit=100_000_000
        )
