"""Comparison of proofs and of running times, on constructed measurements."""

from dataclasses import replace

import pytest
from benchmarks import report_errors
from benchmarks.agreement import check
from benchmarks.known import Known
from benchmarks.measurement import End, Measurement
from benchmarks.ratios import BEST, means, ratio
from benchmarks.record import Row
from benchmarks.report_size import lines, sentences


def row(table: str = "bank", **measurements: Measurement) -> Row:
    """Return a row of depth 3 with a limit of 600 seconds."""
    return Row(table, 100, 4, 2, depth=3, limit=600.0, measurements=measurements)


def proved(errors: int, *seconds: float) -> Measurement:
    """Return the measurement of a proof."""
    return Measurement(End.PROVED, errors, seconds or (1.0,))


def unfinished(errors: int) -> Measurement:
    """Return the measurement of a search stopped by its limit."""
    return Measurement(End.UNFINISHED, errors, (590.0,))


def greedy(errors: int) -> Measurement:
    """Return the measurement of a greedy tree."""
    return Measurement(End.GREEDY, errors, (0.1,))


FAILED = Measurement(End.FAILED, reason="signal")


def test_equal_proofs_and_a_worse_greedy_tree_agree() -> None:
    assert check([row(exactree=proved(5), pycontree=proved(5), cart=greedy(7))]) == ([], [])


@pytest.mark.parametrize("other", [proved(4), unfinished(4)])
def test_a_peer_refutes_exactree(other: Measurement) -> None:
    wrong, remarks = check([row(exactree=proved(5), pycontree=other)])
    assert len(wrong) == 1
    claim = "bank, depth 3: exactree is refuted: it claims a minimum of 5 errors"
    assert wrong[0].startswith(claim)
    assert remarks == []


def test_a_greedy_tree_refutes_exactree() -> None:
    wrong, _ = check([row(exactree=proved(5), cart=greedy(4))])
    assert "a tree of cart makes 4" in wrong[0]


def test_a_known_weakness_of_a_peer_is_a_remark() -> None:
    wrong, remarks = check([row(exactree=proved(5), pycontree=proved(6))])
    assert wrong == []
    assert remarks[0].startswith("bank, depth 3: pycontree too high:")
    assert "1e-7" in remarks[0]


def test_a_failure_of_exactree_is_an_error_and_that_of_a_peer_a_remark() -> None:
    wrong, remarks = check([row(exactree=FAILED, pycontree=FAILED)])
    assert wrong == ["bank, depth 3: exactree failed (signal)."]
    assert remarks == ["bank, depth 3: pycontree failed (signal)."]


def test_a_ratio_is_that_of_medians() -> None:
    measurements = {"exactree": proved(5, 1.0, 9.0, 2.0), "pycontree": proved(5, 8.0)}
    assert str(ratio(row(**measurements), "pycontree")) == "4"


def test_an_unfinished_search_counts_as_the_limit() -> None:
    peer_stopped = ratio(row(exactree=proved(5, 2.0), pycontree=unfinished(6)), "pycontree")
    assert str(peer_stopped) == ">= 300"
    stopped = ratio(row(exactree=unfinished(6), pycontree=proved(5, 60.0)), "pycontree")
    assert str(stopped) == "<= 0.1"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(unfinished(5), unfinished(5)), (proved(5), FAILED), (FAILED, proved(5))],
)
def test_without_a_proof_or_after_a_failure_there_is_no_ratio(
    ours: Measurement, theirs: Measurement
) -> None:
    assert ratio(row(exactree=ours, pycontree=theirs), "pycontree") is None


def test_greedy_and_absent_solvers_have_no_ratio() -> None:
    entry = row(exactree=proved(5), cart=greedy(7), pycontree=Measurement(End.MISSING))
    assert ratio(entry, "cart") is None
    assert ratio(entry, "pycontree") is None


def test_means_are_geometric_and_name_the_tables_left_out() -> None:
    rows = [
        row("bank", exactree=proved(5, 1.0), pycontree=proved(5, 2.0)),
        row("rice", exactree=proved(5, 1.0), pycontree=proved(5, 8.0)),
        row("htru", exactree=proved(5, 1.0), pycontree=FAILED),
    ]
    (mean,) = means(rows)
    assert (mean.depth, mean.peer, mean.rows) == (3, "pycontree", 2)
    assert mean.mean.value == pytest.approx(4.0)
    assert mean.minimum.value == 2.0
    assert mean.left_out == ("htru",)


def test_the_best_peer_is_the_fastest_of_each_row() -> None:
    rows = [
        row("bank", exactree=proved(5, 1.0), pycontree=proved(5, 2.0), pytrees=proved(5, 9.0)),
        row("rice", exactree=proved(5, 1.0), pycontree=proved(5, 32.0), pytrees=proved(5, 8.0)),
        row("htru", exactree=proved(5, 1.0), pycontree=FAILED, pytrees=FAILED, cart=greedy(9)),
    ]
    assert [(mean.peer, mean.rows) for mean in means(rows)] == [
        ("pycontree", 2),
        ("pytrees", 2),
        (BEST, 2),
    ]
    assert means(rows)[-1].mean.value == pytest.approx(4.0)
    assert means(rows)[-1].left_out == ("htru",)


# --- a penalty per leaf ----------------------------------------------------------------------


def penalized_row(penalty: str, **measured: Measurement) -> Row:
    """Return a row of a problem with a leaf penalty."""
    return Row(
        "monk1", 200, 4, 2, depth=None, limit=60.0, measurements=measured, leaf_penalty=penalty
    )


def penalized(
    errors: int, size: int, end: End = End.PROVED, lower_bound: float | None = None
) -> Measurement:
    """Return a measurement with errors and a size."""
    return Measurement(end, errors, (1.0,), size=size, lower_bound=lower_bound)


def test_sums_of_errors_and_leaves_are_compared() -> None:
    equal = penalized_row("0.01", exactree=penalized(4, 2), gosdt=penalized(0, 4))
    assert (equal.value("exactree"), equal.value("gosdt")) == (10, 10)
    assert check([equal]) == ([], [])
    wrong, _ = check([penalized_row("0.01", exactree=penalized(4, 2), gosdt=penalized(1, 3))])
    assert wrong == [
        "monk1, penalty 0.01: exactree is refuted: it claims a minimum of 10 errors and leaves, "
        "a tree of gosdt costs 9."
    ]


def test_a_lower_bound_on_errors_and_leaves_can_be_refuted() -> None:
    stopped = penalized(20, 2, End.UNFINISHED, lower_bound=9.5)
    assert check([penalized_row("0.01", exactree=stopped, gosdt=penalized(4, 2))]) == ([], [])
    wrong, _ = check([penalized_row("0.01", exactree=stopped, gosdt=penalized(1, 3))])
    assert "it claims a minimum of 9.5 errors and leaves" in wrong[0]


def test_every_penalty_has_its_means_and_its_costs() -> None:
    rows = [
        penalized_row(penalty, exactree=penalized(4, 2), gosdt=penalized(4, 2))
        for penalty in ("0.01", "0.001")
    ]
    assert [mean.leaf_penalty for mean in means(rows)] == ["0.01", "0.001"]
    stopped = penalized(5, 2, End.UNFINISHED, 8.25)
    entry = penalized_row("0.01", exactree=penalized(4, 2), gosdt=stopped)
    header, (line,) = report_errors.lines([entry])
    assert header[2:5] == ["penalty", "exactree", "gosdt"]
    assert line[2:5] == ["0.01", "1 / 4, 3: 10", "> 60 / 5, 3: 11? >= 8.25"]


# --- regression ------------------------------------------------------------------------------


def regression_row(**measured: Measurement) -> Row:
    """Return a row of a problem whose targets are numbers."""
    return Row(
        "servo", 167, 15, 51, depth=3, limit=60.0, measurements=measured, minimize="squared_error"
    )


def squares(value: float) -> Measurement:
    """Return the measurement of a proof for a squared error."""
    return Measurement(End.PROVED, None, (1.0,), squared_error=value)


def test_squared_errors_are_compared_up_to_rounding() -> None:
    assert check([regression_row(exactree=squares(100.0), pystreed=squares(100.001))]) == ([], [])
    wrong, _ = check([regression_row(exactree=squares(100.001), pystreed=squares(100.0))])
    assert wrong == [
        "servo, depth 3: exactree is refuted: it claims a minimum of 100.001 of squared error, "
        "a tree of pystreed has 100.0."
    ]
    wrong, _ = check([regression_row(exactree=squares(100.0), pystreed=squares(101.0))])
    assert "pystreed is refuted" in wrong[0]
    _, (line,) = report_errors.lines([regression_row(exactree=squares(123.4567))])
    assert line[:4] == ["servo", "167 x 15", "3", "1 / 123.457"]


# --- smallest trees --------------------------------------------------------------------------


def size_row(table: str = "lupus", known: Known | None = None, **measured: Measurement) -> Row:
    """Return a row of a problem of the smallest tree."""
    return Row(
        table, 100, 4, 2, depth=None, limit=30.0, measurements=measured, group="min_size",
        minimize="size", max_errors=0, quick=0.1, known=known,
    )  # fmt: skip


def minimum(size: int, *seconds: float) -> Measurement:
    """Return the measurement of a proof for a size."""
    seconds = seconds or (1.0,)
    return Measurement(End.PROVED, 0, seconds, seconds, 1_000_000, "", size, size)


def stopped(size: int | None, lower_bound: int) -> Measurement:
    """Return the measurement of a search stopped by its limit, without a tree if `size` is None."""
    errors = None if size is None else 0
    return Measurement(End.UNFINISHED, errors, (29.0,), (30.0,), size=size, lower_bound=lower_bound)


def test_equal_sizes_agree() -> None:
    known = Known(7, 7)
    assert check([size_row(known=known, exactree=minimum(7), prototype=stopped(None, 6))]) == (
        [],
        [],
    )
    assert check([size_row(exactree=minimum(7), prototype=minimum(7))]) == ([], [])


@pytest.mark.parametrize(
    ("ours", "theirs"), [(minimum(8), minimum(7)), (stopped(9, 8), minimum(7))]
)
def test_a_smaller_size_refutes_a_proof_and_a_lower_bound(
    ours: Measurement, theirs: Measurement
) -> None:
    wrong, _ = check([size_row(exactree=ours, prototype=theirs)])
    assert wrong == [
        "lupus: exactree is refuted: it claims a minimum of 8 nodes, a tree of prototype has 7."
    ]


def test_known_results_refute_small_sizes_and_high_lower_bounds() -> None:
    small, _ = check([size_row(known=Known(7, 7), exactree=minimum(6))])
    assert small == ["lupus: exactree has 6 nodes, known is 7."]
    high, _ = check([size_row(known=Known(7, 7), exactree=stopped(9, 8))])
    assert high == ["lupus: exactree claims at least 8 nodes, known is 7."]
    below, _ = check([size_row(known=Known(None, 20), exactree=stopped(19, 18))])
    assert below == ["lupus: exactree has 19 nodes, known is >= 20."]


def test_a_lower_bound_below_the_known_one_is_a_remark() -> None:
    assert check([size_row(known=Known(None, 20), exactree=stopped(30, 18))]) == (
        [],
        ["lupus: lower bound 18, known is >= 20."],
    )
    assert check([size_row(known=Known(None, 20), exactree=stopped(30, 20))]) == ([], [])


def test_tables_proved_quickly_have_no_ratio_and_do_not_enter_the_mean() -> None:
    rows = [
        size_row("quick", exactree=minimum(3, 0.001), prototype=minimum(3, 0.1)),
        size_row("both", exactree=minimum(7, 1.0), prototype=minimum(7, 4.0)),
        size_row("ours", exactree=minimum(9, 0.3), prototype=stopped(None, 6)),
        size_row("none", exactree=stopped(12, 9), prototype=stopped(None, 6)),
    ]
    assert ratio(rows[0], "prototype") is None
    (mean,) = means(rows)
    assert str(mean.mean) == ">= 20"
    assert (mean.rows, mean.left_out, mean.above) == (2, ("none",), 0.1)
    assert mean.finished == (1, pytest.approx(4.0))


def test_tables_proved_quickly_by_the_best_peer_do_not_enter_its_mean() -> None:
    rows = [
        size_row("quick", exactree=minimum(3), prototype=minimum(3, 0.1), pycontree=minimum(3)),
        size_row("slow", exactree=minimum(7), prototype=minimum(7, 4.0), pycontree=minimum(7, 8.0)),
        # Exactree is quick here, which must not hide that all peers failed.
        size_row("failed", exactree=minimum(3, 0.001), prototype=FAILED, pycontree=FAILED),
        size_row("unmeasured", exactree=minimum(3, 0.001)),
    ]
    best = means(rows)[-1]
    assert (best.peer, best.rows, best.mean.value) == (BEST, 1, pytest.approx(4.0))
    assert best.left_out == ("failed", "unmeasured")


def test_the_page_counts_proofs_and_compares_them() -> None:
    rows = [
        size_row("a", Known(7, 7), exactree=minimum(7, 2.0), prototype=minimum(7, 5.0)),
        size_row("b", Known(None, 9), exactree=minimum(11, 3.0), prototype=stopped(None, 8)),
        size_row("c", Known(None, 9), exactree=stopped(12, 9), prototype=stopped(None, 8)),
        size_row("d", Known(None, 9), exactree=stopped(12, 8), prototype=stopped(None, 8)),
        size_row("e", Known(None, 9), exactree=stopped(None, 9)),
    ]
    assert sentences(rows) == [
        "min_size: proved within 30 CPU s: exactree 2 of 5, prototype 1 of 4.",
        "min_size: 1 of 1 proofs agree with known results; without an earlier proof in the "
        "reference list: b 11.",
        "min_size: 1 of 3 tables without a proof have a tree and a lower bound no worse than "
        "known results.",
    ]
    header, (first, second, third, *_) = lines(rows)
    start = ["table", "n x p (classes)", "errors", "known"]
    assert header == [*start, "exactree", "prototype", "MB", "prototype ratio"]
    assert first == ["a", "100 x 4 (2)", "0", "7", "2 (2) / 7", "5 (5) / 7", "1", "2.5"]
    assert second[3:6] == [">= 9", "3 (3) / 11", "> 30 / no tree, >= 8"]
    assert third[4:] == ["> 30 / 12, >= 9", "> 30 / no tree, >= 8", "-", "-"]


def test_proofs_within_a_longer_limit_are_also_counted_for_the_short_one() -> None:
    rows = [replace(size_row("a", Known(7, 7), exactree=minimum(7, 40.0)), limit=300.0)]
    assert sentences(rows)[:2] == [
        "min_size: proved within 30 CPU s: exactree 0 of 1.",
        "min_size: proved within 300 CPU s: exactree 1 of 1.",
    ]
