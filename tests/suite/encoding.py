"""Known answers by an independent encoding of ensembles of given sizes, solved by CP-SAT.

Variables of every tree: the rule and the parent of each node; for every example and node, whether
the example reaches the node, and whether the node's rule sends it left; the class of each leaf; the
tree's vote for each example. A node's number is greater than its parent's. The package is not
imported; a single tree is solved as an ensemble of one tree.
"""

from collections.abc import Sequence
from typing import Any

from ortools.sat.python import cp_model

QUANTITIES = ("size", "total_size", "largest_size", "errors")
LIMITS = {"max_errors", "max_size", "max_total_size"}


def quick(table: Any, problem: Any) -> bool:
    """Return whether the encoding can express a problem, and CP-SAT solves it within seconds."""
    return (
        problem.minimize in QUANTITIES
        and problem.limits.keys() <= LIMITS
        and not problem.leaf_penalty
        and all(weight.denominator == 1 for weight in table.weights)
        and len(table.rows) <= 11
    )


def answer(table: Any, problem: Any) -> int | None:
    """Return the minimum size or errors, None if no ensemble is within the limits."""
    n, limits, nodes = problem.n_trees, problem.limits, len(table.rows) - 1
    largest = min(limits.get("max_size", nodes), nodes)
    total = min(limits.get("max_total_size", n * largest), n * largest)
    weight = int(sum(table.weights))
    errors = int(limits.get("max_errors", weight if problem.minimize == "errors" else 0))
    # The values of the minimized quantity in ascending order, each with the arguments of `exists`.
    if problem.minimize == "errors":
        candidates = ((t, [largest] * n, total, t) for t in range(errors + 1))
    elif problem.minimize == "largest_size":
        candidates = ((s, [s] * n, total, errors) for s in range(largest + 1))
    else:
        candidates = ((s, [min(s, largest)] * n, s, errors) for s in range(total + 1))
    return next((value for value, *arguments in candidates if exists(table, *arguments)), None)


def exists(table: Any, max_sizes: Sequence[int], max_total: int, max_errors: int) -> bool:
    """Return whether an ensemble has at most these errors, sizes of its trees, and total size.

    The ensemble elects the class with the most votes; ties go to the earlier class. The errors are
    the weight of the examples whose label is not elected.
    """
    model = cp_model.CpModel()
    classes = table.classes
    votes, used = [], []
    for max_size in max_sizes:
        vote, nodes = add_tree(model, table, max_size)
        votes.append(vote)
        used += nodes
    model.add(sum(used) <= max_total)
    wrong = []
    for e, label in enumerate(table.labels):
        own = classes.index(label)
        count = [sum(vote[e][c] for vote in votes) for c in range(len(classes))]
        missed = model.new_bool_var("")
        for c in range(len(classes)):
            if c != own:  # ties elect the earlier class
                model.add(count[own] >= count[c] + (c < own)).only_enforce_if(~missed)
        wrong.append(missed)
    weights = [int(w) for w in table.weights]
    model.add(sum(w * missed for w, missed in zip(weights, wrong, strict=True)) <= max_errors)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE):
        raise RuntimeError(solver.status_name(status))
    return status != cp_model.INFEASIBLE


def add_tree(model: Any, table: Any, max_size: int) -> tuple[Any, list[Any]]:
    """Add the variables and constraints of a tree.

    Return the tree's vote by example and class, and for each possible node whether it is used.
    """
    n, classes = len(table.rows), range(len(table.classes))
    rules = [
        [row[f] <= t for row in table.rows]
        for f in range(len(table.rows[0]))
        for t in sorted({row[f] for row in table.rows})[:-1]
    ]
    size = min(max_size, n - 1) if rules else 0

    def new(*shape: int) -> Any:
        """Return new variables in nested lists of this shape."""
        first, *rest = shape or (0,)
        return [new(*rest) for _ in range(first)] if shape else model.new_bool_var("")

    used, goes_left, reached = new(size), new(size, n), new(size, n)
    vote = new(n, len(classes))
    for e in range(n):
        model.add_exactly_one(vote[e])
    # For each node and side (0: left, 1: right), the variables of the later nodes that say whether
    # they are this child.
    child: list[list[list[Any]]] = [[[] for _ in range(2)] for _ in range(size)]
    for j in range(size):
        chosen = new(len(rules))
        model.add_exactly_one(chosen)
        for e in range(n):
            model.add(goes_left[j][e] == sum(chosen[r] for r in range(len(rules)) if rules[r][e]))
        if j == 0:
            model.add_bool_and(reached[0])
            continue
        model.add_implication(used[j], used[j - 1])
        parents = [(p, side, new()) for p in range(j) for side in (0, 1)]
        model.add(sum(parent for *_, parent in parents) == used[j])
        for p, side, parent in parents:
            child[p][side].append(parent)
            for e in range(n):
                step = goes_left[p][e] if side == 0 else ~goes_left[p][e]
                model.add_implication(reached[j][e], reached[p][e]).only_enforce_if(parent)
                model.add_implication(reached[j][e], step).only_enforce_if(parent)
                model.add_bool_or(reached[j][e], ~reached[p][e], ~step).only_enforce_if(parent)
    add_votes_of_leaves(model, new, used, goes_left, reached, child, vote)
    return vote, used


def add_votes_of_leaves(
    model: Any, new: Any, used: Any, goes_left: Any, reached: Any, child: Any, vote: Any
) -> None:
    """Add the constraints that the vote for an example is the class of its leaf."""
    n, classes = len(vote), len(vote[0])
    single_leaf = new(classes)  # the class that a tree without nodes predicts
    model.add_exactly_one(single_leaf)
    for e in range(n):
        for c in range(classes):
            without_nodes = [single_leaf[c], *(~root for root in used[:1])]
            model.add_bool_and(vote[e][c]).only_enforce_if(without_nodes)
    for j, children in enumerate(child):
        for side, possible_children in enumerate(children):
            model.add_at_most_one(possible_children)
            # The leaf on this side of the node: its class, and whether it exists.
            leaf, is_leaf = new(classes), new()
            model.add_exactly_one(leaf)
            model.add(is_leaf + sum(possible_children) == used[j])
            for e in range(n):
                step = goes_left[j][e] if side == 0 else ~goes_left[j][e]
                for c in range(classes):
                    in_leaf = [is_leaf, leaf[c], reached[j][e], step]
                    model.add_bool_and(vote[e][c]).only_enforce_if(in_leaf)
