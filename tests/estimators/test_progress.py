"""The progress line of ``verbose=1`` is shown on terminals only, and keeps the user's callback."""

import io
from fractions import Fraction

import pytest

from exactree.estimators.progress import progress_line, progress_text
from exactree.problem import Progress

REPORT = Progress(cost=Fraction(5, 2), lower_bound=1, seconds=12.34)


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_text_has_seconds_cost_and_lower_bound() -> None:
    assert progress_text(REPORT) == "12.3 s: cost 2.5, lower bound 1"
    assert "cost none yet" in progress_text(Progress(None, 0, 0.0))


def test_a_terminal_shows_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with progress_line(None) as listener:
        assert not listener(REPORT)
    assert progress_text(REPORT) in stream.getvalue()


def test_a_pipe_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_line(None) as listener:
        listener(REPORT)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_the_users_callback_is_called_and_can_stop_the_search() -> None:
    reports: list[Progress] = []

    def stop(progress: Progress) -> bool:
        reports.append(progress)
        return True

    with progress_line(stop) as listener:
        assert listener(REPORT) is True
    assert reports == [REPORT]
