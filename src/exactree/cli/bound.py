"""The command `exactree bound`: lower and upper bounds on the VC dimension of a tree."""

import json
from math import comb
from pathlib import Path

import click

from exactree.cli.endings import epilog
from exactree.cli.lists import list_option
from exactree.cli.model_file import read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import Counts
from exactree.data.parameters import count
from exactree.files import write_text
from exactree.progress import live_progress
from exactree.theory import (
    Features,
    VCBounds,
    draw_vc_bounds,
    shape_of,
    vc_bounds,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from exactree.trees import Tree
from exactree.trees.checks import refuse_level_sets
from exactree.trees.routing import EQUAL, NO_CHILD


@click.command(
    cls=Command,
    short_help="Bound the VC dimension of a tree.",
    epilog=epilog("bound model.json", "bound --figure --depth 3 -o bounds.svg"),
)
@click.argument("model", type=click.Path(path_type=Path), required=False)
@click.option("--figure", is_flag=True, help="Bound all shapes of depth at most --depth.")
@click.option(
    "--features",
    "n_features",
    type=click.IntRange(min=0),
    help="Number of numeric features; by default those of MODEL, or 10 with --figure.",
)
@list_option(
    "--nominal",
    kind=Counts(),
    help="Numbers of categories of the nominal features, by commas: 3,5 for two features.",
)
@click.option(
    "--depth",
    type=click.IntRange(0, 4),
    default=3,
    show_default=True,
    help="Maximum depth of the shapes of --figure.",
)
@click.option("-o", "--output", type=NewFile(".svg"), help="Draw the bounds to an .svg.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def bound(
    model: Path | None,
    figure: bool,
    n_features: int | None,
    nominal: tuple[int, ...] | None,
    depth: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Bound the VC dimension of all trees with the shape of MODEL.

    If MODEL splits on lines or other surfaces, the rules are all surfaces of its degree in its
    features, and also thresholds if some node has one; --features is then the number of features
    on which surfaces may depend.

    With --figure and no model, bound all 11 shapes of depth at most 3, for 10 features.
    """
    if figure == (model is not None):
        raise click.UsageError("give either a MODEL or --figure.")
    if model is None:
        numeric = 10 if n_features is None else n_features
        with live_progress(not as_json, text="computing bounds of all shapes"):
            bounds = vc_bounds(depth, Features(numeric, nominal=nominal or ()))
    else:
        bounds = [_of_model(model, n_features, nominal or ())]
    if output is not None:
        write_text(output, draw_vc_bounds(bounds))
    click.echo(json.dumps([_entry(entry) for entry in bounds]) if as_json else _table(bounds))


def _of_model(path: Path, n_features: int | None, nominal: tuple[int, ...]) -> VCBounds:
    tree = read_model(path).tree
    refuse_level_sets(tree, "exactree bound")
    rules = zip(tree.feature, tree.comparison, strict=True)
    codes = {int(feature) for feature, comparison in rules if comparison == EQUAL}
    if len(codes) > len(nominal):
        raise ValueError(
            f"the tree splits on codes of {count(len(codes), 'feature')}; give the numbers of "
            "categories with --nominal."
        )
    numeric = max(tree.n_features - len(nominal), 0) if n_features is None else n_features
    shape, features = shape_of(tree), _features_of(tree, numeric, nominal)
    lower = vc_dimension_lower_bound(shape, features)
    return VCBounds(shape, lower, vc_dimension_upper_bound(shape, features))


def _features_of(tree: Tree, numeric: int, nominal: tuple[int, ...]) -> Features:
    """Return the rules of a tree: thresholds, codes, and surfaces of its degree, if it has any."""
    if not len(tree.surfaces):
        return Features(numeric, nominal=nominal)
    degree = max(sum(monomial) for monomial in tree.surfaces.monomials)
    terms = comb(numeric + degree, degree) - 1
    inner = tree.feature[tree.children_left != NO_CHILD]
    codes = tree.comparison[tree.children_left != NO_CHILD] == EQUAL
    has_thresholds = bool(((inner < tree.n_features) & ~codes).any())
    return Features(numeric if has_thresholds else 0, nominal=nominal, surfaces=(terms,))


def _entry(bounds: VCBounds) -> dict[str, str | int]:
    return {
        "shape": bounds.shape.code,
        "leaves": bounds.shape.leaves,
        "depth": bounds.shape.depth,
        "lower": bounds.lower,
        "upper": bounds.upper,
    }


def _table(bounds: list[VCBounds]) -> str:
    """Return a line for each shape, with a bar from its lower to its upper bound."""
    lines = ["leaves depth lower upper"]
    for entry in bounds:
        numbers = (entry.shape.leaves, entry.shape.depth, entry.lower, entry.upper)
        bar = " " * entry.lower + "#" * (entry.upper - entry.lower + 1)
        cells = "".join(f"{number:6}" for number in numbers)
        lines.append(f"{cells}  {bar}")
    return "\n".join(lines)
