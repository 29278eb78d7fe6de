"""Numbers of optimal trees of published tables agree with docs/all-optimal-trees.md.

The tables are found through the environment variable EXACTREE_DATA (folder `min_size`); without
it these tests are skipped. Counts marked "a plain recursion" on the page are also computed here by
a plain recursion.
"""

import csv
import gzip
import os
import re
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

FOLDER = Path(os.environ.get("EXACTREE_DATA", ""), "min_size")
NO_TABLES = "EXACTREE_DATA" not in os.environ or not FOLDER.is_dir()
PAGE = Path(__file__).resolve().parents[2] / "docs" / "all-optimal-trees.md"
SLOW = {"breast-cancer_0.5_0", "haberman_0.5_0", "lupus_0.5_0"}

pytestmark = pytest.mark.skipif(NO_TABLES, reason="EXACTREE_DATA names no folder of tables")


def rows_of_page():
    """List the rows of the page's table: name, examples, features, size, count, how counted."""
    params = []
    rows = re.findall(r"^\| ([a-z-]+_0\.\d_\d) \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 3
    for name, cells in rows:
        *numbers, how = (cell.strip() for cell in cells.split("|"))
        marks = [pytest.mark.long] if name in SLOW else []
        numbers = [int(number.replace(",", "")) for number in numbers]
        params.append(pytest.param(name, *numbers, how, marks=marks, id=name))
    return params


def load(name):
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt", newline="") as text:
        rows = list(csv.reader(text))[1:]
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), [row[-1] for row in rows]


def plain_counts(X, y, max_size):
    """Count the trees without errors of each size, over all rules and all sizes of children."""
    rows = [tuple(row) for row in X.tolist()]

    @cache
    def n_trees(subset, size):
        if size == 0:
            return int(len({y[row] for row in subset}) == 1)
        total = 0
        for feature in range(len(rows[0])):
            for value in sorted({rows[row][feature] for row in subset})[:-1]:
                left = tuple(row for row in subset if rows[row][feature] <= value)
                right = tuple(row for row in subset if rows[row][feature] > value)
                for left_size in range(size):
                    n_left = n_trees(left, left_size)
                    total += n_left and n_left * n_trees(right, size - 1 - left_size)
        return total

    return [n_trees(tuple(range(len(rows))), size) for size in range(max_size + 1)]


@pytest.mark.parametrize(("name", "examples", "features", "size", "count", "how"), rows_of_page())
def test_the_numbers_of_the_page_are_correct(name, examples, features, size, count, how):
    X, y = load(name)
    assert X.shape == (examples, features)
    problem = xt.Problem(X, y, minimize="size")
    assert xt.solve(problem).cost == size
    assert xt.count_optimal(problem) == count
    if how == "a plain recursion":
        assert plain_counts(X, y, size) == [0] * size + [count]


def keys(trees):
    """Yield for each tree bytes that identify it."""
    return (
        tree.children_left.tobytes() + tree.feature.tobytes() + tree.threshold.tobytes()
        for tree in trees
    )


@pytest.mark.parametrize("number", [20_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_many_trees_are_listed_without_repetition(number):
    X, y = load("lupus_0.5_0")
    problem = xt.Problem(X, y, minimize="size")
    listed = xt.enumerate_optimal(problem)
    first = list(islice(listed, 2000))
    assert all(tree.size == 13 for tree in first)
    assert all((tree.predict(X) == np.array(y)).all() for tree in first[::20])
    distinct = set(keys(first)) | set(keys(islice(listed, number - 2000)))
    assert len(distinct) == number


def test_a_complete_list_is_as_long_as_the_count():
    X, y = load("cleve_0.2_0")
    problem = xt.Problem(X, y, minimize="size")
    listing = xt.enumerate_optimal(problem)
    assert len(set(keys(listing))) == xt.count_optimal(problem) == 17_482
    assert listing.complete


@pytest.mark.long
def test_a_million_trees_are_listed_without_repetition():
    X, y = load("haberman_0.5_0")
    listing = xt.enumerate_optimal(xt.Problem(X, y, minimize="size"), limit=1_000_000)
    assert len(set(keys(listing))) == 1_000_000
