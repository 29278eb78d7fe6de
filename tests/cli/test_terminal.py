"""On a pseudo-terminal: progress is shown during the search, and Ctrl-C keeps the incumbent."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

EXACTREE = [sys.executable, "-m", "exactree"]
OnTerminal = Callable[..., tuple[int, str, float]]


def test_progress_is_shown_during_a_search(
    on_terminal: OnTerminal, raisin: Path, tmp_path: Path
) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "6", "--time-limit", "1.5"]
    code, seen, _ = on_terminal([*EXACTREE, *words], tmp_path)
    assert code == 3
    assert seen.count(" errors, lower bound ") >= 3
    assert " of 1.5 s: " in seen
    assert "lower bound" in seen
    assert "not proved, stopped by time limit" in seen


def test_a_line_about_the_work_is_shown_and_erased_at_the_end(
    on_terminal: OnTerminal, raisin: Path, tmp_path: Path
) -> None:
    code, seen, _ = on_terminal([*EXACTREE, "describe", str(raisin), "--target", "Class"], tmp_path)
    assert code == 0
    assert "describing" in seen
    erase_line = "\x1b[2K"
    assert erase_line in seen[seen.rindex("describing") :]


def test_quiet_shows_nothing(on_terminal: OnTerminal, raisin: Path, tmp_path: Path) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "2", "--quiet"]
    code, seen, _ = on_terminal([*EXACTREE, *words], tmp_path)
    assert (code, seen) == (0, "")


def test_ctrl_c_writes_the_incumbent(on_terminal: OnTerminal, raisin: Path, tmp_path: Path) -> None:
    words = ["fit", str(raisin), "--target", "Class", "--max-depth", "6", "-o", "m.json"]
    code, seen, seconds = on_terminal([*EXACTREE, *words], tmp_path, press=b"\x03")
    assert code == 130
    assert "stopped by interrupt" in seen
    assert seconds < 10
    result = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["result"]
    assert result["status"] == "feasible"
    assert result["stopped_by"] == "interrupt"
    assert result["cost"] >= result["lower_bound"] >= 0
