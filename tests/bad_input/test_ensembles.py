"""Ensembles without trees, ties of votes, and limits that no ensemble satisfies."""

import re
from typing import Any

import pytest

from exactree import (
    Ensemble,
    Limits,
    ModelError,
    Problem,
    Status,
    enumerate_optimal,
    pareto_front,
    solve,
)

from .mistakes import X, Y, is_short_line

FORMS = [("witness", "native"), ("subsets", "native"), ("witness", "spec"), ("subsets", "spec")]
CHAIN = [[0.0], [1.0], [2.0], [3.0]]


@pytest.mark.parametrize("n_trees", [0, -1, 2.5, "three", None, True])
def test_ensembles_without_trees_are_refused(n_trees: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="n_trees must be an integer >= 1") as caught:
        Problem(X, Y, minimize="total_size", n_trees=n_trees)
    assert is_short_line(str(caught.value))
    with pytest.raises(ModelError, match="an ensemble needs at least one tree"):
        Ensemble(())


@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_the_outcome_reports_ties_of_an_even_number_of_trees(
    method: str, implementation: str
) -> None:
    """Two trees need one node: the other tree predicts b, and class a wins the tie."""
    problem = Problem([[0.0], [1.0]], ["a", "b"], minimize="total_size", n_trees=2)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.cost == 1
    assert outcome.ensemble is not None
    assert outcome.ensemble.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    assert outcome.stats["tied_rows"] == 1
    assert outcome.ensemble.ties([[0.0], [1.0]]).tolist() == [True, False]
    assert str(outcome).endswith("; where votes tie, in 1 row, the earlier class wins")
    odd = Problem([[0.0], [1.0]], ["a", "b"], minimize="total_size", n_trees=3)
    outcome = solve(odd, method=method, implementation=implementation)
    assert outcome.stats["tied_rows"] == 0
    assert "tie" not in str(outcome)


def test_ties_of_three_classes_and_an_odd_number_of_trees_are_reported() -> None:
    problem = Problem([[0.0], [1.0], [2.0]], [0, 1, 2], minimize="total_size", n_trees=3)
    outcome = solve(problem, method="witness")
    votes = outcome.ensemble.votes(problem.dataset.X)
    tied = sum((row == row.max()).sum() > 1 for row in votes)
    assert outcome.stats["tied_rows"] == tied
    (last, *_) = pareto_front(problem, ("errors", "total_size"))
    assert last.stats["tied_rows"] == last.ensemble.ties(problem.dataset.X).sum()


@pytest.mark.parametrize("n_trees", [2, 3, 4])
@pytest.mark.parametrize("minimize", ["total_size", "largest_size", ("largest_size", "total_size")])
@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_contradictions_make_every_ensemble_infeasible_and_are_named(
    method: str, implementation: str, minimize: Any, n_trees: int
) -> None:
    objective = {"minimize": minimize, "n_trees": n_trees}
    problem = Problem([[1.0], [2.0], [1.0]], [0, 1, 1], **objective)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.ensemble is None
    assert outcome.cost is None
    assert re.search(r"at least 1 errors: rows 0, 2 have equal features", outcome.reason or "")
    allowed = Problem([[1.0], [2.0], [1.0]], [0, 1, 1], limits=Limits(max_errors=1), **objective)
    assert solve(allowed, method=method, implementation=implementation).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        ({"max_size": 0}, "max_size=0"),
        ({"max_total_size": 2}, "max_total_size=2"),
        ({"max_size": 1, "max_total_size": 2}, "max_size=1 and max_total_size=2"),
        ({"max_size": 0, "max_errors": 1}, "max_errors=1"),
    ],
)
@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_limits_that_exclude_every_ensemble_are_infeasible_with_the_reason(
    method: str, implementation: str, limits: dict[str, Any], word: str
) -> None:
    """Alternating labels of four examples need three nodes, in one tree or in several trees."""
    objective = {"minimize": "total_size", "n_trees": 3}
    problem = Problem(CHAIN, [0, 1, 0, 1], limits=Limits(**limits), **objective)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.ensemble is None
    assert word in (outcome.reason or "")
    assert is_short_line(str(outcome))
    assert list(enumerate_optimal(problem)) == []
    assert solve(Problem(CHAIN, [0, 1, 0, 1], **objective), method=method).cost == 3


def test_fronts_of_infeasible_ensembles_are_empty() -> None:
    problem = Problem(CHAIN, [0, 1, 0, 1], n_trees=3, limits=Limits(max_size=0, max_errors=0))
    for quantities in (("total_size", "errors"), ("n_trees", "total_size")):
        assert pareto_front(problem, quantities) == []
