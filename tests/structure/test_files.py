"""Source files state their purpose, stay short, and contain no paths of a machine."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "packaging").glob("*.py"))
RUST = sorted((ROOT / "crates").rglob("*.rs"))
RUST = [path for path in RUST if "target" not in path.parts]
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
MOST_LINES = 400


def name(path: Path) -> str:
    """Return a file's name as seen from the repository."""
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


def test_first_line_says_the_purpose() -> None:
    silent = []
    for path in PYTHON + RUST:
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        opening = '"""' if path.suffix == ".py" else "//! "
        if not first.startswith(opening) or len(first) <= len(opening) + 10:
            silent.append(name(path))
    assert not silent, f"these do not say their purpose in their first line: {silent}"


def test_length_has_a_reason() -> None:
    """Long files say why, in a line that begins with "Length:"."""
    texts = {name(path): path.read_text(encoding="utf-8") for path in PYTHON + RUST}
    reason = re.compile(r"^(//!|//|#)? *Length: .{20,}", re.MULTILINE)
    long = [one for one, text in texts.items() if len(text.splitlines()) > MOST_LINES]
    assert [one for one in long if not reason.search(texts[one])] == []


def test_no_file_names_a_place_of_one_machine() -> None:
    folders = ["work", "root", "home/[a-z]+", "Users/[A-Za-z]+"]
    place = re.compile("|".join(rf"(?<![\w./-])/{folder}/" for folder in folders))
    for path in project_files():
        found = place.search(path.read_text(encoding="utf-8", errors="ignore"))
        assert found is None, f"{name(path)} names {found and found.group()}"


def test_versions_agree() -> None:
    import exactree

    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert workspace["package"]["version"] == exactree.__version__
    assert f"version: {exactree.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"## {exactree.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_citation_names_the_five_papers() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert text.count("  - type: ") == 5
    for author in ("Kobourov", "Komusiewicz", "Ordyniak", "Leboeuf", "Little"):
        assert f'"{author}"' in text


def test_marker_of_types_is_shipped() -> None:
    assert (ROOT / "src" / "exactree" / "py.typed").exists()
