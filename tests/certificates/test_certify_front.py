"""`certify_front`: the certificates of random fronts prove them, without gaps."""

from dataclasses import replace

import numpy as np
import pytest
from tests.certificates.test_certify import twin
from tests.certificates.written import Prover

import exactree as xt
from exactree.certificates import checker
from exactree.problem import ParetoFront

OTHERS = {
    "errors": {},
    "balanced_error": {"minimize": "balanced_error"},
    "matrix": {"cost_matrix": [[0, 2, 1], [1, 0, 3], [1, 0.5, 0]]},
}


def drawn(rng, kind: str) -> tuple[xt.Problem, tuple[str, str]]:
    """Draw a problem with three classes, and the quantities of its front."""
    rows = int(rng.integers(5, 10))
    X = rng.integers(0, int(rng.integers(2, 9)), (rows, 2)).astype(float)
    y = np.concatenate([[0, 1, 2], rng.integers(0, 3, rows - 3)])
    by = str(rng.choice(["size", "depth"]))
    quantities = (by, "balanced_error" if kind == "balanced_error" else "errors")
    max_errors = int(rng.integers(1, rows)) if kind == "errors" and rng.random() < 0.5 else None
    limits = xt.Limits(
        max_depth=int(rng.integers(1, 4)),
        max_size=int(rng.integers(1, 4)),
        max_errors=max_errors,
        min_samples_leaf=1 + int(rng.integers(2)),
    )
    problem = xt.Problem(X, y, rng.integers(1, 3, rows), limits=limits, **OTHERS[kind])
    return problem, quantities if rng.random() < 0.5 else quantities[::-1]


@pytest.mark.parametrize("kind", OTHERS)
def test_certificates_prove_the_front_of_all_trees(kind: str) -> None:
    rng = np.random.default_rng(12)
    points = without_tree = 0
    for _ in range(40):
        problem, quantities = drawn(rng, kind)
        front = xt.pareto_front(problem, quantities)
        if not front:
            continue
        certificates = xt.certify_front(problem, front)
        data, by = problem.dataset, "size" if "size" in quantities else "depth"
        at = quantities.index(by)
        costs = sorted((cost[at], cost[1 - at]) for cost in (o.cost for o in front))
        proved = []
        for certificate in certificates:
            weights = data.weights / data.weight_scale
            verified = xt.check(certificate, data.X, data.labels, sample_weight=weights)
            twin(certificate, data)
            header = certificate.header
            most = header.max_size if by == "size" else header.max_depth
            table = checker.RankedTable(
                np.array(data.X), data.labels, data.weights, 1, "nn", header.class_costs
            )
            prover = Prover(table, header.error_price, header.leaf_price, header.min_rows)
            size = min(header.max_size, 2**header.max_depth - 1)
            best = prover.lexicographic_optimum(
                header.max_depth, size, header.minimize, problem.max_error_weight
            )
            assert header.lower_bound == (None if best is None else best[0])
            if verified.cost is None:
                without_tree += 1
                assert most == costs[0][0] - 1
            else:
                proved.append((verified.cost[1], verified.cost[0]))
                last = len(proved) == len(front)
                assert last or most == costs[len(proved)][0] - 1
                points += 1
        assert proved == costs
    assert points > 60
    assert without_tree > 3 or kind != "errors"


def test_fronts_that_are_not_covered_are_refused() -> None:
    X, y = [[0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0]], [0, 1, 0, 1, 1, 0]
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2))
    three = xt.pareto_front(problem, ("size", "depth", "errors"))
    with pytest.raises(xt.MethodRefused, match="this front is of size, depth, errors"):
        xt.certify_front(problem, three)
    pairs = xt.pareto_front(problem, ("false_positives", "false_negatives"))
    with pytest.raises(xt.MethodRefused, match="one is the size or the depth"):
        xt.certify_front(problem, pairs)
    front = xt.pareto_front(problem, ("size", "errors"))
    with pytest.raises(TypeError, match="front must be a ParetoFront"):
        xt.certify_front(problem, list(front))
    with pytest.raises(ValueError, match="front must have points"):
        xt.certify_front(problem, ParetoFront([], ("size", "errors")))
    with pytest.raises(ValueError, match="not an outcome of this problem"):
        xt.certify_front(problem.with_leaf_penalty(1), front)
    unproved = replace(front[0], status=xt.Status.FEASIBLE)
    with pytest.raises(ValueError, match="all of which are proved"):
        xt.certify_front(problem, ParetoFront([unproved], ("size", "errors")))


def test_a_time_limit_leaves_certificates_of_smaller_bounds() -> None:
    X, y = [[0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0]], [0, 1, 0, 1, 1, 0]
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2))
    front = xt.pareto_front(problem, ("size", "errors"))
    certificates = xt.certify_front(problem, front, time_limit=1e-9)
    assert len(certificates) == len(front)
    for certificate in certificates:
        verified = xt.check(certificate, X, y)
        assert verified.lower_bound <= verified.cost
