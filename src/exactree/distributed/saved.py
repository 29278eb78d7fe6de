"""The state of a run in a file: the incumbent, and what is open of each search, with its bounds.

A file is for one table, and in it one state for each thing that was asked of it; both are compared
by content. It is replaced as a whole, so that a run that dies while it writes leaves the old one.
"""

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from exactree import __version__
from exactree.distributed.plan import Roots
from exactree.distributed.question import Question
from exactree.files import write_text
from exactree.problem.cost import Number

__all__ = ["Saved", "read_saved", "write_saved"]


@dataclass(frozen=True)
class Saved:
    """What a run knows of one search.

    Attributes
    ----------
    best : tuple of cost and nodes, or None
        The incumbent.
    open : list of Roots, or None
        What is not proved; None if nothing is known.
    """

    best: tuple[Number, Any] | None = None
    open: list[Roots] | None = None


def read_saved(path: Path, question: Question) -> Saved:
    """Read what a file knows of a search.

    Parameters
    ----------
    path : Path
        The file; if there is none nothing is known.
    question : Question
        The search.

    Raises
    ------
    ValueError
        If it is no such file, is damaged, or is about another table.
    """
    searches = _searches(path, question)
    state = searches.get(question.asked_key)
    if state is None:
        return Saved()
    best = None if state["nodes"] is None else (state["cost"], _nodes(state["nodes"]))
    return Saved(best, [Roots(**roots) for roots in state["open"]])


def write_saved(path: Path, question: Question, saved: Saved) -> None:
    """Write what is known of a search, beside what the file knows of others.

    Parameters
    ----------
    path : Path
        The file.
    question : Question
        The search.
    saved : Saved
        What is known of it.
    """
    cost, nodes = (None, None) if saved.best is None else saved.best
    state = {
        "cost": None if nodes is None else int(cost or 0),
        "nodes": nodes,
        "open": [asdict(roots) for roots in saved.open or []],
    }
    content = {
        "exactree": __version__,
        "table": question.table_key,
        "searches": _searches(path, question) | {question.asked_key: state},
    }
    whole = {"content": content, "digest": _digest(content)}
    write_text(path, json.dumps(whole))


def _searches(path: Path, question: Question) -> dict[str, Any]:
    """Return what a file knows by what was asked; nothing if there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        whole = json.loads(text)
        content = whole["content"]
        sound = whole["digest"] == _digest(content)
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"resume: {path} is no saved run of exactree.") from None
    if not sound:
        raise ValueError(f"resume: {path} is damaged; its proofs cannot be trusted.")
    if content["exactree"] != __version__:
        raise ValueError(
            f"resume: {path} was written by exactree {content['exactree']}, this is {__version__}."
        )
    if content["table"] != question.table_key:
        raise ValueError(f"resume: {path} is about another table.")
    searches: dict[str, Any] = content["searches"]
    return searches


def _nodes(rows: list[list[Any]]) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in rows]


def _digest(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
