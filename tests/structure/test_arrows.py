"""Imports of the package: each leads to a lower row of the drawing in ARCHITECTURE.md.

A "package" is a folder or a module directly below src/exactree. A deferred import is inside a
function, or for type checkers only.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "exactree"

# package -> the packages that it may import; it may import also what these may import.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "stopping": set(),
    "names": set(),
    "notebook": set(),
    "files": set(),
    "data": {"errors"},
    "datasets": set(),
    "rules": {"data"},
    "trees": {"rules"},
    "objectives": {"data"},
    "proper": {"rules"},
    "problem": {"data", "names", "notebook", "rules", "trees", "objectives"},
    "spec": {"problem"},
    "engine": {"problem"},
    "description": {"notebook"},
    "describe": {"engine", "description"},
    "instances": {"problem", "files"},
    "feature_sets": {"engine"},
    "export": {"trees", "certificates"},
    "progress": {"problem"},
    "theory": {"trees"},
    "prune": {"theory", "problem"},
    "distributed": {"engine", "files"},
    "methods": {"spec", "engine"},
    "any_class_limit": {"problem", "stopping"},
    "search_options": {"problem", "files"},
    "verified_outcome": {"methods"},
    "search_on_workers": {"methods", "distributed"},
    "solve": {
        "any_class_limit",
        "progress",
        "search_on_workers",
        "search_options",
        "verified_outcome",
    },
    "front_searches": {"solve"},
    "fronts": {"front_searches"},
    "all_optimal": {"solve"},
    "number_of_trees": {"solve"},
    "bound_optimal": {"solve", "theory", "export"},
    "compress": {"solve", "export"},
    "testing": {"solve"},
    "tuning": {"solve", "export"},
    "warm_start": {"solve"},
    "certificates": {"problem", "files"},
    "certified_bound": {"certificates", "solve"},
    "certified_front": {"certified_bound"},
    "estimators": {
        "number_of_trees",
        "export",
        "bound_optimal",
        "prune",
        "tuning",
        "warm_start",
    },
    "cli": {
        "all_optimal",
        "certified_bound",
        "compress",
        "datasets",
        "describe",
        "fronts",
        "instances",
        "prune",
        "testing",
        "theory",
        "tuning",
    },
    "__main__": {"cli"},
    "__init__": {
        "all_optimal",
        "bound_optimal",
        "certified_front",
        "compress",
        "estimators",
        "datasets",
        "describe",
        "feature_sets",
        "fronts",
        "instances",
        "proper",
        "prune",
        "theory",
        "tuning",
    },
    "_native": set(),
}

# package -> libraries that it may import when it is loaded. numpy is allowed everywhere.
OUTSIDE: dict[str, set[str]] = {
    "data": {"narwhals"},
    "datasets": {"narwhals"},
    "certificates": {"exactree._native"},
    "engine": {"exactree._native"},
    "distributed": {"distributed"},
    "estimators": {"sklearn"},
    "cli": {"click", "rich"},
}

# (package, deferred import): the reason. A deferred import may lead upwards.
DEFERRED: dict[tuple[str, str], str] = {
    ("trees", "export"): "str(tree), tree.explain() and tree.to_sklearn() call exporters",
    ("trees", "sklearn"): "the return types of tree.to_sklearn() and ensemble.to_sklearn()",
    ("trees", "scipy"): "decision_path returns a sparse matrix, as in scikit-learn",
    ("export", "matplotlib"): "only the functions plot_* draw with matplotlib",
    ("export", "scipy"): "only changes below hyperplanes are found by a linear programme",
    ("export", "sklearn"): "only to_sklearn and comparisons with CART need scikit-learn's trees",
    ("export", "narwhals"): "explain makes a row with names for the steps of a pipeline",
    ("export", "jinja2"): "only the report is a template of jinja2",
    ("export", "markupsafe"): "only the report marks text that needs no escaping",
    ("export", "fronts"): "the report searches for a front, by a package above export",
    ("export", "onnx"): "only to_onnx makes ONNX models",
    ("export", "treelite"): "only to_treelite makes models of treelite",
    ("names", "problem"): "the answer to an unknown parameter reads those of Problem and Limits",
    ("names", "solve"): "the answer to an unknown parameter reads those of solve",
    ("estimators", "onnx"): "only register_onnx makes nodes of ONNX graphs",
    ("estimators", "skl2onnx"): "only register_onnx registers converters of estimators",
    ("problem", "joblib"): "only n_jobs=-1 needs the number of cores",
    ("bound_optimal", "matplotlib"): "only plot_curve draws with matplotlib",
    ("tuning", "matplotlib"): "only plot_tuning draws with matplotlib",
    ("compress", "sklearn"): "only scikit-learn's models are checked by scikit-learn",
    ("spec", "proper"): "only the specification of the method proper runs the framework of 004",
    ("engine", "joblib"): "only the searches of a front run in parallel by joblib",
    ("engine", "scipy"): "only the local search for surfaces solves linear programmes",
    ("engine", "sklearn"): "only the local search for surfaces fits logistic regressions",
    ("prune", "joblib"): "only cross-validation runs in parallel by joblib",
    ("prune", "sklearn"): "scikit-learn grows the greedy trees, and its trees can be pruned",
    ("testing", "hypothesis"): "only strategies need hypothesis, which users may not have",
    ("progress", "rich"): "only verbose=1 shows progress",
    ("progress", "IPython"): "only a notebook shows progress in an output of a cell",
    ("instances", "networkx"): "only three families are made from graphs",
    ("theory", "networkx"): "only the tables of one shape need a matching of sets",
    ("cli", "estimators"): "only tune and smoothed trees in ONNX need scikit-learn",
    ("cli", "charset_normalizer"): "only tables that are not in UTF-8 need a detected encoding",
    ("cli", "matplotlib"): "only pictures need it, and it is optional",
    ("cli", "pyarrow"): "only files of Parquet and Arrow need it, and it is optional",
    ("cli", "networkx"): "only generate reads graphs",
}


def package_of(path: Path) -> str:
    """Return the folder or module directly below src/exactree that contains a file."""
    return path.relative_to(SRC).parts[0].removesuffix(".py").removesuffix(".pyi")


def allowed(package: str) -> set[str]:
    """Return every package that a package may import, directly or because a lower one may."""
    reached: set[str] = {"errors", "stopping"}  # every package may import these
    remaining = [package]
    while remaining:
        for lower in ARROWS[remaining.pop()] - reached:
            reached.add(lower)
            remaining.append(lower)
    return reached


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Return the dotted names that a file imports, each with whether the import is deferred."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    deferred_nodes = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.FunctionDef | ast.AsyncFunctionDef) or _for_types(block)
        for node in ast.walk(block)
    }
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        deferred = id(node) in deferred_nodes
        if isinstance(node, ast.Import):
            found += [(alias.name, deferred) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import: write the absolute name"
            module = node.module or ""
            if module == "exactree":  # the imported names are packages
                found += [(f"exactree.{alias.name}", deferred) for alias in node.names]
            else:
                found.append((module, deferred))
    return found


def _for_types(block: ast.AST) -> bool:
    """Return whether a block is `if TYPE_CHECKING:`."""
    return (
        isinstance(block, ast.If)
        and isinstance(block.test, ast.Name)
        and block.test.id == "TYPE_CHECKING"
    )


FILES = sorted(SRC.rglob("*.py"))


def test_every_import_is_in_the_tables() -> None:
    found = [f"{path.relative_to(SRC)}: {name}" for path in FILES for name in forbidden(path)]
    assert not found, f"forbidden imports: {found}"


def forbidden(path: Path) -> Iterator[str]:
    """List the imports of a file that no table allows."""
    package = package_of(path)
    assert package in ARROWS, f"add {package} to ARROWS and to the drawing in ARCHITECTURE.md"
    for name, deferred in imports(path):
        top, _, rest = name.partition(".")
        if name == "exactree.__version__":
            continue
        if top == "exactree" and name != "exactree._native":
            target = rest.partition(".")[0] or "__init__"
            is_allowed = target == package or target in allowed(package)
        else:
            target = name if name == "exactree._native" else top
            is_allowed = (
                target in OUTSIDE.get(package, set())
                or target == "numpy"
                or target in sys.stdlib_module_names
            )
        if not is_allowed and not (deferred and (package, target) in DEFERRED):
            yield name


def test_every_entry_of_the_tables_is_used() -> None:
    assert set(ARROWS) == {package_of(path) for path in FILES} | {"_native"}
    deferred_imports = {
        (package_of(path), name.removeprefix("exactree.").partition(".")[0])
        for path in FILES
        for name, deferred in imports(path)
        if deferred
    }
    assert set(DEFERRED) <= deferred_imports


def test_specifications_engine_and_estimators_stay_apart() -> None:
    """Specifications and engine may not import each other; only two packages import estimators."""
    assert "engine" not in allowed("spec")
    assert "spec" not in allowed("engine")
    importers = {package for package in ARROWS if "estimators" in ARROWS[package]}
    importers |= {package for package, target in DEFERRED if target == "estimators"}
    assert importers == {"cli", "__init__"}


def drawn_rows(document: str) -> list[list[str]]:
    """Return the names in each row of the drawing of packages, from the top."""
    drawing = re.search(r"^## Packages\n.*?^```text\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    assert drawing is not None, "ARCHITECTURE.md draws the packages under the heading Packages"
    rows = [re.findall(r"\w+", line.partition("│")[0]) for line in drawing[1].splitlines()]
    return [row for row in rows if row]


def upward(rows: list[list[str]]) -> list[str]:
    """Return the allowed and the actual imports that do not lead to a lower row.

    Every package must be in a row.
    """
    row_of = {package: number for number, row in enumerate(rows) for package in row}
    arrows = {(package, target) for package, targets in ARROWS.items() for target in targets}
    for path in FILES:
        for name, deferred in imports(path):
            top, _, rest = name.partition(".")
            arrow = package_of(path), rest.partition(".")[0]
            if top == "exactree" and arrow[1] in ARROWS and not (deferred and arrow in DEFERRED):
                arrows.add(arrow)
    return [
        f"{package} -> {target}"
        for package, target in sorted(arrows)
        if package != target and row_of[package] >= row_of[target]
    ]


def test_the_drawing_of_the_architecture_shows_every_package_once() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert sorted(package for row in rows for package in row) == sorted(ARROWS)


def test_every_import_leads_to_a_lower_row_of_the_drawing() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert upward(rows) == []


def test_imports_within_a_row_and_upwards_are_found() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    row_of = {package: row for row in rows for package in row}
    row_of["trees"].remove("trees")
    row_of["rules"].append("trees")
    assert "trees -> rules" in upward(rows)
    rows.reverse()
    assert "cli -> tuning" in upward(rows)
