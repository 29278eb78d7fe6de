"""Clock, `on_progress` and a first tree are available while a search is prepared."""

import numpy as np
import pytest

import exactree as xt
from exactree.engine import ENSEMBLE_METHODS, PAPERS, Timer
from exactree.rules import Hyperplanes
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import embedded
from exactree.stopping import Stopped

# Numbers by which methods count what they looked at.
WORK = ("nodes", "calls", "search_nodes", "filled", "entries", "support_sets", "find_th")


def points(rows, features=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((rows, features))
    return X, (X[:, 0] + X[:, 1] + 0.3 * rng.random(rows) > 1).astype(int)


def work(outcome):
    return sum(outcome.stats.get(name, 0) for name in WORK)


# What each takes: "subsets" has an entry for every set of rows, "box" for every box.
ROWS = {"subsets": 16, "box": 12, "proper": 60}
METHODS = [*PAPERS, "branch-and-bound", "proper"]


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_is_stopped_immediately_has_a_tree_without_errors(method):
    X, y = points(ROWS.get(method, 3000), 2 if method in ROWS else 5)
    problem = xt.Problem(X, y, minimize="size")
    outcome = xt.solve(problem, method=method, time_limit=1e-6)
    assert outcome.tree is not None
    assert (outcome.tree.predict(X) == y).all()
    assert outcome.lower_bound <= outcome.cost
    if outcome.status is xt.Status.FEASIBLE:
        assert outcome.stopped_by == "time limit"
    assert work(outcome) < 100_000


@pytest.mark.parametrize("method", ["threshold", "support-sets", "witness"])
def test_a_callback_that_wants_no_more_is_received_before_the_work_is_done(method):
    X, y = points(6000)
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
def test_an_ensemble_that_is_stopped_immediately_is_one_without_errors(method):
    X, y = points(8 if method == "subsets" else 300, 2 if method == "subsets" else 5)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3)
    outcome = xt.solve(problem, method=method, time_limit=1e-6)
    assert outcome.ensemble is not None
    assert (outcome.ensemble.predict(X) == y).all()
    assert outcome.lower_bound <= outcome.cost


@pytest.mark.parametrize("minimize", ["errors", "squared_error", "absolute_error"])
def test_a_search_that_workers_share_has_a_leaf_when_it_is_stopped_immediately(minimize, tmp_path):
    X, y = points(300)
    limits = xt.Limits(max_depth=3)
    problem = xt.Problem(
        X, y if minimize == "errors" else X[:, 0], minimize=minimize, limits=limits
    )
    file = tmp_path / "state.json"
    outcome = xt.solve(problem, time_limit=1e-9, resume=file)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "time limit")
    assert outcome.tree.size == 0
    assert outcome.lower_bound == 0
    assert not file.exists()  # nothing is known that is worth keeping
    proved = xt.solve(problem, resume=file)
    assert proved.status is xt.Status.OPTIMAL
    # What was saved stays known to a run that is stopped at once.
    again = xt.solve(problem, time_limit=1e-9, resume=file)
    assert again.lower_bound <= proved.cost <= again.cost


@pytest.mark.parametrize("minimize", ["squared_error", "absolute_error", "gini", "log_loss"])
def test_other_costs_over_surfaces_mind_the_clock(minimize):
    X, y = points(24, 3)
    y = X[:, 0] if minimize.endswith("error") else y
    limits = xt.Limits(max_depth=1)
    problem = xt.Problem(X, y, minimize=minimize, rules=Hyperplanes(), limits=limits)
    outcome = xt.solve(problem, time_limit=1e-9)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0
    assert outcome.tree is not None


class Patience:
    """Stops work when it is looked at for the so-manieth time."""

    def __init__(self, looks):
        self.looks, self.left = 0, looks

    def check(self):
        self.looks, self.left = self.looks + 1, self.left - 1
        if self.left < 0:
            raise TimeoutError


def test_dichotomies_look_at_the_clock_all_along():
    X, _ = points(40, 3)
    examples, _ = embedded(X, Hyperplanes().monomials(3))
    whole = Patience(10**9)
    dichotomies(examples, whole.check)
    # At least one look for every thousand of the 9,880 planes through three examples.
    assert whole.looks > 10
    short = Patience(3)
    with pytest.raises(TimeoutError):
        dichotomies(examples, short.check)
    assert short.looks == 4


@pytest.mark.parametrize("method", ["threshold", "branch-and-bound", "proper"])
def test_surfaces_that_take_long_to_list_leave_an_answer(method):
    # Branch and bound refuses what would take too much memory as columns; with one level no first
    # tree is the best there.
    X, y = points(28 if method == "branch-and-bound" else 60, 4)
    limits = xt.Limits(max_depth=1 if method == "branch-and-bound" else None)
    if method == "branch-and-bound":
        y = np.arange(len(y)) % 2
    minimize = "errors" if method != "threshold" else "size"
    problem = xt.Problem(X, y, minimize=minimize, rules=Hyperplanes(), limits=limits)
    outcome = xt.solve(problem, method=method, time_limit=0.01)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0
    if method != "threshold":  # one leaf makes errors there
        assert outcome.tree is not None


def test_ensembles_over_surfaces_mind_the_clock():
    X, y = points(60, 4)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=2, rules=Hyperplanes())
    outcome = xt.solve(problem, time_limit=0.01)
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound == 0


@pytest.mark.parametrize("minimize", ["largest_size", "total_size"])
@pytest.mark.parametrize("rules", [None, Hyperplanes()])
def test_a_count_of_ensembles_minds_the_clock(minimize, rules):
    X, y = points(6, 2)
    stated = {} if rules is None else {"rules": rules}
    problem = xt.Problem(X, y, minimize=minimize, n_trees=3, **stated)
    assert xt.count_optimal(problem, time_limit=1e-9) is None
    listing = xt.enumerate_optimal(problem, time_limit=1e-9)
    assert list(listing) == []
    assert not listing.complete


def test_a_description_that_is_stopped_says_what_is_missing():
    X, y = points(4000, 30)
    found = xt.describe(X, y, time_limit=1e-9)
    assert not found.delta_max_proved
    assert found.delta_max <= 30
    assert all(feature.alternations is None for feature in found.features)
    assert "at least (not all pairs were compared in time)" in str(found)
    assert found.to_dict()["delta_max_proved"] is False
    # Nothing was ranked and nothing was grouped.
    assert all(feature.distinct is None for feature in found.features)
    assert (found.duplicates, found.contradictions, found.min_errors) == (None, None, None)
    assert "duplicates               ?" in str(found)
    assert found.to_dict()["contradictions"] is None
    assert xt.describe(X[:50], y[:50], time_limit=60) == xt.describe(X[:50], y[:50])


def test_a_description_looks_at_the_clock_for_every_feature(monkeypatch):
    X, y = points(60, 30)
    for looks in range(45):
        left = [looks]

        def check(_, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise Stopped("time limit")

        monkeypatch.setattr(Timer, "check", check)
        found = xt.describe(X, y)
        ranked = [feature.distinct is not None for feature in found.features]
        assert sum(ranked) == min(looks, 30)
        assert found.all_counted == all(ranked)
        # Ten features of 60 values are compared at once, and tell all rows apart.
        assert (found.duplicates is None) == (looks < 30 + 11 + 1)


def test_a_timer_without_a_limit_never_runs_out():
    timer = Timer(None)
    timer.check()
    assert timer.left() is None
