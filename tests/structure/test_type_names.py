"""A type name of the package means one thing: no two modules define different types of one name.

An alias may be repeated where modules do not import each other, if its right-hand side is the same.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "exactree"


def types(source: str) -> Iterator[tuple[str, str | None]]:
    """Yield the classes of a module, and its aliases with their right-hand sides."""
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
    """Say whether a name is in CamelCase, with or without a leading underscore."""
    return name.lstrip("_")[:1].isupper() and not name.isupper()


def ambiguous(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names with several definitions that differ, and the modules that define them."""
    definitions = defaultdict(list)
    for module, source in sources.items():
        for name, value in types(source):
            definitions[name].append((module, value))
    return {
        name: [module for module, _ in found]
        for name, found in definitions.items()
        if len(found) > 1 and (None in dict(found).values() or len({v for _, v in found}) > 1)
    }


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
