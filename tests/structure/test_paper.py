"""The article about the package has the form of the journal and references that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = (ROOT / "paper" / "paper.md").read_text("utf-8")
REFERENCES = (ROOT / "paper" / "paper.bib").read_text("utf-8")
MAX_WORDS = 1500


def entries(text: str) -> dict[str, str]:
    """Return the entries of a bibliography by their keys."""
    found = re.findall(r"^@\w+\{.*?^\}", text, re.MULTILINE | re.DOTALL)
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in found}


def test_the_article_has_the_sections_and_the_length_that_the_journal_asks_for() -> None:
    text = ARTICLE.split("---\n", 2)[2]
    sections = re.findall(r"^# (.*)$", text, re.MULTILINE)
    wanted = ["Summary", "Statement of need", "State of the field", "Software design"]
    assert sections[:4] == wanted
    assert "Research impact statement" in sections
    assert 750 <= len(text.split()) <= MAX_WORDS


def test_every_reference_is_cited_and_every_citation_has_a_reference() -> None:
    cited = set(re.findall(r"@([a-z]\w+)", ARTICLE))
    assert cited == set(entries(REFERENCES))


def test_references_are_those_of_the_page_on_citing() -> None:
    listed = entries((ROOT / "docs" / "about" / "citing.md").read_text("utf-8"))
    ours = entries(REFERENCES)
    assert len(listed.keys() & ours.keys()) >= 7
    for key in listed.keys() & ours.keys():
        assert ours[key] == listed[key]


def test_the_numbers_of_pairs_are_those_of_the_page_on_running_times() -> None:
    page = " ".join((ROOT / "docs" / "about" / "how-fast.md").read_text("utf-8").split())
    marks, first = re.findall(r"chart has (\d+) marks|For (\d+) of them", page)
    slower = re.findall(r"faster for (\d+) pairs", page)[0]
    text = " ".join(ARTICLE.split())
    assert f"for {first[1]} of {marks[0]} pairs" in text
    assert f"The {slower} pairs for which another solver was faster" in text
