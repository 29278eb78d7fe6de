"""Let these tests import the folder `benchmarks`, and run its command as a user does."""

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
    """Run `python -m benchmarks` with arguments, with or without a data folder.

    It runs in this process: a new one would import every library again, which takes seconds.
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
            except SystemExit as ended:  # argparse refuses
                code = ended.code
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    return call
