"""Shared by three reductions: tables of an all-zero example and one example for each set.

A tree without errors separates every other example from the all-zero example at some node of the
path of the latter. So the features of this path hit every example's set; and conversely, a chain of
nodes on the features of a hitting set is such a tree.
"""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from exactree.instances.instance import Instance, make_instance
from exactree.trees import Tree

__all__ = ["against_zero", "features_on_path_of_zero"]


def against_zero(
    feature_names: Sequence[str],
    sets: Iterable[tuple[str, Collection[int]]],
    zero: tuple[str, str],
    other_label: str,
) -> Instance:
    """Return the table of an all-zero example against one example per set.

    Parameters
    ----------
    feature_names : sequence of str
        The names of the features.
    sets : iterable of (name, features)
        The features in which an example has the value 1.
    zero : (str, str)
        The name and the label of the all-zero example.
    other_label : str
        The label of all other examples.
    """
    features = range(len(feature_names))
    examples = [(zero[0], [0.0 for _ in features], zero[1])]
    for name, ones in sets:
        examples.append((name, [float(feature in ones) for feature in features], other_label))
    return make_instance(feature_names, examples)


def features_on_path_of_zero(instance: Instance, tree: Tree) -> list[int]:
    """Return the features on the path of the all-zero example, in increasing order.

    Parameters
    ----------
    instance : Instance
        The result of `against_zero`.
    tree : Tree
        A tree without errors on it.
    """
    instance.check_classified(tree)
    zeros = np.zeros((1, tree.n_features))
    node, features = 0, set()
    while not tree.is_leaf(node):
        features.add(int(tree.feature[node]))
        zero_goes_left = tree.goes_left(node, zeros)[0]
        node = int((tree.children_left if zero_goes_left else tree.children_right)[node])
    return sorted(features)
