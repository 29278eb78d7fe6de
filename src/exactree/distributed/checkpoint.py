"""Checkpoint files: the incumbent and the open root splits of each search, with their bounds.

A file belongs to one table of the user. It has one state for each search on that table: a problem
may need several, with various splits and weights. Tables and searches are identified by their
content. The file is replaced atomically, so a run that dies during writing leaves the old file. A
digest detects accidental damage. The incumbent and the intervals of root splits are also checked
against the table; lower bounds cannot be checked and are trusted.
"""

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from exactree import __version__
from exactree.distributed.plan import RootInterval
from exactree.engine.native.root_request import RootRequest
from exactree.engine.native.root_search import PreparedRoots
from exactree.files import write_text
from exactree.problem import Problem
from exactree.problem.quantities import Number

__all__ = ["Checkpoint", "CheckpointFile", "check_cost", "table_key", "write_checkpoint"]


# Larger than any state, which has an entry for each open interval of thresholds.
_MAX_BYTES = 2**30
# The form of the file. Since form 2, costs of regressions are the integers of the native search;
# since form 3, the table is that of the user.
_FORM = 3


@dataclass(frozen=True)
class Checkpoint:
    """The state of one search.

    Attributes
    ----------
    best : tuple of cost and nodes, or None
        The incumbent.
    open : list of RootInterval, or None
        The root splits that are not finished; None if there is no saved state.
    """

    best: tuple[Number, Any] | None = None
    open: list[RootInterval] | None = None


@dataclass
class CheckpointFile:
    """The file of all searches of a run.

    Attributes
    ----------
    path : Path
        The file.
    table : str
        The key of the table.
    was_read : bool
        Whether the run has read it.
    """

    path: Path
    table: str
    was_read: bool = False

    def read(self, request: RootRequest[Any, Any]) -> Checkpoint:
        """Read the state of a search.

        A bad file is refused when the run begins. If it is damaged later, that does not end the
        run: the next search begins anew, and cannot be saved.

        Parameters
        ----------
        request : RootRequest
            The search.
        """
        try:
            return read_checkpoint(self, request)
        except ValueError:
            if not self.was_read:
                raise
            return Checkpoint()
        finally:
            self.was_read = True


def table_key(problem: Problem) -> str:
    """Return a digest of the table of a problem.

    Parameters
    ----------
    problem : Problem
        The problem as the user gave it.
    """
    dataset = problem.dataset
    labels = dataset.targets if problem.regression else dataset.labels
    classes = 0 if problem.regression else len(dataset.classes)
    digest = sha256(f"{dataset.X.shape} {classes}".encode())
    for array in (dataset.X, labels, dataset.weights):
        digest.update(np.ascontiguousarray(array).reshape(-1).data)
    return digest.hexdigest()


def read_checkpoint(file: CheckpointFile, request: RootRequest[Any, Any]) -> Checkpoint:
    """Read the state of a search from a file.

    Parameters
    ----------
    file : CheckpointFile
        The file; if it does not exist, the state is empty.
    request : RootRequest
        The search.

    Raises
    ------
    ValueError
        If the file cannot be read, is not a checkpoint file, is damaged, was written by another
        version of exactree, or belongs to another table.
    """
    state = _searches(file).get(request.key)
    if state is None:
        return Checkpoint()
    try:
        nodes = state["nodes"]
        best = None if nodes is None else (_integer(state["cost"]), _nodes(nodes, request))
        checkpoint = Checkpoint(best, [_roots(roots, request) for roots in state["open"]])
    except (ValueError, KeyError, TypeError, IndexError, OverflowError):
        raise _inconsistent(file.path) from None
    return checkpoint


def check_cost(path: Path, prepared: PreparedRoots, cost: Number, nodes: Any) -> None:
    """Refuse a checkpoint whose incumbent has another cost.

    Parameters
    ----------
    path : Path
        The file.
    prepared : PreparedRoots
        The prepared table of its search.
    cost, nodes
        The incumbent.

    Raises
    ------
    ValueError
        If the cost is wrong.
    """
    if not prepared.agrees(nodes, int(cost)):
        raise _inconsistent(path)


def _inconsistent(path: Path) -> ValueError:
    return ValueError(f"resume: {path} is damaged; its content is inconsistent.")


def write_checkpoint(
    file: CheckpointFile, request: RootRequest[Any, Any], checkpoint: Checkpoint
) -> None:
    """Write the state of a search, and keep the states of other searches in the file.

    Parameters
    ----------
    file : CheckpointFile
        The file.
    request : RootRequest
        The search.
    checkpoint : Checkpoint
        The state of the search.
    """
    cost, nodes = (None, None) if checkpoint.best is None else checkpoint.best
    state = {
        "cost": None if nodes is None else int(cost or 0),
        "nodes": nodes,
        "open": [asdict(roots) for roots in checkpoint.open or []],
    }
    content = {
        "exactree": __version__,
        "form": _FORM,
        "table": file.table,
        "searches": _searches(file) | {request.key: state},
    }
    saved = {"content": content, "digest": _digest(content)}
    write_text(file.path, json.dumps(saved))


def _searches(file: CheckpointFile) -> dict[str, Any]:
    """Return the states in a file by the key of their search; empty if there is no file."""
    path = file.path
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"resume: {path} is not a saved run of exactree: it is too large.")
        text = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(f"resume: {path} cannot be read: {error.strerror}.") from None
    try:
        saved = json.loads(text)
        content = saved["content"]
        intact = saved["digest"] == _digest(content)
        is_checkpoint = (
            isinstance(content["searches"], dict) and {"exactree", "table"} <= content.keys()
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_checkpoint = False
    if not is_checkpoint:
        raise ValueError(f"resume: {path} is not a saved run of exactree.")
    if not intact:
        raise ValueError(f"resume: {path} is damaged; its proofs cannot be trusted.")
    if content["exactree"] != __version__:
        raise ValueError(f"resume: {path} was written by another exactree, this is {__version__}.")
    if content.get("form") != _FORM:
        raise ValueError(
            f"resume: {path} was written by an earlier exactree in another form; start anew with "
            "another file."
        )
    if content["table"] != file.table:
        raise ValueError(f"resume: {path} belongs to another table.")
    searches: dict[str, Any] = content["searches"]
    return searches


def _integer(value: Any, below: int = 2**63) -> int:
    """Return an integer that is at least 0 and less than `below`, or refuse it."""
    if type(value) is not int or not 0 <= value < below:
        raise ValueError
    return value


def _roots(state: dict[str, Any], request: RootRequest[Any, Any]) -> RootInterval:
    """Return an interval of root splits, or refuse splits that the table does not have."""
    roots = RootInterval(
        **{field.name: _integer(state[field.name]) for field in fields(RootInterval)}
    )
    if roots.last >= request.n_rules(roots.feature):
        raise ValueError
    return roots


def _nodes(saved: list[Any], request: RootRequest[Any, Any]) -> list[tuple[Any, ...]]:
    """Return the nodes of a tree, or refuse nodes that form no tree within the limits."""
    nodes = [tuple(node) for node in saved]
    # Visit every node once, in preorder: the order in which nodes are numbered.
    open_nodes = [(0, 0, np.arange(len(request.labels)))]  # indices with depths and rows
    limits, visited = request.limits, 0
    while open_nodes:
        at, depth, rows = open_nodes.pop()
        if at != visited or (limits.max_depth is not None and depth > limits.max_depth):
            raise ValueError
        visited += 1
        if nodes[at] == request.leaf:
            nodes[at] = request.leaf
            if len(rows) < limits.min_samples_leaf:
                raise ValueError
            continue
        *rule, left, right = nodes[at]
        _integer(rule[0])
        goes_left = request.goes_left(rule, rows)
        if goes_left.all() or not goes_left.any():
            raise ValueError
        open_nodes += [
            (_integer(right), depth + 1, rows[~goes_left]),
            (_integer(left), depth + 1, rows[goes_left]),
        ]
    size = limits.max_size
    if visited != len(nodes) or (size is not None and len(nodes) > 2 * size + 1):
        raise ValueError
    return nodes


def _digest(content: dict[str, Any]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
