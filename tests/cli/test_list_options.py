"""Options of lists: all repetitions are added together, and forgotten commas are named."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from exactree.cli import main
from exactree.cli.lists import list_option, parse_names

from .conftest import Run

_TOGETHER = list_option("--any", kind=click.STRING)(lambda: None).__click_params__[0].callback


def lists() -> Iterator[tuple[str, click.Parameter]]:
    """Yield every option whose help says that its value is a list."""
    for name, command in main.commands.items():
        for parameter in command.params:
            words = (getattr(parameter, "help", None) or "") + str(parameter.metavar)
            if "COLUMNS" in str(parameter.metavar) or ", separated by commas" in words:
                yield f"{name} {parameter.opts[-1]}", parameter


@pytest.mark.parametrize(("name", "parameter"), list(lists()), ids=[name for name, _ in lists()])
def test_every_list_adds_its_repetitions_together(name: str, parameter: click.Parameter) -> None:
    assert parameter.callback is _TOGETHER


def features(path: str) -> list[str]:
    """Return the columns of a model."""
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return [column["name"] for column in content["columns"]]


def test_a_second_exclude_does_not_forget_the_first(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "kind", "--max-depth", 1, "--quiet", "-o", "m.json")
    assert run(*fit, "--exclude", "x", "--exclude", "size").exit_code == 0
    assert features("m.json") == ["colour"]
    assert run(*fit, "--exclude", "x,colour", "--exclude", "x").exit_code == 0
    assert features("m.json") == ["size"]


def test_repetitions_of_other_lists_are_added_together(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "kind", "-o", "m.json", "--quiet")
    text = ("--text", "x", "--text", "size")
    assert run(*fit, *text).exit_code == 0
    kinds = json.loads(Path("m.json").read_text(encoding="utf-8"))["columns"]
    assert all(column["text"] for column in kinds)
    both = run(
        "fit", fruit, "--target", "kind", "--minimize", "errors", "--minimize", "size", "--json"
    )
    assert json.loads(both.stdout)["cost"] == [0, 2]
    shown = run("predict", "m.json", fruit, "--ids", "x", "--ids", "size", "--quiet").stdout
    assert shown.splitlines()[0] == "x,size,kind"
    rows = run("explain", "m.json", fruit, "--rows", 1, "--rows", "3,2").stdout
    assert [line[:5] for line in rows.splitlines() if line.startswith("row")] == [
        "row 1", "row 3", "row 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("--exclude", "x", "size"), "separate columns by commas, as in --exclude x,size."),
        (("--exclude", "x,", "a b"), "separate columns by commas, as in --exclude 'x,a b'."),
        (("--minimize", "errors", "size"), "separate entries by commas, as in --minimize errors"),
    ],
)
def test_a_list_without_commas_says_how_lists_are_written(
    run: Run, fruit: Path, words: tuple[str, ...], cure: str
) -> None:
    result = run("fit", fruit, "--target", "kind", *words)
    assert result.exit_code == 2
    assert cure in " ".join(result.stderr.split())


def test_other_superfluous_words_are_only_named(run: Run, fruit: Path) -> None:
    message = run("fit", fruit, "more", "--target", "kind", "--exclude", "x").stderr
    assert "unexpected extra argument" in message
    assert "commas" not in message


@pytest.mark.parametrize(
    ("text", "names"), [("", ()), ("a,", ("a",)), ('"x, y",a', ("x, y", "a")), ("a, a", ("a",))]
)
def test_names_are_read_without_empty_ones(text: str, names: tuple[str, ...]) -> None:
    assert parse_names(text) == names
