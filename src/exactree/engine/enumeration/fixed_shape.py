"""A tree of one shape with few errors, natively: by the list of all trees of that shape."""

from collections.abc import Sequence

from exactree.engine.native import list_trees, next_trees
from exactree.engine.native.request import ListingRequest, SearchOptions
from exactree.engine.oblique.memory import columns_within
from exactree.problem import Problem
from exactree.trees.arrays import grow_all
from exactree.trees.tree import Tree

__all__ = ["tree_with_shape"]


def tree_with_shape(
    problem: Problem,
    shapes: Sequence[tuple[int, int] | None],
    errors: tuple[int, int],
    time_limit: float | None,
) -> tuple[Tree | None, bool]:
    """Return a tree of a shape with as few errors as trees of that shape have, if these are few.

    Parameters
    ----------
    problem : Problem
        The table and the rules; without leaf penalty. Its limits on size and depth do not matter.
    shapes : sequence of pairs of int, or None
        The shape, the last one, after the shapes of its subtrees, each once and after those of its
        own: the numbers of the two below it, None of a leaf. Mirror images are one shape.
    errors : pair of int
        At least, which no tree of the shape errs less than, and at most.
    time_limit : float or None
        Seconds.

    Returns
    -------
    tuple of Tree or None, and bool
        Without a tree: whether it is proved that there is none.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    columns = columns_within(problem, None)
    wanted = ListingRequest(
        max_depth=None, sizes=None, costs=errors, least_size=False, shapes=shapes
    )
    trees = list_trees(columns.problem, wanted, SearchOptions.within(time_limit))
    answers = next_trees(columns.problem, trees)
    if isinstance(answers, bool):
        return None, answers
    return columns.lift_tree(next(iter(grow_all(columns.problem.dataset, answers)))), True
