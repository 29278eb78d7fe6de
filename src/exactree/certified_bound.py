"""`certify`: write a certificate for the outcome of a search."""

from fractions import Fraction
from math import ceil

import numpy as np

from exactree.certificates import Certificate
from exactree.certificates.checker import RankedTable
from exactree.engine.native import prove_bounds
from exactree.engine.native.request import Caps, SearchOptions
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Listener, Outcome, Problem, Progress
from exactree.problem.quantities import shown_cost
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import AxisParallel
from exactree.search_options import checked_options
from exactree.solve import check_problem
from exactree.stopping import Interruptible
from exactree.trees import Tree

__all__ = ["certify", "check_covered"]

_COVERED = (
    "Certificates are for one tree that minimizes plain errors, with or without a leaf_penalty, "
    "within max_depth and max_size, by thresholds on columns of numbers without missing values"
)


def check_covered(problem: Problem) -> None:
    """Raise MethodRefused unless certificates cover a problem.

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    dataset, limits = problem.dataset, problem.limits
    reasons = {
        "it has several trees": problem.n_trees > 1,
        f"it minimizes {problem.minimize!r}": problem.quantities != ("errors",),
        "it has a cost_matrix": problem.costs is not None,
        "it has categories": bool(dataset.levels or problem.categories),
        "it has missing values": bool(dataset.with_missing),
        "it has other rules": problem.rules != AxisParallel(),
        "it limits the leaves of a class": limits.max_leaves_of is not None,
        "it limits the leaf size": problem.min_rows > 1 or bool(limits.min_weight_fraction_leaf),
        "it has constraints or prices of features": problem.constrained,
        "its weights are rounded": dataset.weight_rounding > 0,
        "its weights have more than 64 bits": dataset.weight_scale >= 1 << 64,
    }
    found = [reason for reason, holds in reasons.items() if holds]
    if not found and problem.leaf_price.substituted:
        found = ["its leaf_penalty has too many digits"]
    if found:
        raise MethodRefused(f"{_COVERED}; this problem is refused because {found[0]}.")


def certify(
    problem: Problem,
    outcome: Outcome,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: Listener | None = None,
) -> Certificate:
    """Write a certificate: a proof of the outcome's lower bound that `check` verifies.

    The proof is found by a second pass of the search, which takes about as long as the first. If it
    is stopped early, the certificate proves the greatest lower bound that was reached.

    Parameters
    ----------
    problem : Problem
        The problem that was solved: one tree that minimizes plain errors, with or without a
        `leaf_penalty`, within `max_depth` and `max_size`, by thresholds on columns of numbers.
    outcome : Outcome
        Its outcome, with a tree; also one that is not proved optimal.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes, as in `solve`.
    n_jobs : int, optional
        Threads, as in `solve`.
    on_progress : callable, optional
        Called with a `Progress` whose lower bound is proved; the proof stops when it returns True.

    Returns
    -------
    Certificate
        The certificate; ``certificate.save(path)`` writes it.

    Raises
    ------
    MethodRefused
        If certificates do not cover the problem; the message says what they cover.
    ValueError, TypeError
        If the outcome has no tree, or is not an outcome of the problem.
    InternalError
        If the lower bound of the outcome is wrong.
    """
    check_problem(problem)
    options = checked_options(time_limit, memory_limit, n_jobs, 0, on_progress)
    check_covered(problem)
    if not isinstance(outcome, Outcome):
        raise TypeError(f"outcome must be an Outcome of solve, got {type(outcome).__name__}.")
    tree = outcome.tree
    if tree is None:
        raise ValueError("outcome has no tree, so there is nothing to certify.")
    price, dataset = problem.leaf_price, problem.dataset
    unit = price.error_price * dataset.weight_scale
    belongs = (
        tree.n_features == dataset.X.shape[1] and tree.classes.tolist() == dataset.classes.tolist()
    )
    if not belongs or cost_of_found(problem, tree) != outcome.cost:
        raise ValueError(
            "outcome is not an outcome of this problem: its tree costs something else."
        )
    bound = ceil(Fraction(outcome.lower_bound) * unit)  # type: ignore[arg-type]
    limited = any(limit is not None for limit in (time_limit, memory_limit, on_progress))
    bounds = [ceil(bound / 2), bound] if limited else [bound]

    def report(_: int | None, proved: int, seconds: float) -> object:
        assert on_progress is not None
        return on_progress(Progress(outcome.cost, Fraction(proved, unit), seconds))

    search = SearchOptions(
        time_limit=options["time_limit"],
        memory_limit=options["memory_limit"],
        stop_at_gap=0.0,
        callback=None if on_progress is None else report,
        switches={},
        threads=options["n_jobs"],
    )
    caps = Caps(problem.limits.max_depth, problem.max_tree_size, None)
    with Interruptible() as call:
        proof = prove_bounds(problem, caps, search, bounds)
        if proof is None:
            raise InternalError(
                f"The lower bound {shown_cost(outcome.lower_bound)} of the outcome cannot be "
                "proved. Please report this bug of exactree."
            )
        call.answered = proof.stopped_by == "interrupt"
    fields = {
        **_table_fields(problem),
        "error-price": price.error_price,
        "leaf-price": price.leaf_price,
        "max-depth": "none" if caps.depth is None else caps.depth,
        "max-size": "none" if caps.size is None else caps.size,
        "cost": int(Fraction(outcome.cost) * unit),  # type: ignore[arg-type]
        "lower-bound": max(proof.bound, price.leaf_price),
        "tree": _tree_text(problem, tree),
        "sets": proof.sets,
        "claims": proof.claims,
    }
    lines = "".join(f"{name} {value}\n" for name, value in fields.items())
    return Certificate(f"exactree-certificate 1\n{lines}body\n".encode() + proof.body)


def _table_fields(problem: Problem) -> dict[str, object]:
    """Return the fields of the header that describe the table."""
    dataset = problem.dataset
    table = RankedTable(dataset.X, dataset.labels, dataset.weights, dataset.weight_scale)
    return {
        "table": table.digest(),
        "rows": len(table.weights),
        "features": len(table.ranks),
        "classes": table.n_classes,
        "weight-scale": table.weight_scale,
    }


def _tree_text(problem: Problem, tree: Tree) -> str:
    """Return the nodes of a tree in preorder: "feature:rank" of a threshold, or a class.

    A rank is the number of distinct values of the feature up to the threshold, minus one. Classes
    are numbered by their first appearance in the table.
    """
    dataset = problem.dataset
    labels = dataset.classes[dataset.labels].tolist()
    code = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    labels_of_tree = tree.classes.tolist()
    texts, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if tree.is_leaf(node):
            texts.append(str(code[labels_of_tree[tree.prediction[node]]]))
            continue
        feature = int(tree.feature[node])
        values = np.unique(dataset.X[:, feature])
        rank = int(np.searchsorted(values, tree.threshold[node], side="right")) - 1
        texts.append(f"{feature}:{rank}")
        waiting += [int(tree.children_right[node]), int(tree.children_left[node])]
    return " ".join(texts)
