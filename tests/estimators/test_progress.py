"""The line that ``verbose=1`` shows: on terminals only, and never in the way of a callback."""

import io
from fractions import Fraction

import pytest

from exactree.estimators.progress import progress_line, progress_text
from exactree.problem import Progress

REPORT = Progress(cost=Fraction(5, 2), lower_bound=1, seconds=12.34)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_report_in_words() -> None:
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


def test_the_users_callback_is_called_and_its_answer_counts() -> None:
    seen: list[Progress] = []

    def enough(progress: Progress) -> bool:
        seen.append(progress)
        return True

    with progress_line(enough) as listener:
        assert listener(REPORT) is True
    assert seen == [REPORT]
