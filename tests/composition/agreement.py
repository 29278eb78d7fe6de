"""Comparison of an outcome with that of the definition."""

from typing import Any

import pytest

from exactree import Outcome, Problem
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple

__all__ = ["check_as_defined"]


def check_as_defined(problem: Problem, outcome: Outcome, expected: Outcome, context: Any) -> None:
    """Compare an outcome with the definition, up to the rounding of searches that round.

    Parameters
    ----------
    problem : Problem
        The problem.
    outcome, expected : Outcome
        Those of the search and of the definition.
    context : object
        Shown if the two differ.
    """
    if outcome.stopped_by is not None:
        assert outcome.stopped_by == ROUNDED, context
        assert expected.cost is not None, context
        assert as_tuple(outcome.lower_bound) <= as_tuple(expected.cost), context
        return
    assert outcome.status is expected.status, context
    if outcome.cost is None or expected.cost is None:
        assert outcome.cost is expected.cost, context
        return
    if problem.exact_errors:
        assert outcome.cost == expected.cost, context
        return
    found, best = as_tuple(outcome.cost), as_tuple(expected.cost)
    at = problem.quantities.index(problem.error_term)
    assert found[:at] == best[:at], context
    assert found[at] == pytest.approx(best[at], rel=1e-9, abs=1e-11), context
    # The definition compares fractions: of trees whose errors differ by less than the rounding, or
    # not at all as floats, it may choose a larger one.
    same = found[at] == best[at]
    assert found[at + 1 :] <= best[at + 1 :] if same else found[at] > best[at], context
