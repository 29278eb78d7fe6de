"""The state of a run in a file: the incumbent, and what is open of each search, with its bounds.

A file is for one table, and in it one state for each thing that was asked of it; both are compared
by content. It is replaced as a whole, so that a run that dies while it writes leaves the old one.

What is read may have been changed by anything: the digest tells of accidents, and what it does not
tell of is checked against the table as far as that can be done. Lower bounds have to be believed.
"""

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import __version__
from exactree.distributed.plan import Roots
from exactree.distributed.question import Question
from exactree.files import write_text
from exactree.problem.cost import Number

__all__ = ["Saved", "read_saved", "write_saved"]


# No state is larger: one line for each interval of thresholds that is open.
_MOST_BYTES = 2**30


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
    try:
        nodes = state["nodes"]
        best = None if nodes is None else (_integer(state["cost"]), _nodes(nodes, question))
        known = Saved(best, [_roots(roots, question.X) for roots in state["open"]])
        if best is not None and not question.agrees(best[0], _leaves(best[1], question.X)):
            raise ValueError
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        raise ValueError(f"resume: {path} is damaged; what it says is not so.") from None
    return known


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
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"resume: {path} is no saved run of exactree: it is too large.")
        text = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(f"resume: {path} cannot be read: {error.strerror}.") from None
    try:
        whole = json.loads(text)
        content = whole["content"]
        sound = whole["digest"] == _digest(content)
        known = isinstance(content["searches"], dict) and {"exactree", "table"} <= content.keys()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        known = False
    if not known:
        raise ValueError(f"resume: {path} is no saved run of exactree.")
    if not sound:
        raise ValueError(f"resume: {path} is damaged; its proofs cannot be trusted.")
    if content["exactree"] != __version__:
        raise ValueError(f"resume: {path} was written by another exactree, this is {__version__}.")
    if content["table"] != question.table_key:
        raise ValueError(f"resume: {path} is about another table.")
    searches: dict[str, Any] = content["searches"]
    return searches


def _integer(value: Any, below: int = 2**63) -> int:
    """Return a whole number from 0 to below a limit, or refuse it."""
    if type(value) is not int or not 0 <= value < below:
        raise ValueError
    return value


def _roots(stated: dict[str, Any], X: NDArray[np.float64]) -> Roots:
    """Return rules of the table, or refuse what is none."""
    roots = Roots(**{field.name: _integer(stated[field.name]) for field in fields(Roots)})
    if roots.last + 1 >= len(np.unique(X[:, _integer(roots.feature, X.shape[1])])):
        raise ValueError
    return roots


def _nodes(rows: list[Any], question: Question) -> list[tuple[Any, ...]]:
    """Return the nodes of a tree within the limits of a search, or refuse what is none."""
    nodes = [(feature, low, high, left, right) for feature, low, high, left, right in rows]
    # In preorder, with its depth, every node once.
    open_nodes, reached = [(0, 0)], 0
    most = question.settings["max_depth"]
    while open_nodes:
        at, depth = open_nodes.pop()
        if at != reached or (most is not None and depth > most):
            raise ValueError
        reached += 1
        feature, low, high, left, right = nodes[at]
        if feature != -1:
            _integer(feature, question.X.shape[1])
            if not (isfinite(low) and isfinite(high) and low < high):
                raise ValueError
            open_nodes += [(_integer(right), depth + 1), (_integer(left), depth + 1)]
    size = question.settings.get("max_size")
    if reached != len(nodes) or (size is not None and len(nodes) > 2 * size + 1):
        raise ValueError
    if min(map(len, _leaves(nodes, question.X))) < question.settings["min_rows"]:
        raise ValueError
    return nodes


def _leaves(nodes: list[tuple[Any, ...]], X: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Return the rows of each leaf, or refuse nodes that do not divide the table as they say."""
    found = []
    open_nodes = [(0, np.arange(len(X)))]
    while open_nodes:
        at, rows = open_nodes.pop()
        feature, low, high, left, right = nodes[at]
        if feature < 0:
            found.append(rows)
            continue
        values = X[rows, feature]
        goes_left = values <= low
        if values[goes_left].max(initial=-np.inf) != low or values[~goes_left].min() != high:
            raise ValueError
        open_nodes += [(right, rows[~goes_left]), (left, rows[goes_left])]
    return found


def _digest(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
