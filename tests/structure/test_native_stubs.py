"""The stubs of the native module agree with the built module."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_stubs_agree_with_the_built_module(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("exactree._native", reason="the native module is not built")
    answer = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "exactree._native"],
        capture_output=True,
        text=True,
        cwd=root,
        env={**_environment(), "MYPY_CACHE_DIR": str(tmp_path)},
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)
