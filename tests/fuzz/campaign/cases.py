"""Instances of the campaign: plain data, drawn from a seed and a number; their problems.

Instance k of seed s is the same on every machine and in every version of Python: it is drawn with
``random.Random(f"{s}/{k}")`` alone, and nothing of the package decides about it. It is plain data
that JSON holds: numbers, text, lists; fractions are text ("1/7"), missing values None.
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
# One entry of a list is drawn as often as it stands there.
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
METHODS = ["witness", "box", "threshold", "support-sets", "subsets", "proper", "branch-and-bound"]


@dataclass(frozen=True)
class Case:
    """An instance: what a problem states, and how it is solved.

    Attributes
    ----------
    stated : dict
        The table and the parameters of `Problem`, as plain data; what is not stated is left out.
    how : dict
        The parameters of `solve`, and "start" (what the search begins with), "calls" (the call of
        `on_progress` that returns True).
    """

    stated: dict[str, Any]
    how: dict[str, Any]


def draw(seed: int, number: int) -> Case:
    """Draw an instance."""
    random = Random(f"{seed}/{number}")
    kind = random.choice(KINDS)
    how = _how(random, kind)
    rows = random.randint(4, 8) if kind != "ensemble" else random.randint(3, 5)
    if (
        "calls" in how
    ):  # progress is reported after a tenth of a second, so there must be much to do
        rows = random.randint(150, 400)
    X, codes = _table(random, rows)
    stated: dict[str, Any] = {"X": X, **_objective(random, kind, rows, X)}
    stated |= {"y": _labels(random, kind, X), **codes}
    stated |= _matrix(random, stated["y"]) if kind == "cost_matrix" else {}
    weights = _weights(random, rows)
    if weights is not None:
        stated["sample_weight"] = weights
    stated |= _class_factors(random, kind, stated["y"])
    stated |= _prices(random, stated)
    stated["limits"] = _limits(random, kind, stated)
    stated |= _constraints(random, stated)
    if "calls" in how:
        stated["limits"]["max_depth"] = random.choice([3, 4, 4])
    return Case(stated, how)


def problem_of(case: Case) -> xt.Problem:
    """State the problem of an instance; raises what `Problem` raises."""
    stated = dict(case.stated)
    X, y = stated.pop("X"), stated.pop("y")
    limits = dict(stated.pop("limits"))
    for name in ("max_errors", "min_weight_fraction_leaf", "min_precision", "min_recall"):
        if name in limits:
            limits[name] = Fraction(limits[name])
    if "max_leaves_of" in limits:
        limits["max_leaves_of"] = dict(limits["max_leaves_of"])
    features, sets = stated.pop("features", None), stated.pop("level_sets", False)
    rules = AxisParallel(features, level_sets=sets)
    if stated.pop("surfaces", False):
        rules = Hyperplanes(features)
    for name in ("class_weight", "monotonic_cst"):
        if isinstance(stated.get(name), list):
            stated[name] = dict(stated[name])
    if isinstance(stated.get("class_weight"), dict):
        stated["class_weight"] = {k: Fraction(v) for k, v in stated["class_weight"].items()}
    if "feature_penalty" in stated:
        stated["feature_penalty"] = {f: Fraction(p) for f, p in stated["feature_penalty"]}
    if "leaf_penalty" in stated:
        stated["leaf_penalty"] = Fraction(stated["leaf_penalty"])
    if "cost_matrix" in stated:
        stated["cost_matrix"] = [list(map(Fraction, row)) for row in stated["cost_matrix"]]
    if isinstance(stated.get("minimize"), list):
        stated["minimize"] = tuple(stated["minimize"])
    if "constraints" in stated:
        feature_constraints = dict(stated["constraints"])
        if "only_below" in feature_constraints:
            feature_constraints["only_below"] = dict(feature_constraints["only_below"])
        stated["constraints"] = Constraints(**feature_constraints)
    return xt.Problem(X, y, rules=rules, limits=xt.Limits(**limits), **stated)


def tags(case: Case) -> dict[str, str]:
    """Say in one word for each kind of choice what an instance combines."""
    stated, how = case.stated, case.how
    limits = stated["limits"]
    minimize = stated["minimize"]
    names = minimize if isinstance(minimize, list) else [minimize]
    kind = "+".join(names) if "cost_matrix" not in stated else "cost_matrix"
    constraints = {*stated.get("constraints", {})} | {"monotonic_cst", "feature_penalty"} & {
        *stated
    }
    if "min_weight_fraction_leaf" in limits:
        constraints.add("min_weight_fraction_leaf")
    missing = any(value is None for row in stated["X"] for value in row)
    text = any(isinstance(value, str) for row in stated["X"] for value in row)
    stop = [name for name in ("time_limit", "memory_limit", "stop_at_gap", "calls") if name in how]
    return {
        "kind": f"{kind} of {stated['n_trees']} trees" if "n_trees" in stated else kind,
        "limits": "+".join(sorted(limits)) or "none",
        "weights": _kind_of_weights(stated.get("sample_weight")),
        "missing": "some" if missing else "none",
        "columns": "surfaces" if "surfaces" in stated
        else "+".join((["text"] if text else []) + (["codes"] if "categories" in stated else [])
        + (["sets"] if "level_sets" in stated else [])) or "numbers",
        "constraints": "+".join(sorted(constraints)) or "none",
        "price": "leaves" if "leaf_penalty" in stated else "none",
        "factors": "class_weight" if "class_weight" in stated else "none",
        "threads": str(how.get("n_jobs", 1)),
        "stop": "+".join(stop) or "none",
        "start": how.get("start", "none"),
        "method": how.get("method", "auto"),
    }  # fmt: skip


def _kind_of_weights(weights: list[Any] | None) -> str:
    if weights is None:
        return "none"
    whole = all(isinstance(weight, int) for weight in weights)
    size = "heavy" if max(weights) >= 2**20 else "light"
    return f"{'zero, ' if 0 in weights else ''}{size}, {'whole' if whole else 'real'}"


def _table(random: Random, rows: int) -> tuple[list[list[Any]], dict[str, Any]]:
    """Draw a table of numbers, codes and text, some values missing, and what says so."""
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
    said: dict[str, Any] = {"categories": codes} if codes else {}
    if (codes or text) and random.random() < 0.3:
        said["level_sets"] = True
    if random.random() < 0.1:
        said["features"] = sorted(random.sample(range(width), random.randint(1, width)))
    whole = all(isinstance(v, int) for column in columns for v in column)
    if whole and not codes and rows < 9 and width < 3 and random.random() < 0.1:
        said["surfaces"] = True
    X = [list(row) for row in zip(*columns, strict=True)]
    if random.random() < 0.4:  # equal rows, of equal or of other labels
        X[-1] = list(X[0])
    return X, said


def _objective(random: Random, kind: str, rows: int, X: list[list[Any]]) -> dict[str, Any]:
    stated: dict[str, Any] = {"minimize": "errors" if kind == "cost_matrix" else kind}
    if kind in TUPLES and random.random() < 0.4:
        stated["minimize"] = list(random.choice(TUPLES[kind]))
    if kind == "ensemble":
        stated = {"minimize": random.choice(OF_ENSEMBLES), "n_trees": random.choice([2, 3])}
    elif kind not in (*TUPLES, "cost_matrix") and random.random() < 0.05:
        stated["minimize"] = [kind, "size"]
    if kind in SHARES and random.random() < 0.6:
        stated["smoothing"] = random.choice(["laplace", 0.5, 2])
    if kind in RATES and random.random() < 0.4:
        stated["positive"] = random.choice([0, 1])
    return stated


def _labels(random: Random, kind: str, X: list[list[Any]]) -> list[Any]:
    """Draw labels: noise, or what a rule or two explain but for noise."""
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
        told = (row[0] == first) + 2 * (row[-1] == last)
        labels.append(
            random.choice(values) if random.random() < noise else values[told % len(values)]
        )
    if kind in RATES:  # both classes are needed
        labels[:2] = values[:2]
    return labels


def _matrix(random: Random, y: list[Any]) -> dict[str, Any]:
    """Draw what each confusion costs; the costs on the diagonal are 0, but for a few."""
    costs = ["0", "1", "2", "5", "1/2", "1/3", "1000"]
    classes = len({*y})
    rows = [[random.choice(costs) for _ in range(classes)] for _ in range(classes)]
    for label in range(classes):
        if random.random() < 0.9:
            rows[label][label] = "0"
    return {"cost_matrix": rows}


def _weights(random: Random, rows: int) -> list[Any] | None:
    """Draw weights of one kind; a total of whole ones may be beyond what is accepted, seldom."""
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


def _prices(random: Random, stated: dict[str, Any]) -> dict[str, Any]:
    """Draw a price of leaves, and sometimes one where no errors are minimized."""
    names = stated["minimize"]
    counted = {"errors", "balanced_error", *SHARES, *RATES, *NUMBERS} & {
        *([names] if isinstance(names, str) else names)
    }
    if random.random() < (0.25 if counted else 0.03):
        return {"leaf_penalty": random.choice(["1/100", "1/20", "1/7", "1/3", "1/2", "1/1000"])}
    return {}


def _limits(random: Random, kind: str, stated: dict[str, Any]) -> dict[str, Any]:
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
    if random.random() < (0.15 if plain and kind != "ensemble" else 0.01):
        few = random.sample(sorted({*stated["y"]}, key=str), 1)
        limits["max_leaves_of"] = [[label, random.randint(0, 2)] for label in few]
    if random.random() < (0.2 if kind == "ensemble" else 0.05):
        limits["max_total_size"] = random.randint(0, 4)
    if kind in RATES or random.random() < 0.01:
        for name in ("min_precision", "min_recall"):
            if random.random() < 0.25:
                limits[name] = random.choice(["1/2", "2/3", "9/10", "1"])
    return limits


def _constraints(random: Random, stated: dict[str, Any]) -> dict[str, Any]:
    """Draw constraints on the features of a tree; mostly none."""
    rare = "n_trees" in stated or stated["minimize"] in RATES or "surfaces" in stated
    if random.random() > (0.02 if rare else 0.25):
        return {}
    width = len(stated["X"][0])
    feature_constraints: dict[str, Any] = {}
    said: dict[str, Any] = {}
    for choice in random.sample(["up", "price", "needed", "below", "few"], random.randint(1, 2)):
        feature = random.randrange(width)
        match choice:
            case "up":
                said["monotonic_cst"] = [[feature, random.choice([-1, 1])]]
                if random.random() < 0.3:
                    feature_constraints["monotonic_in"] = "prediction"
            case "price":
                said["feature_penalty"] = [[feature, random.choice(["1/10", "1/7", "1/50", "1"])]]
            case "needed":
                feature_constraints["required"] = [feature]
            case "below" if width > 1:
                feature_constraints["only_below"] = [random.sample(range(width), 2)]
            case _:
                feature_constraints["max_features"] = random.randint(0, width)
    return said | ({"constraints": feature_constraints} if feature_constraints else {})


def _how(random: Random, kind: str) -> dict[str, Any]:
    how: dict[str, Any] = {}
    if random.random() < 0.15:
        how["method"] = random.choice(METHODS)
    if random.random() < 0.25:
        how["n_jobs"] = random.choice([2, 3])
    pick = random.random()
    if pick < 0.12:
        how["time_limit"] = random.choice([1e-9, 1e-6, 1e-5, 1e-4, 1e-3])
    elif pick < 0.14:
        how["calls"] = random.choice([1, 1, 2, 3])
    elif pick < 0.30:
        how["stop_at_gap"] = random.choice([0.01, 0.1, 0.5, 0.9])
    elif pick < 0.34:
        how["memory_limit"] = random.choice([1, 1000, 100_000])
    counted = kind in (*TUPLES, *NUMBERS)
    if random.random() < (0.3 if counted else 0.03):
        how["start"] = random.choice(["cart", "noise", "best", "warm", "warm"])
    return how
