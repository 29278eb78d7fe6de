"""The command `exactree generate`: one subcommand for each family of instances."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from exactree import instances
from exactree.cli.endings import epilog
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import json_option
from exactree.cli.originals import read_colour_file, read_graph_file, read_set_file

_FILE = click.Path(path_type=Path)


def _shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all sub-commands share."""
    for option in (
        json_option,
        click.option("-o", "--output", type=NewFile(), required=True, help="Write the CSV here."),
    ):
        command = option(command)
    return command


class _Generate(click.Group):
    command_class = Command


@click.group(
    cls=_Generate,
    short_help="Write a table with a known solution or a hard table.",
    epilog=epilog("generate planted --rows 100 --features 4 --size 3 -o planted.csv"),
)
def generate() -> None:
    """Write a hard table, or a table with a known solution, as CSV with labels in column "label".

    The last line of the output is the command that solves the table.

    Files of sets have one set per line, with elements separated by blanks. Files of graphs have
    one edge (two vertices) or one vertex per line.
    """


def _write(
    original: Callable[[], Any],
    output: Path,
    as_json: bool,
    claim: str | None = None,
    errors: int = 0,
) -> None:
    """Write the table of an original problem, and print a summary of it.

    `claim` is a sentence about the meaning of the optimum, or about a known tree that may not be
    optimal; `errors` are its errors.
    """
    instance = original().apply()
    if not isinstance(instance, instances.Instance):  # another problem, which has a table
        instance = instance.apply()
    instance.write_csv(output)
    solving = _solving_command(instance, output, errors)
    if as_json:
        statement = "; ".join(_statements(instance, claim))
        entries = _entries(instance, output) | {"statement": statement, "command": solving}
        click.echo(json.dumps(entries))
    else:
        rows, columns = instance.X.shape
        size = f"{output}: {rows:,} examples, {columns:,} features"
        click.echo("\n".join([size, *_statements(instance, claim), shlex.join(solving)]))


def _solving_command(instance: instances.Instance, output: Path, errors: int) -> list[str]:
    """Return the command that finds the known optimum, or else minimizes the theorem's quantity."""
    quantity = next(iter(instance.known), instance.minimize)
    trees = ["--n-trees", str(instance.n_trees)] if instance.n_trees > 1 else []
    allowed = ["--max-errors", str(errors)] if errors else []
    objective_options = ["--minimize", quantity, *trees, *allowed]
    return ["exactree", "fit", str(output), "--target", "label", *objective_options]


def _entries(instance: instances.Instance, output: Path) -> dict[str, Any]:
    rows, features = instance.X.shape
    return {
        "table": str(output),
        "examples": rows,
        "features": features,
        "minimize": instance.minimize,
        "n_trees": instance.n_trees,
        "budget": instance.budget,
        "known": dict(instance.known),
    }


def _statements(instance: instances.Instance, claim: str | None) -> list[str]:
    """Return what the optimum of the table means, and what is known about it."""
    lines = []
    quantity = instance.minimize.replace("_", " ")
    trees = f" of {instance.n_trees} trees" if instance.n_trees > 1 else ""
    if instance.budget is not None:
        lines += [f"yes exactly if the minimum {quantity}{trees} is at most {instance.budget}"]
    for name, optimum in instance.known.items():
        lines += [f"the minimum {name} of a tree without errors is {optimum}"]
    return lines if claim is None else [*lines, claim]


def _optimum_is(meaning: str) -> str:
    return f"the minimum size and the minimum depth of a tree without errors are {meaning}"


@generate.command("hitting-set", epilog=epilog("generate hitting-set sets.txt -o hitting.csv"))
@click.argument("sets", type=_FILE)
@_shared_options
def hitting_set(sets: Path, output: Path, as_json: bool) -> None:
    """Fewest elements that hit every set of the file SETS.

    Their number is the minimum size and the minimum depth of a tree for the table.
    """
    claim = _optimum_is("the least number of elements that hit every set")
    _write(lambda: instances.HittingSet(read_set_file(sets)), output, as_json, claim)


@generate.command("set-cover", epilog=epilog("generate set-cover sets.txt -o cover.csv"))
@click.argument("sets", type=_FILE)
@_shared_options
def set_cover(sets: Path, output: Path, as_json: bool) -> None:
    """Fewest sets of the file SETS that cover all elements.

    Their number is the minimum size and the minimum depth of a tree for the table.
    """
    claim = _optimum_is("the least number of sets that cover all elements")
    _write(lambda: instances.SetCover(read_set_file(sets)), output, as_json, claim)


@generate.command(
    "dominating-set",
    epilog=epilog("generate dominating-set graph.txt -o dominating.csv"),
)
@click.argument("graph", type=_FILE)
@_shared_options
def dominating_set(graph: Path, output: Path, as_json: bool) -> None:
    """Smallest dominating set of the file GRAPH.

    Its size is the minimum size and the minimum depth of a tree for the table.
    """
    claim = _optimum_is("the least number of vertices that dominate the graph")
    _write(lambda: instances.DominatingSet(read_graph_file(graph)), output, as_json, claim)


@generate.command(
    "set-multicover",
    epilog=epilog("generate set-multicover sets.txt --picks 3 -o multicover.csv"),
)
@click.argument("sets", type=_FILE)
@click.option("--picks", type=int, required=True, help="Number of sets to pick.")
@click.option("--demand", type=int, default=1, show_default=True, help="Times to cover an element.")
@_shared_options
def set_multicover(sets: Path, picks: int, demand: int, output: Path, as_json: bool) -> None:
    """Pick sets of the file SETS such that they cover each element often enough.

    It is possible exactly if the total size of an ensemble for the table can be small enough.
    """
    _write(lambda: instances.SetMulticover(read_set_file(sets), picks, demand), output, as_json)


@generate.command(
    "multicoloring",
    epilog=epilog("generate multicoloring graph.txt --colours 3 -o colouring.csv"),
)
@click.argument("graph", type=_FILE)
@click.option("--colours", type=int, required=True, help="Number of colours.")
@click.option("--demand", type=int, default=1, show_default=True, help="Colours per vertex.")
@_shared_options
def multicoloring(graph: Path, colours: int, demand: int, output: Path, as_json: bool) -> None:
    """Colour the vertices of the file GRAPH such that neighbours share no colour.

    It is possible exactly if the total size of an ensemble for the table can be small enough.
    """
    _write(
        lambda: instances.Multicoloring(read_graph_file(graph), colours, demand), output, as_json
    )


@generate.command(
    "partitioned-subgraph-isomorphism",
    epilog=epilog(
        "generate partitioned-subgraph-isomorphism graph.txt pattern.txt "
        "--colours colours.txt -o isomorphism.csv",
    ),
)
@click.argument("graph", type=_FILE)
@click.argument("pattern", type=_FILE)
@click.option(
    "--colours",
    type=_FILE,
    required=True,
    help="File of one vertex of GRAPH and its colour, a vertex of PATTERN, per line.",
)
@_shared_options
def partitioned_subgraph_isomorphism(
    graph: Path, pattern: Path, colours: Path, output: Path, as_json: bool
) -> None:
    """Find the graph of the file PATTERN in the coloured graph of the file GRAPH.

    It is there exactly if a tree for the table can be small enough.
    """
    _write(
        lambda: instances.PartitionedSubgraphIsomorphism(
            read_graph_file(graph), read_graph_file(pattern), read_colour_file(colours)
        ),
        output,
        as_json,
    )


@generate.command("parity", epilog=epilog("generate parity --n-trees 3 --size 2 -o parity.csv"))
@click.option("--n-trees", type=int, required=True, help="Number of features and trees; odd.")
@click.option("--size", type=int, required=True, help="The largest value, and the size of a tree.")
@_shared_options
def parity(n_trees: int, size: int, output: Path, as_json: bool) -> None:
    """Tuples labeled by whether more numbers are even or odd: hard for a single tree."""
    _write(lambda: instances.Parity(n_trees, size), output, as_json)


@generate.command(
    "planted",
    epilog=epilog("generate planted --rows 100 --features 4 --size 3 --noise 5 -o planted.csv"),
)
@click.option("--rows", type=int, required=True, help="Number of examples.")
@click.option("--features", type=int, required=True, help="Number of features.")
@click.option("--size", type=int, required=True, help="Nodes of the planted tree.")
@click.option("--values", type=int, default=2, show_default=True, help="Values of each feature.")
@click.option("--classes", type=int, default=2, show_default=True, help="Number of classes.")
@click.option("--noise", type=int, default=0, show_default=True, help="Number of changed labels.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random table.")
@_shared_options
def planted(output: Path, as_json: bool, **parameters: int) -> None:
    """Random examples labeled by a random tree, with some labels changed."""
    size, noise = parameters["size"], parameters["noise"]
    claim = f"a tree of size {size} makes {noise} errors, so the minimum size is at most {size}"
    _write(lambda: instances.Planted(**parameters), output, as_json, claim, noise)


@generate.command("lemma10", epilog=epilog("generate lemma10 size -o lemma10.csv"))
@click.argument("quantity", type=click.Choice(["size", "depth"]))
@_shared_options
def lemma10(quantity: str, output: Path, as_json: bool) -> None:
    """Write a table for which no minimal support set suffices for a tree of minimum QUANTITY."""
    _write(lambda: instances.Lemma10(quantity), output, as_json)
