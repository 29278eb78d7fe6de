"""Every objective keeps its laws; objectives that break one are caught."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data import Dataset, make_dataset
from exactree.objectives import ENSEMBLE_OBJECTIVES, LATER, OBJECTIVES, Errors, LeavesOf
from exactree.testing import check_objective, labels, tables, weights


def misclassified(dataset: Dataset, part: np.ndarray) -> Fraction:
    """Return the weight of a leaf's errors in the user's unit, counted class by class."""
    per_class = [
        int(dataset.weights[part][dataset.labels[part] == label].sum())
        for label in range(len(dataset.classes))
    ]
    return Fraction(sum(sorted(per_class)[:-1]), dataset.weight_scale)


def leaves_of(shape: Any) -> list[np.ndarray]:
    if isinstance(shape, tuple):
        return [leaf for side in shape for leaf in leaves_of(side)]
    return [shape]


def errors_and_penalty(penalty: Fraction) -> Any:
    """Measure a whole tree as DESIGN.md states the cost."""

    def measure(dataset: Dataset, shape: Any) -> Fraction:
        leaves = leaves_of(shape)
        total = Fraction(dataset.total_weight, dataset.weight_scale)
        return sum(misclassified(dataset, leaf) for leaf in leaves) + penalty * total * len(leaves)

    return measure


def size_of(dataset: Dataset, shape: Any) -> int:
    return len(leaves_of(shape)) - 1


def depth_of(dataset: Dataset, shape: Any) -> int:
    return 1 + max(depth_of(dataset, s) for s in shape) if isinstance(shape, tuple) else 0


# One entry per objective: an independent measure for a penalty.
MEASURES = {
    "errors": errors_and_penalty,
    "size": lambda penalty: size_of,
    "depth": lambda penalty: depth_of,
}


def test_every_objective_has_a_measure_here() -> None:
    assert set(MEASURES) == set(OBJECTIVES)
    assert not set(LATER) & (set(OBJECTIVES) | set(ENSEMBLE_OBJECTIVES))


@pytest.mark.parametrize("name", OBJECTIVES)
@given(data=st.data(), penalty=st.fractions(0, 3), seed=st.integers(0, 2**32 - 1))
def test_every_objective_is_monotone_inflating_and_faithful(
    name: str, data: st.DataObject, penalty: Fraction, seed: int
) -> None:
    X = data.draw(tables())
    dataset = make_dataset(X, data.draw(labels(len(X))), data.draw(weights(len(X))))
    price = (penalty * dataset.total_weight, dataset.weight_scale) if name == "errors" else ()
    objective = OBJECTIVES[name](*price)
    check_objective(objective, dataset, MEASURES[name](penalty), np.random.default_rng(seed))


@given(data=st.data(), label=st.integers(0, 3), seed=st.integers(0, 2**32 - 1))
def test_leaves_of_a_class_keep_the_laws_too(data: st.DataObject, label: int, seed: int) -> None:
    X = data.draw(tables())
    dataset = make_dataset(X, data.draw(labels(len(X))), data.draw(weights(len(X))))

    def measure(dataset: Dataset, shape: Any) -> int:
        majorities = [
            np.bincount(dataset.labels[leaf], weights=dataset.weights[leaf]).argmax()
            for leaf in leaves_of(shape)
        ]
        return majorities.count(label)

    check_objective(LeavesOf(label), dataset, measure, np.random.default_rng(seed))


def test_ensembles_are_measured_in_total_or_by_the_largest() -> None:
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
    """Not inflating: joining gives something back."""

    def join(self, left: Fraction, right: Fraction) -> Fraction:
        return left + right - 2


@dataclass(frozen=True)
class Contrary(Errors):
    """Not monotone: a left side that costs one more can make the join one less."""

    def join(self, left: Fraction, right: Fraction) -> Fraction:
        return max(left, right) + (1 - left % 2)

    def value(self, cost: Fraction) -> int | Fraction:
        return cost


@dataclass(frozen=True)
class Doubled(Errors):
    """Not faithful: it does not report what the tree costs."""

    def value(self, cost: Fraction) -> int | Fraction:
        return 2 * super().value(cost)


@dataclass(frozen=True)
class Reversed(Errors):
    """Not faithful: it prefers what costs more."""

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
            return errors_and_penalty(Fraction(0))(dataset, shape)
        if isinstance(shape, tuple):  # so that only monotony is broken
            return objective.join(*(Fraction(measure(dataset, side)) for side in shape))
        return misclassified(dataset, shape)

    with pytest.raises(AssertionError, match=law):
        check_objective(objective, dataset, measure, np.random.default_rng(0))
