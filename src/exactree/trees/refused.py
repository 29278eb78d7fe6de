"""Who takes no trees of some kind refuses them here, naming the first node and its feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exactree.trees.shape import IN, NONE_MISSING

if TYPE_CHECKING:
    from exactree.trees.tree import Tree

__all__ = ["refuse_level_sets", "refuse_missing"]


def refuse_level_sets(tree: Tree, form: str) -> None:
    """Raise ValueError if a node splits on several levels at once, naming its feature.

    Parameters
    ----------
    tree : Tree
        A tree.
    form : str
        What does not take such trees.
    """
    set_nodes = np.flatnonzero(tree.comparison == IN)
    if len(set_nodes):
        name = tree.entry_names[tree.feature[set_nodes[0]]]
        raise ValueError(
            f"node {set_nodes[0]} of the tree splits on several levels of {name!r}, and {form} "
            "takes rules that ask for one; fit it without level_sets."
        )


def refuse_missing(tree: Tree, why: str) -> None:
    """Raise ValueError if a node was fitted with missing values, naming its feature.

    Parameters
    ----------
    tree : Tree
        A tree.
    why : str
        A clause that says who takes no missing values.
    """
    learned = np.flatnonzero(tree.missing != NONE_MISSING)
    if len(learned):
        name = tree.entry_names[tree.feature[learned[0]]]
        raise ValueError(
            f"node {learned[0]} of the tree was fitted with missing values of {name!r}, and "
            f"{why}; fill them in before the fit."
        )
