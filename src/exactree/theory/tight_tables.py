"""Tables on which the number of splits by stumps attains the bound of Theorem 7.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Theorem 7, Appendix A.2 (2l <= m), A.3 (2l >= C(m, ⌊m/2⌋)), A.4 (m <= 7).
Symbols      l n_features, m n_examples, Sigma the orders of the examples, one per feature.
The idea     Only the order of the examples along each feature matters. A.2 takes shifts of a
             circle. A.3 pairs disjoint sets of ⌊m/2⌋ examples, one at each end of an order, and
             orders each set so that every smaller set is also the beginning of some order.
Departures
  1. The paper proves Lemma 11 by Hall's theorem. Here its map adds the first unmatched example when
     sets are read as brackets, which is explicit.
  2. The pairs of disjoint sets are a maximum matching, not every other edge of a Hamiltonian path.
"""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import checked_integer
from exactree.theory.partitions import MAX_TABLED

Order = list[int]

# A.4: the orders of m examples as digits, counted from 1.
_PRINTED = {
    1: "1",
    2: "12",
    3: "123 132",
    4: "1243 2314 1324",
    5: "12354 23415 34125 13524 14235",
    6: "123654 234165 345216 136542 352164 514326 143625 365124 125346 135246",
    7: "1234567 2347156 3476215 4762513 1437625 5743216 3756124 2741635 2637145 1735246 3671245 "
    "1476235 1273456 1572346 1672345 2375146 2574361 2671345",
}


def tight_table(n_features: int, n_examples: int) -> NDArray[np.float64]:
    """Return a table on which the number of splits by stumps attains the bound of Theorem 7.

    Parameters
    ----------
    n_features, n_examples : int
        At least 1 each. Such tables are known for at most 7 examples, for at most half as many
        features as examples, and for at least half of C(m, ⌊m/2⌋) features.
    """
    d = checked_integer("n_features", n_features, 1, MAX_TABLED)
    m = checked_integer("n_examples", n_examples, 1, MAX_TABLED)
    if m <= 7:
        orders = [[int(digit) - 1 for digit in row] for row in _PRINTED[m].split()][:d]
    elif 2 * d <= m:
        orders = _shifts(d, m)
    elif 2 * d >= comb(m, m // 2):
        orders = _all_sides(m)
    else:
        raise ValueError(
            f"no table is known on which the bound is tight for {d} features and {m} examples; "
            f"known are at most {m // 2} features, or at least {(comb(m, m // 2) + 1) // 2}."
        )
    X = np.empty((m, d))
    for feature in range(d):  # further features may repeat an order
        X[orders[min(feature, len(orders) - 1)], feature] = np.arange(m)
    return X


def _shifts(d: int, m: int) -> list[Order]:
    """Return the orders of A.2: arcs of a circle of 2l examples at both ends."""
    circle = 2 * d
    orders = []
    for row in range(d):
        front = [row + step for step in range(d)]
        back = [(row - 1 - step) % circle for step in range(d)]
        orders.append([*front, *range(circle, m), *back])
    return orders


def _all_sides(m: int) -> list[Order]:
    """Return the orders of A.3, in which every set or its complement comes first."""
    orders = []
    for first, last in _disjoint_pairs(m):
        middle = set(range(m)) - first - last
        orders.append([*_nested(first, m), *middle, *reversed(_nested(last, m))])
    return orders


def _disjoint_pairs(m: int) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return all sets of ⌊m/2⌋ examples in disjoint pairs; an unmatched set gets any partner."""
    halves = [frozenset(half) for half in combinations(range(m), m // 2)]
    if m % 2 == 0:
        return [(half, frozenset(range(m)) - half) for half in halves if 0 in half]
    import networkx as nx

    graph: Any = nx.Graph()
    graph.add_nodes_from(halves)
    graph.add_edges_from((a, b) for a, b in combinations(halves, 2) if not a & b)
    pairs = list(nx.max_weight_matching(graph, maxcardinality=True))
    unmatched = set(halves).difference(*pairs)
    examples = frozenset(range(m))
    return pairs + [(half, examples - half - {max(examples - half)}) for half in unmatched]


def _nested(half: frozenset[int], m: int) -> Order:
    """Return an order of a set in which Lemma 11 maps each beginning to the next."""
    order: Order = []
    while half:
        added = _added_last(half, m)
        order.append(added)
        half -= {added}
    return order[::-1]


def _added_last(half: frozenset[int], m: int) -> int:
    """Return the example that Lemma 11's map added to make this set, any if it makes none.

    Examples 0 ... m - 1 are read as brackets, opening outside the set and closing inside. The map
    adds the first unmatched example outside, which is then the last unmatched example inside.
    """
    opened = 0
    unmatched = min(half)
    for example in range(m):
        if example not in half:
            opened += 1
        elif opened:
            opened -= 1
        else:
            unmatched = example
    return unmatched
