"""Trees under constraints: the native searches agree with the definition, with any switches.

The definition lists all trees and leaves out those that break a constraint. It checks monotonicity
by predictions on a grid; the search checks the leaves.
"""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import settings
from tests.engine.roundings import check_rounded

import exactree as xt
from exactree.engine import constrained_tree
from exactree.engine.constrained import reason_to_refuse_constrained, searched_as
from exactree.problem.verification.recount import recount
from exactree.testing import drawn_weights

QUICK = settings.get_current_profile_name() == "quick"

ERRORS = ("errors", "squared_error", "absolute_error")
OF_ERRORS = xt.engine.accelerators("constrained-errors")
OF_COSTS = xt.engine.accelerators("constrained-costs")


def random_constraints(random, d):
    """Draw constraints on trees of d features."""
    parameters = {"monotonic_in": random.choice(["probability", "prediction"])}
    if random.random() < 0.3:
        parameters["required"] = random.sample(range(d), random.randint(1, min(2, d)))
    if d > 1 and random.random() < 0.3:
        below, above = random.sample(range(d), 2)
        parameters["only_below"] = {below: above}
    if random.random() < 0.3:
        parameters["max_features"] = random.randint(0, 2)
    return xt.Constraints(**parameters)


def random_limits(random, labels, minimize):
    """Draw limits on small trees."""
    parameters = {
        "max_depth": random.choice([1, 2, 2, 2, 3 if len(labels) <= 5 else 2]),
        "max_size": random.choice([None, None, random.randint(0, 4)]),
        "min_samples_leaf": random.choice([1, 1, 2]),
        "min_weight_fraction_leaf": random.choice([0, 0, 0.1, 0.25, 0.3]),
    }
    if minimize not in ERRORS[1:]:
        if random.random() < 0.2:
            parameters["max_leaves_of"] = {random.choice(labels): random.randint(0, 2)}
        if random.random() < 0.2:
            parameters["max_errors"] = random.randint(0, 3)
    return xt.Limits(**parameters)


def random_costs(random, labels):
    """Draw an objective of classes other than plain errors."""
    cells = [0, 0, 1, 2, Fraction(1, 3), 0.1, 5]
    costs = {
        true: {other: random.choice(cells) for other in set(labels) if random.random() < 0.8}
        for true in set(labels)
    }
    smoothing = random.choice([None, "laplace", 0.5, 3.0])
    return random.choice(
        [
            {"minimize": "balanced_error"},
            {"minimize": "errors", "cost_matrix": costs},
            {"minimize": "errors", "cost_matrix": {0: {1: random.choice([0.5, 2, 7])}}},
            {"minimize": "log_loss", "smoothing": smoothing},
            {"minimize": "gini", "smoothing": smoothing},
        ]
    )


def random_problem(random, other_costs=False):
    """Draw a small problem with several constraints, some of which may be impossible to satisfy."""
    rng = np.random.default_rng(random.randrange(2**32))
    n, d = random.randint(3, 8), random.randint(1, 3)
    X = rng.integers(0, random.randint(2, 5), (n, d)).astype(float)
    codes = [random.randrange(d)] if random.random() < 0.3 else []
    numbers = [feature for feature in range(d) if feature not in codes]
    minimize = random.choice([*["errors"] * 5, *ERRORS[1:], ("errors", "size"), "size", "depth"])
    directed = numbers and random.random() < 0.6
    y = rng.integers(0, 2 if directed else 3, n)
    parameters = {}
    if other_costs:
        y[0] = 0
        parameters = random_costs(random, y.tolist())
        minimize = parameters.pop("minimize")
    limits = random_limits(random, y.tolist(), ERRORS[1] if other_costs else minimize)
    if directed:
        parameters["monotonic_cst"] = {feature: random.choice([-1, 1, 1, 0]) for feature in numbers}
    if other_costs or (minimize in ERRORS and limits.max_errors is None):
        parameters["feature_penalty"] = random.choice([0, 0, 0.05, {0: 0.1}, {d - 1: 0.3}])
        parameters["leaf_penalty"] = random.choice([0, 0, 0.05])
    return xt.Problem(
        X,
        y / 3 if minimize in ERRORS[1:] else y,
        sample_weight=drawn_weights(n, random.randint),
        categories=codes,
        minimize=minimize,
        limits=limits,
        constraints=random_constraints(random, d),
        **parameters,
    )


def random_switches(random, problem):
    """Draw switches of the native search of a problem."""
    share = random.choice([0.5, 0.8, 1])
    return {name: random.random() < share for name in xt.engine.accelerators(searched_as(problem))}


def accepted(problem):
    """Return whether the search accepts a problem; if not, because its numbers are too long."""
    why = reason_to_refuse_constrained(problem)
    assert why is None or "more than 62 bits" in why
    return why is None


def check_as_defined(problem, switches):
    """Compare the outcome with the definition, and return it."""
    expected = xt.solve(problem, implementation="spec")
    outcome = constrained_tree(problem, switches=switches)
    recount(problem, outcome)
    if outcome.stopped_by is not None:
        check_rounded(problem, outcome, expected)
        return outcome
    assert outcome.status == expected.status, (problem, switches)
    if not problem.exact_errors and expected.cost is not None:
        near = 1e-9 * expected.cost + (0 if problem.regression else 1e-11)
        rounding = 0 if problem.regression else outcome.stats["rounding"]
        assert abs(outcome.cost - expected.cost) <= max(near, rounding), (problem, switches)
        total = problem.dataset.total_weight / problem.dataset.weight_scale
        assert rounding <= 1e-12 * total, (problem, switches)
    else:
        assert outcome.cost == expected.cost, (problem, switches)
    return outcome


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 6))]
)
def test_the_search_finds_the_cost_of_the_definition_under_random_switches(seed):
    random = Random(seed)
    counts, statuses = Counter(), Counter()
    while sum(statuses.values()) < 250:
        problem = random_problem(random)
        if not problem.constrained or not accepted(problem):
            continue
        outcome = check_as_defined(problem, random_switches(random, problem))
        statuses[outcome.status] += 1
        counts.update(outcome.stats.get("pruned", {}))
        counts["choices"] += outcome.stats.get("choices", 0)
        counts["cache"] += outcome.stats.get("cache_hits", 0)
    assert statuses[xt.Status.OPTIMAL] > 60
    assert statuses[xt.Status.INFEASIBLE] > 30
    for name in ("relaxation", "cache", "choices"):
        assert counts[name] > 0, (name, counts)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 7))]
)
def test_other_costs_of_classes_agree_with_the_definition_under_random_switches(seed):
    random = Random(f"costs {seed}")
    counts, statuses = Counter(), Counter()
    while sum(statuses.values()) < 300:
        problem = random_problem(random, other_costs=True)
        if not problem.constrained or not accepted(problem):
            continue
        outcome = check_as_defined(problem, random_switches(random, problem))
        statuses[problem.error_term, searched_as(problem), outcome.status] += 1
        counts.update(outcome.stats.get("pruned", {}))
        counts["choices"] += outcome.stats.get("choices", 0)
        counts["cache"] += outcome.stats.get("cache_hits", 0)
    for kind in (
        ("balanced_error", "constrained-errors"),
        ("errors", "constrained-errors"),
        ("errors", "constrained-costs"),
        ("log_loss", "constrained-costs"),
        ("gini", "constrained-costs"),
    ):
        assert statuses[(*kind, xt.Status.OPTIMAL)] > 20, statuses
    for name in ("relaxation", "cache", "choices"):
        assert counts[name] > 0, (name, counts)


@pytest.mark.parametrize("off", [*{**OF_ERRORS, **OF_COSTS}, "all"])
def test_no_switch_alone_and_not_all_together_change_an_outcome(off):
    random = Random(off)
    checked = 0
    while checked < 24:
        problem = random_problem(random, other_costs=checked % 2 == 1)
        if problem.constrained and accepted(problem):
            names = xt.engine.accelerators(searched_as(problem))
            check_as_defined(problem, {name: name != off and off != "all" for name in names})
            checked += 1


def test_a_bound_without_a_tree_prunes_no_split_whose_children_differ_by_no_cost():
    """One class is predicted for nothing, so the examples between two splits cost nothing.

    Of the two splits on x0 only the second has leaves of enough weight. The bound of the first is
    below every upper bound, and must not prune the second.
    """
    problem = xt.Problem(
        [[1], [0], [1], [2]],
        [0, 0, 0, 1],
        sample_weight=[1, 0.5, 1, 2.5],
        cost_matrix=[[2, 0], [Fraction(1, 3), 0]],
        leaf_penalty=0.05,
        limits=xt.Limits(max_depth=2, min_weight_fraction_leaf=0.25),
        constraints=xt.Constraints(required=[0]),
        monotonic_cst=[1],
    )
    assert check_as_defined(problem, {}).cost == Fraction(1, 2)


def test_the_similarity_bound_alone_changes_no_cost():
    """On tables too large for the definition, compared with the search without the bound."""
    random = Random("similarity_bound")
    pruned = Counter()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
        costs = {"cost_matrix": [[0, 3, 9], [2, 1, 9], [9, 9, 0]]} if seed % 3 == 2 else {}
        y[0] += 2 if costs else 0
        problem = xt.Problem(
            X,
            y,
            limits=xt.Limits(max_depth=2),
            constraints=xt.Constraints(required=[0, 1], only_below={1: 0}),
            **costs,
        )
        switches = {
            "similarity_bound": True,
            "interval_bound": False,
            "incumbent": bool(random.randint(0, 1)),
        }
        outcome = constrained_tree(problem, switches=switches)
        plain = constrained_tree(
            problem, switches={"similarity_bound": False, "interval_bound": False}
        )
        assert outcome.cost == plain.cost
        pruned[searched_as(problem)] += outcome.stats["pruned"]["similarity_bound"]
    assert min(pruned["constrained-errors"], pruned["constrained-costs"]) > 0


@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": "log_loss", "smoothing": "laplace"},
        {"minimize": "gini"},
        {"minimize": "squared_error"},
    ],
)
def test_the_cache_stays_within_the_memory_limit(parameters):
    """A limit evicts entries, and changes no cost."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 12, (60, 3)), rng.integers(0, 2, 60)
    limits = xt.Limits(max_depth=2)
    problem = xt.Problem(X, y, limits=limits, monotonic_cst=[1, -1, 1], **parameters)
    free = constrained_tree(problem)
    assert free.stats["cache_evicted"] == 0
    # Half of the limit is for caches.
    limit = 2 * free.stats["cache_bytes"]
    tight = constrained_tree(problem, memory_limit=limit)
    assert (tight.status, tight.cost) == (xt.Status.OPTIMAL, free.cost)
    assert tight.stats["cache_evicted"] > 0
    assert tight.stats["cache_bytes"] <= limit // 2


def test_balanced_errors_beyond_62_bits_have_bounds_that_allow_for_the_rounding():
    """The weights of balanced errors are rounded for the native search, and its bounds allow it."""
    labels = np.repeat(np.arange(5), [9973, 9967, 9949, 9941, 9931])
    X = np.stack([np.arange(len(labels)) % 9 + labels, np.arange(len(labels)) % 2], axis=1)
    problem = xt.Problem(
        X,
        labels,
        minimize="balanced_error",
        limits=xt.Limits(max_depth=2),
        constraints=xt.Constraints(required=[1]),
    )
    outcome = xt.solve(problem)
    check_rounded(problem, outcome, outcome)
    unlimited = xt.solve(problem._with(feature_constraints=type(problem.feature_constraints)()))
    assert outcome.cost >= unlimited.lower_bound


@pytest.mark.parametrize("minimize", ["errors", "matrix"])
def test_prices_beyond_62_bits_are_rounded_down_and_the_bound_stays_valid(minimize):
    random = Random(f"prices {minimize}")
    rounded = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, labels = random.randint(4, 8), 2 if minimize == "errors" else 3
        costs = {} if minimize == "errors" else {"cost_matrix": [[0, 1, 2], [2, 0, 1], [1, 2, 0]]}
        problem = xt.Problem(
            rng.integers(0, 4, (n, 2)),
            np.append(range(labels), rng.integers(0, labels, n - labels)),
            sample_weight=[random.randint(2**40, 2**53) for _ in range(n)],
            limits=xt.Limits(max_depth=2),
            feature_penalty={0: 0.01234567890123456, 1: random.choice([0, 0.0213243546576879])},
            leaf_penalty=random.choice([0, 0.00123456789012345678]),
            **costs,
        )
        outcome = check_as_defined(problem, {})
        rounded += outcome.stopped_by == xt.problem.outcome.ROUNDED
    assert rounded > 20


def real_weights(random, rows):
    """Draw weights whose integers need nearly 62 bits, in few sizes, so that leaves tie."""
    sizes = [random.uniform(0.01, 2) * 10 ** random.randint(-3, 3) for _ in range(2)]
    return [random.choice([*sizes, 0.1, 0.1, 1.0]) for _ in range(rows)]


def problem_of_real_weights(random, constraint, parameters):
    """Draw a problem under a constraint that depends on weights or predictions of leaves."""
    rng = np.random.default_rng(random.randrange(2**32))
    n, d = random.randint(4, 8), random.randint(1, 3)
    y = rng.integers(0, 2 if constraint == "monotonic_cst" or "cost_matrix" in parameters else 3, n)
    y[:2] = 0, 1
    limits, given = {"max_depth": random.choice([1, 2, 2])}, {}
    if constraint == "min_weight_fraction_leaf":
        limits[constraint] = random.choice([0.05, 0.1, 0.25])
    elif constraint == "max_leaves_of":
        limits[constraint] = {random.choice([0, 1]): random.randint(0, 2)}
    else:
        given = {"monotonic_cst": [random.choice([-1, 1]) for _ in range(d)]}
    return xt.Problem(
        rng.integers(0, random.randint(2, 5), (n, d)).astype(float),
        y,
        sample_weight=real_weights(random, n),
        limits=xt.Limits(**limits),
        constraints=random_constraints(random, d),
        leaf_penalty=random.choice([0, 0, 0.05]),
        **given,
        **parameters,
    )


@pytest.mark.parametrize(
    "constraint", ["monotonic_cst", "min_weight_fraction_leaf", "max_leaves_of"]
)
@pytest.mark.parametrize("costs", ["balanced_error", "cost_matrix"])
def test_real_weights_are_rounded_in_costs_and_exact_in_constraints(costs, constraint):
    random = Random(f"{costs} {constraint}")
    statuses = Counter()
    for _ in range(60):
        matrix = {0: {1: random.choice([0.1, 3, Fraction(1, 7), 0.123456789])}, 1: {0: 0.7}}
        parameters = {"minimize": costs} if costs == "balanced_error" else {"cost_matrix": matrix}
        problem = problem_of_real_weights(random, constraint, parameters)
        assert reason_to_refuse_constrained(problem) is None
        outcome = check_as_defined(problem, random_switches(random, problem))
        statuses[searched_as(problem), outcome.stopped_by] += 1
    # A cost matrix reserves bits for its costs.
    stopped_by = xt.problem.outcome.ROUNDED if costs == "balanced_error" else None
    assert statuses["constrained-errors", stopped_by] > 10, statuses


@pytest.mark.parametrize("minimize", ["log_loss", "gini"])
def test_shares_with_smoothing_by_a_number_are_exact_for_real_weights(minimize):
    random = Random(f"smoothing {minimize}")
    trees = 0
    for _ in range(60):
        smoothing = random.choice([3.0, 0.1, "laplace", Fraction(1, 3), 1e-9])
        parameters = {"minimize": minimize, "smoothing": smoothing}
        problem = problem_of_real_weights(random, "monotonic_cst", parameters)
        assert reason_to_refuse_constrained(problem) is None
        outcome = check_as_defined(problem, random_switches(random, problem))
        trees += outcome.tree is not None and outcome.tree.size > 0
    assert trees > 15


@pytest.mark.parametrize(
    "minimize", ["errors", "balanced_error", "log_loss", "gini", "squared_error", "absolute_error"]
)
def test_a_search_without_memory_or_time_returns_a_feasible_tree(minimize):
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 12, (60, 2)), rng.integers(0, 2, 60)
    problem = xt.Problem(
        X, y, minimize=minimize, limits=xt.Limits(max_depth=2), monotonic_cst=[1, -1]
    )
    best = constrained_tree(problem).cost
    for limits in ({"memory_limit": 1}, {"time_limit": 1e-9}):
        outcome = constrained_tree(problem, **limits)
        assert outcome.status is xt.Status.FEASIBLE
        assert outcome.lower_bound <= best <= outcome.cost
        recount(problem, outcome)


@pytest.mark.parametrize(
    "minimize", ["errors", "balanced_error", "log_loss", "squared_error", "absolute_error"]
)
@pytest.mark.parametrize(
    "constraints",
    [
        xt.Constraints(required=[3]),
        xt.Constraints(required=[1, 2, 3]),
        xt.Constraints(required=[5, 4], only_below={5: 2}, max_features=3),
    ],
)
def test_a_first_tree_with_the_required_features_is_found_before_the_search(minimize, constraints):
    """On a table for which the bound of the root alone takes seconds."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(8000, 8))
    X[:, 4] = rng.integers(0, 5, 8000)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=8000) > 0).astype(int)
    problem = xt.Problem(
        X,
        y,
        minimize=minimize,
        limits=xt.Limits(max_depth=3, min_weight_fraction_leaf=0.01),
        constraints=constraints,
        monotonic_cst={3: 1},
        categories=[4],
    )
    outcome = xt.solve(
        problem, time_limit=60, on_progress=lambda progress: progress.cost is not None
    )
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "callback")
    first = outcome.stats["progress"][0]
    assert first.cost is not None
    assert set(constraints.required) <= set(outcome.tree.feature.tolist())


def test_a_search_without_time_has_a_tree_with_the_required_features_in_most_cases():
    """Not in all: a required feature may split only a few subsets."""
    random = Random("first trees")
    found = possible = 0
    for _ in range(120):
        d = random.randint(1, 4)
        required = random.sample(range(d), random.randint(1, min(3, d)))
        below = {required[0]: random.randrange(d)}
        rng = np.random.default_rng(random.randrange(2**32))
        problem = xt.Problem(
            rng.integers(0, random.randint(2, 6), (20, d)),
            rng.integers(0, 2, 20),
            sample_weight=drawn_weights(20, random.randint),
            minimize=random.choice([*ERRORS, "balanced_error", "gini"]),
            limits=xt.Limits(
                max_depth=2,
                max_size=random.choice([None, 2]),
                min_samples_leaf=random.choice([1, 2]),
            ),
            constraints=xt.Constraints(
                required=required,
                only_below={a: b for a, b in below.items() if a != b},
                max_features=random.choice([None, 3]),
            ),
        )
        outcome = constrained_tree(problem, time_limit=1e-9)
        recount(problem, outcome)
        found += outcome.tree is not None
        possible += constrained_tree(problem).status is not xt.Status.INFEASIBLE
    assert possible > 60
    assert found > 0.9 * possible, (found, possible)


def test_a_stopped_search_for_log_loss_has_a_positive_lower_bound():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    problem = xt.Problem(
        X, y, minimize="log_loss", limits=xt.Limits(max_depth=3), monotonic_cst=[1, 1, -1]
    )
    outcome = xt.solve(problem, on_progress=lambda progress: True)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "callback")
    assert 0 < outcome.lower_bound < outcome.cost
    assert outcome.stats["progress"][-1].lower_bound == outcome.lower_bound


def test_the_interval_bound_changes_no_cost_of_other_kinds():
    pruned = Counter()
    parameters = (
        {"cost_matrix": [[0, 3], [2, 2]]},
        {"minimize": "log_loss", "smoothing": "laplace"},
        {"minimize": "gini", "smoothing": 2},
    )
    for seed in range(9):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
        problem = xt.Problem(
            X,
            y,
            limits=xt.Limits(max_depth=2),
            constraints=xt.Constraints(required=[0, 1], only_below={1: 0}),
            **parameters[seed % 3],
        )
        # Where all trees cost the same, the first one leaves nothing to prune.
        outcome = constrained_tree(problem, switches={"incumbent": seed % 2 == 0})
        plain = constrained_tree(
            problem, switches={"similarity_bound": False, "interval_bound": False}
        )
        assert outcome.cost == pytest.approx(plain.cost, rel=1e-9)
        pruned[seed % 3] += outcome.stats["pruned"]["interval_bound"]
    assert min(pruned[kind] for kind in range(3)) > 0


def test_classes_too_light_for_any_leaf_are_predicted_nowhere():
    X = [[0], [1], [2], [3], [4], [5], [6], [7]]
    # The light class weighs 4 of 40, or 8 of 44, and each leaf holds at least a quarter.
    for lightest in (1, 2):
        problem = xt.Problem(
            X,
            [0, 1, 0, 1, 0, 1, 0, 1],
            sample_weight=[9, lightest] * 4,
            limits=xt.Limits(max_depth=2, min_weight_fraction_leaf=0.25),
        )
        assert check_as_defined(problem, {}).cost == 4 * lightest


def test_a_minimum_leaf_weight_alone_needs_no_choices():
    """The native search counts weights of leaves in place of rows, also beyond 53 bits."""
    rng = np.random.default_rng(11)
    X, y = rng.integers(0, 30, (200, 3)).astype(float), rng.integers(0, 2, 200)
    weights = rng.integers(1, 10, 200)
    limits = xt.Limits(max_depth=3, min_weight_fraction_leaf=0.07)
    costs = []
    for shift in (0, 50):
        problem = xt.Problem(X, y, weights << shift, limits=limits)
        outcome = xt.solve(problem)
        assert outcome.status is xt.Status.OPTIMAL
        assert outcome.stats["choices"] == 0
        leaves = outcome.tree.apply(X)
        lightest = min(weights[leaves == leaf].sum() for leaf in np.unique(leaves))
        assert int(lightest) >= Fraction(7, 100) * int(weights.sum())
        costs.append(outcome.cost >> shift)
    assert costs[0] == costs[1]


def test_thresholds_that_split_a_subset_alike_are_distinguished_in_monotone_trees():
    """Both children of the root split by x1: one between 2 and 3, the other between 1 and 9.

    With the midpoints 2.5 and 5 as thresholds, the tree would not be increasing in x0.
    """
    X = [[0, 0], [0, 2], [0, 3], [0, 6], [1, 1], [1, 9], [1, 10]]
    problem = xt.Problem(
        X,
        [0, 0, 1, 1, 0, 1, 1],
        limits=xt.Limits(max_depth=2),
        monotonic_cst=[1, 0],
        constraints=xt.Constraints(only_below={1: 0}),
    )
    outcome = check_as_defined(problem, {})
    assert outcome.cost == 0
    values = np.arange(0, 11, 0.25)
    below, above = (outcome.tree.predict([[x, value] for value in values]) for x in (0, 1))
    assert (below <= above).all()


@pytest.mark.parametrize("missing", [False, True])
def test_constraints_hold_for_features_and_not_for_their_columns(missing):
    """A column of text is encoded in a column for each level, and missing values in two columns."""
    X = {"colour": ["red", "blue", "green", "red", "blue", "green", "red"]}
    X["size"] = [1.0, 2.0, float("nan") if missing else 3.0, 4.0, 5.0, 6.0, 7.0]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X)
    y = [0, 1, 0, 1, 1, 0, 1]
    for constraints in (
        xt.Constraints(max_features=1),
        xt.Constraints(required=["colour"]),
        xt.Constraints(only_below={"size": "colour"}),
    ):
        problem = xt.Problem(frame, y, limits=xt.Limits(max_depth=2), constraints=constraints)
        check_as_defined(problem, {})


def test_a_stopped_search_keeps_a_valid_tree_and_a_lower_bound():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=4), monotonic_cst=[1, 1, -1, -1])
    outcome = xt.solve(problem, time_limit=0.5)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    assert 0 <= outcome.lower_bound <= outcome.cost < 100
    assert outcome.stats["progress"][-1].lower_bound == outcome.lower_bound


@pytest.mark.parametrize("minimize", [("depth", "errors"), "size", "errors"])
def test_a_search_without_a_proof_says_what_stopped_it(minimize):
    problem = xt.Problem(
        [[1], [0]],
        ["no", "yes"],
        minimize=minimize,
        limits=xt.Limits(max_errors=0),
        monotonic_cst=[1],
        constraints=xt.Constraints(required=[0]),
    )
    outcome = xt.solve(problem, time_limit=1e-9)
    proved = outcome.status in (xt.Status.OPTIMAL, xt.Status.INFEASIBLE)
    assert outcome.stopped_by == (None if proved else "time limit")
    assert xt.solve(problem).status is xt.Status.INFEASIBLE


def test_a_callback_and_a_gap_stop_the_search():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=4), monotonic_cst=[1, 1, -1, -1])
    reports = []

    def stop(progress):
        reports.append(progress)
        return True

    outcome = xt.solve(problem, on_progress=stop)
    assert (outcome.stopped_by, outcome.status) == ("callback", xt.Status.FEASIBLE)
    assert reports[-1].lower_bound <= outcome.cost
    outcome = xt.solve(problem, stop_at_gap=0.99)
    assert outcome.status in (xt.Status.FEASIBLE, xt.Status.OPTIMAL)
    assert outcome.gap <= 0.99


@pytest.mark.parametrize(
    "parameters",
    [
        {"constraints": xt.Constraints(max_features=2)},
        {"feature_penalty": 0.01},
        {"constraints": xt.Constraints(max_features=3, required=[4]), "monotonic_cst": {0: 1}},
    ],
    ids=["number", "prices", "with constraints"],
)
def test_bounds_inside_a_choice_of_features_are_valid_and_may_end_the_search(parameters):
    rng = np.random.default_rng(2)
    X = rng.random((300, 6)).round(2)
    y = ((X[:, 0] * X[:, 1] > 0.25) ^ (rng.random(300) < 0.3)).astype(int)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=3), **parameters)
    best = xt.solve(problem)
    bounds = [moment.lower_bound for moment in best.stats["progress"]]
    assert bounds == sorted(bounds)
    assert bounds[-1] == best.cost
    # Between two choices there is one bound.
    assert len(set(bounds)) > best.stats["choices"] + 2
    for allowed in (0.02, 0.1, 0.3):
        outcome = xt.solve(problem, stop_at_gap=allowed)
        assert outcome.lower_bound <= best.cost <= outcome.cost
        assert outcome.gap <= allowed
        assert outcome.stopped_by in ("gap", None)


def test_the_solver_for_two_levels_changes_no_cost():
    """On tables too large for the definition: codes, many thresholds, three levels."""
    random = Random("depth_two")
    counts, sizes = Counter(), Counter()
    tables = 50 if QUICK else 120
    for number in range(tables):
        rng = np.random.default_rng(number)
        n, d = random.randint(6, 26), random.randint(1, 3)
        X = rng.integers(0, random.choice([3, 6, 40]), (n, d)).astype(float)
        codes = [0] if d > 1 and random.random() < 0.5 else []
        X[:, codes] %= 4
        y = rng.integers(0, 3, n)
        y[:3] = range(3)
        problem = xt.Problem(
            X,
            y,
            sample_weight=drawn_weights(n, random.randint),
            categories=codes,
            limits=xt.Limits(
                max_depth=random.choice([1, 2, 2, 3 if n <= 12 else 2]),
                min_samples_leaf=random.choice([1, 1, 2]),
                max_size=random.choice([None, None, 2, 3]),
            ),
            # Costs of two classes are plain errors.
            cost_matrix={0: {1: random.choice([2, 3]), 2: 4}},
            constraints=random_constraints(random, d),
            leaf_penalty=random.choice([0, 0, 0.01]),
        )
        if not problem.constrained:
            continue
        switches = random_switches(random, problem) | {"depth_two": True}
        outcome = constrained_tree(problem, switches=switches)
        plain = constrained_tree(problem, switches={"depth_two": False})
        assert (outcome.status, outcome.cost) == (plain.status, plain.cost), (number, problem)
        recount(problem, outcome)
        counts["depth_two"] += outcome.stats.get("depth_two_calls", 0)
        sizes[0 if outcome.tree is None else outcome.tree.size] += 1
    assert counts["depth_two"] > tables / 2
    assert min(sizes[0], sizes[1], sizes[2], sizes[3]) > tables / 24
