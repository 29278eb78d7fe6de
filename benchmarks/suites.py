"""The list of comparisons: tables, problems and peers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from benchmarks.measurement import Minimized
from benchmarks.tables import examples_in

__all__ = ["LARGE", "SUITES", "Group", "RowProblem", "Suite"]


@dataclass(frozen=True)
class RowProblem:
    """Problem of one row of a comparison.

    Attributes
    ----------
    group : Group
        The group with the minimized quantity, the solvers and the limit.
    table : str
        Name of the table.
    path : Path
        File of the table.
    depth : int or None
        Maximum depth of the trees, None without a limit.
    leaf_penalty : str or None
        Cost of a leaf as a share of the examples, None without a penalty.
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
        Name in reports.
    pattern : str
        File of a table in the data folder, with a star for the name of the table.
    peers : tuple of str
        The solvers, including exactree.
    limit : float
        Seconds of a fit, unless the command line has another limit.
    minimize : {"errors", "size", "squared_error"}
        The minimized quantity: errors or squared error within a depth, or the number of nodes with
        the minimum number of errors.
    tables : tuple of str
        The tables of a full run; empty for all existing tables.
    depths : tuple of int or None
        The depths of a full run.
    penalties : tuple of str or None
        The leaf penalties of a full run.
    max_examples : int or None
        Maximum number of examples of a table in a full run, if `tables` is empty.
    quick : float
        Means leave out tables on which the peer needs at most this many CPU seconds.
    fixed_limit : bool
        Whether the limit of the command line is ignored.
    thresholds : int or None
        Number of quantiles by which a feature becomes binary features; None to keep features.
    """

    name: str
    pattern: str
    peers: tuple[str, ...]
    limit: float
    minimize: Minimized = "errors"
    tables: tuple[str, ...] = ()
    depths: tuple[int | None, ...] = (None,)
    penalties: tuple[str | None, ...] = (None,)
    max_examples: int | None = None
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
        if self.max_examples is None:
            return tuple(names)
        return tuple(t for t in names if examples_in(self.path(data, t)) <= self.max_examples)


@dataclass(frozen=True)
class Suite:
    """A comparison.

    Attributes
    ----------
    name : str
        Name on the command line and in records.
    groups : tuple of Group
        The groups of tables with their problems.
    """

    name: str
    groups: tuple[Group, ...]

    def problems(
        self,
        data: Path,
        groups: Sequence[str] | None = None,
        tables: Sequence[str] | None = None,
        depths: Sequence[int] | None = None,
    ) -> Iterator[RowProblem]:
        """Yield the problems of a run for some or all groups, tables and depths.

        Parameters
        ----------
        data : Path
            The data folder.
        groups, tables, depths : sequence or None
            The choice on the command line; None for that of a full run.

        Raises
        ------
        FileNotFoundError
            Before the first problem, if no chosen group has one of the tables, or there are no
            tables; the message has the expected files.
        """
        chosen = [group for group in self.groups if groups is None or group.name in groups]
        names_of = {group: tables or group.tables_in(data) for group in chosen}
        existing = {
            group: [table for table in names if group.path(data, table).is_file()]
            for group, names in names_of.items()
        }
        found = {table for names in existing.values() for table in names}
        absent = [
            group.pattern.replace("*", table)
            for group, names in names_of.items()
            for table in names
            if table not in found
        ]
        if absent or not found:
            raise FileNotFoundError(", ".join(absent or [group.pattern for group in chosen]))
        for group, names in existing.items():
            limits = group.depths if group.depths == (None,) else (depths or group.depths)
            for depth, penalty, table in product(limits, group.penalties, names):
                yield RowProblem(group, table, group.path(data, table), depth, penalty)


# Tables on which the optimal trees of depth 4 are proved within minutes.
DEEP = ("bank", "wilt", "occupancy", "raisin", "room", "segment")

# The tables in publications on other solvers for errors with a leaf penalty.
SPARSE = (
    *(f"osdt_{name}" for name in ("car_evaluation", "coupon_bar7", "monk1", "monk2", "monk3")),
    *(f"gosdt_{name}" for name in ("coupon_carryout", "coupon_rest20", "monk1", "monk2")),
    "gosdt_tic_tac_toe",
    *(f"branches_{name}" for name in ("careval", "monk1", "monk2", "monk3", "mushroom")),
    *(f"branches_{name}" for name in ("nursery", "tictactoe")),
)

# Tables with numeric targets, with binary features as published or made by quantiles.
BINARISED = (
    *(f"osrt_{name}" for name in ("enb_heat", "optical", "real_estate", "seoul_bike", "servo")),
    *("osrt_yacht", "streed_airfoil", "pmlb_227_cpu_small", "pmlb_529_pollen", "pmlb_547_no2"),
    *("pmlb_666_rmftsa_ladata", "quantbnb_carbon", "quantbnb_concrete", "quantbnb_fish"),
    *("sklearn_diabetes", "uci_energy_cool", "uci_real_estate"),
)

# Tables with numeric targets, up to 2,000 examples and 10 features.
NUMBERS = (
    *("pmlb_547_no2", "pmlb_666_rmftsa_ladata", "pmlb_1028_swd", "quantbnb_concrete"),
    *("quantbnb_fish", "sklearn_diabetes", "uci_airfoil_self_noise"),
    *("uci_energy_cool", "uci_real_estate", "uci_synchronous_machine", "uci_yacht_hydrodynamics"),
)

# Numbers of rows of the planted tables that `benchmarks.large_tables` writes.
LARGE = (100_000, 1_000_000)

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
            "large",
            (
                Group(
                    "large",
                    "planted/*.csv",
                    peers=("exactree", "pycontree", "pytrees", "cart"),
                    limit=600,
                    tables=tuple(f"planted_{rows}" for rows in LARGE),
                    depths=(2,),
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
                        max_examples=300,
                        fixed_limit=True,
                    )
                    for folder in ("continuous", "binary")
                ),
            ),
        ),
    )
}
