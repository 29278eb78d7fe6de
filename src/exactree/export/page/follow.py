"""What the page's program needs to follow an example: nodes, features and examples as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.page.known import PredictedTable
from exactree.export.plane import fixed_values
from exactree.export.sentences import conditions_of, parents_of, way_to
from exactree.export.wording import (
    errors,
    examples,
    one_line,
    only_missing,
    predicted,
    quantity,
    rule,
    trees_of,
)
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.shape import EQUAL, IN

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

__all__ = ["as_json", "data_of"]


def data_of(model: Tree | Ensemble, table: PredictedTable, most: int) -> dict[str, Any]:
    """Return all that the program reads, in lists, numbers and texts.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    table : PredictedTable
        Examples, evenly chosen from if they are more than `most`.
    most : int
        How many examples the page may hold.
    """
    trees = trees_of(model)
    used = sorted(
        {
            feature
            for tree in trees
            for entry in tree.feature[tree.children_left >= 0].tolist()
            for feature in tree.entry_features(entry)
        }
    )
    complete = () if model.no_missing is None else model.no_missing.features or ()
    rows = np.arange(len(table.X))
    if len(rows) > most:
        rows = np.linspace(0, len(rows) - 1, most).round().astype(np.int64)
    regression = isinstance(model, RegressionTree)
    classes = [] if regression else [one_line(label) for label in model.classes.tolist()]
    return {
        "complete": [used.index(feature) for feature in complete if feature in used],
        "features": [_feature(model, feature) for feature in used],
        "classes": classes,
        "trees": [_nodes(tree, used) for tree in trees],
        "usual": _row(fixed_values(model, table.X), used),
        "examples": [
            {
                "row": int(row),
                "values": _row(table.X[row], used),
                "label": _label(table.truth[row], classes, regression),
                "wrong": bool(table.wrong[row] > 0) and not regression,
            }
            for row in rows
        ],
    }


def as_json(data: dict[str, Any]) -> str:
    """Write data so that no text in it can end the element of HTML that holds it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":  # in JSON these stand in texts only
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _feature(model: Tree | Ensemble, feature: int) -> dict[str, Any]:
    levels = model.levels.get(feature)
    return {
        "name": one_line(model.feature_names[feature]),
        "levels": None if levels is None else [one_line(level) for level in levels],
    }


def _label(truth: Any, classes: list[str], regression: bool) -> str:
    if regression:
        return f"{float(truth):.6g}"
    return classes[truth] if truth >= 0 else "another label"


def _row(values: Any, used: list[int]) -> list[float | None]:
    return [None if np.isnan(values[f]) else float(values[f]) for f in used]


def _nodes(tree: Tree, used: list[int]) -> list[dict[str, Any]]:
    """Return the nodes of a tree; features are counted among those that are used."""
    parents = parents_of(tree)
    place = {feature: at for at, feature in enumerate(used)}
    nodes = []
    for node in range(tree.node_count):
        content = {
            "parent": parents[node][0],
            "told": " and ".join(conditions_of(tree, way_to(parents, node))),
            "counts": _counts(tree, node),
        }
        if tree.is_leaf(node):
            content |= {"predicts": predicted(tree, node), "class": int(tree.prediction[node])}
        else:
            children = (int(tree.children_left[node]), int(tree.children_right[node]))
            content |= {"children": children, "rule": rule(tree, node, "≤")} | _split(
                tree, node, place
            )
        nodes.append(content)
    return nodes


def _counts(tree: Tree, node: int) -> str:
    """Say in one line what a node holds."""
    content = f"{examples(tree, node)}, {errors(tree, node)} if it predicts {predicted(tree, node)}"
    if isinstance(tree, RegressionTree):
        return content
    shares = zip(tree.classes.tolist(), tree.value[node].tolist(), strict=True)
    by_class = [f"{one_line(label)} {quantity(weight)}" for label, weight in shares if weight]
    return f"{content} ({', '.join(by_class)})"


def _split(tree: Tree, node: int, place: dict[int, int]) -> dict[str, Any]:
    """Return how the program decides at a node: as `Tree.goes_left` does, in its order of sums."""
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if feature >= tree.n_features:
        terms = [
            ([place[f] for f, power in enumerate(powers) for _ in range(power)], weight)
            for powers, weight in tree.surfaces.terms(feature - tree.n_features)
        ]
        return {"how": "sum", "terms": terms, "threshold": threshold}
    split: dict[str, Any] = {
        "feature": place[feature],
        "missing": bool(tree.missing_go_to_left[node]),
    }
    if only_missing(tree, node):
        return split | {"how": "present", "left": threshold > 0}
    if tree.comparison[node] == IN:
        return split | {"how": "in", "codes": [float(c) for c in tree.codes_of_set(node)]}
    how = "equal" if tree.comparison[node] == EQUAL else "at most"
    return split | {"how": how, "threshold": threshold}
