"""grow: thresholds, subsets, and counts that are exact where floats would round."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.errors import InternalError
from exactree.trees import grow

LEAF = (-1, 0.0, 0.0, -1, -1)


@given(data=st.data())
def test_counts_of_nodes_are_those_of_routing_row_by_row(fitted_table: Any, data: Any) -> None:
    """Counts, values and errors of every node are computed again in exact fractions."""
    case = data.draw(fitted_table())
    tree, dataset = case.tree, case.dataset
    subsets: list[list[int]] = [[] for _ in range(tree.node_count)]
    for row in range(len(dataset.X)):
        node = 0
        subsets[0].append(row)
        while case.nodes[node][0] >= 0:
            feature, low, high, left, right = case.nodes[node]
            value = dataset.X[row, feature]
            node = left if value == low or (high is not None and value < low) else right
            subsets[node].append(row)
    for node, subset in enumerate(subsets):
        totals = [0] * tree.n_classes
        for row in subset:
            totals[int(dataset.labels[row])] += int(dataset.weights[row])
        scale = dataset.weight_scale
        assert tree.n_node_samples[node] == len(subset)
        assert tree.prediction[node] == totals.index(max(totals))
        assert tree.value[node].tolist() == [float(Fraction(t, scale)) for t in totals]
        assert tree.errors[node] == float(Fraction(sum(totals) - max(totals), scale))


@given(data=st.data())
def test_thresholds_lie_between_the_neighbours(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table())
    for node, (feature, low, high, left, right) in enumerate(case.nodes):
        if feature >= 0:
            threshold, comparison = case.tree.threshold[node], case.tree.comparison[node]
            if high is None:
                assert (comparison, threshold) == ("==", low)
            else:
                assert comparison == "<="
                assert low <= threshold < high
            assert case.tree.feature[node] == feature
            assert (case.tree.children_left[node], case.tree.children_right[node]) == (left, right)
        else:
            assert case.tree.is_leaf(node)


def test_integer_weights_decide_where_floats_tie() -> None:
    """2^59 and 2^59 + 1 are the same float64; the class with the greater weight still wins."""
    dataset = make_dataset([[0.0], [0.0]], ["a", "b"], [2**59, 2**59 + 1])
    tree = grow(dataset, [LEAF])
    assert tree.value[0, 0] == tree.value[0, 1]
    assert tree.predict([[0.0]]).tolist() == ["b"]


def test_ties_go_to_the_earlier_class() -> None:
    dataset = make_dataset([[0.0], [0.0]], ["b", "a"])
    assert grow(dataset, [LEAF]).predict([[0.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([(0, 1.0, 1.0, 1, 2), LEAF, LEAF], "low < high"),
        ([(0, 0.0, 2.0, 1, 2), LEAF, LEAF], "neighbouring values"),
        ([(0, -1.0, 0.0, 1, 2), LEAF, LEAF], "neighbouring values"),
        ([(0, 0.0, 1.0, 1, 3), LEAF, LEAF, LEAF], "does not follow its parent"),
        ([(0, 3.0, None, 1, 2), LEAF, LEAF], "by the code 3, which none or all examples"),
        ([(0, 0.0, None, 1, 2), (0, 0.0, None, 2, 3), LEAF, LEAF, LEAF], "none or all examples"),
    ],
)
def test_invalid_nodes_are_refused(nodes: Any, message: str) -> None:
    dataset = make_dataset([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(InternalError, match=message):
        grow(dataset, nodes)
