"""Trees as an ONNX model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from exactree.export.calls import answers_file_names
from exactree.export.model import Model, unwrap
from exactree.export.onnx_graph import ML, Graph, add_classifier, add_regressor, labels_array
from exactree.export.wording import checked_float32_note
from exactree.trees import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

# Versions of the standard operators, of those for machine learning, and of the file format, which
# most runtimes can read.
OPSET, ML_OPSET, IR_VERSION = 18, 3, 8


@answers_file_names(
    "returns a model and writes no file: "
    "Path({1}).write_bytes(export.{0}(model).SerializeToString())"
)
def to_onnx(model: Model, *, float32: bool = False) -> Any:
    """Return an `onnx.ModelProto`.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.
    float32 : bool
        Whether the input is float32. Comparisons are still in float64, but rounded training rows
        may reach other leaves.

    Returns
    -------
    onnx.ModelProto
        Its input ``X`` has a row for each example; levels are their indices, -1 is any other value,
        and ``nan`` is a missing value. Its outputs are ``label`` and ``probabilities``, the shares
        of the classes in leaves or of the votes of an ensemble; for a regression the output is
        ``variable``, with one column. The metadata has the names of features, the levels, and the
        effect of float32.

    Raises
    ------
    ImportError
        If onnx is not installed.
    ValueError
        If labels have several types, or a type that ONNX does not have.

    Warns
    -----
    UserWarning
        If float32 changes the leaf of training rows, or, for float32 input, if it may.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install 'exactree[onnx]'.") from None
    unwrapped = unwrap(model)
    found = unwrapped.model
    note = checked_float32_note(found, "the ONNX graph", rounds=float32)
    graph = Graph()
    input_type = TensorProto.FLOAT if float32 else TensorProto.DOUBLE
    rows = graph.add("Cast", "X", to=TensorProto.DOUBLE) if float32 else "X"
    if isinstance(found, RegressionTree):
        add_regressor(graph, rows, found, "variable")
        shapes = {"variable": (TensorProto.DOUBLE, [None, 1])}
    else:
        add_classifier(graph, rows, found, ("label", "probabilities"), unwrapped.smoothing)
        kind = helper.np_dtype_to_tensor_dtype(labels_array(found.classes).dtype)
        shapes = {
            "label": (kind, [None]),
            "probabilities": (TensorProto.DOUBLE, [None, len(found.classes)]),
        }
    document = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "exactree",
            [helper.make_tensor_value_info("X", input_type, [None, len(found.feature_names)])],
            [helper.make_tensor_value_info(name, *shape) for name, shape in shapes.items()],
            graph.constants,
        ),
        producer_name="exactree",
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(document, _metadata(found, note))
    return document


def _metadata(found: Tree | Ensemble, note: str) -> dict[str, str]:
    """Return the information that a graph cannot hold, as JSON in ASCII."""
    levels = {str(f): [str(level) for level in levels] for f, levels in found.levels.items()}
    return {
        "feature_names": json.dumps(list(found.feature_names)),
        "levels": json.dumps(levels),
        "float32": note,
    }
