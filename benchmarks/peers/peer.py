"""What a peer is, and what its adapter answers."""

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
        Its name in tables and records, and that of its file in this folder.
    distribution : str
        The installed package it comes from.
    exact : bool
        Whether it claims proofs. A greedy peer is shown for its errors and has no ratio.
    weakness : str
        A known reason why its proofs can be false; empty when none is known.
    """

    name: str
    distribution: str
    exact: bool = True
    weakness: str = ""

    @property
    def adapter(self) -> str:
        """The module with the peer's `fit(X, y, depth, time_limit) -> Answer`."""
        return f"benchmarks.peers.{self.name}"


@dataclass(frozen=True, eq=False)
class Answer:
    """What a fit answers; the errors are counted from its predictions, never asked for.

    Attributes
    ----------
    predict : callable
        From features to labels.
    depth : int
        Depth of the tree.
    proved : bool
        Whether the solver claims that no tree within the depth makes fewer errors.
    """

    predict: Callable[[NDArray[Any]], NDArray[Any]]
    depth: int
    proved: bool
