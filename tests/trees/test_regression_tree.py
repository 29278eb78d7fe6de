"""Regression trees: values of leaves, exact plain data, and refusals."""

import copy
import json
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from exactree import Ensemble, Limits, ModelError, Problem, RegressionTree, Tree, solve
from exactree.testing import regressions

QUICK = settings.get_current_profile_name() == "quick"

X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 8.0], [3.0, 9.0]])
Y = [0.1, 0.2, 5.0, 5.5]


def best(**parameters: Any) -> RegressionTree:
    """Return the optimal tree of the table above, by the definition."""
    parameters = {"minimize": "squared_error", "limits": Limits(max_depth=1)} | parameters
    tree = solve(Problem(X, Y, **parameters), implementation="spec").tree
    assert isinstance(tree, RegressionTree)
    return tree


def test_nodes_hold_means_weights_and_errors() -> None:
    tree = best(sample_weight=[1, 1, 1, 3])
    assert tree.value.tolist() == [[(0.1 + 0.2 + 5 + 16.5) / 6], [0.15000000000000002], [5.375]]
    assert tree.weight.tolist() == tree.weighted_n_node_samples.tolist() == [6, 2, 4]
    assert tree.n_node_samples.tolist() == [4, 2, 2]
    assert tree.errors[1:].tolist() == [0.005000000000000001, 0.1875]
    assert tree.predict([[1.0, 0], [1.1, 0]]).tolist() == [0.15000000000000002, 5.375]
    assert tree.apply([[1.0, 0], [1.1, 0]]).tolist() == [1, 2]
    assert (tree.size, tree.depth, tree.leaves) == (1, 1, 2)
    assert repr(tree) == "<RegressionTree: size 1, depth 1, squared_error>"
    with pytest.raises(AttributeError, match="numbers, not shares of classes"):
        tree.predict_proba(X)


def test_nodes_hold_lower_medians_where_the_absolute_error_is_minimized() -> None:
    tree = best(minimize="absolute_error")
    assert tree.value[:, 0].tolist() == [0.2, 0.1, 5.0]  # the lower of two medians
    assert tree.errors.tolist() == [0.1 + 4.8 + 5.3, 0.1, 0.5]


@settings(max_examples=20 if QUICK else 60, deadline=None)
@given(problem=regressions(max_rows=5, every_kind=True))
def test_copies_by_plain_data_pickle_copy_and_replace_equal_the_tree(problem: Problem) -> None:
    tree = solve(problem, implementation="spec").tree
    if tree is None:
        return
    record = json.loads(json.dumps(tree.to_dict()))
    again = Tree.from_dict(record)
    assert type(again) is RegressionTree
    for other in (again, pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), replace(tree)):
        assert other == tree
        assert hash(other) == hash(tree)
        assert other.to_dict() == record
    X = problem.dataset.X
    assert again.predict(X).tolist() == tree.predict(X).tolist()
    assert not tree.value.flags.writeable


def test_predictions_are_the_nearest_floats() -> None:
    numbers = [0.1, 0.2, 1 / 3]
    problem = Problem([[0]] * 3, numbers, minimize="squared_error")
    tree = solve(problem, implementation="spec").tree
    assert tree is not None
    assert tree.predict([[0]])[0] == float(sum(map(Fraction, numbers)) / 3)


def test_trees_with_other_values_weights_or_error_terms_are_different() -> None:
    tree = best()
    assert tree == best()
    assert tree != replace(tree, value=tree.value + 1)
    assert tree != replace(tree, weight=tree.weight * 2)
    assert tree != replace(tree, error_term="absolute_error")


def changed(**entries: Any) -> dict[str, Any]:
    return best().to_dict() | entries


BAD = {
    "unknown error term": (changed(error_term="errors"), "'error_term' of the model must be"),
    "class entries": (changed(classes=[0]), "'classes', which this version does not have"),
    "two numbers": (changed(value=[[1, 2], 1, 2]), "entry 0 of 'value' in the model must be a fin"),
    "infinite": (changed(value=[1, float("inf"), 2]), "entry 1 of 'value' in the model"),
    "no weight": (changed(weight=[4, 0, 2]), "node 1 of the tree has a weight that is not posit"),
    "lengths": (changed(weight=[4, 2]), "different lengths"),
    "negative errors": (changed(errors=[4, -1, 2]), "node 1 of the tree has errors that are neg"),
    "counts": (changed(n_node_samples=[4, 2, 1]), "node 0 of the tree has 4 examples but its chi"),
}


@pytest.mark.parametrize("case", BAD)
def test_unsound_models_are_refused(case: str) -> None:
    record, message = BAD[case]
    with pytest.raises(ModelError, match=message):
        Tree.from_dict(record)


def test_an_entry_that_is_missing_is_named() -> None:
    record = best().to_dict()
    del record["error_term"]
    with pytest.raises(ModelError, match="lacks the entry 'error_term'"):
        Tree.from_dict(record)


def test_arrays_of_other_shapes_are_refused() -> None:
    with pytest.raises(ModelError, match="one number for each of 3 nodes"):
        replace(best(), weight=np.ones(2))
    for shape in ((3, 2), (3,)):
        with pytest.raises(ModelError, match="'value' of the tree has the shape"):
            replace(best(), value=np.ones(shape))


def test_an_ensemble_of_regression_trees_is_refused() -> None:
    with pytest.raises(ModelError, match="tree 0 of the ensemble is a regression tree"):
        Ensemble((best(),))
