"""`exactree generate`: problems with known answers as tables, and the commands that solve them."""

import json
import shlex
from pathlib import Path

import pytest

from exactree.cli.generate import generate

from .conftest import Run

pytest.importorskip("networkx")

FILES = {
    "sets.txt": "# three sets\na b\nb c\n\na c  # the last\n",
    "graph.txt": "1 2\n2 3\n3 4\n5\n",
    "psi.txt": "a1 b1\nb1 c1\na2 b1\n",
    "pattern.txt": "a b\nb c\n",
    "colours.txt": "a1 a\na2 a\nb1 b\nc1 c\n",
}
OPTIMUM = "the minimum size and the minimum depth of a tree without errors are"
# Command -> the lines that it prints before the command that solves the table.
COMMANDS = {
    "hitting-set sets.txt": [
        "4 examples, 3 features",
        f"{OPTIMUM} the least number of elements that hit every set",
    ],
    "set-cover sets.txt": [
        "4 examples, 3 features",
        f"{OPTIMUM} the least number of sets that cover all elements",
    ],
    "dominating-set graph.txt": [
        "6 examples, 5 features",
        f"{OPTIMUM} the least number of vertices that dominate the graph",
    ],
    "set-multicover sets.txt --picks 2": [
        "22 examples, 9 features",
        "yes exactly if the minimum total size of 5 trees is at most 5",
    ],
    "multicoloring graph.txt --colours 2": [
        "24 examples, 9 features",
        "yes exactly if the minimum total size of 5 trees is at most 5",
    ],
    "partitioned-subgraph-isomorphism psi.txt pattern.txt --colours colours.txt": [
        "40 examples, 7 features",
        "yes exactly if the minimum size is at most 11",
    ],
    "parity --n-trees 3 --size 2": [
        "27 examples, 3 features",
        "the minimum size of a tree without errors is 16",
    ],
    "planted --rows 30 --features 4 --size 3 --noise 2 --seed 7": [
        "30 examples, 4 features",
        "a tree of size 3 makes 2 errors, so the minimum size is at most 3",
    ],
    "lemma10 depth": [
        "8 examples, 5 features",
        "the minimum depth of a tree without errors is 3",
    ],
}


# Command -> a lower and an upper bound on the optimum of the table, which are equal if it is known.
# A planted tree, or a cover that exists, gives only an upper bound; if there is no cover, there is
# only a lower bound.
OPTIMA = {
    "hitting-set sets.txt": (2, 2),
    "set-cover sets.txt": (2, 2),
    "dominating-set graph.txt": (3, 3),
    "set-multicover sets.txt --picks 2": (0, 5),
    "set-multicover sets.txt --picks 1": (4, 100),
    "multicoloring graph.txt --colours 2": (0, 5),
    "partitioned-subgraph-isomorphism psi.txt pattern.txt --colours colours.txt": (11, 11),
    "parity --n-trees 3 --size 2": (16, 16),
    "planted --rows 30 --features 4 --size 3 --noise 2 --seed 7": (0, 3),
    "planted --rows 30 --features 4 --size 3 --classes 3": (0, 3),
    "lemma10 size": (4, 4),
    "lemma10 depth": (3, 3),
}


@pytest.fixture
def files(tmp_path: Path) -> None:
    """Write FILES to the folder in which commands run."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_table_is_written_described_and_can_be_fitted(
    run: Run, tmp_path: Path, command: str
) -> None:
    result = run("generate", *command.split(), "-o", "out.csv")
    assert result.exit_code == 0, result.output
    first, *others = COMMANDS[command]
    *description, fit_command = result.stdout.splitlines()
    assert description == [f"out.csv: {first}", *others]
    assert fit_command.startswith("exactree fit out.csv --target label --minimize ")
    printed = json.loads(run("generate", *command.split(), "-o", "out.csv", "--json").stdout)
    assert printed["statement"] == "; ".join(others)
    assert shlex.join(printed["command"]) == fit_command
    lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert len(lines) - 1 == int(first.split()[0])
    assert lines[0].endswith(",label")
    result = run("fit", "out.csv", "--target", "label", "--max-depth", 1, "--quiet")
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("hitting-set none.txt", "none.txt cannot be used: No such file or directory."),
        ("hitting-set empty.txt", "empty.txt has no sets; write one per line"),
        ("dominating-set sets3.txt", "line 1 of sets3.txt has 3 words; write two vertices"),
        ("dominating-set empty.txt", "graph has no vertices; give at least one."),
        ("set-multicover sets.txt --picks 1 --demand 2", "--demand 2 is more than --picks 1"),
        ("parity --n-trees 2 --size 2", "--n-trees must be an odd integer >= 1, got 2."),
        (
            "partitioned-subgraph-isomorphism psi.txt pattern.txt --colours sets3.txt",
            "line 1 of sets3.txt has 3 words; write a vertex and its colour.",
        ),
        (
            "partitioned-subgraph-isomorphism psi.txt pattern.txt --colours twice.txt",
            "line 2 of twice.txt gives 'a1' a second colour.",
        ),
        ("hitting-set binary.txt", "binary.txt is not a text file in UTF-8"),
    ],
)
def test_wrong_input_ends_in_one_sentence_and_a_hint(
    run: Run, tmp_path: Path, command: str, message: str
) -> None:
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    (tmp_path / "sets3.txt").write_text("a b c\n", encoding="utf-8")
    (tmp_path / "twice.txt").write_text("a1 a\na1 b\n", encoding="utf-8")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    result = run("generate", *command.split(), "-o", "out.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"exactree: {message}")
    assert len(result.stderr.splitlines()) == 2
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", OPTIMA)
def test_the_printed_command_finds_the_known_optimum(run: Run, command: str) -> None:
    fit_command = run("generate", *command.split(), "-o", "a table.csv").stdout.splitlines()[-1]
    program, *words = shlex.split(fit_command)
    assert program == "exactree"
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    lower, upper = OPTIMA[command]
    assert lower <= json.loads(result.stdout)["cost"] <= upper


@pytest.mark.usefixtures("files")
def test_the_command_is_part_of_the_json(run: Run) -> None:
    content = json.loads(run("generate", "lemma10", "size", "-o", "out.csv", "--json").stdout)
    assert content["command"] == "exactree fit out.csv --target label --minimize size".split()


def test_every_generator_has_a_known_optimum() -> None:
    assert {command.split()[0] for command in OPTIMA} == set(generate.commands)


def test_wrong_options_are_usage_errors(run: Run) -> None:
    """No output, a folder that does not exist, a wrong choice."""
    assert run("generate", "lemma10", "size").exit_code == 2
    assert run("generate", "lemma10", "size", "-o", "none/out.csv").exit_code == 2
    assert run("generate", "lemma10", "errors", "-o", "out.csv").exit_code == 2
