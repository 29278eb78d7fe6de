"""packaging/wasm.py: which compiler makes the checker of reports, and what it says without any."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "wasm.py"
MODULE: dict[str, Any] = runpy.run_path(str(SCRIPT), run_name="wasm")


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the names of the script; its functions see changes of the dictionary."""
    found: dict[str, Any] = MODULE["compiler_for_pages"].__globals__
    monkeypatch.setitem(found, "compilers", lambda: iter(("first", "second")))
    return found


@pytest.mark.parametrize(
    ("able", "chosen"), [(("first", "second"), "first"), (("second",), "second"), ((), None)]
)
def test_the_first_compiler_with_the_target_is_taken(
    module: dict[str, Any], monkeypatch: pytest.MonkeyPatch, able: tuple[str, ...], chosen: object
) -> None:
    monkeypatch.setitem(module, "has_target", lambda name: name in able)
    monkeypatch.setattr(module["shutil"], "which", lambda name, path=None: None)
    assert module["compiler_for_pages"]() == chosen


def test_rustup_adds_the_target_if_no_compiler_has_it(
    module: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[list[str]] = []
    monkeypatch.setitem(module, "has_target", lambda name: bool(added) and name == "first")
    monkeypatch.setattr(module["shutil"], "which", lambda name, path=None: name)
    monkeypatch.setattr(module["subprocess"], "run", lambda words, **_: added.append(words))
    assert module["compiler_for_pages"]() == "first"
    assert added == [["rustup", "target", "add", "wasm32-unknown-unknown"]]


def test_a_compiler_without_the_target_is_found_out(tmp_path: Path) -> None:
    assert not MODULE["has_target"](sys.executable)


@pytest.mark.long
def test_the_checker_is_compiled(tmp_path: Path) -> None:
    compiler = next(filter(MODULE["has_target"], MODULE["compilers"]()), None)
    if compiler is None:
        pytest.skip("no compiler has the target")
    made = tmp_path / "checker.wasm"
    MODULE["compile_checker"](compiler, made)
    assert made.read_bytes().startswith(b"\0asm")


def test_the_command_describes_its_option() -> None:
    command = [sys.executable, str(SCRIPT), "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "--if-possible" in shown
