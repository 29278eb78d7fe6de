"""Rules through examples: thresholds at an example, hyperplanes through D of them, exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Point = tuple[int | float | Fraction, ...]


@dataclass(frozen=True)
class ThresholdAt:
    """The rule "x[feature] is at most the value of an example"; left if it holds.

    Attributes
    ----------
    feature : int
        Index of the feature.
    example : tuple of number
        The example that defines it.
    """

    feature: int
    example: Point

    @property
    def objects(self) -> tuple[Point, ...]:
        """The example that defines the rule."""
        return (self.example,)

    def side(self, thing: Point) -> int:
        """Return 1 for an example that goes left, else -1.

        Parameters
        ----------
        thing : tuple of number
            An example.
        """
        return 1 if thing[self.feature] <= self.example[self.feature] else -1


@dataclass(frozen=True)
class Hyperplane:
    """The hyperplane through D examples of D features; examples on it go left.

    Sides are exact: floats are read as fractions. In the plane the left side is to the left of the
    direction from the first example to the second.

    Attributes
    ----------
    objects : tuple of tuple of number
        D examples that no flat of lower dimension contains.

    Raises
    ------
    ValueError
        If there are not D examples, or a flat of lower dimension contains them.
    """

    objects: tuple[Point, ...]

    def __post_init__(self) -> None:
        if any(len(place) != len(self.objects) for place in self.objects):
            raise ValueError(
                f"a hyperplane is defined by as many examples as they have features, "
                f"found {self.objects}."
            )
        if not any(self.normal):
            raise ValueError(f"many hyperplanes contain {self.objects}.")

    @cached_property
    def normal(self) -> tuple[Fraction, ...]:
        """The direction towards the left side, by cofactors."""
        first, *others = self._exact
        edges = [[b - a for a, b in zip(first, other, strict=True)] for other in others]
        features = range(len(first))
        minors = [[[row[g] for g in features if g != f] for row in edges] for f in features]
        # The sign makes (edges, normal) a right-handed basis.
        signs = [(-1) ** (len(edges) + f) for f in features]
        return tuple(s * determinant(m) for s, m in zip(signs, minors, strict=True))

    @cached_property
    def _exact(self) -> list[list[Fraction]]:
        return [[Fraction(value) for value in place] for place in self.objects]

    def side(self, thing: Point) -> int:
        """Return 1 for an example that goes left, else -1.

        Parameters
        ----------
        thing : tuple of number
            An example.
        """
        differences = (Fraction(x) - a for x, a in zip(thing, self._exact[0], strict=True))
        return 1 if sum(n * d for n, d in zip(self.normal, differences, strict=True)) >= 0 else -1


def determinant(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the determinant of a square matrix; 1 if it has no rows.

    Parameters
    ----------
    matrix : sequence of sequence of Fraction
        Its rows.
    """
    rows = [list(row) for row in matrix]
    product = Fraction(1)
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            product = -product
        product *= rows[i][i]
        for row in rows[i + 1 :]:
            factor = row[i] / rows[i][i]
            for k in range(i, len(rows)):
                row[k] -= factor * rows[i][k]
    return product
