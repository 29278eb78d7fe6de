"""The rules of a tree as text: a line for each leaf, with the conditions of its examples."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from exactree.export.boxes import LeafBox, Values, boxes_of
from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import operand_of
from exactree.export.wording import checked_float32_note, counts, one_line, predicted, trees_of
from exactree.trees.routing import NONE_MISSING

if TYPE_CHECKING:
    from exactree.trees import Tree


@answers_file_names(TEXT)
def to_rules(model: Model) -> str:
    """Return the rules of the leaves as text, a line for each leaf.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The trees of an ensemble, which vote, are written one after the other.

    Returns
    -------
    str
        Lines such as ``if length > 2.5 and width <= 1.75 then long (2 examples, 1 error)``. Exactly
        one line holds for a row. Several splits on a feature are merged into one condition. Numbers
        are exact. Missing values are mentioned for features with a node that was fitted with them.
        The last line states the effect of float32.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    model = fitted(model)
    note = f"# {checked_float32_note(model, 'the text of rules')}"
    trees = trees_of(model)
    if len(trees) == 1:
        return f"{_tree_text(trees[0])}\n{note}\n"
    texts = (f"tree {number}\n{_tree_text(tree)}" for number, tree in enumerate(trees))
    return "\n\n".join([*texts, note]) + "\n"


def _tree_text(tree: Tree) -> str:
    return "\n".join(
        f"{condition_of(tree, box)} then {predicted(tree, box.leaf)}"
        + (f" ({', '.join(counted)})" if (counted := counts(tree, box.leaf)) else "")
        for box in boxes_of(tree)
    )


def condition_of(tree: Tree, box: LeafBox) -> str:
    """Return the condition of the examples of a leaf: "if ... and ...", or "always".

    Parameters
    ----------
    tree : Tree
        The tree.
    box : LeafBox
        The box of the leaf.
    """
    parts = [
        clause
        for feature, values in box.values.items()
        if (clause := _condition(tree, feature, values))
    ]
    for node, left in box.surfaces:
        name = operand_of(tree, node, lambda feature: one_line(tree.feature_names[feature]), repr)
        parts.append(f"{name} {'<=' if left else '>'} {float(tree.threshold[node])!r}")
    return f"if {' and '.join(parts)}" if parts else "always"


def _condition(tree: Tree, feature: int, values: Values) -> str:
    """Return the condition on a feature, empty if there is none."""
    name = one_line(tree.feature_names[feature])
    fitted_with_missing = bool((tree.missing[tree.feature == feature] != NONE_MISSING).any())
    if values.nearest(0.0) is None and fitted_with_missing:
        return f"{name} is missing"
    clause = _codes(tree, feature, values) or _interval(name, values)
    if not clause:
        return f"{name} is not missing" if fitted_with_missing and not values.missing else ""
    or_missing = fitted_with_missing and values.missing
    return f"({clause} or {name} is missing)" if or_missing else clause


def _interval(name: str, values: Values) -> str:
    if -inf < values.low and values.high < inf:
        return f"{values.low!r} < {name} <= {values.high!r}"
    if values.high < inf:
        return f"{name} <= {values.high!r}"
    return f"{name} > {values.low!r}" if -inf < values.low else ""


def _codes(tree: Tree, feature: int, values: Values) -> str:
    """Return the condition on the codes of a feature, empty if no node compares codes."""
    if values.only is None and not values.without:
        return ""
    name, levels = one_line(tree.feature_names[feature]), tree.levels.get(feature)
    for_one, for_several, codes = "!=", "not in", values.without
    if values.only is not None:
        for_one, for_several = "==", "in"
        codes = frozenset(code for code in values.only if code in values)
    texts = [
        str(int(code)) if levels is None else one_line(levels[int(code)]) for code in sorted(codes)
    ]
    operator, operand = (
        (for_one, texts[0]) if len(texts) == 1 else (for_several, f"{{{', '.join(texts)}}}")
    )
    condition = f"{name} {operator} {operand}"
    interval = _interval(name, values) if values.only is None else ""
    return f"{interval} and {condition}" if interval else condition
