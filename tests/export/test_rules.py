"""to_rules: for every row exactly one line holds, and it has the predicted label."""

import re
from typing import Any

import numpy as np
import pytest

from exactree.export import to_rules
from exactree.export.wording import one_line
from exactree.trees import Tree

CASES = ("leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets")
VALUE = r"[^\s{}()]+"
ATOMS = re.compile(
    rf"(?P<here>\w+) is not missing|(?P<gone>\w+) is missing"
    rf"|(?P<low>{VALUE}) < (?P<between>\w+) <= (?P<high>{VALUE})"
    rf"|(?P<many>\w+) (?P<sign>not in|in) \{{(?P<codes>[^}}]*)\}}"
    rf"|(?P<name>\w+) (?P<how><=|>|==|!=) (?P<value>{VALUE})"
)


def masks(text: str, names: tuple[str, ...], rows: np.ndarray, levels: Any) -> np.ndarray:
    """Return for which rows a condition holds: its parts are read one by one."""
    columns = dict(zip(names, rows.T, strict=True))
    found: list[np.ndarray] = []

    def code(name: str, value: str) -> float:
        known = levels.get(names.index(name))
        return float(value) if known is None else float(list(map(one_line, known)).index(value))

    def read(match: re.Match[str]) -> str:
        part = match.groupdict()
        if part["here"] or part["gone"]:
            mask = np.isnan(columns[part["here"] or part["gone"]]) == bool(part["gone"])
        elif part["between"]:
            column = columns[part["between"]]
            mask = (float(part["low"]) < column) & (column <= float(part["high"]))
        elif part["many"]:
            column = columns[part["many"]]
            inside = np.isin(column, [code(part["many"], c) for c in part["codes"].split(", ")])
            mask = (inside == (part["sign"] == "in")) & ~np.isnan(column)
        else:
            column, how = columns[part["name"]], part["how"]
            by_code = how in ("==", "!=")
            number = code(part["name"], part["value"]) if by_code else float(part["value"])
            mask = {
                "<=": column <= number,
                ">": column > number,
                "==": column == number,
                "!=": (column != number) & ~np.isnan(column),
            }[how]
        found.append(mask)
        return f"m[{len(found) - 1}]"

    code_text = ATOMS.sub(read, text).replace(" and ", " & ").replace(" or ", " | ")
    return np.asarray(eval(code_text, {"m": found}))  # nothing but masks, "&", "|" and brackets


def holding(told: str, case: Any, rows: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """Return for every line the rows for which it holds, and what it says."""
    found = []
    for line in told.splitlines():
        if match := re.fullmatch(r"(?:if (.*)|always) then (.*) \(\d+ examples?.*\)", line):
            mask = np.ones(len(rows), dtype=bool)
            if match[1]:
                mask = masks(match[1], case.names, rows, case.found.levels)
            found.append((mask, match[2]))
    return found


@pytest.mark.parametrize("name", CASES)
def test_exactly_one_line_holds(zoo: Any, name: str) -> None:
    case = zoo[name]
    learned = (case.found.missing != "").any()
    rows = case.rows(1_000_000 if name == "missing" else 50_000)
    rows = rows if learned else rows[~np.isnan(rows).any(axis=1)]
    if learned:  # features for which no node has learned it say nothing about missing values
        for feature in range(rows.shape[1]):
            asked = case.found.feature == feature
            if asked.any() and not (case.found.missing[asked] != "").any():
                rows = rows[~np.isnan(rows[:, feature])]
    lines = holding(to_rules(case.found), case, rows)
    assert len(lines) == case.found.leaves
    assert (np.sum([mask for mask, _ in lines], axis=0) == 1).all()
    labels = np.array([str(label) for label in case.answers(rows)])
    for mask, label in lines:
        assert (labels[mask] == label).all()


def test_small_tree(small_tree: Tree) -> None:
    assert to_rules(small_tree) == (
        "if length <= 2.5 then round (2 examples, 0 errors)\n"
        "if length > 2.5 and width <= 1.75 then long (1 example, 0 errors)\n"
        "if length > 2.5 and width > 1.75 then flat (2 examples, 1 error)\n"
        "# rounding features to float32 changes the leaf of no training row\n"
    )


def test_sums_are_reported_as_they_are(zoo: Any) -> None:
    assert re.search(r"if x0 \* x0 \* |if x0 \* ", to_rules(zoo["curves"].found))


def test_trees_of_ensembles_are_numbered(three_trees: Any) -> None:
    assert re.findall(r"^tree \d$", to_rules(three_trees), re.MULTILINE) == [
        "tree 0", "tree 1", "tree 2",
    ]  # fmt: skip


def test_hostile_names_stay_on_one_line(hostile_tree: Tree) -> None:
    lines = to_rules(hostile_tree).splitlines()
    assert len(lines) == hostile_tree.leaves + 1
