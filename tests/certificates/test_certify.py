"""`certify` and `check`: random problems, refusals, early stops, statements."""

from dataclasses import replace

import numpy as np
import pytest
from tests.certificates.written import Prover
from tests.real_tables import some_rows

import exactree as xt
from exactree.certificates import checker
from exactree.certificates.columns import splits_of
from exactree.certified_bound import certify as certify_bound


def twin(certificate, dataset) -> None:
    """Check a certificate by the readable checker."""
    weights, scale = dataset.weights, dataset.weight_scale
    table = checker.RankedTable(np.array(dataset.X), dataset.labels, weights, scale)
    checker.check(certificate.content, table)


def drawn_problem(rng) -> xt.Problem:
    """Draw a problem that certificates cover."""
    rows = int(rng.integers(1, 40))
    values = int(rng.choice([2, 4, 30]))
    X = rng.integers(0, values, (rows, int(rng.integers(1, 4)))).astype(float)
    y = rng.choice(["a", "b", "c"][: int(rng.integers(1, 4))], rows)
    weight = (None, rng.integers(0, 4, rows) + (np.arange(rows) == 0), rng.random(rows) + 0.1)
    limits = xt.Limits(
        max_depth=int(rng.integers(0, 5)),
        max_size=None if rng.random() < 0.5 else int(rng.integers(0, 7)),
        min_samples_leaf=min(rows, int(rng.choice([1, 1, 2, 5]))),
    )
    penalty = float(rng.choice([0, 0, 0.01, 0.1]))
    sample_weight = weight[0 if penalty else int(rng.integers(3))]
    minimize = "errors"
    if rng.random() < 0.6:
        names = rng.permutation(["errors", "size", "depth"])[: int(rng.integers(1, 4))].tolist()
        minimize = names[0] if len(names) == 1 else tuple(names)
        penalty = penalty if names[0] == "errors" else 0
    if minimize != "errors" and not penalty and rng.random() < 0.7:
        limits = replace(limits, max_errors=int(rng.integers(0, 8)))
    return xt.Problem(X, y, sample_weight, minimize=minimize, leaf_penalty=penalty, limits=limits)


def test_random_problems_are_certified_and_checked() -> None:
    rng = np.random.default_rng(5)
    statuses = set()
    for _ in range(160):
        problem = drawn_problem(rng)
        dataset = problem.dataset
        outcome = xt.solve(problem)
        certificate = xt.certify(problem, outcome)
        weights = dataset.weights / dataset.weight_scale
        verified = xt.check(
            certificate, dataset.X, dataset.classes[dataset.labels], sample_weight=weights
        )
        statuses.add(outcome.status)
        assert verified.cost == outcome.cost
        proved = None if outcome.status is xt.Status.INFEASIBLE else outcome.lower_bound
        assert verified.lower_bound == proved
        assert verified.statement == certificate.statement
        twin(certificate, dataset)
    assert statuses == {xt.Status.OPTIMAL, xt.Status.INFEASIBLE}


def test_depths_without_a_limit_are_certified() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        X = rng.integers(0, 5, (12, 2)).astype(float)
        problem = xt.Problem(X, rng.integers(0, 2, 12), leaf_penalty=float(rng.choice([0, 0.05])))
        certificate = xt.certify(problem, xt.solve(problem))
        twin(certificate, problem.dataset)
        assert "depth" not in certificate.statement


def test_real_tables() -> None:
    for name in ("raisin", "iris", "wine"):
        X, y = some_rows(name, 100, 0)
        problem = xt.Problem(X, y, limits=xt.Limits(max_depth=3))
        outcome = xt.solve(problem)
        for n_jobs in (1, 2):
            certificate = xt.certify(problem, outcome, n_jobs=n_jobs)
            assert xt.check(certificate, X, y).lower_bound == outcome.cost
            twin(certificate, problem.dataset)


def test_rows_per_leaf_of_real_tables() -> None:
    for name, min_samples_leaf, n_jobs in (("raisin", 5, 1), ("wine", 0.05, 2), ("iris", 9, 1)):
        X, y = some_rows(name, 100, 0)
        limits = xt.Limits(max_depth=3, min_samples_leaf=min_samples_leaf)
        problem = xt.Problem(X, y, limits=limits)
        outcome = xt.solve(problem)
        certificate = xt.certify(problem, outcome, n_jobs=n_jobs)
        assert certificate.header.min_rows == problem.min_rows > 1
        assert xt.check(certificate, X, y).lower_bound == outcome.cost
        twin(certificate, problem.dataset)
        assert f"at least {problem.min_rows} examples in every leaf" in certificate.statement


def test_rows_per_leaf_agree_with_all_trees() -> None:
    """Weights, prices, tuples, missing values and categories, compared with all trees."""
    rng = np.random.default_rng(9)
    twice = 0
    for _ in range(150):
        rows, columns = int(rng.integers(4, 11)), int(rng.integers(1, 3))
        X = rng.integers(0, int(rng.integers(2, 9)), (rows, columns)).astype(float)
        X[rng.random(X.shape) < rng.choice([0, 0, 0.2])] = np.nan
        minimize = (("errors",), ("errors", "size"), ("size", "errors"), ("depth", "errors"))[
            int(rng.integers(4))
        ]
        max_errors = None if minimize[0] == "errors" else int(rng.integers(0, 4))
        penalty = 0 if max_errors is not None else float(rng.choice([0, 0, 0.05]))
        problem = xt.Problem(
            X,
            rng.integers(0, 2, rows),
            None if penalty else rng.integers(1, 4, rows),
            categories=[feature for feature in range(columns) if rng.random() < 0.3],
            minimize=minimize,
            leaf_penalty=penalty,
            limits=xt.Limits(
                max_depth=int(rng.integers(1, 3)),
                max_size=int(rng.integers(1, 4)),
                max_errors=max_errors,
                min_samples_leaf=(2, 3, 0.3)[int(rng.integers(3))],
            ),
        )
        certificate = xt.certify(problem, xt.solve(problem))
        header, data = certificate.header, problem.dataset
        table = checker.RankedTable(
            np.array(data.X), data.labels, data.weights, data.weight_scale, splits_of(problem)
        )
        prover = Prover(table, header.error_price, header.leaf_price, problem.min_rows)
        size = min(header.max_size, 2**header.max_depth - 1)
        weight = problem.max_error_weight
        found = prover.lexicographic_optimum(header.max_depth, size, minimize, weight)
        assert header.lower_bound == (None if found is None else found[0])
        xt.check(certificate, X, data.classes[data.labels], sample_weight=data.weights)
        twin(certificate, data)
        relaxed = Prover(table, header.error_price, header.leaf_price)
        without = relaxed.lexicographic_optimum(header.max_depth, size, minimize, weight)
        twice += found != without and (found is None or found[0] != without[0])
    assert twice > 20


def drawn_costs(rng, y) -> dict:
    """Draw costs of classes, of which one may have no example, or the balanced error."""
    if rng.random() < 0.3 and len({*y.tolist()}) > 1:
        return {"minimize": "balanced_error"}
    labels = [*dict.fromkeys([*y.tolist(), *rng.permutation(4)[: int(rng.integers(2))].tolist()])]
    costs = [0, 0, 1, 2, 0.5, 3]
    return {
        "cost_matrix": {
            true: {predicted: float(rng.choice(costs)) for predicted in labels} for true in labels
        },
        "minimize": ["errors", "errors", ("errors", "size"), ("errors", "depth")][
            int(rng.integers(4))
        ],
    }


def test_costs_of_classes_agree_with_all_trees() -> None:
    rng = np.random.default_rng(10)
    without_examples = positive = 0
    for _ in range(150):
        rows = int(rng.integers(2, 11))
        X = rng.integers(0, int(rng.integers(2, 9)), (rows, 2)).astype(float)
        y = rng.integers(0, int(rng.integers(1, 4)), rows)
        options = drawn_costs(rng, y)
        problem = xt.Problem(
            X,
            y,
            rng.choice([1, 1, 2, 0.5], rows),
            leaf_penalty=float(rng.choice([0, 0, 0.05])),
            limits=xt.Limits(
                max_depth=int(rng.integers(0, 3)), min_samples_leaf=1 + int(rng.integers(2))
            ),
            **options,
        )
        outcome = xt.solve(problem)
        certificate = xt.certify(problem, outcome)
        header, data = certificate.header, problem.dataset
        table = checker.RankedTable(
            np.array(data.X), data.labels, data.weights, data.weight_scale, "nn", header.class_costs
        )
        prover = Prover(table, header.error_price, header.leaf_price, header.min_rows)
        size = 2**header.max_depth - 1
        found = prover.lexicographic_optimum(header.max_depth, size, header.minimize, None)
        assert found is not None
        assert header.lower_bound == header.cost == found[0]
        verified = xt.check(certificate, X, y, sample_weight=data.weights / data.weight_scale)
        assert verified.cost == verified.lower_bound == outcome.cost
        twin(certificate, data)
        without_examples += len(header.class_costs) > header.classes**2
        positive += found[0][0] > 0
    assert min(without_examples, positive) > 20


def test_costs_of_classes_of_real_tables() -> None:
    for name, min_samples_leaf, n_jobs in (("raisin", 1, 1), ("wine", 3, 2), ("iris", 1, 2)):
        X, y = some_rows(name, 100, 0)
        limits = xt.Limits(max_depth=3, min_samples_leaf=min_samples_leaf)
        classes = len(np.unique(y))
        costs = np.arange(classes)[:, None] * 2 + 1 - (2 * np.arange(classes) + 1) * np.eye(classes)
        for options in ({"cost_matrix": costs}, {"minimize": "balanced_error"}):
            problem = xt.Problem(X, y, limits=limits, **options)
            outcome = xt.solve(problem)
            certificate = xt.certify(problem, outcome, n_jobs=n_jobs)
            assert xt.check(certificate, X, y).lower_bound == outcome.cost
            twin(certificate, problem.dataset)


def test_the_statement_names_the_costs_of_classes() -> None:
    X, y = [[0], [1], [2], [3]], ["b", "a", "b", "a"]
    limits = xt.Limits(max_depth=1)
    problem = xt.Problem(X, y, cost_matrix={"a": {"b": 5}, "b": {"a": 0.5}}, limits=limits)
    outcome = xt.solve(problem)
    statement = xt.check(xt.certify(problem, outcome), X, y).statement
    # Class b is the first in the table.
    costs = (
        "the weight of the examples times the costs of their predictions, by class (0, 0.5), (5, 0)"
    )
    assert "costs less than 0.5 on the table" in statement
    assert f"where the cost is {costs}; the tree of the certificate costs 0.5" in statement
    priced = xt.Problem(X, y, cost_matrix=[[0, 5], [1, 0]], leaf_penalty=0.25, limits=limits)
    statement = xt.certify(priced, xt.solve(priced)).statement
    assert "by class (0, 1), (5, 0), plus 1 for every leaf" in statement


def test_rows_per_leaf_of_outcomes_that_are_not_proved() -> None:
    X, y = some_rows("raisin", 300, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=3, min_samples_leaf=5))
    outcome = xt.solve(problem, stop_at_gap=0.6)
    assert 0 < outcome.lower_bound < outcome.cost
    verified = xt.check(xt.certify(problem, outcome), X, y)
    assert (verified.cost, verified.lower_bound) == (outcome.cost, outcome.lower_bound)
    stopped = xt.solve(problem, time_limit=0.01)
    certificate = xt.certify(problem, stopped, time_limit=5)
    assert xt.check(certificate, X, y).lower_bound <= stopped.cost
    nothing = xt.certify(problem, outcome, time_limit=1e-9)
    assert xt.check(nothing, X, y).lower_bound == 0


def test_the_values_may_change_but_not_their_order() -> None:
    X, y = some_rows("iris", 60, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2))
    certificate = xt.certify(problem, xt.solve(problem))
    xt.check(certificate, np.exp(X), [f"class {label}" for label in y])
    for X_, y_ in ((-X, y), (X[::-1], y[::-1]), (X[:, ::-1], y), (X[1:], y[1:]), (X, y == 0)):
        with pytest.raises(xt.CertificateRefused, match="another table") as refused:
            xt.check(certificate, X_, y_)
        assert refused.value.reason == "table"


def test_an_outcome_that_is_not_proved_has_its_lower_bound_certified() -> None:
    X, y = some_rows("raisin", 300, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=3))
    outcome = xt.solve(problem, stop_at_gap=0.6)
    assert 0 < outcome.lower_bound < outcome.cost
    certificate = xt.certify(problem, outcome)
    verified = xt.check(certificate, X, y)
    assert (verified.cost, verified.lower_bound) == (outcome.cost, outcome.lower_bound)
    assert "optimal" not in verified.statement


def test_a_proof_that_is_stopped_certifies_what_it_reached() -> None:
    X, y = some_rows("raisin", 300, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=4))
    outcome = xt.solve(problem, time_limit=0.2)
    nothing = xt.certify(problem, outcome, time_limit=1e-9)
    assert xt.check(nothing, X, y).lower_bound == 0
    seen = []

    def listener(progress):
        seen.append(progress)
        return True

    certificate = xt.certify(problem, outcome, on_progress=listener, time_limit=20)
    assert xt.check(certificate, X, y).lower_bound <= outcome.lower_bound


REFUSED = {
    "several trees": {"n_trees": 3},
    "minimizes": {"minimize": ("gini", "size")},
    "both max_errors and other costs than plain errors": {
        "leaf_penalty": 0.1,
        "limits": xt.Limits(max_depth=1, max_errors=3),
    },
    "its costs or its leaf_penalty have": {"cost_matrix": [[0, 10**-25], [1, 0]]},
    "other rules": {"rules": xt.rules.Hyperplanes()},
    "constraints": {"monotonic_cst": [1, 0]},
    "the weight of leaves": {"limits": xt.Limits(max_depth=1, min_weight_fraction_leaf=0.1)},
    "leaves of a class": {"limits": xt.Limits(max_depth=1, max_leaves_of={0: 1})},
    "too many digits": {"leaf_penalty": 0.00021544346900318845, "sample_weight": [2**40] * 6},
    "weights are rounded": {"sample_weight": [1e-30, 1, 1, 1, 1e18, 1]},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_problems_that_are_not_covered_are_refused(reason) -> None:
    X, y = [[0, 1], [1, 0], [2, 1], [3, 0], [4, 1], [5, 0]], [0, 1, 0, 1, 1, 0]
    problem = xt.Problem(X, y, **({"limits": xt.Limits(max_depth=1)} | REFUSED[reason]))
    outcome = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=1)))
    with pytest.raises(xt.MethodRefused, match=r"Certificates are for one tree .* because"):
        xt.certify(problem, outcome)
    with pytest.raises(xt.MethodRefused, match=reason):
        xt.certify(problem, outcome)


def test_categories_and_missing_values_are_certified() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        rows, columns = int(rng.integers(2, 16)), int(rng.integers(1, 4))
        X = rng.integers(0, int(rng.integers(2, 7)), (rows, columns)).astype(float)
        X[rng.random(X.shape) < rng.choice([0, 0.2])] = np.nan
        used = [feature for feature in range(columns) if rng.random() < 0.8] or None
        problem = xt.Problem(
            X,
            rng.integers(0, 3, rows),
            categories=[feature for feature in range(columns) if rng.random() < 0.6],
            rules=xt.rules.AxisParallel(used, level_sets=bool(rng.random() < 0.5)),
            minimize=("errors", "errors", ("errors", "size"))[int(rng.integers(3))],
            limits=xt.Limits(max_depth=int(rng.integers(0, 4))),
        )
        outcome = xt.solve(problem)
        certificate = xt.certify(problem, outcome)
        y = problem.dataset.classes[problem.dataset.labels]
        verified = xt.check(certificate, X, y)
        assert verified.lower_bound == verified.cost == outcome.cost
        twin(certificate, problem.dataset)


def test_levels_of_text_are_certified() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"kind": ["a", "b", None, "c", "a", "c"], "x": [1, 5, 2, 2, 3, 1.5]})
    y = [0, 1, 1, 0, 0, 1]
    problem = xt.Problem(frame, y, limits=xt.Limits(max_depth=2))
    certificate = xt.certify(problem, xt.solve(problem))
    verified = xt.check(certificate, frame, y)
    assert verified.cost == verified.lower_bound
    words = "splits of 1 feature by thresholds, 1 feature by one category against the others"
    assert words in verified.statement


def test_wrong_arguments() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=1))
    other = xt.Problem(X, [0, 1, 1], limits=xt.Limits(max_depth=1))
    outcome = xt.solve(problem)
    with pytest.raises(ValueError, match="not an outcome of this problem"):
        xt.certify(other, outcome)
    with pytest.raises(TypeError, match="outcome must be an Outcome"):
        xt.certify(problem, outcome.tree)
    with pytest.raises(TypeError, match="problem must be a Problem"):
        xt.certify(outcome, problem)
    with pytest.raises(TypeError, match=r"read a file by Certificate.load\(path\)"):
        xt.check("c.xtc", X, y)
    infeasible = xt.solve(problem.within(xt.Limits(max_depth=1, max_errors=0)))
    with pytest.raises(ValueError, match="not an outcome of this problem"):
        xt.certify(problem, infeasible)


def test_a_wrong_lower_bound_is_an_internal_error() -> None:
    X, y = some_rows("iris", 60, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=2))
    outcome = replace(xt.solve(problem.within(xt.Limits(max_depth=1))), status=xt.Status.OPTIMAL)
    with pytest.raises(xt.InternalError, match="cannot be proved"):
        certify_bound(problem, outcome)


def test_the_smallest_tree_within_some_errors_is_certified() -> None:
    X, y = some_rows("iris", 100, 0)
    for minimize, expected in (
        ("size", "has a size less than"), ("depth", "has a depth less than"),
        (("size", "errors"), "has (size, errors) before"),
    ):  # fmt: skip
        problem = xt.Problem(X, y, minimize=minimize, limits=xt.Limits(max_errors=2))
        outcome = xt.solve(problem)
        certificate = xt.certify(problem, outcome)
        assert xt.check(certificate, X, y).lower_bound == outcome.cost
        assert expected in certificate.statement
        assert "misclassified weight at most 2" in certificate.statement


def test_that_no_tree_is_within_the_limits_is_certified() -> None:
    X, y = some_rows("iris", 150, 0)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=1, max_errors=40))
    outcome = xt.solve(problem)
    assert outcome.status is xt.Status.INFEASIBLE
    verified = xt.check(xt.certify(problem, outcome), X, y)
    assert (verified.cost, verified.lower_bound) == (None, None)
    assert "misclassified weight at most 40 with axis-parallel splits exists" in verified.statement
    stopped = xt.certify(problem, outcome, time_limit=1e-9)
    assert xt.check(stopped, X, y).lower_bound == 0


def test_a_proof_of_a_tuple_that_is_stopped_certifies_what_it_reached() -> None:
    X, y = some_rows("raisin", 200, 0)
    problem = xt.Problem(X, y, minimize=("errors", "size"), limits=xt.Limits(max_depth=3))
    outcome = xt.solve(problem)
    seen = []

    def listener(progress):
        seen.append(progress.lower_bound)
        return progress.lower_bound >= (outcome.cost[0], 0)

    certificate = xt.certify(problem, outcome, on_progress=listener)
    reached = xt.check(certificate, X, y).lower_bound
    assert (0, 0) <= reached <= outcome.cost
    assert seen == sorted(seen)


def test_a_proof_of_a_size_that_is_stopped_certifies_smaller_sizes() -> None:
    X, y = some_rows("raisin", 40, 0)
    problem = xt.Problem(X, y, minimize="size")
    outcome = xt.solve(problem)
    assert outcome.cost > 4
    for stop in range(outcome.cost // 2, outcome.cost + 1):
        seen = []

        def listener(progress, seen=seen, stop=stop):
            seen.append(progress.lower_bound)
            return progress.lower_bound >= stop

        certificate = xt.certify(problem, outcome, on_progress=listener)
        reached = xt.check(certificate, X, y).lower_bound
        assert max(seen) <= reached <= outcome.cost


def test_statements_in_words() -> None:
    X, y = some_rows("iris", 60, 0)
    problem = xt.Problem(X, y, leaf_penalty=0.01, limits=xt.Limits(max_depth=2, max_size=2))
    certificate = xt.certify(problem, xt.solve(problem))
    text = certificate.statement
    assert text.startswith("no tree of depth at most 2 and size at most 2 with axis-parallel")
    assert "plus 0.6 for every leaf" in text
    assert "so it is optimal" in text
    assert str(xt.check(certificate, X, y)) == f"verified: {text}"
    assert certificate.statement in repr(certificate)
