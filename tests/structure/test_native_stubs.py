"""The stubs of the native module agree with the built module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_stubs_agree_with_the_built_module(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("exactree._native", reason="the native module is not built")
    # Only names and kinds of parameters are compared: types of other modules would take longer.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nfollow_imports = skip\n", encoding="utf-8")
    answer = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "exactree._native", "--mypy-config-file", config],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "MYPY_CACHE_DIR": str(tmp_path)},
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
