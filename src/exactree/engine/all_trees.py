"""All optimal trees natively: which numbers they have, how many they are, a lazy list of them.

An optimal tree is known. Whatever is minimized, in whatever order, the optimal trees are then
those with at most its values of the minimized quantities that keep the limits on the others: one
with less of the first quantity would be better, so all have the same of it; and so on.
"""

from collections.abc import Generator

from exactree.engine.asked import Wanted
from exactree.engine.border import count_trees, list_trees, next_trees
from exactree.engine.branch_and_bound import accepts
from exactree.engine.timer import Timer
from exactree.problem import Problem
from exactree.problem.columns import in_columns
from exactree.problem.recount import errors_of_found
from exactree.rules import Column
from exactree.stopping import Stopped
from exactree.trees.arrays import grow_all
from exactree.trees.tree import Tree

__all__ = ["accepts_all", "all_trees", "columns_of_one_kind", "count_all"]

# Where errors are allowed and not minimized, trees are counted for each number of errors.
_MOST_ERRORS = 64


def accepts_all(problem: Problem) -> str | None:
    """Return None for a problem whose optimal trees are listed natively, else why not.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    if (why := columns_of_one_kind(problem)) is not None:
        return why
    if problem.limits.max_leaves_of is not None:
        return "its native list takes no max_leaves_of"
    most = problem.most_errors
    if "errors" not in problem.quantities and most is not None and most > _MOST_ERRORS:
        return (
            f"its native list takes at most {_MOST_ERRORS} units of errors that are not minimized"
        )
    return accepts(problem)


def columns_of_one_kind(problem: Problem) -> str | None:
    """Return None if every feature has thresholds or codes, not both, else why that matters.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    every = problem.rules.columns(problem.dataset.X)
    columns = [column for column in every if isinstance(column, Column)]
    if len(columns) < len(every):
        # Two surfaces of the table that send the same examples of a part left are one rule.
        return "its native list takes thresholds and codes, no surfaces"
    if any(column.missing for column in columns):
        # Where all have a value, rules that differ in the side of missing ones are one rule.
        return "its native list takes no missing values"
    if any(column.codes is not None and len(column.codes) > 1 for column in columns):
        return "its native list takes no sets of levels"
    codes = {column.feature for column in columns if column.codes is not None}
    if any(column.codes is None and column.feature in codes for column in columns):
        # A threshold and a code that send the same examples left are one rule.
        return "its native list takes thresholds or codes of a feature, not both"
    return None


def count_all(problem: Problem, tree: Tree, time_limit: float | None) -> int | None:
    """Return the number of all optimal trees, or None if the time ran out.

    Parameters
    ----------
    problem : Problem
        What is asked.
    tree : Tree
        An optimal tree.
    time_limit : float or None
        Seconds.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    # Codes that are opposites make trees that are not the same.
    timer = Timer(time_limit)
    try:
        columns = in_columns(problem, opposites=True, check=timer.check)
    except Stopped:
        return None
    answer = count_trees(columns.problem, _wanted(problem, tree), timer.left())
    if answer["stopped_by"] == "interrupt":
        raise KeyboardInterrupt
    count: int | None = answer["count"]
    return count


def all_trees(
    problem: Problem, tree: Tree, time_limit: float | None
) -> Generator[Tree, None, bool]:
    """Yield every optimal tree once; return whether these were all.

    Parameters
    ----------
    problem : Problem
        What is asked.
    tree : Tree
        An optimal tree.
    time_limit : float or None
        Seconds.
    """
    timer = Timer(time_limit)
    try:
        columns = in_columns(problem, opposites=True, check=timer.check)
    except Stopped:
        return False
    trees = list_trees(columns.problem, _wanted(problem, tree), timer.left())
    while not isinstance(answers := next_trees(columns.problem, trees), bool):
        yield from map(columns.lift_tree, grow_all(columns.problem.dataset, answers))
    return answers


def _wanted(problem: Problem, tree: Tree) -> Wanted:
    """Return the numbers that the optimal trees have, told from one of them."""
    limits, price, names = problem.limits, problem.leaf_price, problem.quantities
    cost = price.error_price * errors_of_found(problem, tree) + price.leaf_price * tree.leaves
    most_size = problem.most_size
    sizes = None
    if "size" in names:
        sizes = (tree.size, tree.size)
    elif most_size is not None and most_size < len(problem.dataset.X) - 1:
        sizes = (0, most_size)
    return Wanted(
        max_depth=tree.depth if "depth" in names else limits.max_depth,
        sizes=sizes,
        costs=(cost, cost) if "errors" in names else (0, problem.most_errors or 0),
        least_size="size" in names,
    )
