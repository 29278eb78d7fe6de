"""Lemma 10 (002): the best tree asks a feature outside the only minimal support set."""

from itertools import chain, combinations

import pytest

from exactree.instances import Lemma10

from .least import Least
from .specs import outcomes


@pytest.mark.parametrize("quantity", ["size", "depth"])
def test_the_minimal_support_set_does_not_suffice(quantity: str) -> None:
    original = Lemma10(quantity)
    instance = original.apply()

    def least(features: tuple[int, ...]) -> int:
        found = Least(instance.X[:, list(features)], instance.y)
        return found.least_size() if quantity == "size" else found.least_depth()

    everything = range(instance.X.shape[1])
    sets = chain.from_iterable(combinations(everything, n) for n in range(len(everything) + 1))
    support = [s for s in sets if is_support_set(instance, s)]
    assert [s for s in support if not any(set(t) < set(s) for t in support)] == [
        original.minimal_support_set
    ]
    assert least(tuple(everything)) == instance.known[quantity]
    assert least(original.minimal_support_set) == original.optimum_on_minimal
    assert original.optimum_on_minimal == instance.known[quantity] + 1
    for outcome in outcomes(instance, quantity):
        assert outcome.cost == instance.known[quantity]


def is_support_set(instance, features: tuple[int, ...]) -> bool:
    seen: dict[tuple, str] = {}
    rows = map(tuple, instance.X[:, list(features)].tolist())
    return all(seen.setdefault(row, y) == y for row, y in zip(rows, instance.y, strict=True))


def test_refuses() -> None:
    with pytest.raises(ValueError, match="quantity must be 'size' or 'depth', got 'errors'"):
        Lemma10("errors")
