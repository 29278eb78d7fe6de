"""Reader of the instances of this folder: tables, problems, and known answers.

README.md describes the format of the files. The package is not imported.
"""

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# Kinds of errors for which labels are numbers.
REGRESSIONS = ("squared_error", "absolute_error")
SOURCES = ("by hand: ", "theorem: ", "enumeration", "encoding")
LIMITS = {
    "max_depth", "max_size", "max_errors", "max_total_size", "min_samples_leaf", "max_leaves_of",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Rows of numbers, labels and weights."""

    rows: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...]
    weights: tuple[Fraction, ...]

    @property
    def classes(self) -> list[str]:
        return sorted(set(self.labels))


@dataclass(frozen=True)
class KnownProblem:
    """A problem on a table and its answer: a cost, a tuple of costs, or None (infeasible).

    `long` and `endless` are names of forms: see README.md.
    """

    minimize: str | tuple[str, ...]
    n_trees: int
    leaf_penalty: Fraction
    limits: dict[str, Any]
    cost: Any
    source: str
    long: tuple[str, ...]
    endless: tuple[str, ...]

    @property
    def regression(self) -> str | None:
        """The kind of errors of a regression, else None."""
        names = self.minimize if isinstance(self.minimize, tuple) else (self.minimize,)
        return next((name for name in REGRESSIONS if name in names), None)

    def __str__(self) -> str:
        names = self.minimize if isinstance(self.minimize, tuple) else (self.minimize,)
        trees = [f"{self.n_trees} trees"] if self.n_trees > 1 else []
        penalty = [f"leaf_penalty={self.leaf_penalty}"] if self.leaf_penalty else []
        limits = [
            f"{name}={value}" for name, value in self.limits.items() if name != "max_leaves_of"
        ]
        max_leaves_of = self.limits.get("max_leaves_of", {}).items()
        limits += [f"at most {number} leaves of {label}" for label, number in max_leaves_of]
        return ", ".join([" then ".join(names), *trees, *penalty, *limits])


@dataclass(frozen=True)
class Instance:
    """A table with its name, the reason for it, and its problems."""

    name: str
    reason: str
    table: Table
    problems: tuple[KnownProblem, ...]


def instances() -> list[Instance]:
    """Return all instances of all files."""
    paths = sorted(FOLDER.glob("*.toml"))
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in paths]
    return [read_instance(entry) for file in files for entry in file["instance"]]


def read_instance(entry: dict[str, Any]) -> Instance:
    """Return an instance from its entry in a file."""
    problems = [known for one in entry.pop("problems") for known in read_problems(one)]
    table = read_table(entry)
    return Instance(**entry, table=table, problems=tuple(problems))


def read_table(entry: dict[str, Any]) -> Table:
    """Read words like "01:a" (`digits`) or "0.5,7:a" (`numbers`), with "*3" for a weight."""
    kind = "digits" if "digits" in entry else "numbers"
    rows, labels, weights = [], [], []
    for word in entry.pop(kind).split():
        features, _, rest = word.partition(":")
        label, _, weight = rest.partition("*")
        values = features if kind == "digits" else features.split(",")
        rows.append(tuple(float(value) for value in values))
        labels.append(label)
        weights.append(Fraction(weight or 1))
    return Table(tuple(rows), tuple(labels), tuple(weights))


def read_problems(entry: dict[str, Any]) -> list[KnownProblem]:
    """Return one problem, or one for each value in `by`."""
    entry = dict(entry)
    by, cost = entry.pop("by", None), entry.pop("cost")
    if by is None:
        return [read_problem(entry, cost)]
    ((name, values),) = by.items()
    if len(values) != len(cost):
        raise ValueError(f"{entry}: {len(values)} values and {len(cost)} costs")
    return [read_problem({**entry, name: v}, c) for v, c in zip(values, cost, strict=True)]


def read_problem(entry: dict[str, Any], cost: Any) -> KnownProblem:
    """Return a problem from its entry."""
    entry = dict(entry)
    minimize, source = entry.pop("minimize"), entry.pop("source")
    long, endless = tuple(entry.pop("long", ())), tuple(entry.pop("endless", ()))
    if not source.startswith(SOURCES):
        raise ValueError(f"{source!r} begins with none of {SOURCES}")
    n_trees, penalty = entry.pop("n_trees", 1), Fraction(entry.pop("leaf_penalty", 0))
    if not LIMITS.issuperset(entry):
        raise ValueError(f"unknown: {entry.keys() - LIMITS}")
    minimize = tuple(minimize) if isinstance(minimize, list) else minimize
    return KnownProblem(minimize, n_trees, penalty, entry, read_cost(cost), source, long, endless)


def read_cost(cost: Any) -> Any:
    """Return a cost as the package states it: a number, a tuple, or None for "infeasible"."""
    if cost == "infeasible":
        return None
    if isinstance(cost, list):
        return tuple(read_cost(each) for each in cost)
    return Fraction(cost)
