"""Laws of the plan of a distributed search: the same optimum in any order, and no lost rules."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.distributed.plan import Plan, Report, RootInterval, Task
from exactree.errors import InternalError

# The minimum cost of a tree for each root rule, by feature and rank.
Costs = list[list[int]]

cost_tables = st.lists(
    st.lists(st.integers(0, 30), min_size=1, max_size=12), min_size=1, max_size=5
)


def plan_of(table: Costs, leaf: int) -> Plan[str]:
    return Plan(
        (leaf, "leaf"), [RootInterval(f, 0, len(costs) - 1) for f, costs in enumerate(table)]
    )


def optimum(table: Costs, leaf: int) -> int:
    return min([leaf, *(cost for costs in table for cost in costs)])


def costs_of(table: Costs, roots: RootInterval) -> list[int]:
    return table[roots.feature][roots.first : roots.last + 1]


def work(table: Costs, task: Task, upper: float, draw: Callable[..., int]) -> Report[str]:
    """Do a task as a worker that stops anywhere and has an upper bound, which may be old."""
    found: tuple[int, str] | None = None
    unfinished: list[RootInterval] = []
    for roots in task.roots:
        first_open = roots.first + draw(st.integers(0, len(roots)))
        if first_open > roots.first:
            done = replace(roots, last=first_open - 1)
            cost = min(costs_of(table, done))
            if cost < (upper if found is None else found[0]):
                found = (cost, f"{done.feature}")
        if first_open <= roots.last:
            rest = replace(roots, first=first_open)
            bound = draw(st.integers(0, min(costs_of(table, rest))))
            unfinished.append(replace(rest, lower_bound=bound))
    return Report(task.number, found, tuple(unfinished))


@given(cost_tables, st.integers(0, 30), st.data())
def test_any_order_gives_the_optimum_and_bounds_are_always_valid(
    table: Costs, leaf: int, data: st.DataObject
) -> None:
    plan, minimum = plan_of(table, leaf), optimum(table, leaf)
    waiting: list[tuple[Task, float]] = []
    sent: list[Report[str]] = []
    for _ in range(400):
        assert plan.lower_bound <= minimum <= plan.best[0]
        if plan.done:
            break
        event = data.draw(st.sampled_from(["take", "report", "lose", "repeat", "raise"]))
        if event == "take" and (task := plan.take(data.draw(st.integers(1, 4)))) is not None:
            waiting.append((task, plan.best[0]))  # the bound may be old when it reports
        elif event == "report" and waiting:
            place = data.draw(st.integers(0, len(waiting) - 1))
            task, upper = waiting.pop(place)
            sent.append(work(table, task, upper, data.draw))
            plan.enter(sent[-1])
        elif event == "lose" and waiting:
            task, upper = waiting[data.draw(st.integers(0, len(waiting) - 1))]
            plan.reopen(task.number)  # its report may arrive nevertheless
        elif event == "raise":
            plan.raise_to(data.draw(st.integers(0, minimum)))
        elif event == "repeat" and sent:
            plan.enter(data.draw(st.sampled_from(sent)))
    finish(plan, table)
    assert plan.done
    assert plan.best[0] == plan.lower_bound == minimum


def finish(plan: Plan[str], table: Costs) -> None:
    """Complete the plan: running tasks are lost, then all open rules are searched."""
    for number in list(plan.running):
        plan.reopen(number)
    while (task := plan.take(1)) is not None:
        found = min(min(costs_of(table, roots)) for roots in task.roots)
        plan.enter(Report(task.number, (found, "found")))


@given(cost_tables, st.lists(st.integers(1, 5), max_size=8))
def test_every_rule_is_in_exactly_one_open_set_or_running_task(
    table: Costs, numbers_of_sharers: list[int]
) -> None:
    plan = plan_of(table, 99)
    for sharers in numbers_of_sharers:
        plan.take(sharers)
    sets = [*plan.open, *(roots for task in plan.running.values() for roots in task.roots)]
    rules = sorted((r.feature, rank) for r in sets for rank in range(r.first, r.last + 1))
    assert rules == [(f, rank) for f, costs in enumerate(table) for rank in range(len(costs))]


@given(cost_tables, st.integers(1, 6))
def test_a_task_has_its_share_of_the_rules_rounded_up(table: Costs, sharers: int) -> None:
    rules = sum(map(len, table))
    task = plan_of(table, 99).take(sharers)
    assert task is not None
    assert sum(map(len, task.roots)) == -(-rules // sharers)


def test_rules_of_smallest_lower_bound_are_taken_first() -> None:
    plan = Plan(
        (9, "leaf"), [RootInterval(0, 0, 3, 5), RootInterval(1, 0, 3, 2), RootInterval(2, 0, 3, 7)]
    )
    tasks = [plan.take(3), plan.take(2), plan.take(1)]
    assert [task.roots[0].feature for task in tasks if task] == [1, 0, 2]
    assert plan.take(1) is None


def test_a_better_tree_prunes_the_open_rules_whose_lower_bound_is_at_least_its_cost() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 3, 5), RootInterval(1, 0, 3, 2)])
    plan.improve((5, "better"))
    assert plan.open == [RootInterval(1, 0, 3, 2)]
    assert (plan.best, plan.lower_bound) == ((5, "better"), 2)
    plan.improve((2, "optimal"))
    assert plan.done


def test_a_lost_task_is_open_again_and_its_late_report_proves_nothing() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 3)])
    task = plan.take(1)
    assert task is not None
    plan.reopen(task.number)
    plan.enter(Report(task.number, (4, "late")))
    assert plan.best == (4, "late")
    assert plan.open == [RootInterval(0, 0, 3)]  # another task may contain the rules by now
    assert not plan.done


def test_unfinished_rules_keep_the_lower_bound_of_their_task() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 9, 6)])
    task = plan.take(1)
    assert task is not None
    plan.enter(Report(task.number, None, (RootInterval(0, 4, 9, 0),)))
    assert plan.open == [RootInterval(0, 4, 9, 6)]


def test_a_report_about_other_rules_is_an_error_and_changes_nothing() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 9), RootInterval(1, 0, 9)])
    task = plan.take(2)
    assert task is not None
    with pytest.raises(InternalError, match="does not have it"):
        plan.enter(Report(task.number, (1, "wrong"), (RootInterval(1, 0, 0),)))
    assert plan.best == (9, "leaf")
    assert list(plan.running) == [task.number]


def test_an_interval_is_divided_without_loss_and_cannot_be_empty() -> None:
    first, second = RootInterval(0, 3, 9, 2).divided(4)
    assert (first, second) == (RootInterval(0, 3, 6, 2), RootInterval(0, 7, 9, 2))
    with pytest.raises(ValueError, match="first <= last"):
        RootInterval(0, 4, 3)
