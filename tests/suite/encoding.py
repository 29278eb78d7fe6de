"""Known answers by an independent encoding of ensembles of given sizes, solved by CP-SAT.

Variables, for every tree: the rule and the parent of each node; for every example and node whether
it gets there and goes left; the class of each leaf; and so the votes. A node's number is greater
than its parent's. The package is not imported; a tree is an ensemble of one.
"""

from collections.abc import Sequence
from typing import Any

from ortools.sat.python import cp_model

QUANTITIES = ("size", "total_size", "largest_size", "errors")
LIMITS = {"max_errors", "max_size", "max_total_size"}


def encoded(table: Any, question: Any) -> bool:
    """Return whether the encoding can solve a problem, and soon."""
    return (
        question.minimize in QUANTITIES
        and question.limits.keys() <= LIMITS
        and not question.leaf_penalty
        and all(weight.denominator == 1 for weight in table.weights)
        and len(table.rows) <= 11
    )


def answer(table: Any, question: Any) -> int | None:
    """Return the minimum size or errors, None if the limits allow nothing."""
    n, limits, nodes = question.n_trees, question.limits, len(table.rows) - 1
    each = min(limits.get("max_size", nodes), nodes)
    total = min(limits.get("max_total_size", n * each), n * each)
    weight = int(sum(table.weights))
    errors = int(limits.get("max_errors", weight if question.minimize == "errors" else 0))
    if question.minimize == "errors":
        allowed = ((t, [each] * n, total, t) for t in range(errors + 1))
    elif question.minimize == "largest_size":
        allowed = ((s, [s] * n, total, errors) for s in range(each + 1))
    else:
        allowed = ((s, [min(s, each)] * n, s, errors) for s in range(total + 1))
    return next((least for least, *asked in allowed if fits(table, *asked)), None)


def fits(table: Any, sizes: Sequence[int], total: int, most_errors: int) -> bool:
    """Return whether trees of at most these sizes, of at most `total` nodes, elect all labels."""
    model = cp_model.CpModel()
    classes = table.classes
    votes, used = [], []
    for size in sizes:
        given, nodes = one_tree(model, table, size)
        votes.append(given)
        used += nodes
    model.add(sum(used) <= total)
    wrong = []
    for e, label in enumerate(table.labels):
        own = classes.index(label)
        count = [sum(given[e][c] for given in votes) for c in range(len(classes))]
        missed = model.new_bool_var("")
        for c in range(len(classes)):
            if c != own:  # ties elect the earlier class
                model.add(count[own] >= count[c] + (c < own)).only_enforce_if(~missed)
        wrong.append(missed)
    weights = [int(w) for w in table.weights]
    model.add(sum(w * missed for w, missed in zip(weights, wrong, strict=True)) <= most_errors)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.INFEASIBLE):
        raise RuntimeError(solver.status_name(status))
    return status != cp_model.INFEASIBLE


def one_tree(model: Any, table: Any, size: int) -> tuple[Any, list[Any]]:
    """Add a tree of at most `size` nodes; return each example's vote and which nodes are used."""
    n, classes = len(table.rows), range(len(table.classes))
    rules = [
        [row[f] <= t for row in table.rows]
        for f in range(len(table.rows[0]))
        for t in sorted({row[f] for row in table.rows})[:-1]
    ]
    size = min(size, n - 1) if rules else 0

    def new(*shape: int) -> Any:
        first, *rest = shape or (0,)
        return [new(*rest) for _ in range(first)] if shape else model.new_bool_var("")

    used, goes_left, there = new(size), new(size, n), new(size, n)
    vote = new(n, len(classes))
    for e in range(n):
        model.add_exactly_one(vote[e])
    child: list[list[list[Any]]] = [[[] for _ in "lr"] for _ in range(size)]
    for j in range(size):
        chosen = new(len(rules))
        model.add_exactly_one(chosen)
        for e in range(n):
            went = sum(chosen[r] for r, left in enumerate(rules) if left[e])
            model.add(goes_left[j][e] == went)
        if j == 0:
            model.add_bool_and(there[0])
            continue
        model.add_implication(used[j], used[j - 1])
        parents = [(p, side, new()) for p in range(j) for side in (0, 1)]
        model.add(sum(parent for *_, parent in parents) == used[j])
        for p, side, parent in parents:
            child[p][side].append(parent)
            for e in range(n):
                step = goes_left[p][e] if side == 0 else ~goes_left[p][e]
                model.add_implication(there[j][e], there[p][e]).only_enforce_if(parent)
                model.add_implication(there[j][e], step).only_enforce_if(parent)
                model.add_bool_or(there[j][e], ~there[p][e], ~step).only_enforce_if(parent)
    _vote_of_leaves(model, new, used, goes_left, there, child, vote)
    return vote, used


def _vote_of_leaves(
    model: Any, new: Any, used: Any, goes_left: Any, there: Any, child: Any, vote: Any
) -> None:
    """State that an example has the vote of the leaf it ends in."""
    n, classes = len(vote), len(vote[0])
    whole = new(classes)  # of a tree without nodes
    model.add_exactly_one(whole)
    for e in range(n):
        for c in range(classes):
            alone = [whole[c], *(~used[j] for j in range(min(1, len(used))))]
            model.add_bool_and(vote[e][c]).only_enforce_if(alone)
    for j, sides in enumerate(child):
        for side, below in enumerate(sides):
            model.add_at_most_one(below)
            leaf, ends = new(classes), new()
            model.add_exactly_one(leaf)
            model.add(ends + sum(below) == used[j])
            for e in range(n):
                step = goes_left[j][e] if side == 0 else ~goes_left[j][e]
                for c in range(classes):
                    here = [ends, leaf[c], there[j][e], step]
                    model.add_bool_and(vote[e][c]).only_enforce_if(here)
