"""Reader of the instances of this folder: tables, problems, and known answers.

The form of the files is described in README.md. Nothing here imports the package.
"""

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# The labels of these are numbers.
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
class Question:
    """A problem on a table and its answer: a cost, a tuple of costs, or None (infeasible)."""

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
        """The kind of errors if the labels are numbers."""
        names = self.minimize if isinstance(self.minimize, tuple) else (self.minimize,)
        return next((name for name in REGRESSIONS if name in names), None)

    def __str__(self) -> str:
        names = self.minimize if isinstance(self.minimize, tuple) else (self.minimize,)
        trees = [f"{self.n_trees} trees"] if self.n_trees > 1 else []
        paid = [f"leaf_penalty={self.leaf_penalty}"] if self.leaf_penalty else []
        limits = [
            f"{name}={value}" for name, value in self.limits.items() if name != "max_leaves_of"
        ]
        few = self.limits.get("max_leaves_of", {}).items()
        limits += [f"at most {most} leaves of {label}" for label, most in few]
        return ", ".join([" then ".join(names), *trees, *paid, *limits])


@dataclass(frozen=True)
class Instance:
    """A table with a name, the reason why it is here, and problems."""

    name: str
    reason: str
    table: Table
    questions: tuple[Question, ...]


def instances() -> list[Instance]:
    """Return all instances of all files."""
    paths = sorted(FOLDER.glob("*.toml"))
    entries = [tomllib.loads(path.read_text(encoding="utf-8"))["instance"] for path in paths]
    return [read_instance(entry) for some in entries for entry in some]


def read_instance(entry: dict[str, Any]) -> Instance:
    """Return an instance from its entry in a file."""
    questions = [q for asked in entry.pop("asked") for q in read_questions(asked)]
    table = read_table(entry)
    return Instance(**entry, table=table, questions=tuple(questions))


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


def read_questions(asked: dict[str, Any]) -> list[Question]:
    """Return one problem, or one for each value in `by`."""
    asked = dict(asked)
    by, cost = asked.pop("by", None), asked.pop("cost")
    if by is None:
        return [read_question(asked, cost)]
    ((name, values),) = by.items()
    if len(values) != len(cost):
        raise ValueError(f"{asked}: {len(values)} values and {len(cost)} costs")
    return [read_question({**asked, name: v}, c) for v, c in zip(values, cost, strict=True)]


def read_question(asked: dict[str, Any], cost: Any) -> Question:
    """Return a problem from its entry."""
    asked = dict(asked)
    minimize, source = asked.pop("minimize"), asked.pop("source")
    long, endless = tuple(asked.pop("long", ())), tuple(asked.pop("endless", ()))
    if not source.startswith(SOURCES):
        raise ValueError(f"{source!r} begins with none of {SOURCES}")
    n_trees, penalty = asked.pop("n_trees", 1), Fraction(asked.pop("leaf_penalty", 0))
    if not LIMITS.issuperset(asked):
        raise ValueError(f"unknown: {asked.keys() - LIMITS}")
    minimize = tuple(minimize) if isinstance(minimize, list) else minimize
    return Question(minimize, n_trees, penalty, asked, read_cost(cost), source, long, endless)


def read_cost(cost: Any) -> Any:
    """Return a cost as the package states it: a number, a tuple, or None for "infeasible"."""
    if cost == "infeasible":
        return None
    if isinstance(cost, list):
        return tuple(read_cost(each) for each in cost)
    return Fraction(cost)
