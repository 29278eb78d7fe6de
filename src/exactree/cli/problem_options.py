"""Command-line options that define the problem: objective, limits, rules and constraints."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Any

import click

from exactree.cli.encoding import features_named
from exactree.cli.endings import BadTable
from exactree.cli.examples import CsvExamples
from exactree.cli.lists import columns_option, list_option
from exactree.cli.options import (
    ClassWeight,
    CostOf,
    CountOrShare,
    Exact,
    LeavesOfOption,
    OrWord,
    Quantities,
)
from exactree.objectives import ERROR_TERMS, RATES, REGRESSION_TERMS
from exactree.problem import Constraints, Limits, Problem
from exactree.problem.limits import depth_limit
from exactree.problem.quantities import error_term, read_quantities
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed, RuleFamily

# Rule families by option value, for some features or, with None, for all.
FAMILIES: dict[str, Callable[[tuple[int, ...] | None], RuleFamily]] = {
    "axis-parallel": AxisParallel,
    "hyperplanes": Hyperplanes,
    "degree-two": lambda features: Hypersurfaces(2, features),
    "mixed": lambda features: Mixed(
        (AxisParallel(features), Hyperplanes(features), Hypersurfaces(2, features))
    ),
}

# The default objective of each task.
TASKS = {"classification": "errors", "regression": "squared_error"}

# The default objective of an ensemble, as in `OptimalEnsembleClassifier`.
ENSEMBLE_OBJECTIVE = "total_size"

task_option = click.option(
    "--task", type=click.Choice(list(TASKS)), default="classification", show_default=True,
    help="Whether the target is a class or a number.",
)  # fmt: skip

_OPTIONS = [
    task_option,
    click.option(
        "--n-trees", type=click.IntRange(1), default=1, show_default=True,
        help="Number of trees; several trees predict by majority vote.",
    ),
    list_option(
        "--minimize", kind=Quantities(),
        help="errors, balanced_error, log_loss, gini (in a regression squared_error or "
        "absolute_error), size or depth, or several separated by commas, the most important first; "
        "or f1_error, precision_error or recall_error. For several trees errors, total_size, "
        "largest_size, total_depth or largest_depth.  "
        "[default: errors, squared_error, or for several trees total_size]",
    ),
    click.option(
        "--max-depth", type=OrWord(int, "none", "auto"), default="auto", show_default=True,
        help="Maximum depth; auto is 3 if errors come first, else none.",
    ),
    click.option("--max-size", type=OrWord(int, "none"), help="Maximum inner nodes of a tree."),
    click.option(
        "--max-total-size", type=OrWord(int, "none"), help="Maximum inner nodes of all trees.",
    ),
    click.option(
        "--max-errors", type=Exact(),
        help="Maximum misclassified weight; no limit if errors come first, else 0.",
    ),
    click.option("--min-samples-leaf", type=CountOrShare(), default=1, help="Minimum leaf size."),
    click.option(
        "--min-weight-fraction-leaf", type=Exact(), default=0,
        help="Minimum weight of a leaf, as a fraction of the total.",
    ),
    click.option(
        "--max-leaves-of", type=LeavesOfOption(), multiple=True,
        help="Maximum leaves that predict a label, once per label; a number alone is a limit for "
        "one label, whichever is best.",
    ),
    click.option(
        "--class-weight", type=ClassWeight(), multiple=True,
        help="Factor on the weight of the rows of a label, once per label; or balanced, which "
        "gives all labels the same total weight.",
    ),
    click.option(
        "--cost", type=CostOf(), multiple=True,
        help="Cost of predicting a label for rows of another label, once per pair.",
    ),
    click.option(
        "--smoothing", type=OrWord(float, "none", "laplace"), default="none",
        help="Smoothing of the class shares in leaves, for log_loss and gini.",
    ),
    click.option("--positive", help="The positive label of F1, precision and recall."),
    click.option("--min-precision", type=Exact(), help="Minimum precision, with a rate."),
    click.option("--min-recall", type=Exact(), help="Minimum recall, with a rate."),
    click.option(
        "--leaf-penalty", type=Exact(), default=0,
        help="Price of a leaf, as an error rate; in a regression, as a mean error.",
    ),
    click.option(
        "--rules", type=click.Choice(list(FAMILIES)), default="axis-parallel", show_default=True,
        help="Allowed rules: one feature, a hyperplane, a surface of degree two, or all of these.",
    ),
    columns_option(
        "--features", help="Columns that nodes may use, separated by commas; all by default.",
    ),
    columns_option(
        "--increasing",
        help="Columns in which the share of the second class, or the predicted value, must not "
        "decrease, separated by commas.",
    ),
    columns_option("--decreasing", help="Columns in which it must not increase."),
    columns_option("--required", help="Columns that the tree must use."),
    click.option("--max-features", type=OrWord(int, "none"), help="Maximum columns of a tree."),
    click.option(
        "--feature-penalty", type=Exact(), default=0,
        help="Price of every column that the tree uses, in the unit of --leaf-penalty.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class ProblemArguments:
    """Values of the options that define a problem."""

    task: str
    n_trees: int
    minimize: str | tuple[str, ...]
    max_depth: int | str | None
    max_size: int | None
    max_total_size: int | None
    max_errors: int | Fraction | None
    min_samples_leaf: int | float
    min_weight_fraction_leaf: int | Fraction
    max_leaves_of: tuple[tuple[str | None, int], ...]
    class_weight: tuple[str | tuple[str, int | Fraction], ...]
    cost: tuple[tuple[str, str, int | Fraction], ...]
    smoothing: float | str | None
    positive: str | None
    min_precision: int | Fraction | None
    min_recall: int | Fraction | None
    leaf_penalty: int | Fraction
    rules: str
    features: tuple[str, ...] | None
    increasing: tuple[str, ...] | None
    decreasing: tuple[str, ...] | None
    required: tuple[str, ...] | None
    max_features: int | None
    feature_penalty: int | Fraction

    def __post_init__(self) -> None:
        if self.regression and self.n_trees > 1:
            raise click.UsageError("--task regression supports one tree only.")
        try:
            names = read_quantities(self.minimize, self.n_trees, "--minimize")
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        if self.max_total_size is not None and self.n_trees == 1:
            raise click.UsageError("--max-total-size needs --n-trees of at least 2.")
        if (error_term(names) in REGRESSION_TERMS) != self.regression:
            raise click.UsageError(
                "--task regression needs squared_error or absolute_error in --minimize, and these "
                "need --task regression."
            )
        class_options = (self.max_errors, self.max_leaves_of or None, self.class_weight or None)
        if self.regression and any(given is not None for given in class_options):
            raise click.UsageError(
                "--max-errors, --max-leaves-of and --class-weight need --task classification."
            )
        if "balanced" in self.class_weight and len(self.class_weight) > 1:
            raise click.UsageError("--class-weight must be balanced or factors, not both.")
        for option, given in (
            ("--max-leaves-of", self.max_leaves_of),
            ("--class-weight", self.class_weight),
        ):
            labels = [word if isinstance(word, str) else word[0] for word in given]
            if len(set(labels)) < len(labels):
                raise click.UsageError(f"{option} names a label twice.")
            if None in labels and len(labels) > 1:
                raise click.UsageError(f"{option} must be a number alone or name labels, not both.")
        prices = {"--leaf-penalty": self.leaf_penalty, "--feature-penalty": self.feature_penalty}
        for option, price in prices.items():
            if price and not any(name in (*ERROR_TERMS, *RATES) for name in names):
                raise click.UsageError(f"{option} needs errors in --minimize.")

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.task == "regression"

    def problem_of(self, examples: CsvExamples, *, quiet: bool) -> Problem:
        """Return the problem that these options define for a table.

        Unless it is quiet, say which share increases in columns of --increasing.
        """
        parameters = self._parameters(examples)
        limits = Limits(**self._limits(examples))
        given: dict[str, Any] = {
            "sample_weight": examples.weights,
            "n_trees": self.n_trees,
            "limits": limits,
        }
        problem = Problem(examples.X, examples.labels, **given, **parameters)
        if not quiet and problem.feature_constraints.in_shares:
            directions = {"increasing": self.increasing, "decreasing": self.decreasing}
            used = " and ".join(name for name, columns in directions.items() if columns)
            label = problem.dataset.classes.tolist()[-1]
            if used:
                click.echo(f"exactree: {used}: share of {str(label)!r}", err=True)
        return problem

    def estimator_of(self, examples: CsvExamples, **options: Any) -> Any:
        """Return the unfitted estimator with these options, for one tree.

        Parameters
        ----------
        examples : CsvExamples
            The table.
        **options
            Parameters of the search, such as the time limit.
        """
        from exactree.estimators import OptimalTreeClassifier, OptimalTreeRegressor

        if self.n_trees > 1:
            raise click.UsageError("--n-trees must be 1 here.")
        parameters = self._parameters(examples) | self._limits(examples) | options
        del parameters["max_total_size"]
        kind = OptimalTreeRegressor if self.regression else OptimalTreeClassifier
        # A regressor lacks the parameters of classes, which have their defaults here.
        known = inspect.signature(kind).parameters
        return kind(**{name: value for name, value in parameters.items() if name in known})

    def _limits(self, examples: CsvExamples) -> dict[str, Any]:
        """Return the parameters of `Limits`."""
        labels = _labels_by_text(examples)
        leaves: dict[Any, int] | int = {
            labels.get(word, word): limit for word, limit in self.max_leaves_of if word is not None
        }
        for word, limit in self.max_leaves_of:
            leaves = limit if word is None else leaves  # a number alone is the only entry
        return {
            "max_depth": depth_limit(self.max_depth, self.minimize),
            "max_size": self.max_size,
            "max_total_size": self.max_total_size,
            "max_errors": self.max_errors,
            "min_samples_leaf": self.min_samples_leaf,
            "min_weight_fraction_leaf": self.min_weight_fraction_leaf,
            "max_leaves_of": leaves if self.max_leaves_of else None,
            "min_precision": self.min_precision,
            "min_recall": self.min_recall,
        }

    def _parameters(self, examples: CsvExamples) -> dict[str, Any]:
        """Return the parameters that `Problem` and the estimators share."""
        labels = _labels_by_text(examples)
        return {
            "minimize": self.minimize,
            "leaf_penalty": self.leaf_penalty,
            "class_weight": self._factors(labels),
            "cost_matrix": self._costs(labels),
            "smoothing": self.smoothing,
            "positive": labels.get(self.positive or "", self.positive),
            "categories": examples.categories,
            "rules": FAMILIES[self.rules](features_named(examples.encoding, self.features)),
            "monotonic_cst": self._directions(examples),
            "feature_penalty": self.feature_penalty,
            "constraints": Constraints(
                required=features_named(examples.encoding, self.required, "--required") or (),
                max_features=self.max_features,
            ),
        }

    def _directions(self, examples: CsvExamples) -> dict[int, int] | None:
        """Return the directions of columns for `Problem`."""
        rising = features_named(examples.encoding, self.increasing, "--increasing") or ()
        falling = features_named(examples.encoding, self.decreasing, "--decreasing") or ()
        if set(rising) & set(falling):
            raise BadTable(
                "--increasing and --decreasing name the same column.",
                "leave it out of one of them.",
            )
        return dict.fromkeys(rising, 1) | dict.fromkeys(falling, -1) or None

    def _costs(self, labels: dict[str, Any]) -> dict[Any, dict[Any, int | Fraction]] | None:
        """Return the cost matrix for `Problem`."""
        costs: dict[Any, dict[Any, int | Fraction]] = {}
        for true, predicted, cost in self.cost:
            costs.setdefault(labels.get(true, true), {})[labels.get(predicted, predicted)] = cost
        return costs or None

    def _factors(self, labels: dict[str, Any]) -> dict[Any, int | Fraction] | str | None:
        """Return the class weights for `Problem`."""
        if "balanced" in self.class_weight:
            return "balanced"
        factors = (given for given in self.class_weight if not isinstance(given, str))
        return {labels.get(word, word): factor for word, factor in factors} or None


def _labels_by_text(examples: CsvExamples) -> dict[str, Any]:
    """Return the labels by their text; on the command line all labels are text."""
    return {str(label): label for label in examples.labels.tolist()}


def problem_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options above to a command, which gets their values as `arguments`."""

    @wraps(command)
    def command_with_arguments(**values: Any) -> None:
        arguments = {name: values.pop(name) for name in ProblemArguments.__dataclass_fields__}
        if arguments["minimize"] is None:
            one_tree = arguments["n_trees"] == 1 or arguments["task"] == "regression"
            arguments["minimize"] = TASKS[arguments["task"]] if one_tree else ENSEMBLE_OBJECTIVE
        elif len(arguments["minimize"]) == 1:
            arguments["minimize"] = arguments["minimize"][0]
        command(arguments=ProblemArguments(**arguments), **values)

    for option in reversed(_OPTIONS):
        command_with_arguments = option(command_with_arguments)
    return command_with_arguments
