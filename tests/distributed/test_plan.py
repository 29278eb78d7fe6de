"""Laws of distributing a search: the same optimum in any order, no loss, no duplicates."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.distributed.plan import Plan, Report, RootInterval, Task
from exactree.errors import InternalError

# What trees cost by feature and rank of their root, and what a leaf costs.
World = list[list[int]]

worlds = st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=12), min_size=1, max_size=5)


def plan_of(world: World, leaf: int) -> Plan[str]:
    return Plan(
        (leaf, "leaf"), [RootInterval(f, 0, len(costs) - 1) for f, costs in enumerate(world)]
    )


def least(world: World, leaf: int) -> int:
    return min([leaf, *(cost for costs in world for cost in costs)])


def costs_of(world: World, roots: RootInterval) -> list[int]:
    return world[roots.feature][roots.first : roots.last + 1]


def work(world: World, task: Task, upper: float, draw: Callable[..., int]) -> Report[str]:
    """Do a task as a worker that stops anywhere, knowing an upper bound that may be old."""
    found: tuple[int, str] | None = None
    left: list[RootInterval] = []
    for roots in task.roots:
        rest = roots.first + draw(st.integers(0, len(roots)))
        if rest > roots.first:
            done = replace(roots, last=rest - 1)
            cost = min(costs_of(world, done))
            if cost < min(upper, upper if found is None else found[0]):
                found = (cost, f"{done.feature}")
        if rest <= roots.last:
            floor = min(costs_of(world, replace(roots, first=rest)))
            left.append(
                replace(roots, first=rest, lower_bound=draw(st.integers(min(0, floor), floor)))
            )
    return Report(task.number, found, tuple(left))


@given(worlds, st.integers(0, 30), st.data())
def test_any_order_gives_the_optimum_and_bounds_are_always_valid(
    world: World, leaf: int, data: st.DataObject
) -> None:
    plan, best = plan_of(world, leaf), least(world, leaf)
    waiting: list[tuple[Task, float]] = []
    sent: list[Report[str]] = []
    for _ in range(400):
        assert plan.lower_bound <= best <= plan.best[0]
        if plan.done:
            break
        what = data.draw(st.sampled_from(["take", "report", "lose", "again"]))
        if what == "take" and (task := plan.take(data.draw(st.integers(1, 4)))) is not None:
            waiting.append((task, plan.best[0]))  # the bound may be old when it reports
        elif what == "report" and waiting:
            place = data.draw(st.integers(0, len(waiting) - 1))
            task, upper = waiting.pop(place)
            sent.append(work(world, task, upper, data.draw))
            plan.enter(sent[-1])
        elif what == "lose" and waiting:
            task, upper = waiting[data.draw(st.integers(0, len(waiting) - 1))]
            plan.lost(task.number)  # it may report all the same
        elif what == "again" and sent:
            plan.enter(data.draw(st.sampled_from(sent)))
    finish(plan, world)
    assert plan.done
    assert plan.best[0] == plan.lower_bound == best


def finish(plan: Plan[str], world: World) -> None:
    """Do what is open, all of it; what was handed out is lost first."""
    for number in list(plan.running):
        plan.lost(number)
    while (task := plan.take(1)) is not None:
        found = min(min(costs_of(world, roots)) for roots in task.roots)
        plan.enter(Report(task.number, (found, "found")))


@given(worlds, st.lists(st.integers(1, 5), max_size=8))
def test_every_rule_is_open_or_handed_out_exactly_once(world: World, shares: list[int]) -> None:
    plan = plan_of(world, 99)
    for share in shares:
        plan.take(share)
    held = [*plan.open, *(roots for task in plan.running.values() for roots in task.roots)]
    rules = sorted((r.feature, rank) for r in held for rank in range(r.first, r.last + 1))
    assert rules == [(f, rank) for f, costs in enumerate(world) for rank in range(len(costs))]


@given(worlds, st.integers(1, 6))
def test_a_share_is_as_large_as_it_says(world: World, share: int) -> None:
    rules = sum(map(len, world))
    task = plan_of(world, 99).take(share)
    assert task is not None
    assert sum(map(len, task.roots)) == -(-rules // share)


def test_promising_rules_are_handed_out_first() -> None:
    plan = Plan(
        (9, "leaf"), [RootInterval(0, 0, 3, 5), RootInterval(1, 0, 3, 2), RootInterval(2, 0, 3, 7)]
    )
    tasks = [plan.take(3), plan.take(2), plan.take(1)]
    assert [task.roots[0].feature for task in tasks if task] == [1, 0, 2]
    assert plan.take(1) is None


def test_a_better_tree_settles_open_rules_but_not_promising_ones() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 3, 5), RootInterval(1, 0, 3, 2)])
    plan.better((5, "elsewhere"))
    assert plan.open == [RootInterval(1, 0, 3, 2)]
    assert (plan.best, plan.lower_bound) == ((5, "elsewhere"), 2)
    plan.better((2, "better still"))
    assert plan.done


def test_a_lost_task_is_open_again_and_its_late_report_proves_nothing() -> None:
    plan = Plan((9, "leaf"), [RootInterval(0, 0, 3)])
    task = plan.take(1)
    assert task is not None
    plan.lost(task.number)
    plan.enter(Report(task.number, (4, "late")))
    assert plan.best == (4, "late")
    assert plan.open == [RootInterval(0, 0, 3)]  # somebody may be at it by now: it is done again
    assert not plan.done


def test_what_a_task_knew_is_not_forgotten() -> None:
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


def test_divided_sets_are_the_whole_set() -> None:
    first, second = RootInterval(0, 3, 9, 2).divided(4)
    assert (first, second) == (RootInterval(0, 3, 6, 2), RootInterval(0, 7, 9, 2))
    with pytest.raises(ValueError, match="first <= last"):
        RootInterval(0, 4, 3)
