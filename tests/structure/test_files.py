"""Source files state their purpose, are short, and contain no paths of a machine."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "packaging").glob("*.py"))
RUST = sorted((ROOT / "crates").rglob("*.rs"))
RUST = [path for path in RUST if "target" not in path.parts]
# Folders and files that are not sources of the project.
SKIPPED = {
    ".git",
    ".venv",
    ".venv-oldest",
    ".hypothesis",
    "target",
    "demo",
    "dist",
    "generated",
    "site",
    "Cargo.lock",
}
MAX_LINES = 400
CONDA_RECIPE = "packaging/conda/recipe.yaml"


def name(path: Path) -> str:
    """Return the path of a file relative to the repository."""
    return str(path.relative_to(ROOT))


def project_files() -> list[Path]:
    """Return every text file that belongs to the project."""
    found = [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file()
        and not SKIPPED & set(path.relative_to(ROOT).parts)
        and not any(part.endswith("_cache") or part == "__pycache__" for part in path.parts)
        and path.suffix in {".py", ".pyi", ".rs", ".toml", ".md", ".cff", ".csv", ".txt", ""}
    ]
    assert found
    return found


def test_the_first_line_states_the_purpose() -> None:
    without = []
    for path in PYTHON + RUST:
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        opening = '"""' if path.suffix == ".py" else "//! "
        if not first.startswith(opening) or len(first) <= len(opening) + 10:
            without.append(name(path))
    assert not without, f"the first lines of these files do not state a purpose: {without}"


def test_long_files_state_a_reason() -> None:
    """The reason is in a line that begins with "Length:"."""
    texts = {name(path): path.read_text(encoding="utf-8") for path in PYTHON + RUST}
    reason = re.compile(r"^(//!|//|#)? *Length: .{20,}", re.MULTILINE)
    long = [file for file, text in texts.items() if len(text.splitlines()) > MAX_LINES]
    assert [file for file in long if not reason.search(texts[file])] == []


def test_no_file_contains_a_path_of_one_machine() -> None:
    folders = ["work", "root", "home/[a-z]+", "Users/[A-Za-z]+"]
    machine_path = re.compile("|".join(rf"(?<![\w./-])/{folder}/" for folder in folders))
    for path in project_files():
        found = machine_path.search(path.read_text(encoding="utf-8", errors="ignore"))
        assert found is None, f"{name(path)} contains {found and found.group()}"


def test_the_version_is_the_same_in_all_files() -> None:
    import exactree

    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert workspace["package"]["version"] == exactree.__version__
    assert f"version: {exactree.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f'version: "{exactree.__version__}"\n' in (ROOT / CONDA_RECIPE).read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (.*)$", changelog, re.MULTILINE)[0].startswith(
        f"[{exactree.__version__}] - "
    )


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = r"\[\d+\.\d+\.\d+\] - (Unreleased|\d{4}-\d\d-\d\d)"
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert versions
    assert all(re.fullmatch(version, heading) for heading in versions)
    assert not any("Unreleased" in heading for heading in versions[1:])
    kinds = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert kinds
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_conda_recipe_has_the_dependencies_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = (ROOT / CONDA_RECIPE).read_text("utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    listed = {line.strip("- ").replace(" ", "") for line in run.splitlines()}
    python = f"python>={project['requires-python'].removeprefix('>=')}"
    listed = {line.replace("${{python_min}}", "3.11") for line in listed}
    assert listed == {*project["dependencies"], python}


def test_the_citation_names_the_five_papers_and_the_sources_of_accelerators() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for author in ("Kobourov", "Komusiewicz", "Ordyniak", "Leboeuf", "Little"):
        assert f'"{author}"' in text
    # The sources in the tables of switches, as in "ConTree: Briţa et al., AAAI 2025".
    options = "".join(
        (ROOT / "crates" / "search" / "src" / path).read_text(encoding="utf-8")
        for path in ("support/options.rs", "spaces/leaf_costs/options.rs")
    )
    first_authors = {"Briţa", "Demirović", "Staus", "Mazumder", "Aglin", "Nijssen", "Hu", "Zhang"}
    for author in first_authors | {"Babbar", "Auer"}:
        assert author in options
        assert f'"{author}"' in text


def test_the_page_on_the_default_search_names_switches_that_exist() -> None:
    page = (ROOT / "docs" / "about" / "default-search.md").read_text(encoding="utf-8")
    options = (ROOT / "crates/search/src/support/options.rs").read_text(encoding="utf-8")
    switches = set(re.findall(r"^    (\w+): \"", options, re.MULTILINE))
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"\w+", row)}
    assert len(named) > 25
    assert named <= switches


def test_the_page_on_citing_has_the_references_of_the_citation_file() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "about" / "citing.md").read_text(encoding="utf-8")
    papers = text.split("  - type: ")[1:]
    entries = re.findall(r"^@(?:inproceedings|article)\{.*?^\}", page, re.MULTILINE | re.DOTALL)
    assert len(entries) == len(papers)
    for paper, entry in zip(papers, entries, strict=True):
        authors = re.findall(r'given-names: "(.+?)", family-names: "(.+?)"', paper)
        assert " ".join(entry.split()).count(" and ") >= len(authors) - 1
        wanted = [f"{last}, {first}" for first, last in authors]
        wanted += re.findall(r'(?:title|collection-title|journal|notes): "(.+)"', paper)
        wanted += re.findall(r"year: (\d+)", paper)
        for text_of_entry in wanted:
            assert text_of_entry in entry


def test_the_package_is_marked_as_typed() -> None:
    assert (ROOT / "src" / "exactree" / "py.typed").exists()
