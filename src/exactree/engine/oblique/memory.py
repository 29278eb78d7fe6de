"""Memory that a native search takes for columns of surfaces, estimated before they are listed.

Every dichotomy of the table by a surface is a column of 0 and 1. The searches hold some numbers for
each row of each column; where all columns have two values, searches for plain errors also hold the
counts of every ordered pair of columns: 44,850 lines through 300 examples make two billion pairs.

Every native search encodes its problem by `columns_within` or by `encode_before_deadline`. Both
first refuse a problem that takes too much memory; the latter also searches for a first tree.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from exactree.data.parameters import shortened
from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.problem.encoding.columns import EncodedProblem, in_columns
from exactree.rules import FixedRules, Hypersurfaces, families_of, of_surfaces
from exactree.rules.dichotomies import linear_dichotomies, no_check

__all__ = ["MAX_BYTES", "columns_within", "pairs_of_columns", "refuse_many_surfaces"]

# Bytes that a search may take: the maximum, also if the memory_limit is larger or None, and the
# minimum, also if the memory_limit is smaller.
MAX_BYTES, _MIN_BYTES = 4_000_000_000, 100_000_000
# Bytes for a row of a column (ranks, orders, values), measured with 300 examples of two features.
_BYTES_PER_ENTRY = 100


@dataclass(frozen=True)
class _Columns:
    """The maximum number of columns of a family of rules, by the number of examples.

    Attributes
    ----------
    different : int
        Number of different examples in the features of the family, if it is of surfaces.
    terms : int
        Number of monomials of a surface; 0 for other families.
    others : int
        Number of columns of a family that is not of surfaces.
    two_valued : bool
        Whether every column has at most two values.
    """

    different: int
    terms: int
    others: int = 0
    two_valued: bool = True

    def count(self, different: int) -> int:
        """Return the maximum number of columns for a number of different examples."""
        dichotomies = linear_dichotomies(max(min(different, self.different), 1), self.terms) - 1
        return self.others + (dichotomies if self.terms else 0)


def columns_within(
    problem: Problem,
    memory_limit: int | None,
    *,
    opposites: bool = False,
    pairs: bool = False,
    check: Callable[[], object] = no_check,
) -> EncodedProblem:
    """Encode a problem in columns for a native search, unless these would take too much memory.

    Parameters
    ----------
    problem, memory_limit, pairs
        As in `refuse_many_surfaces`.
    opposites, check
        As in `in_columns`.

    Raises
    ------
    MethodRefused
        If the columns would take too much memory; raised before anything is listed.
    """
    refuse_many_surfaces(problem, memory_limit, pairs=pairs)
    return in_columns(problem, opposites=opposites, check=check)


def refuse_many_surfaces(
    problem: Problem, memory_limit: int | None, *, pairs: bool = False
) -> None:
    """Raise MethodRefused if the columns of surfaces would take too much memory.

    Parameters
    ----------
    problem : Problem
        The problem.
    memory_limit : int, optional
        Bytes that the user allows; less than 100 MB count as 100 MB, more than 4 GB as 4 GB.
    pairs : bool
        Whether the search holds the counts of pairs of columns, as the engine does for one tree.
    """
    if not of_surfaces(problem.rules):
        return
    rows, families = len(problem.dataset.X), _families(problem)
    limit = MAX_BYTES if memory_limit is None else max(memory_limit, _MIN_BYTES)
    limit, bytes_of_pair = min(limit, MAX_BYTES), _bytes_of_pair(problem) if pairs else 0

    def needed(examples: int) -> int:
        columns = sum(family.count(examples) for family in families)
        has_pairs = all(family.two_valued for family in families)
        bytes_of_pairs = bytes_of_pair * columns**2 if has_pairs else 0
        return bytes_of_pairs + _BYTES_PER_ENTRY * examples * columns

    if needed(rows) <= limit:
        return
    fewer, more = 0, rows
    while more - fewer > 1:
        middle = (fewer + more) // 2
        fewer, more = (middle, more) if needed(middle) <= limit else (fewer, middle)
    columns = sum(family.count(rows) for family in families)
    allowed = f"{limit:,}" if limit == MAX_BYTES else f"memory_limit={memory_limit:,}"
    kind = "a regression" if problem.regression else "this search"
    advice = f"about {fewer:,} different examples at most" if fewer else "fewer rules"
    if problem.n_trees == 1 and not (problem.regression or problem.constrained):
        advice += ", method='proper' where plain errors are minimized"
    raise MethodRefused(
        f"The rules split {rows:,} examples in up to {shortened(columns)} ways, for which {kind} "
        f"takes about {shortened(needed(rows))} bytes, more than {allowed}. What works: {advice}, "
        "fewer features (features=), a lower degree, FixedRules with a short list of rules, or "
        "AxisParallel()."
    )


def pairs_of_columns(problem: Problem) -> int:
    """Return the maximum number of ordered pairs of columns; 0 unless all have two values.

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    rows, families = len(problem.dataset.X), _families(problem)
    two_valued = all(family.two_valued for family in families)
    return sum(family.count(rows) for family in families) ** 2 if two_valued else 0


def _bytes_of_pair(problem: Problem) -> int:
    """Return the bytes that the search holds for every pair of columns of two values."""
    if (
        not problem.plain_errors
    ):  # squared errors are summed for one column with all others at a time
        return 0
    if "errors" not in problem.quantities and problem.max_error_weight == 0:
        return 0  # the searches for size and depth do not count pairs
    dataset = problem.dataset
    return len(dataset.classes) * (2 if dataset.total_weight < 2**16 else 4)


def _families(problem: Problem) -> list[_Columns]:
    """Return the columns of each family of rules."""
    X = problem.dataset.X
    found = []
    for family in families_of(problem.rules):
        if isinstance(family, Hypersurfaces):
            different = len(np.unique(X[:, family.features_of(X.shape[1])], axis=0))
            found.append(_Columns(different, family.number_of_monomials(X.shape[1])))
        elif isinstance(family, FixedRules):
            found.append(_Columns(0, 0, len(family.rules)))
        else:
            columns = family.columns(X)
            two = all(len(np.unique(column.values(X))) <= 2 for column in columns)
            found.append(_Columns(0, 0, len(columns), two))
    return found
