"""Examples in `--help` work, `--json` prints one object, and failing commands print a hint."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result
from tests.cli.conftest import Run

from exactree.cli import main
from exactree.cli.endings import Exit

# Files that examples read and that no example writes.
FILES = {
    "sets.txt": "a b\nb c\na c d\n",
    "graph.txt": "a1 b1\nb1 c1\n",
    "pattern.txt": "a b\n",
    "colours.txt": "a1 a\nb1 b\nc1 a\n",
}


def commands(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command and sub-command with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))


def examples(command: click.Command) -> list[list[str]]:
    """Return the words of the examples at the end of a command's help."""
    shown, _, _ = (command.epilog or "").partition("Exit codes:")
    lines = re.findall(r"^  exactree (.+)$", shown, re.MULTILINE)
    return [shlex.split(line) for line in lines]


@pytest.fixture
def ready(run: Run, raisin: Path, tmp_path: Path) -> Run:
    """Return the fixture `run` for a folder with all files that the examples read."""
    shutil.copy(raisin, tmp_path / "raisin.csv")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    fit = ("fit", "raisin.csv", "--target", "Class", "--max-depth", 2, "--quiet")
    assert run(*fit, "-o", "model.json", "--certificate", "model.xtc").exit_code == 0
    votes = ("--n-trees", 3, "--max-errors", 100, "-o", "votes.json")
    assert run("fit", "raisin.csv", "--target", "Class", "--quiet", *votes).exit_code == 0
    return run


ALL = list(commands())


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(p) or "exactree" for p, _ in ALL])
def test_every_command_has_examples_and_they_run(
    ready: Run, path: tuple[str, ...], command: click.Command
) -> None:
    shown = examples(command)
    assert shown
    for words in shown:
        assert tuple(words[: len(path)]) == path
        result: Result = ready(*words)
        assert result.exit_code == 0, result.output
        if "--json" in words:
            json.loads(result.stdout)


def test_help_shows_an_example_on_a_line_of_its_own(run: Run) -> None:
    lines = run("show", "--help").stdout.splitlines()
    assert "    exactree show model.json --format sql" in lines


SEARCHES = {"fit", "front", "tune", "enumerate", "compress"}


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(p) or "exactree" for p, _ in ALL])
def test_help_lists_the_exit_codes_of_the_command(
    path: tuple[str, ...], command: click.Command
) -> None:
    _, _, listed = (command.epilog or "").partition("Exit codes:")
    codes = {int(code) for code in re.findall(r"^ +(\d+) +\S", listed, re.MULTILINE)}
    if not path:
        assert codes == set()
    elif path[0] == "completion":
        assert codes == {0, 2}
    elif path[0] in SEARCHES:
        assert codes == {code.value for code in Exit}
    else:
        assert codes == {0, 1, 2, 70, 130, 141}


def test_every_command_with_a_result_has_the_option_json() -> None:
    without = {
        path
        for path, command in ALL
        if not isinstance(command, click.Group)
        and not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == {("completion",)}  # prints a program


def test_json_of_predict_counts_the_errors(run: Run, model: Path, fruit: Path) -> None:
    printed = json.loads(run("predict", model, fruit, "--json").stdout)
    assert printed["predictions"] == ["apple", "apple", "apple", "pear", "pear", "apple"]
    assert (printed["target"], printed["rows"], printed["misclassified"]) == ("kind", 6, 0)
    printed = json.loads(run("predict", model, fruit, "--json", "-o", "out.csv").stdout)
    assert printed["output"] == "out.csv"
    assert "predictions" not in printed


def test_json_of_predict_has_the_errors_of_a_regression(run: Run, fruit: Path) -> None:
    """The leaf predicts the mean 3 of the sizes 1, 2, 3, 1, 2, 9."""
    fit = ("fit", fruit, "--target", "size", "--task", "regression", "--max-depth", 0)
    assert run(*fit, "-o", "m.json").exit_code == 0
    printed = json.loads(run("predict", "m.json", fruit, "--json").stdout)
    assert printed["mean_absolute_error"] == pytest.approx(2)
    assert printed["root_mean_squared_error"] == pytest.approx((46 / 6) ** 0.5)


def test_json_of_generate_has_the_measures_of_the_table(run: Run) -> None:
    words = ("generate", "planted", "--rows", 20, "--features", 3, "--size", 2, "-o", "p.csv")
    printed = json.loads(run(*words, "--json").stdout)
    assert (printed["table"], printed["examples"], printed["features"]) == ("p.csv", 20, 3)


def hint_of(result: Result) -> str:
    """Return the hint, which is the last line on standard error."""
    last = result.stderr.splitlines()[-1]
    assert last.startswith("hint: ")
    return last.removeprefix("hint: ")


def test_the_hint_for_a_mistyped_column_is_a_similar_column(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "knd")
    assert result.exit_code == 1
    assert hint_of(result) == "did you mean 'kind'?"
    assert hint_of(run("fit", fruit, "--target", "KIND")) == "did you mean 'kind'?"


def test_a_column_is_no_hint_for_another_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,y\n1,0\n2,1\n", encoding="utf-8")
    assert hint_of(run("fit", "t.csv", "--target", "target")) == "name one of these columns."


def test_the_hint_for_a_mistyped_file_is_a_similar_file(run: Run, fruit: Path) -> None:
    assert hint_of(run("fit", "fruits.csv", "--target", "kind")) == "did you mean 'fruit.csv'?"
    absent = hint_of(run("fit", "nothing.csv", "--target", "kind"))
    assert absent.startswith("there is no similar name in the folder")


def test_a_stopped_search_is_reported_once(run: Run, raisin: Path) -> None:
    words = ("fit", raisin, "--target", "Class", "--max-depth", 6, "--time-limit", 0.3)
    assert run(*words).output.count("not proved, stopped by time limit") == 1


def test_descriptions_in_the_list_of_commands_are_complete(run: Run) -> None:
    listed = run("--help").stdout.partition("Commands:")[2].partition("Example")[0]
    assert "..." not in listed


def test_exit_codes_1_to_4_have_their_hints(run: Run, fruit: Path, raisin: Path) -> None:
    stopped = ("fit", raisin, "--target", "Class", "--max-depth", 6, "--time-limit", 0.3)
    for words, code, hint in [
        (
            ("fit", fruit, "--target", "kind", "--max-depth", 0, "--max-errors", 0),
            4,
            "relax the limit",
        ),
        (stopped, 3, "a longer --time-limit (0.3 s used)"),
        (("show", fruit), 1, "model files are written by exactree fit"),
        (("fit", fruit, "--target", "kind", "--method", "box"), 2, "--method auto"),
    ]:
        result = run(*words)
        assert result.exit_code == code, result.output
        assert hint_of(result).startswith(hint)
