"""Cost and violated limits of an answer, computed from the arguments of the user.

Nothing of the package counts here: trees are requested predictions, leaves and shapes only, by rows
as the user gave them. Numbers are exact, but for logarithms.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, product
from math import ceil, fsum, inf, log1p, nextafter
from typing import Any

from .cases import NUMBERS, RATES, Case

__all__ = ["Counted", "broken", "count_again"]

LOGS = "log_loss"


class Counted:
    """A table with its weights, and the leaves that its rows reach in each tree.

    Attributes
    ----------
    cost : tuple of Fraction or float
        What is minimized, in its order.
    faults : list of str
        Limits and constraints that are broken, and leaves that predict wrongly.
    """

    def __init__(self, case: Case, trees: list[Any]) -> None:
        self.case, self.trees = case, trees
        stated = case.stated
        self.limits = stated["limits"]
        weights = stated.get("sample_weight") or [1] * len(stated["X"])
        self.rows = [i for i, weight in enumerate(weights) if weight > 0]
        self.X = [stated["X"][i] for i in self.rows]
        self.y = [stated["y"][i] for i in self.rows]
        self.weights = [Fraction(weights[i]) for i in self.rows]
        names = stated["minimize"]
        self.names = names if isinstance(names, list) else [names]
        terms = {"errors", "balanced_error", "log_loss", "gini", *RATES, *NUMBERS}
        self.term = next((name for name in self.names if name in terms), "errors")
        self.classes = sorted({*self.y})
        self._weigh_classes(stated.get("class_weight"))
        self.total = sum(self.weights)
        self.leaves = [self._leaves(tree) for tree in trees]
        self.faults: list[str] = []

    def _weigh_classes(self, factors: Any) -> None:
        if factors is None:
            return
        if factors == "balanced":
            of_class = {c: self._weight_of(c) for c in self.classes}
            total = sum(self.weights)
            by = {c: total / (len(self.classes) * w) for c, w in of_class.items()}
        else:
            by = {label: Fraction(factor) for label, factor in factors}
        pairs = zip(self.weights, self.y, strict=True)
        self.weights = [weight * by.get(label, Fraction(1)) for weight, label in pairs]

    def _weight_of(self, label: Any, rows: list[int] | None = None) -> Fraction:
        some = range(len(self.y)) if rows is None else rows
        return sum((self.weights[i] for i in some if self.y[i] == label), Fraction(0))

    def _leaves(self, tree: Any) -> dict[int, list[int]]:
        leaves = defaultdict(list)
        for i, leaf in enumerate(tree.apply(self.X).tolist()):
            leaves[leaf].append(i)
        return leaves

    @property
    def cost(self) -> tuple[Any, ...]:
        """What is minimized."""
        inner = [sum(left >= 0 for left in tree.children_left.tolist()) for tree in self.trees]
        depths = [_depth(tree) for tree in self.trees]
        known = {
            "size": sum(inner), "total_size": sum(inner), "largest_size": max(inner),
            "depth": sum(depths), "total_depth": sum(depths), "largest_depth": max(depths),
        }  # fmt: skip
        return tuple(known[name] if name in known else self._priced(inner) for name in self.names)

    def _priced(self, inner: list[int]) -> Any:
        """Return the errors with the prices of leaves and features."""
        stated = self.case.stated
        unit = Fraction(1) if self.term in ("balanced_error", *RATES) else self.total
        price = Fraction(stated.get("leaf_penalty", 0)) * unit * (sum(inner) + len(inner))
        for feature, each in stated.get("feature_penalty", []):
            price += Fraction(each) * unit * (feature in _features(self.trees[0]))
        errors = self._errors()
        return errors + price if isinstance(errors, Fraction) else errors + float(price)

    def _errors(self) -> Any:
        stated = self.case.stated
        if "n_trees" in stated:
            voted = self._votes()
            wrong = (w for w, a, b in zip(self.weights, voted, self.y, strict=True) if a != b)
            return sum(wrong, Fraction(0))
        if self.term in RATES:
            return self._rate()
        of_leaf = [self._of_leaf(leaf, rows) for leaf, rows in self.leaves[0].items()]
        return fsum(of_leaf) if self.term == LOGS else sum(of_leaf, Fraction(0))

    def _votes(self) -> list[Any]:
        """Return the class with the most votes, ties to the earlier one."""
        said = [tree.predict(self.X).tolist() for tree in self.trees]
        return [
            max(self.classes, key=lambda c: (votes.count(c), -self.classes.index(c)))
            for votes in zip(*said, strict=True)
        ]

    def _rate(self) -> Fraction:
        """Return 1 - F1, 1 - precision or 1 - recall; as defined without positive ones."""
        wrong_positive, wrong_negative, positives = self._confusion()
        right = positives - wrong_negative
        wrong = {
            "f1_error": (wrong_positive + wrong_negative, 2 * right),
            "precision_error": (wrong_positive, right),
            "recall_error": (wrong_negative, right),
        }
        bad, good = wrong[self.term]
        return bad / (bad + good) if bad + good else Fraction(1)

    def _confusion(self) -> tuple[Fraction, Fraction, Fraction]:
        positive = self.case.stated.get("positive", self.classes[-1])
        said = self.trees[0].predict(self.X).tolist()
        pairs = list(zip(self.weights, self.y, said, strict=True))
        wrong_positive = sum((w for w, y, p in pairs if p == positive != y), Fraction(0))
        wrong_negative = sum((w for w, y, p in pairs if y == positive != p), Fraction(0))
        return wrong_positive, wrong_negative, self._weight_of(positive)

    def _of_leaf(self, leaf: int, rows: list[int]) -> Any:
        """Return what a leaf costs, and note a prediction that is not the one promised."""
        by_class = [self._weight_of(c, rows) for c in self.classes]
        said = self.trees[0].predict([self.X[rows[0]]]).tolist()[0]
        if self.term in NUMBERS:
            numbers = sorted((Fraction(self.y[i]), self.weights[i]) for i in rows)
            middle, cost = (_mean if self.term == "squared_error" else _median)(numbers)
            if abs(said - middle) > abs(middle) * Fraction(1, 10**9) + Fraction(1, 10**15):
                self.faults.append(f"leaf {leaf} predicts {said}, not {float(middle)}")
            return cost
        costs = self._costs()
        by_said = [sum(w * row[s] for w, row in zip(by_class, costs, strict=True))
                   for s in range(len(self.classes))]  # fmt: skip
        best = self.classes[by_said.index(min(by_said))]
        if said != best:
            self.faults.append(f"leaf {leaf} predicts {said!r}, not {best!r}")
        if self.term not in ("log_loss", "gini"):
            return by_said[self.classes.index(said)]
        shares = self._shares(by_class)
        if self.term == "gini":
            return sum(by_class) * (1 - sum(share * share for share in shares))
        pairs = zip(by_class, shares, strict=True)
        # The ratio is exact: the logarithm of a share near 1 would lose its digits.
        return fsum(float(w) * log1p(float((1 - share) / share)) for w, share in pairs if w)

    def _costs(self) -> list[list[Fraction]]:
        """Return the costs of a unit of each class by prediction."""
        classes = range(len(self.classes))
        if "cost_matrix" in self.case.stated:
            return [list(map(Fraction, row)) for row in self.case.stated["cost_matrix"]]
        wrong = [Fraction(1)] * len(self.classes)
        if self.term == "balanced_error":
            wrong = [1 / (len(self.classes) * self._weight_of(c)) for c in self.classes]
        return [[wrong[a] if a != b else Fraction(0) for b in classes] for a in classes]

    def _shares(self, by_class: list[Fraction]) -> list[Fraction]:
        smoothing = self.case.stated.get("smoothing")
        added = [Fraction(0)] * len(by_class)
        if smoothing == "laplace":
            added = [Fraction(1)] * len(by_class)
        elif smoothing is not None:
            whole = [self._weight_of(c) / self.total for c in self.classes]
            added = [Fraction(str(smoothing)) * share for share in whole]
        all_of_it = sum(by_class) + sum(added)
        return [(w + more) / all_of_it for w, more in zip(by_class, added, strict=True)]

    def says(self, leaf: int) -> Any:
        """Return what a leaf says that a direction is about."""
        rows = self.leaves[0][leaf]
        feature_constraints = self.case.stated.get("constraints", {})
        said = self.trees[0].predict([self.X[rows[0]]]).tolist()[0]
        if self.term in NUMBERS:
            numbers = sorted((Fraction(self.y[i]), self.weights[i]) for i in rows)
            return (_mean if self.term == "squared_error" else _median)(numbers)[0]
        if feature_constraints.get("monotonic_in") == "prediction":
            return self.classes.index(said)
        by_class = [self._weight_of(c, rows) for c in self.classes]
        if self.term in ("log_loss", "gini"):
            return self._shares(by_class)[-1]
        return by_class[-1] / sum(by_class)


def count_again(
    case: Case, trees: list[Any], rounded: bool = False
) -> tuple[tuple[Any, ...], list[str]]:
    """Return what an answer costs, and whatever is wrong about it.

    Where weights were rounded, classes may be equally heavy that are not so by the user's weights:
    then what leaves predict is not compared.
    """
    counted = Counted(case, trees)
    cost = counted.cost
    return cost, [*([] if rounded else dict.fromkeys(counted.faults)), *broken(counted)]


def broken(counted: Counted) -> list[str]:
    """Say which limits and constraints an answer breaks."""
    limits, rows = counted.limits, len(counted.rows)
    sizes = [sum(left >= 0 for left in tree.children_left.tolist()) for tree in counted.trees]
    faults = []
    least = limits.get("min_samples_leaf", 1)
    least = least if isinstance(least, int) else ceil(Fraction(str(least)) * rows)
    light = Fraction(limits.get("min_weight_fraction_leaf", 0)) * counted.total
    for tree, leaves, size in zip(counted.trees, counted.leaves, sizes, strict=True):
        if len(leaves) != size + 1:
            faults.append("a leaf is reached by no row")
        if _depth(tree) > limits.get("max_depth", inf) or size > limits.get("max_size", inf):
            faults.append("too deep or too large")
        if min(map(len, leaves.values())) < least:
            faults.append("a leaf with too few rows")
        if min(sum(counted.weights[i] for i in part) for part in leaves.values()) < light:
            faults.append("a leaf that is too light")
        said = [tree.predict([counted.X[part[0]]]).tolist()[0] for part in leaves.values()]
        for label, most in limits.get("max_leaves_of", []):
            if said.count(label) > most:
                faults.append("too many leaves of a class")
    if sum(sizes) > limits.get("max_total_size", inf):
        faults.append("too large in all")
    plain = counted.term == "errors" and "cost_matrix" not in counted.case.stated
    if plain and _wrong(counted) > _most_errors(counted):
        faults.append("too many errors")
    return faults + _broken_rates(counted) + _disobeyed(counted)


def _wrong(counted: Counted) -> Fraction:
    voted = counted._votes()
    pairs = zip(counted.weights, voted, counted.y, strict=True)
    return sum((w for w, said, label in pairs if said != label), Fraction(0))


def _most_errors(counted: Counted) -> Any:
    """Return the limit on errors: as stated, or 0 where something else is minimized first."""
    stated = counted.limits.get("max_errors")
    return Fraction(stated) if stated is not None else (inf if counted.names[0] == "errors" else 0)


def _broken_rates(counted: Counted) -> list[str]:
    if counted.term not in RATES:
        return []
    wrong_positive, wrong_negative, positives = counted._confusion()
    right = positives - wrong_negative
    precision = right / (right + wrong_positive) if right + wrong_positive else Fraction(0)
    limits = counted.limits
    faults = []
    if precision < Fraction(limits.get("min_precision", 0)):
        faults.append("too little precision")
    if right / positives < Fraction(limits.get("min_recall", 0)):
        faults.append("too little recall")
    return faults


def _disobeyed(counted: Counted) -> list[str]:
    stated, tree = counted.case.stated, counted.trees[0]
    feature_constraints = stated.get("constraints", {})
    asked = _features(tree)
    faults = []
    if not asked.issuperset(feature_constraints.get("required", [])):
        faults.append("a required feature is missing")
    if len(asked) > feature_constraints.get("max_features", inf):
        faults.append("too many features")
    for below, above in feature_constraints.get("only_below", []):
        if _without(tree, 0, below, above):
            faults.append("a feature without the one it needs above it")
    for feature, direction in stated.get("monotonic_cst", []):
        if not _monotone(counted, feature, direction):
            faults.append("not monotone")
    return faults


def _monotone(counted: Counted, feature: int, direction: int) -> bool:
    """Compare what is said at all places that a tree can distinguish."""
    tree, said = counted.trees[0], {}
    asked = _features(tree)
    axes: list[list[Any]] = []
    for f in range(len(counted.X[0])):
        there = [row[f] for row in counted.X if row[f] is not None]
        values = [*dict.fromkeys(there)] if f in asked else there[:1]
        if f in asked and not any(isinstance(value, str) for value in values):
            told = tree.threshold[tree.feature == f].tolist()
            if f in counted.case.stated.get("categories", []):
                values = [*told, 10**6]  # a code that no rule asks
            else:
                values = sorted({*told, *(nextafter(t, inf) for t in told)} - {inf, -inf})
        axes.append(values or [None])
    places = [*product(*axes)]
    for place, leaf in zip(places, tree.apply([list(p) for p in places]).tolist(), strict=True):
        said[place] = counted.says(leaf)
    for place in places:
        moved = [(*place[:feature], value, *place[feature + 1 :]) for value in axes[feature]]
        along = [said[other] * direction for other in moved]
        if along != sorted(along):
            return False
    return True


def _without(tree: Any, node: int, below: int, above: int) -> bool:
    """Return whether a node splits on a feature and none above it asks the other."""
    if tree.children_left[node] < 0 or tree.feature[node] == above:
        return False
    children = (tree.children_left[node], tree.children_right[node])
    return tree.feature[node] == below or any(_without(tree, c, below, above) for c in children)


def _features(tree: Any) -> set[int]:
    asked = tree.feature[tree.children_left >= 0].tolist()
    return {feature for one in asked for feature in tree.entry_features(one)}


def _depth(tree: Any, node: int = 0) -> int:
    if tree.children_left[node] < 0:
        return 0
    children = (tree.children_left[node], tree.children_right[node])
    return 1 + max(_depth(tree, child) for child in children)


def _mean(numbers: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    total = sum(weight for _, weight in numbers)
    mean = sum(number * weight for number, weight in numbers) / total
    return mean, sum(((n - mean) ** 2 * w for n, w in numbers), Fraction(0))


def _median(numbers: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Return the lower weighted median of sorted numbers and the distances from it."""
    whole, upto = sum(weight for _, weight in numbers), accumulate(w for _, w in numbers)
    pairs = zip(numbers, upto, strict=True)
    median = next(number for (number, _), so_far in pairs if 2 * so_far >= whole)
    return median, sum((abs(n - median) * w for n, w in numbers), Fraction(0))
