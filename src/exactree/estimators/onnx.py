"""ONNX converters of the estimators for skl2onnx, for pipelines that end in an estimator."""

from __future__ import annotations

from typing import Any

from exactree.estimators.bound_optimal_classifier import BoundOptimalTreeClassifier
from exactree.estimators.bound_pruned_classifier import BoundPrunedTreeClassifier
from exactree.estimators.ensemble_classifier import OptimalEnsembleClassifier
from exactree.estimators.tree_classifier import OptimalTreeClassifier
from exactree.estimators.tree_regressor import OptimalTreeRegressor
from exactree.export.model import fitted
from exactree.export.onnx_graph import ML, Graph, add_classifier, add_regressor
from exactree.export.wording import checked_float32_note
from exactree.trees import RegressionTree

CLASSIFIERS = (
    BoundOptimalTreeClassifier,
    BoundPrunedTreeClassifier,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
)


def register_onnx() -> None:
    """Register converters so that `skl2onnx.to_onnx` converts pipelines with these estimators.

    Features are compared in float64. If the input of the pipeline is float32, a warning is issued
    if the rounding changes the leaf of training rows.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.
    """
    try:
        from skl2onnx import update_registered_converter
        from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
    except ImportError:
        raise ImportError("register_onnx needs skl2onnx: pip install 'exactree[onnx]'.") from None
    options = {
        "nocl": [True, False],
        "output_class_labels": [False, True],
        "zipmap": [True, False, "columns"],
    }
    for kind in CLASSIFIERS:
        shapes = calculate_linear_classifier_output_shapes
        alias = f"Exactree{kind.__name__}"
        update_registered_converter(kind, alias, shapes, _convert, options=options)
    alias = f"Exactree{OptimalTreeRegressor.__name__}"
    update_registered_converter(OptimalTreeRegressor, alias, _shape_of_targets, _convert)


def _shape_of_targets(operator: Any) -> None:
    """Set the output of a regression: one column, of the type of the features."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    rows = operator.inputs[0]
    kind = DoubleTensorType if isinstance(rows.type, DoubleTensorType) else FloatTensorType
    operator.outputs[0].type = kind([rows.get_first_dimension(), 1])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add an estimator to the graph that skl2onnx builds."""
    from onnx import TensorProto, helper
    from skl2onnx.common.data_types import DoubleTensorType

    estimator = operator.raw_operator
    found = fitted(estimator)
    double = isinstance(operator.inputs[0].type, DoubleTensorType)
    checked_float32_note(found, "the ONNX graph", rounds=not double)
    graph = Graph(prefix=scope.get_unique_variable_name("exactree") + "_")
    rows = operator.inputs[0].full_name
    if not double:
        rows = graph.add("Cast", rows, to=TensorProto.DOUBLE)
    *label, numbers = (output.full_name for output in operator.outputs)
    exact = f"{graph.prefix}exact"
    if isinstance(found, RegressionTree):
        add_regressor(graph, rows, found, exact)
    else:
        add_classifier(graph, rows, found, (label[0], exact), getattr(estimator, "smoothing", None))
    kind = TensorProto.DOUBLE if double else TensorProto.FLOAT
    graph.add("Cast", exact, output=numbers, to=kind)
    container.initializers.extend(graph.constants)
    for node in graph.nodes:
        attributes = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        version = 3 if node.domain == ML else None
        names = list(node.input), list(node.output)
        container.add_node(
            node.op_type,
            *names,
            op_domain=node.domain,
            op_version=version,
            name=node.name,
            **attributes,
        )
