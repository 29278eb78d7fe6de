"""Type names of the package are unique: no two types have the same name.

But several modules may define an alias with the same right-hand side.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "exactree"


def types(source: str) -> Iterator[tuple[str, str | None]]:
    """Yield the classes of a module (with None), and its aliases with their right-hand sides."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name, None
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and is_type_name(target.id):
                    yield target.id, ast.unparse(node.value)


def is_type_name(name: str) -> bool:
    """Return whether a name is in CamelCase, with or without leading underscores."""
    return name.lstrip("_")[:1].isupper() and not name.isupper()


def ambiguous(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names with different definitions, and the modules that define them."""
    definitions: defaultdict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for module, source in sources.items():
        for name, value in types(source):
            definitions[name].append((module, value))
    return {
        name: [module for module, _ in found]
        for name, found in definitions.items()
        if len(found) > 1 and not is_same_alias([value for _, value in found])
    }


def is_same_alias(values: list[str | None]) -> bool:
    """Return whether all definitions are aliases (not None) with the same right-hand side."""
    return None not in values and len(set(values)) == 1


def test_type_names_of_the_package_are_unique() -> None:
    sources = {
        str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert ambiguous(sources) == {}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("class Leaf: ...", "class Leaf: ...", {"Leaf": ["a", "b"]}),
        ("class Leaf: ...", "Leaf = tuple[int, int]", {"Leaf": ["a", "b"]}),
        ("Box = tuple[int]", "Box: TypeAlias = list[int]", {"Box": ["a", "b"]}),
        ("Rows = list[int]", "Rows = list[int]", {}),
        ("class Leaf: ...", "LEAF = 1", {}),
    ],
)
def test_two_definitions_of_a_name_must_be_the_same_alias(
    first: str, second: str, expected: dict[str, list[str]]
) -> None:
    assert ambiguous({"a": first, "b": second}) == expected


def test_two_types_of_a_name_in_one_module_are_found() -> None:
    source = "class A:\n    class Leaf: ...\nclass B:\n    class Leaf: ...\n"
    assert ambiguous({"a": source}) == {"Leaf": ["a", "a"]}
