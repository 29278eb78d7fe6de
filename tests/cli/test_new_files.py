"""No command overwrites its input or leaves an incomplete file; errors name the file."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from exactree import fronts
from exactree.cli import main
from exactree.cli.new_file import Command, NewFile
from exactree.problem import Outcome, Status

from .conftest import Run


def commands(group: click.Group = main) -> Iterator[click.Command]:
    """Yield all commands, without groups."""
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from commands(command)
        else:
            yield command


@pytest.mark.parametrize("command", list(commands()), ids=lambda c: c.name)
def test_every_command_that_writes_compares_its_files(command: click.Command) -> None:
    """`Command` refuses options that name the same file."""
    if any(isinstance(parameter.type, NewFile) for parameter in command.params):
        assert isinstance(command, Command)


@pytest.mark.parametrize(
    "words",
    [
        "fit fruit.csv --target kind -o fruit.csv",
        "fit fruit.csv --target kind -o ./fruit.csv",
        "fit fruit.csv --target kind -o new.svg --plot new.svg",
        "fit fruit.csv --target kind -o new.json --resume new.json",
        "fit fruit.csv --target kind --incumbent fitted.json -o fitted.json",
        "predict fitted.json fruit.csv -o fruit.csv",
        "predict fitted.json fruit.csv -o fitted.json",
        "prune fitted.json fruit.csv -o fitted.json",
        "report fitted.html fruit.csv -o fitted.html",
        "generate hitting-set sets.txt -o sets.txt",
    ],
)
def test_two_names_of_one_file_are_refused(run: Run, model: Path, fruit: Path, words: str) -> None:
    for name in ("sets.txt", "fitted.html"):
        Path(name).write_text("a b\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    result = run(*words.split())
    assert result.exit_code == 2
    assert "name the same file" in result.output
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_hard_link_to_the_table_is_refused_as_output(run: Run, fruit: Path) -> None:
    try:
        os.link(fruit, "other.csv")
    except OSError:
        pytest.skip("hard links cannot be made here")
    result = run("fit", fruit, "--target", "kind", "-o", "other.csv")
    assert (result.exit_code, "TABLE and --output name the same file" in result.output) == (2, True)


def test_a_symbolic_link_is_refused_as_output(run: Run, fruit: Path) -> None:
    Path("good.json").write_text("good", encoding="utf-8")
    try:
        Path("model.json").symlink_to("good.json")
    except OSError:
        pytest.skip("links cannot be made here")
    result = run("fit", fruit, "--target", "kind", "-o", "model.json")
    assert result.exit_code == 2
    assert "symbolic link" in result.output
    assert Path("good.json").read_text(encoding="utf-8") == "good"


def test_a_full_disk_leaves_the_old_model(model: Path, fruit: Path, tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk."""
    pytest.importorskip("resource", reason="there are no limits on resources here")
    before = model.read_bytes()
    program = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from exactree.cli import main\n"
        "main()\n"
    )
    words = ["fit", str(fruit), "--target", "kind", "--max-depth", "1", "-o", str(model)]
    command = [sys.executable, "-c", program, *words]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 1
    assert f"{model} cannot be used: File too large" in result.stderr
    assert model.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fitted.json", "fruit.csv"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no read-only folder here")
@pytest.mark.parametrize("option", ["--output", "--resume"])
def test_a_folder_without_write_permission_is_refused_before_the_search(
    run: Run, fruit: Path, option: str
) -> None:
    result = run("fit", fruit, "--target", "kind", option, "/proc/new.json")
    assert result.exit_code == 2
    assert "cannot be written" in result.output


def test_a_checkpoint_that_cannot_be_written_is_reported(
    run: Run, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exactree.distributed import scheduler

    def full(path: Path, *_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(scheduler, "write_checkpoint", full)
    result = run("fit", fruit, "--target", "kind", "--max-depth", 3, "--resume", "run.json")
    assert result.exit_code == 0
    assert "--resume was not written: run.json: No space left on device." in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_an_error_of_standard_output_is_reported(model: Path, fruit: Path) -> None:
    """The `OSError` has no file name; the message must not say "None cannot be used"."""
    command = [sys.executable, "-m", "exactree", "predict", str(model), str(fruit), "--quiet"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode != 0
    assert "None" not in result.stderr
    assert "No space left on device" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes end otherwise here")
def test_a_closed_pipe_is_not_reported_as_an_error_of_a_file(model: Path) -> None:
    command = f"{sys.executable} -m exactree show {model} --format json | true"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "cannot be used" not in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("raises_keyboard_interrupt", [True, False])
def test_ctrl_c_during_a_report_leaves_no_page(
    run: Run,
    model: Path,
    fruit: Path,
    monkeypatch: pytest.MonkeyPatch,
    raises_keyboard_interrupt: bool,
) -> None:
    """Ctrl-C during the search for the front raises, or the search returns a stopped outcome."""
    pytest.importorskip("jinja2")

    def interrupted(*_: object, **__: object) -> list[Outcome]:
        if raises_keyboard_interrupt:
            signal.raise_signal(signal.SIGINT)
        return [Outcome(Status.STOPPED, None, (0, 0), None, stopped_by="interrupt")]

    monkeypatch.setattr(fronts, "pareto_front", interrupted)
    result = run("report", model, fruit, "-o", "page.html")
    assert (result.exit_code, "interrupted." in result.output) == (130, True)
    assert not Path("page.html").exists()
