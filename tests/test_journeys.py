"""Journeys of a data scientist, an analyst and a professor: their screens are the stored ones.

After an intended change of a screen, ``python tests/test_journeys.py`` stores the new ones: read
the difference as their users would.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
JOURNEYS = ROOT / "examples/journeys"
SCRIPTS = sorted(path.name for path in JOURNEYS.iterdir() if path.suffix in {".py", ".sh"})
WRITTEN = {
    "analyst.sh": {
        "model.json",
        "tree.svg",
        "tuned.json",
        "predicted.csv",
        "report.html",
        "model.sql",
    },
    "data_scientist.py": {"report.html", "raisin.sql"},
    "professor.py": {"front.svg"},
}


def screen_of(script: str, folder: Path) -> str:
    """Return what a journey shows on the screen; times are replaced."""
    if script.endswith(".py"):
        shown = shown_by([str(JOURNEYS / script), str(folder)], folder)
    else:
        shutil.copy(ROOT / "src/exactree/datasets/raisin.csv", folder)
        lines = (JOURNEYS / script).read_text(encoding="utf-8").splitlines()
        shown = "\n".join(
            line
            if line.startswith("#")
            else f"$ {line}\n{shown_by(['-m', *shlex.split(line)], folder)}"
            for line in lines
        )
    shown = re.sub(r" in [\d.]+ s\b", " in ... s", shown)
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def shown_by(arguments: list[str], folder: Path) -> str:
    """Return the standard output of Python, followed by its standard error."""
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100", "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        check=False,
        env=environment,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_screens_of_a_journey_are_the_stored_ones(script: str, tmp_path: Path) -> None:
    for library in ("pandas", "sklearn", "matplotlib", "jinja2"):
        pytest.importorskip(library)
    stored = (JOURNEYS / script).with_suffix(".txt").read_text(encoding="utf-8")
    assert screen_of(script, tmp_path) == stored
    assert WRITTEN[script] <= {path.name for path in tmp_path.iterdir()}


if __name__ == "__main__":
    for name in SCRIPTS:
        with tempfile.TemporaryDirectory() as written:
            new = screen_of(name, Path(written))
        (JOURNEYS / name).with_suffix(".txt").write_text(new, encoding="utf-8")
