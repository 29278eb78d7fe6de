"""Errors for options of other packages give ours; for others the nearest option."""

import re
from pathlib import Path

import pytest

from exactree.cli import main
from exactree.names.foreign import OPTIONS, PARAMETERS

from .conftest import Run

LISTED = sorted({*PARAMETERS, *OPTIONS})
OF_COMMANDS = {
    name: {option for parameter in command.params for option in parameter.opts}
    for name, command in main.commands.items()
}


def refusal(run: Run, *words: object) -> str:
    """Return the message of a command with a wrong option, in one line."""
    result = run(*words)
    assert result.exit_code == 2
    return " ".join(result.stderr.split("Error: ")[1].split())


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("command", ["fit", "predict"])
def test_listed_options_are_answered_by_options_that_exist(
    run: Run, command: str, name: str
) -> None:
    option = f"--{name.replace('_', '-')}"
    if option in {ours for options in OF_COMMANDS.values() for ours in options}:
        return
    message = refusal(run, command, "t.csv", option, "1")
    start, _, answer = message.partition(f"exactree {command} has no option {option!r}")
    assert (start, answer[-1]) == ("", ".")
    named = re.findall(r"(?<![\w-])--[a-z-]+", answer.partition("(")[0])
    if answer.startswith("; use "):
        assert named
        assert set(named) <= OF_COMMANDS[command]
    elif answer.startswith("; "):
        commands = re.split(", | and ", answer.partition(" of exactree ")[2].removesuffix("."))
        assert named
        assert all(set(named) <= OF_COMMANDS[word] for word in commands)
    else:
        assert answer.startswith(": ")


@pytest.mark.parametrize("name", LISTED)
def test_answers_name_python_only_where_there_is_no_option(run: Run, name: str) -> None:
    option = f"--{name.replace('_', '-')}"
    if option not in OF_COMMANDS["fit"]:
        answer = refusal(run, "fit", "t.csv", option, "1").partition("has no option")[2]
        assert "only Python" in answer or not re.search(r"Optimal|[a-z]=|\w\(", answer)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("fit", "t.csv", "--target", "y", "--monotone", "a"),
            "exactree fit has no option '--monotone'; use --increasing and --decreasing (the "
            "columns in which predictions must not decrease, or not increase).",
        ),
        (
            ("fit", "t.csv", "--monotonic-cst=a"),
            "exactree fit has no option '--monotonic-cst'; use --increasing and --decreasing (the "
            "columns in which predictions must not decrease, or not increase).",
        ),
        (
            ("tune", "t.csv", "--ccp-alpha", "0.1"),
            "exactree tune has no option '--ccp-alpha'; use --leaf-penalty (the price of a leaf as "
            "a share of the total weight).",
        ),
        (
            ("predict", "m.json", "t.csv", "--max-leaf-nodes", "4"),
            "exactree predict has no option '--max-leaf-nodes'; --max-size (inner nodes: "
            "k - 1 for k leaves) is an option of exactree fit, front, tune and enumerate.",
        ),
        (
            ("fit", "t.csv", "--random-state", "1"),
            "exactree fit has no option '--random-state': the search is deterministic, so there "
            "is nothing to seed.",
        ),
    ],
)
def test_the_answer_is_one_sentence(run: Run, words: tuple[str, ...], message: str) -> None:
    assert refusal(run, *words) == message


def test_unlisted_options_are_answered_by_the_nearest(run: Run, fruit: Path) -> None:
    message = refusal(run, "fit", fruit, "--max-depht", "1")
    assert "No such option" in message
    assert "--max-depth" in message
    of_another_command = ("predict", fruit, fruit, "--weights", "w")
    of_a_generator = ("generate", "planted", "--random-state", 1)
    for words in (of_another_command, of_a_generator):
        assert "No such option" in refusal(run, *words)
