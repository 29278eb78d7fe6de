"""Extreme values of every numeric parameter of a public function are accepted or refused.

A refusal is one sentence that names the parameter; no other exception is raised. The effects of
large limits of `Problem` and `solve` are tested in `test_machine_numbers.py`.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import networkx
import numpy as np
import pytest

import exactree as xt
from exactree import export, instances, proper, prune, theory
from exactree.bound_optimal import RiskPrices, solve_bound_optimal
from exactree.feature_sets import branching_sets, hitting_sets, support_sets
from exactree.tuning import front_along
from exactree.warm_start import proved_by, solve_after

from .mistakes import is_short_line

matplotlib.use("Agg")
X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.0], [1.5, 1.0], [0.5, 0.5]])
Y = np.array([0, 0, 1, 1, 0, 1])
VALUES = {
    "2**63": 2**63,
    "2**64": 2**64,
    "10**400": 10**400,
    "10**5000": 10**5000,
    "-1": -1,
    "-2**64": -(2**64),
    "0": 0,
    "1e300": 1e300,
    "inf": np.inf,
    "nan": np.nan,
    "longdouble": np.longdouble(1) / 3,
    "int64": np.int64(2**63 - 1),
    "uint64": np.uint64(2**64 - 1),
    "True": True,
    "1/3": Fraction(1, 3),
    "text": "3",
    "None": None,
    "list": [],
    "complex": 1j,
}
DEPTH = xt.Limits(max_depth=2)
Call = Callable[[Any], Any]


def problem_of(**options: Any) -> xt.Problem:
    return xt.Problem(X, Y, **({"limits": DEPTH} | options))


TREE = xt.solve(problem_of()).tree
ENSEMBLE = xt.solve(problem_of(minimize="total_size", n_trees=3)).ensemble
SHAPE = theory.shape_of(TREE)
KNOWN = proved_by(problem_of(), xt.solve(problem_of()))
GRAPH = networkx.cycle_graph(4)


def call_with(
    function: Callable[..., Any], *arguments: Any, **options: Any
) -> Callable[[str], Call]:
    """Return a function from the name of a parameter to a call with a value of the parameter."""
    return lambda name: lambda value: function(*arguments, **(options | {name: value}))


def on_workers(name: str) -> Call:
    def call(value: Any) -> Any:
        with ThreadPoolExecutor(1) as executor:
            return xt.solve(
                problem_of(limits=xt.Limits(max_depth=3)), cluster=executor, **{name: value}
            )

    return call


def bound(function: Callable[..., Any], **other: Any) -> Callable[[str], Call]:
    return call_with(function, SHAPE, n_features=2, n_examples=6, **other)


PLANTED = call_with(
    lambda **options: instances.Planted(**options).apply(), rows=20, features=3, size=3
)
CALLS: list[tuple[Callable[[str], Call], tuple[str, ...]]] = [
    (call_with(xt.describe, X, Y), ("time_limit",)),
    (call_with(prune.prune_with_bound, TREE, X, Y), ("delta", "r")),
    (call_with(prune.prune_with_cross_validation, TREE, X, Y), ("n_folds", "random_state")),
    (call_with(prune.first_leaves, TREE), ("max_leaves",)),
    (call_with(prune.grow_greedily, X, Y), ("max_leaves", "random_state")),
    (call_with(prune.calibrate_prior, X, Y, n_folds=2, n_draws=1), ("n_folds", "random_state")),
    (call_with(xt.smallest_equal_tree, ENSEMBLE), ("max_cells", "time_limit", "memory_limit")),
    (call_with(solve_bound_optimal, xt.Problem(X, Y), max_leaves=2), ("max_leaves", "delta", "r")),
    (call_with(solve_bound_optimal, xt.Problem(X, Y), max_leaves=2), ("time_limit",)),
    (lambda name: lambda value: RiskPrices(xt.Problem(X, Y)).bound(SHAPE, value), ("n_errors",)),
    (
        call_with(lambda **options: list(xt.enumerate_optimal(problem_of(), **options))),
        ("limit", "time_limit"),
    ),
    (
        call_with(lambda **options: xt.count_optimal(problem_of(), **options)),
        ("within", "memory_limit"),
    ),
    (call_with(xt.pareto_front, problem_of(), ("size", "errors")), ("time_limit",)),
    (call_with(lambda **options: list(support_sets(X, Y, **options))), ("max_size", "time_limit")),
    (
        call_with(lambda **options: list(hitting_sets([[1, 2], [2, 3]], **options))),
        ("max_size", "time_limit"),
    ),
    (
        call_with(lambda **options: list(branching_sets(X, Y, [0], **options))),
        ("max_size", "time_limit"),
    ),
    (lambda name: lambda value: list(branching_sets(X, Y, [0, value])), ("features",)),
    (PLANTED, ("rows", "features", "size", "values", "classes", "noise", "seed")),
    (
        call_with(lambda **options: instances.Parity(**options).apply(), n_trees=3, size=2),
        ("n_trees", "size"),
    ),
    (
        call_with(
            lambda **options: instances.SetMulticover([[1, 2], [2]], **options).apply(), picks=2
        ),
        ("picks", "demand"),
    ),
    (
        call_with(lambda **options: instances.Multicoloring(GRAPH, **options), colours=2),
        ("colours", "demand"),
    ),
    (call_with(instances.Lemma10), ("quantity",)),
    (
        bound(theory.risk_bound, n_classes=2, n_errors=1),
        ("n_features", "n_examples", "n_classes", "n_errors", "delta", "r", "log_q", "log_prior"),
    ),
    (bound(theory.vapnik_risk_bound, n_classes=2, n_errors=1), ("n_examples", "delta")),
    *(
        (bound(function, form=form, **other), ("n_features", "n_examples", *other))
        for form in ("tight", "loose")
        for function, other in (
            (theory.growth_function_bound, {"n_classes": 2}),
            (theory.log_growth_function_bound, {"n_classes": 2}),
            (theory.partitioning_function_bound, {"n_parts": 2}),
            (theory.log_partitioning_function_bound, {"n_parts": 2}),
        )
    ),
    (call_with(theory.log_error_prior, n_errors=1, r=0.5), ("n_errors", "r")),
    (call_with(theory.enumerate_shapes), ("leaves",)),
    (call_with(theory.enumerate_shapes_within), ("depth",)),
    (call_with(theory.wedderburn_etherington), ("leaves",)),
    (call_with(theory.stump_vc_dimension), ("n_features",)),
    (call_with(theory.vc_dimension_upper_bound, SHAPE), ("n_features",)),
    (call_with(theory.vc_dimension_bound_by_size, SHAPE), ("n_features",)),
    (call_with(theory.tight_table, n_features=2, n_examples=6), ("n_features", "n_examples")),
    (call_with(theory.vc_bounds, depth=1, n_features=2), ("depth", "n_features")),
    (call_with(theory.Features, ordinal=(2,)), ("numeric", "fixed_rules")),
    (lambda name: lambda value: theory.Features(**{name: (value,)}), ("ordinal", "surfaces")),
    (call_with(xt.rules.Hypersurfaces), ("degree",)),
    (call_with(xt.rules.SurfaceRule.linear, weights=(1, 1), threshold=0), ("threshold",)),
    (lambda name: lambda value: xt.rules.SurfaceRule.linear((1, value), 0), ("weights",)),
    (
        call_with(lambda **options: xt.solve(problem_of(**options))),
        ("leaf_penalty", "feature_penalty"),
    ),
    (on_workers, ("time_limit", "memory_limit", "n_jobs", "stop_at_gap")),
    (call_with(xt.solve, problem_of()), ("cluster", "resume", "incumbent")),
    (
        call_with(solve_after, problem_of(limits=xt.Limits(max_depth=3)), KNOWN),
        ("time_limit", "memory_limit"),
    ),
    (call_with(export.to_spreadsheet, TREE), ("row",)),
    (call_with(export.plot_tree, TREE), ("fontsize",)),
    (lambda name: lambda v: export.plot_regions(TREE, X, features=[0, v]), ("features",)),
    (call_with(export.report, TREE, X, Y, front_seconds=0), ("front_seconds", "examples")),
    (lambda name: lambda value: export.explain(TREE, [1.0, 0.0], costs=[value, 1]), ("costs",)),
    (lambda name: lambda value: export.explain(TREE, [1.0, 0.0], fixed=[value]), ("fixed",)),
    (call_with(lambda k: proper.kcombs(k, [1, 2])), ("k",)),
    (call_with(lambda k: proper.odt_ml(X[:3], Y[:3], k)), ("k",)),
    (lambda name: lambda value: proper.matrix_chain([2, value, 3]), ("sizes",)),
    (lambda name: lambda value: proper.search_tree([value, 1], [1, 1, 1]), ("found",)),
    (lambda name: lambda v: proper.best_kd_tree([(0, v), (1, 2)], proper.balance), ("places",)),
    (call_with(proper.best_kd_tree, [(0, 1), (1, 2)], proper.balance), ("k",)),
    (lambda name: lambda value: proper.gen_rules([[value, 0], [1, 1], [2, 3]]), ("X",)),
    (lambda name: lambda value: proper.segments([((0, 0), (1, value))]), ("segment",)),
    (
        call_with(lambda **options: front_along(problem_of(), "depth", xt.solve, **options)),
        ("time_limit",),
    ),
    (
        call_with(lambda **options: xt.OptimalEnsembleClassifier("auto", **options).fit(X, Y)),
        ("max_trees",),
    ),
    (
        call_with(lambda **options: xt.OptimalTreeClassifierCV(cv=2, **options).fit(X, Y)),
        ("n_jobs",),
    ),
    (
        call_with(lambda **options: xt.BoundPrunedTreeClassifier(**options).fit(X, Y)),
        ("random_state",),
    ),
]
CASES = [
    pytest.param(name, call(name), id=f"{number} {name}")
    for number, (call, names) in enumerate(CALLS)
    for name in names
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), CASES)
def test_a_value_is_accepted_or_refused_in_one_sentence_with_the_parameter(
    name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # resume="3" writes a file
    refusals: dict[str, str] = {}
    for value_name, value in VALUES.items():
        try:
            call(value)
        except (ValueError, TypeError) as error:
            refusals[value_name] = str(error)
        plt.close("all")
    assert refusals  # some of the values are not numbers
    assert all(map(is_short_line, refusals.values())), refusals
    assert all(name in message for message in refusals.values()), refusals


def test_a_regression_that_no_fold_can_score_is_refused() -> None:
    """Six folds of six examples have one example each, for which R² is not defined."""
    model = xt.OptimalTreeRegressorCV(xt.OptimalTreeRegressor(max_depth=1), cv=6)
    with (
        pytest.warns(UserWarning, match="not well-defined"),
        pytest.raises(ValueError, match="cv: no setting has a mean"),
    ):
        model.fit(X, Y.astype(float))


def test_too_little_memory_ends_a_shared_search_with_a_tree() -> None:
    """Otherwise the task would be repeated for ever with the same memory limit."""
    with ThreadPoolExecutor(1) as executor:
        outcome = xt.solve(
            problem_of(limits=xt.Limits(max_depth=3)), cluster=executor, memory_limit=3
        )
    assert outcome.stopped_by == "memory limit"
    assert outcome.tree is not None
    assert outcome.lower_bound <= outcome.cost
