"""Settings of hypothesis, Ctrl-C and a pseudo-terminal, for all tests."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The machine may be busy, so no test fails because it is slow.
settings.register_profile("long", deadline=None, print_blob=True)
# `make test` runs fewer examples of property tests that do not set their number.
settings.register_profile("quick", parent=settings.get_profile("long"), max_examples=30)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the profile before any test is imported, because decorators read it then."""
    settings.load_profile("quick" if config.option.markexpr == "not long" else "long")


# Processes that a shell starts in the background ignore interrupts, and so do their children. Tests
# of interrupts would wait forever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def on_terminal() -> Callable[..., tuple[int, str, float]]:
    """Return `_on_terminal`, where there are pseudo-terminals."""
    pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    return _on_terminal


def _on_terminal(
    command: list[str], folder: Path, press: bytes = b"", columns: int = 120
) -> tuple[int, str, float]:
    """Run a command with standard error on a terminal; press keys once progress is shown.

    Returns the exit code, the text on the terminal, and the seconds from the keys to the end.
    """
    import pty

    reading_end, terminal = pty.openpty()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)},
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
