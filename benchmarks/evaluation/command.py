"""Common parts of all evaluations: command line, record, page and picture."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from joblib import parallel_config

from benchmarks.write import write_under

__all__ = ["Evaluation"]

RECORDS = Path(__file__).resolve().parents[1] / "records"
NO_DATA = (
    "Nothing was measured: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


class Made(Protocol):
    """Record of a run: a dataclass with a name, a date, and whether it is complete."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def complete(self) -> bool: ...


T = TypeVar("T")
M = TypeVar("M", bound=Made)


@dataclass(frozen=True)
class Evaluation(Generic[T, M]):
    """A command of `python -m benchmarks` that measures tables and leaves a record.

    Attributes
    ----------
    name, about : str
        What the command is called; what its help says.
    limit : float
        CPU seconds of a search, when the command line does not say otherwise.
    options : callable
        Adds the options of its own, also those that choose tables.
    tables : callable
        From the data folder and the problem to the tables. Raises FileNotFoundError with the name
        of what is absent.
    measure : callable
        From the tables and the problem to the record. Ctrl-C ends it with what is done.
    read : callable
        From the file of a record to the record.
    page : callable
        From the record to its page.
    draw : callable or None
        Draws a record into a file, if there is a picture.
    refuted : callable
        From a record to a sentence for each contradiction in it.
    """

    name: str
    about: str | None
    limit: float
    options: Callable[[argparse.ArgumentParser], None]
    tables: Callable[[Path, argparse.Namespace], Sequence[T]]
    measure: Callable[[Sequence[T], argparse.Namespace], M]
    read: Callable[[Path], M]
    page: Callable[[M], str]
    draw: Callable[[M, Path], None] | None = None
    refuted: Callable[[M], Sequence[str]] = lambda _: ()

    def main(self, arguments: Sequence[str]) -> int:
        """Return the exit code: 1 when a table is absent or answers differ, 130 on Ctrl-C, else 0.

        Also 0 without data, when nothing is measured.
        """
        asked = self._parser().parse_args(arguments)
        if asked.again is not None:
            self._show(self.read(asked.again), asked.again)
            return 0
        if not os.environ.get("EXACTREE_DATA"):
            print(NO_DATA)
            return 0
        try:
            paths = self.tables(Path(os.environ["EXACTREE_DATA"]), asked)
        except FileNotFoundError as absent:
            print(f"The folder that EXACTREE_DATA names has no {absent}.", file=sys.stderr)
            return 1
        with nullcontext() if asked.jobs is None else parallel_config(n_jobs=asked.jobs):
            made = self.measure(paths, asked)
        stem = f"{made.date}-{made.name}"
        self._show(made, write_under(asked.out, stem, asdict(made), self.page(made)))
        if wrong := self.refuted(made):
            print("The answers contradict each other: " + " ".join(wrong), file=sys.stderr)
            return 1
        return 0 if made.complete else 130

    def _show(self, made: M, record: Path) -> None:
        """Write page and picture next to a record, and print the page."""
        record.with_suffix(".md").write_text(self.page(made), encoding="utf-8")
        if self.draw is not None:
            self.draw(made, record.with_suffix(".svg"))
        print(f"{self.page(made)}\nRecord: {record}")

    def _parser(self) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        what = f"python -m benchmarks {self.name}"
        parser = argparse.ArgumentParser(prog=what, description=self.about)
        self.options(parser)
        add = parser.add_argument
        seconds = f"CPU seconds of a search ({self.limit:g})"
        add("--limit", type=float, default=self.limit, metavar="S", help=seconds)
        add("--jobs", type=int, metavar="N", help="processes for draws and folds (1)")
        add("--again", type=Path, metavar="RECORD", help="make its page and picture again, no more")
        add("--name", default=self.name, help=f"name of the record ({self.name})")
        add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
        return parser
