"""What a worker is asked, what it does, and what it answers; all of it can be sent anywhere."""

import threading
from dataclasses import dataclass
from typing import Any

import numpy

from exactree.distributed.plan import Report, Roots, Task
from exactree.distributed.question import Laid, Question, Told
from exactree.engine.roots import RootsRow
from exactree.stopping import Deadline, Stopped

__all__ = ["Ask", "Bench", "Done", "Nodes", "do", "rows", "version"]

# The nodes of a tree as the native module has them.
Nodes = Any


@dataclass(frozen=True)
class Ask:
    """A task, and how to do it.

    Attributes
    ----------
    task : Task
        What to search.
    below : int
        Cost of the incumbent: only better trees count.
    seconds : float
        After so long what is not done is given back, once the rule that is tried is done.
    time_limit : float or None
        After so long the search ends, wherever it is.
    """

    task: Task
    below: int
    seconds: float
    time_limit: float | None


@dataclass(frozen=True)
class Done:
    """What came of a task.

    Attributes
    ----------
    report : Report
        What is proved.
    stats : dict
        Counts of the search.
    seconds : float
        What it took.
    stopped_by : str or None
        What ended the search, as of `least_errors`.
    """

    report: Report[Nodes]
    stats: dict[str, Any]
    seconds: float
    stopped_by: str | None = None


class Bench:
    """What a worker has for one question: the table, ready to be searched, and the latest news.

    Parameters
    ----------
    question : Question
        What is asked.
    memory_limit : int or None
        Bytes for what it remembers, if the question states no limit.
    """

    def __init__(self, question: Question, memory_limit: int | None = None) -> None:
        self._question = question
        self._memory_limit = memory_limit
        self._laid: Laid | None = None
        self._lock = threading.Lock()
        self._upper: int | None = None
        self._running: set[Told] = set()
        self._closed = False

    def do(self, ask: Ask) -> Done:
        """Do a task.

        Parameters
        ----------
        ask : Ask
            The task.
        """
        deadline = Deadline(ask.time_limit)
        try:
            laid = self._ready(deadline)
        except Stopped:
            return Done(Report(ask.task.number, None, ask.task.roots), {}, deadline.seconds())
        told = laid.told()
        with self._lock:
            self._running.add(told)
            if self._upper is not None:
                told.beat(self._upper)

        def heard(cost: int | None, lower_bound: int, seconds: float) -> bool:
            # A better tree is news for all: it goes out at once.
            if seconds >= ask.seconds or (cost is not None and cost < ask.below):
                told.give_back()
            return self._closed

        roots = rows(ask.task)
        try:
            found = laid.search(roots, ask.below, told, time_limit=deadline.left(), heard=heard)
        finally:
            with self._lock:
                self._running.discard(told)
        tree = None if found["nodes"] is None else (found["cost"], found["nodes"])
        report = Report(ask.task.number, tree, tuple(Roots(*row) for row in found["open"]))
        return Done(report, found["stats"], deadline.seconds(), found["stopped_by"])

    def tell(self, cost: int) -> None:
        """Take in what others have found.

        Parameters
        ----------
        cost : int
            Of the incumbent; trees that cost as much are of no use any more.
        """
        with self._lock:
            self._upper = cost if self._upper is None else min(self._upper, cost)
            for told in self._running:
                told.beat(cost)

    def close(self) -> None:
        """Stop whatever runs: nobody waits for it any more."""
        self._closed = True

    def _ready(self, deadline: Deadline) -> Laid:
        with self._lock:
            if self._laid is None:
                self._laid = self._question.laid_out(self._memory_limit, deadline.left())
            return self._laid


def do(question: Question, ask: Ask) -> Done:
    """Do one task from nothing, for workers that keep nothing.

    Parameters
    ----------
    question : Question
        What is asked.
    ask : Ask
        The task.
    """
    return Bench(question).do(ask)


def rows(task: Task) -> list[RootsRow]:
    """Return the roots of a task as the search has them.

    Parameters
    ----------
    task : Task
        The task.
    """
    bounds = [(int(r.lower_bound), int(r.left), int(r.right)) for r in task.roots]
    return [(r.feature, r.first, r.last, *b) for r, b in zip(task.roots, bounds, strict=True)]


def version() -> tuple[str, str]:
    """Return the versions that must agree: of exactree, and the major one of numpy."""
    from exactree import __version__

    return __version__, numpy.__version__.split(".")[0]
