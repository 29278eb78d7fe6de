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


class EvaluationRecord(Protocol):
    """Record of a run: a dataclass with a name, a date, and whether it is complete."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def complete(self) -> bool: ...


T = TypeVar("T")
M = TypeVar("M", bound=EvaluationRecord)


@dataclass(frozen=True)
class Evaluation(Generic[T, M]):
    """A command of `python -m benchmarks` that measures tables and leaves a record.

    Attributes
    ----------
    name : str
        Name of the command.
    about : str or None
        Description in its help.
    limit : float
        CPU seconds of a search, unless the command line has another limit.
    options : callable
        Adds the options of this command, also options that choose tables.
    tables : callable
        From the data folder and the options to the tables. Raises FileNotFoundError with the name
        of an absent table.
    measure : callable
        From the tables and the options to the record. After Ctrl-C it returns an incomplete record.
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
        """Return the exit code: 1 for an absent table or a refuted proof, 130 for Ctrl-C, else 0.

        Without a data folder nothing is measured, and the exit code is 0.
        """
        options = self._parser().parse_args(arguments)
        if options.again is not None:
            self._write_and_print(self.read(options.again), options.again)
            return 0
        if not os.environ.get("EXACTREE_DATA"):
            print(NO_DATA)
            return 0
        try:
            paths = self.tables(Path(os.environ["EXACTREE_DATA"]), options)
        except FileNotFoundError as absent:
            print(f"The folder that EXACTREE_DATA names has no {absent}.", file=sys.stderr)
            return 1
        with nullcontext() if options.jobs is None else parallel_config(n_jobs=options.jobs):
            record = self.measure(paths, options)
        stem = f"{record.date}-{record.name}"
        path = write_under(options.out, stem, asdict(record), self.page(record))
        self._write_and_print(record, path)
        if wrong := self.refuted(record):
            print("The results contradict each other: " + " ".join(wrong), file=sys.stderr)
            return 1
        return 0 if record.complete else 130

    def _write_and_print(self, record: M, path: Path) -> None:
        """Write page and picture next to the file of a record, and print the page."""
        path.with_suffix(".md").write_text(self.page(record), encoding="utf-8")
        if self.draw is not None:
            self.draw(record, path.with_suffix(".svg"))
        print(f"{self.page(record)}\nRecord: {path}")

    def _parser(self) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        program = f"python -m benchmarks {self.name}"
        parser = argparse.ArgumentParser(prog=program, description=self.about)
        self.options(parser)
        add = parser.add_argument
        seconds = f"CPU seconds of a search ({self.limit:g})"
        add("--limit", type=float, default=self.limit, metavar="S", help=seconds)
        add("--jobs", type=int, metavar="N", help="processes for draws and folds (1)")
        add("--again", type=Path, metavar="RECORD", help="only make its page and picture again")
        add("--name", default=self.name, help=f"name of the record ({self.name})")
        add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
        return parser
