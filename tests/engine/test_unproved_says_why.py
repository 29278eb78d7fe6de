"""Outcomes without a proof name what stopped the search, for all methods and objectives."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import exactree as xt
from exactree.engine import branch_and_bound
from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.methods import NATIVE
from exactree.spec.methods import METHODS

PROVED = (xt.Status.OPTIMAL, xt.Status.INFEASIBLE)
KINDS = {
    "errors": {"minimize": "errors", "max_depth": 4},
    "errors of any depth": {"minimize": "errors", "leaf_penalty": 0.01},
    "errors, then size": {"minimize": ("errors", "size"), "max_depth": 3},
    "size": {"minimize": "size"},
    "size with errors": {"minimize": "size", "max_errors": 5},
    "size with many errors": {"minimize": "size", "max_errors": 20},
    "size, then depth": {"minimize": ("size", "depth")},
    "depth": {"minimize": "depth"},
    "leaves": {"minimize": "size", "max_leaves_of": {0: 6}},
    "rows": {"minimize": "size", "max_errors": 15, "min_samples_leaf": 3},
    "weight": {"minimize": "errors", "max_depth": 3, "min_weight_fraction_leaf": 0.1},
    "monotone": {"minimize": "errors", "max_depth": 3, "monotonic_cst": [1, 0, 0, 0]},
    "costs": {
        "minimize": "errors",
        "max_depth": 4,
        "cost_matrix": [[0, 2, 1], [1, 0, 3], [1, 1, 0]],
    },
    "balanced_error": {"minimize": "balanced_error", "max_depth": 4},
    "log_loss": {"minimize": "log_loss", "smoothing": "laplace", "max_depth": 4},
    "gini": {"minimize": "gini", "max_depth": 4},
    "f1_error": {"minimize": "f1_error", "max_depth": 4},
    "precision_error": {"minimize": "precision_error", "min_recall": 0.5, "max_depth": 3},
    "recall_error": {"minimize": "recall_error", "min_precision": 0.5, "max_depth": 3},
    "squared_error": {"minimize": "squared_error", "max_depth": 4},
    "absolute_error": {"minimize": "absolute_error", "max_depth": 4},
    "hyperplanes": {"minimize": "errors", "max_depth": 1, "rules": xt.rules.Hyperplanes()},
    "total_size": {"minimize": "total_size", "n_trees": 3},
    "largest_depth": {"minimize": "largest_depth", "n_trees": 3},
    "errors of three": {"minimize": "errors", "n_trees": 3, "max_total_size": 6},
}
STOPS = {
    "no time": {"time_limit": 1e-9},
    "little time": {"time_limit": 0.02},
    "at once": {"on_progress": lambda progress: True, "time_limit": 0.3},
    "gap": {"stop_at_gap": 0.9, "time_limit": 0.1},
    "memory": {"memory_limit": 1, "time_limit": 0.05},
}


def drawn_problem(kind: str, rows: int) -> xt.Problem:
    rng = np.random.default_rng(1)
    parameters = dict(KINDS[kind])
    of_limits = [name for name in parameters if hasattr(xt.Limits(), name)]
    limits = {name: parameters.pop(name) for name in of_limits}
    rows = min(rows, 20) if "rules" in parameters else rows
    X = rng.random((rows, 4)).round(2)
    y = rng.permutation(np.arange(rows) % (3 if kind == "costs" else 2))
    weights = rng.integers(1, 4, rows) if kind == "weight" else None
    return xt.Problem(X, y, weights, limits=xt.Limits(**limits), **parameters)


def check_reason(outcome: xt.Outcome) -> xt.Outcome:
    """Check that an outcome is proved or names what stopped the search, and return it."""
    if outcome.status not in PROVED:
        assert outcome.stopped_by is not None
        assert str(outcome).startswith(f"stopped by the {outcome.stopped_by}")
    return outcome


@pytest.mark.parametrize("kind", KINDS)
def test_every_native_method_names_what_stopped_it(kind):
    n_by_proof = Counter()
    problem = drawn_problem(kind, rows=60)
    for name, native in NATIVE.items():
        if native(problem).refusal is not None:
            continue
        for options in STOPS.values():
            try:
                outcome = check_reason(xt.solve(problem, method=name, **options))
            except xt.MethodRefused:
                continue  # the table is too large for this method
            n_by_proof[outcome.status in PROVED] += 1
    assert n_by_proof, "some method takes the problem"
    # A single leaf has precision 0.5 and recall 1: this optimum is proved without a search.
    if kind != "recall_error":
        assert n_by_proof[False], "some search must have been stopped"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_specifications_prove_their_outcomes(kind):
    """A specification takes no limit of time or memory, so nothing stops it."""
    problem = drawn_problem(kind, rows=5)
    for method in METHODS.values():
        if method.reason_to_refuse(problem) is None:
            with suppress(xt.MethodRefused):  # some accept only tables of fewer rows
                assert method.spec(problem).status in PROVED


@pytest.mark.parametrize(
    "quantities",
    [
        ("size", "errors"),
        ("depth", "errors"),
        ("size", "balanced_error"),
        ("depth", "gini"),
        ("false_positives", "false_negatives"),
    ],
)
def test_fronts_name_what_stopped_them(quantities):
    for limit in (1e-9, 0.02):
        front = xt.pareto_front(drawn_problem("errors", rows=60), quantities, time_limit=limit)
        for outcome in front:
            check_reason(outcome)


def test_an_interrupt_of_the_first_search_ends_all_searches_and_is_reported():
    """The direct search finds the first tree, before the sizes are raised."""

    def interrupted(problem, caps, options):
        return replace(ENGINE.size(problem, caps, options), stopped_by="interrupt")

    problem = drawn_problem("size with many errors", rows=60)
    outcome = check_reason(branch_and_bound(problem, searches=replace(ENGINE, size=interrupted)))
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None
