"""The campaign over combinations on a few hundred instances; `make fuzz` runs it for an hour."""

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
        if "calls" in case.how:  # it takes a tenth of a second and more
            continue
        verdict = check(case)
        verdicts[verdict.kind] += 1
        assert verdict.kind != "failed", f"instance {number} of seed {seed}: {verdict.said}"
    assert verdicts["agreed"] > verdicts["refused"] > 0


def test_an_instance_is_the_same_every_time_and_what_a_file_holds() -> None:
    for number in range(50):
        case = draw(5, number)
        assert draw(5, number) == case
        assert json.loads(json.dumps([case.stated, case.how])) == [case.stated, case.how]
    drawn = [draw(seed, number) for seed in range(2) for number in range(20)]
    assert len({json.dumps(case.stated) for case in drawn}) == 40


def test_every_choice_is_drawn() -> None:
    drawn: dict[str, set[str]] = {}
    for number in range(3000):
        for name, word in tags(draw(0, number)).items():
            drawn.setdefault(name, set()).update(word.split("+"))
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


# A table on which a wrong answer of any kind can be made from the right one.
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


def wrong_answers(outcome: xt.Outcome) -> dict[str, xt.Outcome]:
    """Return answers that a broken search could give, by what the check has to say of them."""
    assert outcome.cost == 1
    leaf = xt.solve(problem_of(replace(CASE, stated=CASE.stated | {"limits": {"max_depth": 0}})))
    stopped = {"status": xt.Status.FEASIBLE, "stopped_by": "time limit"}
    return {
        "is called optimal": replace(leaf, stats=outcome.stats),
        "counted again": replace(outcome, cost=2, lower_bound=1, **stopped),
        "above the optimum": replace(outcome, lower_bound=2),
        "nothing stopped the search": replace(outcome, lower_bound=0, status=xt.Status.FEASIBLE),
        "without being asked to": replace(outcome, lower_bound=0, **stopped),
        "the definition says": replace(outcome, status=xt.Status.INFEASIBLE, cost=None, tree=None),
    }


@pytest.mark.parametrize("said", sorted(wrong_answers(xt.solve(problem_of(CASE)))))
def test_a_wrong_answer_is_noticed(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = wrong_answers(xt.solve(problem_of(CASE)))[said]
    assert check(CASE).kind == "agreed"
    monkeypatch.setattr(checking.xt, "solve", lambda *_, **__: wrong)
    verdict = check(CASE)
    assert (verdict.kind, said in verdict.said) == ("failed", True), verdict


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"max_depth": 1}, "too deep"),
        ({"max_size": 1}, "too large"),
        ({"max_depth": 2, "min_samples_leaf": 2}, "too few rows"),
        ({"max_depth": 2, "min_weight_fraction_leaf": "1/5"}, "too light"),
        ({"max_depth": 2, "max_leaves_of": [[1, 0]]}, "too many leaves"),
        ({"max_depth": 2, "max_errors": "0"}, "too many errors"),
    ],
)
def test_a_limit_that_is_broken_is_noticed(limits: dict[str, Any], said: str) -> None:
    from campaign.recount import count_again

    tree = xt.solve(problem_of(CASE)).tree
    _, faults = count_again(replace(CASE, stated=CASE.stated | {"limits": limits}), [tree])
    assert any(said in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"monotonic_cst": [[0, 1]]}, "not monotone"),
        ({"constraints": {"max_features": 1}}, "too many features"),
        ({"constraints": {"only_below": [[0, 1]]}}, "without the one it needs"),
        ({"constraints": {"only_below": [[1, 0]]}}, "without the one it needs"),
    ],
)
def test_a_constraint_that_is_broken_is_noticed(stated: dict[str, Any], said: str) -> None:
    from campaign.recount import count_again

    tree = xt.solve(problem_of(CASE)).tree
    _, faults = count_again(replace(CASE, stated=CASE.stated | stated), [tree])
    root = int(tree.feature[0])
    obeyed = stated.get("constraints", {}).get("only_below") == [[1 - root, root]]
    assert any(said in fault for fault in faults) != obeyed, faults


def test_a_refusal_names_what_was_stated() -> None:
    limits = {"limits": {"max_depth": 2, "min_recall": "1/2"}}
    verdict = check(replace(CASE, stated=CASE.stated | limits))
    assert verdict.kind == "refused"
    assert "min_recall goes with a rate" in verdict.said


def test_a_failing_instance_is_made_small() -> None:
    case = draw(0, 7)
    rows = len(case.stated["y"])
    small = shrunk(case, lambda tried: len(tried.stated["y"]) >= 2 and "limits" in tried.stated)
    assert len(small.stated["y"]) == 2 < rows
    assert set(small.stated) == {"X", "y", "minimize", "limits"}
    assert small.how == {}
