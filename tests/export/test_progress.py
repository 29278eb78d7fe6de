"""plot_progress: the steps are the incumbents and the lower bounds of a search."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.export import plot_progress
from exactree.export.progress import progress_steps

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def moments() -> list[xt.Progress]:
    """Return reports of two incumbents, of cost 9 and 6, with four lower bounds."""
    reports = [(None, 0, 0.0), (9, 2, 0.5), (9, 4, 1.0), (6, 4, 2.0), (6, 6, 3.0)]
    return [xt.Progress(cost, bound, seconds) for cost, bound, seconds in reports]


def steps(ax: Any) -> dict[str, list[tuple[float, float]]]:
    return {
        line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        for line in ax.lines
        if line.get_label()[0] != "_"
    }


def test_the_steps_are_the_reported_costs_and_bounds() -> None:
    ax = plot_progress(moments())
    drawn = steps(ax)
    assert drawn["best tree so far"] == [(0.5, 9), (1.0, 9), (2.0, 6), (3.0, 6), (3.0, 6)]
    assert drawn["lower bound"][:5] == [(0.0, 0), (0.5, 2), (1.0, 4), (2.0, 4), (3.0, 6)]
    assert {line.get_drawstyle() for line in ax.lines[::2]} == {"steps-post"}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("seconds", "cost")


def test_an_outcome_keeps_its_progress() -> None:
    X = np.random.default_rng(1).normal(size=(60, 3))
    outcome = xt.solve(xt.Problem(X, X[:, 0] * X[:, 1] > 0, limits=xt.Limits(max_depth=2)))
    costs, bounds = progress_steps(outcome)
    assert costs[-1][1] == outcome.cost == bounds[-1][1]
    assert len(steps(plot_progress(outcome))) == 2


def test_the_first_component_of_a_tuple_is_drawn() -> None:
    reports = [xt.Progress((5, 3), (1, 0), 0.0), xt.Progress((5, 2), (5, 2), 1.0)]
    assert progress_steps(reports) == ([(0.0, 5.0), (1.0, 5.0)], [(0.0, 1.0), (1.0, 5.0)])


def test_without_an_incumbent_only_the_lower_bound_is_drawn() -> None:
    drawn = steps(plot_progress([xt.Progress(None, 0, 0.0), xt.Progress(None, 3, 2.0)]))
    assert drawn["best tree so far"] == []
    assert drawn["lower bound"][-1] == (2.0, 3.0)


def test_an_outcome_without_progress_is_refused() -> None:
    outcome = xt.solve(xt.Problem([[0], [1]], [0, 1]), implementation="spec")
    with pytest.raises(ValueError, match="recorded no progress"):
        plot_progress(outcome)
