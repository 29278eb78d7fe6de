"""Ctrl-C is never lost: it ends the whole call, and is reported in the outcome or raised once."""

import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV

import exactree as xt
from exactree.engine import ParallelSolver
from exactree.number_of_trees import solve_number_of_trees
from exactree.stopping import (
    Deadline,
    Interruptible,
    current_call,
    immediate_interrupts,
    interrupted,
    joined,
)
from exactree.tuning import front_along

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 9, (40, 3)).astype(float), RNG.integers(0, 2, 40)
TREE = xt.OptimalTreeClassifier(max_depth=2)


def small(minimize: Any = "errors") -> xt.Problem:
    """Return a problem that is solved in a few milliseconds."""
    return xt.Problem(X, Y, minimize=minimize, limits=xt.Limits(max_depth=2))


def hard() -> xt.Problem:
    """Return a problem whose search takes more than a minute."""
    rng = np.random.default_rng(1)
    X = rng.random((4000, 20))
    return xt.Problem(X, rng.integers(0, 2, 4000), limits=xt.Limits(max_depth=6))


def was_interrupted(outcome: xt.Outcome) -> bool:
    return outcome.stopped_by == "interrupt"


def fit(model: Any, y: Any = Y) -> bool:
    """Fit a model, which raises an interrupt; so the result is always False."""
    model.fit(X, y)
    return False


# Calls that a user may repeat in a loop; they return whether their result reports an interrupt.
CALLS: dict[str, Callable[[], bool]] = {
    "solve": lambda: was_interrupted(xt.solve(small())),
    "stages": lambda: was_interrupted(xt.solve(small(("errors", "size")))),
    "regression": lambda: was_interrupted(
        xt.solve(xt.Problem(X, Y * 1.0, minimize="squared_error"))
    ),
    "fit": lambda: fit(TREE),
    "regressor": lambda: fit(xt.OptimalTreeRegressor(max_depth=2), Y * 1.0),
    "grid": lambda: fit(GridSearchCV(TREE, {"max_depth": [1, 2]}, cv=2)),
    "cv": lambda: fit(xt.OptimalTreeClassifierCV(TREE, cv=2)),
    "front": lambda: any(map(was_interrupted, xt.pareto_front(small(), ("size", "errors")))),
    # These raise an interrupt, so their results are always false.
    "list": lambda: list(xt.enumerate_optimal(small())) is None,
    "count": lambda: xt.count_optimal(small()) is None,
}


def lost_interrupts(call: Callable[[], bool], times: int, seed: int) -> int:
    """Interrupt loops of a call at random moments; return how many loops did not end."""
    draw, main, lost = random.Random(seed), threading.main_thread().ident, 0
    call()  # so that all modules are loaded
    for _ in range(times):
        sent, delay = threading.Event(), draw.uniform(0, 0.05)

        def send(sent: threading.Event = sent, delay: float = delay) -> None:
            time.sleep(delay)
            sent.set()
            signal.pthread_kill(main, signal.SIGINT)

        sender, ended = threading.Thread(target=send), False
        try:
            sender.start()
            while not (sent.is_set() or ended):
                ended = call()
            sender.join()
        except KeyboardInterrupt:
            ended = True
        sender.join()  # a second KeyboardInterrupt would fail the test
        lost += not ended
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return lost


@pytest.mark.parametrize("name", CALLS)
def test_no_interrupt_of_a_loop_is_lost(name: str) -> None:
    assert lost_interrupts(CALLS[name], times=8, seed=len(name)) == 0


@pytest.mark.long
def test_none_of_five_hundred_interrupts_is_lost() -> None:
    each = 500 // len(CALLS)
    lost = [lost_interrupts(call, each, seed) for seed, call in enumerate(CALLS.values())]
    assert sum(lost) == 0


def interrupt_before(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, times: int = 1
) -> None:
    """Send interrupts before every call of a function of a module."""
    function = getattr(module, name)

    def interrupted_first(*args: Any, **kwargs: Any) -> Any:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, interrupted_first)


def test_an_interrupt_during_the_recount_of_a_proof_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupt_before(monkeypatch, sys.modules["exactree.verified_outcome"], "recount")
    with pytest.raises(KeyboardInterrupt):
        xt.solve(small())


def test_interrupts_during_the_recount_lose_no_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_before(monkeypatch, sys.modules["exactree.verified_outcome"], "recount", times=2)
    outcome = xt.solve(hard(), time_limit=0.1)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None


def test_a_fit_that_is_interrupted_after_the_proof_is_fitted_and_raises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupt_before(monkeypatch, sys.modules["exactree.verified_outcome"], "recount")
    model = xt.OptimalTreeClassifier(max_depth=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.outcome_.status is xt.Status.OPTIMAL
    assert model.predict(X).shape == Y.shape


def test_no_stage_begins_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first stage is complete, so its optimum is kept.
    from exactree.engine.lexicographic import stages

    interrupt_before(monkeypatch, stages, "_capped")
    outcome = xt.solve(small(("errors", "size")))
    assert outcome.stopped_by == "interrupt"
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.tree is not None
    assert outcome.cost[0] == outcome.lower_bound[0]


def test_no_search_of_a_front_begins_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    from exactree.engine import branch_and_bound

    searched = []

    def solve(problem: xt.Problem, **options: Any) -> xt.Outcome:
        searched.append(problem)
        if len(searched) == 2:
            signal.raise_signal(signal.SIGINT)
        return branch_and_bound(problem, **options)

    with Interruptible() as call:
        outcomes = ParallelSolver(solve, None)([small()] * 5)
        assert [outcome.stopped_by for outcome in outcomes] == [None, "interrupt"]
        assert [outcome.stopped_by for outcome in ParallelSolver(solve, None)([small()])] == [
            "interrupt"
        ]
        call.answered = True
    assert len(searched) == 3


def test_searches_share_one_deadline_and_none_begins_after_it() -> None:
    limits: list[float] = []

    def solve(problem: xt.Problem, time_limit: float | None) -> xt.Outcome:
        assert time_limit is not None
        limits.append(time_limit)
        time.sleep(time_limit / 2 if len(limits) < 3 else time_limit)  # the third uses all time
        return xt.Outcome(xt.Status.OPTIMAL, 0, 0, None)

    outcomes = ParallelSolver(solve, 0.4)([small()] * 50)
    assert limits == sorted(limits, reverse=True)
    assert limits[0] <= 0.4
    assert len(limits) == 3
    assert (outcomes[-1].status, outcomes[-1].stopped_by) == (xt.Status.STOPPED, "time limit")
    assert outcomes[-1].lower_bound == 0


def test_searches_run_one_at_a_time_without_a_backend() -> None:
    assert ParallelSolver(xt.solve, None).jobs == 1
    with parallel_config("threading", n_jobs=3):
        assert ParallelSolver(xt.solve, None).jobs == 3


def test_ctrl_c_stops_searches_in_the_threads_of_a_backend() -> None:
    # All threads are searching when the interrupt comes; the searches would take hours.
    main = threading.main_thread().ident
    timer = threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT])
    with parallel_config("threading", n_jobs=2):
        timer.start()
        front = xt.pareto_front(hard(), ("depth", "errors"))
    timer.join()
    assert front[-1].stopped_by == "interrupt"
    assert all(outcome.status is xt.Status.OPTIMAL for outcome in front[:-1])


def test_a_front_of_sizes_and_a_number_of_trees_are_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []

    def search(problem: xt.Problem, incumbent: Any, time_limit: float | None) -> xt.Outcome:
        searched.append(problem)
        signal.raise_signal(signal.SIGINT)
        return xt.solve(problem, incumbent=incumbent)

    found, proved = front_along(small(), "size", search)
    assert (len(searched), found[-1].stopped_by, proved) == (1, "interrupt", False)
    ensembles = xt.Problem(X, Y, minimize="total_size", n_trees=2)
    interrupt_before(monkeypatch, sys.modules["exactree.number_of_trees"], "_smaller")
    outcome = solve_number_of_trees(ensembles, 3, time_limit=20)
    assert outcome.stopped_by == "interrupt"
    assert outcome.ensemble is not None


def test_a_list_continues_where_it_was_interrupted() -> None:
    # With one class every tree is optimal, so the list is long. Computed trees are not lost.
    problem = xt.Problem([[row] for row in range(6)], [0] * 6, limits=xt.Limits(max_depth=2))
    all_trees = list(map(str, xt.enumerate_optimal(problem)))
    assert len(all_trees) > 3
    listing = xt.enumerate_optimal(problem)
    found = [str(next(listing))]
    answers = listing._answers

    def interrupted_once() -> Any:
        answer = next(answers)
        signal.raise_signal(signal.SIGINT)
        yield answer
        return (yield from answers)

    listing._answers = interrupted_once()
    with pytest.raises(KeyboardInterrupt):
        next(listing)
    found += map(str, listing)
    assert found == all_trees
    assert listing.complete


def test_a_handler_of_the_user_replaces_the_interrupt() -> None:
    received = []

    def record(number: int, frame: Any) -> None:
        received.append(number)

    before = signal.signal(signal.SIGINT, record)
    try:
        with Interruptible():
            signal.raise_signal(signal.SIGINT)
            assert not interrupted()
        assert received == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is record
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with Interruptible():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_of_a_handler_of_the_user_is_raised() -> None:
    def fails(number: int, frame: Any) -> None:
        raise RuntimeError("mine")

    before = signal.signal(signal.SIGINT, fails)
    try:
        with pytest.raises(RuntimeError, match="mine"), Interruptible():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_see_an_interrupt_only_if_they_join_the_call() -> None:
    seen: list[Any] = []

    def in_thread(call: Any) -> None:
        with Interruptible():
            seen.append((interrupted(), signal.getsignal(signal.SIGINT)))
        with joined(call):
            seen.append(interrupted())

    with Interruptible() as main_call:
        handler = signal.getsignal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        thread = threading.Thread(target=in_thread, args=[current_call()])
        thread.start()
        thread.join()
        main_call.answered = True
    assert seen == [(False, handler), True]


def test_calls_within_calls_leave_the_interrupt_to_the_outermost() -> None:
    def call() -> None:
        with Interruptible():
            with Interruptible() as inner:
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                inner.answered = True
            assert interrupted()
            assert Deadline(None).left() == 0.0
            assert Deadline(60).stopped_by() == "interrupt"

    with pytest.raises(KeyboardInterrupt):
        call()
    assert not interrupted()


def test_work_that_does_not_poll_is_interrupted_immediately() -> None:
    reached = []

    def interrupted_work() -> None:
        with immediate_interrupts():
            with Interruptible():
                signal.raise_signal(signal.SIGINT)
                reached.append("the end of an inner call")
            reached.append("after the inner call")

    def later_work() -> None:
        with immediate_interrupts():
            reached.append("later work")

    with Interruptible() as call:
        for work in (interrupted_work, later_work):
            with pytest.raises(KeyboardInterrupt):
                work()
        call.answered = True
    assert reached == ["the end of an inner call"]


def test_an_interrupt_is_raised_even_after_an_error() -> None:
    def fails() -> None:
        with Interruptible():
            signal.raise_signal(signal.SIGINT)
            raise ValueError("no tree")

    with pytest.raises(KeyboardInterrupt) as raised:
        fails()
    assert isinstance(raised.value.__cause__, ValueError)


def test_a_lazy_import_works_after_an_interrupt() -> None:
    program = """
        import builtins, signal
        import exactree as xt
        original, pending = builtins.__import__, [True]
        def interrupted_import(name, *args, **kwargs):
            if pending and name.startswith("sklearn"):
                pending.clear()
                signal.raise_signal(signal.SIGINT)
            return original(name, *args, **kwargs)
        builtins.__import__ = interrupted_import
        try:
            xt.OptimalTreeClassifier
        except KeyboardInterrupt:
            print("raised")
        print(xt.OptimalTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1]).tree_.size)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == ["raised", "1"], done.stderr


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", xt.NotProvedWarning)
        yield
