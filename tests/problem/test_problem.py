"""Arguments, attributes and refusals of Problem, Limits and Outcome."""

import pickle
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from exactree import (
    Constraints,
    Limits,
    Outcome,
    Problem,
    Progress,
    Status,
    pareto_front,
    solve,
)
from exactree.problem.display import infeasibility
from exactree.problem.display.problem_text import problem_text
from exactree.problem.quantities import shown_cost
from exactree.rules import AxisParallel, Categories, Hyperplanes, Hypersurfaces, Mixed
from exactree.spec import min_cost

X = [[0, 1], [1, 1], [2, 0], [3, 0]]
Y = ["a", "b", "b", "a"]


def test_defaults_are_those_of_the_interface() -> None:
    problem = Problem(X, Y)
    assert problem.minimize == "errors"
    assert problem.leaf_penalty == 0
    assert problem.rules == AxisParallel()
    assert problem.limits == Limits(None, None, None, 1)
    assert problem.min_rows == 1
    assert problem.max_error_weight is None
    assert problem.infeasible_reason is None


def test_a_problem_cannot_be_changed_and_survives_pickling() -> None:
    problem = Problem(X, Y, leaf_penalty=0.01, limits=Limits(max_depth=2))
    with pytest.raises(AttributeError):
        problem.minimize = "size"  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(problem))
    assert again.limits == problem.limits
    assert again.leaf_penalty == Fraction(1, 100)
    assert np.array_equal(again.dataset.X, problem.dataset.X)


def test_repr_shows_table_quantities_and_limits() -> None:
    text = repr(Problem(X, Y, leaf_penalty=0.5, limits=Limits(max_depth=2)))
    assert text.startswith("Problem(4 examples, 2 features, 2 classes, minimize='errors'")
    assert "leaf_penalty=1/2" in text
    assert "max_depth=2" in text


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        (0, Fraction(0)),
        (2, Fraction(2)),
        (0.01, Fraction(1, 100)),
        (1e-5, Fraction(1, 100_000)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(1), Fraction(1)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.25"), Fraction(1, 4)),
    ],
)
def test_a_penalty_is_read_by_its_shortest_decimal_form(given: Any, exact: Fraction) -> None:
    assert Problem(X, Y, leaf_penalty=given).leaf_penalty == exact


@pytest.mark.parametrize("penalty", [-0.1, -1, np.nan, np.inf, "0.1", None, True, 1j])
def test_invalid_penalties_are_refused(penalty: Any) -> None:
    with pytest.raises(ValueError, match="leaf_penalty must be a finite number >= 0, got"):
        Problem(X, Y, leaf_penalty=penalty)


def test_a_leaf_penalty_is_refused_unless_errors_are_minimized() -> None:
    for minimize in ("size", ("depth", "size")):
        with pytest.raises(ValueError, match="leaf_penalty must be 0 unless 'errors' is in minim"):
            Problem(X, Y, minimize=minimize, leaf_penalty=0.1)
    Problem(X, Y, minimize=("size", "errors"), leaf_penalty=0.1)
    Problem(X, Y, leaf_penalty=0.1, limits=Limits(max_errors=3))


@pytest.mark.parametrize(
    ("minimize", "n_trees"),
    [
        ("size", 1),
        (("errors", "size", "depth"), 1),
        (("depth",), 1),
        ("errors", 2),
        (("largest_size", "total_size"), 3),
        (("largest_depth", "total_depth", "errors"), 2),
    ],
)
def test_quantities_of_trees_and_of_ensembles_are_accepted(minimize: Any, n_trees: int) -> None:
    problem = Problem(X, Y, minimize=minimize, n_trees=n_trees)
    assert problem.minimize == minimize
    assert problem.quantities == (minimize if isinstance(minimize, tuple) else (minimize,))
    assert problem.n_trees == n_trees


def test_errors_are_not_allowed_by_default_unless_they_come_first() -> None:
    def max_errors(**parameters: Any) -> Any:
        return Problem(X, Y, **parameters).max_errors

    assert max_errors() is None
    assert max_errors(minimize=("errors", "size")) is None
    assert max_errors(minimize="size") == max_errors(minimize=("depth", "errors")) == 0
    assert max_errors(minimize="total_size", n_trees=3) == 0
    assert max_errors(minimize="size", limits=Limits(max_errors=2)) == 2
    assert Problem(X, Y, minimize="size").max_error_weight == 0
    assert Problem(X, Y, minimize="size").limits.max_errors is None


def test_leaves_of_a_class_are_limited_by_its_label() -> None:
    limits = Limits(max_leaves_of={"b": 2})
    assert Problem(X, Y, limits=limits).leaf_limits == {1: 2}
    assert Problem(X, Y).leaf_limits == {}
    with pytest.raises(ValueError, match="max_leaves_of names 'c', which is not a label of y"):
        Problem(X, Y, limits=Limits(max_leaves_of={"c": 1}))
    for wrong in ({"a": -1}, {"a": 1.5}, {"a": True}):
        with pytest.raises(ValueError, match=r"max_leaves_of\['a'\] must be an integer >= 0, got"):
            Limits(max_leaves_of=wrong)
    with pytest.raises(ValueError, match="max_leaves_of must be a mapping of labels to integers"):
        Limits(max_leaves_of=[("a", 1)])  # type: ignore[arg-type]
    assert hash(limits) == hash(Limits())  # a mapping is left out of the hash
    assert pickle.loads(pickle.dumps(limits)) == limits


def test_the_size_of_a_tree_is_limited_by_max_size_and_max_total_size() -> None:
    assert Problem(X, Y, limits=Limits(max_size=3, max_total_size=2)).max_tree_size == 2
    assert Problem(X, Y, limits=Limits(max_size=1, max_total_size=2)).max_tree_size == 1
    assert Problem(X, Y).max_tree_size is None


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"minimize": "loss"},
            "minimize must be 'errors', 'balanced_error', .*, 'size', .* or a tuple of them",
        ),
        ({"minimize": ("errors", "squared_error")}, "minimize may name only one of 'errors', 'ba"),
        ({"minimize": "squared_error", "n_trees": 2}, "does not go with n_trees=2"),
        (
            {"minimize": "squared_error", "leaf_penalty": 10**400},
            r"leaf_penalty must be at most 2\*\*400",
        ),
        (
            {"minimize": "absolute_error", "limits": Limits(max_errors=1)},
            "max_errors limits the misclassified weight; a regression has no classes",
        ),
        ({"minimize": ("size", "loss")}, r"or a tuple of them, got \('size', 'loss'\)"),
        ({"minimize": ("size", "size")}, "minimize must name every quantity once"),
        (
            {"minimize": "total_size"},
            "does not go with n_trees=1; of one tree use 'errors', 'balanced_error'",
        ),
        ({"minimize": "size", "n_trees": 2}, "does not go with n_trees=2; of an ensemble use"),
        ({"minimize": None}, "minimize must be 'errors', .* 'size', 'depth', .* got None"),
        ({"minimize": ()}, "minimize must be 'errors'"),
        ({"minimize": ["errors"]}, "minimize is a list; write minimize='errors'"),
        ({"n_trees": 0}, "n_trees must be an integer >= 1"),
        ({"n_trees": True}, "n_trees must be an integer >= 1"),
        (
            {"categories": "x0"},
            "categories must be a list of names or indices of columns, got 'x0'",
        ),
        ({"categories": 0}, "categories must be a list of names or indices of columns, got 0"),
        ({"categories": ["z"]}, r"categories names 'z', but the columns of X are 'x0', 'x1', or 0"),
        ({"categories": [2]}, r"categories names 2, but the columns .*, or 0 to 1\."),
        ({"categories": [-1]}, "categories names -1, but the columns"),
        ({"categories": [True]}, "categories names True, but the columns"),
        ({"categories": ["x1", 1]}, "categories names column 'x1' twice"),
        ({"rules": "axis"}, r"rules must be AxisParallel, Hyperplanes, .*, got 'axis'"),
        (
            {"rules": AxisParallel(["z"])},
            "features of AxisParallel names 'z', but the columns of X",
        ),
        ({"rules": AxisParallel([0, 0])}, "features of AxisParallel names column 'x0' twice"),
        ({"rules": AxisParallel([])}, "features of AxisParallel is empty; name one, or leave it"),
        ({"limits": {"max_depth": 3}}, "limits must be a Limits"),
    ],
)
def test_invalid_parameters_are_named(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        Problem(X, Y, **parameters)


def test_a_code_that_is_not_an_integer_is_named_by_column_and_row() -> None:
    halves = [[0, 1], [1, 9], [2, 0.5], [3, 0]]
    message = (
        r"X, column 'x1', row 2: 0.5 is not an integer; columns named in categories hold integer"
    )
    with pytest.raises(ValueError, match=message):
        Problem(halves, Y, sample_weight=[1, 0, 1, 1], categories=["x1"])
    assert Problem(halves, Y, sample_weight=[1, 1, 0, 1], categories=[1]).categories == (1,)


def test_categories_and_features_determine_the_rules() -> None:
    assert Problem(X, Y, categories=[]).rules == AxisParallel()
    assert Problem(X, Y, categories=np.array([1])).rules == Mixed(
        (AxisParallel([0]), Categories((1,)))
    )
    both = Problem(X, Y, categories=["x1", "x0"], rules=AxisParallel(["x1"]))
    assert (both.categories, both.rules) == ((0, 1), Mixed((AxisParallel([]), Categories((1,)))))
    assert Problem(X, Y, categories=[0], rules=AxisParallel([1])).rules == AxisParallel([1])
    assert "Categories(features=(1,), level_sets=False)" in repr(both)
    assert "rules" not in repr(Problem(X, Y))
    again = pickle.loads(pickle.dumps(both))
    assert (again.rules, again.categories) == (both.rules, both.categories)
    assert both.minimizing(("size", "errors")).rules == both.rules


def test_rows_that_differ_only_in_a_code_are_no_contradiction() -> None:
    table, limits = [[1, 7], [1, 5], [1, 7]], Limits(max_errors=0)
    assert min_cost(Problem(table, [0, 1, 0], categories=[1], limits=limits)).cost == 0
    outcome = min_cost(Problem(table, [0, 1, 0], rules=AxisParallel([0]), limits=limits))
    assert "rows 0, 1, 2 have equal values in all features that splits may use" in str(
        outcome.reason
    )


@pytest.mark.parametrize("name", ["max_depth", "max_size", "max_total_size"])
@pytest.mark.parametrize("value", [-1, 1.0, 1.5, "3", True, False, np.True_, np.nan, inf])
def test_limits_on_depth_and_size_are_of_an_integer_type(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 0 or None, got"):
        Limits(**{name: value})


@pytest.mark.parametrize("value", [-1, -0.5, np.nan, inf, "3", True])
def test_max_errors_is_a_number(value: Any) -> None:
    with pytest.raises(ValueError, match="max_errors must be a number >= 0 or None, got"):
        Limits(max_errors=value)


@pytest.mark.parametrize("value", [0, -1, 1.0, 0.0, 1.5, -0.5, True, None, "1", np.nan])
def test_min_samples_leaf_is_a_count_or_a_fraction(value: Any) -> None:
    with pytest.raises(ValueError, match="min_samples_leaf must be an integer >= 1 or a float"):
        Limits(min_samples_leaf=value)


def test_limits_become_plain_numbers() -> None:
    limits = Limits(np.int64(3), np.uint8(7), np.float64(2.0), np.int32(5))
    assert limits == Limits(3, 7, 2, 5)
    assert {type(value) for value in vars(limits).values()} == {int, type(None)}
    assert Limits(max_errors=0.1).max_errors == Fraction(1, 10)
    assert type(Limits(min_samples_leaf=np.float32(0.1)).min_samples_leaf) is float
    assert Limits(min_samples_leaf=np.float32(0.1)) == Limits(min_samples_leaf=0.1)


@pytest.mark.parametrize(
    ("fraction", "rows", "min_rows"),
    [(0.5, 4, 2), (0.5, 5, 3), (0.07, 100, 7), (0.1, 30, 3), (0.29, 100, 29), (0.001, 10, 1)],
)
def test_a_fraction_of_rows_is_rounded_up_exactly(
    fraction: float, rows: int, min_rows: int
) -> None:
    problem = Problem(
        np.zeros((rows + 1, 1)),
        [0] * (rows + 1),
        sample_weight=[1] * rows + [0],  # the dropped row does not count
        limits=Limits(min_samples_leaf=fraction),
    )
    assert problem.min_rows == min_rows


def test_a_limit_on_errors_is_in_the_users_unit() -> None:
    problem = Problem([[0], [1]], [0, 1], [0.5, 0.25], limits=Limits(max_errors=0.3))
    assert problem.dataset.weight_scale == 4
    assert problem.max_error_weight == 1


def test_a_limit_on_errors_fits_into_64_bits_whatever_the_weights() -> None:
    problem = Problem([[0], [1]], [0, 1], sample_weight=[1e-6, 1e-6], limits=Limits(max_errors=1))
    assert problem.max_error_weight == problem.dataset.total_weight
    assert solve(problem).cost == 0


@pytest.mark.parametrize(
    ("limits", "max_leaves"),
    [
        (Limits(), 4),
        (Limits(max_depth=1), 2),
        (Limits(max_depth=0), 1),
        (Limits(max_depth=10**9), 4),
        (Limits(max_size=2), 3),
        (Limits(min_samples_leaf=2), 2),
        (Limits(min_samples_leaf=9), 1),
    ],
)
def test_the_number_of_leaves_is_bounded_by_every_limit(limits: Limits, max_leaves: int) -> None:
    assert Problem(X, Y, limits=limits).max_leaves == max_leaves


def test_rows_are_compared_only_where_errors_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    # The replacement always finds two unavoidable errors.
    monkeypatch.setattr(
        infeasibility, "unavoidable_errors", lambda *arguments: compared.append(arguments) or 2
    )
    assert infeasibility.infeasible_without_search(Problem(X, Y)) is None
    assert not compared
    assert (
        infeasibility.infeasible_without_search(Problem(X, Y, limits=Limits(max_errors=2))) is None
    )
    outcome = infeasibility.infeasible_without_search(Problem(X, Y, limits=Limits(max_errors=1)))
    assert outcome is not None
    assert outcome.reason is not None
    assert outcome.reason.startswith("max_errors=1, but every tree makes at least 2 errors")


def test_too_many_rows_per_leaf_is_a_reason_for_infeasibility() -> None:
    reason = Problem(X, Y, limits=Limits(min_samples_leaf=5)).infeasible_reason
    assert reason is not None
    assert "min_samples_leaf=5" in reason
    assert "4 rows" in reason


def test_costs_are_exact_and_in_the_users_unit() -> None:
    problem = Problem([[0], [1]], [0, 1], [0.5, 0.25], leaf_penalty=0.1)
    assert problem.cost_of(errors=1, sizes=[1], depths=[1]) == (
        Fraction(1, 4) + 2 * Fraction(1, 10) * Fraction(3, 4)
    )
    assert isinstance(Problem(X, Y).cost_of(errors=3, sizes=[1], depths=[1]), int)
    several = Problem(X, Y, minimize=("size", "errors", "depth"))
    assert several.cost_of(errors=3, sizes=[5], depths=[4]) == (5, 3, 4)
    assert Problem(X, Y, minimize=("depth",)).cost_of(errors=3, sizes=[5], depths=[4]) == (4,)
    names = ("errors", "total_size", "largest_size", "total_depth", "largest_depth")
    three = Problem(X, Y, minimize=names, n_trees=3, leaf_penalty=1)
    assert three.cost_of(errors=2, sizes=[3, 0, 1], depths=[2, 0, 1]) == (2 + 4 * 7, 4, 3, 3, 2)


def test_minimizing_replaces_the_quantities_of_a_problem() -> None:
    problem = Problem(X, Y, minimize="size", limits=Limits(max_depth=2))
    other = problem.minimizing(("size", "errors"))
    assert (other.quantities, other.limits.max_depth) == (("size", "errors"), 2)
    assert other.max_errors == 4  # the total weight: the default 0 of "size" does not apply
    assert (problem.quantities, problem.max_errors) == (("size",), 0)


@pytest.mark.parametrize("penalty", [0.01, 1 / 3, 0.00021544346900318845, 5])
@pytest.mark.parametrize("weights", [None, [0.1, 0.2, 0.3, 0.4], [10**12, 1, 1, 1]])
def test_the_integer_prices_fit_into_62_bits_for_every_penalty(
    penalty: float, weights: Any
) -> None:
    problem = Problem(X, Y, weights, leaf_penalty=penalty)
    price = problem.leaf_price
    assert price.exact == problem.leaf_penalty * problem.dataset.total_weight
    assert price.error_price * problem.dataset.total_weight + price.leaf_price < 2**62


class TestOutcome:
    def found(self, **changes: Any) -> Outcome:
        tree = min_cost(Problem([[0], [1]], [0, 1])).tree
        parameters = {"status": Status.FEASIBLE, "cost": 4, "lower_bound": 3, "tree": tree}
        return Outcome(**{**parameters, **changes})

    def test_the_gap_is_relative_to_the_cost(self) -> None:
        assert self.found().gap == 0.25
        assert self.found(lower_bound=4).gap == 0.0
        assert self.found(cost=0, lower_bound=0).gap == 0.0
        assert self.found(cost=Fraction(1, 3), lower_bound=0).gap == 1.0
        assert self.found(status=Status.STOPPED, cost=None, tree=None).gap == inf

    def test_the_gap_of_tuples_is_that_of_the_first_difference(self) -> None:
        assert self.found(cost=(2, 4), lower_bound=(2, 3)).gap == 0.25
        assert self.found(cost=(2, 4), lower_bound=(1, 9)).gap == 0.5
        assert self.found(cost=(2, 4), lower_bound=(2, 4)).gap == 0.0

    def test_statuses_equal_their_names(self) -> None:
        assert [str(status) for status in Status] == [
            "optimal",
            "feasible",
            "infeasible",
            "stopped",
        ]
        assert Status("optimal") is Status.OPTIMAL
        assert Status.OPTIMAL == "optimal"

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            (
                {"status": Status.OPTIMAL, "lower_bound": 4},
                "optimal, proved: cost 4 by a tree of size 1 and depth 1",
            ),
            (
                {"stopped_by": "time limit", "cost": Fraction(9, 2)},
                "stopped by the time limit: cost 4.5 by a tree of size 1 and depth 1; "
                "lower bound 3, gap 33.3%",
            ),
            (
                {"status": Status.OPTIMAL, "lower_bound": 4, "cost_names": ("errors",)},
                "optimal, proved: 4 errors by a tree of size 1 and depth 1",
            ),
            (
                {"status": Status.OPTIMAL, "cost": 1.5, "cost_names": ("squared_error",)},
                "optimal, proved: squared error 1.5 by a tree of size 1 and depth 1",
            ),
            (
                {"status": Status.OPTIMAL, "cost": 1, "cost_names": ("size",)},
                "optimal, proved: size 1 by a tree of depth 1",
            ),
            (
                {
                    "status": Status.OPTIMAL,
                    "cost": (1, 0, 1),
                    "cost_names": ("size", "errors", "depth"),
                },
                "optimal, proved: size 1, 0 errors, depth 1",
            ),
            (
                {"status": Status.OPTIMAL, "cost": (1, Fraction(9, 2)), "lower_bound": (1, 4)},
                "optimal, proved: cost (1, 4.5) by a tree of size 1 and depth 1",
            ),
            (
                {"status": Status.INFEASIBLE, "cost": None, "tree": None, "reason": "max_size=0"},
                "infeasible, proved: max_size=0",
            ),
            (
                {"status": Status.STOPPED, "cost": None, "tree": None, "stopped_by": "interrupt"},
                "stopped by the interrupt without a tree; lower bound 3",
            ),
        ],
    )
    def test_the_text_of_an_outcome_is_one_sentence(
        self, changes: dict[str, Any], sentence: str
    ) -> None:
        assert str(self.found(**changes)) == sentence

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [
            ({}, "1 error by a tree of size 0 and depth 0"),
            ({"minimize": ("errors", "size")}, "1 error, size 0 by a tree of depth 0"),
            ({"leaf_penalty": 0.5}, "cost 2 by a tree of size 0 and depth 0"),
            (
                {"cost_matrix": {0: {1: 2}, 1: {0: 3}}},
                "cost 2 by a tree of size 0 and depth 0",
            ),
            ({"minimize": "balanced_error"}, "balanced error 0.5 by a tree of size 0 and depth 0"),
            ({"minimize": "size", "limits": Limits(max_errors=1)}, "size 0 by a tree of depth 0"),
        ],
    )
    def test_a_cost_is_in_the_unit_of_its_quantity(
        self, parameters: dict[str, Any], words: str
    ) -> None:
        given = {"limits": Limits(max_depth=0)} | parameters
        outcome = solve(Problem([[0], [1]], [0, 1], **given))
        assert str(outcome) == f"optimal, proved: {words}"

    def test_points_of_fronts_are_in_the_units_of_their_quantities(self) -> None:
        problem = Problem([[0], [1], [2]], [0, 1, 0], n_trees=2, limits=Limits(max_depth=1))
        texts = list(map(str, pareto_front(problem, ("n_trees", "errors"))))
        assert texts[0] == "optimal, proved: 1 tree, 1 error by a tree of size 0 and depth 0"
        assert texts[1].startswith("optimal, proved: 2 trees, 0 errors by 2 trees of sizes 1, 1;")
        pairs = pareto_front(problem.with_trees(1), ("false_positives", "false_negatives"))
        assert str(pairs[0]).startswith("optimal, proved: 0 false positives, 1 false negative by ")
        sizes = pareto_front(problem.with_trees(1), ("size", "errors"))
        assert str(sizes[0]) == "optimal, proved: size 0, 1 error by a tree of depth 0"

    def test_large_numbers_are_shown_without_an_exponent(self) -> None:
        assert shown_cost(Fraction(4_938_271, 4)) == "1,234,567.75"
        assert shown_cost(123456.75) == "123,457"
        assert shown_cost(2.0**60) == "1.152921505e+18"

    def test_an_outcome_survives_pickling(self) -> None:
        outcome = self.found(stats={"nodes": 3}, stopped_by="gap")
        again = pickle.loads(pickle.dumps(outcome))
        assert vars(again) == vars(outcome)

    def test_progress_has_cost_lower_bound_and_seconds(self) -> None:
        progress = Progress(cost=None, lower_bound=0, seconds=0.5)
        assert (progress.cost, progress.lower_bound, progress.seconds) == (None, 0, 0.5)


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, "the fewest errors of all trees of any size, whose nodes compare one feature with a "
             "threshold"),
        ({"minimize": ("size", "errors"), "limits": Limits(max_depth=1, max_errors=2)},
         "the fewest nodes, then the fewest errors of all trees with at most 1 node on a path, at "
         "most 2 errors, whose nodes compare one feature with a threshold"),
        ({"leaf_penalty": 0.01, "limits": Limits(max_size=2, min_samples_leaf=2)},
         "the fewest errors plus a price of 0.01 of the weight for each leaf of all trees with at "
         "most 2 nodes in all, at least 2 rows in every leaf, whose nodes"),
        ({"n_trees": 3, "minimize": "total_size", "limits": Limits(max_size=1, max_total_size=4)},
         "the fewest nodes in all trees of all ensembles of 3 trees with at most 1 node in each "
         "tree, at most 4 nodes in all, at most 0 errors"),
        ({"limits": Limits(max_leaves_of={"a": 1, "b": 2})}, "1 leaf of 'a', at most 2 leaves of"),
        ({"cost_matrix": {"a": {"b": 2}}}, "the minimum cost of errors of all trees of any size"),
        ({"sample_weight": [1, 2, 3, 4], "limits": Limits(min_weight_fraction_leaf=0.1)},
         "of all trees with at least 0.1 of the weight in every leaf, whose nodes"),
        ({"minimize": "f1_error", "limits": Limits(min_precision=0.5, min_recall=0.25)},
         "all trees with a precision of at least 0.5, a recall of at least 0.25, whose nodes"),
        ({"monotonic_cst": [1, -1], "feature_penalty": 0.1,
          "constraints": Constraints(required=[0], only_below={1: 0}, max_features=2)},
         "the fewest errors plus prices of features of all trees with a share of 'b' that does not "
         "decrease in 'x0', a share of 'b' that does not increase in 'x1', splits on 'x0', 'x1' "
         "only below 'x0', at most 2 features, whose nodes"),
        ({"monotonic_cst": [1, 1], "constraints": Constraints(monotonic_in="prediction")},
         "with predictions that do not decrease in 'x0' and 'x1', whose nodes"),
        ({"categories": [1]}, "compare one feature with a threshold or test for one level of a"),
        ({"rules": Mixed([AxisParallel(), Hyperplanes(), Hypersurfaces(2)])},
         "compare one feature with a threshold or compare a weighted sum of features with a "
         "threshold or compare a polynomial of degree 2 with a threshold"),
    ],
)  # fmt: skip
def test_the_problem_text_describes_quantities_limits_and_rules(
    parameters: dict[str, Any], text: str
) -> None:
    assert text in problem_text(Problem(X, Y, **parameters))


def test_the_problem_text_describes_regressions_and_missing_values() -> None:
    problem = Problem([[0, 1], [float("nan"), 2]], [1.5, 2.5], minimize="squared_error")
    assert problem_text(problem).startswith("the minimum squared error of all trees of any size")
    assert problem_text(problem).endswith("a threshold (missing values on either side)")


def test_outcomes_have_the_problem_text() -> None:
    problem = Problem(X, Y, limits=Limits(max_depth=1))
    assert solve(problem).problem_text == problem_text(problem)
    assert solve(problem, implementation="spec").problem_text == problem_text(problem)


def test_the_message_about_an_objective_names_both_ways() -> None:
    """An entry in the package, or `exactree.proper.odt` at once."""
    from exactree.objectives import Errors
    from exactree.proper import errors

    for objective in (errors(str), Errors(), Errors, ("errors", errors(str))):
        with pytest.raises(ValueError, match=r"minimize must be 'errors'.*") as caught:
            Problem([[0], [1]], [0, 1], minimize=objective)
        assert "needs an entry in exactree.objectives" in str(caught.value)
        assert "exactree.proper.odt with a TreeObjective" in str(caught.value)
