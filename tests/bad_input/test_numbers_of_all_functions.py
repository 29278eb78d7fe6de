"""Extreme values of every numeric parameter of a public function: accepted or refused.

A value is answered, or refused in one sentence that names the parameter; nothing else is raised.
What limits of `Problem` and `solve` mean there is in `test_machine_numbers.py`.
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

from .mistakes import one_sentence

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


def problem_of(**stated: Any) -> xt.Problem:
    return xt.Problem(X, Y, **({"limits": DEPTH} | stated))


TREE = xt.solve(problem_of()).tree
THREE = xt.solve(problem_of(minimize="total_size", n_trees=3)).ensemble
SHAPE = theory.shape_of(TREE)
KNOWN = proved_by(problem_of(), xt.solve(problem_of()))
GRAPH = networkx.cycle_graph(4)


def named(function: Callable[..., Any], *given: Any, **stated: Any) -> Callable[[str], Call]:
    """Return, for the name of a parameter, the call with a value for it."""
    return lambda name: lambda value: function(*given, **(stated | {name: value}))


def on_workers(name: str) -> Call:
    def call(value: Any) -> Any:
        with ThreadPoolExecutor(1) as executor:
            return xt.solve(
                problem_of(limits=xt.Limits(max_depth=3)), cluster=executor, **{name: value}
            )

    return call


def bound(function: Callable[..., Any], **other: Any) -> Callable[[str], Call]:
    return named(function, SHAPE, n_features=2, n_examples=6, **other)


PLANTED = named(lambda **how: instances.Planted(**how).apply(), rows=20, features=3, size=3)
CALLS: list[tuple[Callable[[str], Call], tuple[str, ...]]] = [
    (named(xt.describe, X, Y), ("time_limit",)),
    (named(prune.prune_with_bound, TREE, X, Y), ("delta", "r")),
    (named(prune.prune_with_cross_validation, TREE, X, Y), ("n_folds", "random_state")),
    (named(prune.first_leaves, TREE), ("max_leaves",)),
    (named(prune.grow_greedily, X, Y), ("max_leaves", "random_state")),
    (named(prune.calibrate_prior, X, Y, n_folds=2, n_draws=1), ("n_folds", "random_state")),
    (named(xt.smallest_equal_tree, THREE), ("max_cells", "time_limit", "memory_limit")),
    (named(solve_bound_optimal, xt.Problem(X, Y), max_leaves=2), ("max_leaves", "delta", "r")),
    (named(solve_bound_optimal, xt.Problem(X, Y), max_leaves=2), ("time_limit",)),
    (lambda name: lambda value: RiskPrices(xt.Problem(X, Y)).bound(SHAPE, value), ("n_errors",)),
    (named(lambda **how: list(xt.enumerate_optimal(problem_of(), **how))), ("limit", "time_limit")),
    (named(lambda **how: xt.count_optimal(problem_of(), **how)), ("within", "memory_limit")),
    (named(xt.pareto_front, problem_of(), ("size", "errors")), ("time_limit",)),
    (named(lambda **how: list(support_sets(X, Y, **how))), ("max_size", "time_limit")),
    (named(lambda **how: list(hitting_sets([[1, 2], [2, 3]], **how))), ("max_size", "time_limit")),
    (named(lambda **how: list(branching_sets(X, Y, [0], **how))), ("max_size", "time_limit")),
    (lambda name: lambda value: list(branching_sets(X, Y, [0, value])), ("features",)),
    (PLANTED, ("rows", "features", "size", "values", "classes", "noise", "seed")),
    (named(lambda **how: instances.Parity(**how).apply(), n_trees=3, size=2), ("n_trees", "size")),
    (
        named(lambda **how: instances.SetMulticover([[1, 2], [2]], **how).apply(), picks=2),
        ("picks", "demand"),
    ),
    (named(lambda **how: instances.Multicoloring(GRAPH, **how), colours=2), ("colours", "demand")),
    (named(instances.Lemma10), ("quantity",)),
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
    (named(theory.log_error_prior, n_errors=1, r=0.5), ("n_errors", "r")),
    (named(theory.enumerate_shapes), ("leaves",)),
    (named(theory.enumerate_shapes_within), ("depth",)),
    (named(theory.wedderburn_etherington), ("leaves",)),
    (named(theory.stump_vc_dimension), ("n_features",)),
    (named(theory.vc_dimension_upper_bound, SHAPE), ("n_features",)),
    (named(theory.vc_dimension_bound_by_size, SHAPE), ("n_features",)),
    (named(theory.tight_table, n_features=2, n_examples=6), ("n_features", "n_examples")),
    (named(theory.vc_bounds, depth=1, n_features=2), ("depth", "n_features")),
    (named(theory.Features, ordinal=(2,)), ("numeric", "fixed_rules")),
    (lambda name: lambda value: theory.Features(**{name: (value,)}), ("ordinal", "surfaces")),
    (named(xt.rules.Hypersurfaces), ("degree",)),
    (named(xt.rules.SurfaceRule.linear, weights=(1, 1), threshold=0), ("threshold",)),
    (lambda name: lambda value: xt.rules.SurfaceRule.linear((1, value), 0), ("weights",)),
    (named(lambda **how: xt.solve(problem_of(**how))), ("leaf_penalty", "feature_penalty")),
    (on_workers, ("time_limit", "memory_limit", "n_jobs", "stop_at_gap")),
    (named(xt.solve, problem_of()), ("cluster", "resume", "incumbent")),
    (
        named(solve_after, problem_of(limits=xt.Limits(max_depth=3)), KNOWN),
        ("time_limit", "memory_limit"),
    ),
    (named(export.to_spreadsheet, TREE), ("row",)),
    (named(export.plot_tree, TREE), ("fontsize",)),
    (lambda name: lambda v: export.plot_regions(TREE, X, features=[0, v]), ("features",)),
    (named(export.report, TREE, X, Y, front_seconds=0), ("front_seconds", "examples")),
    (lambda name: lambda value: export.explain(TREE, [1.0, 0.0], costs=[value, 1]), ("costs",)),
    (lambda name: lambda value: export.explain(TREE, [1.0, 0.0], fixed=[value]), ("fixed",)),
    (named(lambda k: proper.kcombs(k, [1, 2])), ("k",)),
    (named(lambda k: proper.odt_ml(X[:3], Y[:3], k)), ("k",)),
    (lambda name: lambda value: proper.matrix_chain([2, value, 3]), ("sizes",)),
    (lambda name: lambda value: proper.search_tree([value, 1], [1, 1, 1]), ("found",)),
    (lambda name: lambda v: proper.best_kd_tree([(0, v), (1, 2)], proper.balance), ("places",)),
    (named(proper.best_kd_tree, [(0, 1), (1, 2)], proper.balance), ("k",)),
    (lambda name: lambda value: proper.gen_rules([[value, 0], [1, 1], [2, 3]]), ("X",)),
    (lambda name: lambda value: proper.segments([((0, 0), (1, value))]), ("segment",)),
    (named(lambda **how: front_along(problem_of(), "depth", xt.solve, **how)), ("time_limit",)),
    (named(lambda **how: xt.OptimalEnsembleClassifier("auto", **how).fit(X, Y)), ("max_trees",)),
    (named(lambda **how: xt.OptimalTreeClassifierCV(cv=2, **how).fit(X, Y)), ("n_jobs",)),
    (named(lambda **how: xt.BoundPrunedTreeClassifier(**how).fit(X, Y)), ("random_state",)),
]
CASES = [
    pytest.param(name, call(name), id=f"{at} {name}")
    for at, (call, names) in enumerate(CALLS)
    for name in names
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "call"), CASES)
def test_a_number_is_answered_or_refused_in_one_sentence_by_name(
    name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a text for resume is a file
    refused: dict[str, str] = {}
    for what, value in VALUES.items():
        try:
            call(value)
        except (ValueError, TypeError) as error:
            refused[what] = str(error)
        plt.close("all")
    assert refused, "nothing that is no number is refused"
    assert all(map(one_sentence, refused.values())), refused
    assert all(name in message for message in refused.values()), refused


def test_a_regression_that_no_fold_can_score_is_refused() -> None:
    """Six folds of six examples leave one each, of which there is no share of the variance."""
    model = xt.OptimalTreeRegressorCV(xt.OptimalTreeRegressor(max_depth=1), cv=6)
    with (
        pytest.warns(UserWarning, match="not well-defined"),
        pytest.raises(ValueError, match="cv: no setting has a mean"),
    ):
        model.fit(X, Y.astype(float))


def test_memory_that_is_too_little_ends_a_shared_search_with_a_tree() -> None:
    """Whoever got the task again with as little memory would go on for ever."""
    with ThreadPoolExecutor(1) as executor:
        outcome = xt.solve(
            problem_of(limits=xt.Limits(max_depth=3)), cluster=executor, memory_limit=3
        )
    assert outcome.stopped_by == "memory limit"
    assert outcome.tree is not None
    assert outcome.lower_bound <= outcome.cost
