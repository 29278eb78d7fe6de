"""Shells complete commands, options and the columns of the table that is named."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from tests.cli.conftest import Run

from exactree.cli import main


def completed(words: list[str], incomplete: str) -> list[str]:
    """Return what a shell is offered after some words."""
    shell = ShellComplete(main, {}, "exactree", "_EXACTREE_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


def test_commands_and_options() -> None:
    assert completed([], "pr") == ["predict", "prune"]
    assert "--max-depth" in completed(["fit", "table.csv"], "--max")
    assert completed(["fit", "t.csv", "--task"], "re") == ["regression"]


@pytest.mark.parametrize("option", ["--target", "--weights", "--categories", "--features"])
def test_columns_of_the_table(fruit: Path, option: str) -> None:
    assert completed(["fit", str(fruit), option], "") == ["x", "size", "colour", "kind"]
    assert completed(["fit", str(fruit), option], "k") == ["kind"]


def test_a_list_of_columns_goes_on_after_the_comma(fruit: Path) -> None:
    assert completed(["fit", str(fruit), "--features"], "x,c") == ["x,colour"]


@pytest.mark.parametrize("table", ["absent.csv", "."])
def test_no_table_offers_nothing_and_says_nothing(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(["fit", table, "--target"], "") == []
    assert completed(["fit", "--target"], "") == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_program_for_a_shell(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_EXACTREE_COMPLETE={shell}_complete" in result.stdout


def test_the_program_answers_bash(tmp_path: Path) -> None:
    """As bash asks it, through the environment."""
    asked = {"_EXACTREE_COMPLETE": "bash_complete", "COMP_WORDS": "exactree sh", "COMP_CWORD": "1"}
    answer = subprocess.run(
        [sys.executable, "-m", "exactree"],
        env={**os.environ, **asked},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout.split() == ["plain,show"]


def test_every_shell_that_is_offered_is_known_to_click() -> None:
    kind = next(p for p in main.commands["completion"].params if p.name == "shell").type
    assert isinstance(kind, click.Choice)
    assert all(click.shell_completion.get_completion_class(name) for name in kind.choices)
