"""Report of a fit: entries for JSON, and text."""

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from exactree.cli.encoding import numbers
from exactree.cli.library_words import in_own_words
from exactree.cli.model_file import SavedModel
from exactree.cli.table import CellTable
from exactree.export.cart import grow_cart
from exactree.objectives import Errors
from exactree.problem import Cost, Outcome, Problem, Status
from exactree.problem.quantities import Number, cost_in_words, shown_cost
from exactree.problem.verification.recount import errors_of_found
from exactree.trees import RegressionTree

JsonNumber = int | float | str


def cost_in_json(number: Cost | None) -> JsonNumber | list[JsonNumber] | None:
    """Return a cost for JSON: fractions become "a/b", tuples become lists."""
    if isinstance(number, tuple):
        return [number_in_json(component) for component in number]
    return None if number is None else number_in_json(number)


def number_in_json(number: Number) -> JsonNumber:
    """Return a number for JSON; fractions become "a/b"."""
    if isinstance(number, int | float):
        return number
    return int(number) if number.denominator == 1 else str(number)


def errors_in(outcome: Outcome, problem: Problem) -> float:
    """Return the errors, of any kind, of the found trees on the table they were fitted to."""
    if outcome.ensemble is not None:
        return errors_of_found(problem, outcome.ensemble) / problem.dataset.weight_scale
    assert outcome.tree is not None
    leaf = np.asarray(outcome.tree.children_left) < 0
    return float(outcome.tree.errors[leaf].sum())


def reported_errors(outcome: Outcome, problem: Problem) -> str:
    """Return the errors of the found trees as text."""
    errors = f"{errors_in(outcome, problem):,.10g}"
    if isinstance(outcome.tree, RegressionTree):
        return f"{outcome.tree.error_term.replace('_', ' ')} {errors}"
    return f"{errors} errors"


def errors_of(model: SavedModel, rows: CellTable, predictions: list[str]) -> dict[str, float]:
    """Return measures of the errors of predictions by name; rows without a label do not count.

    Parameters
    ----------
    model : SavedModel
        The model.
    rows : CellTable
        A table with the target column.
    predictions : list of str
        A prediction for each row.
    """
    labels = rows.cells(model.target)
    labelled = [row for row, label in enumerate(labels) if label is not None]
    if not labelled and labels:
        return {}
    if isinstance(model.predictor, RegressionTree):
        truth = numbers(rows, model.target, labels, model.target_decimal)[labelled]
        deviations = np.abs(np.array(predictions, dtype=np.float64)[labelled] - truth)
        root = float(np.sqrt(np.mean(deviations**2))) if len(deviations) else 0.0
        mean = float(np.mean(deviations)) if len(deviations) else 0.0
        errors = {"root_mean_squared_error": root, "mean_absolute_error": mean}
    else:
        errors = {"misclassified": sum(predictions[row] != labels[row] for row in labelled)}
    return errors if len(labelled) == len(labels) else errors | {"labelled": len(labelled)}


def errors_in_words(errors: dict[str, float], rows: int) -> str:
    """Return the errors of predictions as text.

    Parameters
    ----------
    errors : dict of str to float
        The result of `errors_of`.
    rows : int
        Number of rows.
    """
    of_rows = f"{rows} rows"
    if "labelled" in errors:
        of_rows = f"the {errors['labelled']} rows with a label"
    if "misclassified" in errors:
        are = "is" if errors["misclassified"] == 1 else "are"
        return f"{errors['misclassified']} of {of_rows} {are} misclassified"
    return (
        f"root of the mean squared error {errors['root_mean_squared_error']:,.6g}, mean absolute "
        f"error {errors['mean_absolute_error']:,.6g} in {of_rows}"
    )


def entries(outcome: Outcome, problem: Problem) -> dict[str, Any]:
    """Return the result of a search, for a model file or for ``--json``."""
    tree, ensemble = outcome.tree, outcome.ensemble
    result: dict[str, Any] = {
        "status": outcome.status.value,
        "cost": cost_in_json(outcome.cost),
        "lower_bound": cost_in_json(outcome.lower_bound),
        "gap": outcome.gap if outcome.trees else None,
        "stopped_by": outcome.stopped_by,
        "reason": outcome.reason and in_own_words(outcome.reason)[0],
        "seconds": outcome.stats.get("seconds"),
        "problem": outcome.problem_text and in_own_words(outcome.problem_text)[0],
    }
    if tree is not None:
        result |= {
            "errors": errors_in(outcome, problem),
            "depth": tree.depth,
            "leaves": tree.leaves,
        }
    if ensemble is not None:
        result |= {
            "errors": errors_in(outcome, problem),
            "n_trees": len(ensemble.trees),
            "total_size": ensemble.total_size,
            "largest_size": ensemble.largest_size,
            "total_depth": ensemble.total_depth,
            "largest_depth": ensemble.largest_depth,
            "leaves": ensemble.leaves,
        }
    return result


def sentence(outcome: Outcome, problem: Problem) -> str:
    """Return one line with the cost, the lower bound and the status of a search."""
    seconds = outcome.stats.get("seconds")
    # Specifications read no clock.
    within = "" if seconds is None else f" in {seconds:.2f} s"
    after = "" if seconds is None else f" after {seconds:.2f} s"
    bound = f"lower bound {shown_cost(outcome.lower_bound)}"
    if not outcome.trees:
        model = "tree" if problem.n_trees == 1 else "ensemble"
        stopped = f"stopped by {outcome.stopped_by}{after}"
        return f"no {model} yet, {stopped}; {bound}{outcome.left_out}"
    cost = _cost_and_errors(outcome, problem)
    if outcome.status is Status.OPTIMAL:
        return f"optimal, proved{within}: {cost}, {bound}{outcome.left_out}"
    return (
        f"not proved, stopped by {outcome.stopped_by}{after}: {cost}, {bound}, "
        f"gap {100 * outcome.gap:.1f} %{outcome.left_out}"
    )


def _cost_and_errors(outcome: Outcome, problem: Problem) -> str:
    """Return the cost; unless it is the errors alone, with errors and leaves in parentheses."""
    assert outcome.cost is not None
    names = problem.cost_names
    cost = cost_in_words(outcome.cost, names)
    measured = problem.error_term if problem.regression else "errors"
    if names == (measured,):
        return cost
    notes = [] if measured in names else [reported_errors(outcome, problem)]
    leaves = sum(tree.leaves for tree in outcome.trees)
    notes.append("1 leaf" if leaves == 1 else f"{leaves} leaves")
    return f"{cost} ({', '.join(notes)})"


def cart_errors(problem: Problem) -> tuple[float, int, int]:
    """Return errors, depth and leaves of scikit-learn's greedy tree within the same limits."""
    limits, data = problem.limits, problem.dataset
    max_leaves = None if limits.max_size is None else limits.max_size + 1
    cart = grow_cart(problem, limits.max_depth, max_leaves, problem.min_rows)
    term = problem.term if problem.regression else Errors()  # plain errors, ignoring other costs
    leaves = cart.apply(data.X)
    subsets = [np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves)]
    errors = float(sum(term.leaf(data, subset) for subset in subsets)) / data.weight_scale
    return errors, cart.depth, cart.leaves


def print_comparison(outcome: Outcome, problem: Problem) -> None:
    """Print the errors of the solution and of CART within the same limits."""
    total = float(problem.dataset.weights.sum()) / problem.dataset.weight_scale
    heads = ("errors", "error rate")
    if problem.regression:
        name = problem.error_term.replace("_", " ")
        heads = (name, f"mean {name}")
    table = Table("tree", *heads, "depth", "leaves")
    proved = ", proved" if outcome.status is Status.OPTIMAL else ""
    depth = max(tree.depth for tree in outcome.trees)
    leaves = sum(tree.leaves for tree in outcome.trees)
    rows = [
        (f"exactree{proved}", errors_in(outcome, problem), depth, leaves),
        ("CART, greedy", *cart_errors(problem)),
    ]
    for name, errors, tree_depth, tree_leaves in rows:
        mean = f"{errors / total:,.6g}" if problem.regression else f"{errors / total:.2%}"
        table.add_row(name, f"{errors:,.10g}", mean, str(tree_depth), str(tree_leaves))
    Console().print(table)
