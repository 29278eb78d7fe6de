"""`ParetoFront`: the outcomes of a Pareto front, a list that is shown as a table."""

from collections.abc import Iterable

from exactree.notebook import table
from exactree.problem.outcome import Outcome
from exactree.problem.quantities import as_tuple, shown_cost

__all__ = ["ParetoFront"]


class ParetoFront(list[Outcome]):
    """The outcomes of a Pareto front, by increasing first quantity; a list.

    Attributes
    ----------
    quantities : tuple of str
        The quantities, in the order of the costs.
    """

    quantities: tuple[str, ...]

    def __init__(self, outcomes: Iterable[Outcome] = (), quantities: Iterable[str] = ()) -> None:
        super().__init__(outcomes)
        self.quantities = tuple(quantities)

    def __repr__(self) -> str:
        if not self:
            return "<Front: no tree meets the limits>"
        rows = [self._header(), *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        *_, last = range(len(widths))
        lines = (
            "  ".join(
                cell.ljust(width) if at == last else cell.rjust(width)
                for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )
        advice = self[-1].advice_text
        return "\n".join([*lines, *([f"What would help: {advice}"] if advice else [])])

    def _repr_html_(self) -> str:
        """Return the front as a table."""
        return table(self._header(), self._rows())

    def _header(self) -> tuple[str, ...]:
        return (*(name.replace("_", " ") for name in self.quantities), "")

    def _rows(self) -> list[tuple[str, ...]]:
        return [(*self._values(outcome), f"{outcome.status}" + _bound(outcome)) for outcome in self]

    def _values(self, outcome: Outcome) -> tuple[str, ...]:
        """Return the values of the quantities, dashes without a tree."""
        if outcome.cost is None:
            return tuple("-" for _ in self.quantities)
        return tuple(shown_cost(value) for value in as_tuple(outcome.cost))


def _bound(outcome: Outcome) -> str:
    """Return what is known of a point that is not proved."""
    if outcome.stopped_by is None:
        return ""
    return f", stopped by the {outcome.stopped_by}; lower bound {shown_cost(outcome.lower_bound)}"
