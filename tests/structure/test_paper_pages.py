"""Pages on the papers agree with the code: files, tests, departures, examples, citations."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "papers"
PAGES = sorted(FOLDER.glob("*.md"))
# Files with algorithms and constructions of the papers; only these list departures from a paper.
SOURCES = sorted((ROOT / "src/exactree/spec").glob("*.py"))
SOURCES += sorted((ROOT / "src/exactree/instances").glob("*.py"))
SOURCES += sorted((ROOT / "src/exactree/theory").glob("*.py"))
SOURCES += sorted((ROOT / "src/exactree/prune").glob("*.py"))
SOURCES += sorted((ROOT / "src/exactree/proper").glob("*.py"))

LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
PARTS = ["The problem", "Theorems, code and tests", "Departures from the paper"]
PARTS += ["Errata and counterexamples"]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def links(page: Path) -> list[tuple[str, str]]:
    """Return text and target of every link of a page; code is left out."""
    return LINK.findall(without_code(page.read_text(encoding="utf-8")))


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@cache
def names(path: Path) -> frozenset[str]:
    """Return the names that a Python file defines, methods with their class."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name, body=body):
                methods = (inner for inner in body if isinstance(inner, ast.FunctionDef))
                found |= {name, *(f"{name}.{method.name}" for method in methods)}
    return frozenset(found)


def departures(path: Path) -> set[int]:
    """Return the numbers of the departures in the header of a file."""
    header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    _, found, listed = header.partition("\nDepartures")
    listed = listed.split("\n\n")[0]
    return set(map(int, re.findall(r"^ +(\d)\. ", listed, re.MULTILINE))) if found else set()


def listed_departures(page: Path) -> list[tuple[Path, int]]:
    """Return the rows of a page's table of departures: a file and a number."""
    rows = re.findall(r"^\| \[`\w+`\]\(([^)]+)\) \| (\d) \|", page.read_text("utf-8"), re.MULTILINE)
    return [((page.parent / path).resolve(), int(number)) for path, number in rows]


def anchors(page: Path) -> set[str]:
    """Return the names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", without_code(page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@each_page
def test_places_and_tests_exist(page: Path) -> None:
    """A link to a Python file names what is in it: `file.name`, `file`, or `test_name`."""
    seen = 0
    for text, target in links(page):
        if target.endswith(".py"):
            path = (page.parent / target).resolve()
            assert path.is_file(), f"{page.name} names {target}"
            named = text.strip("`").removeprefix(f"{path.stem}.")
            assert named == path.stem or named in names(path), f"{page.name}: no {text} in {target}"
            assert path.name.startswith("test_") == named.startswith("test_")
            seen += 1
    assert seen > 10


@each_page
def test_every_test_and_path_is_a_link(page: Path) -> None:
    """So that the test above sees it."""
    prose = LINK.sub("", without_code(page.read_text(encoding="utf-8")))
    assert not re.findall(r"\btest_\w+|\b[\w/]+\.py\b", prose)


@each_page
def test_every_theorem_has_its_code_and_its_test(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    table = text.split("\n## Theorems, code and tests\n")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| **")]
    assert len(rows) >= 4
    for row in rows:
        statement, code, shown = row.strip("| ").split(" | ")
        assert "/src/exactree/" in code, statement
        assert "/tests/" in shown or re.match(r"as (Theorem|Lemma) \d", shown), statement


FIELDS = ["Source", "Theorem", "Time", "Symbols", "The idea", "Departures"]
# Helpers of the specifications, and estimates of whether a table is too large for them.
NO_ALGORITHM_OF_A_PAPER = {
    "__init__", "constrained", "definition_rates", "effort", "greedy_trees",
    "irreducible", "listed_rules", "methods", "size_search", "table", "threshold_effort",
    "trees", "witness_effort",
}  # fmt: skip


def test_every_specification_has_the_whole_header() -> None:
    without = set()
    for path in (ROOT / "src/exactree/spec").glob("*.py"):
        header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found = [field for field in FIELDS if re.search(rf"^{field} ", header, re.MULTILINE)]
        assert found in ([], FIELDS), f"{path.name}: {found}"
        if found:
            numbers = sorted(departures(path))
            assert numbers == list(range(1, len(numbers) + 1)), path.name
            assert numbers or re.search("^Departures +None", header, re.MULTILINE), path.name
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 180, path.name
        else:
            without.add(path.stem)
    assert without == NO_ALGORITHM_OF_A_PAPER


def test_every_departure_is_on_a_page() -> None:
    expected = {(path, number) for path in SOURCES for number in departures(path)}
    listed = [row for page in PAGES for row in listed_departures(page)]
    assert len(expected) > 40
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


@each_page
def test_links_within_and_between_pages_resolve(page: Path) -> None:
    for text, target in links(page):
        if not target.startswith("https://"):
            path, _, anchor = target.partition("#")
            linked = (page.parent / path).resolve() if path else page
            assert linked.exists(), f"{page.name}: [{text}] leads nowhere"
            assert not anchor or anchor in anchors(linked), f"{page.name}: no heading #{anchor}"


@each_page
def test_every_example_promises_something(page: Path) -> None:
    """And is one of those that `test_documents.py` runs, each for itself."""
    text = page.read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 4
    assert text.count("\n```") == 2 * len(examples), "a block that no test runs"
    for code in examples:
        assert re.search(r"^    assert |^assert ", code, re.MULTILINE)


@each_page
def test_the_paper_is_cited_in_full(page: Path) -> None:
    """Title, authors, proceedings and year are those of CITATION.cff, in its order."""
    opening = " ".join(page.read_text(encoding="utf-8").split("\n## ")[0].split())
    papers = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("  - type: ")[1:]
    cited = [paper for paper in papers if re.findall(r'title: "(.+)"', paper)[0] in opening]
    assert len(cited) == 1
    given = re.findall(r'given-names: "(.+?)", family-names: "(.+?)"', cited[0])
    places = [opening.find(f"{first} {last}") for first, last in given]
    assert -1 not in places
    assert places == sorted(places)
    assert re.findall(r"year: (\d+)", cited[0])[0] in opening
    for collection in re.findall(r'collection-title: "(.+)"', cited[0]):
        assert collection in opening


@each_page
def test_pages_have_the_same_parts(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading in PARTS] == PARTS


def test_the_pages_are_listed_and_reached() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"](papers/{page.name})" in index
    assert {page.name[:3] for page in PAGES} == {"000", "001", "002", "003", "004"}
    for document in ("README.md", "ARCHITECTURE.md"):
        assert "](docs/README.md)" in (ROOT / document).read_text(encoding="utf-8")


def test_the_classes_of_complexity_stand_on_the_page_of_002() -> None:
    """Every set of the three parameters has its row."""
    [page] = FOLDER.glob("002-*.md")
    rows = re.findall(r"^\| \**([^|*]+?)\** \| \**([^|*]+?)\** \|", page.read_text("utf-8"), re.M)
    classes = {frozenset(parameters.split(", ")) - {"none"}: kind for parameters, kind in rows}
    sets = [set(), {"δ_max"}, {"D_max"}, {"δ_max", "D_max"}]
    for parameters in map(frozenset, sets):
        assert classes[parameters] == "paraNP-hard"
        assert "in XP" in classes[parameters | {"sol"}] or len(parameters) == 2
    assert classes[frozenset({"sol", "δ_max", "D_max"})] == "FPT"
