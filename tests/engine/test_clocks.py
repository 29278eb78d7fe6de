"""Clock, `on_progress` and a first tree are available while a search is prepared."""

import numpy as np
import pytest

import exactree as xt
from exactree.engine import ENSEMBLE_METHODS, PAPERS, Timer
from exactree.rules import Column, Hyperplanes
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import embedded
from exactree.stopping import Stopped

# Statistics that count the work of the methods.
WORK_COUNTS = ("nodes", "calls", "search_nodes", "filled", "entries", "support_sets", "find_th")


def random_points(rows, features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((rows, features))
    return X, (X[:, 0] + X[:, 1] + 0.3 * rng.random(rows) > 1).astype(int)


def work_done(outcome):
    return sum(outcome.stats.get(name, 0) for name in WORK_COUNTS)


# Maximum rows: "subsets" has a table entry for every set of rows, "box" for every box.
MAX_ROWS = {"subsets": 16, "box": 12, "proper": 60}
METHODS = [*PAPERS, "branch-and-bound", "proper"]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_is_stopped_immediately_has_a_tree_without_errors(method):
    X, y = random_points(MAX_ROWS.get(method, 3000), 2 if method in MAX_ROWS else 5)
    problem = xt.Problem(X, y, minimize="size")
    outcome = xt.solve(problem, method=method, time_limit=1e-6)
    assert outcome.tree is not None
    assert (outcome.tree.predict(X) == y).all()
    assert outcome.lower_bound <= outcome.cost
    if outcome.status is xt.Status.FEASIBLE:
        assert outcome.stopped_by == "time limit"
    assert work_done(outcome) < 100_000


@pytest.mark.parametrize("method", ["threshold", "support-sets", "witness"])
def test_a_callback_stops_a_method_before_its_work_is_done(method):
    X, y = random_points(6000)
    calls = []

    def stop(progress):
        calls.append(progress)
        return True

    problem = xt.Problem(X, y, minimize="size")
    outcome = xt.solve(problem, method=method, on_progress=stop)
    assert outcome.stopped_by == "callback"
    assert calls
    assert (outcome.tree.predict(X) == y).all()
    assert outcome.lower_bound < outcome.cost


@pytest.mark.parametrize("method", ENSEMBLE_METHODS)
def test_a_search_for_an_ensemble_that_is_stopped_immediately_has_one_without_errors(method):
    X, y = random_points(8 if method == "subsets" else 300, 2 if method == "subsets" else 5)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3)
    outcome = xt.solve(problem, method=method, time_limit=1e-6)
    assert outcome.ensemble is not None
    assert (outcome.ensemble.predict(X) == y).all()
    assert outcome.lower_bound <= outcome.cost


@pytest.mark.parametrize("minimize", ["errors", "squared_error", "absolute_error"])
def test_a_search_with_checkpoints_that_is_stopped_immediately_has_a_leaf(minimize, tmp_path):
    X, y = random_points(300)
    limits = xt.Limits(max_depth=3)
    problem = xt.Problem(
        X, y if minimize == "errors" else X[:, 0], minimize=minimize, limits=limits
    )
    file = tmp_path / "state.json"
    outcome = xt.solve(problem, time_limit=1e-9, resume=file)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "time limit")
    assert outcome.tree.size == 0
    assert outcome.lower_bound == 0
    assert not file.exists()  # nothing was proved that is worth saving
    proved = xt.solve(problem, resume=file)
    assert proved.status is xt.Status.OPTIMAL
    # A run that is stopped immediately has a valid bound, whatever it keeps of the checkpoint.
    again = xt.solve(problem, time_limit=1e-9, resume=file)
    assert again.lower_bound <= proved.cost <= again.cost


@pytest.mark.parametrize("minimize", ["squared_error", "absolute_error", "gini", "log_loss"])
def test_other_costs_with_surfaces_observe_the_time_limit(minimize):
    X, y = random_points(24, 3)
    y = X[:, 0] if minimize.endswith("error") else y
    limits = xt.Limits(max_depth=1)
    problem = xt.Problem(X, y, minimize=minimize, rules=Hyperplanes(), limits=limits)
    outcome = xt.solve(problem, time_limit=1e-9)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0
    assert outcome.tree is not None


class LimitedChecks:
    """A clock that runs out after a number of checks."""

    def __init__(self, limit):
        self.checks, self.limit = 0, limit

    def check(self):
        self.checks += 1
        if self.checks > self.limit:
            raise TimeoutError


def test_dichotomies_check_the_clock_regularly():
    X, _ = random_points(40, 3)
    examples, _ = embedded(X, Hyperplanes().monomials(3))
    unlimited = LimitedChecks(10**9)
    dichotomies(examples, unlimited.check)
    # At least one check for every thousand of the C(40, 3) = 9,880 planes through three examples.
    assert unlimited.checks > 10
    limited = LimitedChecks(3)
    with pytest.raises(TimeoutError):
        dichotomies(examples, limited.check)
    assert limited.checks == 4


@pytest.mark.parametrize(
    ("method", "n", "max_depth"),
    [("threshold", 60, None), ("branch-and-bound", 28, 1), ("proper", 60, 2)],
)
def test_a_time_limit_during_the_listing_of_surfaces_leaves_a_tree(method, n, max_depth):
    # Branch and bound refuses tables whose columns take too much memory, so it gets fewer rows.
    # With alternating labels no small tree is without errors, so no heuristic ends the search.
    X, _ = random_points(n, 4)
    minimize = "errors" if method != "threshold" else "size"
    limits = xt.Limits(max_depth=max_depth)
    problem = xt.Problem(X, np.arange(n) % 2, minimize=minimize, rules=Hyperplanes(), limits=limits)
    outcome = xt.solve(problem, method=method, time_limit=0.01)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0
    if method != "threshold":  # this method allows no errors, and a leaf makes some
        assert outcome.tree is not None


def test_ensembles_with_surfaces_observe_the_time_limit():
    X, y = random_points(60, 4)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=2, rules=Hyperplanes())
    outcome = xt.solve(problem, time_limit=0.01)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0


@pytest.mark.parametrize("minimize", ["largest_size", "total_size"])
@pytest.mark.parametrize("rules", [None, Hyperplanes()])
def test_lists_and_counts_of_ensembles_observe_the_time_limit(minimize, rules):
    X, y = random_points(6, 2)
    parameters = {} if rules is None else {"rules": rules}
    problem = xt.Problem(X, y, minimize=minimize, n_trees=3, **parameters)
    assert xt.count_optimal(problem, time_limit=1e-9) is None
    listing = xt.enumerate_optimal(problem, time_limit=1e-9)
    assert list(listing) == []
    assert not listing.complete


def test_a_description_that_is_stopped_names_what_is_missing():
    X, y = random_points(4000, 30)
    description = xt.describe(X, y, time_limit=1e-9)
    assert not description.delta_max_proved
    assert description.delta_max <= 30
    assert all(feature.alternations is None for feature in description.features)
    assert "at least (not all pairs were compared in time)" in str(description)
    assert description.to_dict()["delta_max_proved"] is False
    # No feature was ranked, and no rows were grouped.
    assert all(feature.distinct is None for feature in description.features)
    assert (description.duplicates, description.contradictions, description.min_errors) == (
        None,
        None,
        None,
    )
    assert "duplicates               ?" in str(description)
    assert description.to_dict()["contradictions"] is None
    assert xt.describe(X[:50], y[:50], time_limit=60) == xt.describe(X[:50], y[:50])


def test_a_description_checks_the_clock_for_every_feature(monkeypatch):
    X, y = random_points(60, 30)
    for checks in range(45):
        left = [checks]

        def check(_, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise Stopped("time limit")

        monkeypatch.setattr(Timer, "check", check)
        description = xt.describe(X, y)
        ranked = [feature.distinct is not None for feature in description.features]
        assert sum(ranked) == min(checks, 30)
        assert description.all_counted == all(ranked)
        # Grouping checks before each feature and at the end. Ten features of 60 values fit into 62
        # bits; with the eleventh, all rows are known to differ.
        assert (description.duplicates is None) == (checks < 30 + 11 + 1)


def test_a_timer_without_a_limit_never_runs_out():
    timer = Timer(None)
    timer.check()
    assert timer.left() is None


def test_the_columns_of_levels_are_made_within_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every level is a column; a table with a distinct text in every row has very many."""
    rows, made = 400, []
    X = np.array([[f"r{row}"] for row in range(rows)], dtype=object)
    y, limits = [row % 2 for row in range(rows)], xt.Limits(max_depth=3)
    problem = xt.Problem(X, y, limits=limits)
    values = Column.values
    monkeypatch.setattr(Column, "values", lambda self, X: (made.append(self), values(self, X))[1])
    outcome = xt.solve(problem, time_limit=1e-9)
    assert outcome.stopped_by == "time limit"
    assert outcome.cost == rows // 2
    assert len(made) < 10
