"""Search for the tree of minimum risk bound among all trees with at most a given number of leaves.

The idea     The risk bound is the sum of a price of the shape and a price of the errors. For each
             number of leaves the engine proves the minimum errors of all trees of that size. These
             are a lower bound on the errors of each shape of that size, so a shape is pruned if its
             risk bound at these errors is not below that of the incumbent. If time does not suffice
             for a proof, a second search finds the minimum number of leaves of a tree with so few
             errors that it can be better than the incumbent. The remaining shapes are searched one
             by one, the smallest lower bound first, for a tree that is better than the incumbent.
Why safe     A tree of some shape with n leaves has at least e errors, where e is the minimum of
             all trees with at most n leaves, and the bound increases with the errors. So its bound
             is at least that of its shape at e, and pruning loses no better tree. The minimum
             errors never increase with the number of leaves, so a lower bound for more leaves holds
             for fewer leaves. And if every tree with at most k errors has at least n leaves, then
             every tree with fewer leaves has more than k errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil

from exactree.bound_optimal.curve import CurveEntry
from exactree.bound_optimal.definition import by_definition
from exactree.bound_optimal.prices import RiskPrices
from exactree.data.groups import unavoidable_errors
from exactree.errors import MethodRefused
from exactree.problem import Limits, Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.advice import time_advice
from exactree.problem.outcome import Suggestion
from exactree.problem.parameters import positive_seconds, whole_number
from exactree.problem.quantities import as_tuple
from exactree.solve import check_problem, solve
from exactree.stopping import Deadline, Interruptible
from exactree.theory import TreeShape, enumerate_shapes, shape_of
from exactree.theory.risk import DEFAULT_R
from exactree.trees import Tree

__all__ = ["MAX_LEAVES", "solve_bound_optimal"]

MAX_LEAVES = 14  # there are 4,012 shapes of up to 14 leaves


def solve_bound_optimal(
    problem: Problem,
    max_leaves: int = 8,
    *,
    delta: float = 0.05,
    r: float = DEFAULT_R,
    implementation: str = "native",
    time_limit: float | None = None,
    on_progress: Listener | None = None,
) -> Outcome:
    """Return the tree of minimum risk bound among all trees with at most `max_leaves` leaves.

    Parameters
    ----------
    problem : Problem
        A table and rules; it minimizes the errors of one tree, without limits. Weights must be
        integers: a row of weight two counts as two examples. The rules of a `FixedRules` must have
        been chosen without looking at the examples.
    max_leaves : int
        Maximum number of leaves, from 1 to 14.
    delta, r : float
        As in `theory.risk_bound`: the probability with which the bound may fail, and the parameter
        of the prior of errors.
    implementation : {"native", "spec"}
        "spec" enumerates all trees, for small tables only.
    time_limit : float, optional
        Seconds. Each number of leaves may take an equal share of the remaining time.
    on_progress : callable, optional
        As in `solve`; its progress has risk bounds as costs.

    Returns
    -------
    Outcome
        An outcome that always has a tree, possibly a single leaf. Cost and lower bound are risk
        bounds: no tree with at most `max_leaves` leaves has a risk bound below the lower bound.
        ``stats["curve"]`` has a `CurveEntry` for each number of leaves (not with "spec"), and
        ``stats["errors"]`` is the number of errors of the tree. With surfaces,
        ``stats["surfaces_left_out"]`` counts the splits found without a rule in floating point,
        which the proof does not cover.

    Raises
    ------
    ValueError
        If the problem has other quantities or limits, or a parameter is not allowed.
    TypeError
        If no risk bound is known for some of the rules.
    MethodRefused
        If surfaces split the table in too many ways, and there is no time limit.
    """
    check_problem(problem)
    _refuse_other_problems(problem)
    allowed = f"an integer from 1 to {MAX_LEAVES}"
    max_leaves = whole_number("max_leaves", max_leaves, 1, allowed, MAX_LEAVES)
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    prices = RiskPrices(problem, delta, r)
    if implementation == "spec":  # no partial result to save, so Ctrl-C may just raise
        bound, _, outcome = by_definition(problem, max_leaves, prices)
        cost = Fraction(bound)
        return replace(outcome, cost=cost, lower_bound=cost, stats={"errors": outcome.cost})
    with Interruptible() as call:
        search = _Search(problem, max_leaves, prices, positive_seconds(time_limit), on_progress)
        search.through_sizes()
        search.through_few_errors()
        search.through_shapes()
        outcome = search.outcome()
        call.answered = outcome.stopped_by == "interrupt"
        return outcome


def _refuse_other_problems(problem: Problem) -> None:
    if problem.minimize != "errors" or problem.n_trees != 1 or problem.leaf_penalty:
        raise ValueError(
            "minimizing a risk bound replaces the objective: the problem must minimize errors of "
            "one tree, without leaf_penalty."
        )
    problem.dataset.refuse_missing("risk bounds take no missing values")
    if problem.limits != Limits():
        raise ValueError(
            f"minimizing a risk bound allows no limit except max_leaves, got {problem.limits}."
        )


class _Search:
    """State of the search: first over numbers of leaves, then over shapes."""

    def __init__(
        self,
        problem: Problem,
        max_leaves: int,
        prices: RiskPrices,
        time_limit: float | None,
        on_progress: Listener | None,
    ) -> None:
        self.problem, self.max_leaves, self.prices = problem, max_leaves, prices
        self.deadline, self.on_progress = Deadline(time_limit), on_progress
        self.stopped_by: str | None = None
        self.left_out: int | None = None  # splits without a rule in floating point
        self.shapes = {n: list(enumerate_shapes(n)) for n in range(1, max_leaves + 1)}
        # Lower bounds on the errors of trees with a number of leaves, and of trees of a shape.
        self.size_errors = dict.fromkeys(self.shapes, unavoidable_errors(problem.dataset))
        self.shape_errors: dict[TreeShape, int] = {}
        self.found: dict[int, Tree] = {}
        self.searched: set[TreeShape] = set()
        self.best: tuple[float, Tree] | None = None

    def through_sizes(self) -> None:
        """Find the minimum errors of trees for increasing maximum numbers of leaves."""
        self._take_leaf()
        for leaves in range(2, self.max_leaves + 1):
            if self._must_stop():
                break
            if self.best is not None and self._size_bound(leaves) >= self.best[0]:
                continue
            restricted = self.problem.within(Limits(max_size=leaves - 1))
            # To come: the larger numbers of leaves, each number again for few errors, the shapes.
            outcome = self._solve(restricted, self._share(2 * self.max_leaves + 2 - leaves))
            assert not isinstance(outcome.lower_bound, tuple)
            self.size_errors[leaves] = max(ceil(outcome.lower_bound), self.size_errors[leaves])
            found = [*self.found.values(), *outcome.trees]  # smaller trees are also allowed
            self.found[leaves] = min(found, key=_errors_of)
        for leaves in range(self.max_leaves - 1, 0, -1):
            self.size_errors[leaves] = max(self.size_errors[leaves], self.size_errors[leaves + 1])

    def _take_leaf(self) -> None:
        """Start with the tree of a single leaf, so that there is always a tree."""
        from exactree.engine import one_leaf

        leaf = one_leaf(self.problem)
        assert leaf is not None, "there are no limits"
        self.size_errors[1], self.found[1] = _errors_of(leaf), leaf
        self._offer(leaf)

    def through_few_errors(self) -> None:
        """Prove that few errors need more leaves, for numbers of leaves without a proof."""
        for leaves in self.shapes:
            share = self._share(self.max_leaves + 2 - leaves)
            if self._unproved(leaves):
                self._search_few_errors(leaves, share)

    def _search_few_errors(self, leaves: int, share: float | None) -> None:
        assert self.best is not None
        if self._must_stop() or self._size_bound(leaves) >= self.best[0]:
            return
        limit = max(self.prices.max_errors_below(s, self.best[0]) for s in self.shapes[leaves])
        limits = Limits(max_size=leaves - 1, max_errors=limit)
        outcome = self._solve(self.problem.minimizing(("size",)).within(limits), share)
        infeasible = outcome.status is Status.INFEASIBLE
        needed = leaves if infeasible else ceil(as_tuple(outcome.lower_bound)[0])
        for fewer in range(1, needed + 1):  # trees of fewer nodes than are needed
            self.size_errors[fewer] = max(self.size_errors[fewer], limit + 1)

    def _solve(self, problem: Problem, share: float | None) -> Outcome:
        """Solve, and keep the tree if it is better."""
        outcome = solve(problem, time_limit=share, on_progress=self._listener())
        self.stopped_by = outcome.stopped_by or self.stopped_by
        if (left_out := outcome.stats.get("surfaces_left_out")) is not None:
            self.left_out = max(left_out, self.left_out or 0)
        if outcome.tree is not None:
            self._offer(outcome.tree)
        return outcome

    def through_shapes(self) -> None:
        """Search the shapes that can be better than the best, by increasing lower bound."""
        open_shapes = [s for shapes in self.shapes.values() for s in shapes if self._open(s)]
        # Shapes of sizes with proved minimum errors come first: their searches are fast.
        open_shapes.sort(key=lambda shape: (self._unproved(shape.leaves), self._bound(shape)))
        for number, shape in enumerate(open_shapes):
            if self._open(shape):
                if self._must_stop():
                    break
                self._try(shape, self._share(len(open_shapes) - number))

    def _try(self, shape: TreeShape, share: float | None) -> None:
        """Find the minimum errors of a shape, if they give a bound below the best."""
        from exactree.engine import tree_with_shape

        assert self.best is not None
        max_errors = self.prices.max_errors_below(shape, self.best[0])
        errors = (self._errors(shape), max_errors)
        try:
            tree, complete = tree_with_shape(self.problem, _children(shape), errors, share)
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
            return
        except MethodRefused:  # too many surfaces for columns, which only a time limit permits
            self.stopped_by = self.stopped_by or "time limit"
            return
        self.searched.add(shape)
        if tree is not None:
            self._offer(tree)
            self.shape_errors[shape] = _errors_of(tree)
        elif complete:
            self.shape_errors[shape] = max_errors + 1
        else:
            self.stopped_by = "time limit"
        if self.on_progress is not None and self.on_progress(self._progress()):
            self.stopped_by = "callback"

    def outcome(self) -> Outcome:
        """Return the best tree with its proved lower bound."""
        assert self.best is not None
        bound, tree = self.best
        lower = self._lower_bound()
        proved = lower >= bound
        cost = Fraction(bound)
        return Outcome(
            status=Status.OPTIMAL if proved else Status.FEASIBLE,
            cost=cost,
            lower_bound=cost if proved else Fraction(lower),
            tree=tree,
            stats={
                "errors": _errors_of(tree),
                "curve": tuple(self._curve()),
                "searched_shapes": len(self.searched),
                "shapes": sum(map(len, self.shapes.values())),
                **({} if self.left_out is None else {"surfaces_left_out": self.left_out}),
            },
            stopped_by=None if proved and self.stopped_by != "interrupt" else self.stopped_by,
            advice=() if proved else self._advice(),
            cost_names=("risk_bound",),
        )

    def _advice(self) -> tuple[Suggestion, ...]:
        """Return what would help if the time was up."""
        if self.stopped_by != "time limit":
            return ()
        fewer = Suggestion("max_leaves", "a smaller", note=f"{max(self.shapes)} now")
        return (time_advice(self.deadline.limit), fewer)

    def _curve(self) -> Iterator[CurveEntry]:
        for leaves in self.shapes:
            tree = self.found.get(leaves)
            errors = None if tree is None else _errors_of(tree)
            yield CurveEntry(
                leaves=leaves,
                errors=errors,
                errors_lower_bound=self.size_errors[leaves],
                tree=tree,
                risk_bound=None if tree is None else self._risk_bound(tree),
                risk_lower_bound=self._size_bound(leaves),
            )

    def _offer(self, tree: Tree) -> None:
        """Keep a tree for the numbers of leaves for which no better tree is found yet."""
        for leaves, found in self.found.items():
            if tree.leaves <= leaves and _errors_of(tree) < _errors_of(found):
                self.found[leaves] = tree
        bound = self._risk_bound(tree)
        if self.best is None or bound < self.best[0]:
            self.best = (bound, tree)

    def _risk_bound(self, tree: Tree) -> float:
        return self.prices.bound(shape_of(tree), _errors_of(tree))

    def _errors(self, shape: TreeShape) -> int:
        """Return a lower bound on the errors of trees of a shape."""
        return max(self.shape_errors.get(shape, 0), self.size_errors[shape.leaves])

    def _bound(self, shape: TreeShape) -> float:
        """Return a lower bound on the risk bound of trees of a shape."""
        return self.prices.bound(shape, self._errors(shape))

    def _size_bound(self, leaves: int) -> float:
        """Return a lower bound on the risk bound of trees with a number of leaves."""
        return min(map(self._bound, self.shapes[leaves]))

    def _lower_bound(self) -> float:
        return min(map(self._size_bound, self.shapes))

    def _open(self, shape: TreeShape) -> bool:
        assert self.best is not None
        return self._bound(shape) < self.best[0]

    def _unproved(self, leaves: int) -> bool:
        """Return whether the minimum errors for a number of leaves are not proved yet."""
        tree = self.found.get(leaves)
        return tree is None or _errors_of(tree) > self.size_errors[leaves]

    def _share(self, searches: int) -> float | None:
        """Return an equal share of the remaining seconds for each of the remaining searches."""
        left = self.deadline.left()
        return None if left is None else max(left, 1e-3) / searches

    def _must_stop(self) -> bool:
        """Return whether the search has to stop early."""
        if self.stopped_by not in ("interrupt", "callback"):
            self.stopped_by = self.deadline.stopped_by() or self.stopped_by
            return self.deadline.stopped_by() is not None
        return True

    def _listener(self) -> Listener | None:
        """Return a listener that reports risk bounds in place of the errors of one size."""
        if self.on_progress is None:
            return None
        callback = self.on_progress
        return lambda progress: callback(self._progress())

    def _progress(self) -> Progress:
        cost = None if self.best is None else Fraction(self.best[0])
        lower = self._lower_bound()
        proved = lower if self.best is None else min(lower, self.best[0])
        return Progress(cost, Fraction(proved), self.deadline.seconds())


def _errors_of(tree: Tree) -> int:
    """Return the number of errors of a tree on the table it was fitted to."""
    return int(tree.errors[tree.children_left < 0].sum())


def _children(shape: TreeShape) -> list[tuple[int, int] | None]:
    """List all subtrees of a shape in postorder, each as the indices of its children."""
    order = [*shape.proper_subtrees(), shape]
    index = {subtree: number for number, subtree in enumerate(order)}
    pairs = (subtree.children for subtree in order)
    return [None if pair is None else (index[pair[0]], index[pair[1]]) for pair in pairs]
