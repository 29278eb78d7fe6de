"""Reduction from Set Multicover to ensembles of minimum total size or minimum largest size.

Source      Komusiewicz et al. (001), Theorem 5.5, as reconstructed in this project.
Symbols     k = picks, a = demand, U = universe. Ensembles have l = 2k + 1 trees.
Table       k + 1 dummy features; a choice feature (i, F) for each i in 1..k and each set F.
            Values not named are 0. Blue: element u, with (i, F) = 1 iff u is in F, and the first
            k + 1 - a dummies 1; validation, all dummies 1; enforcing, all choice features and
            dummy 1 are 1; choosing (j, i), the choice-i features and all dummies but j are 1.
            Red: forcing j, all dummies but j are 1; verifying (j, j', i), the choice-i features
            and all dummies but j and j' are 1; test i, dummy 1 and all choice features except the
            choice-i features are 1.
Claim       k sets that contain every element at least a times exist iff an ensemble of 2k + 1 trees
            with at most 2k + 1 nodes in total classifies the table (Theorem 5.5, Corollary 5.6: all
            features are binary), iff an ensemble with at most one node in every tree does
            (Corollary 5.7). Then every tree has exactly one node: k + 1 nodes use a dummy feature
            each, and k nodes use a choice-i feature each, which gives the i-th picked set.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shown
from exactree.instances.instance import Instance, make_instance, refuse_large_table
from exactree.instances.originals import names_of, read_sets
from exactree.problem.parameters import MAX_TREES, whole_number

if TYPE_CHECKING:
    from exactree.trees.ensemble import Ensemble

__all__ = ["SetMulticover"]

Row = NDArray[np.float64]


def refuse_large_picks(name: str, picks: int, sets: int, elements: int) -> None:
    """Raise ValueError if an ensemble would have too many trees, or its table too many entries.

    Parameters
    ----------
    name : str
        The parameter with the number of picks.
    picks, sets, elements : int
        The numbers of picks, sets and elements.
    """
    max_picks = (MAX_TREES - 1) // 2
    if picks > max_picks:
        raise ValueError(
            f"{name} must be at most {max_picks}, got {shown(picks)}: the ensemble has "
            f"2 * {name} + 1 trees, at most {MAX_TREES:,}."
        )
    # The rows of `_blue` and `_red`.
    rows = elements + 2 + picks * (picks + 3) + 1 + picks * picks * (picks + 1) // 2
    refuse_large_table({name: picks}, rows, picks + 1 + picks * sets)


@dataclass(frozen=True, init=False)
class SetMulticover:
    """Pick sets, with repetition, that contain every element a given number of times.

    Parameters
    ----------
    sets : iterable of collections
        The sets to pick from; a set may be picked more than once.
    picks : int
        The number of picks.
    demand : int
        The number of picked sets that have to contain each element.
    universe : iterable, optional
        All elements; by default the elements of the sets.

    Raises
    ------
    ValueError
        If an element is in no set, or the demand is greater than the number of picks.
    """

    sets: tuple[frozenset[Any], ...]
    picks: int
    demand: int
    universe: tuple[Any, ...]

    def __init__(
        self,
        sets: Iterable[Collection[Hashable]],
        picks: int,
        demand: int = 1,
        universe: Iterable[Hashable] | None = None,
    ) -> None:
        read, elements = read_sets(sets, universe)
        picks = whole_number("picks", picks, 1, "an integer >= 1")
        demand = whole_number("demand", demand, 1, "an integer >= 1")
        if demand > picks:
            raise ValueError(
                f"demand={shown(demand)} is more than picks={shown(picks)}, so no element can be "
                "covered often enough: the answer is no."
            )
        refuse_large_picks("picks", picks, len(read), len(elements))
        for element in elements:
            if not any(element in members for members in read):
                raise ValueError(
                    f"{element!r} is in no set, so nothing covers it: the answer is no."
                )
        attributes = {"sets": read, "picks": picks, "demand": demand, "universe": elements}
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def apply(self) -> Instance:
        """Return the table that a small ensemble classifies iff the answer is yes."""
        k = self.picks
        dummies = [f"dummy {j + 1}" for j in range(k + 1)]
        choices = [f"choice {i + 1} set {F}" for i in range(k) for F in range(len(self.sets))]
        return make_instance(
            [*dummies, *choices],
            [*self._blue(), *self._red()],
            minimize="total_size",
            n_trees=2 * k + 1,
            budget=2 * k + 1,
        )

    def lift(self, ensemble: "Ensemble") -> tuple[int, ...] | None:
        """Return the indices of the picked sets, or None if the answer is no.

        Parameters
        ----------
        ensemble : Ensemble
            An ensemble of 2 * picks + 1 trees without errors, of minimum total or largest size.
        """
        instance = self.apply()
        instance.check_classified(ensemble)
        if len(ensemble.trees) != instance.n_trees:
            raise ValueError(f"the ensemble must have {instance.n_trees} trees.")
        if ensemble.total_size > instance.n_trees:
            return None
        first_choice = self.picks + 1
        choices = [int(tree.feature[0]) - first_choice for tree in ensemble.trees]
        return tuple(sorted(choice % len(self.sets) for choice in choices if choice >= 0))

    def _row(self, dummies: Iterable[int], choices: Iterable[int]) -> Row:
        """Return the row with ones at given dummies and at all choice-i features for given i."""
        k, m = self.picks, len(self.sets)
        row = np.zeros(k + 1 + k * m)
        row[list(dummies)] = 1
        for i in choices:
            row[k + 1 + i * m : k + 1 + (i + 1) * m] = 1
        return row

    def _all_but(self, *missing: int) -> list[int]:
        return [j for j in range(self.picks + 1) if j not in missing]

    def _blue(self) -> Iterator[tuple[str, Row, str]]:
        k = self.picks
        for name, u in zip(names_of("element", self.universe), self.universe, strict=True):
            row = self._row(range(k + 1 - self.demand), [])
            row[k + 1 :] = [u in F for F in self.sets] * k
            yield name, row, "blue"
        yield "validation", self._row(self._all_but(), []), "blue"
        yield "enforcing", self._row([0], range(k)), "blue"
        for j in range(k + 1):
            for i in range(k):
                yield f"choosing ({j + 1}, {i + 1})", self._row(self._all_but(j), [i]), "blue"

    def _red(self) -> Iterator[tuple[str, Row, str]]:
        k = self.picks
        for j in range(k + 1):
            yield f"forcing {j + 1}", self._row(self._all_but(j), []), "red"
        for j, other in combinations(range(k + 1), 2):
            for i in range(k):
                name = f"verifying ({j + 1}, {other + 1}, {i + 1})"
                yield name, self._row(self._all_but(j, other), [i]), "red"
        for i in range(k):
            yield f"test {i + 1}", self._row([0], [c for c in range(k) if c != i]), "red"
