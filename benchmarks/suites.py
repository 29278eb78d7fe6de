"""The list of comparisons: tables, problems and peers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.measurement import Minimized
from benchmarks.tables import examples_in

__all__ = ["SUITES", "Group", "Question", "Suite"]


@dataclass(frozen=True)
class Question:
    """Problem of one row of a comparison.

    Attributes
    ----------
    group : Group
        What it asks, and how long.
    table : str
        Name of the table.
    path : Path
        Its file.
    depth : int or None
        Greatest depth of the trees, where it is limited.
    leaf_penalty : str or None
        What a leaf costs, in shares of the examples, where it costs something.
    """

    group: "Group"
    table: str
    path: Path
    depth: int | None
    leaf_penalty: str | None = None


@dataclass(frozen=True)
class Group:
    """Tables of one kind that are used in the same way.

    Attributes
    ----------
    name : str
        What reports call it.
    pattern : str
        Where a table is in the data folder; the star stands for its name.
    peers : tuple of str
        The solvers, exactree among them.
    limit : float
        Seconds a fit may take when the command line does not say otherwise.
    minimize : {"errors", "size", "squared_error"}
        The least errors or squared error within a depth, or the fewest nodes with the least
        possible errors.
    tables : tuple of str
        The tables of a full run; empty when it is all that are there.
    depths : tuple of int or None
        The depths of a full run.
    penalties : tuple of str or None
        What leaves cost, one run of the tables after the other.
    most_examples : int or None
        Tables with more are left out of a full run.
    quick : float
        Means leave out tables on which the peer needs no more CPU seconds than this.
    fixed_limit : bool
        Whether the command line does not change the limit.
    thresholds : int or None
        How many thresholds a feature is turned into two-valued ones at, where it is.
    """

    name: str
    pattern: str
    peers: tuple[str, ...]
    limit: float
    minimize: Minimized = "errors"
    tables: tuple[str, ...] = ()
    depths: tuple[int | None, ...] = (None,)
    penalties: tuple[str | None, ...] = (None,)
    most_examples: int | None = None
    quick: float = 0.0
    fixed_limit: bool = False
    thresholds: int | None = None

    def path(self, data: Path, table: str) -> Path:
        """Return the file of a table."""
        return data / self.pattern.replace("*", table)

    def tables_in(self, data: Path) -> tuple[str, ...]:
        """Return the tables of a full run."""
        if self.tables:
            return self.tables
        before, after = self.pattern.split("*")
        found = (path.relative_to(data).as_posix() for path in sorted(data.glob(self.pattern)))
        names = (name.removeprefix(before).removesuffix(after) for name in found)
        most = self.most_examples
        return tuple(t for t in names if most is None or examples_in(self.path(data, t)) <= most)


@dataclass(frozen=True)
class Suite:
    """A comparison.

    Attributes
    ----------
    name : str
        What the command line and the records call it.
    groups : tuple of Group
        What it asks.
    """

    name: str
    groups: tuple[Group, ...]

    def questions(
        self,
        data: Path,
        groups: Sequence[str] | None = None,
        tables: Sequence[str] | None = None,
        depths: Sequence[int] | None = None,
    ) -> Iterator[Question]:
        """Yield the problems of a run for some or all groups, tables and depths.

        Parameters
        ----------
        data : Path
            The data folder.
        groups, tables, depths : sequence or None
            What the command line names; None for those of a full run.

        Raises
        ------
        FileNotFoundError
            Before the first question, if a table is not there; it names the files looked for.
        """
        wanted = [group for group in self.groups if groups is None or group.name in groups]
        chosen = {group: tables or group.tables_in(data) for group in wanted}
        there = {
            group: [table for table in names if group.path(data, table).is_file()]
            for group, names in chosen.items()
        }
        met = {table for names in there.values() for table in names}
        absent = [
            group.pattern.replace("*", table)
            for group, names in chosen.items()
            for table in names
            if table not in met
        ]
        if absent or not met:
            raise FileNotFoundError(", ".join(absent or [group.pattern for group in wanted]))
        for group, names in there.items():
            allowed = group.depths if group.depths == (None,) else (depths or group.depths)
            for depth, penalty, table in product(allowed, group.penalties, names):
                yield Question(group, table, group.path(data, table), depth, penalty)


# Tables on which trees of depth 4 are proved within minutes.
DEEP = ("bank", "wilt", "occupancy", "raisin", "room", "segment")

# The tables on which other solvers of penalized errors were published.
SPARSE = (
    *(f"osdt_{name}" for name in ("car_evaluation", "coupon_bar7", "monk1", "monk2", "monk3")),
    *(f"gosdt_{name}" for name in ("coupon_carryout", "coupon_rest20", "monk1", "monk2")),
    "gosdt_tic_tac_toe",
    *(f"branches_{name}" for name in ("careval", "monk1", "monk2", "monk3", "mushroom")),
    *(f"branches_{name}" for name in ("nursery", "tictactoe")),
)

# Tables of numbers: two-valued as published, and to be binarised.
BINARISED = (
    *(f"osrt_{name}" for name in ("enb_heat", "optical", "real_estate", "seoul_bike", "servo")),
    *("osrt_yacht", "streed_airfoil", "pmlb_227_cpu_small", "pmlb_529_pollen", "pmlb_547_no2"),
    *("pmlb_666_rmftsa_ladata", "quantbnb_carbon", "quantbnb_concrete", "quantbnb_fish"),
    *("sklearn_diabetes", "uci_energy_cool", "uci_real_estate"),
)

# Up to 2,000 examples and 10 features.
NUMBERS = (
    *("pmlb_547_no2", "pmlb_666_rmftsa_ladata", "pmlb_1028_swd", "quantbnb_concrete"),
    *("quantbnb_fish", "sklearn_diabetes", "uci_airfoil_self_noise"),
    *("uci_energy_cool", "uci_real_estate", "uci_synchronous_machine", "uci_yacht_hydrodynamics"),
)

SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "continuous",
            (
                Group(
                    "continuous",
                    "continuous/contree_*_train.csv.gz",
                    peers=("exactree", "pycontree", "pytrees", "cart"),
                    limit=600,
                    tables=(*DEEP, "rice", "htru", "eeg"),
                    depths=(2, 3),
                ),
            ),
        ),
        Suite(
            "deep",
            (
                Group(
                    "deep",
                    "continuous/contree_*_train.csv.gz",
                    peers=("exactree", "pycontree", "pytrees", "cart"),
                    limit=600,
                    tables=DEEP,
                    depths=(4,),
                ),
                Group(
                    "alone",
                    "continuous/contree_*_train.csv.gz",
                    peers=("exactree", "cart"),
                    limit=600,
                    tables=("rice", "htru", "eeg"),
                    depths=(4,),
                ),
            ),
        ),
        Suite(
            "binary",
            (
                Group(
                    "binary",
                    "binary/cp4im_*.csv.gz",
                    peers=("exactree", "pystreed", "pytrees", "pydl85", "cart"),
                    limit=300,
                    depths=(3, 4, 5),
                ),
            ),
        ),
        Suite(
            "sparse",
            (
                Group(
                    "sparse",
                    "binary/*.csv.gz",
                    peers=("exactree", "gosdt", "pystreed"),
                    limit=60,
                    tables=SPARSE,
                    penalties=("0.01", "0.005", "0.001"),
                ),
            ),
        ),
        Suite(
            "regression",
            (
                Group(
                    "binarised",
                    "regression/*.csv.gz",
                    peers=("exactree", "pystreed", "cart"),
                    limit=60,
                    minimize="squared_error",
                    tables=BINARISED,
                    depths=(3, 4, 5),
                    thresholds=5,
                ),
                *(
                    Group(
                        name,
                        "regression/*.csv.gz",
                        peers=("exactree", "cart"),
                        limit=60,
                        minimize="squared_error",
                        tables=tables,
                        depths=depths,
                    )
                    for name, tables, depths in (
                        ("numbers", NUMBERS, (2, 3)),
                        ("many numbers", ("uci_casp",), (2,)),
                    )
                ),
            ),
        ),
        Suite(
            "least-size",
            (
                Group(
                    "min_size",
                    "min_size/*.csv.gz",
                    peers=("exactree", "prototype"),
                    limit=30,
                    minimize="size",
                    quick=0.1,
                ),
                *(
                    Group(
                        f"full-{folder}",
                        f"{folder}/pmlb_*.csv.gz",
                        peers=("exactree",),
                        limit=60,
                        minimize="size",
                        most_examples=300,
                        fixed_limit=True,
                    )
                    for folder in ("continuous", "binary")
                ),
            ),
        ),
    )
}
