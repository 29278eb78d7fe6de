"""`enumerate_optimal` and `count_optimal`: all optimal solutions, or all within a slack."""

from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from typing import Any

from exactree.errors import MethodRefused
from exactree.names import answers_unknown_names
from exactree.notebook import paragraph
from exactree.problem import Outcome, Problem, Status
from exactree.problem.parameters import positive_seconds, whole_number
from exactree.problem.quantities import slack_of
from exactree.solve import check_problem, solve
from exactree.spec import constrained_ensemble, enumerate_constrained
from exactree.spec.constrained import fitted_within_constraints
from exactree.spec.enumerate import optimal_trees
from exactree.spec.enumerate_ensembles import optimal_ensembles
from exactree.spec.table import fitted_tree
from exactree.stopping import Interruptible, Stopped, immediate_interrupts
from exactree.trees import Ensemble, Tree

__all__ = ["Listing", "count_optimal", "enumerate_optimal", "lists_natively"]

# Yields solutions; returns whether these were all.
Answers = Generator[Tree | Ensemble, None, bool]

Slack = tuple[Fraction, ...]


class Listing(Iterator[Tree | Ensemble]):
    """An iterator over solutions, computed lazily.

    Attributes
    ----------
    complete : bool
        Whether the iterator has ended after all solutions. It stays False if a limit ended it.
    """

    def __init__(self, answers: Answers, limit: int | None) -> None:
        self.complete = False
        self._answers = answers
        self._left = limit
        self._returned = 0
        self._ready: Tree | Ensemble | None = None

    def __repr__(self) -> str:
        """Return the number of solutions that were returned, and whether these are all."""
        state = "complete" if self.complete else "not complete, iterate for more"
        return f"<Listing: {self._returned:,} returned, {state}>"

    def _repr_html_(self) -> str:
        return paragraph(repr(self).strip("<>"))

    def __iter__(self) -> "Listing":
        return self

    def __next__(self) -> Tree | Ensemble:
        """Return the next solution."""
        if self._left == 0:
            self._answers.close()
            raise StopIteration
        if self._ready is None:
            with Interruptible():
                # After Ctrl-C the solution that was found is kept for the next call.
                try:
                    self._ready = next(self._answers)
                except StopIteration as end:
                    self.complete = self.complete or end.value is True
                    raise
        answer, self._ready = self._ready, None
        self._returned += 1
        if self._left is not None:
            self._left -= 1
        return answer


@answers_unknown_names
def enumerate_optimal(
    problem: Problem,
    limit: int | None = None,
    time_limit: float | None = None,
    within: Any = 0,
    memory_limit: int | None = None,
) -> Listing:
    """List every optimal tree or ensemble once, or every one within a slack of the optimum.

    Two trees are equal if they have the same shape, and corresponding nodes use the same feature
    and send the same examples of their subset left. Two ensembles are equal if they have the same
    trees in any order, including the classes of their leaves. Trees with redundant nodes are
    listed if the slack allows them. Solutions come in order of increasing cost; the order is
    deterministic. To list only small trees, also minimize the size, as in
    ``minimize=("errors", "size")``.

    Parameters
    ----------
    problem : Problem
        The problem to solve. Some cases are for small tables only: constraints on features and
        `feature_penalty`; `min_weight_fraction_leaf` with rows of different weight;
        `max_leaves_of`; errors other
        than the weight of misclassified examples; `leaf_penalty` with `max_errors`; surfaces,
        missing values and sets of levels; and ensembles, except those of minimum total size (alone
        or in a tuple, without slack or minimum leaf size).
    limit : int, optional
        Maximum number of solutions, at least 0.
    time_limit : float, optional
        Seconds for the search, including the proof of the optimum. In the cases for small tables
        only, the caller's time between two solutions also counts.
    within : int, float, Fraction or tuple
        The slack: by how much the cost of a solution may exceed the minimum, in the unit of the
        cost; a float is read by its shortest decimal form. If `minimize` is a tuple, a tuple with
        the slack of each quantity over its value in the minimum cost. The slack does not apply to
        limits: ``minimize="size"`` with ``max_errors=t`` and ``within=w`` lists all trees with at
        most t errors and at most w nodes more than needed.
    memory_limit : int, optional
        Bytes of the graph of all trees of one problem. In the cases for small tables only, and
        for ensembles, it only limits the number of surfaces.

    Returns
    -------
    Listing
        An iterator; at its end, `complete` says whether it held all solutions. Empty if no tree
        or ensemble meets the limits. The search starts when the first solution is requested.

    Raises
    ------
    ValueError
        If a parameter is not allowed.
    MethodRefused
        If the table is too large, or there are more than 100,000 optimal ensembles without a
        lower limit.
    KeyboardInterrupt
        On Ctrl-C, by the iterator.
    """
    slack = _checked(problem, within)
    if limit is not None:
        limit = whole_number("limit", limit, 0, "an integer >= 0 or None")
    limits = (positive_seconds(time_limit), _bytes(memory_limit))
    return Listing(_answers(problem, slack, limit, *limits), limit)


@answers_unknown_names
def count_optimal(
    problem: Problem,
    time_limit: float | None = None,
    within: Any = 0,
    memory_limit: int | None = None,
) -> int | None:
    """Return the number of optimal trees or ensembles, without listing them.

    Parameters
    ----------
    problem : Problem
        As in `enumerate_optimal`. Ensembles, and the cases for small tables only, are counted by
        listing them.
    time_limit : float, optional
        Seconds, including the proof of the optimum.
    within, memory_limit
        As in `enumerate_optimal`.

    Returns
    -------
    int or None
        The exact number, however large; 0 if no tree or ensemble meets the limits. None if a limit
        ended the count.

    Raises
    ------
    ValueError
        If a parameter is not allowed.
    MethodRefused
        If the table is too large.
    """
    slack = _checked(problem, within)
    with Interruptible():
        return _count(problem, slack, positive_seconds(time_limit), _bytes(memory_limit))


def _count(
    problem: Problem, slack: Slack, time_limit: float | None, memory_limit: int | None
) -> int | None:
    """Count within a call that handles Ctrl-C."""
    if problem.n_trees > 1 or not lists_natively(problem, slack):
        listing = Listing(_answers(problem, slack, None, time_limit, memory_limit), None)
        count = sum(1 for _ in listing)
        return count if listing.complete else None
    outcome = _best(problem, time_limit, memory_limit)
    if outcome.status is Status.INFEASIBLE:
        return 0
    if outcome.status is not Status.OPTIMAL or outcome.tree is None:
        return None
    from exactree.engine import count_all

    return count_all(problem, outcome.tree, slack, _left(time_limit, outcome), memory_limit)


def _checked(problem: Problem, within: Any) -> Slack:
    """Check the problem, refuse rates, and return the slack by quantity."""
    check_problem(problem)
    if problem.rate is not None:
        raise MethodRefused(
            f"All optimal trees are not listed where {problem.error_term!r} is minimized: there a "
            "leaf may predict either class, so its splits do not determine a tree."
        )
    return slack_of(problem.minimize, within)


def lists_natively(problem: Problem, slack: Slack) -> bool:
    """Return whether the engine lists the solutions; else the specification does.

    Parameters
    ----------
    problem : Problem
        A problem that `enumerate_optimal` accepts.
    slack : tuple of Fraction
        The slack of each quantity.
    """
    from exactree.engine import reason_to_refuse_all_ensembles, reason_to_refuse_all_trees

    reason_to_refuse = (
        reason_to_refuse_all_trees if problem.n_trees == 1 else reason_to_refuse_all_ensembles
    )
    return reason_to_refuse(problem, slack) is None


def _bytes(memory_limit: Any) -> int | None:
    allowed = "a positive integer (bytes) or None"
    return None if memory_limit is None else whole_number("memory_limit", memory_limit, 1, allowed)


def _answers(
    problem: Problem,
    slack: Slack,
    limit: int | None,
    time_limit: float | None,
    memory_limit: int | None,
) -> Answers:
    """Return the solutions to list, after refusing tables with too many surfaces."""
    from exactree.engine import Timer, refuse_many_surfaces

    refuse_many_surfaces(problem, memory_limit)
    if problem.n_trees == 1:
        if lists_natively(problem, slack):
            return _trees(problem, slack, time_limit, memory_limit)
        return _until_stopped(_trees_by_definition(problem, slack, Timer(time_limit).check))
    if lists_natively(problem, slack):
        return _ensembles(problem, limit, time_limit)
    return _until_stopped(_ensembles_by_definition(problem, slack, Timer(time_limit).check))


def _trees_by_definition(
    problem: Problem, slack: Slack, check: Callable[[], None]
) -> Iterator[Tree]:
    if problem.feature_constraints:
        listed = enumerate_constrained.optimal_trees(problem, slack, check)
        return (fitted_within_constraints(problem, tree) for tree in listed)
    return (fitted_tree(problem, tree) for tree in optimal_trees(problem, slack, check))


def _ensembles_by_definition(
    problem: Problem, slack: Slack, check: Callable[[], None]
) -> Iterator[Ensemble]:
    if problem.feature_constraints:
        listed = constrained_ensemble.optimal_ensembles(problem, slack, check)
        return (constrained_ensemble.fitted(problem, trees) for trees in listed)
    listed = optimal_ensembles(problem, slack, check)
    return (Ensemble(tuple(fitted_tree(problem, tree) for tree in trees)) for trees in listed)


def _until_stopped(answers: Iterator[Any]) -> Answers:
    """List the solutions of a specification until it is stopped."""
    try:
        while True:
            with immediate_interrupts():
                answer = next(answers, None)
            if answer is None:
                return True
            yield answer
    except Stopped:
        return False


def _trees(
    problem: Problem, slack: Slack, time_limit: float | None, memory_limit: int | None
) -> Answers:
    from exactree.engine import all_trees

    outcome = _best(problem, time_limit, memory_limit)
    if outcome.status is not Status.OPTIMAL or outcome.tree is None:
        return outcome.status is Status.INFEASIBLE
    seconds_left = _left(time_limit, outcome)
    return (yield from all_trees(problem, outcome.tree, slack, seconds_left, memory_limit))


def _ensembles(problem: Problem, limit: int | None, time_limit: float | None) -> Answers:
    from exactree.engine import all_ensembles

    outcome = _best(problem, time_limit)
    if outcome.status is not Status.OPTIMAL or outcome.ensemble is None:
        return outcome.status is Status.INFEASIBLE
    seconds_left = _left(time_limit, outcome)
    ensembles, complete = all_ensembles(problem, outcome.ensemble, limit, seconds_left)
    yield from ensembles
    return complete


def _best(problem: Problem, time_limit: float | None, memory_limit: int | None = None) -> Outcome:
    """Find and prove the optimum; raise on Ctrl-C, as no outcome here can report it."""
    method = "auto" if problem.n_trees == 1 else "witness"  # the search that also lists ensembles
    outcome = solve(problem, method=method, time_limit=time_limit, memory_limit=memory_limit)
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    return outcome


def _left(time_limit: float | None, outcome: Outcome) -> float | None:
    """Return the remaining time after a search."""
    if time_limit is None:
        return None
    seconds: float = outcome.stats["seconds"]
    return max(time_limit - seconds, 0.0)
