"""PEP 517 build backend: check for a Rust toolchain, then let maturin do everything."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

# All hooks are those of maturin, except the hooks for requirements, which installers call first:
# without the check there, maturin would download a toolchain or fail in the middle of the build.
import maturin
from maturin import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def needed_version() -> tuple[int, ...]:
    """Return the oldest Rust release that builds exactree, as Cargo.toml states it."""
    root = Path(__file__).resolve().parent.parent
    workspace = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    return tuple(int(part) for part in workspace["package"]["rust-version"].split("."))


def missing() -> str | None:
    """Return a message about a missing or old toolchain, or None."""
    need = needed_version()
    wanted = ".".join(map(str, need))
    advice = f"Building exactree from source needs Rust {wanted} or newer (cargo and rustc)"
    install = "install it with rustup or your system's packages, then try again."
    for command in ("cargo", "rustc"):
        if shutil.which(command) is None:
            return f"{advice}, but `{command}` was not found on PATH: {install}"
    answer = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"rustc (\d+)\.(\d+)", answer.stdout)
    if found is None:
        return f"{advice}, but `rustc --version` failed ({answer.stderr.strip()}): {install}"
    if tuple(map(int, found.groups())) < need[:2]:
        return f"{advice}, but this is Rust {found[1]}.{found[2]}: update it, then try again."
    return None


def _stop_if_missing() -> None:
    if sentence := missing():
        print(sentence, file=sys.stderr)
        raise SystemExit(1)


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """Stop with a message if Rust is missing, else call maturin."""
    _stop_if_missing()
    return list(maturin.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: dict[str, str] | None = None) -> list[str]:
    """Stop with a message if Rust is missing, else call maturin."""
    _stop_if_missing()
    return list(maturin.get_requires_for_build_editable(config_settings))
