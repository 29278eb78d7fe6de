"""Python examples and the commands of the README run; links and lists of documents are right."""

import doctest
import importlib
import inspect
import pkgutil
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

import exactree
from exactree.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", ".venv-oldest", "generated", "site", "target"}
    & set(path.relative_to(ROOT).parts)
)


def blocks(document: Path, language: str) -> list[str]:
    """Return the fenced blocks of a document that are written in a language."""
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


# A block of Python and its output, which follows after nothing or after "It prints ...".
PRINTED = re.compile(
    r"^```python\n(.*?)^```\n(?:\n(?:It prints[^\n]*\n\n)?```text\n(.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)
PYTHON_BLOCKS = [
    (path, code, output)
    for path in DOCUMENTS
    for code, output in PRINTED.findall(path.read_text(encoding="utf-8"))
]
# The number of characters that fit the column of text on the site (docs/static/site.css).
COLUMN = 80


def test_the_readme_has_an_example() -> None:
    assert blocks(ROOT / "README.md", "python")


@pytest.mark.parametrize(
    ("document", "code", "output"), PYTHON_BLOCKS, ids=[path.name for path, *_ in PYTHON_BLOCKS]
)
def test_python_examples_run_and_print_what_is_shown(
    document: Path, code: str, output: str
) -> None:
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, str(document), "exec"), {"__name__": "example"})
    if output:
        assert printed.getvalue() == output


def test_every_python_block_and_every_output_is_tested() -> None:
    assert len(PYTHON_BLOCKS) == sum(len(blocks(path, "python")) for path in DOCUMENTS)
    texts = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    outputs = sum(bool(output) for _, _, output in PYTHON_BLOCKS)
    assert outputs == len(re.findall(r"^It prints", texts, re.MULTILINE)) + 1, "and the README's"


# What seekers type -> the page that has it in a heading, which the search of the site ranks first.
SOUGHT = {
    "overfitting": "overfitting.md",
    "regularization": "overfitting.md",
    "imbalanced": "imbalanced-classes.md",
    "confusion matrix": "imbalanced-classes.md",
    "oblique": "oblique-splits.md",
    "hyperparameter": "tuning.md",
    "notebook": "scikit-learn.md",
    "separator": "command-line.md",
    "rashomon set": "all-optimal-trees.md",
    "decisiontreeclassifier": "coming-from-scikit-learn.md",
    "streed": "coming-from-pystreed.md",
    "gosdt": "coming-from-gosdt.md",
    "dl8.5": "coming-from-pydl85.md",
    "contree": "coming-from-contree.md",
}


@pytest.mark.parametrize("words", SOUGHT)
def test_the_words_of_seekers_are_in_headings(words: str) -> None:
    text = (ROOT / "docs" / SOUGHT[words]).read_text(encoding="utf-8").lower()
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    assert any(words in heading for heading in headings)


def test_every_parameter_of_scikit_learn_is_compared() -> None:
    from sklearn.tree import DecisionTreeClassifier

    page = (ROOT / "docs/coming-from-scikit-learn.md").read_text(encoding="utf-8")
    table = page.partition("## Parameters")[2].partition("```")[0]
    for name in inspect.signature(DecisionTreeClassifier).parameters:
        assert f"`{name}" in table, name


def test_code_fits_the_column_of_the_site() -> None:
    """Commands and screens wrap there (docs/static/site.css); other blocks would scroll."""
    wide = [
        f"{document.relative_to(ROOT)}: {line}"
        for document in DOCUMENTS
        for language in ("python", "text")
        for line in "".join(blocks(document, language)).splitlines()
        if len(line) > COLUMN
    ]
    assert not wide


def test_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "src/exactree/datasets/raisin.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [line for text in blocks(ROOT / "README.md", "sh") for line in text.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("exactree ")]
    assert len(commands) == 3
    for command in commands:
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
    assert {"model.json", "tree.svg", "predictions.csv"} <= {p.name for p in tmp_path.iterdir()}


def test_commands_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for document in DOCUMENTS:
        named = set(re.findall(r"`make ([a-z-]+)`", document.read_text(encoding="utf-8")))
        assert named <= targets, document


def test_links_lead_somewhere() -> None:
    lost = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8"))
        if not (target.startswith("https://") or (document.parent / target).exists())
    ]
    assert not lost


def test_pages_that_quote_a_record_of_a_changed_commit_say_so() -> None:
    """A commit "with changes" does not say which program was measured."""
    records = ROOT / "benchmarks" / "records"
    changed = {path.stem for path in records.iterdir() if "with changes" in path.read_text("utf-8")}
    assert len(changed) >= 3
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        quoted = set(re.findall(r"records/([\w-]+)\.md", text)) & changed
        assert not quoted or '"with changes"' in " ".join(text.split()), (document, quoted)


def test_every_path_in_the_code_map_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for path in re.findall(r"^(?:\| |\d\. )`([^`]+[/.][^`]*)`", text, re.MULTILINE):
        assert (ROOT / path).exists(), f"ARCHITECTURE.md names {path}"


def test_the_table_of_tests_has_every_path_of_tests_and_no_other_path() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    folders = {f"tests/{p.parent.name}/" for p in (ROOT / "tests").glob("*/test_*.py")}
    files = {f"tests/{p.name}" for p in (ROOT / "tests").glob("test_*.py")}
    assert {path for path in folders | files if path not in text} == set()
    for path in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path


def test_every_package_is_in_the_code_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    packages = [p for p in (ROOT / "src/exactree").iterdir() if (p / "__init__.py").exists()]
    for package in packages + sorted((ROOT / "crates").iterdir()):
        if package.is_dir():
            assert f"`{package.relative_to(ROOT)}/`" in text


def test_examples_in_docstrings_run() -> None:
    examples = 0
    for info in pkgutil.walk_packages(exactree.__path__, "exactree."):
        if info.name.rpartition(".")[2] in {"__main__", "_native"}:
            continue
        failed, count = doctest.testmod(
            importlib.import_module(info.name), optionflags=doctest.NORMALIZE_WHITESPACE
        )
        assert failed == 0, info.name
        examples += count
    assert examples > 0


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_programs_run(example: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    answer = subprocess.run(
        [sys.executable, str(example), str(picture)], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert "optimal, proved" in answer.stdout
    assert picture.read_text(encoding="utf-8").startswith(("<svg", "<?xml"))


GALLERY = sorted((ROOT / "examples/gallery").glob("*.py"))


@pytest.mark.parametrize("program", GALLERY, ids=lambda path: path.stem)
def test_programs_of_the_gallery_run_and_draw(program: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    with pyplot.rc_context({"backend": "agg"}), redirect_stdout(StringIO()) as printed:
        runpy.run_path(str(program))
        drawn = pyplot.get_fignums()
        pyplot.close("all")
    assert drawn, "the program draws nothing"
    assert printed.getvalue() or "print(" not in program.read_text(encoding="utf-8")


def test_shell_blocks_call_existing_commands_with_existing_options() -> None:
    calls = 0
    for path in DOCUMENTS:
        for line in "".join(blocks(path, "sh")).splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["exactree"] and words[1] in main.commands:
                options = {name for p in main.commands[words[1]].params for name in p.opts}
                assert {word for word in words if word.startswith("--")} <= options, line
                calls += 1
            else:
                assert words[:1] != ["exactree"] or words[1] == "--version", line
    assert calls > 5


def test_the_api_page_lists_every_package() -> None:
    text = (ROOT / "docs/about/api.md").read_text(encoding="utf-8")
    packages = {name for name in exactree.__all__ if inspect.ismodule(getattr(exactree, name))}
    assert packages
    for name in packages:
        assert f"\n   exactree.{name}\n" in text


def test_the_help_lists_every_exit_code() -> None:
    from exactree.cli.endings import Exit

    text = CliRunner().invoke(main, ["fit", "--help"]).output
    listed = {int(code) for code in re.findall(r"^ +(\d+) {2,}\S", text, re.MULTILINE)}
    assert listed == {code.value for code in Exit}
