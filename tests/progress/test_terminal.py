"""On a pseudo-terminal and in a pipe: what a user of Python sees, also after Ctrl-C."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

OnTerminal = Callable[..., tuple[int, str, float]]

SHOW_CURSOR, HIDE_CURSOR, ERASE_LINE = "\x1b[?25h", "\x1b[?25l", "\x1b[2K"
RASPBERRY = "249;38;114"  # the bar of rich is nearly red unless another colour is chosen

TABLE = """
import warnings
import exactree as xt
warnings.simplefilter("ignore")
table = xt.datasets.load_raisin()
"""
FIT = (
    TABLE
    + "xt.OptimalTreeClassifier(max_depth=6, time_limit={}, verbose=1).fit(table.X, table.y)\n"
)
BESIDE = """
import threading
def fit():
    xt.OptimalTreeClassifier(max_depth=6, time_limit=1.5, verbose=1).fit(table.X, table.y)
threads = [threading.Thread(target=fit) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def after_the_last_line(seen: str) -> str:
    """Return what stays on the terminal after the live line is erased."""
    return seen[seen.rindex(ERASE_LINE) + len(ERASE_LINE) :]


def test_a_fit_shows_a_line_that_disappears(on_terminal: OnTerminal, tmp_path: Path) -> None:
    code, seen, _ = on_terminal([sys.executable, "-c", FIT.format(1.5)], tmp_path)
    assert code == 0
    assert seen.count(" errors, lower bound ") >= 3
    assert " s of 1.5 s: " in seen
    assert "━" in seen
    assert RASPBERRY not in seen
    assert seen.count(HIDE_CURSOR) == seen.count(SHOW_CURSOR) == 1
    rest = after_the_last_line(seen)
    assert re.match(r"stopped by the time limit: \d+ errors by a tree", rest)
    assert "━" not in rest


def test_a_narrow_terminal_has_no_bar_and_no_second_line(
    on_terminal: OnTerminal, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", FIT.format(1)]
    code, seen, _ = on_terminal(command, tmp_path, columns=30)
    assert code == 0
    live = seen[seen.index(HIDE_CURSOR) : seen.rindex(SHOW_CURSOR)]
    assert "━" not in live
    assert "…" in live
    assert live.count("\n") <= 1


def test_ctrl_c_leaves_the_terminal_as_it_was(on_terminal: OnTerminal, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FIT.format(60)]
    _, seen, seconds = on_terminal(command, tmp_path, press=b"\x03")
    assert seconds < 20
    assert seen.count(HIDE_CURSOR) == seen.count(SHOW_CURSOR) == 1
    rest = after_the_last_line(seen)
    assert re.match(r"stopped by the interrupt: \d+ errors by a tree", rest)
    assert rest.rstrip().endswith("KeyboardInterrupt")


def test_two_threads_share_one_terminal(on_terminal: OnTerminal, tmp_path: Path) -> None:
    code, seen, _ = on_terminal([sys.executable, "-c", TABLE + BESIDE], tmp_path)
    assert code == 0
    assert seen.count(HIDE_CURSOR) == seen.count(SHOW_CURSOR) == 1
    assert len(re.findall(r"stopped by the time limit: \d+ errors by a tree", seen)) == 2


def test_a_pipe_has_plain_lines_on_standard_error_only(tmp_path: Path) -> None:
    script = "import exactree.progress.displays as d\nd._FIRST_LINE = 0.5\n" + FIT.format(2.5)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    *lines, last = done.stderr.splitlines()
    assert 2 <= len(lines) <= 4  # at about 0.5, 1 and 2 seconds
    for line in lines:
        assert line.startswith("exactree: ")
        assert " s of 2.5 s: " in line
        assert " errors, lower bound " in line
    assert "\x1b" not in done.stderr
    assert re.match(r"stopped by the time limit: \d+ errors by a tree", last)
