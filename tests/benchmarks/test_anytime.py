"""The command `python -m benchmarks anytime`: curves, gaps, and its page."""

import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from benchmarks.evaluation import anytime_report, watch
from benchmarks.evaluation.anytime_record import Anytime, Curve, Moment, TableResult
from benchmarks.evaluation.gaps import CART, FIRST, best_known, gap, known_by, mean_gaps
from benchmarks.evaluation.gaps import primal_integral as integral
from benchmarks.evaluation.read import read_anytime
from benchmarks.peers import OURS, Answer, Peer

import exactree as xt

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {"packages": {"numpy": "2"}}
MOMENTS = (Moment(0.01, 20, 0), Moment(0.1, 10, 0), Moment(1.0, 10, 5))
WATCHED = TableResult(
    "tiny", "binary", 9, 2, 2, 20, 0.002, 0.01, (Curve(OURS, MOMENTS, 2.0, proved=False),)
)


def anytime(*tables: TableResult) -> Anytime:
    """Return a record with these tables."""
    return Anytime("name", "2026-11-20", MACHINE, 2.0, 4, tables, (1.0, 2.5), complete=True)


def table() -> tuple[np.ndarray, np.ndarray]:
    """Return a table that no tree of depth two classifies without errors."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (200, 4)).astype(float)
    return X, (X[:, 0] + X[:, 1] + rng.integers(0, 3, 200) > 6).astype(int)


def test_a_gap_is_the_difference_divided_by_the_upper_bound() -> None:
    assert [gap(20, 10), gap(10, 10), gap(0, 0), gap(7, 0)] == [0.5, 0.0, 0.0, 1.0]
    assert gap(None, 10) == 1.0


def test_the_primal_integral_is_the_mean_gap_over_the_limit() -> None:
    assert integral([], 10, 2.0) == 1.0
    assert integral([Moment(0.0, 10)], 10, 2.0) == 0.0
    # No tree in the first half second, a gap of 0.5 in the second one, then the best tree.
    assert integral([Moment(0.5, 20), Moment(1.0, 10)], 10, 2.0) == pytest.approx(0.375)
    assert integral([Moment(0.5, 20), Moment(9.0, 10)], 10, 2.0) == pytest.approx(0.625)


def test_cart_and_the_first_incumbent_are_compared_with_the_solvers() -> None:
    peer = Curve("peer", (Moment(0.5, 9),), 2.0, proved=False)
    known = known_by(replace(WATCHED, curves=(*WATCHED.curves, peer)))
    assert list(known) == [OURS, FIRST, CART, "peer"]
    assert known[FIRST] == [Moment(0.01, 20, 0)]
    assert known[CART] == [Moment(0.002, 20)]
    assert best_known(replace(WATCHED, curves=(*WATCHED.curves, peer))) == 9


def test_mean_gaps_are_those_of_the_latest_trees() -> None:
    gaps = mean_gaps(anytime(WATCHED), "binary", [0.001, 0.02, 0.5, 1.5])
    assert gaps[OURS] == [1.0, 0.5, 0.0, 0.0]
    assert gaps[FIRST] == [1.0, 0.5, 0.5, 0.5]
    assert gaps[CART] == [1.0, 0.5, 0.5, 0.5]
    assert gaps["proof"] == [1.0, 1.0, 1.0, 0.5]


def test_a_curve_starts_with_the_first_tree_and_ends_with_the_outcome() -> None:
    X, y = table()
    curve = watch.curve_of_exactree(X, y, 2, 5.0)
    outcome = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=2)))
    assert curve.proved
    last = curve.moments[-1]
    assert (last.errors, last.lower_bound) == (outcome.cost, outcome.cost)
    assert curve.moments[0].errors is not None
    times = [moment.seconds for moment in curve.moments]
    assert times == sorted(times)
    assert 0 < times[0] <= times[-1] <= curve.seconds + 1e-6


def test_times_of_a_clock_that_ran_faster_are_limited_by_cpu_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def solve(problem: xt.Problem, on_progress: Any) -> xt.Outcome:
        reports = [xt.Progress(9, 0, 100.0), xt.Progress(8, 0, 300.0)]
        on_progress(xt.Progress(9, 0, 200.0))
        # The time of this thread: other threads add to the CPU time of the process.
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass
        stats = {"progress": reports, "seconds": 300.0}
        return xt.Outcome(xt.Status.FEASIBLE, 8, 0, None, stats, "callback")

    monkeypatch.setattr(watch, "solve", solve)
    first, second = watch.curve_of_exactree(*table(), 2, 5.0).moments
    assert first.seconds < 0.05 <= second.seconds < 5.0


def test_the_time_at_which_a_search_has_a_tree_as_good_as_carts_is_measured() -> None:
    X, y = table()
    errors, seconds = watch.greedy(X, y, 2)
    caught_up = watch.seconds_to_catch_up(X, y, 2, errors, fast_enough=60.0)
    assert seconds > 0
    assert caught_up is not None
    assert caught_up > 0
    assert watch.seconds_to_catch_up(X, y, 2, -1, fast_enough=60.0) is None


def test_a_peer_is_called_again_with_twice_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table()
    limits: list[float] = []

    def fit(X: Any, y: Any, depth: int, time_limit: float) -> Answer:
        end = time.process_time() + 0.002 * 2 ** len(limits)
        while time.process_time() < end:
            pass
        limits.append(time_limit)
        wrong = [0, 9, 12, 5, 5][len(limits) - 1]  # the first call only warms up
        predictions = np.concatenate([1 - y[:wrong], y[wrong:]]) if wrong else y
        return Answer(lambda _: predictions, depth, proved=len(limits) == 5)

    monkeypatch.setattr(watch, "import_module", lambda _: SimpleNamespace(fit=fit))
    curve = watch.curve_of_peer(Peer("peer", distribution="peer"), X, y, 2, 60.0)
    assert [later / earlier for earlier, later in pairwise(limits[1:])] == [2.0] * 3
    assert [moment.errors for moment in curve.moments] == [9, 5]
    assert curve.proved


def test_the_page_names_the_tables_on_which_a_tree_was_found_late() -> None:
    late = replace(WATCHED, table="slow", caught_up=0.0155)
    never = replace(WATCHED, table="never", caught_up=None)
    page = anytime_report.markdown(anytime(WATCHED, late, never))
    assert "| tiny | 9 | 2 | 2 | 20 | 2.0 | 10.0 |  | 10 | 5 |  |" in page
    assert "| slow | 9 | 2 | 2 | 20 | 2.0 | 15.5 | 3.5 | 10 | 5 |  |" in page
    assert "plus 10 ms on 1 of 3 tables." in page
    assert "Later, or never: slow (3.5 ms), never (never)." in page
    assert "Proved within the limit: 0 of 3 tables." in page
    assert "The lower bound improved after the first report on 3 of 3 tables." in page
    assert "Machine load during the run: 1 to 2.5." in page


def test_a_tree_refutes_a_lower_bound() -> None:
    assert anytime_report.refuted(anytime(WATCHED)) == []
    better = Curve("peer", (Moment(0.5, 4),), 2.0, proved=False)
    wrong = replace(WATCHED, curves=(*WATCHED.curves, better))
    expected = ["tiny: a tree has 4 errors, but exactree claims at least 5."]
    assert anytime_report.refuted(anytime(wrong)) == expected


def test_a_run_leaves_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    X, y = table()
    path = tmp_path / "binary" / "cp4im_tiny.csv.gz"
    path.parent.mkdir()
    rows = np.column_stack([X > 2, y]).astype(int)
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,target", comments="", fmt="%d")
    out = tmp_path / "out"
    arguments = ["anytime", "--limit", "0.1", "--depth", "2", "--out", str(out)]
    answer = run(*arguments, data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (record,) = out.glob("*.json")
    (result,) = read_anytime(record).tables
    solvers = [curve.solver for curve in result.curves]
    assert solvers == [OURS] if "pytrees-rs is not installed" in answer.stderr else solvers[1:]
    assert (result.table, result.kind, result.examples) == ("cp4im_tiny", "binary", 200)
    page = record.with_suffix(".md").read_text(encoding="utf-8")
    assert page == anytime_report.markdown(read_anytime(record))
    assert str(tmp_path) not in page
    assert "binary tables, depth 2" in record.with_suffix(".svg").read_text(encoding="utf-8")
