"""The import path of the folder `benchmarks`, and a fixture that runs its commands."""

import importlib
import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs `python -m benchmarks`, with or without a data folder.

    The command runs in this process, because a new process would import every library again,
    which takes seconds.
    """

    def call(
        *arguments: str, data: Path | None, module: str = "benchmarks.__main__"
    ) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(ROOT)
        if data is None:
            monkeypatch.delenv("EXACTREE_DATA", raising=False)
        else:
            monkeypatch.setenv("EXACTREE_DATA", str(data))
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = importlib.import_module(module).main(list(arguments))
            except SystemExit as exit_error:  # raised by argparse for wrong arguments
                code = exit_error.code
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    return call
