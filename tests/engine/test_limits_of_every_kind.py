"""Every limit with every kind of errors: the engine agrees with the definition within the limit.

The engine transforms problems: with other weights, in columns, or without some rows. A limit in
units of the user's weights, or as a share of them, has to stay the same.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import exactree as xt

CLASSES = {
    "errors": {"minimize": "errors"},
    "errors, then size": {"minimize": ("errors", "size")},
    "size": {"minimize": "size", "max_errors": 1},
    "depth": {"minimize": "depth", "max_errors": 1},
    "class_weight": {"minimize": "errors", "class_weight": {0: 3, 1: 0.5}},
    "costs by class": {"minimize": "errors", "cost_matrix": {0: {1: 3}, 1: {0: 0.5}}},
    "costs of any kind": {"minimize": "errors", "cost_matrix": [[0, 1, 4], [2, 0, 1], [1, 3, 0]]},
    "costs, then size": {"minimize": ("errors", "size"), "cost_matrix": {0: {1: 3}}},
    "balanced_error": {"minimize": "balanced_error"},
    "balanced_error, priced": {"minimize": "balanced_error", "leaf_penalty": 0.03},
    "log_loss": {"minimize": "log_loss", "smoothing": "laplace"},
    "gini": {"minimize": "gini"},
    "f1_error": {"minimize": "f1_error"},
    "f1_error, priced": {"minimize": "f1_error", "leaf_penalty": 0.03},
    "precision_error": {"minimize": "precision_error", "min_recall": 0.3},
    "recall_error": {"minimize": "recall_error", "min_precision": 0.5},
}
REGRESSIONS = {
    "squared_error": {"minimize": "squared_error"},
    "absolute_error": {"minimize": "absolute_error"},
}
ENSEMBLES = {
    "total_size of two": {"minimize": "total_size", "n_trees": 2},
    "errors of two": {"minimize": "errors", "n_trees": 2, "max_total_size": 1},
}
KINDS = CLASSES | REGRESSIONS | ENSEMBLES
RATES = ("f1_error", "precision_error", "recall_error")
LIMITS = {
    "none": {},
    "rows": {"min_samples_leaf": 2},
    "share of rows": {"min_samples_leaf": 0.3},
    "weight": {"min_weight_fraction_leaf": 0.3},
    "weight and rows": {"min_weight_fraction_leaf": 0.15, "min_samples_leaf": 2},
    "size": {"max_size": 2},
    "depth": {"max_depth": 1},
    "errors": {"max_errors": 2},
    "leaves": {"max_leaves_of": {0: 1}},
    "size and weight": {"max_size": 2, "min_weight_fraction_leaf": 0.2},
}
# Weights as functions of the labels.
WEIGHTS = {
    "ones": lambda y, rng: None,
    "equal": lambda y, rng: np.full(len(y), 0.75),
    "equal in a class": lambda y, rng: np.where(y > 0, 1, 2),
    "unequal": lambda y, rng: rng.integers(1, 5, len(y)),
}
ROWS = 6
# One table for each kind of weights, and five more in the long tests.
SEEDS = pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 6), marks=pytest.mark.long)], ids=["short", "long"]
)


def drawn_problem(kind: str, limit: str, weights: str, seed: int) -> xt.Problem:
    rng = np.random.default_rng([seed, len(kind), len(weights)])
    X = rng.integers(0, 4, (ROWS, 2))
    classes = 3 if kind == "costs of any kind" else 2
    y = rng.permutation(np.arange(ROWS) % classes)
    parameters = dict(KINDS[kind])
    own = {name: parameters.pop(name) for name in list(parameters) if hasattr(xt.Limits(), name)}
    limits = xt.Limits(**own | LIMITS[limit])
    sample_weight = WEIGHTS[weights](y, rng)
    return xt.Problem(X, y, sample_weight=sample_weight, limits=limits, **parameters)


def lightest_leaf(problem: xt.Problem, tree: xt.Tree) -> Fraction:
    """Return the share of the total weight in the lightest leaf."""
    weights = problem.dataset.weights
    reached = tree.apply(problem.dataset.X)
    leaf_weights = [int(weights[reached == leaf].sum()) for leaf in np.unique(reached)]
    return Fraction(min(leaf_weights), int(weights.sum()))


def is_refused(kind: str, limit: str, weights: str) -> bool:
    """Return whether `Problem` refuses a combination, as documented in `Limits` and `Problem`."""
    plain = kind in ("errors", "errors, then size", "size", "depth", "class_weight")
    plain = plain or kind in ENSEMBLES
    if limit == "errors":
        return not plain
    return limit == "leaves" and (kind in REGRESSIONS or KINDS[kind]["minimize"] in RATES)


def limits_unequal_weights(kind: str, limit: str, weights: str) -> bool:
    """Return whether the weight of leaves is limited, and is not a multiple of their rows."""
    unequal = kind == "class_weight" or weights not in ("ones", "equal")
    return "min_weight_fraction_leaf" in LIMITS[limit] and unequal


@SEEDS
@pytest.mark.parametrize("kind", KINDS)
def test_the_engine_and_the_definition_agree_within_every_limit(kind, seeds):
    unlimited = {}
    n_binding = 0
    for limit, weights, seed in product(LIMITS, WEIGHTS, seeds):
        name_of_case = f"{kind}, {limit}, {weights}, seed {seed}"
        if is_refused(kind, limit, weights):
            with pytest.raises(ValueError, match=r"not go with|has no classes"):
                drawn_problem(kind, limit, weights, seed)
            continue
        problem = drawn_problem(kind, limit, weights, seed)
        limits_a_rate = problem.limits.min_precision or problem.limits.min_recall
        if limits_a_rate and limits_unequal_weights(kind, limit, weights):
            with pytest.raises(xt.MethodRefused, match="take neither min_precision nor min_recall"):
                xt.solve(problem)
            continue
        defined = xt.solve(problem, implementation="spec")
        n_binding += unlimited.setdefault((weights, seed), defined.cost) != defined.cost
        check_leaf_limits(problem, defined)
        found = xt.solve(problem)
        assert found.status is defined.status, name_of_case
        assert found.cost == defined.cost, name_of_case
        check_leaf_limits(problem, found)
    assert n_binding >= 3, "the limits must change some answers"


def check_leaf_limits(problem: xt.Problem, outcome: xt.Outcome) -> None:
    """Check the limits on rows and weight of leaves, as given by the user."""
    for tree in outcome.trees:
        share = problem.limits.min_weight_fraction_leaf
        assert lightest_leaf(problem, tree) >= Fraction(str(share))
        rows = np.bincount(tree.apply(problem.dataset.X))
        assert rows[rows > 0].min() >= problem.limits.min_rows(ROWS)


FRONTS = {
    "errors": ("size", "errors"),
    "errors by depth": ("depth", "errors"),
    "class_weight": ("size", "errors"),
    "costs by class": ("size", "errors"),
    "costs of any kind": ("size", "errors"),
    "balanced_error": ("size", "balanced_error"),
    "gini": ("depth", "gini"),
    "log_loss": ("size", "log_loss"),
    "f1_error": ("false_positives", "false_negatives"),
    "squared_error": ("size", "squared_error"),
    "absolute_error": ("depth", "absolute_error"),
    "total_size of two": ("total_size", "errors"),
}


@SEEDS
@pytest.mark.parametrize("name", FRONTS)
def test_fronts_of_the_engine_and_of_the_definition_agree_within_every_limit(name, seeds):
    kind = name.removesuffix(" by depth")
    unlimited = {}
    n_binding = 0
    for limit, weights, seed in product(LIMITS, WEIGHTS, seeds):
        if is_refused(kind, limit, weights):
            continue
        problem = drawn_problem(kind, limit, weights, seed)
        of_pairs = FRONTS[name] == ("false_positives", "false_negatives")
        if of_pairs and limits_unequal_weights(kind, limit, weights):
            with pytest.raises(xt.MethodRefused, match="with rows of different weight"):
                xt.pareto_front(problem, FRONTS[name])
            continue
        defined = xt.pareto_front(problem, FRONTS[name], implementation="spec")
        found = xt.pareto_front(problem, FRONTS[name])
        costs = [outcome.cost for outcome in defined]
        assert [outcome.cost for outcome in found] == costs, f"{limit}, {weights}, seed {seed}"
        n_binding += unlimited.setdefault((weights, seed), costs) != costs
        for outcome in (*defined, *found):
            check_leaf_limits(problem, outcome)
    assert n_binding >= 3, "the limits must change some fronts"
