"""The list of ablations: number of trees, tables, and other methods of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.tables import examples_in, read_table
from exactree import Limits, Problem, describe
from exactree.engine import accelerators

__all__ = ["ABLATIONS", "ALL_OFF", "ALL_ON", "Suite"]

ALL_ON, ALL_OFF = "all on", "all off"


@dataclass(frozen=True)
class Suite:
    """An ablation of the witness search, for one tree or for ensembles, or a comparison of methods.

    Attributes
    ----------
    name : str
        Its name on the command line and in records.
    trees : int
        Number of trees of every ensemble; 1 for the search for one tree.
    pattern : str
        Pattern of the files of the tables in the data folder; a table with "0.2" in its name has
        a fifth of the original rows.
    tables : tuple of str
        The tables of a full run; empty for all existing tables.
    max_examples : int
        Maximum number of examples of a table in a full run, if `tables` is empty.
    random_tables : int
        Number of additional random tables of a full run.
    limit : float
        Default time limit of a search in seconds.
    others : tuple of str
        Methods to compare with, with all their accelerators.
    switched : bool
        False if only these methods run.
    """

    name: str
    trees: int
    pattern: str
    limit: float
    tables: tuple[str, ...] = ()
    max_examples: int = 0
    random_tables: int = 0
    others: tuple[str, ...] = ()
    switched: bool = True

    def configurations(self) -> dict[str, dict[str, bool]]:
        """Return the switches of every configuration by its name."""
        if not self.switched:
            return {}
        names = list(accelerators("witness", self.trees))
        alone = {name: {name: False} for name in names}
        return {ALL_ON: {}, **alone, ALL_OFF: dict.fromkeys(names, False)}

    def problems(
        self, data: Path, tables: Sequence[str] | None, trees: int
    ) -> Iterator[tuple[str, Problem]]:
        """Yield names of tables and problems: smallest tables first, then random tables.

        Parameters
        ----------
        data : Path
            The data folder.
        tables : sequence of str or None
            Tables on the command line; None for the tables of a full run.
        trees : int
            Number of trees of every ensemble.
        """
        paths = {path.name.removesuffix(".csv.gz"): path for path in data.glob(self.pattern)}
        for name in sorted(self._wanted(paths, tables), key=lambda n: (examples_in(paths[n]), n)):
            X, y = read_table(paths[name])
            yield name, _problem(X, y, trees, int(describe(X, y).min_errors or 0))
        for seed in range(self.random_tables if tables is None else 0):
            yield f"random {seed}", _random_problem(seed, trees)

    def _wanted(self, paths: dict[str, Path], tables: Sequence[str] | None) -> list[str]:
        named = self.tables if tables is None else tables
        if named:
            return [name for name in named if name in paths]
        return [name for name, path in paths.items() if examples_in(path) <= self.max_examples]


def _problem(X: np.ndarray, y: np.ndarray, trees: int, errors: int) -> Problem:
    minimize = "size" if trees == 1 else "total_size"
    return Problem(X, y, minimize=minimize, n_trees=trees, limits=Limits(max_errors=errors))


def _random_problem(seed: int, trees: int) -> Problem:
    """Return a problem on a random table of two or three classes that allows up to two errors."""
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 5, (14, 4)), axis=0).astype(float)
    y = rng.integers(0, 2 + seed % 2, len(X))
    return _problem(X, y, trees, seed % 3)


ABLATIONS = {
    suite.name: suite
    for suite in (
        Suite(
            "ensembles-ablation",
            trees=3,
            pattern="min_size/*_0.2_0.csv.gz",
            limit=10,
            max_examples=48,  # the algorithm of the paper solves hardly any larger table
            random_tables=8,
        ),
        Suite(
            "ensembles",
            trees=3,
            pattern="min_size/*_0.2_0.csv.gz",
            limit=60,
            max_examples=1000,
            others=("witness", "branch-and-bound"),
            switched=False,
        ),
        Suite(
            "witness-ablation",
            trees=1,
            pattern="min_size/*.csv.gz",
            limit=20,
            tables=(
                "auto_0.2_0",
                "biomed_0.5_0",
                "cars_0.2_0",
                "cleve_0.2_0",
                "colic_0.2_0",
                "glass_0.2_0",
                "haberman_0.2_0",
                "heart-c_0.2_0",
                "heart-statlog_0.2_0",
                "lupus_0.5_0",
                "soybean_0.2_0",
                "spect_0.2_0",
            ),
            others=("threshold", "branch-and-bound"),
        ),
    )
}
