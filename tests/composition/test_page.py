"""The page of what composes is that of the package."""

import runpy
from pathlib import Path

PROGRAM = runpy.run_path(str(Path(__file__).parent / "page.py"))


def test_the_page_of_what_composes_is_up_to_date() -> None:
    """If this fails, run `python tests/composition/page.py`, and read what has changed."""
    assert PROGRAM["PAGE"].read_text(encoding="utf-8") == PROGRAM["page"]()
