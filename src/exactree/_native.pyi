"""Types of the native module."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CoreError",
    "Refused",
    "accelerators",
    "largest_difference",
    "least_size",
    "paper_accelerators",
    "paper_method",
    "size_accelerators",
    "solve",
]

class CoreError(RuntimeError): ...
class Refused(RuntimeError): ...

def accelerators() -> list[tuple[str, str]]: ...
def paper_accelerators(method: str) -> list[tuple[str, str]]: ...
def size_accelerators() -> list[tuple[str, str]]: ...
def largest_difference(ranks: NDArray[np.uint32], labels: NDArray[np.uint32]) -> int: ...
def solve(
    columns: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.uint64],
    n_classes: int,
    settings: dict[str, Any],
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> dict[str, Any]: ...
def least_size(
    columns: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.uint64],
    n_classes: int,
    settings: dict[str, Any],
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> dict[str, Any]: ...
def paper_method(
    method: str,
    columns: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.uint64],
    n_classes: int,
    settings: dict[str, Any],
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> dict[str, Any]: ...
