"""`certify_front`: write certificates that together prove a Pareto front.

A front has points (a, b): a count of nodes or levels, and another quantity. By increasing a, the
certificate of a point proves: no tree whose count is less than the next a has (b, a) before those
of the point in lexicographic order. So no tree dominates a point, and no nondominated one is
missing from there to the next point. Before the first point a certificate proves that there is no
tree.
"""

from dataclasses import replace

from exactree.certificates import Certificate
from exactree.certified_bound import certify
from exactree.errors import MethodRefused
from exactree.names import answers_unknown_names
from exactree.problem import Listener, Outcome, ParetoFront, Problem, Status
from exactree.problem.parameters import positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.solve import check_problem
from exactree.stopping import Deadline

__all__ = ["certify_front"]

# The limit on each count.
_LIMITS = {"size": "max_size", "depth": "max_depth"}


@answers_unknown_names
def certify_front(
    problem: Problem,
    front: ParetoFront,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: Listener | None = None,
) -> list[Certificate]:
    """Write certificates that prove a Pareto front: one for every point.

    Each certificate proves that its point has the minimum of the other quantity among all trees
    with a smaller size, or depth, than the next point, and the smallest size or depth with that
    minimum. If the smallest point is not a leaf, a certificate before those of the points proves
    that no smaller tree is within the limits.

    Parameters
    ----------
    problem : Problem
        The problem that was solved; `certify` says which problems certificates cover.
    front : ParetoFront
        Its front, from ``pareto_front(problem, quantities)``, of two quantities. One of them is
        the size or the depth.
    time_limit : float, optional
        Seconds for all certificates together. Later certificates may then prove smaller bounds.
    memory_limit, n_jobs, on_progress
        As in `certify`.

    Returns
    -------
    list of Certificate
        The certificates, by increasing size or depth.

    Raises
    ------
    MethodRefused
        If certificates do not cover the problem, or the front has other quantities.
    ValueError, TypeError
        If the front is not one of the problem, or not complete.
    InternalError
        If the front is wrong.

    Examples
    --------
    >>> import exactree as xt
    >>> X, y = [[0], [1], [2], [3], [4]], [0, 1, 1, 0, 1]
    >>> problem = xt.Problem(X, y)
    >>> front = xt.pareto_front(problem, ("size", "errors"))
    >>> [outcome.cost for outcome in front]
    [(0, 2), (1, 1), (3, 0)]
    >>> certificates = xt.certify_front(problem, front)
    >>> [xt.check(certificate, X, y).cost for certificate in certificates]
    [(2, 0), (1, 1), (0, 3)]
    """
    check_problem(problem)
    if not isinstance(front, ParetoFront):
        raise TypeError(f"front must be a ParetoFront of pareto_front, got {type(front).__name__}.")
    counted = [name for name in front.quantities if name in _LIMITS]
    if len(front.quantities) != 2 or not counted:
        raise MethodRefused(
            "Certificates of fronts are for two quantities, of which one is the size or the depth; "
            f"this front is of {', '.join(front.quantities)}."
        )
    if not front or any(outcome.status is not Status.OPTIMAL for outcome in front):
        raise ValueError("front must have points, all of which are proved.")
    by, deadline = counted[0], Deadline(positive_seconds(time_limit))
    other = next(name for name in front.quantities if name != by)
    certificates = []
    for limit, outcome in _steps(front, by):
        step = problem.minimizing((other, by))
        if limit is not None:
            step = step.within(replace(problem.limits, **{_LIMITS[by]: limit}))
        certificates.append(
            certify(
                step,
                outcome,
                # Without time left a certificate still states the tree and the trivial bound.
                time_limit=None if time_limit is None else max(deadline.left() or 0.0, 1e-6),
                memory_limit=memory_limit,
                n_jobs=n_jobs,
                on_progress=on_progress,
            )
        )
    return certificates


def _steps(front: ParetoFront, by: str) -> list[tuple[int | None, Outcome]]:
    """Return the outcome of each certificate, and the greatest count of its trees; None for any."""
    at = front.quantities.index(by)
    known = [(as_tuple(o.cost), o) for o in front if o.cost is not None]
    points = sorted(known, key=lambda point: point[0][at])
    counts = [int(cost[at]) for cost, _ in points]
    steps: list[tuple[int | None, Outcome]] = []
    if counts[0]:
        steps.append((counts[0] - 1, Outcome(Status.INFEASIBLE, None, points[0][0], None)))
    limits = [*(count - 1 for count in counts[1:]), None]
    for (cost, outcome), limit in zip(points, limits, strict=True):
        ordered = (cost[1 - at], cost[at])
        steps.append((limit, replace(outcome, cost=ordered, lower_bound=ordered)))
    return steps
