"""Imports of the package: each leads to a lower row of the drawing in ARCHITECTURE.md.

A "package" is a folder or a module directly below src/exactree.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "exactree"

# package -> the packages it may import; what these may import is allowed as well.
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "stopping": set(),
    "files": set(),
    "data": {"errors"},
    "datasets": set(),
    "rules": {"data"},
    "trees": {"rules"},
    "objectives": {"data"},
    "proper": {"rules"},
    "problem": {"data", "rules", "trees", "objectives"},
    "spec": {"problem"},
    "engine": {"problem"},
    "description": set(),
    "describe": {"engine", "description"},
    "instances": {"problem", "files"},
    "feature_sets": {"engine"},
    "export": {"trees", "problem"},
    "theory": {"trees"},
    "prune": {"theory", "problem"},
    "distributed": {"engine", "files"},
    "methods": {"spec", "engine"},
    "any_class_limit": {"problem", "stopping"},
    "solve": {"methods", "any_class_limit", "distributed"},
    "fronts": {"solve"},
    "all_optimal": {"solve"},
    "number_of_trees": {"solve"},
    "bound_optimal": {"solve", "theory"},
    "compress": {"solve", "export"},
    "testing": {"solve"},
    "tuning": {"solve"},
    "warm_start": {"solve"},
    "estimators": {
        "number_of_trees",
        "export",
        "bound_optimal",
        "prune",
        "tuning",
        "warm_start",
    },
    "cli": {"estimators", "datasets", "instances", "testing", "describe", "theory"},
    "__main__": {"cli"},
    "__init__": {
        "all_optimal",
        "bound_optimal",
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
    "engine": {"exactree._native"},
    "distributed": {"distributed"},
    "estimators": {"sklearn"},
    "cli": {"click", "rich"},
}

# (package, what it imports only in a function or for types): the reason. Such an import may lead
# upwards.
DEFERRED: dict[tuple[str, str], str] = {
    ("trees", "export"): "str(tree) and tree.to_sklearn() are shorthands for exporters",
    ("trees", "sklearn"): "the types of what to_sklearn() returns",
    ("trees", "scipy"): "decision_path returns scikit-learn's kind of sparse matrix",
    ("export", "matplotlib"): "plot_tree draws with it, and nothing else needs it",
    ("export", "scipy"): "the nearest change below hyperplanes is a linear programme",
    ("export", "sklearn"): "to_sklearn returns its tree",
    ("export", "jinja2"): "the report is a jinja2 template, and nothing else needs it",
    ("export", "markupsafe"): "it says which texts of the report are no names of anybody",
    ("export", "fronts"): "a report searches for the front of its table",
    ("export", "onnx"): "to_onnx returns its models",
    ("export", "treelite"): "to_treelite returns its models",
    ("estimators", "onnx"): "register_onnx writes nodes of its graphs",
    ("estimators", "skl2onnx"): "register_onnx tells it how to convert estimators",
    ("problem", "joblib"): "how many cores there are, for n_jobs=-1 only",
    ("bound_optimal", "matplotlib"): "plot_curve draws with it",
    ("tuning", "matplotlib"): "plot_tuning draws with it",
    ("compress", "sklearn"): "compress also accepts scikit-learn's models",
    ("spec", "proper"): "one method is the paper's own programme, which few ask for",
    ("engine", "joblib"): "fronts run on the user's backend",
    ("prune", "joblib"): "cross-validation runs on the user's backend",
    ("prune", "sklearn"): "its trees are pruned, too, and it grows those of the estimator",
    ("testing", "hypothesis"): "random problems are for tests only",
    ("estimators", "rich"): "verbose=1 shows progress",
    ("instances", "networkx"): "graphs are for three families only",
    ("theory", "networkx"): "a matching of sets is needed for one kind of table only",
    ("cli", "networkx"): "generate reads graphs from files",
    ("cli", "sklearn"): "fit --cart compares with its tree",
}


def package_of(path: Path) -> str:
    """Return the folder or file right below the package that a file belongs to."""
    return path.relative_to(SRC).parts[0].removesuffix(".py").removesuffix(".pyi")


def allowed(package: str) -> set[str]:
    """Return every package that a package may import."""
    reached: set[str] = {"errors", "stopping"}
    ahead = [package]
    while ahead:
        for lower in ARROWS[ahead.pop()] - reached:
            reached.add(lower)
            ahead.append(lower)
    return reached


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Return the dotted names a file imports, and whether not yet when it is loaded."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    deferred = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.FunctionDef | ast.AsyncFunctionDef) or _for_types(block)
        for node in ast.walk(block)
    }
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        late = id(node) in deferred
        if isinstance(node, ast.Import):
            found += [(alias.name, late) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write the whole name of what is imported"
            module = node.module or ""
            whole = module == "exactree"  # then the names are packages
            found += [(f"{module}.{a.name}" if whole else module, late) for a in node.names]
    return found


def _for_types(block: ast.AST) -> bool:
    """Return whether a block is there for type checkers only."""
    return (
        isinstance(block, ast.If)
        and isinstance(block.test, ast.Name)
        and block.test.id == "TYPE_CHECKING"
    )


FILES = sorted(SRC.rglob("*.py"))


def test_imports_point_downwards() -> None:
    upwards = [f"{path.relative_to(SRC)}: {name}" for path in FILES for name in forbidden(path)]
    assert not upwards, f"these may not be imported there: {upwards}"


def forbidden(path: Path) -> Iterator[str]:
    """List what a file imports and may not."""
    package = package_of(path)
    assert package in ARROWS, f"add {package} to ARROWS and to the drawing in ARCHITECTURE.md"
    for name, late in imports(path):
        top, _, rest = name.partition(".")
        if name == "exactree.__version__":
            continue
        if top == "exactree" and name != "exactree._native":
            target = rest.partition(".")[0] or "__init__"
            fine = target == package or target in allowed(package)
        else:
            target = name if name == "exactree._native" else top
            fine = (
                target in OUTSIDE.get(package, set())
                or target == "numpy"
                or target in sys.stdlib_module_names
            )
        if not fine and late:
            fine = (package, target) in DEFERRED
        if not fine:
            yield name


def test_every_package_and_every_exception_exists() -> None:
    """A line of the tables that nothing uses any more has to go."""
    assert set(ARROWS) == {package_of(path) for path in FILES} | {"_native"}
    used = {
        (
            package_of(path),
            name.split(".")[1] if name.startswith("exactree.") else name.split(".")[0],
        )
        for path in FILES
        for name, late in imports(path)
        if late
    }
    assert set(DEFERRED) <= used


def test_specifications_engine_and_estimators_stay_apart() -> None:
    """No specification imports the engine, and only the command and the face know estimators."""
    assert "engine" not in allowed("spec")
    assert "spec" not in allowed("engine")
    above = {package for package in ARROWS if "estimators" in ARROWS[package]}
    assert above == {"cli", "__init__"}


def drawn_rows(document: str) -> list[list[str]]:
    """Return the names in each row of the drawing of packages, from the top."""
    drawing = re.search(r"^## Packages\n.*?^```text\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    assert drawing is not None, "ARCHITECTURE.md draws the packages under the heading Packages"
    rows = [re.findall(r"\w+", line.partition("│")[0]) for line in drawing[1].splitlines()]
    return [row for row in rows if row]


def upward(rows: list[list[str]]) -> list[str]:
    """Return the imports that do not lead to a lower row; a package in no row fails."""
    row_of = {package: number for number, row in enumerate(rows) for package in row}
    arrows = {(package, lower) for package, below in ARROWS.items() for lower in below}
    for path in FILES:
        for name, late in imports(path):
            top, _, rest = name.partition(".")
            pair = package_of(path), rest.partition(".")[0]
            if top == "exactree" and pair[1] in ARROWS and not (late and pair in DEFERRED):
                arrows.add(pair)
    return [
        f"{package} -> {lower}"
        for package, lower in sorted(arrows)
        if package != lower and row_of[package] >= row_of[lower]
    ]


def test_the_drawing_of_the_architecture_shows_every_package_once() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert sorted(package for row in rows for package in row) == sorted(ARROWS)


def test_every_import_leads_to_a_lower_row_of_the_drawing() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert upward(rows) == []


def test_imports_within_a_row_and_upwards_are_noticed() -> None:
    rows = drawn_rows((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    row_of = {package: row for row in rows for package in row}
    row_of["trees"].remove("trees")
    row_of["rules"].append("trees")
    assert "trees -> rules" in upward(rows)
    rows.reverse()
    assert "cli -> estimators" in upward(rows)
