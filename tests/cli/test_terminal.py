"""On a pseudo-terminal: progress is shown during the search, and Ctrl-C keeps the incumbent."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


def on_terminal(words: list[str], folder: Path, press: bytes = b"") -> tuple[int, str, float]:
    """Run `exactree` with standard error on a terminal; press keys once progress is shown.

    Returns the exit code, the text on the terminal, and the seconds from the keys to the end.
    """
    reading_end, terminal = pty.openpty()
    command = [sys.executable, "-m", "exactree", *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"},
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(terminal)
    seen, pressed = b"", 0.0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([reading_end], [], [], 0.1)[0]:
            try:
                new = os.read(reading_end, 65536)
            except OSError:  # on Linux: the process has closed the terminal
                break
            if not new:
                break
            seen += new
        if press and not pressed and b"lower bound" in seen:
            os.write(reading_end, press)
            pressed = time.monotonic()
        if process.poll() is not None and not select.select([reading_end], [], [], 0.2)[0]:
            break
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    code = process.wait(timeout=10)
    ended = time.monotonic()
    os.close(reading_end)
    return code, seen.decode("utf-8", "replace"), ended - pressed


def _take_terminal() -> None:
    """Make the terminal that of the process, so that Ctrl-C on it sends the signal."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_progress_is_shown_during_a_search(raisin: Path, tmp_path: Path) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "6", "--time-limit", "1.5"]
    code, seen, _ = on_terminal(words, tmp_path)
    assert code == 3
    assert seen.count(" s: cost ") >= 3
    assert "lower bound" in seen
    assert "not proved, stopped by time limit" in seen


def test_a_line_about_the_work_is_shown_and_erased_at_the_end(raisin: Path, tmp_path: Path) -> None:
    code, seen, _ = on_terminal(["describe", str(raisin), "--target", "Class"], tmp_path)
    assert code == 0
    assert "describing" in seen
    erase_line = "\x1b[2K"
    assert erase_line in seen[seen.rindex("describing") :]


def test_quiet_shows_nothing(raisin: Path, tmp_path: Path) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "2", "--quiet"]
    code, seen, _ = on_terminal(words, tmp_path)
    assert (code, seen) == (0, "")


def test_ctrl_c_writes_the_incumbent(raisin: Path, tmp_path: Path) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "6", "-o", "m.json"]
    code, seen, seconds = on_terminal(words, tmp_path, press=b"\x03")
    assert code == 130
    assert "stopped by interrupt" in seen
    assert seconds < 10
    result = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["result"]
    assert result["status"] == "feasible"
    assert result["stopped_by"] == "interrupt"
    assert result["cost"] >= result["lower_bound"] >= 0
