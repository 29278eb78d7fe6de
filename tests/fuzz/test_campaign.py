"""The campaign on a few hundred instances, and its own checks; `make fuzz` runs it for an hour."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from campaign import check as checking
from campaign.cases import Case, draw, problem_of, tags
from campaign.check import check
from campaign.shrink import shrunk

import exactree as xt


@pytest.mark.parametrize("seed", range(4))
def test_combinations_agree_with_the_definition_or_are_refused_in_a_sentence(seed: int) -> None:
    verdicts: Counter[str] = Counter()
    for number in range(100):
        case = draw(seed, number)
        if "calls" in case.options:  # such searches take at least 0.1 seconds
            continue
        verdict = check(case)
        verdicts[verdict.kind] += 1
        assert verdict.kind != "failed", f"instance {number} of seed {seed}: {verdict.message}"
    assert verdicts["agreed"] > verdicts["refused"] > 0


def test_an_instance_is_the_same_every_time_and_after_json() -> None:
    for number in range(50):
        case = draw(5, number)
        assert draw(5, number) == case
        assert json.loads(json.dumps([case.parameters, case.options])) == [
            case.parameters,
            case.options,
        ]
    drawn = [draw(seed, number) for seed in range(2) for number in range(20)]
    assert len({json.dumps(case.parameters) for case in drawn}) == len(drawn)


def test_every_choice_is_drawn() -> None:
    drawn: dict[str, set[str]] = {}
    for number in range(3000):
        for name, choices in tags(draw(0, number)).items():
            drawn.setdefault(name, set()).update(choices.split("+"))
    kinds = {"errors", "cost_matrix", "balanced_error", "log_loss", "gini", "f1_error"}
    kinds |= {"precision_error", "recall_error", "squared_error", "absolute_error", "size", "depth"}
    assert kinds <= drawn["kind"]
    assert {*vars(xt.Limits())} <= drawn["limits"]
    assert drawn["threads"] == {"1", "2", "3"}
    assert drawn["stop"] == {"none", "time_limit", "memory_limit", "stop_at_gap", "calls"}
    assert drawn["start"] == {"none", "cart", "noise", "best", "warm"}
    assert {"numbers", "codes", "text", "sets", "surfaces"} == drawn["columns"]
    constraints = {"monotonic_cst", "feature_penalty", "required", "only_below", "max_features"}
    assert constraints <= drawn["constraints"]


# A case whose outcome can be falsified in every way that the check must detect.
CASE = Case(
    {
        "X": [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]],
        "y": [0, 1, 1, 0, 1],
        "minimize": "errors",
        "sample_weight": [2**40, 1, 3, 2, 1],
        "limits": {"max_depth": 2},
    },
    {},
)


def wrong_outcomes(outcome: xt.Outcome) -> dict[str, xt.Outcome]:
    """Return outcomes of wrong searches, by a fragment of the message that the check must give."""
    assert outcome.cost == 1
    leaf = xt.solve(
        problem_of(replace(CASE, parameters=CASE.parameters | {"limits": {"max_depth": 0}}))
    )
    stopped = {"status": xt.Status.FEASIBLE, "stopped_by": "time limit"}
    return {
        "is called optimal": replace(leaf, stats=outcome.stats),
        "recounted": replace(outcome, cost=2, lower_bound=1, **stopped),
        "above the optimum": replace(outcome, lower_bound=2),
        "nothing stopped the search": replace(outcome, lower_bound=0, status=xt.Status.FEASIBLE),
        "the options allow no stop": replace(outcome, lower_bound=0, **stopped),
        "the definition says": replace(outcome, status=xt.Status.INFEASIBLE, cost=None, tree=None),
    }


@pytest.mark.parametrize("message", sorted(wrong_outcomes(xt.solve(problem_of(CASE)))))
def test_a_wrong_outcome_is_detected(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = wrong_outcomes(xt.solve(problem_of(CASE)))[message]
    assert check(CASE).kind == "agreed"
    monkeypatch.setattr(checking.xt, "solve", lambda *_, **__: wrong)
    verdict = check(CASE)
    assert (verdict.kind, message in verdict.message) == ("failed", True), verdict


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_depth": 1}, "too deep"),
        ({"max_size": 1}, "too large"),
        ({"max_depth": 2, "min_samples_leaf": 2}, "too few rows"),
        ({"max_depth": 2, "min_weight_fraction_leaf": "1/5"}, "too light"),
        ({"max_depth": 2, "max_leaves_of": [[1, 0]]}, "too many leaves"),
        ({"max_depth": 2, "max_errors": "0"}, "too many errors"),
    ],
)
def test_a_violated_limit_is_detected(limits: dict[str, Any], message: str) -> None:
    from campaign.recount import recount

    tree = xt.solve(problem_of(CASE)).tree
    _, faults = recount(replace(CASE, parameters=CASE.parameters | {"limits": limits}), [tree])
    assert any(message in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"monotonic_cst": [[0, 1]]}, "not monotone"),
        ({"constraints": {"max_features": 1}}, "too many features"),
        ({"constraints": {"only_below": [[0, 1]]}}, "without the feature required above it"),
        ({"constraints": {"only_below": [[1, 0]]}}, "without the feature required above it"),
    ],
)
def test_a_violated_constraint_is_detected(parameters: dict[str, Any], message: str) -> None:
    from campaign.recount import recount

    tree = xt.solve(problem_of(CASE)).tree
    _, faults = recount(replace(CASE, parameters=CASE.parameters | parameters), [tree])
    # Of the two constraints `only_below`, the tree of two features violates exactly one.
    root = int(tree.feature[0])
    satisfied = parameters.get("constraints", {}).get("only_below") == [[1 - root, root]]
    assert any(message in fault for fault in faults) != satisfied, faults


def test_a_refusal_names_a_parameter() -> None:
    limits = {"limits": {"max_depth": 2, "min_recall": "1/2"}}
    verdict = check(replace(CASE, parameters=CASE.parameters | limits))
    assert verdict.kind == "refused"
    assert "min_recall needs one of" in verdict.message


def test_a_failing_instance_is_reduced_to_what_fails() -> None:
    case = draw(0, 7)
    rows = len(case.parameters["y"])
    small = shrunk(
        case, lambda tried: len(tried.parameters["y"]) >= 2 and "limits" in tried.parameters
    )
    assert len(small.parameters["y"]) == 2 < rows
    assert set(small.parameters) == {"X", "y", "minimize", "limits"}
    assert small.options == {}


def test_a_reduced_instance_keeps_the_columns_to_which_its_parameters_refer() -> None:
    X = [[0, 1, 5], [1, 0, 5], [1, 1, 5]]
    table = {"X": X, "y": [0, 1, 1], "minimize": "errors", "limits": {}}
    small = shrunk(Case(table, {}), lambda tried: True)
    assert len(small.parameters["X"][0]) == 1
    monotone = Case(table | {"monotonic_cst": [[2, 1]]}, {})
    small = shrunk(monotone, lambda tried: "monotonic_cst" in tried.parameters)
    assert len(small.parameters["X"][0]) == 3
