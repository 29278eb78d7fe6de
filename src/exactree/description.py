"""What `describe` returns: the parameters of a table, and which methods they make promising."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2, log10, prod
from typing import Any

__all__ = ["Advice", "Description", "FeatureDescription", "advice"]

_STEPS = 10**9  # about what a machine does while a user waits
_ENTRIES = 10**7  # about what a table in memory may hold
_WORTHWHILE = 4  # a search that ends with smaller trees already needs luck
_LARGEST = 9  # (factor * s)**s is beyond _STEPS from here on
_SHOWN = 20
_UNKNOWN = "?"  # the time was over


@dataclass(frozen=True)
class FeatureDescription:
    """What the values of one feature are like.

    Attributes
    ----------
    name : str
        The name given, or x0, x1, ...
    distinct : int or None
        Number of distinct values; the number of thresholds is one fewer. None, as all that follows,
        if the time ran out before it was counted.
    alternations : int
        How often the label changes from one example to the next when the examples are sorted by
        this feature, those of equal value in the order that has the fewest changes.
    most_equal : int or None
        Largest number of examples that share a value.
    """

    name: str
    distinct: int | None
    alternations: int | None
    most_equal: int | None


@dataclass(frozen=True)
class Advice:
    """Whether a method is promising for a table.

    Attributes
    ----------
    method : str
        The name that `exactree.solve` knows.
    promising : bool
        Whether the worst case that its source proves is in reach.
    reason : str
        The sizes of the parameters that say so.
    """

    method: str
    promising: bool
    reason: str


@dataclass(frozen=True)
class Description:
    """The parameters of a table; made by `exactree.describe`.

    Attributes
    ----------
    n_examples, n_features : int
        n and d of the papers; rows of weight zero are left out everywhere.
    classes : tuple
        The labels.
    class_sizes : tuple of int
        Number of examples of every class.
    features : tuple of FeatureDescription
        Distinct values, alternations and equal values of every feature.
    delta_max : int
        Largest number of features in which two examples of different classes differ.
    delta_max_proved : bool
        Whether all such pairs were compared; if the time ran out before, delta_max is a lower
        bound.
    duplicates : int or None
        Examples that repeat an earlier one in all features and in the label; None, as all that
        follows, if the time ran out before it was counted.
    contradictions : tuple of tuple of int, or None
        Rows of the table that agree in all features but not in their labels, in groups; they
        count from 0.
    least_errors : int, Fraction or None
        The weight that every tree misclassifies, because of contradictions; a tree without
        limits reaches it.
    """

    n_examples: int
    n_features: int
    classes: tuple[Any, ...]
    class_sizes: tuple[int, ...]
    features: tuple[FeatureDescription, ...]
    delta_max: int
    duplicates: int | None
    contradictions: tuple[tuple[int, ...], ...] | None
    least_errors: int | Fraction | None
    delta_max_proved: bool = True

    @property
    def D_max(self) -> int:  # noqa: N802 (the papers' symbol)
        """The largest number of distinct values of a feature; of all that were counted in time."""
        return max(feature.distinct or 1 for feature in self.features)

    @property
    def all_counted(self) -> bool:
        """Whether the distinct values of all features were counted in time."""
        return all(feature.distinct is not None for feature in self.features)

    @property
    def smallest_class(self) -> int:
        """The number of examples of the smallest class, min_# of the papers."""
        return min(self.class_sizes)

    @property
    def n_thresholds(self) -> int:
        """The number of thresholds between neighbouring values, over all features counted."""
        return sum((feature.distinct or 1) - 1 for feature in self.features)

    @property
    def advice(self) -> tuple[Advice, ...]:
        """Which methods are promising, and why."""
        return advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON: labels as they are or as text."""
        least, groups = self.least_errors, self.contradictions
        plain = (str, int, float, bool)
        return {
            "n_examples": self.n_examples,
            "n_features": self.n_features,
            "classes": [c if isinstance(c, plain) else str(c) for c in self.classes],
            "class_sizes": list(self.class_sizes),
            "D_max": self.D_max,
            "delta_max": self.delta_max,
            "delta_max_proved": self.delta_max_proved,
            "smallest_class": self.smallest_class,
            "n_thresholds": self.n_thresholds,
            "duplicates": self.duplicates,
            "contradictions": None if groups is None else [list(rows) for rows in groups],
            "least_errors": str(least) if isinstance(least, Fraction) else least,
            "features": [dict(vars(feature)) for feature in self.features],
            "advice": [dict(vars(one)) for one in self.advice],
        }

    def __str__(self) -> str:
        sizes = zip(self.classes, self.class_sizes, strict=True)
        least = "" if self.all_counted else " at least (not all were counted in time)"
        facts = {
            "examples (n)": f"{self.n_examples:,}",
            "features (d)": f"{self.n_features:,}",
            "classes": _some([f"{label}: {size:,}" for label, size in sizes]),
            "smallest class (min_#)": f"{self.smallest_class:,}",
            "distinct values (D_max)": f"{self.D_max:,} at most in a feature"
            if self.all_counted
            else f"{self.D_max:,} in some feature{least}",
            "difference (delta_max)": f"{self.delta_max:,} features at most between two classes"
            if self.delta_max_proved
            else f"{self.delta_max:,} features at least (not all pairs were compared in time)",
            "thresholds": f"{self.n_thresholds:,}{least}",
            "duplicates": _counted(self.duplicates),
            "contradictory rows": _UNKNOWN
            if self.contradictions is None
            else _some([_some(rows) for rows in self.contradictions], "; ")
            + (" (rows count from 0)" if self.contradictions else ""),
            "least achievable errors": _UNKNOWN
            if self.least_errors is None
            else f"{self.least_errors}"
            + (" (no tree has fewer; set max_errors)" if self.least_errors else ""),
        }
        lines = [f"{name:<25}{fact}" for name, fact in facts.items()]
        lines += ["", *_feature_lines(self.features), ""]
        for title, promising in (("Promising", True), ("Less promising", False)):
            reasons = [f"  {a.method}: {a.reason}" for a in self.advice if a.promising == promising]
            lines += [f"{title}:", *reasons] if reasons else []
        return "\n".join(lines)


def _feature_lines(features: tuple[FeatureDescription, ...]) -> list[str]:
    """Return the features as a table of text."""
    width = max(len("feature"), *(len(feature.name) for feature in features[:_SHOWN]))
    header = f"{'feature':<{width}}  {'values':>8}  {'alternations':>12}  {'most equal':>10}"
    lines = [
        f"{one.name:<{width}}  {_counted(one.distinct):>8}  {_counted(one.alternations):>12}  "
        f"{_counted(one.most_equal):>10}"
        for one in features[:_SHOWN]
    ]
    more = [f"... and {len(features) - _SHOWN:,} more"] if len(features) > _SHOWN else []
    return [header, *lines, *more]


def _counted(number: int | None) -> str:
    return _UNKNOWN if number is None else f"{number:,}"


def _some(things: Sequence[object], between: str = ", ") -> str:
    """Return the first few things of a list."""
    more = f"{between}... ({len(things):,} in all)" if len(things) > _SHOWN else ""
    return (between.join(str(thing) for thing in things[:_SHOWN]) or "none") + more


def advice(table: Description) -> tuple[Advice, ...]:
    """Return for every method whether it is promising, by the worst case that its source proves.

    The sources are about trees of least size without errors; s is the size of such a tree. Their
    bounds grow too fast to be met: a method that is less promising may well be quick.

    For support sets the calls are those of findTH (002, Algorithm 1) for one set of features. The
    constants are ours; the source has them in O. A set has at most 4^s · s^s shapes with features:
    the Catalan numbers up to s add up to at most 4^s, and each of at most s nodes has one of at
    most s features (Lemma 5: O(s^s)). For one of them a call makes at most log2(n) + 3 others, at
    most log2(n) + 1 of them by binary search (proof of Lemma 6: log ‖E‖ + 2), and calls are nested
    at most s deep. So there are at most (log2(n) + 4)^s = log2(16n)^s, in all (4·s·log2(16n))^s.

    Parameters
    ----------
    table : Description
        The parameters of the table.
    """
    # Where delta_max is not known, as many features as there are may differ; where values are not
    # counted, there may be one for every example.
    delta = table.delta_max if table.delta_max_proved else table.n_features
    distinct = [feature.distinct or table.n_examples for feature in table.features]
    width, halvings = max(distinct), log2(4 * table.n_examples)
    thresholds = sum(distinct) - len(distinct)
    if delta == 0:
        alike = "no rule tells examples of different classes apart, so a single leaf is best"
        return (Advice("branch-and-bound", True, alike),)
    counted = f"takes every problem; {thresholds:,} thresholds to try at the root"
    trees = f"(delta_max·D_max·s)^s = ({delta * width:,}·s)^s search nodes"
    supports = (
        f"(2·delta_max·D_max^s)^s = ({2 * delta:,}·{width:,}^s)^s sets of features (Theorem 8), "
        "(4·s·log2(16n))^s calls for each"
    )
    calls = f"(s·d·log2(4n))^s calls, d = {table.n_features:,}, whatever D_max is"
    rules = f"({thresholds:,}·s)^s trees of s rules"
    boxes = prod(values * (values + 1) // 2 for values in distinct)
    different = table.n_examples - (table.duplicates or 0)
    return (
        Advice("branch-and-bound", True, counted),
        _search("witness", trees, delta * width),
        _search("support-sets", supports, 8 * delta * (halvings + 2), width),
        _search("threshold", calls, table.n_features * halvings),
        _search("proper", rules, thresholds),
        _table("box", "boxes", boxes),
        _table("subsets", "sets of distinct examples", 2**different),
    )


def _search(method: str, work: str, factor: float, base: int = 1) -> Advice:
    """Judge by the largest s for which ``(factor * base**s * s)**s`` steps are in reach."""
    sizes = range(1, _LARGEST + 1)
    digits = (s * (log10(factor * s) + s * log10(base)) for s in sizes)
    within = max((s for s, d in zip(sizes, digits, strict=True) if d <= log10(_STEPS)), default=0)
    reason = f"at most {work}: in reach for trees of up to {within} nodes"
    return Advice(method, within >= _WORTHWHILE, reason)


def _table(method: str, entries: str, number: int) -> Advice:
    """Judge a method by the entries of its table."""
    shown = f"{number:,}" if number <= _ENTRIES else f"about 10^{round(log10(number))}"
    return Advice(method, number <= _ENTRIES, f"a table of {shown} {entries}")
