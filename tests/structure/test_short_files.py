"""Files under 60 lines are merged with others, unless they are entries of a list of alike files."""

from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src" / "exactree"
MIN_LINES = 60

# Kind -> short files of that kind, besides every `__init__.py`; a longer file needs no entry.
SHORT = {
    "objectives, one per file": {
        "objectives/absolute_error.py",
        "objectives/balanced_error.py",
        "objectives/depth.py",
        "objectives/ensemble.py",
        "objectives/errors.py",
        "objectives/gini.py",
        "objectives/leaves.py",
        "objectives/size.py",
        "objectives/squared_error.py",
    },
    "exporters, one per file": {"export/html.py"},
    "algorithms of papers, with a header for each": {"spec/all_support_sets.py"},
    # A specification has at most 180 lines (test_paper_pages.py), and `proper.py` has as many.
    "data of a specification that is as long as allowed": {"spec/listed_rules.py"},
    # In `cli/__init__.py` the names of commands would hide the modules of the same name.
    "entry points": {"__main__.py", "cli/commands.py"},
}


def short_files() -> set[str]:
    """Return the short files of the package, relative to its folder."""
    return {
        path.relative_to(SRC).as_posix()
        for path in SRC.rglob("*.py")
        if path.name != "__init__.py"
        and len(path.read_text(encoding="utf-8").splitlines()) < MIN_LINES
    }


def test_every_short_file_is_of_a_kind() -> None:
    listed = set().union(*SHORT.values())
    assert short_files() - listed == set(), "merge these files with others, or name their kind"
    assert listed - short_files() == set(), "these files are no longer short: remove them here"


@pytest.mark.parametrize("kind", ["objectives", "export"])
def test_entries_are_shown_by_their_package(kind: str) -> None:
    """A short objective or exporter is imported by the `__init__.py` of its package."""
    face = (SRC / kind / "__init__.py").read_text(encoding="utf-8")
    entries = [name for names in SHORT.values() for name in names if name.startswith(f"{kind}/")]
    assert entries
    for name in entries:
        assert f"from exactree.{name.removesuffix('.py').replace('/', '.')} import" in face
