"""Statistics of every method in `outcome.stats`, under the names of docs/anytime.md."""

import re
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.spec.methods import METHODS

NATIVE = {
    "witness": {"search_nodes", "search_nodes_by_size"},
    "threshold": {"calls", "bisections"},
    "support-sets": {"support_sets", "larger_sets", "calls"},
    "box": {"entries", "filled", "splits"},
    "subsets": {"entries", "filled", "splits"},
    "proper": {"dichotomies", "nodes"},
    "branch-and-bound": {"nodes"},
}
SPEC = {
    "witness": NATIVE["witness"],
    "threshold": NATIVE["threshold"],
    "support-sets": {"support_sets", "larger_sets"},
    "box": {"entries"},
    "subsets": {"entries"},
    "proper": {"choices"},
}
ENSEMBLES = {"witness": NATIVE["witness"], "subsets": {"labelings", "entries"}}
# Statistics that may be 0 although the search did work.
MAY_BE_ZERO = {"larger_sets", "bisections"}

X = [[0, 0], [0, 1], [1, 0], [1, 1]]
Y = [0, 1, 1, 0]


def check_counts(outcome, names):
    """Check that an outcome is proved, and that its statistics count work under these names."""
    assert outcome.status is xt.Status.OPTIMAL
    assert names <= set(outcome.stats)
    for name in names - MAY_BE_ZERO:
        count = outcome.stats[name]
        assert (sum(count.values()) if isinstance(count, dict) else count) > 0, name


def test_all_methods_are_tested():
    assert set(NATIVE) == set(METHODS)
    assert set(SPEC) == set(METHODS) - {"branch-and-bound"}


@pytest.mark.parametrize("method", NATIVE)
def test_the_native_form_counts_its_work(method):
    # A table for which bounds alone do not prove the minimum size.
    rng = np.random.default_rng(3)
    rows = np.unique(rng.integers(0, 4, (14, 3)), axis=0)
    labels = rng.integers(0, 2, len(rows))
    check_counts(xt.solve(xt.Problem(rows, labels, minimize="size"), method=method), NATIVE[method])


@pytest.mark.parametrize("method", SPEC)
def test_the_specification_counts_its_work(method):
    problem = xt.Problem(X, Y, minimize="size")
    check_counts(xt.solve(problem, method=method, implementation="spec"), SPEC[method])


@pytest.mark.parametrize("implementation", ["native", "spec"])
@pytest.mark.parametrize("method", ENSEMBLES)
def test_ensembles_count_their_work(method, implementation):
    rng = np.random.default_rng(4)
    rows = np.unique(rng.integers(0, 3, (8, 2)), axis=0)
    labels = rng.integers(0, 2, len(rows))
    problem = xt.Problem(rows, labels, minimize="total_size", n_trees=3)
    outcome = xt.solve(problem, method=method, implementation=implementation)
    check_counts(outcome, ENSEMBLES[method])


def test_native_forms_without_accelerators_count_their_work():
    from exactree.engine import accelerators, run_paper

    problem = xt.Problem(X, Y, minimize="size")
    off = dict.fromkeys(accelerators("threshold"), False)
    check_counts(run_paper("threshold", problem, switches=off), {"calls"})
    assert run_paper("threshold", problem, switches=off).stats["bisections"] > 0
    off = dict.fromkeys(accelerators("support-sets"), False)
    check_counts(
        run_paper("support-sets", problem, switches=off), {"support_sets", "pairs", "find_th"}
    )


def test_the_page_names_the_statistics():
    page = (Path(__file__).parents[1] / "docs" / "anytime.md").read_text(encoding="utf-8")
    line = r"^- `([a-z-]+)`(, ensembles)?: (.*); the specification counts (.*)$"
    rows = re.findall(line, page, re.MULTILINE)
    assert len(rows) == len(SPEC) + 1
    for method, ensembles, native, spec in rows:
        expected = ENSEMBLES[method] if ensembles else NATIVE[method]
        assert expected == set(re.findall("`([a-z_]+)`", native))
        if "the same" not in spec:
            assert set(re.findall("`([a-z_]+)`", spec)) == SPEC[method]
