"""Shells complete commands, options, and the columns of the table on the command line."""

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
    """Return the completions of an incomplete word after some words."""
    shell = ShellComplete(main, {}, "exactree", "_EXACTREE_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


def test_commands_options_and_choices_are_completed() -> None:
    assert completed([], "pr") == ["predict", "prune"]
    assert "--max-depth" in completed(["fit", "table.csv"], "--max")
    assert completed(["fit", "t.csv", "--task"], "re") == ["regression"]


@pytest.mark.parametrize("option", ["--target", "--weights", "--categories", "--features"])
def test_columns_of_the_table_are_completed(fruit: Path, option: str) -> None:
    assert completed(["fit", str(fruit), option], "") == ["x", "size", "colour", "kind"]
    assert completed(["fit", str(fruit), option], "k") == ["kind"]


def test_a_list_of_columns_is_completed_after_the_comma(fruit: Path) -> None:
    assert completed(["fit", str(fruit), "--features"], "x,c") == ["x,colour"]


@pytest.mark.parametrize("table", ["absent.csv", "."])
def test_without_a_table_there_are_no_completions_and_no_messages(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(["fit", table, "--target"], "") == []
    assert completed(["fit", "--target"], "") == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_the_completion_script_of_a_shell(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert f"_EXACTREE_COMPLETE={shell}_complete" in result.stdout


def test_a_completion_request_of_bash_prints_the_completions(tmp_path: Path) -> None:
    """Bash passes the words in the environment."""
    words = {"_EXACTREE_COMPLETE": "bash_complete", "COMP_WORDS": "exactree sh", "COMP_CWORD": "1"}
    answer = subprocess.run(
        [sys.executable, "-m", "exactree"],
        env={**os.environ, **words},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout.split() == ["plain,show"]


def test_click_can_complete_in_every_shell_that_the_command_offers() -> None:
    shells = next(p for p in main.commands["completion"].params if p.name == "shell").type
    assert isinstance(shells, click.Choice)
    assert all(click.shell_completion.get_completion_class(name) for name in shells.choices)
