"""Lemma 10 (002): the best tree uses a feature outside the only minimal support set."""

from itertools import chain, combinations

import pytest

from exactree.instances import Lemma10

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch


@pytest.mark.parametrize("quantity", ["size", "depth"])
def test_the_minimal_support_set_does_not_suffice(quantity: str) -> None:
    original = Lemma10(quantity)
    instance = original.apply()

    def optimum(features: tuple[int, ...]) -> int:
        search = ExhaustiveSearch(instance.X[:, list(features)], instance.y)
        return search.min_size() if quantity == "size" else search.min_depth()

    features = tuple(range(instance.X.shape[1]))
    sets = chain.from_iterable(combinations(features, n) for n in range(len(features) + 1))
    support_sets = [s for s in sets if is_support_set(instance, s)]
    minimal = [s for s in support_sets if not any(set(t) < set(s) for t in support_sets)]
    assert minimal == [original.minimal_support_set]
    assert optimum(features) == instance.known[quantity]
    assert optimum(original.minimal_support_set) == original.optimum_on_minimal
    assert original.optimum_on_minimal == instance.known[quantity] + 1
    for outcome in outcomes(instance, quantity):
        assert outcome.cost == instance.known[quantity]


def is_support_set(instance, features: tuple[int, ...]) -> bool:
    seen: dict[tuple, str] = {}
    rows = map(tuple, instance.X[:, list(features)].tolist())
    return all(seen.setdefault(row, y) == y for row, y in zip(rows, instance.y, strict=True))


def test_other_quantities_are_refused() -> None:
    with pytest.raises(ValueError, match="quantity must be 'size' or 'depth', got 'errors'"):
        Lemma10("errors")
