"""The tests that tests/README.md lists for known traps exist; kernels are tested on all levels.

A level is an instruction set that the processor has.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = sorted((ROOT / "crates/search/src/kernels").glob("*.rs"))


def named_tests() -> list[tuple[str, str]]:
    """Return file and name of every test in the table."""
    table = (ROOT / "tests/README.md").read_text(encoding="utf-8").split("## Traps")[1]
    named = []
    for file, names in re.findall(r"`([\w/.]+)`: ((?:`\w+`(?:, )?)+)", table):
        named += [(file, name) for name in re.findall(r"\w+", names)]
    return named


def test_the_table_names_many_tests() -> None:
    assert len(named_tests()) > 20


@pytest.mark.parametrize(("file", "name"), named_tests())
def test_a_test_in_the_table_exists(file: str, name: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    test = rf"^def {name}\(" if file.endswith(".py") else rf"^ *fn {name}\("
    assert re.search(test, text, re.MULTILINE)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_kernel_with_several_levels_is_tested_on_all(path: Path) -> None:
    code, _, tests = path.read_text(encoding="utf-8").partition("#[cfg(test)]")
    for submodule in sorted(path.with_suffix("").glob("*.rs")):
        text = submodule.read_text(encoding="utf-8")
        if submodule.stem == "differential":
            tests += text
        else:
            code += text
    if path.stem != "mod" and re.search(r"\bInstructionSet\b|multiversion!", code):
        assert "InstructionSet::available()" in tests
