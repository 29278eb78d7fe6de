"""The options of the command line that say what is asked of a table: the words of `Problem`."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Any

import click

from exactree.cli.encoding import features_named
from exactree.cli.examples import Examples
from exactree.cli.options import CountOrShare, Exact, LeavesOf, OrWord, Quantities
from exactree.estimators.classifier import depth_limit
from exactree.objectives import ERROR_TERMS
from exactree.problem import Limits, Problem
from exactree.problem.quantities import error_term
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed, RuleFamily

# The families of rules by their names here, for some features or, with None, for all.
FAMILIES: dict[str, Callable[[tuple[int, ...] | None], RuleFamily]] = {
    "axis-parallel": AxisParallel,
    "hyperplanes": Hyperplanes,
    "degree-two": lambda features: Hypersurfaces(2, features),
    "mixed": lambda features: Mixed(
        (AxisParallel(features), Hyperplanes(features), Hypersurfaces(2, features))
    ),
}

# What a task minimizes by default, the most common of its kinds of errors.
TASKS = {"classification": "errors", "regression": "squared_error"}

_OPTIONS = [
    click.option(
        "--task", type=click.Choice(list(TASKS)), default="classification", show_default=True,
        help="Whether the target is a class or a number.",
    ),
    click.option(
        "--minimize", type=Quantities(),
        help="errors (of a regression squared_error or absolute_error), size or depth, or several "
        "by commas, the most important first.  [default: errors or squared_error]",
    ),
    click.option(
        "--max-depth", type=OrWord(int, "none", "auto"), default="auto", show_default=True,
        help="Nodes on a path; auto is 3 when errors come first, else none.",
    ),
    click.option("--max-size", type=OrWord(int, "none"), help="Inner nodes of the tree."),
    click.option(
        "--max-errors", type=Exact(),
        help="Weight that the tree may misclassify; no limit when errors come first, else 0.",
    ),
    click.option("--min-samples-leaf", type=CountOrShare(), default=1, help="Rows in every leaf."),
    click.option(
        "--max-leaves-of", type=LeavesOf(), multiple=True,
        help="Leaves that may predict a label; may be given once for each.",
    ),
    click.option(
        "--leaf-penalty", type=Exact(), default=0,
        help="Price of a leaf, as an error rate; of a regression, as a mean error.",
    ),
    click.option(
        "--rules", type=click.Choice(list(FAMILIES)), default="axis-parallel", show_default=True,
        help="What a node may ask: one feature, a hyperplane, a surface of degree two, or any.",
    ),
    click.option(
        "--features", metavar="COLUMNS",
        help="The only columns that nodes may ask, divided by commas; all by default.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What is asked of a table: the values of the options above."""

    task: str
    minimize: str | tuple[str, ...]
    max_depth: int | str | None
    max_size: int | None
    max_errors: int | Fraction | None
    min_samples_leaf: int | float
    max_leaves_of: tuple[tuple[str, int], ...]
    leaf_penalty: int | Fraction
    rules: str
    features: str | None

    def __post_init__(self) -> None:
        names = self.minimize if isinstance(self.minimize, tuple) else (self.minimize,)
        if (error_term(names) != "errors") != self.regression:
            raise click.UsageError(
                "--task regression goes with squared_error or absolute_error in --minimize, "
                "--task classification with errors, size or depth alone."
            )
        if self.regression and (self.max_errors is not None or self.max_leaves_of):
            raise click.UsageError("--max-errors and --max-leaves-of are about classes.")
        named = [label for label, _ in self.max_leaves_of]
        if len(set(named)) < len(named):
            raise click.UsageError("--max-leaves-of names a label twice.")
        if self.leaf_penalty and not any(name in ERROR_TERMS for name in names):
            raise click.UsageError("--leaf-penalty needs errors in --minimize.")

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.task == "regression"

    def of(self, examples: Examples) -> Problem:
        """Return the problem that asks this of a table."""
        # Labels of a table may be integers; on the command line they are words.
        labels = {str(label): label for label in examples.labels.tolist()}
        leaves = {labels.get(word, word): most for word, most in self.max_leaves_of}
        limits = Limits(
            max_depth=depth_limit(self.max_depth, self.minimize),
            max_size=self.max_size,
            max_errors=self.max_errors,
            min_samples_leaf=self.min_samples_leaf,
            max_leaves_of=leaves or None,
        )
        return Problem(
            examples.X,
            examples.labels,
            sample_weight=examples.weights,
            minimize=self.minimize,
            leaf_penalty=self.leaf_penalty,
            categories=examples.categories,
            rules=FAMILIES[self.rules](features_named(examples.encoding, self.features)),
            limits=limits,
        )


def problem_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options above; it gets their values as `asked`."""

    @wraps(command)
    def asked_command(**values: Any) -> None:
        asked = {name: values.pop(name) for name in Asked.__dataclass_fields__}
        if asked["minimize"] is None:
            asked["minimize"] = TASKS[asked["task"]]
        command(asked=Asked(**asked), **values)

    for option in reversed(_OPTIONS):
        asked_command = option(asked_command)
    return asked_command
