"""The command `python -m benchmarks.parameters`: parameters of every table.

These are the numbers n of examples and d of features, the number of classes, the maximum number
D_max of values of a feature, the maximum number delta_max of features in which two examples of
different classes differ, and the number min_# of examples of the smallest class.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from exactree import describe
from exactree.cli.examples import read_examples
from exactree.cli.table_options import TableArguments

NO_DATA = (
    "Nothing was described: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)
# The folder of tables with numeric targets, which are left out.
REGRESSION = "regression"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 for an absent folder, 130 for Ctrl-C, else 0, also without data."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parameters", description=__doc__)
    parser.add_argument("folders", nargs="*", help=f"some folders only (all but {REGRESSION})")
    options = parser.parse_args(arguments)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    data = Path(os.environ["EXACTREE_DATA"])
    absent = [folder for folder in options.folders if not (data / folder).is_dir()]
    if absent:
        print(f"The folder that EXACTREE_DATA names has no {', '.join(absent)}.", file=sys.stderr)
        return 1
    table = Table("table", title="Parameters of the tables")
    for name in ("n", "d", "classes", "D_max", "delta_max", "min_#"):
        table.add_column(name, justify="right")
    left_out, code = [], 0
    try:
        for path in tables(data, options.folders):
            try:
                table.add_row(*cells(path, data))
            except ValueError as error:
                left_out.append(f"left out: {str(error).replace(f'{data}{os.sep}', '')}")
    except KeyboardInterrupt:
        code = 130  # finished rows are printed
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # files and pipes have no width
    console.print(table)
    for sentence in left_out:
        console.print(sentence, markup=False, highlight=False)
    return code


def tables(data: Path, folders: Sequence[str]) -> Iterator[Path]:
    """Yield the files of all tables, by folder and name."""
    for path in sorted([*data.glob("*/*.csv"), *data.glob("*/*.csv.gz")]):
        folder = path.parent.name
        if folder in folders or (not folders and folder != REGRESSION):
            yield path


def cells(path: Path, data: Path) -> list[str]:
    """Return name and parameters of a table as text; columns of text are one-hot encoded."""
    examples = read_examples(TableArguments(path, "target"), quiet=True)
    description = describe(examples.X, examples.labels)
    numbers = [
        description.n_examples,
        description.n_features,
        len(description.classes),
        description.D_max,
        description.delta_max,
        description.smallest_class,
    ]
    name = str(path.relative_to(data)).removesuffix(".gz").removesuffix(".csv")
    return [name, *(str(number) for number in numbers)]


if __name__ == "__main__":
    sys.exit(main())
