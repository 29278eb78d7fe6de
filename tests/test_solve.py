"""Arguments and refusals of solve; its recount detects every wrong result."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import (
    Infeasible,
    InternalError,
    Limits,
    MethodRefused,
    OptimalTreeClassifier,
    Outcome,
    Problem,
    Status,
    solve,
)
from exactree.methods import NATIVE, MethodForm
from exactree.spec import min_cost
from exactree.spec.methods import METHODS

PROBLEM = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], limits=Limits(max_depth=2))


def by_spec(problem: Problem = PROBLEM, **options: Any) -> Outcome:
    return solve(problem, implementation="spec", **options)


def replace_spec(monkeypatch: pytest.MonkeyPatch, spec: Any) -> None:
    """Put another specification in the place of the definition."""
    changed = replace(METHODS["branch-and-bound"], spec=spec)
    monkeypatch.setitem(METHODS, "branch-and-bound", changed)


def test_the_specification_of_method_auto_solves_trees_and_ensembles() -> None:
    outcome = by_spec(method="auto")
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, 0)
    assert by_spec(Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=2)).cost == 1


def test_the_native_form_receives_options_as_plain_python_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: dict[str, Any] = {}

    def native(problem: Problem, **options: Any) -> Outcome:
        received.update(options)
        return min_cost(problem)

    form = MethodForm("branch-and-bound", "native", None, native)
    monkeypatch.setitem(NATIVE, "branch-and-bound", lambda problem: form)
    solve(PROBLEM, time_limit=np.float32(2), memory_limit=np.int64(7), stop_at_gap=0, n_jobs=None)
    assert received == {
        "time_limit": 2.0,
        "memory_limit": 7,
        "n_jobs": 1,
        "stop_at_gap": 0.0,
        "on_progress": None,
    }
    solve(PROBLEM, time_limit=float("inf"))
    assert received["time_limit"] is None


def test_stats_state_the_rounding_of_weights() -> None:
    exact = by_spec(Problem([[0], [1]], [0, 1], [0.5, 0.25])).stats
    assert (exact["weight_scale"], exact["weight_rounding"]) == (4, 0.0)
    rounded = by_spec(Problem([[0], [1]], [0, 1], [0.1, 1000.0])).stats
    assert 0 < rounded["weight_rounding"] < 1e-12


def test_problems_that_the_engine_does_not_support_are_refused_with_advice() -> None:
    costs = {0: {1: 2**40, 2: 1}, 1: {0: 1, 2: 2**41}, 2: {0: 3, 1: 1}}
    problem = Problem([[0], [1], [2]], [0, 1, 2], [2**30] * 3, cost_matrix=costs)
    reason = "integers of more than 62 bits"
    with pytest.raises(MethodRefused, match=f"{reason}; use 'branch-and-bound'.*'spec'"):
        solve(problem)
    assert solve(problem, implementation="spec").status is Status.OPTIMAL


def test_auto_chooses_another_native_form_if_the_engine_refuses() -> None:
    problem = Problem([[0], [1], [2]], ["i", "o", "u"], minimize="total_size", n_trees=2)
    with pytest.raises(MethodRefused, match=r"two classes.*use .*'witness'.* with implementation"):
        solve(problem, method="branch-and-bound")
    assert solve(problem).cost == solve(problem, method="witness").cost


@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_contradictory_rows_are_named_as_the_reason(implementation: str) -> None:
    problem = Problem([[0], [1], [0]], [0, 1, 1], limits=Limits(max_errors=0))
    outcome = solve(problem, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.lower_bound == 1
    assert outcome.reason is not None
    assert "rows 0, 2 have equal features" in outcome.reason


@pytest.mark.parametrize(
    ("options", "sentence"),
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
def test_wrong_options_are_refused_before_any_work(
    options: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_work(problem: Problem, **_: Any) -> Outcome:
        pytest.fail("the method was called")

    replace_spec(monkeypatch, no_work)
    with pytest.raises((ValueError, TypeError), match=sentence):
        solve(PROBLEM, **{"implementation": "spec", **options})


def test_an_argument_that_is_not_a_problem_is_refused() -> None:
    with pytest.raises(TypeError, match=r"problem must be a Problem.*got list"):
        solve([[0], [1]])  # type: ignore[arg-type]


CORRECT = min_cost(PROBLEM)
WRONG = {
    "a cost that the tree does not have": replace(CORRECT, cost=1, lower_bound=1),
    "a lower bound above the cost": replace(CORRECT, lower_bound=Fraction(1, 2)),
    "optimal without proof": replace(CORRECT, lower_bound=-1),
    "optimal without a tree": replace(CORRECT, tree=None),
    "infeasible with a tree": replace(CORRECT, status=Status.INFEASIBLE),
    "feasible without a cost": replace(CORRECT, status=Status.FEASIBLE, cost=None),
    "feasible without a reason to stop": replace(CORRECT, status=Status.FEASIBLE, lower_bound=-1),
    "stopped without a reason": Outcome(Status.STOPPED, None, 0, None),
}


def let_spec_return(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcome: Outcome) -> None:
    """Let the specification return an outcome; replay files are written to `tmp_path`."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    replace_spec(monkeypatch, lambda problem: outcome)


@pytest.mark.parametrize("outcome", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_outcome_fails_its_recount(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    let_spec_return(monkeypatch, tmp_path, outcome)
    with pytest.raises(InternalError, match="failed its recount"):
        by_spec()


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(max_depth=1), "depth 2 is above max_depth=1"),
        (Limits(max_size=2), "size 3 is above max_size=2"),
        (Limits(min_samples_leaf=2), "a leaf holds 1 rows, fewer than 2"),
    ],
)
def test_a_tree_that_violates_a_limit_fails_its_recount(
    limits: Limits, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    let_spec_return(monkeypatch, tmp_path, CORRECT)
    dataset = PROBLEM.dataset
    with pytest.raises(InternalError, match=message):
        by_spec(Problem(dataset.X, dataset.labels, limits=limits))


def test_rows_of_leaves_are_counted_by_routing_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The numbers of rows stored in the tree, here ten times too large, are not used."""
    assert CORRECT.tree is not None
    wrong_tree = replace(CORRECT.tree, n_node_samples=10 * CORRECT.tree.n_node_samples)
    let_spec_return(monkeypatch, tmp_path, replace(CORRECT, tree=wrong_tree))
    dataset = PROBLEM.dataset
    with pytest.raises(InternalError, match="a leaf holds 1 rows, fewer than 2"):
        by_spec(Problem(dataset.X, dataset.labels, limits=Limits(min_samples_leaf=2)))


def test_a_tree_with_too_many_errors_fails_its_recount(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    leaf = min_cost(Problem([[0], [1]], [0, 1], limits=Limits(max_depth=0)))
    let_spec_return(monkeypatch, tmp_path, leaf)
    with pytest.raises(InternalError, match="1 errors are above max_errors=0"):
        by_spec(Problem([[0], [1]], [0, 1], limits=Limits(max_errors=0)))


def test_a_failed_recount_writes_a_replay_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    let_spec_return(monkeypatch, tmp_path, replace(CORRECT, cost=1, lower_bound=1))
    with pytest.raises(InternalError) as raised:
        by_spec()
    (path,) = tmp_path.iterdir()
    assert str(path) in str(raised.value)
    with np.load(path) as replay:
        assert np.array_equal(replay["X"], PROBLEM.dataset.X)
        assert np.array_equal(replay["labels"], PROBLEM.dataset.labels)
        assert json.loads(str(replay["problem"]))["limits"]["max_depth"] == "2"


@pytest.mark.parametrize(
    ("resume", "error", "message"),
    [
        ("", ValueError, "resume must be the path of a file or None, got ''"),
        ("a\0b", ValueError, "resume must be the path of a file or None"),
        (5, TypeError, "resume must be the path of a file or None, got 5"),
        (b"run.json", TypeError, "resume must be the path of a file or None"),
        (".", ValueError, "is a folder"),
        ("no such folder/run.json", ValueError, "there is no folder no such folder"),
    ],
)
def test_wrong_paths_of_resume_are_refused(
    resume: Any, error: type[Exception], message: str
) -> None:
    problem = Problem([[0.0], [1.0]], [0, 1], limits=Limits(max_depth=3))
    with pytest.raises(error, match=message):
        solve(problem, resume=resume)


@pytest.mark.parametrize("minimize", ["errors", "size", ("size", "errors")])
def test_too_small_a_max_errors_is_answered_by_the_minimum(minimize: Any) -> None:
    X, y = [[0], [1], [2], [3], [4], [5]], [0, 1, 0, 1, 0, 1]
    limits = Limits(max_depth=1, max_errors=1)
    outcome = solve(Problem(X, y, minimize=minimize, limits=limits))
    assert outcome.reason == "max_errors=1, but the minimum within the other limits is 2 errors"
    model = OptimalTreeClassifier(minimize, max_depth=1, max_errors=1)
    with pytest.raises(Infeasible, match=r"the minimum within the other limits is 2 errors\.$"):
        model.fit(X, y)


def test_without_a_cheap_minimum_the_reason_says_how_to_see_it() -> None:
    X, y = [[0], [1], [2], [3], [4], [5]], [0, 1, 0, 1, 0, 1]
    outcome = solve(Problem(X, y, limits=Limits(max_size=1, max_errors=1)))
    assert outcome.reason is not None
    assert outcome.reason.endswith(
        "every tree within the other limits makes at least 2 errors; leave out max_errors to see "
        "the minimum"
    )
