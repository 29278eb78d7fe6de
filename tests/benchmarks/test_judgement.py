"""What a run says about proofs and about speed, on measurements made up by hand."""

import pytest
from benchmarks.agreement import check
from benchmarks.measurement import End, Measurement
from benchmarks.ratios import means, ratio
from benchmarks.record import Row


def row(table: str = "bank", **measurements: Measurement) -> Row:
    """Return a row of depth 3 with a limit of 600 seconds."""
    return Row(table, 100, 4, 2, depth=3, limit=600.0, measurements=measurements)


def proved(errors: int, *seconds: float) -> Measurement:
    return Measurement(End.PROVED, errors, seconds or (1.0,))


def unfinished(errors: int) -> Measurement:
    return Measurement(End.UNFINISHED, errors, (590.0,))


def greedy(errors: int) -> Measurement:
    return Measurement(End.GREEDY, errors, (0.1,))


FAILED = Measurement(End.FAILED, reason="signal")


def test_proofs_that_agree() -> None:
    assert check([row(exactree=proved(5), pycontree=proved(5), cart=greedy(7))]) == ([], [])


@pytest.mark.parametrize("other", [proved(4), unfinished(4)])
def test_a_peer_refutes_exactree(other: Measurement) -> None:
    wrong, remarks = check([row(exactree=proved(5), pycontree=other)])
    assert len(wrong) == 1
    assert wrong[0].startswith("bank, depth 3: exactree is refuted: it claims 5 errors are least")
    assert remarks == []


def test_even_the_greedy_tree_refutes() -> None:
    wrong, _ = check([row(exactree=proved(5), cart=greedy(4))])
    assert "a tree of cart makes 4" in wrong[0]


def test_a_known_weakness_is_a_remark() -> None:
    wrong, remarks = check([row(exactree=proved(5), pycontree=proved(6))])
    assert wrong == []
    assert remarks[0].startswith("bank, depth 3: pycontree too high:")
    assert "1e-7" in remarks[0]


def test_only_the_failure_of_exactree_is_wrong() -> None:
    wrong, remarks = check([row(exactree=FAILED, pycontree=FAILED)])
    assert wrong == ["bank, depth 3: exactree failed (signal)."]
    assert remarks == ["bank, depth 3: pycontree failed (signal)."]


def test_ratio_counts_the_median() -> None:
    found = ratio(row(exactree=proved(5, 1.0, 9.0, 2.0), pycontree=proved(5, 8.0)), "pycontree")
    assert str(found) == "4"


def test_unfinished_counts_as_the_limit() -> None:
    late = ratio(row(exactree=proved(5, 2.0), pycontree=unfinished(6)), "pycontree")
    assert str(late) == ">= 300"
    ours = ratio(row(exactree=unfinished(6), pycontree=proved(5, 60.0)), "pycontree")
    assert str(ours) == "<= 0.1"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(unfinished(5), unfinished(5)), (proved(5), FAILED), (FAILED, proved(5))],
)
def test_no_ratio(ours: Measurement, theirs: Measurement) -> None:
    assert ratio(row(exactree=ours, pycontree=theirs), "pycontree") is None


def test_greedy_and_absent_solvers_have_no_ratio() -> None:
    rows = row(exactree=proved(5), cart=greedy(7), pycontree=Measurement(End.MISSING))
    assert ratio(rows, "cart") is None
    assert ratio(rows, "pycontree") is None


def test_means_are_geometric_and_name_what_they_leave_out() -> None:
    rows = [
        row("bank", exactree=proved(5, 1.0), pycontree=proved(5, 2.0)),
        row("rice", exactree=proved(5, 1.0), pycontree=proved(5, 8.0)),
        row("htru", exactree=proved(5, 1.0), pycontree=FAILED),
    ]
    (mean,) = means(rows)
    assert (mean.depth, mean.peer, mean.rows) == (3, "pycontree", 2)
    assert mean.mean.value == pytest.approx(4.0)
    assert mean.least.value == 2.0
    assert mean.left_out == ("htru",)
