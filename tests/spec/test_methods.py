"""The list of methods: each method states the problems it accepts, and solves them."""

import pytest

from exactree import Limits, MethodRefused, Problem, Status, solve
from exactree.spec.methods import METHODS, accepting

X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
SIZE = Problem(X, Y, minimize="size")
DEPTH = Problem(X, Y, minimize="depth")
TOTAL = Problem(X, Y, minimize="total_size", n_trees=2)
LARGEST = Problem(X, Y, minimize="largest_size", n_trees=2)
ERRORS = Problem(X, Y, limits=Limits(max_depth=1))

# For each problem, the methods that accept it.
ACCEPTED = {
    "size": (
        SIZE,
        ["branch-and-bound", "witness", "box", "threshold", "support-sets", "subsets", "proper"],
    ),
    "depth": (DEPTH, ["branch-and-bound", "support-sets", "proper"]),
    "total size": (TOTAL, ["branch-and-bound", "witness", "subsets"]),
    "largest size": (LARGEST, ["branch-and-bound", "witness", "subsets"]),
    "errors": (ERRORS, ["branch-and-bound", "proper"]),
}


def test_the_methods_have_the_names_of_the_interface() -> None:
    names = (
        "branch-and-bound", "witness", "box", "threshold", "support-sets", "subsets", "proper",
    )  # fmt: skip
    assert tuple(METHODS) == names
    assert all(method.name == name and method.source for name, method in METHODS.items())


@pytest.mark.parametrize("kind", ACCEPTED)
def test_each_problem_is_accepted_by_its_methods(kind: str) -> None:
    problem, expected = ACCEPTED[kind]
    assert accepting(problem) == expected


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, (_, names) in ACCEPTED.items() for name in names]
)
def test_every_method_solves_what_it_accepts(kind: str, name: str) -> None:
    problem, _ = ACCEPTED[kind]
    outcome = solve(problem, method=name, implementation="spec")
    expected = solve(problem, implementation="spec")
    assert outcome.status is Status.OPTIMAL
    assert outcome.cost == outcome.lower_bound == expected.cost


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind, (_, names) in ACCEPTED.items()
        for name in METHODS
        if name not in names
    ],
)
def test_other_methods_refuse_and_name_the_accepting_methods(kind: str, name: str) -> None:
    problem, expected = ACCEPTED[kind]
    accepting_methods = " or ".join(map(repr, expected))
    with pytest.raises(
        MethodRefused, match=f"'{name}'.*{accepting_methods} with implementation='spec'"
    ):
        solve(problem, method=name, implementation="spec")
