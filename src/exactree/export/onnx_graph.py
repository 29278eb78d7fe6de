"""Trees as nodes of an ONNX graph that compares in float64."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.statements import splits_on_surface
from exactree.export.wording import trees_of
from exactree.trees import Ensemble, RegressionTree
from exactree.trees.routing import EQUAL, IN
from exactree.trees.shares import shares_of_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees import Tree

ML = "ai.onnx.ml"


@dataclass
class Graph:
    """A graph that is built from nodes and constants.

    Attributes
    ----------
    prefix : str
        Prefix of the names of values that are not given.
    nodes, constants : list
        Lists of `onnx.NodeProto` and `onnx.TensorProto`.
    """

    prefix: str = ""
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def add(
        self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any
    ) -> str:
        """Add a node and return the name of its output.

        Parameters
        ----------
        kind : str
            The operator.
        *inputs : str
            The names of its inputs.
        output : str
            The name of its output; by default a new name.
        domain : str
            The domain of the operator.
        **attributes
            The attributes of the operator.
        """
        from onnx import helper

        name = output or f"{self.prefix}value_{len(self.nodes)}"
        node = helper.make_node(kind, inputs, [name], f"{name}_node", domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """Add a constant and return its name.

        Parameters
        ----------
        array : ndarray
            The value of the constant.
        """
        from onnx import numpy_helper

        name = f"{self.prefix}constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name


def add_classifier(
    graph: Graph, rows: str, found: Tree | Ensemble, outputs: tuple[str, str], smoothing: Any
) -> None:
    """Add the computation of labels and shares of classes.

    Parameters
    ----------
    graph : Graph
        The graph.
    rows : str
        The name of the graph's value that has the features, of float64.
    found : Tree or Ensemble
        The model.
    outputs : tuple of str
        The names of two outputs: the labels, and the shares in float64.
    smoothing : object
        The smoothing of the shares of a tree.
    """
    labels = graph.constant(labels_array(found.classes))
    leaves = [(tree, _leaves(graph, rows, tree)) for tree in trees_of(found)]
    if not isinstance(found, Ensemble):
        ((tree, reached),) = leaves
        shares = shares_of_classes(tree.value, smoothing)
        _look_up(graph, tree, shares, reached, outputs[1])
        classes = _look_up(graph, tree, tree.prediction, reached)
    else:
        unit = np.eye(len(found.classes))
        votes = [_look_up(graph, tree, unit[tree.prediction], reached) for tree, reached in leaves]
        total = graph.add("Sum", *votes)
        graph.add("Div", total, graph.constant(np.array(float(len(votes)))), output=outputs[1])
        classes = graph.add("ArgMax", total, axis=1, keepdims=0)  # ties to the first class
    graph.add("Gather", labels, classes, output=outputs[0])


def add_regressor(graph: Graph, rows: str, tree: RegressionTree, output: str) -> None:
    """Add the computation of the predictions of a regression tree.

    Parameters
    ----------
    graph : Graph
        The graph.
    rows : str
        The name of the graph's value that has the features, of float64.
    tree : RegressionTree
        The model.
    output : str
        The name of the output: the predicted numbers in float64.
    """
    _look_up(graph, tree, tree.value, _leaves(graph, rows, tree), output)


def labels_array(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels as an array of strings, 64-bit integers, booleans or doubles, or refuse them.

    Parameters
    ----------
    classes : ndarray
        The labels.
    """
    labels = classes.tolist()
    kinds = {type(label) for label in labels}
    if kinds == {str}:
        if any("\ud800" <= sign <= "\udfff" for label in labels for sign in label):
            raise ValueError("ONNX has no text with lone surrogates, and a label has one.")
        return np.array(labels, dtype=object)
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in labels):
        return np.array(labels, dtype=np.int64)
    if kinds in ({bool}, {float}):
        return np.array(labels)
    raise ValueError(
        "ONNX takes labels that are all strings, 64-bit integers, booleans or floats, not "
        f"{', '.join(sorted(kind.__name__ for kind in kinds))}."
    )


def _look_up(
    graph: Graph, tree: Tree, by_node: NDArray[Any], reached: str, output: str = ""
) -> str:
    """Add a look-up of values of leaves by the index of the leaf."""
    by_leaf = graph.constant(by_node[tree.children_left < 0])
    return graph.add("Gather", by_leaf, reached, output=output)


def _leaves(graph: Graph, rows: str, tree: Tree) -> str:
    """Add the computation of the index of each row's leaf, from left to right.

    ONNX rounds the output of trees to float32, but indices of leaves are exact nevertheless.
    """
    from onnx import TensorProto, numpy_helper

    sums = [_sum(graph, rows, tree, surface) for surface in range(len(tree.surfaces))]
    inputs = graph.add("Concat", rows, *sums, axis=1) if sums else rows
    leaves = np.flatnonzero(tree.children_left < 0)
    numbers = np.arange(len(leaves), dtype=np.float64)
    nodes = _nodes(tree)
    number = graph.add(
        "TreeEnsembleRegressor",
        inputs,
        domain=ML,
        n_targets=1,
        nodes_treeids=[0] * len(nodes["nodes_nodeids"]),
        nodes_values_as_tensor=numpy_helper.from_array(np.array(nodes.pop("values"))),
        target_ids=[0] * len(leaves),
        target_nodeids=leaves.tolist(),
        target_treeids=[0] * len(leaves),
        target_weights_as_tensor=numpy_helper.from_array(numbers),
        **nodes,
    )
    flat = graph.add("Reshape", number, graph.constant(np.array([-1], dtype=np.int64)))
    return graph.add("Cast", flat, to=TensorProto.INT64)


def _nodes(tree: Tree) -> dict[str, Any]:
    """Return the splits of the nodes as columns. A set of codes is a chain of nodes."""
    rows: list[tuple[int, str, int, float, int, int, int]] = []
    added = tree.node_count
    for node in range(tree.node_count):
        if tree.is_leaf(node):
            rows.append((node, "LEAF", 0, 0.0, 0, 0, 0))
            continue
        mode = "BRANCH_EQ" if tree.comparison[node] in (EQUAL, IN) else "BRANCH_LEQ"
        # A sum that is NaN goes right.
        missing = int(tree.missing_go_to_left[node] and not splits_on_surface(tree, node))
        feature, left = int(tree.feature[node]), int(tree.children_left[node])
        values = list(map(float, tree.level_set_at(node) or (tree.threshold[node],)))
        ids = [node, *range(added, added + len(values) - 1)]
        added += len(values) - 1
        after = [*ids[1:], int(tree.children_right[node])]
        for number, value, right in zip(ids, values, after, strict=True):
            rows.append((number, mode, feature, value, left, right, missing))
    names = (
        "nodes_nodeids",
        "nodes_modes",
        "nodes_featureids",
        "values",
        "nodes_truenodeids",
        "nodes_falsenodeids",
        "nodes_missing_value_tracks_true",
    )
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _sum(graph: Graph, rows: str, tree: Tree, surface: int) -> str:
    """Add the computation of a weighted sum of products, in the order of `predict`."""
    total = ""
    for monomial, weight in tree.surfaces.terms(surface):
        factors = [
            graph.add("Gather", rows, graph.constant(np.array([feature])), axis=1)
            for feature, power in enumerate(monomial)
            for _ in range(power)
        ]
        product = factors[0] if factors else ""
        for factor in factors[1:]:
            product = graph.add("Mul", product, factor)
        term = graph.add("Mul", product, graph.constant(np.array(weight)))
        total = graph.add("Add", total, term) if total else term
    return total
