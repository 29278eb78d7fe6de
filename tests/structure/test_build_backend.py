"""Without a Rust toolchain, a build from source ends with one error message."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def backend(root: Path) -> ModuleType:
    """Load the build backend from the path in pyproject.toml."""
    pytest.importorskip("maturin")
    spec = importlib.util.spec_from_file_location("rust_first", root / "packaging/rust_first.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_program(folder: Path, name: str, output: str) -> None:
    """Write a shell script that prints one line."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{output}'\n", encoding="utf-8")
    path.chmod(0o755)


def test_without_cargo_both_hooks_for_requirements_exit_with_one_line(
    backend: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for hook in (
        backend.get_requires_for_build_wheel,
        backend.get_requires_for_build_editable,
    ):
        with pytest.raises(SystemExit) as end:
            hook()
        assert end.value.code == 1
        message = capsys.readouterr().err
        assert message.count("\n") == 1
        assert "needs Rust" in message
        assert "`cargo` was not found" in message


def test_an_old_rust_is_named(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_program(tmp_path, "cargo", "cargo 1.50.0")
    write_program(tmp_path, "rustc", "rustc 1.50.0 (some day)")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert "this is Rust 1.50" in backend.missing()


def test_a_new_rust_is_accepted(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_program(tmp_path, "cargo", "cargo 9.0.0")
    write_program(tmp_path, "rustc", "rustc 9.0.0 (some day)")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert backend.missing() is None
    assert backend.needed_version() >= (1, 85)


def test_backend_offers_every_hook_that_maturin_has(backend: ModuleType) -> None:
    """The wrapper must also pass on hooks of later releases of maturin."""
    import maturin

    hooks = [n for n in dir(maturin) if n.startswith(("build_", "get_requires_", "prepare_meta"))]
    assert hooks
    assert set(hooks) <= set(dir(backend)) | {"build_and_import"}
