"""The front by the native engine: one lexicographic search after the other.

A vector of the front is the lexicographic minimum of the vectors that no earlier vector of the
front dominates. These vectors form a set of boxes: upper limits on all quantities but the first.
The minimum over the minima of all boxes is the next vector of the front. Every box that contains it
is divided, because a vector that the new vector does not dominate is smaller in at least one of the
other quantities. The first quantity needs no limit, because it never decreases along the front.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactree.engine.fronts.parallel import ParallelSolver
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import Number, as_tuple

__all__ = ["front"]

# By quantity, the exclusive upper limit of a vector; None for no limit.
FrontBox = tuple[Number | None, ...]
# The limits whose names differ from those of the quantities.
_LIMITS = {"largest_size": "max_size"}


def front(problem: Problem, solver: ParallelSolver) -> list[Outcome]:
    """Return one outcome for each non-dominated cost.

    Parameters
    ----------
    problem : Problem
        The problem; its `minimize` is the tuple of quantities.
    solver : ParallelSolver
        Solves problems of this kind.

    Returns
    -------
    list of Outcome
        By increasing cost in lexicographic order; empty when nothing meets the limits. When a
        search is stopped, its outcome is the last.
    """
    found: list[Outcome] = []
    others = len(problem.quantities) - 1
    boxes: dict[FrontBox, Outcome] = {}
    new_boxes: list[FrontBox] = [(None,) * others]
    while True:
        outcomes = solver([_within(problem, box) for box in new_boxes])
        for box, outcome in zip(new_boxes, outcomes, strict=False):
            if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
                return [*found, outcome]
            if outcome.cost is not None:
                boxes[box] = outcome
        if not boxes:
            return found
        found.append(min(boxes.values(), key=_vector))
        new_boxes = _divided(boxes, _vector(found[-1])[1:])


def _vector(outcome: Outcome) -> tuple[Number, ...]:
    return () if outcome.cost is None else as_tuple(outcome.cost)


def _divided(boxes: dict[FrontBox, Outcome], vector: tuple[Number, ...]) -> list[FrontBox]:
    """Remove the boxes that contain a vector; return boxes of vectors that it does not dominate."""
    holding = [box for box in boxes if all(map(_below, vector, box))]
    for box in holding:
        del boxes[box]
    divided = {
        (*box[:index], value, *box[index + 1 :])
        for box in holding
        for index, value in enumerate(vector)
        if value > 0
    }
    # A box inside another box needs no search of its own.
    kept = [*boxes, *divided]
    return [
        box for box in divided if not any(other != box and _inside(box, other) for other in kept)
    ]


def _below(value: Number, limit: Number | None) -> bool:
    return limit is None or value < limit


def _inside(box: FrontBox, other: FrontBox) -> bool:
    return all(
        outer is None or (inner is not None and inner <= outer)
        for inner, outer in zip(box, other, strict=True)
    )


def _within(problem: Problem, box: FrontBox) -> Problem:
    """Return the problem with limits that keep a vector inside a box."""
    limits: dict[str, Any] = {}
    for quantity, limit in zip(problem.quantities[1:], box, strict=True):
        if limit is not None:
            # Errors are whole numbers of units of weight.
            unit = Fraction(1, problem.dataset.weight_scale) if quantity == "errors" else 1
            limits[_LIMITS.get(quantity, f"max_{quantity}")] = limit - unit
    return problem.within(replace(problem.limits, **limits))
