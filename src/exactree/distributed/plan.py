"""The plan of a distributed search: open root splits and bounds, without side effects or a clock.

A search for one tree is divided by the rule at its root. Every tree is a leaf or has a root that
splits on one feature; so if all rules are divided into sets, the best tree is the best of the leaf
and of the best trees with a root rule in each set. A *task* consists of such sets. The plan keeps
for each set a lower bound on the cost of every tree whose root rule is in the set.

The laws, tested by `tests/distributed/test_plan.py`:

1. The optimum does not depend on the assignment of rules to tasks, on the order in which tasks are
   done, or on how late their reports arrive: a report states facts about trees, which no other
   report can make false.
2. At any moment no tree costs less than the minimum of the incumbent and of the lower bounds of
   all open and running sets. So there is a best tree so far with a valid lower bound before all
   reports have arrived.
3. A rule is removed only if its lower bound is at least the cost of the incumbent. The rules of a
   lost task become open again; if a report arrives twice, or after its task was lost, only its
   tree counts.

Workers may receive the cost of the incumbent as an upper bound, but never the cost of a tree that
the plan does not have: if a worker died with such a tree, the others would have pruned trees of
equal cost, and no tree of that cost would be left.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from exactree.errors import InternalError
from exactree.problem.quantities import Number

__all__ = ["Plan", "Report", "RootInterval", "Task"]

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, order=True)
class RootInterval:
    """Root rules on one feature, for an interval of thresholds.

    Attributes
    ----------
    feature : int
        The feature.
    first, last : int
        Ranks of the first and last threshold, both included: the rule of rank r sends the r + 1
        smallest distinct values of the feature left.
    lower_bound : int or Fraction
        A lower bound on the cost of every tree whose root uses one of these rules.
    left, right : int or Fraction
        Lower bounds on the cost of the left and of the right child under every rule of the
        interval; the plan only stores them for the search.
    """

    feature: int
    first: int
    last: int
    lower_bound: Number = 0
    left: Number = 0
    right: Number = 0

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last:
            raise ValueError(f"an interval of root rules needs 0 <= first <= last, not {self}.")

    def __len__(self) -> int:
        return self.last - self.first + 1

    def contains(self, other: "RootInterval") -> bool:
        """Return whether the interval contains all rules of another interval."""
        inside = self.first <= other.first and other.last <= self.last
        return self.feature == other.feature and inside

    def divided(self, rules: int) -> tuple["RootInterval", "RootInterval"]:
        """Split the interval after its first `rules` rules."""
        return (
            replace(self, last=self.first + rules - 1),
            replace(self, first=self.first + rules),
        )


@dataclass(frozen=True, order=True)
class Task:
    """A task for one worker: find the best tree whose root rule is in one of some sets.

    Attributes
    ----------
    number : int
        A unique number.
    roots : tuple of RootInterval
        Disjoint sets of root rules.
    """

    number: int
    roots: tuple[RootInterval, ...]

    @property
    def rules(self) -> int:
        """Number of rules."""
        return sum(map(len, self.roots))


@dataclass(frozen=True)
class Report(Generic[ResultT]):
    """The report of a worker on a task.

    Attributes
    ----------
    number : int
        Number of the task.
    found : tuple of cost and tree, or None
        The best tree found, if it is better than the upper bound of the worker.
    open : tuple of RootInterval
        The unfinished rules. No tree with another rule of the task at its root costs less than
        the better of `found` and the incumbent of the plan.
    """

    number: int
    found: tuple[Number, ResultT] | None
    open: tuple[RootInterval, ...] = ()

    @property
    def open_rules(self) -> int:
        """Number of unfinished rules."""
        return sum(map(len, self.open))


@dataclass
class Plan(Generic[ResultT]):
    """The state of a distributed search.

    Attributes
    ----------
    best : tuple of cost and tree
        The incumbent, initially the leaf or any other tree; an upper bound and None if there is no
        tree.
    open : list of RootInterval
        Disjoint sets on which no worker works; initially all rules of the table.
    running : dict of int to Task
        The running tasks.
    """

    best: tuple[Number, ResultT | None]
    open: list[RootInterval]
    running: dict[int, Task] = field(default_factory=dict)
    _next_number: int = 0

    @property
    def done(self) -> bool:
        """Whether the incumbent is proved optimal."""
        return not self.open and not self.running

    @property
    def open_rules(self) -> int:
        """Number of rules on which no worker works."""
        return sum(map(len, self.open))

    @property
    def lower_bound(self) -> Number:
        """Lower bound on the cost of all trees, by the second law."""
        return min((roots.lower_bound for roots in self._unproved()), default=self.best[0])

    def take(self, sharers: int) -> Task | None:
        """Return a new running task with an equal share of the open rules.

        Parameters
        ----------
        sharers : int
            Number of workers that share the open rules, at least 1; with 1 the task has all.

        Returns
        -------
        Task or None
            The sets with the smallest lower bounds, the last possibly divided; None if no rule is
            open.
        """
        if sharers < 1:
            raise ValueError(f"sharers must be at least 1, found {sharers}.")
        if not self.open:
            return None
        self.open.sort(key=lambda roots: (roots.lower_bound, roots))
        wanted = -(-self.open_rules // sharers)  # rounded up
        taken = list(_first(self.open, wanted))
        rules = sum(map(len, taken))
        if rules > wanted:
            kept = len(taken[-1]) - (rules - wanted)
            taken[-1], rest = taken[-1].divided(kept)
            self.open[: len(taken)] = [rest]
        else:
            del self.open[: len(taken)]
        task = Task(self._next_number, tuple(taken))
        self._next_number += 1
        self.running[task.number] = task
        return task

    def enter(self, report: Report[ResultT]) -> None:
        """Enter the report of a worker.

        Parameters
        ----------
        report : Report
            The report on a running task; if the task was lost or reported before, only the tree of
            the report counts.

        Raises
        ------
        InternalError
            If its open rules were not in the task, so that its proofs would be about other trees.
        """
        task = self.running.get(report.number)
        if task is not None:
            unfinished = [_at_least(roots, own) for roots, own in _in_task(report.open, task)]
            del self.running[report.number]
            self.open += unfinished
        self.improve(report.found)

    def improve(self, found: tuple[Number, ResultT] | None) -> None:
        """Replace the incumbent if the tree is better, and remove open rules that it prunes.

        Parameters
        ----------
        found : tuple of cost and tree, or None
            A tree from any source.
        """
        if found is not None and found[0] < self.best[0]:
            self.best = found
        self.open = [roots for roots in self.open if roots.lower_bound < self.best[0]]

    def raise_to(self, lower_bound: Number) -> None:
        """Raise the lower bounds of all open rules to a lower bound on the cost of every tree.

        Parameters
        ----------
        lower_bound : int or Fraction
            The bound.
        """
        raised = (max(roots.lower_bound, lower_bound) for roots in self.open)
        self.open = [
            replace(roots, lower_bound=bound)
            for roots, bound in zip(self.open, raised, strict=True)
        ]
        self.improve(None)

    def reopen(self, number: int) -> None:
        """Make the rules of a lost task open again; a task that is not running is ignored.

        Parameters
        ----------
        number : int
            The task.
        """
        task = self.running.pop(number, None)
        if task is not None:
            self.open += task.roots
            self.improve(None)

    def _unproved(self) -> Iterator[RootInterval]:
        """List the open and running sets that may contain a better tree."""
        running = (roots for task in self.running.values() for roots in task.roots)
        for roots in (*self.open, *running):
            if roots.lower_bound < self.best[0]:
                yield roots


def _first(sets: Iterable[RootInterval], rules: int) -> Iterator[RootInterval]:
    """List the first sets with a total of at least `rules` rules."""
    count = 0
    for roots in sets:
        if count >= rules:
            return
        yield roots
        count += len(roots)


def _in_task(
    unfinished: Iterable[RootInterval], task: Task
) -> Iterator[tuple[RootInterval, RootInterval]]:
    """List unfinished sets, each with the set of the task that contains it."""
    own = sorted(task.roots)
    starts = [(roots.feature, roots.first) for roots in own]
    for roots in unfinished:
        place = bisect_right(starts, (roots.feature, roots.first)) - 1
        if place < 0 or not own[place].contains(roots):
            raise InternalError(f"task {task.number} leaves {roots} open, but does not have it.")
        yield roots, own[place]


def _at_least(roots: RootInterval, own: RootInterval) -> RootInterval:
    """Return an unfinished set with the maximum of its own lower bounds and those of the task."""
    return replace(
        roots,
        lower_bound=max(roots.lower_bound, own.lower_bound),
        left=max(roots.left, own.left),
        right=max(roots.right, own.right),
    )
