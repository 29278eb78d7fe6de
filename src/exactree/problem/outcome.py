"""`Outcome` and `Progress`: the result of a search, and its state while it runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from exactree.data.parameters import count
from exactree.notebook import paragraph
from exactree.problem.quantities import Cost, cost_in_words, relative_gap, shown_cost
from exactree.trees.ensemble import Ensemble
from exactree.trees.tree import Tree

__all__ = ["ROUNDED", "Outcome", "Progress", "Status", "Suggestion"]

# Value of `Outcome.stopped_by` if only the rounding of weights prevents a proof.
ROUNDED = "rounding of weights"


class Status(StrEnum):
    """The conclusion of a search."""

    OPTIMAL = "optimal"
    """The tree or ensemble is optimal."""
    FEASIBLE = "feasible"
    """The search stopped early with a feasible solution and a valid lower bound."""
    INFEASIBLE = "infeasible"
    """No tree or ensemble meets the limits."""
    STOPPED = "stopped"
    """The search stopped early without a solution; the lower bound is valid."""


@dataclass(frozen=True)
class Suggestion:
    """A change of one parameter with which a search that stopped early would prove more.

    Attributes
    ----------
    parameter : str
        The name of the parameter, in `Problem`, `Limits` and `solve`.
    change : str
        The change, such as "a longer"; empty if there is a value.
    value : str or None
        The new value.
    note : str
        The numbers at hand or the reason; may be empty.
    """

    parameter: str
    change: str = ""
    value: str | None = None
    note: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f"={self.value}"
        return self.text_of(f"{self.parameter}{value}")

    def text_of(self, setting: str) -> str:
        """Return the advice with the parameter and its value written in another way.

        Parameters
        ----------
        setting : str
            For example "--jobs -1".
        """
        change = f"{self.change} " if self.change else ""
        note = f" ({self.note})" if self.note else ""
        return f"{change}{setting}{note}"


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The result of a search.

    Attributes
    ----------
    status : Status
        The conclusion of the search.
    cost : int, Fraction, float, tuple or None
        The minimized quantity, or a tuple of quantities in the order of `minimize`. Errors are in
        units of the user's weights and include the leaf penalty times the total weight times the
        number of leaves. The cost is exact, except that errors of a regression, log-loss and Gini
        impurity are the floats nearest to the exact values. ``float(outcome.cost)`` is a number to
        format or to write as JSON. None if no solution was found.
    lower_bound : int, Fraction, float or tuple
        No tree or ensemble within the limits costs less. If the problem is infeasible, `max_errors`
        is not counted among the limits.
    tree : Tree or None
        The best tree found, of a problem with one tree; a `RegressionTree` in a regression.
    stats : mapping
        Statistics of the search. For a native search for one tree they contain "progress", a list
        with a `Progress` for every improvement of the incumbent or of the lower bound
        (improvements of the bound within one percent of the time are merged); for an ensemble
        "tied_rows", the number of rows for which several classes have the most votes, so that
        the earliest class wins.
    stopped_by : str or None
        "time limit", "memory limit", "interrupt", "callback", "gap" or "loss of the cluster" if
        the search ended early; "rounding of weights" if the search was complete but rounds,
        because exact weights take more than 62 bits or a tuple has errors that are not exact, and
        trees that differ by less than ``stats["rounding"]`` are not distinguished. Never None if
        the status is `FEASIBLE` or `STOPPED`.
    reason : str or None
        The reason why a problem is infeasible: limits that no solution meets, or rows that
        contradict each other.
    ensemble : Ensemble or None
        The best ensemble found, of problems with several trees.
    problem_text : str or None
        The objective, limits and rules in words; None if the outcome does not come from `solve`.
    advice : tuple of Suggestion
        What would help a search that stopped early; empty after a proof.
    cost_names : tuple of str
        The quantity of each component of the cost, "cost" for errors with costs or prices; empty if
        the outcome does not come from `solve` or `pareto_front`.
    """

    status: Status
    cost: Cost | None
    lower_bound: Cost
    tree: Tree | None
    stats: Mapping[str, Any] = field(default_factory=dict)
    stopped_by: str | None = None
    reason: str | None = None
    ensemble: Ensemble | None = None
    problem_text: str | None = None
    advice: tuple[Suggestion, ...] = ()
    cost_names: tuple[str, ...] = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees of the solution: the tree, the trees of the ensemble, or none."""
        if self.ensemble is not None:
            return self.ensemble.trees
        return () if self.tree is None else (self.tree,)

    @property
    def gap(self) -> float:
        """The relative distance (cost - lower_bound) / cost; 0 when equal, inf without a cost.

        Of tuples it is that of the first component where they differ.
        """
        return relative_gap(self.cost, self.lower_bound)

    @property
    def left_out(self) -> str:
        """A note on the splits by surfaces that no tree could use; empty without any."""
        left_out = self.stats.get("surfaces_left_out", 0)
        if not left_out:
            return ""
        listed = self.stats.get("surfaces")  # None if the splits were not listed
        splits = "all" if listed is None else f"{left_out + listed:,}"
        return (
            f"; {left_out:,} of {splits} splits by a surface are too fine for double precision, "
            "so no tree can use them"
        )

    @property
    def sentence(self) -> str:
        """Status, cost and lower bound in one sentence, without advice."""
        return self._status_text() + self.left_out

    @property
    def advice_text(self) -> str:
        """The advice as a clause such as "a longer time_limit (60 s used)"; empty without any."""
        return alternatives(map(str, self.advice))

    def __str__(self) -> str:
        return self.sentence + (f"\nWhat would help: {self.advice_text}" if self.advice else "")

    def __repr__(self) -> str:
        """Return the text of `str`; statistics are in `stats`."""
        return f"<Outcome: {self}>"

    def _repr_html_(self) -> str:
        """Return the text of `str`, and the picture of the tree or the ensemble."""
        model = self.tree if self.ensemble is None else self.ensemble
        return paragraph(str(self)) + ("" if model is None else model._repr_html_())

    def _status_text(self) -> str:
        why = f"stopped by the {self.stopped_by}" if self.stopped_by else "not proved"
        match self.status:
            case Status.OPTIMAL:
                return f"optimal, proved: {self._solution_text()}"
            case Status.FEASIBLE:
                bound = f"lower bound {shown_cost(self.lower_bound)}, gap {self.gap:.1%}"
                return f"{why}: {self._solution_text()}; {bound}"
            case Status.INFEASIBLE:
                return f"infeasible, proved: {self.reason}"
            case Status.STOPPED:
                return f"{why} without a tree; lower bound {shown_cost(self.lower_bound)}"

    def _solution_text(self) -> str:
        assert self.cost is not None
        return f"{cost_in_words(self.cost, self.cost_names)}{self._sizes_text()}"

    def _sizes_text(self) -> str:
        """Return the sizes that are not in the cost."""
        if self.ensemble is None:
            assert self.tree is not None
            sizes = {"size": self.tree.size, "depth": self.tree.depth}
            clauses = [f"{name} {n}" for name, n in sizes.items() if name not in self.cost_names]
            return f" by a tree of {' and '.join(clauses)}" if clauses else ""
        tied = self.stats.get("tied_rows", 0)
        ties = f"; where votes tie, in {count(tied, 'row')}, the earlier class wins" if tied else ""
        return f" by {self.ensemble.sizes_text}{ties}"


@dataclass(frozen=True, repr=False)
class Progress:
    """The state of a running search.

    Attributes
    ----------
    cost : int, Fraction, float, tuple or None
        Cost of the incumbent, None while there is none.
    lower_bound : int, Fraction, float or tuple
        The lower bound proved so far.
    seconds : float
        Time since the search began.
    workers : int or None
        The number of workers of a cluster; None without a cluster.
    """

    cost: Cost | None
    lower_bound: Cost
    seconds: float
    workers: int | None = None

    def __str__(self) -> str:
        incumbent = "no tree yet" if self.cost is None else f"cost {shown_cost(self.cost)}"
        gap = relative_gap(self.cost, self.lower_bound)
        bound = f"lower bound {shown_cost(self.lower_bound)}"
        ending = "" if self.cost is None else f", gap {gap:.1%}"
        workers = "" if self.workers is None else f", {count(self.workers, 'worker')}"
        return f"{self.seconds:.3g} s: {incumbent}, {bound}{ending}{workers}"

    def __repr__(self) -> str:
        return f"<Progress: {self}>"

    def _repr_html_(self) -> str:
        return paragraph(str(self))


def alternatives(texts: Iterable[str]) -> str:
    """Return texts as a list with "or" before the last.

    Parameters
    ----------
    texts : iterable of str
        The texts.
    """
    *first, last = tuple(texts) or ("",)
    return f"{', '.join(first)} or {last}" if first else last


# Called with the progress of a search; returning True stops the search.
Listener = Callable[[Progress], object]
