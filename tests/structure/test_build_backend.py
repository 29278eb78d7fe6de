"""Without a Rust toolchain, a build from source ends with one error message."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def backend(root: Path) -> ModuleType:
    """Load the build backend from where pyproject.toml says it is."""
    pytest.importorskip("maturin")
    spec = importlib.util.spec_from_file_location("rust_first", root / "packaging/rust_first.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(folder: Path, name: str, prints: str) -> None:
    """Write a small program that prints one line."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{prints}'\n", encoding="utf-8")
    path.chmod(0o755)


def test_no_cargo(
    backend: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for question in (
        backend.get_requires_for_build_wheel,
        backend.get_requires_for_build_editable,
    ):
        with pytest.raises(SystemExit) as end:
            question()
        assert end.value.code == 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "needs Rust" in said
        assert "`cargo` was not found" in said


def test_rust_too_old(backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "cargo", "cargo 1.50.0")
    program(tmp_path, "rustc", "rustc 1.50.0 (some day)")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert "this is Rust 1.50" in backend.missing()


def test_rust_new_enough(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "cargo", "cargo 9.0.0")
    program(tmp_path, "rustc", "rustc 9.0.0 (some day)")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert backend.missing() is None
    assert backend.needed_version() >= (1, 85)


def test_backend_offers_every_hook_that_maturin_has(backend: ModuleType) -> None:
    """A hook that maturin gains later is not lost in the wrapper."""
    import maturin

    hooks = [n for n in dir(maturin) if n.startswith(("build_", "get_requires_", "prepare_meta"))]
    assert hooks
    assert set(hooks) <= set(dir(backend)) | {"build_and_import"}
