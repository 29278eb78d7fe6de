"""Who may import whom: every import in src points downwards."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src" / "exactree"

# room -> the rooms it may import. An arrow also reaches what lies below its end.
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

# room -> what it may import from outside when it is loaded. numpy is allowed everywhere.
OUTSIDE: dict[str, set[str]] = {
    "data": {"narwhals"},
    "datasets": {"narwhals"},
    "engine": {"exactree._native"},
    "distributed": {"distributed"},
    "estimators": {"sklearn"},
    "cli": {"click", "rich"},
}

# (room, what it imports only in a function or for types): why it may.
DEFERRED: dict[tuple[str, str], str] = {
    ("trees", "export"): "str(tree) and tree.to_sklearn() are shorthands for exporters",
    ("trees", "sklearn"): "the types of what to_sklearn() returns",
    ("trees", "scipy"): "decision_path returns scikit-learn's kind of sparse matrix",
    ("export", "matplotlib"): "plot_tree draws with it, and nothing else needs it",
    ("export", "scipy"): "the nearest change below hyperplanes is a linear programme",
    ("export", "sklearn"): "to_sklearn returns its tree",
    ("export", "jinja2"): "the report is a page with holes, and nothing else needs it",
    ("export", "markupsafe"): "it says which texts of the report are no names of anybody",
    ("export", "fronts"): "a report searches for the front of its table",
    ("export", "onnx"): "to_onnx returns its models",
    ("export", "treelite"): "to_treelite returns its models",
    ("estimators", "onnx"): "register_onnx writes nodes of its graphs",
    ("estimators", "skl2onnx"): "register_onnx tells it how to convert estimators",
    ("problem", "joblib"): "how many cores there are, for n_jobs=-1 only",
    ("bound_optimal", "matplotlib"): "plot_curve draws with it",
    ("tuning", "matplotlib"): "plot_tuning draws with it",
    ("compress", "sklearn"): "its models are taken, too",
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


def room_of(path: Path) -> str:
    """Return the folder or file right below the package that a file belongs to."""
    return path.relative_to(SRC).parts[0].removesuffix(".py").removesuffix(".pyi")


def allowed(room: str) -> set[str]:
    """Return every room that can be reached downwards from a room."""
    reached: set[str] = {"errors", "stopping"}
    ahead = [room]
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
            whole = module == "exactree"  # then the names are rooms
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
    room = room_of(path)
    assert room in ARROWS, f"give {room} its arrows, and a place in ARCHITECTURE.md"
    for name, late in imports(path):
        top, _, rest = name.partition(".")
        if name == "exactree.__version__":
            continue
        if top == "exactree" and name != "exactree._native":
            target = rest.partition(".")[0] or "__init__"
            fine = target == room or target in allowed(room)
        else:
            target = name if name == "exactree._native" else top
            fine = (
                target in OUTSIDE.get(room, set())
                or target == "numpy"
                or target in sys.stdlib_module_names
            )
        if not fine and late:
            fine = (room, target) in DEFERRED
        if not fine:
            yield name


def test_every_room_and_every_exception_exists() -> None:
    """A line of the tables that nothing uses any more is removed."""
    rooms = {room_of(path) for path in FILES} | {"_native"}
    assert set(ARROWS) == rooms
    used = {
        (room_of(path), name.split(".")[1] if name.startswith("exactree.") else name.split(".")[0])
        for path in FILES
        for name, late in imports(path)
        if late
    }
    assert set(DEFERRED) <= used


def test_rooms_named_in_the_design_stay_apart() -> None:
    """The specification never runs the engine, and only two rooms know the estimators."""
    assert "engine" not in allowed("spec")
    assert "spec" not in allowed("engine")
    assert {room for room in ARROWS if "estimators" in ARROWS[room]} == {"cli", "__init__"}
