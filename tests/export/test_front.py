"""plot_front: the curves are the errors of a front's outcomes, on training and held-out rows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import exactree as xt
from exactree.export import plot_front
from exactree.export.front import front_entries

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def table(rows: int = 24) -> tuple[NDArray[Any], NDArray[Any]]:
    X = np.random.default_rng(4).integers(0, 6, size=(rows, 2)).astype(float)
    return X, np.where((X[:, 0] > 2) ^ (X[:, 1] > 3), "a", "b")


def curves(ax: Any) -> dict[str, tuple[list[float], list[float]]]:
    return {
        line.get_label(): (line.get_xdata().tolist(), line.get_ydata().tolist())
        for line in ax.lines
    }


def test_the_curves_are_error_rates_by_size() -> None:
    X, y = table()
    front = xt.pareto_front(xt.Problem(X[:16], y[:16]), ("size", "errors"))
    ax = plot_front(front, held_out=(X[16:], y[16:]))
    drawn = curves(ax)
    sizes = [outcome.tree.size for outcome in front]
    assert len(sizes) >= 3
    training = [(outcome.tree.predict(X[:16]) != y[:16]).mean() for outcome in front]
    held_out_errors = [(outcome.tree.predict(X[16:]) != y[16:]).mean() for outcome in front]
    assert drawn == {"training": (sizes, training), "held out": (sizes, held_out_errors)}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training", "held out"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("nodes", "error rate")


def test_outcomes_of_a_regression_have_mean_errors() -> None:
    X = np.arange(6.0)[:, None]
    y = np.array([0.0, 0, 4, 4, 9, 11])
    problem = xt.Problem(X, y, minimize="squared_error")
    front = xt.pareto_front(problem, ("size", "squared_error"))
    entries = front_entries(front, held_out=([[0.0], [5.0]], [1.0, 11.0]))
    assert [entry.size for entry in entries] == list(range(len(front)))
    assert entries[0].error == pytest.approx(np.var(y))
    assert entries[0].held_out == pytest.approx(((y.mean() - 1) ** 2 + (y.mean() - 11) ** 2) / 2)
    assert plot_front(front).get_ylabel() == "mean squared error"


def test_outcomes_of_ensembles_have_their_total_size() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    y = ["a", "b", "b", "a", "a", "b"]
    problem = xt.Problem(X, y, n_trees=3, minimize="total_size")
    front = xt.pareto_front(problem, ("total_size", "errors"))
    entries = front_entries(front, held_out=(X, y))
    assert [entry.size for entry in entries] == [outcome.ensemble.total_size for outcome in front]
    assert all(entry.error == entry.held_out for entry in entries)


def test_outcomes_without_a_proof_show_their_lower_bound() -> None:
    X, y = table()
    second = xt.pareto_front(xt.Problem(X, y), ("size", "errors"))[1]
    bound = (second.cost[0], 1)  # at least one error with a tree of this size
    stopped = xt.Outcome(xt.Status.FEASIBLE, second.cost, bound, second.tree)
    (entry,) = front_entries([stopped])
    assert (entry.proved, entry.lower_bound) == (False, 1 / 24)  # the table has 24 rows
    ax = plot_front([stopped])
    (segment,) = ax.collections[0].get_segments()
    assert segment[:, 1].tolist() == [1 / 24, entry.error]
    assert "not proved, and its bound" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_lists_of_other_outcomes_are_refused() -> None:
    X, y = table()
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2))
    with pytest.raises(ValueError, match="a front to draw is that of a size and errors"):
        plot_front([xt.solve(problem)])


def test_a_front_of_size_and_depth_has_no_errors_to_draw() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for quantities in [("size", "depth"), ("depth", "errors")]:
        front = xt.pareto_front(xt.Problem(X, y), quantities)
        with pytest.raises(ValueError, match="that of a size and errors"):
            plot_front(front)
