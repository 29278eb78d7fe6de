"""Every objective satisfies its laws; objectives that violate a law are detected."""

import ast
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log1p
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.data import Dataset, make_dataset
from exactree.objectives import (
    ENSEMBLE_OBJECTIVES,
    ERROR_TERMS,
    OBJECTIVES,
    RATES,
    REGRESSION_TERMS,
    SMOOTHED_TERMS,
    AbsoluteError,
    ErrorCosts,
    Errors,
    Gini,
    Law,
    LeavesOf,
    LogLoss,
    SquaredError,
)
from exactree.problem.terms import term_of
from exactree.testing import check_objective, labels, tables, targets, weights

QUICK = settings.get_current_profile_name() == "quick"


def errors_by_class(dataset: Dataset, subset: np.ndarray) -> Fraction:
    """Return the weight of a leaf's errors in the user's unit, counted class by class."""
    per_class = [
        int(dataset.weights[subset][dataset.labels[subset] == label].sum())
        for label in range(len(dataset.classes))
    ]
    return Fraction(sum(sorted(per_class)[:-1]), dataset.weight_scale)


def leaves_of(shape: Any) -> list[np.ndarray]:
    if isinstance(shape, tuple):
        return [leaf for child in shape for leaf in leaves_of(child)]
    return [shape]


def labels_and_weights(dataset: Dataset, subset: np.ndarray) -> list[tuple[Fraction, Fraction]]:
    """Return label and weight of every example of a subset, in the user's unit."""
    scale = dataset.weight_scale
    return [
        (Fraction(float(dataset.classes[label])), Fraction(int(weight), scale))
        for label, weight in zip(dataset.labels[subset], dataset.weights[subset], strict=True)
    ]


def squared_error(dataset: Dataset, subset: np.ndarray) -> Fraction:
    """Return the squared error from the distances of all pairs of examples, without the mean."""
    examples = labels_and_weights(dataset, subset)
    between = sum(w * v * (t - u) ** 2 for t, w in examples for u, v in examples)
    return between / (2 * sum(w for _, w in examples))


def absolute_error(dataset: Dataset, subset: np.ndarray) -> Fraction:
    """Return the minimum sum of distances from a label: no other number has a smaller sum."""
    examples = labels_and_weights(dataset, subset)
    return min(sum(w * abs(t - median) for t, w in examples) for median, _ in examples)


def balanced_error(dataset: Dataset, leaf: np.ndarray) -> Fraction:
    """Return the addition of a leaf to 1 - balanced accuracy, for the best predicted class."""
    labels = range(len(dataset.classes))
    totals = [int(dataset.weights[dataset.labels == c].sum()) for c in labels]
    in_leaf = [int(dataset.weights[leaf][dataset.labels[leaf] == c].sum()) for c in labels]
    shares = [Fraction(weight, total) for weight, total in zip(in_leaf, totals, strict=True)]
    return min(sum(shares) - share for share in shares) / len(labels)


def smoothed_shares(dataset: Dataset, leaf: np.ndarray) -> tuple[list[Fraction], list[Fraction]]:
    """Return weights in the user's unit, and shares with one more example of each class."""
    labels = range(len(dataset.classes))
    weights = [
        Fraction(int(dataset.weights[leaf][dataset.labels[leaf] == c].sum()), dataset.weight_scale)
        for c in labels
    ]
    return weights, [(w + 1) / (sum(weights) + len(labels)) for w in weights]


def log_loss(dataset: Dataset, leaf: np.ndarray) -> float:
    weights, shares = smoothed_shares(dataset, leaf)
    # The ratio is exact: the logarithm of a share near 1 would lose its digits.
    return sum(
        float(w) * log1p(float((1 - share) / share))
        for w, share in zip(weights, shares, strict=True)
    )


def gini(dataset: Dataset, leaf: np.ndarray) -> Fraction:
    weights, shares = smoothed_shares(dataset, leaf)
    return sum(weights) * (1 - sum(share**2 for share in shares))


def with_penalty(leaf_errors: Any, total_weight: Any = None) -> Any:
    """Return a measure of trees for a penalty: the errors, and a share of the total per leaf."""

    def measured(penalty: Fraction) -> Any:
        def measure(dataset: Dataset, shape: Any) -> Fraction:
            leaves = leaves_of(shape)
            total = total_weight
            if total is None:
                total = Fraction(dataset.total_weight, dataset.weight_scale)
            errors = sum(leaf_errors(dataset, leaf) for leaf in leaves)
            return errors + penalty * total * len(leaves)

        return measure

    return measured


def size_of(dataset: Dataset, shape: Any) -> int:
    return len(leaves_of(shape)) - 1


def depth_of(dataset: Dataset, shape: Any) -> int:
    if not isinstance(shape, tuple):
        return 0
    return 1 + max(depth_of(dataset, child) for child in shape)


# For each objective a function from the penalty to an independent measure of trees.
MEASURES = {
    "errors": with_penalty(errors_by_class),
    "balanced_error": with_penalty(balanced_error, 1),
    "log_loss": with_penalty(log_loss),
    "gini": with_penalty(gini),
    "squared_error": with_penalty(squared_error),
    "absolute_error": with_penalty(absolute_error),
    "size": lambda penalty: size_of,
    "depth": lambda penalty: depth_of,
}


def test_every_objective_has_a_measure_here() -> None:
    assert set(MEASURES) == set(OBJECTIVES)
    assert set(ERROR_TERMS) < set(OBJECTIVES)
    assert not set(OBJECTIVES) & set(ENSEMBLE_OBJECTIVES)


@pytest.mark.parametrize("name", OBJECTIVES)
@settings(max_examples=15 if QUICK else 50, deadline=None)
@given(data=st.data(), penalty=st.fractions(0, 3), seed=st.integers(0, 2**32 - 1))
def test_every_objective_is_monotone_inflating_and_faithful(
    name: str, data: st.DataObject, penalty: Fraction, seed: int
) -> None:
    X = data.draw(tables())
    regression = name in REGRESSION_TERMS
    y = data.draw((targets if regression else labels)(len(X)))
    dataset = make_dataset(X, y, data.draw(weights(len(X))), regression=regression)
    objective, measure = OBJECTIVES[name], MEASURES[name](penalty)
    if name in ERROR_TERMS:
        # In integer weights. The classes of a balanced error have the weight 1 in total.
        total = dataset.weight_scale if name == "balanced_error" else dataset.total_weight
        term = term_of(name, dataset, None, "laplace")
        objective = replace(term, leaf_price=penalty * total)
    else:
        objective = objective()
    near = 1e-9 if name in SMOOTHED_TERMS else 0  # reported to forty decimals
    check_objective(objective, dataset, measure, np.random.default_rng(seed), near)


@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_costs_of_errors_satisfy_the_laws(data: st.DataObject, seed: int) -> None:
    X = data.draw(tables())
    dataset = make_dataset(X, data.draw(labels(len(X))), data.draw(weights(len(X))))
    classes = len(dataset.classes)
    cells = st.lists(st.fractions(0, 3, max_denominator=4), min_size=classes, max_size=classes)
    costs = tuple(tuple(data.draw(cells)) for _ in range(classes))

    def cheapest(dataset: Dataset, leaf: np.ndarray) -> Fraction:
        examples = [
            *zip(dataset.labels[leaf].tolist(), dataset.weights[leaf].tolist(), strict=True)
        ]
        return min(
            sum(w * costs[c][predicted] for c, w in examples) for predicted in range(classes)
        )

    def measure(dataset: Dataset, shape: Any) -> Fraction:
        return sum(cheapest(dataset, leaf) for leaf in leaves_of(shape)) / dataset.weight_scale

    objective = ErrorCosts(weight_scale=dataset.weight_scale, costs=costs)
    check_objective(objective, dataset, measure, np.random.default_rng(seed))


def test_every_kind_of_errors_declares_its_laws() -> None:
    dataset = make_dataset([[0], [1]], [0, 1])
    for name in ERROR_TERMS:
        of_its_kind = make_dataset([[0], [1]], [0, 1], regression=name in REGRESSION_TERMS)
        unsmoothed = term_of(name, of_its_kind, None, None)
        assert unsmoothed.laws == set(Law), name
        assert Law.SUPER_ADDITIVE not in replace(unsmoothed, leaf_price=1).laws
    for name in SMOOTHED_TERMS:
        assert Law.SUPER_ADDITIVE not in term_of(name, dataset, None, "laplace").laws
    for objective in (OBJECTIVES["size"](), OBJECTIVES["depth"](), LeavesOf(0)):
        assert objective.laws == frozenset()


@pytest.mark.parametrize("smoothing", [None, "laplace", 0.5, 3.0])
@pytest.mark.parametrize("name", SMOOTHED_TERMS)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_costs_of_shares_satisfy_the_laws_that_they_declare(
    name: str, smoothing: float | str | None, data: st.DataObject, seed: int
) -> None:
    X = data.draw(tables())
    dataset = make_dataset(X, data.draw(labels(len(X))), data.draw(weights(len(X))))
    objective = term_of(name, dataset, None, smoothing)

    def measure(dataset: Dataset, shape: Any) -> Fraction:
        return sum(objective.value(objective.leaf(dataset, leaf)) for leaf in leaves_of(shape))

    # Logarithms have sixty digits.
    check_objective(objective, dataset, measure, np.random.default_rng(seed), 1e-30)


@pytest.mark.parametrize("cost", SMOOTHED_TERMS.values())
@settings(max_examples=100, deadline=None)
@given(
    leaf=st.lists(
        st.tuples(st.integers(0, 2**40), st.fractions(0, 2**40)), min_size=2, max_size=4
    ).filter(lambda leaf: any(weight for weight, _ in leaf)),
    smoothed=st.booleans(),
    label=st.integers(0, 3),
    weight=st.integers(1, 2**40),
)
def test_another_example_never_makes_a_leaf_of_shares_cheaper(
    cost: type[LogLoss | Gini],
    leaf: list[tuple[int, Fraction]],
    smoothed: bool,
    label: int,
    weight: int,
) -> None:
    # A leaf is given by the weight of each class, and by the weight that smoothing adds to it.
    before = [own for own, _ in leaf]
    after = list(before)
    after[label % len(leaf)] += weight
    objective = cost(added=tuple(added if smoothed else Fraction(0) for _, added in leaf))
    assert Law.NEVER_CHEAPER in objective.laws
    rounding = Fraction(1, 10**30)  # logarithms have sixty digits, weights are below 2**42
    assert objective.of_weights(after) >= objective.of_weights(before) - rounding


@dataclass(frozen=True)
class LightestClass(Errors):
    """The weight of the lightest class in a leaf: cheaper with one light example of a new class."""

    def leaf(self, dataset: Dataset, subset: np.ndarray) -> int | Fraction:
        totals = np.bincount(dataset.labels[subset], weights=dataset.weights[subset])
        return int(totals[totals > 0].min())


@dataclass(frozen=True)
class ShortReach(Errors):
    """Errors that declare a reach of zero."""

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        return 0


@dataclass(frozen=True)
class SquareRoot(Errors):
    """The square root of the errors: a leaf costs less than its two halves together."""

    def leaf(self, dataset: Dataset, subset: np.ndarray) -> int | Fraction:
        return Fraction(float(super().leaf(dataset, subset)) ** 0.5)


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (LightestClass, "cheaper with more examples"),
        (ShortReach, "an example beyond its reach"),
        (SquareRoot, "not super-additive"),
    ],
)
def test_a_law_that_is_declared_and_broken_is_caught(broken: type[Errors], law: str) -> None:
    dataset = make_dataset(np.zeros((9, 1)), [0, 1, 2] * 3)
    objective = broken()

    def measure(dataset: Dataset, shape: Any) -> Any:
        return sum(objective.leaf(dataset, leaf) for leaf in leaves_of(shape))

    with pytest.raises(AssertionError, match=law):
        check_objective(objective, dataset, measure, np.random.default_rng(0))


@pytest.mark.parametrize("name", RATES)
@given(positives=st.integers(1, 9), counts=st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_rates_never_decrease_with_more_errors_of_either_kind(
    name: str, positives: int, counts: list[int]
) -> None:
    fp, further_fp, fn, further_fn = counts
    fn, more_fn = min(fn, positives), min(fn + further_fn, positives)
    rate = RATES[name](positives=positives).rate
    assert 0 <= rate(fp, fn) <= rate(fp + further_fp, more_fn) <= 1


def test_precision_and_f1_are_zero_without_predicted_positives() -> None:
    assert RATES["precision_error"](positives=3).rate(0, 3) == 1
    assert RATES["f1_error"](positives=3).rate(0, 3) == 1


def test_false_positives_do_not_change_the_recall() -> None:
    assert RATES["recall_error"](positives=3).rate(5, 0) == 0


@given(data=st.data(), label=st.integers(0, 3), seed=st.integers(0, 2**32 - 1))
def test_the_number_of_leaves_of_a_class_satisfies_the_laws(
    data: st.DataObject, label: int, seed: int
) -> None:
    X = data.draw(tables())
    dataset = make_dataset(X, data.draw(labels(len(X))), data.draw(weights(len(X))))

    def measure(dataset: Dataset, shape: Any) -> int:
        majorities = [
            np.bincount(dataset.labels[leaf], weights=dataset.weights[leaf]).argmax()
            for leaf in leaves_of(shape)
        ]
        return majorities.count(label)

    check_objective(LeavesOf(label), dataset, measure, np.random.default_rng(seed))


def test_ensembles_are_measured_by_the_sum_or_the_maximum_over_trees() -> None:
    measured = {
        name: objective.together([2, 0, 1]) for name, objective in ENSEMBLE_OBJECTIVES.items()
    }
    assert measured == {"total_size": 3, "largest_size": 2, "total_depth": 3, "largest_depth": 2}
    assert {objective.of for objective in ENSEMBLE_OBJECTIVES.values()} == {"size", "depth"}


def test_a_leaf_costs_all_weight_but_that_of_the_heaviest_class() -> None:
    dataset = make_dataset([[0], [0], [0]], ["a", "b", "c"], [0.5, 1.5, 0.25])
    objective = Errors(Fraction(0), dataset.weight_scale)
    assert objective.value(objective.leaf(dataset, np.arange(3))) == Fraction(3, 4)
    assert objective.value(objective.leaf(dataset, np.array([1]))) == 0


def test_whole_values_are_ints() -> None:
    assert isinstance(Errors(weight_scale=4).value(Fraction(8)), int)
    assert Errors(weight_scale=4).value(Fraction(2)) == Fraction(1, 2)


@dataclass(frozen=True)
class Refund(Errors):
    """Not inflating: a join can cost less than a child."""

    def join(self, left: Fraction, right: Fraction) -> Fraction:
        return left + right - 2


@dataclass(frozen=True)
class Contrary(Errors):
    """Not monotone: a left child that costs 1 more can make the join 1 cheaper."""

    def join(self, left: Fraction, right: Fraction) -> Fraction:
        return max(left, right) + (1 - left % 2)

    def value(self, cost: Fraction) -> int | Fraction:
        return cost


@dataclass(frozen=True)
class Doubled(Errors):
    """Not faithful: it reports twice the cost of the tree."""

    def value(self, cost: Fraction) -> int | Fraction:
        return 2 * super().value(cost)


@dataclass(frozen=True)
class Reversed(Errors):
    """Not faithful: it prefers the more expensive tree."""

    def order(self, first: Fraction, second: Fraction) -> bool:
        return first >= second


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Refund, "not faithful|not inflating"),
        (Contrary, "not monotone"),
        (Doubled, "not faithful"),
        (Reversed, "not faithful|not inflating"),
    ],
)
def test_an_objective_that_breaks_a_law_is_caught(broken: type[Errors], law: str) -> None:
    dataset = make_dataset(np.zeros((9, 1)), [0, 1, 2] * 3)
    objective = broken()

    def measure(dataset: Dataset, shape: Any) -> Any:
        if broken is not Contrary:
            return with_penalty(errors_by_class)(Fraction(0))(dataset, shape)
        if isinstance(shape, tuple):  # by the objective's own join, so that it is faithful
            return objective.join(*(Fraction(measure(dataset, child)) for child in shape))
        return errors_by_class(dataset, shape)

    with pytest.raises(AssertionError, match=law):
        check_objective(objective, dataset, measure, np.random.default_rng(0))


class BetterChild(Errors):
    """Not inflating: a tree costs as much as its better child."""

    def leaf(self, dataset: Dataset, subset: Any) -> Fraction:
        return Fraction(len(subset))

    def join(self, left: Fraction, right: Fraction) -> Fraction:
        return min(left, right)


def test_a_broken_law_comes_with_a_counterexample() -> None:
    """The trees and the numbers of the message show the violation."""

    def measure(dataset: Dataset, shape: Any) -> Any:
        if isinstance(shape, tuple):
            return min(measure(dataset, child) for child in shape)
        return len(shape)

    dataset = make_dataset([[0], [1], [2], [3]], ["a", "b", "a", "b"])
    with pytest.raises(AssertionError, match="not inflating") as caught:
        check_objective(BetterChild(), dataset, measure, np.random.default_rng(0))
    pattern = r"not inflating: the tree \((.+)\) costs (\d), and its child (.+) costs (\d)"
    tree, cost, child, cost_of_child = re.fullmatch(pattern, str(caught.value)).groups()
    assert int(cost) < int(cost_of_child)
    assert child in tree

    def nested(shape: Any) -> Any:
        return tuple(map(nested, shape)) if isinstance(shape, tuple) else np.array(shape)

    shape = nested(ast.literal_eval(f"({tree})"))
    assert measure(dataset, shape) == int(cost)
    assert measure(dataset, nested(ast.literal_eval(child))) == int(cost_of_child)


def test_a_leaf_predicts_the_mean_or_the_lower_median() -> None:
    dataset = make_dataset([[0]] * 4, [1, 4, 2, 0.5], [0.5, 0.5, 0.25, 0.75], regression=True)
    subset = np.arange(4)
    _, mean = SquaredError().measured(dataset, subset)
    _, median = AbsoluteError().measured(dataset, subset)
    assert mean == Fraction(27, 16)  # a weighted sum of 3.375 by a total weight of 2
    assert median == 1  # labels up to 1 have a weight of 1.25 of 2; up to 0.5 only 0.75
    assert AbsoluteError().measured(dataset, np.array([0, 1]))[1] == 1  # the lower of two medians
    assert type(SquaredError(weight_scale=dataset.weight_scale).value(Fraction(8))) is int


@given(data=st.data())
def test_no_other_prediction_has_a_smaller_error(data: st.DataObject) -> None:
    y = data.draw(st.integers(1, 6).flatmap(targets))
    dataset = make_dataset([[0]] * len(y), y, data.draw(weights(len(y))), regression=True)
    subset = np.arange(len(dataset.X))
    other = Fraction(data.draw(st.sampled_from(y) | st.floats(-9, 9)))
    for objective, power in ((SquaredError(), 2), (AbsoluteError(), 1)):

        def error(number: Fraction, power: int = power) -> Fraction:
            return sum(w * abs(t - number) ** power for t, w in labels_and_weights(dataset, subset))

        leaf = Fraction(objective.leaf(dataset, subset), dataset.weight_scale)
        assert error(objective.measured(dataset, subset)[1]) == leaf <= error(other)
