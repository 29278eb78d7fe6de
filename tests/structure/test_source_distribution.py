"""The source distribution has all files of the project, except for a few that are listed."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

# Files and folders that the distribution does not have, and the reasons.
LEFT_OUT = {
    ".ci/": "runs after a push only",
    ".github/": "runs after a push only",
    ".gitignore": "the distribution is not a repository",
    ".pre-commit-config.yaml": "the distribution is not a repository",
    "deny.toml": "only for developers",
    "rust-toolchain.toml": "every Rust that is new enough builds the package",
    "rustfmt.toml": "only for developers",
}
# Files that maturin adds.
ADDED = {"PKG-INFO"}
# Made by `make wasm`, and distributed if it is there.
MADE = "src/exactree/export/page/checker.wasm"


def project_files(root: Path) -> set[str]:
    """Return the files of the checkout that git tracks or does not ignore."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if result.returncode or not (root / ".git").exists():
        pytest.skip("this is not a checkout of git")
    return {name for name in result.stdout.split("\0") if name and (root / name).exists()}


def distributed_files(root: Path, folder: Path) -> set[str]:
    """Return the files of the source distribution that maturin makes from the checkout."""
    pytest.importorskip("maturin")
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed; maturin needs it to list the files of the crates")
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(folder)]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        return {member.name.partition("/")[2] for member in opened if member.isfile()}


def test_the_source_distribution_lacks_only_the_listed_files(root: Path, tmp_path: Path) -> None:
    files = project_files(root)
    left_out = {name: {file for file in files if file.startswith(name)} for name in LEFT_OUT}
    assert all(left_out.values())
    distributed = distributed_files(root, tmp_path)
    assert files - distributed == set().union(*left_out.values())
    made = {MADE} if (root / MADE).exists() else set()
    assert distributed - files == ADDED | made
