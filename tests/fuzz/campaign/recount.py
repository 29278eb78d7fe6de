"""Cost and violated limits of an answer, computed from the arguments of the user.

The package counts nothing here: trees only return predictions, leaves and their shape, for the rows
that the user gave. Numbers are exact, except for logarithms.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, product
from math import ceil, fsum, inf, log1p, nextafter
from typing import Any

from .cases import NUMBERS, RATES, Case

__all__ = ["Recount", "recount", "violations"]


class Recount:
    """A table with its weights, and the leaves that its rows reach in each tree.

    Attributes
    ----------
    cost : tuple of Fraction or float
        The minimized quantities, in the order of `minimize`.
    faults : list of str
        Leaves with a wrong prediction; known after the cost has been computed.
    """

    def __init__(self, case: Case, trees: list[Any]) -> None:
        self.case, self.trees = case, trees
        parameters = case.parameters
        self.limits = parameters["limits"]
        weights = parameters.get("sample_weight") or [1] * len(parameters["X"])
        self.rows = [i for i, weight in enumerate(weights) if weight > 0]
        self.X = [parameters["X"][i] for i in self.rows]
        self.y = [parameters["y"][i] for i in self.rows]
        self.weights = [Fraction(weights[i]) for i in self.rows]
        names = parameters["minimize"]
        self.names = names if isinstance(names, list) else [names]
        terms = {"errors", "balanced_error", "log_loss", "gini", *RATES, *NUMBERS}
        self.term = next((name for name in self.names if name in terms), "errors")
        self.classes = sorted({*self.y})
        self._weigh_classes(parameters.get("class_weight"))
        self.total = sum(self.weights)
        self.leaves = [self._leaves(tree) for tree in trees]
        self.faults: list[str] = []

    def _weigh_classes(self, factors: Any) -> None:
        if factors is None:
            return
        if factors == "balanced":
            class_weights = {c: self._weight_of(c) for c in self.classes}
            total = sum(self.weights)
            by_class = {c: total / (len(self.classes) * w) for c, w in class_weights.items()}
        else:
            by_class = {label: Fraction(factor) for label, factor in factors}
        pairs = zip(self.weights, self.y, strict=True)
        self.weights = [weight * by_class.get(label, Fraction(1)) for weight, label in pairs]

    def _weight_of(self, label: Any, rows: list[int] | None = None) -> Fraction:
        rows = list(range(len(self.y))) if rows is None else rows
        return sum((self.weights[i] for i in rows if self.y[i] == label), Fraction(0))

    def _leaves(self, tree: Any) -> dict[int, list[int]]:
        leaves = defaultdict(list)
        for i, leaf in enumerate(tree.apply(self.X).tolist()):
            leaves[leaf].append(i)
        return leaves

    @property
    def cost(self) -> tuple[Any, ...]:
        """The minimized quantities."""
        sizes = [_size(tree) for tree in self.trees]
        depths = [_depth(tree) for tree in self.trees]
        quantities = {
            "size": sum(sizes), "total_size": sum(sizes), "largest_size": max(sizes),
            "depth": sum(depths), "total_depth": sum(depths), "largest_depth": max(depths),
        }  # fmt: skip
        return tuple(
            quantities[name] if name in quantities else self._penalized_errors(sizes)
            for name in self.names
        )

    def _penalized_errors(self, sizes: list[int]) -> Any:
        """Return the errors with the penalties of leaves and features."""
        parameters = self.case.parameters
        unit = Fraction(1) if self.term in ("balanced_error", *RATES) else self.total
        leaves = sum(sizes) + len(sizes)
        penalty = Fraction(parameters.get("leaf_penalty", 0)) * unit * leaves
        for feature, share in parameters.get("feature_penalty", []):
            penalty += Fraction(share) * unit * (feature in _features(self.trees[0]))
        errors = self._errors()
        return errors + penalty if isinstance(errors, Fraction) else errors + float(penalty)

    def _errors(self) -> Any:
        parameters = self.case.parameters
        if "n_trees" in parameters:
            return self.misclassified()
        if self.term in RATES:
            return self._rate()
        costs = [self._leaf_cost(leaf, rows) for leaf, rows in self.leaves[0].items()]
        return fsum(costs) if self.term == "log_loss" else sum(costs, Fraction(0))

    def misclassified(self) -> Fraction:
        """Return the weight of the rows for which most trees vote wrongly."""
        triples = zip(self.weights, self._voted_classes(), self.y, strict=True)
        return sum((w for w, voted, label in triples if voted != label), Fraction(0))

    def _voted_classes(self) -> list[Any]:
        """Return for each row the class with the most votes; the earlier class if votes tie."""
        predictions = [tree.predict(self.X).tolist() for tree in self.trees]
        return [
            max(self.classes, key=lambda c: (votes.count(c), -self.classes.index(c)))
            for votes in zip(*predictions, strict=True)
        ]

    def _rate(self) -> Fraction:
        """Return 1 - F1, 1 - precision or 1 - recall; 1 if numerator and denominator are 0."""
        false_positive, false_negative, true_positive = self.confusion()
        bad_and_good = {
            "f1_error": (false_positive + false_negative, 2 * true_positive),
            "precision_error": (false_positive, true_positive),
            "recall_error": (false_negative, true_positive),
        }
        bad, good = bad_and_good[self.term]
        return bad / (bad + good) if bad + good else Fraction(1)

    def confusion(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return the weights of the false positives, false negatives and true positives."""
        positive = self.case.parameters.get("positive", self.classes[-1])
        predictions = self.trees[0].predict(self.X).tolist()
        triples = list(zip(self.weights, self.y, predictions, strict=True))
        false_positive = sum((w for w, y, p in triples if p == positive != y), Fraction(0))
        false_negative = sum((w for w, y, p in triples if y == positive != p), Fraction(0))
        return false_positive, false_negative, self._weight_of(positive) - false_negative

    def _leaf_cost(self, leaf: int, rows: list[int]) -> Any:
        """Return the cost of a leaf; append to the faults if its prediction is not the best."""
        by_class = [self._weight_of(c, rows) for c in self.classes]
        prediction = self._prediction(rows)
        if self.term in NUMBERS:
            best, cost = self._best_constant(rows)
            if abs(prediction - best) > abs(best) * Fraction(1, 10**9) + Fraction(1, 10**15):
                self.faults.append(f"leaf {leaf} predicts {prediction}, not {float(best)}")
            return cost
        costs = self._costs()
        by_prediction = [
            sum(w * row[p] for w, row in zip(by_class, costs, strict=True))
            for p in range(len(self.classes))
        ]
        best = self.classes[by_prediction.index(min(by_prediction))]
        if prediction != best:
            self.faults.append(f"leaf {leaf} predicts {prediction!r}, not {best!r}")
        if self.term not in ("log_loss", "gini"):
            return by_prediction[self.classes.index(prediction)]
        shares = self._shares(by_class)
        if self.term == "gini":
            return sum(by_class) * (1 - sum(share * share for share in shares))
        pairs = zip(by_class, shares, strict=True)
        # The ratio is exact: the logarithm of a share near 1 would lose digits.
        return fsum(float(w) * log1p(float((1 - share) / share)) for w, share in pairs if w)

    def _costs(self) -> list[list[Fraction]]:
        """Return the costs per unit of weight, by class (rows) and prediction (columns)."""
        classes = range(len(self.classes))
        if "cost_matrix" in self.case.parameters:
            return [list(map(Fraction, row)) for row in self.case.parameters["cost_matrix"]]
        wrong = [Fraction(1)] * len(self.classes)
        if self.term == "balanced_error":
            wrong = [1 / (len(self.classes) * self._weight_of(c)) for c in self.classes]
        return [[wrong[a] if a != b else Fraction(0) for b in classes] for a in classes]

    def _shares(self, by_class: list[Fraction]) -> list[Fraction]:
        smoothing = self.case.parameters.get("smoothing")
        added = [Fraction(0)] * len(by_class)
        if smoothing == "laplace":
            added = [Fraction(1)] * len(by_class)
        elif smoothing is not None:
            shares = [self._weight_of(c) / self.total for c in self.classes]
            added = [Fraction(str(smoothing)) * share for share in shares]
        total = sum(by_class) + sum(added)
        return [(w + more) / total for w, more in zip(by_class, added, strict=True)]

    def _prediction(self, rows: list[int]) -> Any:
        """Return the prediction of the first tree for the first of some rows."""
        return self.trees[0].predict([self.X[rows[0]]]).tolist()[0]

    def _best_constant(self, rows: list[int]) -> tuple[Fraction, Fraction]:
        """Return the best prediction for some rows in a regression, and its cost."""
        targets = sorted((Fraction(self.y[i]), self.weights[i]) for i in rows)
        return _mean(targets) if self.term == "squared_error" else _median(targets)

    def monotone_value(self, leaf: int) -> Any:
        """Return the value of a leaf that has to be monotone."""
        rows = self.leaves[0][leaf]
        feature_constraints = self.case.parameters.get("constraints", {})
        if self.term in NUMBERS:
            return self._best_constant(rows)[0]
        if feature_constraints.get("monotonic_in") == "prediction":
            return self.classes.index(self._prediction(rows))
        by_class = [self._weight_of(c, rows) for c in self.classes]
        if self.term in ("log_loss", "gini"):
            return self._shares(by_class)[-1]
        return by_class[-1] / sum(by_class)


def recount(
    case: Case, trees: list[Any], rounded: bool = False
) -> tuple[tuple[Any, ...], list[str]]:
    """Return the cost of an answer, and its faults.

    Two classes can have equal weights after rounding, but not before. So predictions of leaves are
    not checked if weights were rounded.
    """
    counts = Recount(case, trees)
    cost = counts.cost
    return cost, [*([] if rounded else dict.fromkeys(counts.faults)), *violations(counts)]


def violations(counts: Recount) -> list[str]:
    """List the limits and constraints that an answer violates."""
    limits, rows = counts.limits, len(counts.rows)
    sizes = [_size(tree) for tree in counts.trees]
    faults = []
    min_rows = limits.get("min_samples_leaf", 1)
    min_rows = min_rows if isinstance(min_rows, int) else ceil(Fraction(str(min_rows)) * rows)
    min_weight = Fraction(limits.get("min_weight_fraction_leaf", 0)) * counts.total
    for tree, leaves, size in zip(counts.trees, counts.leaves, sizes, strict=True):
        if len(leaves) != size + 1:
            faults.append("a leaf is reached by no row")
        if _depth(tree) > limits.get("max_depth", inf) or size > limits.get("max_size", inf):
            faults.append("too deep or too large")
        if min(map(len, leaves.values())) < min_rows:
            faults.append("a leaf with too few rows")
        if min(sum(counts.weights[i] for i in subset) for subset in leaves.values()) < min_weight:
            faults.append("a leaf that is too light")
        predictions = [
            tree.predict([counts.X[subset[0]]]).tolist()[0] for subset in leaves.values()
        ]
        for label, max_leaves in limits.get("max_leaves_of", []):
            if predictions.count(label) > max_leaves:
                faults.append("too many leaves of a class")
    if sum(sizes) > limits.get("max_total_size", inf):
        faults.append("too large in total")
    plain = counts.term == "errors" and "cost_matrix" not in counts.case.parameters
    if plain and counts.misclassified() > _max_errors(counts):
        faults.append("too many errors")
    return faults + _violated_rates(counts) + _violated_constraints(counts)


def _max_errors(counts: Recount) -> Any:
    """Return the limit on errors; by default 0 if another quantity is minimized first."""
    max_errors = counts.limits.get("max_errors")
    if max_errors is None:
        return inf if counts.names[0] == "errors" else 0
    return Fraction(max_errors)


def _violated_rates(counts: Recount) -> list[str]:
    if counts.term not in RATES:
        return []
    false_positive, false_negative, true_positive = counts.confusion()
    predicted_positive = true_positive + false_positive
    precision = true_positive / predicted_positive if predicted_positive else Fraction(0)
    limits = counts.limits
    faults = []
    if precision < Fraction(limits.get("min_precision", 0)):
        faults.append("too little precision")
    if true_positive / (true_positive + false_negative) < Fraction(limits.get("min_recall", 0)):
        faults.append("too little recall")
    return faults


def _violated_constraints(counts: Recount) -> list[str]:
    parameters, tree = counts.case.parameters, counts.trees[0]
    feature_constraints = parameters.get("constraints", {})
    used = _features(tree)
    faults = []
    if not used.issuperset(feature_constraints.get("required", [])):
        faults.append("a required feature is missing")
    if len(used) > feature_constraints.get("max_features", inf):
        faults.append("too many features")
    for below, above in feature_constraints.get("only_below", []):
        if _is_without(tree, 0, below, above):
            faults.append("a feature without the feature required above it")
    for feature, direction in parameters.get("monotonic_cst", []):
        if not _monotone(counts, feature, direction):
            faults.append("not monotone")
    return faults


def _monotone(counts: Recount, feature: int, direction: int) -> bool:
    """Compare the leaves of all points that a tree can distinguish, along one feature."""
    tree = counts.trees[0]
    used = _features(tree)
    axes: list[list[Any]] = []
    for f in range(len(counts.X[0])):
        present = [row[f] for row in counts.X if row[f] is not None]
        values = [*dict.fromkeys(present)] if f in used else present[:1]
        if f in used and not any(isinstance(value, str) for value in values):
            thresholds = tree.threshold[tree.feature == f].tolist()
            if f in counts.case.parameters.get("categories", []):
                values = [*thresholds, 10**6]  # the codes in rules, and a code in no rule
            else:
                above = (nextafter(t, inf) for t in thresholds)
                values = sorted({*thresholds, *above} - {inf, -inf})
        axes.append(values or [None])
    points = [*product(*axes)]
    leaves = tree.apply([list(point) for point in points]).tolist()
    leaf_values = {p: counts.monotone_value(leaf) for p, leaf in zip(points, leaves, strict=True)}
    for point in points:
        line = [(*point[:feature], value, *point[feature + 1 :]) for value in axes[feature]]
        along = [leaf_values[other] * direction for other in line]
        if along != sorted(along):
            return False
    return True


def _is_without(tree: Any, node: int, below: int, above: int) -> bool:
    """Return whether a node splits on feature `below` without a split on `above` above it."""
    if tree.children_left[node] < 0 or tree.feature[node] == above:
        return False
    children = (tree.children_left[node], tree.children_right[node])
    return tree.feature[node] == below or any(_is_without(tree, c, below, above) for c in children)


def _features(tree: Any) -> set[int]:
    """Return the features of all splits; a surface has several features."""
    entries = tree.feature[tree.children_left >= 0].tolist()
    return {feature for entry in entries for feature in tree.features_of_operand(entry)}


def _size(tree: Any) -> int:
    return sum(left >= 0 for left in tree.children_left.tolist())


def _depth(tree: Any, node: int = 0) -> int:
    if tree.children_left[node] < 0:
        return 0
    children = (tree.children_left[node], tree.children_right[node])
    return 1 + max(_depth(tree, child) for child in children)


def _mean(targets: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Return the mean of weighted targets, and the sum of squares about it."""
    total = sum(weight for _, weight in targets)
    mean = sum(target * weight for target, weight in targets) / total
    return mean, sum(((t - mean) ** 2 * w for t, w in targets), Fraction(0))


def _median(targets: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Return the lower median of sorted weighted targets, and the sum of deviations from it."""
    total, cumulative = sum(weight for _, weight in targets), accumulate(w for _, w in targets)
    pairs = zip(targets, cumulative, strict=True)
    median = next(target for (target, _), weight in pairs if 2 * weight >= total)
    return median, sum((abs(t - median) * w for t, w in targets), Fraction(0))
