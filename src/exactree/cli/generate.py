"""The command `exactree generate`: one sub-command for each family of instances."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from exactree import instances
from exactree.cli.endings import EXIT_CODES, one_sentence
from exactree.cli.options import NewFile
from exactree.cli.originals import read_colour_file, read_graph_file, read_set_file

_FILE = click.Path(path_type=Path)
_output = click.option("-o", "--output", type=NewFile(), required=True, help="Write the CSV here.")


@click.group(epilog=EXIT_CODES)
def generate() -> None:
    """Write a hard or a known table as CSV, its labels in the column "label".

    Files of sets have one set per line, elements divided by blanks. Files of graphs have one edge
    per line (two vertices); a line of one word is a vertex.
    """


def _write(stated: Callable[[], Any], output: Path) -> None:
    """State the original problem, write its table, and say what the table asks."""
    with one_sentence():
        instance = stated().apply()
        if not isinstance(instance, instances.Instance):  # a reduction to another problem
            instance = instance.apply()
        instance.write_csv(output)
        rows, columns = instance.X.shape
        click.echo(f"{output}: {rows:,} examples, {columns:,} features")
        quantity = instance.minimize.replace("_", " ")
        trees = f" of {instance.n_trees} trees" if instance.n_trees > 1 else ""
        if instance.budget is not None:
            click.echo(f"yes exactly if the least {quantity}{trees} is at most {instance.budget}")
        for name, optimum in instance.known.items():
            click.echo(f"the least {name} of a tree without errors is {optimum}")


@generate.command("hitting-set")
@click.argument("sets", type=_FILE)
@_output
def hitting_set(sets: Path, output: Path) -> None:
    """Fewest elements that hit every set of the file SETS; least size and depth."""
    _write(lambda: instances.HittingSet(read_set_file(sets)), output)


@generate.command("set-cover")
@click.argument("sets", type=_FILE)
@_output
def set_cover(sets: Path, output: Path) -> None:
    """Fewest sets of the file SETS that cover all elements; least size and depth."""
    _write(lambda: instances.SetCover(read_set_file(sets)), output)


@generate.command("dominating-set")
@click.argument("graph", type=_FILE)
@_output
def dominating_set(graph: Path, output: Path) -> None:
    """Fewest vertices next to all others in the file GRAPH; least size and depth."""
    _write(lambda: instances.DominatingSet(read_graph_file(graph)), output)


@generate.command("set-multicover")
@click.argument("sets", type=_FILE)
@click.option("--picks", type=int, required=True, help="How many sets are picked.")
@click.option("--demand", type=int, default=1, show_default=True, help="Sets for each element.")
@_output
def set_multicover(sets: Path, picks: int, demand: int, output: Path) -> None:
    """Pick from the file SETS such that each element is held often enough; ensembles."""
    _write(lambda: instances.SetMulticover(read_set_file(sets), picks, demand), output)


@generate.command("multicoloring")
@click.argument("graph", type=_FILE)
@click.option("--colours", type=int, required=True, help="How many colours there are.")
@click.option("--demand", type=int, default=1, show_default=True, help="Colours for each vertex.")
@_output
def multicoloring(graph: Path, colours: int, demand: int, output: Path) -> None:
    """Colours for the file GRAPH such that neighbours share none; ensembles."""
    _write(lambda: instances.Multicoloring(read_graph_file(graph), colours, demand), output)


@generate.command("partitioned-subgraph-isomorphism")
@click.argument("graph", type=_FILE)
@click.argument("pattern", type=_FILE)
@click.option(
    "--colours",
    type=_FILE,
    required=True,
    help="File of one vertex of GRAPH and its colour, a vertex of PATTERN, per line.",
)
@_output
def partitioned_subgraph_isomorphism(
    graph: Path, pattern: Path, colours: Path, output: Path
) -> None:
    """Find the file PATTERN inside the coloured file GRAPH; least size."""
    _write(
        lambda: instances.PartitionedSubgraphIsomorphism(
            read_graph_file(graph), read_graph_file(pattern), read_colour_file(colours)
        ),
        output,
    )


@generate.command("parity")
@click.option("--n-trees", type=int, required=True, help="Number of features; odd.")
@click.option("--size", type=int, required=True, help="The largest value.")
@_output
def parity(n_trees: int, size: int, output: Path) -> None:
    """Tuples labeled by whether more of them are even or odd: hard for a single tree."""
    _write(lambda: instances.Parity(n_trees, size), output)


@generate.command("planted")
@click.option("--rows", type=int, required=True, help="Number of examples.")
@click.option("--features", type=int, required=True, help="Number of features.")
@click.option("--size", type=int, required=True, help="Nodes of the planted tree.")
@click.option("--values", type=int, default=2, show_default=True, help="Values of each feature.")
@click.option("--classes", type=int, default=2, show_default=True, help="Number of classes.")
@click.option("--noise", type=int, default=0, show_default=True, help="Labels that are changed.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, another table.")
@_output
def planted(output: Path, **how: int) -> None:
    """Random examples labeled by a random tree, with some labels changed."""
    _write(lambda: instances.Planted(**how), output)


@generate.command("lemma10")
@click.argument("quantity", type=click.Choice(["size", "depth"]))
@_output
def lemma10(quantity: str, output: Path) -> None:
    """Write the table on which no minimal support set carries a tree of least QUANTITY."""
    _write(lambda: instances.Lemma10(quantity), output)
