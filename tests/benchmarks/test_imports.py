"""Imports between the files of `benchmarks` have no cycle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def imported(path: Path) -> set[str]:
    """Return the modules of `benchmarks` that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("benchmarks.")}


def test_imports_have_no_cycle() -> None:
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / "benchmarks").rglob("*.py")
    }
    graph = {name: imported(path) & files.keys() for name, path in files.items()}
    assert "benchmarks.pruning_record" in graph["benchmarks.pruning_report"]
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle
