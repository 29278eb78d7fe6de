"""The pages on the papers name existing code and tests, all departures, and full citations."""

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
# Headings that every page has, in this order.
SECTIONS = ["The problem", "Theorems, code and tests", "Departures from the paper"]
SECTIONS += ["Errata and differences from our copy"]

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def links(page: Path) -> list[tuple[str, str]]:
    """Return text and target of every link of a page, without blocks of code."""
    return LINK.findall(without_code(page.read_text(encoding="utf-8")))


def without_code(text: str) -> str:
    """Return a text of Markdown without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@cache
def names(path: Path) -> frozenset[str]:
    """Return the functions, classes and methods (as `Class.method`) of a Python file."""
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
    """Return the numbers of the departures from the paper that the header of a file lists."""
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
def test_links_to_python_files_name_what_the_files_define(page: Path) -> None:
    """The text of a link is `file.name`, `file`, `name` or `test_name`."""
    checked = 0
    for text, target in links(page):
        if target.endswith(".py"):
            path = (page.parent / target).resolve()
            assert path.is_file(), f"{page.name}: there is no file {target}"
            name = text.strip("`").removeprefix(f"{path.stem}.")
            assert name == path.stem or name in names(path), f"{page.name}: no {text} in {target}"
            assert path.name.startswith("test_") == name.startswith("test_")
            checked += 1
    assert checked > 10


@each_page
def test_every_test_and_python_file_is_named_by_a_link(page: Path) -> None:
    """Names outside links would not be checked by the test above."""
    prose = LINK.sub("", without_code(page.read_text(encoding="utf-8")))
    assert not re.findall(r"\btest_\w+|\b[\w/]+\.py\b", prose)


@each_page
def test_every_theorem_has_its_code_and_its_test(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    table = text.split("\n## Theorems, code and tests\n")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| **")]
    assert len(rows) >= 4
    for row in rows:
        statement, code, tests = row.strip("| ").split(" | ")
        assert "/src/exactree/" in code, statement
        assert "/tests/" in tests or re.match(r"as (Theorem|Lemma) \d", tests), statement


FIELDS = ["Source", "Theorem", "Time", "Symbols", "The idea", "Departures"]
# Files of the specifications that are not an algorithm of a paper and so have no such header:
# data structures, lists, and estimates of the work.
WITHOUT_HEADER = {
    "__init__", "constrained", "constrained_ensemble", "definition_rates", "effort", "elections",
    "enumerate_constrained", "greedy_trees",
    "irreducible", "listed_rules", "methods", "table", "threshold_effort",
    "trees", "witness_effort",
}  # fmt: skip


def test_every_specification_of_a_paper_has_a_header_with_all_fields() -> None:
    without = set()
    for path in (ROOT / "src/exactree/spec").glob("*.py"):
        header = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        fields = [field for field in FIELDS if re.search(rf"^{field} ", header, re.MULTILINE)]
        assert fields in ([], FIELDS), f"{path.name}: {fields}"
        if fields:
            numbers = sorted(departures(path))
            assert numbers == list(range(1, len(numbers) + 1)), path.name
            assert numbers or re.search("^Departures +None", header, re.MULTILINE), path.name
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 180, path.name
        else:
            without.add(path.stem)
    assert without == WITHOUT_HEADER


def test_every_departure_is_listed_on_one_page() -> None:
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
            assert linked.exists(), f"{page.name}: [{text}] is a broken link"
            assert not anchor or anchor in anchors(linked), f"{page.name}: no heading #{anchor}"


@each_page
def test_every_block_is_an_example_with_an_assertion(page: Path) -> None:
    """`test_documents.py` runs the examples."""
    text = page.read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 4
    assert text.count("\n```") == 2 * len(examples), "a block in another language, which is not run"
    for code in examples:
        assert re.search(r"^    assert |^assert ", code, re.MULTILINE)


@each_page
def test_the_paper_is_cited_in_full(page: Path) -> None:
    """Title, authors in their order, proceedings and year agree with CITATION.cff."""
    opening = " ".join(page.read_text(encoding="utf-8").split("\n## ")[0].split())
    papers = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("  - type: ")[1:]
    cited = [paper for paper in papers if re.findall(r'title: "(.+)"', paper)[0] in opening]
    assert len(cited) == 1
    authors = re.findall(r'given-names: "(.+?)", family-names: "(.+?)"', cited[0])
    positions = [opening.find(f"{first} {last}") for first, last in authors]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert re.findall(r"year: (\d+)", cited[0])[0] in opening
    for collection in re.findall(r'collection-title: "(.+)"', cited[0]):
        assert collection in opening


@each_page
def test_every_page_has_the_common_sections_in_order(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS


@each_page
def test_only_statements_seen_in_the_original_are_called_errata(page: Path) -> None:
    """The table at the beginning of the section has every heading of the section."""
    section = page.read_text(encoding="utf-8").split(f"\n## {SECTIONS[-1]}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| \[(.+?)\]\(#[^)]+\) \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    assert [item for item, _, _ in rows] == re.findall(r"^### (.+)$", section, re.MULTILINE)
    for item, seen, kind in rows:
        assert seen in ("yes", "no", "copy without formulas"), item
        assert re.match(r"erratum$|difference from the copy we had$|remark: ", kind), item
        assert kind != "erratum" or seen == "yes", item


def test_the_index_links_to_the_pages_of_all_five_papers() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        assert f"](papers/{page.name})" in index
    assert {page.name[:3] for page in PAGES} == {"000", "001", "002", "003", "004"}
    for document in ("README.md", "ARCHITECTURE.md"):
        assert "](docs/README.md)" in (ROOT / document).read_text(encoding="utf-8")


def test_the_page_of_002_has_the_complexity_for_every_set_of_parameters() -> None:
    """The parameters are the size of the solution (sol), δ_max and D_max."""
    [page] = FOLDER.glob("002-*.md")
    rows = re.findall(r"^\| \**([^|*]+?)\** \| \**([^|*]+?)\** \|", page.read_text("utf-8"), re.M)
    classes = {frozenset(parameters.split(", ")) - {"none"}: kind for parameters, kind in rows}
    both = frozenset({"δ_max", "D_max"})
    for parameters in (frozenset(), frozenset({"δ_max"}), frozenset({"D_max"}), both):
        assert classes[parameters] == "paraNP-hard"
        with_solution = classes[parameters | {"sol"}]
        assert with_solution == "FPT" if parameters == both else "in XP" in with_solution
