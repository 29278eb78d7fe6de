"""Pages in Markdown: a title, facts, a legend, tables, sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["page", "table"]


def page(
    title: str,
    facts: Mapping[str, Any],
    legend: str,
    parts: Sequence[str],
    sentences: Sequence[str],
) -> str:
    """Return a page; the packages among the facts are written in one line."""
    packages = ", ".join(f"{n} {v or '-'}" for n, v in facts["packages"].items())
    entries = {**facts, "packages": packages}
    lines = [f"# {title}", "", *(f"- {name}: {value}" for name, value in entries.items()), ""]
    lines += [legend, ""]
    for part in parts:
        lines += [part, ""]
    return "\n".join([*lines, *(f"- {sentence}" for sentence in sentences)]) + "\n"


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table of cells."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
