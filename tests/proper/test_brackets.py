"""Matrix chains, search trees and other bracketings agree with dynamic programmes of textbooks.

Their one-letter names are those of Cormen et al., Introduction to Algorithms.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.proper import (
    Memory,
    Space,
    TreeObjective,
    best_brackets,
    gen_bts,
    leaves,
    matrix_chain,
    search_tree,
    sodt,
    splits_catalan,
)
from exactree.proper.brackets import between
from exactree.proper.objective import cost
from exactree.proper.tree import Node, depth


def textbook_chain(p: list[int]) -> int:
    """Return the minimum cost of a matrix chain, by increasing length of subchains."""
    n = len(p) - 1
    m = [[0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            m[i][j] = min(m[i][k] + m[k + 1][j] + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))
    return m[0][n - 1]


def textbook_search(p: list[int], q: list[int]) -> int:
    """Return the minimum cost of a search tree, by increasing number of keys."""
    n = len(p)
    e = [[0] * (n + 1) for _ in range(n + 2)]
    w = [[0] * (n + 1) for _ in range(n + 2)]
    for i in range(n + 1):
        w[i][i] = q[i]
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            w[i][j] = w[i][j - 1] + p[j - 1] + q[j]
            e[i][j] = w[i][j] + min(e[i][r] + e[r + 1][j] for r in range(i, j))
    return e[0][n]


sizes = st.lists(st.integers(1, 40), min_size=2, max_size=12)


@given(sizes)
def test_matrix_chains_agree_with_the_textbook_programme(p) -> None:
    best = matrix_chain(p)
    assert best.cost.cost == textbook_chain(p)
    assert (best.cost.rows, best.cost.columns) == (p[0], p[-1])
    assert list(leaves(best.tree)) == [(i, i + 1) for i in range(len(p) - 1)]
    assert multiplications(best.tree, p) == best.cost.cost


def multiplications(tree, p) -> int:
    """Count the multiplications of numbers for a bracketing."""
    if not isinstance(tree, Node):
        return 0
    intervals = [*leaves(tree)]
    first, end = intervals[0][0], intervals[-1][1]
    own = p[first] * p[tree.rule] * p[end]
    return own + multiplications(tree.left, p) + multiplications(tree.right, p)


def test_the_matrix_chain_of_a_textbook_has_its_published_cost() -> None:
    """Cormen et al. multiply six matrices."""
    assert matrix_chain([30, 35, 15, 5, 10, 20, 25]).cost.cost == 15125


@given(st.data(), st.integers(0, 9))
def test_search_trees_agree_with_the_textbook_programme(data, n) -> None:
    weights = st.integers(0, 20)
    p = data.draw(st.lists(weights, min_size=n, max_size=n))
    q = data.draw(st.lists(weights, min_size=n + 1, max_size=n + 1))
    best = search_tree(p, q)
    assert best.cost.cost == textbook_search(p, q)
    assert best.cost.weight == sum(p) + sum(q)
    assert comparisons(best.tree, p, q) == best.cost.cost


def comparisons(tree, p, q, level=0) -> int:
    """Count the comparisons with keys in all searches."""
    if not isinstance(tree, Node):
        return level * q[tree.data[0]]
    own = (level + 1) * p[tree.rule]
    return own + comparisons(tree.left, p, q, level + 1) + comparisons(tree.right, p, q, level + 1)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7))
def test_any_objective_can_be_minimized_over_brackets(weights) -> None:
    """Alphabetic trees agree with all bracketings, and the minimum depth is logarithmic."""
    best = best_brackets(
        weights,
        lambda x: (0, x),
        lambda a, b: (a[0] + b[0] + a[1] + b[1], a[1] + b[1]),
        lambda cost: cost[0],
    )

    def costs(i: int, j: int) -> list[int]:
        if j - i == 1:
            return [0]
        weight = sum(weights[i:j])
        middles = range(i + 1, j)
        return [weight + a + b for k in middles for a in costs(i, k) for b in costs(k, j)]

    assert best.cost == (min(costs(0, len(weights))), sum(weights))
    shallow = best_brackets(weights, lambda _: 0, lambda a, b: 1 + max(a, b), lambda cost: cost)
    assert shallow.cost == (len(weights) - 1).bit_length()


def test_four_matrices_have_the_five_bracketings_of_figure_11() -> None:
    """Figure 11 shows five, the third Catalan number; the recursion of the text lists the same."""

    def splits_mcmp(xs):
        return [(xs[:i], xs[i:]) for i in range(1, len(xs))]

    def brackets(xs):
        if len(xs) == 1:
            return list(xs)
        return [
            f"({u}{v})" for ys, zs in splits_mcmp(xs) for u in brackets(ys) for v in brackets(zs)
        ]

    def with_brackets(tree, matrices):
        if not isinstance(tree, Node):
            return matrices[0]
        n_left = len(list(leaves(tree.left)))
        left, right = matrices[:n_left], matrices[n_left:]
        return f"({with_brackets(tree.left, left)}{with_brackets(tree.right, right)})"

    trees = gen_bts(Space(splits_catalan, between), (1, 2, 3))
    assert sorted(with_brackets(tree, "ABCD") for tree in trees) == sorted(brackets("ABCD"))
    assert len(trees) == 5


def test_a_memory_has_one_entry_per_interval() -> None:
    """There is one entry per interval, and every split of an interval visits two intervals."""
    n, memory = 20, Memory()
    objective = TreeObjective(lambda _: 0, lambda a, k, b: a + b + (k * k) % 7, int)
    sodt(Space(splits_catalan, between), objective, tuple(range(1, n)), (0, n), memory)
    assert len(memory.entries) == n * (n + 1) // 2
    assert memory.lookups == 1 + 2 * sum(b - a - 1 for a in range(n) for b in range(a + 1, n + 1))
    assert memory.hits == memory.lookups - len(memory.entries)


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="sizes must have at least two numbers, found 1"):
        matrix_chain([5])
    with pytest.raises(ValueError, match="a list to bracket needs"):
        best_brackets([], int, int, int)
    with pytest.raises(ValueError, match="missed must have 3 numbers for 2 keys"):
        search_tree([1, 2], [1, 2])


def test_negative_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sizes\[1\] must be at least 1, got -3"):
        matrix_chain([2, -3, 4])
    with pytest.raises(TypeError, match=r"sizes\[2\] must be an integer, got 1\.5"):
        matrix_chain([2, 3, 1.5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"found\[0\] must be a finite number of at least 0"):
        search_tree([-1.0], [1, 1])
    with pytest.raises(ValueError, match=r"missed\[1\] must be .* at least 0, got nan"):
        search_tree([1.0], [1, float("nan")])


def test_long_chains_are_refused_with_their_numbers() -> None:
    # n elements have (n + 1) n (n - 1) / 6 joins of two neighbouring intervals.
    message = r"1,100 elements to bracket have 221,833,150 joins of intervals; at most 400"
    with pytest.raises(ValueError, match=message):
        matrix_chain([2] * 1101)
    with pytest.raises(ValueError, match=r"500 keys have 20,958,500 joins of .*; at most 400"):
        search_tree([1] * 500, [1] * 501)


def test_trees_may_be_deeper_than_the_recursion_limit() -> None:
    """In a chain of rules, each is the root of the rules after it."""
    n = 2000
    chain = Space(lambda rs: [((), rs[0], rs[1:])], between)
    objective = TreeObjective(lambda _: 0, lambda left, k, right: left + right + k, int)
    best = sodt(chain, objective, tuple(range(1, n)), (0, n))
    assert best is not None
    assert best.cost == n * (n - 1) // 2 == cost(objective, best.tree)
    assert (depth(best.tree), len(list(leaves(best.tree)))) == (n - 1, n)
