"""Shells complete commands, options, and the columns of the table on the command line."""

import os
import shutil
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


ODD = 'id,Laufzeit (Monate),"Price, net",Laufende Nr,x\n1,2,3,4,5\n'


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Write a table whose names have blanks, parentheses and a comma."""
    path = tmp_path / "odd.csv"
    path.write_text(ODD, encoding="utf-8")
    return path


def test_used_columns_are_not_offered_again(odd: Path) -> None:
    words = ["fit", str(odd), "--exclude"]
    assert completed(words, "id,") == [
        "id,Laufzeit (Monate)",
        'id,"Price, net"',
        "id,Laufende Nr",
        "id,x",
    ]
    assert completed(words, '"Price, net",x,Laufz') == ['"Price, net",x,Laufzeit (Monate)']
    assert completed(words, 'x,"Pri') == ['x,"Price, net"']
    assert completed(words, "Pri") == ['"Price, net"']
    assert completed(["fit", str(odd), "--target"], "Pri") == ["Price, net"]


def answer_of_bash(words: list[str], cwd: Path) -> list[str]:
    """Return the lines that the command prints for a completion request of bash."""
    request = {
        "_EXACTREE_COMPLETE": "bash_complete",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    answer = subprocess.run(
        [sys.executable, "-m", "exactree"],
        env={**os.environ, **request},
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return answer.stdout.splitlines()


def test_bash_gets_names_in_quotes(odd: Path, tmp_path: Path) -> None:
    fit = ["exactree", "fit", "odd.csv"]
    assert answer_of_bash([*fit, "--target", "Laufz"], tmp_path) == ["plain,'Laufzeit (Monate)'"]
    assert answer_of_bash([*fit, "--exclude", "x,P"], tmp_path) == ["plain,'x,\"Price, net\"'"]
    assert answer_of_bash([*fit, "--target", "'Laufz"], tmp_path) == ["plain,Laufzeit (Monate)"]
    assert answer_of_bash([*fit, "--target", "x"], tmp_path) == ["plain,x"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_script_of_bash_completes_a_name_with_blanks(odd: Path, tmp_path: Path) -> None:
    """The words that bash inserts are read by bash as the name."""
    script = """
        exactree() { "$PYTHON" -m exactree "$@"; }
        env() { command env "${@:1:3}" "$PYTHON" -m exactree; }
        eval "$(exactree completion bash 2>/dev/null)" 2>/dev/null
        COMP_WORDS=(exactree fit odd.csv --target Laufz)
        COMP_CWORD=4
        _exactree_completion exactree
        eval "set -- ${COMPREPLY[0]}"
        printf '%s|%s' "$#" "$1"
    """
    answer = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PYTHON": sys.executable},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert answer.stdout == "1|Laufzeit (Monate)", answer.stderr
