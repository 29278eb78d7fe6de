"""The commands of docs/command-line.md run, and print what the page shows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT, Run

PAGE = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(raisin: Path, tmp_path: Path) -> Path:
    """Return a folder with the tables of the page."""
    shutil.copy(raisin, tmp_path / "raisin.csv")
    (orders,) = (text for text in blocks("text") if text.startswith("order;"))
    (tmp_path / "orders.csv").write_text(orders, encoding="utf-8")
    return tmp_path


def test_the_commands_run(run: Run, folder: Path) -> None:
    lines = [shlex.split(line) for text in blocks("sh") for line in text.splitlines()]
    commands = [words[1:] for words in lines if words[0] == "exactree" and ">>" not in words]
    assert len(commands) > 10
    for words in commands:
        result = run(*words)
        assert result.exit_code == 0, (words, result.output)
    assert {"tree.png", "model.onnx", "tuning.pdf"} <= {path.name for path in folder.iterdir()}


def test_the_screens_are_those_of_the_page(folder: Path) -> None:
    shown = 0
    for text in blocks("console"):
        for call in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, expected = call.partition("\n")
            answer = subprocess.run(
                [sys.executable, "-m", *shlex.split(command)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                cwd=folder,
                check=False,
                env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
            )
            lines = [line.rstrip() for line in answer.stdout.splitlines()]
            assert lines == expected.splitlines(), command
            shown += 1
    assert shown == 4


def test_the_table_of_commands_is_complete() -> None:
    from exactree.cli import main

    assert set(re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE)) == set(main.commands)


def test_the_table_of_exit_codes_is_complete() -> None:
    from exactree.cli.endings import Exit

    listed = re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)
    assert [int(code) for code in listed] == sorted(code.value for code in Exit)
