"""The rules of a tree as sentences: the conditions and the prediction of each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.export.wording import (
    feature_name,
    level_or_code,
    number,
    only_missing,
    predicted,
)
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.routing import AT_MOST, NONE_MISSING

if TYPE_CHECKING:
    from exactree.trees import Tree

__all__ = ["LeafSentence", "conditions_of", "leaf_sentences", "parents_of", "path_to"]


@dataclass(frozen=True)
class LeafSentence:
    """The rule of a leaf.

    Attributes
    ----------
    leaf : int
        The node.
    conditions : tuple of str
        Conditions that hold for exactly the examples of the leaf; empty if the tree is a leaf.
    predicted : str
        The prediction of the leaf.
    examples : int
        Number of training examples that reach it.
    weight : float
        Their weight.
    support : float
        Their share of the weight of all examples.
    probability : float or None
        The share of the predicted class among them, by weight; None in a regression.
    errors : float
        The weight of the other classes; in a regression the squared or absolute errors.
    """

    leaf: int
    conditions: tuple[str, ...]
    predicted: str
    examples: int
    weight: float
    support: float
    probability: float | None
    errors: float

    @property
    def text(self) -> str:
        """The sentence."""
        if not self.conditions:
            return f"Always predict {self.predicted}."
        return f"If {' and '.join(self.conditions)}, predict {self.predicted}."


def leaf_sentences(tree: Tree) -> list[LeafSentence]:
    """Return the sentences of the leaves from left to right.

    Parameters
    ----------
    tree : Tree
        The tree.
    """
    sentences = []
    parents = parents_of(tree)
    for leaf in (tree.children_left < 0).nonzero()[0].tolist():
        weight = float(tree.weighted_n_node_samples[leaf])
        share = None
        if not isinstance(tree, RegressionTree):
            share = float(tree.value[leaf, tree.prediction[leaf]]) / weight
        sentences.append(
            LeafSentence(
                leaf=leaf,
                conditions=tuple(conditions_of(tree, path_to(parents, leaf))),
                predicted=predicted(tree, leaf),
                examples=int(tree.n_node_samples[leaf]),
                weight=weight,
                support=weight / float(tree.weighted_n_node_samples[0]),
                probability=share,
                errors=float(tree.errors[leaf]),
            )
        )
    return sentences


def parents_of(tree: Tree) -> list[tuple[int, bool]]:
    """Return the parent of each node and whether it is a left child; (-1, False) for the root."""
    parents = [(-1, False)] * tree.node_count
    for node in (tree.children_left >= 0).nonzero()[0].tolist():
        parents[tree.children_left[node]] = (node, True)
        parents[tree.children_right[node]] = (node, False)
    return parents


def path_to(parents: list[tuple[int, bool]], node: int) -> list[tuple[int, bool]]:
    """Return the path from the root to a node: each node, and whether the path goes left there.

    Parameters
    ----------
    parents : list of (int, bool)
        The result of `parents_of`.
    node : int
        A node.
    """
    path = []
    above, left = parents[node]
    while above >= 0:
        path.append((above, left))
        above, left = parents[above]
    return path[::-1]


def conditions_of(tree: Tree, path: list[tuple[int, bool]]) -> list[str]:
    """Return the conditions of a path, one for each feature or weighted sum that it uses.

    Thresholds of a feature are merged into an interval, and its codes into a set.

    Parameters
    ----------
    tree : Tree
        The tree.
    path : list of (int, bool)
        The result of `path_to`.
    """
    by_feature: dict[int, list[tuple[int, bool]]] = {}
    for node, left in path:
        by_feature.setdefault(int(tree.feature[node]), []).append((node, left))
    return [_condition(tree, steps) for steps in by_feature.values()]


def _condition(tree: Tree, steps: list[tuple[int, bool]]) -> str:
    """Return the condition of all steps at one feature."""
    name = feature_name(tree, steps[0][0])
    valued = [(node, left) for node, left in steps if not only_missing(tree, node)]
    missing_only = [(node, left) for node, left in steps if only_missing(tree, node)]
    if any(left != bool(tree.threshold[node] > 0) for node, left in missing_only):
        return f"{name} is missing"
    if not valued:
        return f"{name} is not missing"
    text = _codes(tree, name, valued) or _interval(tree, name, valued)
    has_codes = tree.comparison[valued[0][0]] != AT_MOST
    only_excludes = has_codes and not any(left for _, left in valued)  # "is not red or blue"
    # Missing values are mentioned only if the tree was fitted with some.
    if all(tree.missing[node] == NONE_MISSING for node, _ in steps):
        return text
    if all(bool(tree.missing_go_to_left[node]) == left for node, left in steps):
        if only_excludes:
            return f"{name} is missing or {text.removeprefix(f'{name} is ')}"
        return f"{text} or missing"
    return f"{text} and not missing" if only_excludes else text


def _interval(tree: Tree, name: str, steps: list[tuple[int, bool]]) -> str:
    """Return the interval of the thresholds."""
    below = [float(tree.threshold[node]) for node, left in steps if left]
    above = [float(tree.threshold[node]) for node, left in steps if not left]
    if below and above:
        return f"{number(max(above))} < {name} ≤ {number(min(below))}"
    return f"{name} ≤ {number(min(below))}" if below else f"{name} > {number(max(above))}"


def _codes(tree: Tree, name: str, steps: list[tuple[int, bool]]) -> str:
    """Return the condition on codes, empty if the nodes have thresholds."""
    node = steps[0][0]
    if tree.comparison[node] == AT_MOST:
        return ""
    code_steps = [(tree.left_codes_at(step), left) for step, left in steps]
    excluded = {code for codes, left in code_steps if not left for code in codes}
    kept = [set(codes) for codes, left in code_steps if left]
    if kept:
        codes, verb = set.intersection(*kept) - excluded, "is"
    else:
        codes, verb = excluded, "is not"
    names = [level_or_code(tree, node, code) for code in sorted(codes)]
    return f"{name} {verb} {' or '.join(names)}"
