"""Arguments and refusals of solve; its recount detects every wrong result."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import InternalError, Limits, MethodRefused, Outcome, Problem, Status, solve
from exactree.methods import NATIVE, MethodForm
from exactree.spec import min_cost
from exactree.spec.methods import METHODS

PROBLEM = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], limits=Limits(max_depth=2))


def by_spec(problem: Problem = PROBLEM, **how: Any) -> Outcome:
    return solve(problem, implementation="spec", **how)


def spec_is(monkeypatch: pytest.MonkeyPatch, spec: Any) -> None:
    """Put another specification in the place of the definition."""
    changed = replace(METHODS["branch-and-bound"], spec=spec)
    monkeypatch.setitem(METHODS, "branch-and-bound", changed)


def test_auto_is_solved_by_the_definition() -> None:
    outcome = by_spec(method="auto")
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, 0)
    assert by_spec(Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=2)).cost == 1


def test_the_native_form_gets_the_limits_in_plain_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: dict[str, Any] = {}

    def native(problem: Problem, **how: Any) -> Outcome:
        heard.update(how)
        return min_cost(problem)

    form = MethodForm("branch-and-bound", "native", None, native)
    monkeypatch.setitem(NATIVE, "branch-and-bound", lambda problem: form)
    solve(PROBLEM, time_limit=np.float32(2), memory_limit=np.int64(7), stop_at_gap=0, n_jobs=None)
    assert heard == {
        "time_limit": 2.0,
        "memory_limit": 7,
        "n_jobs": 1,
        "stop_at_gap": 0.0,
        "on_progress": None,
    }
    solve(PROBLEM, time_limit=float("inf"))
    assert heard["time_limit"] is None


def test_stats_state_the_rounding_of_weights() -> None:
    exact = by_spec(Problem([[0], [1]], [0, 1], [0.5, 0.25])).stats
    assert (exact["weight_scale"], exact["weight_rounding"]) == (4, 0.0)
    rounded = by_spec(Problem([[0], [1]], [0, 1], [0.1, 1000.0])).stats
    assert 0 < rounded["weight_rounding"] < 1e-12


@pytest.mark.parametrize(
    ("asked", "limits", "why"),
    [
        ({"leaf_penalty": 0.1}, {"max_errors": 3}, "leaf_penalty and max_errors together"),
    ],
)
def test_what_the_engine_cannot_do_yet_is_refused(
    asked: dict[str, Any], limits: dict[str, Any], why: str
) -> None:
    problem = Problem([[0], [1]], [0, 1], limits=Limits(**limits), **asked)
    with pytest.raises(MethodRefused, match=f"native form.*{why}.*'branch-and-bound'.*'spec'"):
        solve(problem)
    assert solve(problem, implementation="spec").status is Status.OPTIMAL


def test_auto_takes_another_native_form_where_the_engine_refuses() -> None:
    problem = Problem([[0], [1], [2]], ["i", "o", "u"], minimize="total_size", n_trees=2)
    with pytest.raises(MethodRefused, match=r"two classes.*use .*'witness'.* with implementation"):
        solve(problem, method="branch-and-bound")
    assert solve(problem).cost == solve(problem, method="witness").cost


@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_contradictory_rows_are_named(implementation: str) -> None:
    problem = Problem([[0], [1], [0]], [0, 1, 1], limits=Limits(max_errors=0))
    outcome = solve(problem, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.lower_bound == 1
    assert outcome.reason is not None
    assert "rows 0, 2 have equal features" in outcome.reason


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"method": "magic"}, "method must be 'auto' or 'branch-and-bound' or .*, got 'magic'"),
        ({"method": None}, "method must be"),
        ({"implementation": "rust"}, "implementation must be 'native' or 'spec', got 'rust'"),
        ({"time_limit": 0}, "time_limit must be a positive number"),
        ({"time_limit": -1.0}, "time_limit must be a positive number"),
        ({"time_limit": float("nan")}, "time_limit must be a positive number"),
        ({"time_limit": "60"}, "time_limit must be a positive number"),
        ({"time_limit": True}, "time_limit must be a positive number"),
        ({"memory_limit": 0}, "memory_limit must be a positive integer"),
        ({"memory_limit": 1e9}, "memory_limit must be a positive integer"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer from 1 to 1024, or negative"),
        ({"n_jobs": 2000}, "n_jobs must be None or an integer from 1 to 1024"),
        ({"n_jobs": 2.0}, "n_jobs must be None or an integer"),
        ({"n_jobs": True}, "n_jobs must be None or an integer"),
        ({"stop_at_gap": 1}, r"stop_at_gap must be a number in \[0, 1\)"),
        ({"stop_at_gap": -0.1}, "stop_at_gap must be a number"),
        ({"stop_at_gap": None}, "stop_at_gap must be a number"),
        ({"on_progress": "print"}, "on_progress must be callable or None"),
    ],
)
def test_what_is_not_allowed_is_refused_before_any_work(
    how: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_work(problem: Problem, **how: Any) -> Outcome:
        pytest.fail("the method was called")

    spec_is(monkeypatch, no_work)
    with pytest.raises((ValueError, TypeError), match=sentence):
        solve(PROBLEM, **{"implementation": "spec", **how})


def test_something_else_than_a_problem_is_refused() -> None:
    with pytest.raises(TypeError, match=r"problem must be a Problem.*got list"):
        solve([[0], [1]])  # type: ignore[arg-type]


STUMP = min_cost(Problem([[0], [1]], [0, 1])).tree
TRUE = min_cost(PROBLEM)
WRONG = {
    "a cost that is not the tree's": replace(TRUE, cost=1, lower_bound=1),
    "a lower bound above the cost": replace(TRUE, lower_bound=Fraction(1, 2)),
    "optimal without proof": replace(TRUE, lower_bound=-1),
    "optimal without a tree": replace(TRUE, tree=None),
    "infeasible with a tree": replace(TRUE, status=Status.INFEASIBLE),
    "feasible without a cost": replace(TRUE, status=Status.FEASIBLE, cost=None),
    "feasible for no reason": replace(TRUE, status=Status.FEASIBLE, lower_bound=-1),
    "stopped by nothing": Outcome(Status.STOPPED, None, 0, None),
}


def answered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcome: Outcome) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spec_is(monkeypatch, lambda problem: outcome)


@pytest.mark.parametrize("outcome", WRONG.values(), ids=WRONG.keys())
def test_an_answer_that_fails_its_recount_is_a_defect(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(monkeypatch, tmp_path, outcome)
    with pytest.raises(InternalError, match="failed its recount"):
        by_spec()


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        (Limits(max_depth=1), "depth 2 is above max_depth=1"),
        (Limits(max_size=2), "size 3 is above max_size=2"),
        (Limits(min_samples_leaf=2), "a leaf holds 1 rows, fewer than 2"),
    ],
)
def test_a_tree_beyond_the_limits_is_a_defect(
    limits: Limits, broken: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(monkeypatch, tmp_path, TRUE)
    dataset = PROBLEM.dataset
    with pytest.raises(InternalError, match=broken):
        by_spec(Problem(dataset.X, dataset.labels, limits=limits))


def test_rows_of_leaves_are_counted_by_routing_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A tree that claims more rows in its leaves than reach them is a defect."""
    assert TRUE.tree is not None
    claimed = replace(TRUE.tree, n_node_samples=10 * TRUE.tree.n_node_samples)
    answered(monkeypatch, tmp_path, replace(TRUE, tree=claimed))
    dataset = PROBLEM.dataset
    with pytest.raises(InternalError, match="a leaf holds 1 rows, fewer than 2"):
        by_spec(Problem(dataset.X, dataset.labels, limits=Limits(min_samples_leaf=2)))


def test_more_errors_than_allowed_are_a_defect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    leaf = min_cost(Problem([[0], [1]], [0, 1], limits=Limits(max_depth=0)))
    answered(monkeypatch, tmp_path, leaf)
    with pytest.raises(InternalError, match="1 errors are above max_errors=0"):
        by_spec(Problem([[0], [1]], [0, 1], limits=Limits(max_errors=0)))


def test_a_defect_leaves_a_file_to_replay_it_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(monkeypatch, tmp_path, replace(TRUE, cost=1, lower_bound=1))
    with pytest.raises(InternalError) as raised:
        by_spec()
    (path,) = tmp_path.iterdir()
    assert str(path) in str(raised.value)
    with np.load(path) as kept:
        assert np.array_equal(kept["X"], PROBLEM.dataset.X)
        assert np.array_equal(kept["labels"], PROBLEM.dataset.labels)
        assert json.loads(str(kept["problem"]))["limits"]["max_depth"] == "2"


@pytest.mark.parametrize(
    ("resume", "error", "why"),
    [
        ("", ValueError, "resume must be the path of a file or None, got ''"),
        ("a\0b", ValueError, "resume must be the path of a file or None"),
        (5, TypeError, "resume must be the path of a file or None, got 5"),
        (b"run.json", TypeError, "resume must be the path of a file or None"),
        (".", ValueError, "is a folder"),
        ("no such folder/run.json", ValueError, "there is no folder no such folder"),
    ],
)
def test_what_is_no_file_to_resume_from_is_refused(
    resume: Any, error: type[Exception], why: str
) -> None:
    problem = Problem([[0.0], [1.0]], [0, 1], limits=Limits(max_depth=3))
    with pytest.raises(error, match=why):
        solve(problem, resume=resume)
