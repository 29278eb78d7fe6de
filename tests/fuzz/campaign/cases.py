"""Instances of the campaign: plain data, drawn from a seed and a number; their problems.

Instance k of seed s is the same on every machine and in every version of Python: it depends on
``random.Random(f"{s}/{k}")`` only, not on the package. It is plain data as in JSON: numbers, text,
lists; fractions are text ("1/7"), missing values None.
"""

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import exactree as xt
from exactree.problem.constraints import Constraints
from exactree.rules import AxisParallel, Hyperplanes

__all__ = ["Case", "draw", "problem_of", "tags"]

RATES = ("f1_error", "precision_error", "recall_error")
NUMBERS = ("squared_error", "absolute_error")
SHARES = ("log_loss", "gini")
# A repeated entry of a list is drawn more often.
KINDS = [
    *["errors"] * 4, "cost_matrix", "cost_matrix", "balanced_error", "balanced_error", *SHARES,
    *SHARES, *RATES, *NUMBERS, *NUMBERS, "size", "size", "depth", "ensemble", "ensemble",
]  # fmt: skip
TUPLES = {
    "errors": [("errors", "size"), ("errors", "depth"), ("size", "errors"), ("depth", "errors")],
    "size": [("size", "depth"), ("depth", "size"), ("depth", "errors", "size")],
    "depth": [("depth", "size"), ("depth", "size", "errors")],
}
OF_ENSEMBLES = [
    "errors", "total_size", "largest_size", "total_depth", "largest_depth",
    ["errors", "total_size"], ["largest_depth", "total_size"],
]  # fmt: skip
WEIGHTS = [
    *["none"] * 3, "ones", "small", "small", "zeros", "fractions", "fractions", "heavy", "heavy",
    "mixed", "tiny",
]  # fmt: skip
TARGETS = [0.0, 1.0, -3.0, 2.5, 0.1, 1 / 3, 1e8, 1e8 + 1, 7.0, 7.0]
VALUES = [[0, 1], [0, 1, 2], [-2, -1, 0, 1, 2, 3], [0.1, 0.2, 0.30000000000000004, 1e8, -5e-324]]
COLUMN_TAGS = {"categories": "codes", "level_sets": "sets"}
STOPS = ("time_limit", "memory_limit", "stop_at_gap", "calls")
METHODS = ["witness", "box", "threshold", "support-sets", "subsets", "proper", "branch-and-bound"]


@dataclass(frozen=True)
class Case:
    """An instance: a problem, and options of its search.

    Attributes
    ----------
    parameters : dict
        The table and the other parameters of `Problem` that are set, as plain data.
    options : dict
        The parameters of `solve`, "start" (the incumbent of the search), and "calls" (the number of
        the call of `on_progress` that returns True).
    """

    parameters: dict[str, Any]
    options: dict[str, Any]


def draw(seed: int, number: int) -> Case:
    """Draw an instance."""
    random = Random(f"{seed}/{number}")
    kind = random.choice(KINDS)
    options = _options(random, kind)
    rows = random.randint(4, 8) if kind != "ensemble" else random.randint(3, 5)
    if "calls" in options:  # the first report comes after 0.1 s, so the search must be longer
        rows = random.randint(150, 400)
    X, codes = _table(random, rows)
    parameters: dict[str, Any] = {"X": X, **_objective(random, kind, rows, X)}
    parameters |= {"y": _labels(random, kind, X), **codes}
    parameters |= _matrix(random, parameters["y"]) if kind == "cost_matrix" else {}
    weights = _weights(random, rows)
    if weights is not None:
        parameters["sample_weight"] = weights
    parameters |= _class_factors(random, kind, parameters["y"])
    parameters |= _prices(random, parameters)
    parameters["limits"] = _limits(random, kind, parameters)
    parameters |= _constraints(random, parameters)
    if "calls" in options:
        parameters["limits"]["max_depth"] = random.choice([3, 4, 4])
    return Case(parameters, options)


def problem_of(case: Case) -> xt.Problem:
    """Return the problem of an instance; raises the errors of `Problem`."""
    parameters = dict(case.parameters)
    X, y = parameters.pop("X"), parameters.pop("y")
    limits = dict(parameters.pop("limits"))
    for name in ("max_errors", "min_weight_fraction_leaf", "min_precision", "min_recall"):
        if name in limits:
            limits[name] = Fraction(limits[name])
    if "max_leaves_of" in limits:
        limits["max_leaves_of"] = dict(limits["max_leaves_of"])
    features, sets = parameters.pop("features", None), parameters.pop("level_sets", False)
    rules = AxisParallel(features, level_sets=sets)
    if parameters.pop("surfaces", False):
        rules = Hyperplanes(features)
    for name in ("class_weight", "monotonic_cst"):
        if isinstance(parameters.get(name), list):
            parameters[name] = dict(parameters[name])
    if isinstance(parameters.get("class_weight"), dict):
        parameters["class_weight"] = {k: Fraction(v) for k, v in parameters["class_weight"].items()}
    if "feature_penalty" in parameters:
        parameters["feature_penalty"] = {f: Fraction(p) for f, p in parameters["feature_penalty"]}
    if "leaf_penalty" in parameters:
        parameters["leaf_penalty"] = Fraction(parameters["leaf_penalty"])
    if "cost_matrix" in parameters:
        parameters["cost_matrix"] = [list(map(Fraction, row)) for row in parameters["cost_matrix"]]
    if isinstance(parameters.get("minimize"), list):
        parameters["minimize"] = tuple(parameters["minimize"])
    if "constraints" in parameters:
        feature_constraints = dict(parameters["constraints"])
        if "only_below" in feature_constraints:
            feature_constraints["only_below"] = dict(feature_constraints["only_below"])
        parameters["constraints"] = Constraints(**feature_constraints)
    return xt.Problem(X, y, rules=rules, limits=xt.Limits(**limits), **parameters)


def tags(case: Case) -> dict[str, str]:
    """Return for each kind of choice a text with the choices of an instance."""
    parameters, options = case.parameters, case.options
    limits = parameters["limits"]
    minimize = parameters["minimize"]
    names = minimize if isinstance(minimize, list) else [minimize]
    kind = "+".join(names) if "cost_matrix" not in parameters else "cost_matrix"
    constraints = {"monotonic_cst", "feature_penalty"} & parameters.keys()
    constraints |= parameters.get("constraints", {}).keys()
    if "min_weight_fraction_leaf" in limits:
        constraints.add("min_weight_fraction_leaf")
    missing = any(value is None for row in parameters["X"] for value in row)
    text = any(isinstance(value, str) for row in parameters["X"] for value in row)
    columns = ["text"] if text else []
    columns += [word for name, word in COLUMN_TAGS.items() if name in parameters]
    stops = [name for name in STOPS if name in options]
    return {
        "kind": f"{kind} of {parameters['n_trees']} trees" if "n_trees" in parameters else kind,
        "limits": "+".join(sorted(limits)) or "none",
        "weights": _kind_of_weights(parameters.get("sample_weight")),
        "missing": "some" if missing else "none",
        "columns": "surfaces" if "surfaces" in parameters else "+".join(columns) or "numbers",
        "constraints": "+".join(sorted(constraints)) or "none",
        "price": "leaves" if "leaf_penalty" in parameters else "none",
        "factors": "class_weight" if "class_weight" in parameters else "none",
        "threads": str(options.get("n_jobs", 1)),
        "stop": "+".join(stops) or "none",
        "start": options.get("start", "none"),
        "method": options.get("method", "auto"),
    }


def _kind_of_weights(weights: list[Any] | None) -> str:
    if weights is None:
        return "none"
    whole = all(isinstance(weight, int) for weight in weights)
    size = "heavy" if max(weights) >= 2**20 else "light"
    return f"{'zero, ' if 0 in weights else ''}{size}, {'whole' if whole else 'real'}"


def _table(random: Random, rows: int) -> tuple[list[list[Any]], dict[str, Any]]:
    """Draw a table of numbers, codes and text with missing values, and parameters about columns."""
    width = random.randint(1, 3) if rows < 10 else random.randint(3, 6)
    columns: list[list[Any]] = []
    codes: list[int] = []
    text = False
    for feature in range(width):
        pick = random.random()
        values: list[Any] = random.choice(VALUES)
        if pick < 0.15:
            values = random.sample([4, -1, 0, 2, 7], random.randint(2, 4))
            codes.append(feature)
        elif pick < 0.25:
            values, text = random.sample(["a", "b", "c", "d"], random.randint(2, 4)), True
        elif rows > 10 and pick < 0.8:
            values = list(range(random.choice([10, 50, 200])))
        column = [random.choice(values) for _ in range(rows)]
        if random.random() < 0.2:
            column = [None if random.random() < 0.3 else value for value in column]
        columns.append(column)
    drawn: dict[str, Any] = {"categories": codes} if codes else {}
    if (codes or text) and random.random() < 0.3:
        drawn["level_sets"] = True
    if random.random() < 0.1:
        drawn["features"] = sorted(random.sample(range(width), random.randint(1, width)))
    whole = all(isinstance(v, int) for column in columns for v in column)
    if whole and not codes and rows < 9 and width < 3 and random.random() < 0.1:
        drawn["surfaces"] = True
    X = [list(row) for row in zip(*columns, strict=True)]
    if random.random() < 0.4:  # equal rows, of equal or of other labels
        X[-1] = list(X[0])
    return X, drawn


def _objective(random: Random, kind: str, rows: int, X: list[list[Any]]) -> dict[str, Any]:
    parameters: dict[str, Any] = {"minimize": "errors" if kind == "cost_matrix" else kind}
    if kind in TUPLES and random.random() < 0.4:
        parameters["minimize"] = list(random.choice(TUPLES[kind]))
    if kind == "ensemble":
        parameters = {"minimize": random.choice(OF_ENSEMBLES), "n_trees": random.choice([2, 3])}
    elif kind not in TUPLES and random.random() < 0.2:
        name = parameters["minimize"]
        tuples = [[name, "size"], ["size", name], [name, "depth"], ["depth", name, "size"]]
        parameters["minimize"] = random.choice(tuples)
    if kind in SHARES and random.random() < 0.6:
        parameters["smoothing"] = random.choice(["laplace", 0.5, 2])
    if kind in RATES and random.random() < 0.4:
        parameters["positive"] = random.choice([0, 1])
    return parameters


def _labels(random: Random, kind: str, X: list[list[Any]]) -> list[Any]:
    """Draw labels that two rules explain, without noise, with some noise, or only noise."""
    if kind in NUMBERS:
        values: list[Any] = random.choice([[0, 1], [0, 1, 2, 5, 9], TARGETS])
    else:
        values = list(range(2 if kind in RATES else random.choice([2, 2, 3, 4])))
        if kind not in RATES and random.random() < 0.2:
            values = ["no", "yes", "it is", "never"][: len(values)]
    noise = random.choice([0.0, 0.2, 1.0])
    first, last = X[0][0], X[0][-1]
    labels = []
    for row in X:
        label_index = (row[0] == first) + 2 * (row[-1] == last)
        labels.append(
            random.choice(values) if random.random() < noise else values[label_index % len(values)]
        )
    if kind in RATES:  # both classes are needed
        labels[:2] = values[:2]
    return labels


def _matrix(random: Random, y: list[Any]) -> dict[str, Any]:
    """Draw a cost matrix; most costs on the diagonal are 0."""
    costs = ["0", "1", "2", "5", "1/2", "1/3", "1000"]
    classes = len({*y})
    rows = [[random.choice(costs) for _ in range(classes)] for _ in range(classes)]
    for label in range(classes):
        if random.random() < 0.9:
            rows[label][label] = "0"
    return {"cost_matrix": rows}


def _weights(random: Random, rows: int) -> list[Any] | None:
    """Draw weights of one kind; seldom the total of integers exceeds the accepted maximum."""
    kind = random.choice(WEIGHTS)
    exponent = random.choice([20, 21, 22, 24, 30, 32, 40, 50, 53, 56, 58, 59])
    match kind:
        case "none":
            return None
        case "ones":
            return [1] * rows
        case "small":
            return [random.randint(1, 5) for _ in range(rows)]
        case "zeros":
            return [0 if random.random() < 0.3 else random.randint(1, 3) for _ in range(rows)]
        case "fractions":
            pool = random.choice([[0.25, 0.5, 1.5], [0.1, 0.2, 0.7, 1.0], [1 / 3, 1e-6, 1.0]])
            return [random.choice(pool) for _ in range(rows)]
        case "heavy":
            return [2**exponent + random.choice([-1, 0, 1, 3]) for _ in range(rows)]
        case "mixed":
            return [random.choice([1, 2, 2**exponent, 2**exponent + 1]) for _ in range(rows)]
        case _:
            return [random.choice([2.0**-40, 3 * 2.0**-41, 2.0**-60]) for _ in range(rows)]


def _class_factors(random: Random, kind: str, y: list[Any]) -> dict[str, Any]:
    if kind in NUMBERS or random.random() > 0.12:
        return {}
    if random.random() < 0.4:
        return {"class_weight": "balanced"}
    label = random.choice(y)
    return {"class_weight": [[label, random.choice(["3", "1/10", "5/2", "1048576"])]]}


def _prices(random: Random, parameters: dict[str, Any]) -> dict[str, Any]:
    """Draw a leaf penalty; seldom if no errors are minimized, where it is refused."""
    names = parameters["minimize"]
    error_terms = {"errors", "balanced_error", *SHARES, *RATES, *NUMBERS} & {
        *([names] if isinstance(names, str) else names)
    }
    if random.random() < (0.25 if error_terms else 0.03):
        return {"leaf_penalty": random.choice(["1/100", "1/20", "1/7", "1/3", "1/2", "1/1000"])}
    return {}


def _limits(random: Random, kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if random.random() < 0.8:
        limits["max_depth"] = random.choice([0, 1, 1, 2, 2, 2, 3])
    if random.random() < 0.3:
        limits["max_size"] = random.randint(0, 4)
    if random.random() < 0.25:
        limits["min_samples_leaf"] = random.choice([1, 2, 2, 3, 0.2, 0.34, 5])
    if random.random() < 0.1:
        limits["min_weight_fraction_leaf"] = random.choice(["1/10", "1/5", "1/3", "1/2"])
    plain = kind in ("errors", "size", "depth", "ensemble")
    if random.random() < (0.3 if plain else 0.01):
        limits["max_errors"] = random.choice(["0", "1", "2", "1/2", "3000000000000"])
    of_classes = kind not in (*RATES, *NUMBERS, "ensemble")
    if random.random() < (0.15 if of_classes else 0.01):
        labels = random.sample(sorted({*parameters["y"]}, key=str), 1)
        limits["max_leaves_of"] = [[label, random.randint(0, 2)] for label in labels]
    if random.random() < (0.2 if kind == "ensemble" else 0.05):
        limits["max_total_size"] = random.randint(0, 4)
    if kind in RATES or random.random() < 0.01:
        for name in ("min_precision", "min_recall"):
            if random.random() < 0.25:
                limits[name] = random.choice(["1/2", "2/3", "9/10", "1"])
    return limits


def _constraints(random: Random, parameters: dict[str, Any]) -> dict[str, Any]:
    """Draw constraints on the features of a tree; mostly none."""
    rare = "n_trees" in parameters or parameters["minimize"] in RATES or "surfaces" in parameters
    if random.random() > (0.02 if rare else 0.25):
        return {}
    width = len(parameters["X"][0])
    feature_constraints: dict[str, Any] = {}
    drawn: dict[str, Any] = {}
    for choice in random.sample(["up", "price", "needed", "below", "few"], random.randint(1, 2)):
        feature = random.randrange(width)
        match choice:
            case "up":
                drawn["monotonic_cst"] = [[feature, random.choice([-1, 1])]]
                if random.random() < 0.3:
                    feature_constraints["monotonic_in"] = "prediction"
            case "price":
                drawn["feature_penalty"] = [[feature, random.choice(["1/10", "1/7", "1/50", "1"])]]
            case "needed":
                feature_constraints["required"] = [feature]
            case "below" if width > 1:
                feature_constraints["only_below"] = [random.sample(range(width), 2)]
            case _:
                feature_constraints["max_features"] = random.randint(0, width)
    return drawn | ({"constraints": feature_constraints} if feature_constraints else {})


def _options(random: Random, kind: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if random.random() < 0.15:
        options["method"] = random.choice(METHODS)
    if random.random() < 0.25:
        options["n_jobs"] = random.choice([2, 3])
    pick = random.random()
    if pick < 0.12:
        options["time_limit"] = random.choice([1e-9, 1e-6, 1e-5, 1e-4, 1e-3])
    elif pick < 0.14:
        options["calls"] = random.choice([1, 1, 2, 3])
    elif pick < 0.30:
        options["stop_at_gap"] = random.choice([0.01, 0.1, 0.5, 0.9])
    elif pick < 0.34:
        options["memory_limit"] = random.choice([1, 1000, 100_000])
    if random.random() < (0.3 if kind != "ensemble" else 0.03):
        options["start"] = random.choice(["cart", "noise", "best", "warm", "warm"])
    return options
