"""`exactree generate`: tables of hard and of known problems as CSV."""

from pathlib import Path

import pytest

from .conftest import Run

pytest.importorskip("networkx")

FILES = {
    "sets.txt": "# three sets\na b\nb c\n\na c  # the last\n",
    "graph.txt": "1 2\n2 3\n3 4\n5\n",
    "psi.txt": "a1 b1\nb1 c1\na2 b1\n",
    "pattern.txt": "a b\nb c\n",
    "colours.txt": "a1 a\na2 a\nb1 b\nc1 c\n",
}
COMMANDS = {
    "hitting-set sets.txt": ["4 examples, 3 features"],
    "set-cover sets.txt": ["4 examples, 3 features"],
    "dominating-set graph.txt": ["6 examples, 5 features"],
    "set-multicover sets.txt --picks 2": [
        "22 examples, 9 features",
        "yes exactly if the least total size of 5 trees is at most 5",
    ],
    "multicoloring graph.txt --colours 2": [
        "24 examples, 9 features",
        "yes exactly if the least total size of 5 trees is at most 5",
    ],
    "partitioned-subgraph-isomorphism psi.txt pattern.txt --colours colours.txt": [
        "40 examples, 7 features",
        "yes exactly if the least size is at most 11",
    ],
    "parity --n-trees 3 --size 2": [
        "27 examples, 3 features",
        "the least size of a tree without errors is 16",
    ],
    "planted --rows 30 --features 4 --size 3 --noise 2 --seed 7": ["30 examples, 4 features"],
    "lemma10 depth": [
        "8 examples, 5 features",
        "the least depth of a tree without errors is 3",
    ],
}


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", COMMANDS)
def test_writes_a_table_that_fit_reads(run: Run, tmp_path: Path, command: str) -> None:
    result = run("generate", *command.split(), "-o", "out.csv")
    assert result.exit_code == 0, result.output
    first, *others = COMMANDS[command]
    assert result.stdout.splitlines() == [f"out.csv: {first}", *others]
    lines = (tmp_path / "out.csv").read_text("utf-8").splitlines()
    assert len(lines) - 1 == int(first.split()[0])
    assert lines[0].endswith(",label")
    result = run("fit", "out.csv", "--target", "label", "--max-depth", 1, "--quiet")
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("hitting-set none.txt", "none.txt cannot be used: No such file or directory."),
        ("hitting-set empty.txt", "empty.txt has no sets; write one per line"),
        ("dominating-set sets3.txt", "line 1 of sets3.txt has 3 words; write two vertices"),
        ("dominating-set empty.txt", "graph has no vertices; give at least one."),
        ("set-multicover sets.txt --picks 1 --demand 2", "demand=2 is more than picks=1"),
        ("parity --n-trees 2 --size 2", "n_trees must be an odd integer >= 1, got 2."),
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
def test_wrong_input_is_one_sentence(run: Run, tmp_path: Path, command: str, says: str) -> None:
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    (tmp_path / "sets3.txt").write_text("a b c\n", encoding="utf-8")
    (tmp_path / "twice.txt").write_text("a1 a\na1 b\n", encoding="utf-8")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    result = run("generate", *command.split(), "-o", "out.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"exactree: {says}")
    assert len(result.stderr.splitlines()) == 2
    assert not (tmp_path / "out.csv").exists()


def test_output_is_required_and_its_folder_exists(run: Run) -> None:
    assert run("generate", "lemma10", "size").exit_code == 2
    assert run("generate", "lemma10", "size", "-o", "none/out.csv").exit_code == 2
    assert run("generate", "lemma10", "errors", "-o", "out.csv").exit_code == 2
