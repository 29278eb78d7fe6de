"""Install a wheel or a source distribution in a fresh environment, and test it there.

``python packaging/try_it.py FILE`` takes a file or a folder that holds one; ``--tests`` also runs
some of the tests that a source distribution contains.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

# First steps of a user without the command line: import, proof, both kinds of instructions.
TRIED = """
import exactree as xt
from exactree.engine import branch_and_bound

raisins = xt.datasets.load_raisin()
model = xt.OptimalTreeClassifier(max_depth=3).fit(raisins.X, raisins.y)
assert model.outcome_.cost == model.outcome_.lower_bound == 76, model.outcome_
problem = xt.Problem(raisins.X, raisins.y, limits=xt.Limits(max_depth=2))
for wide in (True, False):
    assert branch_and_bound(problem, switches={"wide_lanes": wide}).cost == 91
print(f"exactree {xt.__version__} from {xt.__file__}: {model.outcome_}")
"""
# Made by `make wasm`; a wheel or a source distribution has it if this checkout has it.
CHECKER = Path("export", "page", "checker.wasm")
FOUND_CHECKER = """
import sys, exactree, pathlib
found = pathlib.Path(exactree.__path__[0], sys.argv[1]).exists()
assert str(found) == sys.argv[2], f"{sys.argv[1]} is installed: {found}"
"""
TESTS = ("tests/test_solve.py", "tests/data", "tests/trees", "tests/engine/test_two_threads.py")
NEEDED_BY_TESTS = ("hypothesis", "pandas", "polars", "pyarrow", "pytest")


def built(place: Path) -> Path:
    """Return the newest wheel or source distribution of a folder, or the file itself."""
    if place.is_file():
        return place.resolve()
    found = [*place.glob("exactree-*.whl"), *place.glob("exactree-*.tar.gz")]
    if not found:
        raise SystemExit(f"{place} holds no wheel and no source distribution of exactree.")
    return max(found, key=lambda path: path.stat().st_mtime).resolve()


def run(*words: str | Path, folder: Path) -> None:
    """Run a command in a folder from which this checkout cannot be imported."""
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    print("$", *words[:1], *(word for word in words[1:] if "\n" not in str(word)), flush=True)
    subprocess.run(list(map(str, words)), cwd=folder, env=alone, check=True)


def try_it(file: Path, tests: bool) -> None:
    """Install a file into a fresh environment, and use it as a user would."""
    with tempfile.TemporaryDirectory(prefix="exactree-") as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = programs / "python"
        run(python, "-m", "pip", "install", "--quiet", file, folder=folder)
        run(python, "-c", TRIED, folder=folder)
        has_checker = Path(__file__).parents[1].joinpath("src", "exactree", CHECKER).exists()
        run(python, "-c", FOUND_CHECKER, CHECKER, str(has_checker), folder=folder)
        command = programs / "exactree"
        table = "import exactree.datasets as d; print(d.__path__[0] + '/raisin.csv')"
        raisin = subprocess.check_output([python, "-c", table], cwd=folder, text=True).strip()
        fit = ("fit", raisin, "--target", "Class", "--max-depth", "2", "-o", "model.json")
        run(command, *fit, folder=folder)
        run(command, "predict", "model.json", raisin, "-o", "predictions.csv", folder=folder)
        if tests:
            with tarfile.open(file) as archive:
                archive.extractall(folder, filter="data")
            (source,) = folder.glob("exactree-*")
            (source / "src").rename(source / "not-the-installed-one")
            run(python, "-m", "pip", "install", "--quiet", *NEEDED_BY_TESTS, folder=folder)
            run(python, "-m", "pytest", "-q", *TESTS, folder=source)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the wheel or source distribution, or its folder")
    parser.add_argument("--tests", action="store_true", help="run some of its tests")
    options = parser.parse_args()
    tried = built(options.file)
    try_it(tried, options.tests)
    print(f"It works: {tried.name}, {tried.stat().st_size / 1e6:.1f} MB.", file=sys.stderr)
