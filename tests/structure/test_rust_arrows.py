"""Imports of the search crate: no two files import each other, directly or in a circle.

A file imports what its `use` lines and its paths name; `mod` lines and re-exports of a folder's own
files do not count. Tests may import what they test.
"""

import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CRATE = Path(__file__).resolve().parents[2] / "crates" / "search" / "src"

# A file by the modules that lead to it.
Module = tuple[str, ...]

# Folders -> the folders that they may import; `support` and `kernels` are allowed everywhere.
LAYERS: dict[str, set[str]] = {
    "support": set(),
    "kernels": set(),
    "engine": set(),
    "feature_sets": set(),
    "costs": {"engine"},
    "spaces": {"engine", "costs"},
    "constraints": {"engine", "costs", "spaces"},
    "papers": {"engine", "spaces", "feature_sets"},
    "minimum_size": {"engine", "spaces", "papers"},
    "enumeration": {"engine", "costs", "spaces", "minimum_size"},
    "ensembles": {"engine", "spaces", "minimum_size", "enumeration", "papers"},
    "certificates": {"engine", "costs", "spaces"},
}

_PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")
_USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)


@cache
def files() -> dict[Module, Path]:
    """Return all files of the crate by module, without those of tests."""
    found = {}
    for path in sorted(CRATE.rglob("*.rs")):
        parts = path.relative_to(CRATE).with_suffix("").parts
        module = () if parts == ("lib",) else parts[:-1] if parts[-1] == "mod" else parts
        if "differential" not in module and "mutants" not in module[1:]:
            found[module] = path
    return found


def code_of(path: Path) -> str:
    """Return the text of a file without comments and without its tests."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return re.split(r"#\[cfg\(test\)\]\s*(?:pub\([^)]*\)\s*)?mod \w+ \{", text)[0]


def names_of(tree: str) -> Iterator[list[str]]:
    """List the paths that a use tree names."""
    opened = tree.find("{")
    if opened < 0:
        yield [name for name in re.sub(r"\s+as\s+\w+", "", tree).strip().split("::") if name]
        return
    head = [name for name in tree[:opened].strip().split("::") if name]
    depth, item = 0, ""
    for letter in tree[opened + 1 : tree.rindex("}")] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if item.strip():
                yield from (head + names for names in names_of(item))
            item = ""
        else:
            item += letter


def module_of(names: list[str], importer: Module) -> Module | None:
    """Return the file that a path leads to, None for another crate."""
    base = list(importer)
    if names[0] == "crate":
        base, names = [], names[1:]
    elif names[0] in ("super", "self"):
        while names and names[0] == "super":
            base, names = base[:-1], names[1:]
        names = names[names[:1] == ["self"] :]
    elif (*importer, names[0]) not in files():
        return None
    path = tuple(base + names)
    return next((path[:n] for n in range(len(path), 0, -1) if path[:n] in files()), None)


@cache
def imports() -> dict[Module, set[Module]]:
    """Return the files that each file imports."""
    found: dict[Module, set[Module]] = {}
    for module, path in files().items():
        code = code_of(path)
        paths = [names for tree in _USE.findall(code) for names in names_of(tree)]
        paths += [place.split("::") for place in _PATH.findall(_USE.sub("", code))]
        leads_to = {module_of(names, module) for names in paths}
        found[module] = {other for other in leads_to if other is not None} - {module}
    # The face of the crate names its searches for others.
    return {module: others for module, others in found.items() if module}


def test_no_two_files_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        circle = ["/".join(module) for module in error.args[1]]
        pytest.fail(f"a circle of imports: {' -> '.join(circle[::-1])}")


def test_folders_import_only_folders_below() -> None:
    assert {module[0] for module in imports()} == set(LAYERS)
    wrong = [
        f"{'/'.join(module)} imports {'/'.join(other)}"
        for module, others in imports().items()
        for other in sorted(others)
        if other[0] != module[0] and other[0] not in LAYERS[module[0]] | {"support", "kernels"}
    ]
    assert not wrong


def test_imports_are_found() -> None:
    """The parser reads nested use trees, renamed and relative paths."""
    assert [*names_of("crate::a::{b, c::{D, E as F}}")] == [
        ["crate", "a", "b"],
        ["crate", "a", "c", "D"],
        ["crate", "a", "c", "E"],
    ]
    assert module_of(["super", "search", "Search"], ("engine", "bounds")) == ("engine", "search")
    assert module_of(["std", "sync"], ("engine", "bounds")) is None
    assert ("engine", "space") in imports()["engine", "search"]
