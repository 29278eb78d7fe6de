"""The source distribution suffices to build, test, document and benchmark exactree."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

# What it leaves out, and why it can.
LEFT_OUT = {
    ".ci/run": "what runs after a push",
    ".github/workflows/wheels.yml": "what runs after a push",
    ".gitignore": "there is no repository",
    "rust-toolchain.toml": "any Rust that is new enough builds it",
    "rustfmt.toml": "for those who change it",
}
ALL_WRITTEN = {"PKG-INFO"}


def project(root: Path) -> set[str]:
    """Return the files of the checkout that are committed or could be."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if answer.returncode or not (root / ".git").exists():
        pytest.skip("this is no checkout of git")
    return {name for name in answer.stdout.split("\0") if name and (root / name).exists()}


def distributed(root: Path, folder: Path) -> set[str]:
    """Return the files of the source distribution that maturin makes of the checkout."""
    pytest.importorskip("maturin")
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed, which maturin asks what belongs to the crates")
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(folder)]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        return {member.name.partition("/")[2] for member in opened if member.isfile()}


def test_nothing_is_missing_from_the_source_distribution(root: Path, tmp_path: Path) -> None:
    files = project(root)
    assert set(LEFT_OUT) <= files
    found = distributed(root, tmp_path)
    assert files - found == set(LEFT_OUT)
    assert found - files == ALL_WRITTEN
