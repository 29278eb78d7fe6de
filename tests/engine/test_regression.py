"""The native search for regressions agrees with the definition, pystreed and invariances."""

from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_diabetes

from exactree import Limits, Problem, Status, pareto_front, rules, solve
from exactree.engine import accelerators, regression_tree
from exactree.problem.verification.recount import recount
from exactree.testing import check_irreducible, random_weights, regressions

QUICK = settings.get_current_profile_name() == "quick"

SWITCHES = sorted(accelerators("regression"))
TERMS = ["squared_error", "absolute_error"]
INSTANCES = [300, pytest.param(3_000, marks=pytest.mark.long)]


def instance(rng: np.random.Generator) -> Problem:
    """Return a small random regression: ties, duplicates, weights, limits, prices."""
    rows, depth = int(rng.choice([1, 3, 5, 7, 8, 9])), int(rng.choice([0, 1, 2, 2, 3, 3, 3]))
    X = rng.integers(0, rng.choice([2, 3, 5, 9]), (rows, int(rng.integers(1, 3)))).astype(float)
    numbers = [
        rng.integers(0, 2, rows).astype(float),
        rng.integers(-3, 9, rows).astype(float),
        rng.choice([0.1, 0.2, 1 / 3, 2.5, -7e5], rows),
        rng.normal(size=rows),
        1e8 + rng.integers(0, 4, rows),
    ]
    limits = Limits(
        max_depth=depth,
        max_size=[None, None, None, int(rng.integers(0, 6))][rng.integers(4)],
        min_samples_leaf=int(rng.choice([1, 1, 1, 1, 2, 3])),
    )
    return Problem(
        X,
        numbers[rng.integers(len(numbers))],
        random_weights(rng, rows, zeros=True),
        minimize=TERMS[rng.integers(2)],
        leaf_penalty=[0, 0, 0, 0.001, 0.02, 1][rng.integers(6)],
        limits=limits,
    )


def is_close(problem: Problem, cost: Any, optimal: Any) -> bool:
    """Return whether two costs are equal except for the allowed rounding."""
    everything = np.arange(len(problem.dataset.X))
    leaf = float(problem.term.leaf(problem.dataset, everything)) / problem.dataset.weight_scale
    return abs(cost - optimal) <= max(1e-9 * abs(optimal), 1e-15 * leaf)


@pytest.mark.parametrize("instances", INSTANCES)
def test_the_search_agrees_with_the_definition(instances: int) -> None:
    rng = np.random.default_rng(10)
    kinds: Counter[Any] = Counter()
    for number in range(instances):
        problem = instance(rng)
        optimal = solve(problem, "branch-and-bound", "spec")
        switches = {name: bool(rng.integers(2)) for name in SWITCHES} if number % 2 else None
        found = regression_tree(problem, switches=switches)
        assert found.status is optimal.status, (number, problem)
        if optimal.tree is None:
            continue
        recount(problem, found)
        assert is_close(problem, found.cost, optimal.cost), (number, problem, switches)
        check_irreducible(problem, found.tree)
        kinds[problem.error_term, optimal.tree.depth] += 1
    # In the long test more than 25 of 3,000.
    assert min(kinds[term, depth] for term in TERMS for depth in range(4)) > instances / 120, kinds


def test_subsets_with_minimum_leaves_do_not_bound_larger_subsets() -> None:
    """A stump with too small leaves in a subset may be allowed in a larger subset."""
    X = [[26, 39, 15, 26, 24, 26, 6, 2, 39, 39, 16, 29, 19, 8, 26, 14, 12],
         [8, 33, 16, 15, 39, 32, 26, 25, 27, 14, 34, 35, 31, 18, 28, 8, 19]]  # fmt: skip
    y = [2, 2, 0, 3, 3, 0, 1, 1, 3, 2, 2, 1, 1, 0, 2, 3, 1]
    limits = Limits(max_depth=2, min_samples_leaf=3)
    problem = Problem(np.transpose(X), y, minimize="squared_error", limits=limits)
    plain = {"depth_two": False, "upper_bound_margin": False}
    assert regression_tree(problem, switches=plain).cost == pytest.approx(9)
    assert solve(problem).cost == pytest.approx(9)


def test_the_deepest_greedy_nodes_keep_the_minimum_leaf_size() -> None:
    """Below 64 greedy nodes on a path, splits of two-valued columns are chosen by balance."""
    pairs = 67
    X, y = np.zeros((2 * pairs + 4, pairs + 1)), np.zeros(2 * pairs + 4)
    for pair in range(pairs):
        X[2 * pair : 2 * pair + 2, pair] = 1
        y[2 * pair : 2 * pair + 2] = (-1) ** pair * (10 * pair + 10)
    X[-1, -1], y[-1] = 1, 0.5
    limits = Limits(max_depth=90, min_samples_leaf=2)
    problem = Problem(X, y, minimize="squared_error", limits=limits)
    found = regression_tree(problem, switches={"two_set_bound": False}, stop_at_gap=1.0)
    assert found.tree is not None
    assert np.unique(found.tree.apply(X), return_counts=True)[1].min() >= 2


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(problem=regressions(max_rows=6))
def test_targets_with_large_rounding_errors_agree_with_the_definition(problem: Problem) -> None:
    optimal = solve(problem, "branch-and-bound", "spec")
    found = solve(problem, "branch-and-bound")
    assert found.status is optimal.status
    if optimal.tree is not None:
        assert is_close(problem, found.cost, optimal.cost)


@pytest.mark.parametrize(
    ("small", "term", "price"),
    [
        (1e-300, "squared_error", 1),
        (1e-160, "squared_error", 1),
        (5e-324, "absolute_error", 2.0**300),
        (1.0, "squared_error", 2.0**300),
    ],
)
def test_a_price_far_above_all_errors_leaves_one_leaf(
    small: float, term: str, price: float
) -> None:
    """In units of the errors, the price is beyond all integers."""
    X, limits = [[0], [1], [2], [3]], Limits(max_depth=2)
    y = [0, small, 2 * small, 0]
    problem = Problem(X, y, minimize=term, leaf_penalty=price, limits=limits)
    found = solve(problem)
    assert (found.status, found.tree.size) == (Status.OPTIMAL, 0)
    assert found.lower_bound == found.cost == solve(problem, implementation="spec").cost


@pytest.mark.parametrize("small", [1e-5, 1e-7, 3e-8])
def test_trees_with_tiny_errors_are_distinguished(small: float) -> None:
    """One example is far away; in units chosen for it, the errors of the others are small or 0."""
    rng = np.random.default_rng(4)
    n_too_expensive = 0
    for _ in range(60):
        X = rng.integers(0, 4, (9, 3)).astype(float)
        y = small * rng.integers(0, 5, 9)
        X[0], y[0] = 9, rng.choice([1.0, 1 / 3, -0.7])
        problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=2))
        optimal = solve(problem, "branch-and-bound", "spec")
        found = solve(problem)
        assert is_close(problem, found.cost, optimal.cost), (X, y)
        leaf = solve(Problem(X, y, minimize="squared_error", limits=Limits(max_depth=0))).cost
        assert found.stats["rounding"] <= max(1e-9 * found.cost, 1e-15 * leaf)
        n_too_expensive += found.cost > optimal.cost
    assert n_too_expensive <= 6


@pytest.mark.parametrize("term", TERMS)
def test_weights_of_very_different_size_agree_with_the_definition(term: str) -> None:
    rng = np.random.default_rng(5)
    for number in range(150):
        X = rng.integers(0, 4, (8, 2)).astype(float)
        y, weight = rng.normal(size=8), 2.0 ** rng.integers(-12 - number // 8, 12, 8)
        problem = Problem(X, y, weight, minimize=term, limits=Limits(max_depth=2))
        optimal = solve(problem, "branch-and-bound", "spec")
        found = solve(problem)
        assert found.status is Status.OPTIMAL
        tolerance = max(1e-9 * optimal.cost, found.stats["rounding"])
        assert abs(found.cost - optimal.cost) <= tolerance, (X, y, weight)


def test_the_rounding_on_a_real_table_is_small() -> None:
    X, y = load_diabetes(return_X_y=True)
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=2))
    found = solve(problem)
    assert 0 < found.stats["rounding"] <= 1e-12 * found.cost


def table(rows: int = 60, features: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 25, (rows, features)).astype(float)
    return X, np.round(X[:, 0] * (X[:, 1] > 11) + rng.normal(0, 4, rows))


def solve_optimally(X: np.ndarray, y: np.ndarray, term: str, **limits: Any) -> Any:
    limits = {"max_depth": 3} | limits
    outcome = solve(Problem(X, y, minimize=term, limits=Limits(**limits)))
    assert outcome.status is Status.OPTIMAL
    return outcome


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize("power", [-300, -40, 3, 60, 300])
def test_targets_times_a_power_of_two_give_the_same_tree(term: str, power: int) -> None:
    X, y = table()
    scale = 2.0**power
    one, other = solve_optimally(X, y, term), solve_optimally(X, y * scale, term)
    assert one.tree.threshold.tolist() == other.tree.threshold.tolist()
    assert one.tree.feature.tolist() == other.tree.feature.tolist()
    assert (one.tree.value * scale).tolist() == other.tree.value.tolist()
    squared = scale if term == "squared_error" else 1.0
    assert other.cost == one.cost * scale * squared


@pytest.mark.parametrize("term", TERMS)
def test_whole_targets_that_are_shifted_give_the_same_tree(term: str) -> None:
    X, y = table()
    one = solve_optimally(X, y, term)
    for shift in (1e8, -3e12):
        other = solve_optimally(X, y + shift, term)
        assert one.tree.threshold.tolist() == other.tree.threshold.tolist()
        assert one.tree.feature.tolist() == other.tree.feature.tolist()
        assert other.cost == one.cost


@pytest.mark.parametrize("term", TERMS)
def test_targets_that_are_no_integers_agree_with_the_definition(term: str) -> None:
    X, y = table(rows=9, features=2)
    problem = Problem(X, y / 3 + 0.1, minimize=term, limits=Limits(max_depth=2))
    optimal = solve(problem, "branch-and-bound", "spec")
    assert is_close(problem, solve(problem).cost, optimal.cost)


@pytest.mark.parametrize("term", TERMS)
def test_whole_weights_count_as_repeated_rows(term: str) -> None:
    X, y = table(rows=40)
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    problem = Problem(X, y, weight, minimize=term, limits=Limits(max_depth=3))
    repeated = solve_optimally(np.repeat(X, weight, axis=0), np.repeat(y, weight), term)
    assert solve(problem).cost == pytest.approx(repeated.cost, rel=1e-12)


def min_error_of_depth_two(X: np.ndarray, y: np.ndarray, errors: Any) -> float:
    """Return the minimum error of trees of depth two, by plain enumeration of all thresholds."""

    def children(subset: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return [
            (subset[X[subset, f] <= t], subset[X[subset, f] > t])
            for f in range(X.shape[1])
            for t in np.unique(X[subset, f])[:-1]
        ]

    def stump(subset: np.ndarray) -> float:
        both = (errors(y[a]) + errors(y[b]) for a, b in children(subset))
        return min([errors(y[subset]), *both])

    everything = np.arange(len(y))
    return min([errors(y), *(stump(a) + stump(b) for a, b in children(everything))])


@pytest.mark.parametrize("term", TERMS)
def test_an_independent_sweep_of_depth_two_finds_the_same(term: str) -> None:
    def squares(t: np.ndarray) -> float:
        return float(((t - t.mean()) ** 2).sum())

    def distances(t: np.ndarray) -> float:
        return float(np.abs(t - np.median(t)).sum())

    for seed in range(4):
        X, y = table(rows=45, features=2, seed=seed)
        y = y + np.random.default_rng(seed).normal(size=len(y))
        optimal = min_error_of_depth_two(X, y, squares if term == "squared_error" else distances)
        assert solve_optimally(X, y, term, max_depth=2).cost == pytest.approx(optimal, rel=1e-9)


def diabetes_in_two_values() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    quantiles = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    columns = [X[:, f] > t for f in range(X.shape[1]) for t in np.unique(quantiles[:, f])]
    return np.unique(np.stack(columns, axis=1), axis=1).astype(float)[:, :20], y


def drawn_in_two_values(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(rows)
    X = rng.integers(0, 2, (rows, 10)).astype(float)
    rule = 5 * X[:, 0] - 3 * X[:, 1] * X[:, 2] + 7 * (X[:, 3] != X[:, 4])
    return X, np.round(rule + rng.normal(0, 3, rows))


# Costs found by pystreed 1.4.0 (https://github.com/AlgTUDelft/pystreed), an independent solver.
# Written by `python tests/engine/test_regression.py`.
PYSTREED = {
    ("diabetes", 1): 2122821.2706785337,
    ("diabetes", 2): 1800850.4149677367,
    ("diabetes", 3): 1519235.1483595637,
    ("diabetes", 4): 1343885.7169032395,
    ("sixty", 1): 911.1750000000001,
    ("sixty", 2): 699.133089133089,
    ("sixty", 3): 423.6040293040293,
    ("sixty", 4): 179.59523809523813,
    ("two hundred", 1): 4935.644927536232,
    ("two hundred", 2): 3306.5199369582347,
    ("two hundred", 3): 2227.8664492753624,
    ("two hundred", 4): 1603.4988669826905,
}
TWO_VALUED: dict[str, Any] = {
    "diabetes": diabetes_in_two_values,
    "sixty": lambda: drawn_in_two_values(60),
    "two hundred": lambda: drawn_in_two_values(200),
}


def found_by_pystreed(X: np.ndarray, y: np.ndarray, depth: int) -> float:
    from pystreed import STreeDRegressor

    nodes = 2**depth - 1
    model = STreeDRegressor("regression", max_depth=depth, max_num_nodes=nodes, cost_complexity=0.0)
    model.fit(X, y)
    return float(((model.predict(X) - y) ** 2).sum())


@pytest.mark.parametrize(("name", "depth"), PYSTREED)
def test_costs_on_two_valued_columns_are_those_found_by_pystreed(name: str, depth: int) -> None:
    X, y = TWO_VALUED[name]()
    optimal = PYSTREED[name, depth]
    assert solve_optimally(X, y, "squared_error", max_depth=depth).cost == pytest.approx(
        optimal, 1e-9
    )


def test_pystreed_finds_the_costs_in_this_file() -> None:
    pytest.importorskip("pystreed")
    for (name, depth), optimal in PYSTREED.items():
        assert found_by_pystreed(*TWO_VALUED[name](), depth) == pytest.approx(optimal, 1e-9)


@pytest.mark.parametrize("term", TERMS)
def test_the_front_of_sizes_and_errors_is_that_of_the_definition(term: str) -> None:
    X, y = table(rows=8, features=2)
    problem = Problem(X, y, minimize=term, limits=Limits(max_depth=2))
    for quantities in (("size", term), (term, "size"), ("depth", term)):
        native, spec = (pareto_front(problem, quantities, form) for form in ("native", "spec"))
        assert [one.cost for one in native] == [pytest.approx(other.cost) for other in spec]
        for outcome in native:
            assert outcome.status is Status.OPTIMAL
            assert outcome.lower_bound == outcome.cost
    costs = [outcome.cost for outcome in pareto_front(problem, ("size", term))]
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(costs))


def test_a_stopped_front_ends_with_the_search_that_was_stopped() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2_000, 8)), rng.normal(size=2_000)
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=4))
    front = pareto_front(problem, ("size", "squared_error"), time_limit=0.3)
    assert front[-1].stopped_by == "time limit"
    assert front[-1].status in (Status.FEASIBLE, Status.STOPPED)


@pytest.mark.parametrize("term", TERMS)
def test_codes_and_hyperplanes_agree_with_the_definition(term: str) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (7, 2)).astype(float), rng.integers(0, 9, 7)
    limits = Limits(max_depth=2)
    for other_rules in ({"categories": [0, 1]}, {"rules": rules.Hyperplanes()}):
        problem = Problem(X, y, minimize=term, limits=limits, **other_rules)
        optimal = solve(problem, "branch-and-bound", "spec")
        found = solve(problem)
        assert found.cost == pytest.approx(optimal.cost)
        recount(problem, found)


def test_unknown_switches_are_refused() -> None:
    with pytest.raises(ValueError, match="no switch named"):
        regression_tree(Problem([[0]], [1], minimize="squared_error"), switches={"magic": True})


def test_progress_is_reported_and_a_callback_can_stop() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3_000, 6)), rng.normal(size=3_000)
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=4))
    reports: list[Any] = []
    outcome = solve(
        problem, on_progress=lambda progress: reports.append(progress) or len(reports) > 2
    )
    assert outcome.stopped_by == "callback"
    assert outcome.status is Status.FEASIBLE
    assert outcome.lower_bound < outcome.cost
    assert all(progress.lower_bound <= progress.cost for progress in reports)
    progress_list = outcome.stats["progress"]
    assert [one.cost for one in progress_list] == sorted(
        (one.cost for one in progress_list), reverse=True
    )
    assert progress_list[-1].cost == outcome.cost


def test_a_gap_or_a_time_limit_stops_with_a_valid_lower_bound() -> None:
    X, y = table(rows=200, features=4)
    full = solve_optimally(X, y, "squared_error")
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=3))
    for options in ({"stop_at_gap": 0.5}, {"time_limit": 1e-3}):
        outcome = solve(problem, **options)
        assert outcome.lower_bound <= full.cost <= outcome.cost


def test_equal_calls_give_equal_trees() -> None:
    X, y = table(rows=200, features=4)
    for term in TERMS:
        assert solve_optimally(X, y, term).tree == solve_optimally(X, y, term).tree


def test_more_rows_in_a_leaf_are_never_cheaper() -> None:
    X, y = table(rows=80)
    for term in TERMS:
        costs = [solve_optimally(X, y, term, min_samples_leaf=rows).cost for rows in (1, 4, 9, 20)]
        assert all(a <= b for a, b in combinations(costs, 2))


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_that_is_off_changes_no_cost(name: str) -> None:
    X, y = table(rows=70, features=3)
    for term in TERMS:
        # Bounds by root threshold are not inherited with a minimum leaf size.
        rows = 1 if name == "feature_bounds" else 3
        problem = Problem(X, y, minimize=term, limits=Limits(max_depth=3, min_samples_leaf=rows))
        # On so small a table, children solved beyond the upper bound leave the others nothing.
        others = {"upper_bound_margin": name == "upper_bound_margin"}
        on = regression_tree(problem, switches=others)
        off = regression_tree(problem, switches=others | {name: False})
        assert is_close(problem, off.cost, on.cost)
        if name in (
            "feature_bounds",
            "similarity_bound",
            "stump_bounds",
            "clustering_bound",
            "two_set_bound",
        ):
            assert on.stats["pruned"][name] > 0 == off.stats["pruned"][name]


if __name__ == "__main__":
    for name, depth in product(TWO_VALUED, range(1, 5)):
        print(f"    ({name!r}, {depth}): {found_by_pystreed(*TWO_VALUED[name](), depth)!r},")
