"""Types of peers and of the results of their adapters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

__all__ = ["Answer", "Peer"]


@dataclass(frozen=True)
class Peer:
    """A solver of the comparison.

    Attributes
    ----------
    name : str
        Its name in tables and records, and of its adapter in this folder, if it has an adapter.
    distribution : str
        The installed package that contains it.
    exact : bool
        Whether it claims proofs. A greedy peer is listed for its errors and has no ratio.
    weakness : str
        A known reason why its proofs can be false; empty if none is known.
    tolerance : float
        Share of the squared error by which a tree that it proves optimal may exceed the minimum;
        the default allows for rounding.
    program : bool
        Whether it is an executable given on the command line and measured by
        `benchmarks.program`, without an adapter; it reports only the size of its tree.
    """

    name: str
    distribution: str
    exact: bool = True
    weakness: str = ""
    tolerance: float = 1e-9
    program: bool = False

    @property
    def adapter(self) -> str:
        """The module with the peer's `fit`, `regression`, `smallest` or `sparse`."""
        return f"benchmarks.peers.{self.name}"


@dataclass(frozen=True, eq=False)
class Answer:
    """Result of a fit. It has no errors: they are counted from the predictions of the tree.

    Attributes
    ----------
    predict : callable or None
        Predicts the labels, or the values of a regression, of rows of features; None without a
        tree.
    depth : int
        Depth of the tree.
    proved : bool
        Whether the solver claims that no tree is better.
    size : int or None
        Number of inner nodes of the tree; None if the solver does not report it.
    lower_bound : int, float or None
        The solver's lower bound on the minimized quantity.
    cost : int, float or None
        Cost of the tree as reported by the solver; only for problems with an option.
    """

    predict: Callable[[NDArray[Any]], NDArray[Any]] | None
    depth: int
    proved: bool
    size: int | None = None
    lower_bound: float | None = None
    cost: float | None = None
