"""Writes the page of what composes from the checks of the package.

As a program it writes `docs/what-composes.md`:

    python tests/composition/page.py
"""

import runpy
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "what-composes.md"
CHOICES = runpy.run_path(str(FOLDER / "choices.py"))
CELLS = runpy.run_path(str(FOLDER / "cells.py"))
OPTIONS = runpy.run_path(str(FOLDER / "options.py"))
SPACES, CONSTRAINTS = CHOICES["SPACES"], CHOICES["CONSTRAINTS"]
COSTS, TUPLES, OF_ENSEMBLES = CHOICES["COSTS"], CHOICES["TUPLES"], CHOICES["OF_ENSEMBLES"]
problem_of, cell_of, same_for_all = CHOICES["problem_of"], CELLS["cell_of"], CELLS["same_for_all"]
HEAD = """\
# Which options can be combined

This page says how every combination of a search space, a cost, and limits or constraints is
solved. It is written by `python tests/composition/page.py` from the checks of the package on a
small table; tests compare it with the package, and solve combinations on random tables by the
search and by the definition.

- **native**: one search in Rust.
- **outer loop**: a loop in Python around native searches. Its result is exact, and its bound is
  valid when it stops early, as those of a single search; it takes longer.
- **definition**: no native search, for the reason with this number [below](#reasons); the
  specification enumerates all trees, for small tables only.
- **refused**, for the reason with this number, which is the message of the error. A refusal is
  raised before any work.

All combinations support `time_limit`, `memory_limit` and `on_progress`, except where the
definition solves them. The costs are explained in [objectives](objectives.md), the constraints in
[constraints](constraints.md).
"""
# The options are tried on this table.
TABLE = CHOICES["LargerTables"](2)


class Reasons:
    """The numbered reasons on the page."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def shown(self, cell: Any) -> str:
        """Return a cell of a table."""
        return self.numbered(cell.kind, cell.reason)

    def numbered(self, kind: str, reason: str) -> str:
        """Return a kind with the number of its reason, if it has one."""
        if not reason:
            return kind
        reason = same_for_all(reason)
        return f"{kind}: {self.numbers.setdefault(reason, len(self.numbers) + 1)}"

    def listed(self) -> str:
        """Return the list of all reasons."""
        return "\n".join(f"{number}. {_escaped(text)}" for text, number in self.numbers.items())


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*").replace("<", "\\<")


def grouped(named_rows: Iterable[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Return rows with the names of all rows that are equal, in the order of their first names.

    A largest group of more than eight rows is named "all others", or "all" if it is the only one.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, row in named_rows:
        groups.setdefault(tuple(row), []).append(name)
    largest = max(groups.values(), key=len)
    rest = "all others" if len(groups) > 1 else "all"
    return [
        (rest if names is largest and len(names) > 8 else "; ".join(names), [*row])
        for row, names in groups.items()
    ]


def table(corners: list[str], columns: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table in Markdown."""
    header = [*corners, *columns]
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def joined(rows: list[tuple[str, list[str]]]) -> list[list[str]]:
    """Return rows that begin with their names."""
    return [[name, *row] for name, row in rows]


def by_constraint(costs: list[Any], reasons: Reasons) -> str:
    """Return the table of constraints and spaces by costs, without repeated columns and rows."""
    places = [(limit, space) for limit in CONSTRAINTS for space in SPACES]

    def shown(cost: Any, limit: Any, space: Any) -> str:
        return reasons.shown(cell_of(lambda: problem_of(Random(0), space, cost, limit)))

    columns = grouped((cost.name, [shown(cost, *place) for place in places]) for cost in costs)
    # Of each limit, spaces with equal rows become one line; then so do limits with equal lines.
    spaces: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for index, (limit, space) in enumerate(places):
        row = tuple(column[index] for _, column in columns)
        spaces.setdefault((limit.name, row), []).append(space.name)
    limits: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (limit_name, row), names in spaces.items():
        listed = "all" if len(names) == len(SPACES) else "; ".join(names)
        limits.setdefault((listed, row), []).append(limit_name)
    rows = [["; ".join(names), listed, *row] for (listed, row), names in limits.items()]
    return table(["limit or constraint", "space"], [name for name, _ in columns], rows)


def fronts(reasons: Reasons) -> str:
    """Return the table of fronts by cost and constraint, and of lists of all optimal trees."""
    front_cell, enumeration_cell = CELLS["front_cell"], CELLS["enumeration_cell"]
    space, chosen = SPACES[0], [*COSTS, *OF_ENSEMBLES[:2]]

    def row(cost: Any, limit: Any) -> list[str]:
        def make() -> Any:
            return problem_of(Random(0), space, cost, limit)

        measures = ("size", "depth") if "trees" not in cost.name else ("total_size", "total_depth")
        kinds = [(cost.covers[0], measures[0]), (cost.covers[0], *measures)]
        if cost.covers[0] in (*measures, "size"):
            kinds = [measures, (*measures, "errors")]
        cells = [front_cell(make, quantities) for quantities in kinds]
        return [reasons.shown(cell) for cell in (*cells, enumeration_cell(make))]

    columns = ["front with the size", "front with size and depth", "all optimal solutions"]
    none = CONSTRAINTS[0]
    of_costs = grouped((cost.name, row(cost, none)) for cost in chosen)
    of_limits = grouped((limit.name, row(COSTS[0], limit)) for limit in CONSTRAINTS)
    return (
        f"{table(['cost'], columns, joined(of_costs))}\n\nFor `errors`, with a limit or "
        f"constraint:\n\n{table(['limit or constraint'], columns, joined(of_limits))}"
    )


def options(reasons: Reasons) -> str:
    """Return the tables of what the options of `solve` do, by cost, by constraint and by space."""
    deep, tried = OPTIONS["deep"], OPTIONS["tried"]

    def row(*choices: Any, with_depth: bool = True) -> list[str]:
        problem = problem_of(deepcopy(TABLE), *choices)
        if with_depth:
            problem = deep(problem)
        else:
            problem = problem.within(replace(problem.limits, max_depth=None))
        return [reasons.numbered(*tried(option, problem)) for option in OPTIONS["OPTIONS"]]

    space, none = SPACES[0], CONSTRAINTS[0]
    of_costs = [(cost.name, row(space, cost, none)) for cost in (*COSTS, *TUPLES, *OF_ENSEMBLES)]
    of_costs += [
        (f"{cost.name} without `max_depth`", row(space, cost, none, with_depth=False))
        for cost in (*COSTS, *TUPLES)
        if cost.covers[0] == "size"
    ]
    of_limits = [
        (limit.name, row(space, COSTS[0], limit))
        for limit in CONSTRAINTS
        if cell_of(lambda k=limit: problem_of(Random(0), space, COSTS[0], k)).kind != "refused"
    ]
    of_spaces = [(each.name, row(each, COSTS[0], none)) for each in SPACES]
    parts = {"cost": of_costs, "limit or constraint": of_limits, "space": of_spaces}
    names = [f"`{name}`" for name in OPTIONS["OPTIONS"]]
    return "\n\n".join(
        table([corner], names, joined(grouped(rows))) for corner, rows in parts.items()
    )


def page() -> str:
    """Return the text of the page."""
    reasons = Reasons()
    parts = [HEAD]
    for title, costs in (
        ("One quantity", COSTS),
        ("Several quantities in lexicographic order", TUPLES),
        ("Ensembles", OF_ENSEMBLES),
    ):
        parts.append(f"## {title}\n")
        parts.append(f"{by_constraint(costs, reasons)}\n")
    parts.append(
        "## Fronts and lists of optimal solutions\n\n`pareto_front` and `enumerate_optimal` over "
        f"thresholds.\n\n{fronts(reasons)}\n"
    )
    parts.append(
        "## Options of the search\n\nEach option is tried on a table of nine examples, with trees "
        "of three levels, because one worker finds\nshallower trees. Each table below varies one "
        "choice; the others are thresholds, `errors` and no constraint.\n\n"
        "- **threads**: all native searches get the threads, except those that are named.\n"
        "- **all workers** share the search, or **one worker** does it all.\n"
        "- **yes**: `stop_at_gap` ends within the gap, `resume` continues from its file, and a "
        "search that stops at once\n  returns the `incumbent`.\n"
        "- **not needed**: the search ends before it reads the option, as one leaf is optimal or "
        "shallow trees suffice.\n\n"
        f"{options(reasons)}\n"
    )
    parts.append(f"## Reasons\n\n{reasons.listed()}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
