"""The Pareto front of some rows of a table, computed for a tuned estimator in any thread."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from exactree.errors import Infeasible
from exactree.problem import Outcome, Problem
from exactree.problem.outcome import Suggestion
from exactree.progress import Live
from exactree.solve import solve, takes_incumbent
from exactree.stopping import Call, interrupted, joined
from exactree.tuning import LIMITED_QUANTITY_OF, best_at, front_within

__all__ = ["FrontOfRows", "front_of", "fronts_advice"]


@dataclass(frozen=True, eq=False)
class FrontOfRows:
    """The Pareto front of some rows.

    Attributes
    ----------
    outcomes : tuple of Outcome
        The points of the front.
    penalty_unit : Fraction
        The cost of a leaf if the leaf penalty is 1.
    proved : bool
        Whether the whole front is proved.
    proved_to : int
        The size or depth up to which it is; -1 if nothing is proved.
    """

    outcomes: tuple[Outcome, ...]
    penalty_unit: Fraction
    proved: bool
    proved_to: int

    def best_at(self, along: str, value: Any) -> Outcome:
        """Return the best outcome for a setting, as `exactree.tuning.best_at`."""
        return best_at(self.outcomes, along, value, self.penalty_unit)


def front_of(
    call: Call | None,
    live: Live,
    name: str,
    base: Any,
    along: str,
    table: tuple[Any, Any, Any],
    rows: NDArray[np.int64],
) -> FrontOfRows:
    """Return the front of some rows, computed in any thread as a part of a call.

    Parameters
    ----------
    call : Call or None
        The call that started the thread.
    live : Live
        Shows the progress.
    name : str
        The name of the rows, such as "fold 2 of 5".
    base : estimator
        The tuned estimator.
    along : str
        What is tuned.
    table : tuple
        Features, labels, and weights or None.
    rows : ndarray of int64
        The rows.
    """
    with joined(call):
        live.say(name)
        front = _front_here(base, along, table, rows, _search_of(base, along, live, name))
        live.end_step()
        if interrupted():
            raise KeyboardInterrupt  # choosing needs all fronts
        return front


def _front_here(
    base: Any, along: str, table: tuple[Any, Any, Any], rows: NDArray[np.int64], search: Any
) -> FrontOfRows:
    """Return the front of some rows."""
    X, labels, weights = table
    row_weights = None if weights is None else weights[rows]
    problem = base._problem(_safe_indexing(X, rows), _safe_indexing(labels, rows), row_weights)
    front = front_within(problem, along, search, base.time_limit)
    if not front.outcomes:
        raise Infeasible(f"No tree meets the limits on {len(rows):,} rows.")
    unit = Fraction(problem.price_unit, problem.dataset.weight_scale)
    return FrontOfRows(front.outcomes, unit, front.proved, front.proved_to)


def _search_of(base: Any, along: str, live: Live, name: str) -> Any:
    """Return the search of an estimator, started from an incumbent if the method supports it.

    Its progress is shown with the name of the front and the limit of the search.
    """
    quantity = LIMITED_QUANTITY_OF[along]
    _, options = base._search()
    for parameter in ("resume", "incumbent"):
        if options.pop(parameter, None) is not None:
            raise ValueError(f"{parameter} is for one search; a front needs many.")
    del options["time_limit"]

    def search(problem: Problem, incumbent: Any, time_limit: float | None) -> Outcome:
        if incumbent is not None and takes_incumbent(problem, base.method, base.implementation):
            options["incumbent"] = incumbent
        limit = getattr(problem.limits, f"max_{quantity}")
        stage = f"{name}, {'all limits' if limit is None else f'{quantity} {limit}'}"
        listener = live.listener(problem, base.on_progress, stage)
        return solve(problem, **options, time_limit=time_limit, on_progress=listener)

    return search


def fronts_advice(base: Any, along: str) -> list[Suggestion]:
    """Return what would help fronts that are not proved: parameters of the tuned estimator.

    Parameters
    ----------
    base : estimator
        The tuned estimator.
    along : str
        What is tuned.
    """
    advice = []
    if along == "size" and base.max_depth is not None:
        advice.append(Suggestion("along", value="'depth'", note="which takes few searches"))
    if base.time_limit is not None:
        note = f"{base.time_limit:g} s for each fold now"
        advice.append(Suggestion("time_limit", "a longer", note=note))
    # A limit that the user has not set is no setting of his; "auto" is small already.
    limits = ("max_depth",) if along == "depth" else ("max_size", "max_depth")
    for name in limits:
        if isinstance(getattr(base, name), int) and getattr(base, name) > 1:
            advice.append(Suggestion(name, "a smaller", note=f"{getattr(base, name)} now"))
    return advice
