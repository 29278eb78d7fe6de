"""`import exactree` is fast: modules that load slowly are imported when they are used."""

import json
import subprocess
import sys

HEAVY = {
    "dask", "exactree.cli", "exactree.datasets", "exactree.estimators", "exactree.instances",
    "exactree.proper", "exactree.theory",
    "joblib", "matplotlib", "networkx",
    "pandas", "polars", "pyarrow", "rich", "click", "scipy", "sklearn",
}  # fmt: skip


def loaded_after(code: str) -> set[str]:
    """Return the modules that a new Python process has loaded after running some code."""
    program = f"{code}\nimport json, sys; print(json.dumps(list(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(answer.stdout.splitlines()[-1]))


def heavy(modules: set[str]) -> set[str]:
    """Return the modules that are in HEAVY, or in a package in HEAVY."""
    return {m for m in modules if any(m == h or m.startswith(h + ".") for h in HEAVY)}


def test_import_loads_nothing_heavy() -> None:
    assert heavy(loaded_after("import exactree")) == set()


def test_solving_an_array_loads_nothing_heavy() -> None:
    code = (
        "import numpy as np, exactree as xt\n"
        "problem = xt.Problem(np.array([[0.0], [1.0]]), [0, 1], limits=xt.Limits(max_depth=1))\n"
        "assert xt.solve(problem).cost == 0"
    )
    assert heavy(loaded_after(code)) == set()


def test_an_estimator_loads_scikit_learn() -> None:
    """The control of the tests above: they would find a heavy module."""
    modules = loaded_after("import exactree; exactree.OptimalTreeClassifier")
    assert {"exactree.estimators", "sklearn.base"} <= heavy(modules)
    assert "matplotlib" not in modules  # scikit-learn itself may load pandas


def test_every_public_name_can_be_imported() -> None:
    import exactree

    for name in exactree.__all__:
        assert getattr(exactree, name) is not None
    assert set(exactree.__all__) <= set(dir(exactree))
