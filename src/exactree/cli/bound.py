"""The command `exactree bound`: between what numbers the VC dimension of a tree lies."""

import json
from pathlib import Path

import click

from exactree.cli.endings import EXIT_CODES, one_sentence
from exactree.cli.model_file import read_model
from exactree.cli.options import NewFile
from exactree.theory import (
    VCBounds,
    draw_vc_bounds,
    shape_of,
    vc_bounds,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from exactree.trees.shape import EQUAL


@click.command(epilog=EXIT_CODES)
@click.argument("model", type=click.Path(path_type=Path), required=False)
@click.option("--figure", is_flag=True, help="All shapes of at most --depth, not one model.")
@click.option(
    "--features",
    "n_features",
    type=click.IntRange(min=1),
    help="Number of features; by default those of MODEL, 10 with --figure.",
)
@click.option(
    "--depth",
    type=click.IntRange(0, 4),
    default=3,
    show_default=True,
    help="Greatest depth of the shapes of --figure.",
)
@click.option("-o", "--output", type=NewFile(".svg"), help="Draw the bounds into an .svg.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bound(
    model: Path | None,
    figure: bool,
    n_features: int | None,
    depth: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Bound the VC dimension of trees that have the shape of MODEL.

    With --figure and no model: of the 11 shapes of depth at most 3, for 10 features.
    """
    if figure == (model is not None):
        raise click.UsageError("give either a MODEL or --figure.")
    with one_sentence():
        if model is None:
            bounds = vc_bounds(depth, n_features or 10)
        else:
            bounds = [_of_model(model, n_features)]
        if output is not None:
            output.write_text(draw_vc_bounds(bounds), encoding="utf-8")
        click.echo(json.dumps([_entry(one) for one in bounds]) if as_json else _table(bounds))


def _of_model(path: Path, n_features: int | None) -> VCBounds:
    tree = read_model(path).tree
    if EQUAL in tree.comparison or len(tree.surfaces):
        kind = "surfaces" if len(tree.surfaces) else "codes of categories"
        raise ValueError(f"the tree asks for {kind}; bounds are known for thresholds only.")
    shape, d = shape_of(tree), n_features or tree.n_features
    lower, upper = vc_dimension_lower_bound(shape, d), vc_dimension_upper_bound(shape, d)
    return VCBounds(shape, lower, upper)


def _entry(one: VCBounds) -> dict[str, str | int]:
    return {
        "shape": one.shape.code,
        "leaves": one.shape.leaves,
        "depth": one.shape.depth,
        "lower": one.lower,
        "upper": one.upper,
    }


def _table(bounds: list[VCBounds]) -> str:
    """Return a line for each shape, with a bar from its lower to its upper bound."""
    lines = ["leaves depth lower upper"]
    for one in bounds:
        numbers = (one.shape.leaves, one.shape.depth, one.lower, one.upper)
        bar = " " * one.lower + "#" * (one.upper - one.lower + 1)
        cells = "".join(f"{number:6}" for number in numbers)
        lines.append(f"{cells}  {bar}")
    return "\n".join(lines)
