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
# The conditions that `to_rules` joins by "and" and "or".
ATOMS = re.compile(
    rf"(?P<present>\w+) is not missing|(?P<missing>\w+) is missing"
    rf"|(?P<low>{VALUE}) < (?P<between>\w+) <= (?P<high>{VALUE})"
    rf"|(?P<coded>\w+) (?P<sign>not in|in) \{{(?P<codes>[^}}]*)\}}"
    rf"|(?P<name>\w+) (?P<comparison><=|>|==|!=) (?P<value>{VALUE})"
)


def mask_of(text: str, names: tuple[str, ...], rows: np.ndarray, levels: Any) -> np.ndarray:
    """Return the mask of the rows for which a condition holds, from the masks of its atoms."""
    columns = dict(zip(names, rows.T, strict=True))
    atoms: list[np.ndarray] = []

    def code(name: str, value: str) -> float:
        known = levels.get(names.index(name))
        return float(value) if known is None else float(list(map(one_line, known)).index(value))

    def evaluate(match: re.Match[str]) -> str:
        atom = match.groupdict()
        if atom["present"] or atom["missing"]:
            mask = np.isnan(columns[atom["present"] or atom["missing"]]) == bool(atom["missing"])
        elif atom["between"]:
            column = columns[atom["between"]]
            mask = (float(atom["low"]) < column) & (column <= float(atom["high"]))
        elif atom["coded"]:
            column = columns[atom["coded"]]
            inside = np.isin(column, [code(atom["coded"], c) for c in atom["codes"].split(", ")])
            mask = (inside == (atom["sign"] == "in")) & ~np.isnan(column)
        else:
            column, comparison = columns[atom["name"]], atom["comparison"]
            by_code = comparison in ("==", "!=")
            number = code(atom["name"], atom["value"]) if by_code else float(atom["value"])
            mask = {
                "<=": column <= number,
                ">": column > number,
                "==": column == number,
                "!=": (column != number) & ~np.isnan(column),
            }[comparison]
        atoms.append(mask)
        return f"m[{len(atoms) - 1}]"

    expression = ATOMS.sub(evaluate, text).replace(" and ", " & ").replace(" or ", " | ")
    return np.asarray(eval(expression, {"m": atoms}))  # only masks, "&", "|" and brackets


def read_rules(text: str, case: Any, rows: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """Return for every line the mask of the rows for which it holds, and its label."""
    rules = []
    for line in text.splitlines():
        if match := re.fullmatch(r"(?:if (.*)|always) then (.*) \(\d+ examples?.*\)", line):
            mask = np.ones(len(rows), dtype=bool)
            if match[1]:
                mask = mask_of(match[1], case.names, rows, case.model.levels)
            rules.append((mask, match[2]))
    return rules


def covered_rows(case: Any, n: int) -> np.ndarray:
    """Return rows of the case without missing values of which the rules say nothing.

    These are the missing values of features that had none in the training table.
    """
    rows = case.rows(n)
    for feature in range(rows.shape[1]):
        on_feature = case.model.feature == feature
        if on_feature.any() and not (case.model.missing[on_feature] != "").any():
            rows = rows[~np.isnan(rows[:, feature])]
    return rows


@pytest.mark.parametrize("name", CASES)
def test_exactly_one_line_holds(zoo: Any, name: str) -> None:
    case = zoo[name]
    rows = covered_rows(case, 1_000_000 if name == "missing" else 50_000)
    lines = read_rules(to_rules(case.model), case, rows)
    assert len(lines) == case.model.leaves
    assert (np.sum([mask for mask, _ in lines], axis=0) == 1).all()
    labels = np.array([str(label) for label in case.answers(rows)])
    for mask, label in lines:
        assert (labels[mask] == label).all()


def test_the_rules_of_a_small_tree(small_tree: Tree) -> None:
    assert to_rules(small_tree) == (
        "if length <= 2.5 then round (2 examples, 0 errors)\n"
        "if length > 2.5 and width <= 1.75 then long (1 example, 0 errors)\n"
        "if length > 2.5 and width > 1.75 then flat (2 examples, 1 error)\n"
        "# rounding features to float32 changes the leaf of no training row\n"
    )


def test_weighted_sums_are_written_in_full(zoo: Any) -> None:
    assert "if x0 * " in to_rules(zoo["curves"].model)


def test_trees_of_ensembles_are_numbered(three_trees: Any) -> None:
    assert re.findall(r"^tree \d$", to_rules(three_trees), re.MULTILINE) == [
        "tree 0", "tree 1", "tree 2",
    ]  # fmt: skip


def test_hostile_names_stay_on_one_line(hostile_tree: Tree) -> None:
    lines = to_rules(hostile_tree).splitlines()
    assert len(lines) == hostile_tree.leaves + 1
