"""Rules with their defining objects, and the relation "can be below" (axiom 3).

Departures
  1. Examples on the surface of a rule also have a side, one of the two (axiom 1). The paper says
     only that hyperplanes contain the examples that define them.
"""

from typing import Protocol, TypeVar

T = TypeVar("T")
X = TypeVar("X")


class ProperRule(Protocol[T]):
    """A rule that is made from objects: a hyperplane from examples, a line from a segment.

    Rules that are made from the same objects in the same way are equal and have the same hash. Law
    (axiom 1): every example of the data is on one of the two sides.
    """

    @property
    def objects(self) -> tuple[T, ...]:
        """The objects that define the rule, at least one."""
        ...

    def side(self, thing: T) -> int:
        """Return 1 if an object is on the left side, -1 if on the right, 0 if on neither."""
        ...


def relation(above: ProperRule[T], below: ProperRule[T]) -> int:
    """Return 1 or -1 if the second rule can be on the left or right side of the first, else 0.

    It can be on a side if all its objects are there: Definition 3.3 by axiom 3, part II.

    Parameters
    ----------
    above, below : ProperRule
        Two different rules.

    Raises
    ------
    ValueError
        If no object defines the second rule. Then it can be made on both sides, and axiom 4 fails.
    """
    sides = {above.side(thing) for thing in below.objects}
    if not sides:
        raise ValueError(
            f"{below!r} has no objects, so it can be on both sides of another rule; "
            "Space(splits_bf, divide) is a space of such rules."
        )
    return sides.pop() if len(sides) == 1 else 0


def divide(rule: ProperRule[X], xs: tuple[X, ...]) -> tuple[tuple[X, ...], tuple[X, ...]]:
    """Return the examples on the left and on the right side: the paper's intersections of xs.

    Parameters
    ----------
    rule : ProperRule
        A rule whose objects are examples.
    xs : tuple
        The examples.
    """
    side = rule.side
    return tuple(x for x in xs if side(x) > 0), tuple(x for x in xs if side(x) < 0)
