"""The plan of a distributed search: done and open root splits, and bounds; pure, without a clock.

A search for one tree is divided by the split at its root. Every tree is a leaf, or its root splits
on one feature; so the best tree is the best of the leaf and of the best trees over any
sets of root rules that together hold all rules. A *task* is such a set. The plan keeps for each
set a lower bound on the cost of every tree whose root is in it.

The laws, held by `tests/distributed/test_plan.py`:

1. The optimum does not depend on how rules are dealt to tasks, on the order in which tasks are
   done, or on how late their reports arrive: a report states facts about trees, which no other
   report can make false.
2. At any moment no tree costs less than the least of the incumbent and of the lower bounds of
   what is open or handed out. So a partial set of reports gives the best tree so far and a valid
   lower bound.
3. A rule is never dropped but for a lower bound that the incumbent meets. A task that is lost is
   open again; a report that comes twice, or after its task was given up, tells nothing twice.

Workers may be told the cost of the incumbent to beat, but of no tree that the plan does not have: a
worker that dies with a better tree takes it along, and others would have searched for less in vain.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from exactree.errors import InternalError
from exactree.problem.quantities import Number

__all__ = ["Plan", "Report", "RootInterval", "Task"]

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, order=True)
class RootInterval:
    """Rules of one feature that a root may use, from one threshold to another.

    Attributes
    ----------
    feature : int
        The feature.
    first, last : int
        Ranks of the least and the greatest threshold, both included: a rule sends the values of
        ranks up to its own to the left.
    lower_bound : int or Fraction
        No tree whose root uses one of them costs less.
    left, right : int or Fraction
        No left child of one of them costs less, and no right child; the plan only keeps them.
    """

    feature: int
    first: int
    last: int
    lower_bound: Number = 0
    left: Number = 0
    right: Number = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last:
            raise ValueError(f"a set of roots needs 0 <= first <= last, not {self}.")

    def __len__(self) -> int:
        return self.last - self.first + 1

    def holds(self, other: "RootInterval") -> bool:
        """Return whether all rules of another set are in this one."""
        inside = self.first <= other.first and other.last <= self.last
        return self.feature == other.feature and inside

    def divided(self, rules: int) -> tuple["RootInterval", "RootInterval"]:
        """Return the first so many rules, fewer than there are, and the others."""
        return (
            replace(self, last=self.first + rules - 1),
            replace(self, first=self.first + rules),
        )


@dataclass(frozen=True, order=True)
class Task:
    """The task of one worker: find the best tree whose root is in one of these sets.

    Attributes
    ----------
    number : int
        Every task has another.
    roots : tuple of RootInterval
        Disjoint.
    """

    number: int
    roots: tuple[RootInterval, ...]

    @property
    def rules(self) -> int:
        """How many rules it has."""
        return sum(map(len, self.roots))


@dataclass(frozen=True)
class Report(Generic[ResultT]):
    """The report of a worker about a task.

    Attributes
    ----------
    number : int
        The task.
    found : tuple of cost and tree, or None
        The best tree found, if one was found that is better than what the worker knew.
    open : tuple of RootInterval
        What it did not finish. No tree over the other rules of the task costs less than the best
        tree that is known when the report is entered.
    """

    number: int
    found: tuple[Number, ResultT] | None
    open: tuple[RootInterval, ...] = ()

    @property
    def open_rules(self) -> int:
        """How many rules it leaves open."""
        return sum(map(len, self.open))


@dataclass
class Plan(Generic[ResultT]):
    """The state of a distributed search.

    Attributes
    ----------
    best : tuple of cost and tree
        The incumbent; at first the leaf, or any tree. None without a tree, which then costs the
        upper bound.
    open : list of RootInterval
        What nobody works on, disjoint; at first all rules of the table.
    running : dict of int to Task
        What is handed out.
    """

    best: tuple[Number, ResultT | None]
    open: list[RootInterval]
    running: dict[int, Task] = field(default_factory=dict)
    _next: int = 0

    @property
    def done(self) -> bool:
        """Whether the incumbent is proved to be best."""
        return not self.open and not self.running

    @property
    def open_rules(self) -> int:
        """How many rules nobody works on."""
        return sum(map(len, self.open))

    @property
    def lower_bound(self) -> Number:
        """What no tree costs less than; the second law."""
        return min((roots.lower_bound for roots in self._unproved()), default=self.best[0])

    def take(self, share: int) -> Task | None:
        """Hand out a task with about one of that many equal shares of the open rules.

        Parameters
        ----------
        share : int
            At least 1; with 1 the task has everything that is open.

        Returns
        -------
        Task or None
            The most promising sets, the last of them divided if need be; None if nothing is open.
        """
        if share < 1:
            raise ValueError(f"a share must be at least 1, not {share}.")
        if not self.open:
            return None
        self.open.sort(key=lambda roots: (roots.lower_bound, roots))
        wanted = -(-self.open_rules // share)
        taken = list(_first(self.open, wanted))
        rules = sum(map(len, taken))
        if rules > wanted:
            kept = len(taken[-1]) - (rules - wanted)
            taken[-1], rest = taken[-1].divided(kept)
            self.open[: len(taken)] = [rest]
        else:
            del self.open[: len(taken)]
        task = Task(self._next, tuple(taken))
        self._next += 1
        self.running[task.number] = task
        return task

    def enter(self, report: Report[ResultT]) -> None:
        """Note what a worker reports.

        Parameters
        ----------
        report : Report
            Of a task that runs, or one that was lost or reported before: then only its tree counts.

        Raises
        ------
        InternalError
            If what it leaves open was not in its task: then its proofs are about other trees.
        """
        task = self.running.get(report.number)
        if task is not None:
            for roots in report.open:
                if not any(own.holds(roots) for own in task.roots):
                    raise InternalError(f"task {task.number} leaves {roots} open, it had no such.")
            del self.running[report.number]
            self.open += [_at_least(roots, task) for roots in report.open]
        self.better(report.found)

    def better(self, found: tuple[Number, ResultT] | None) -> None:
        """Take a tree as incumbent if it is better; open rules that it settles are dropped.

        Parameters
        ----------
        found : tuple of cost and tree, or None
            The tree may come from anywhere.
        """
        if found is not None and found[0] < self.best[0]:
            self.best = found
        self.open = [roots for roots in self.open if roots.lower_bound < self.best[0]]

    def lost(self, number: int) -> None:
        """Open again what a task had, whose worker is gone; a task that is not running has nothing.

        Parameters
        ----------
        number : int
            The task.
        """
        task = self.running.pop(number, None)
        if task is not None:
            self.open += task.roots
            self.better(None)

    def _unproved(self) -> Iterator[RootInterval]:
        """List what is not proved yet to hold no better tree."""
        running = (roots for task in self.running.values() for roots in task.roots)
        for roots in (*self.open, *running):
            if roots.lower_bound < self.best[0]:
                yield roots


def _first(sets: Iterable[RootInterval], rules: int) -> Iterator[RootInterval]:
    """List the first sets that together have at least that many rules."""
    count = 0
    for roots in sets:
        if count >= rules:
            return
        yield roots
        count += len(roots)


def _at_least(roots: RootInterval, task: Task) -> RootInterval:
    """Return what a worker left open with the better of its lower bounds and the task's."""
    own = next(own for own in task.roots if own.holds(roots))
    return replace(
        roots,
        lower_bound=max(roots.lower_bound, own.lower_bound),
        left=max(roots.left, own.left),
        right=max(roots.right, own.right),
    )
