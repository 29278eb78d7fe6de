"""The optimum of an instance by every specification that accepts it."""

from exactree import MethodRefused, Outcome, solve
from exactree.instances import Instance
from exactree.spec.methods import METHODS


def outcomes(instance: Instance, minimize: str, methods: tuple[str, ...] = ()) -> list[Outcome]:
    """Solve with the named methods, or with all that take the problem; at least one must."""
    problem = instance.problem(minimize)
    found = []
    for method in methods or tuple(METHODS):
        try:
            found.append(solve(problem, method=method, implementation="spec"))
        except MethodRefused:
            assert not methods, f"{method} was expected to take {instance!r}"
    assert found
    return found
