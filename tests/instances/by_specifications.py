"""The optimum of an instance by every specification that accepts it."""

from exactree import MethodRefused, Outcome, solve
from exactree.instances import Instance
from exactree.spec.methods import METHODS


def outcomes(instance: Instance, minimize: str, methods: tuple[str, ...] = ()) -> list[Outcome]:
    """Solve with the given methods, or with all methods that accept the problem (at least one)."""
    problem = instance.problem(minimize)
    found = []
    for method in methods or tuple(METHODS):
        try:
            found.append(solve(problem, method=method, implementation="spec"))
        except MethodRefused:
            assert not methods, f"{method} should accept {instance!r}"
    assert found
    return found
