"""The result of `describe`: the parameters of a table, and worst-case bounds of the methods."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2, log10, prod
from typing import Any

from exactree.notebook import paragraph, table

__all__ = ["Advice", "Description", "FeatureDescription", "advice"]

_STEPS = 10**9  # steps of a search while a user waits, approximately
_TABLE_BYTES = 4 * 10**8  # a table of this size takes seconds to fill, approximately
_WORTHWHILE = 4  # size of trees up to which a useful bound is small
_LARGEST = 9  # (factor * s)**s is beyond _STEPS for every larger s
_SHOWN = 20
_UNKNOWN = "?"  # not computed in time
_HEADING = (
    "Worst-case bounds for the smallest tree without errors, of s nodes; searches are usually much "
    "faster:"
)
# Groups of methods by `Advice.bounded`.
_GROUPS: tuple[tuple[str, bool | None], ...] = (
    ("Default method", None),
    ("Small worst case", True),
    ("Large worst case, which says little about the actual time", False),
)


@dataclass(frozen=True)
class FeatureDescription:
    """Properties of the values of a feature.

    Attributes
    ----------
    name : str
        The user's name, or x0, x1, ...
    distinct : int or None
        Number of distinct values; the number of thresholds is smaller by 1. This and the attributes
        below are None if they were not computed in time.
    alternations : int or None
        Number of label changes between consecutive examples sorted by this feature; examples of
        equal value are in the order with the fewest changes.
    most_equal : int or None
        Largest number of examples that share a value.
    """

    name: str
    distinct: int | None
    alternations: int | None
    most_equal: int | None


@dataclass(frozen=True)
class Advice:
    """The worst case of a method on a table.

    Attributes
    ----------
    method : str
        The name of the method in `exactree.solve`.
    bounded : bool or None
        Whether the bound of its source promises an answer while a user waits: at most a billion
        steps for trees of four nodes, or a table of at most 400 MB. False says nothing about the
        actual time, because the bounds are rarely reached. None for the default method.
    reason : str
        The bound.
    """

    method: str
    bounded: bool | None
    reason: str


@dataclass(frozen=True, repr=False)
class Description:
    """The parameters of a table; made by `exactree.describe`.

    Attributes
    ----------
    n_examples, n_features : int
        n and d of the papers, without rows of weight zero.
    classes : tuple
        The labels.
    class_sizes : tuple of int
        Number of examples of every class.
    features : tuple of FeatureDescription
        Distinct values, alternations and equal values of every feature.
    delta_max : int
        Largest number of features in which two examples of different classes differ.
    delta_max_proved : bool
        Whether all such pairs were compared in time; otherwise delta_max is a lower bound.
    duplicates : int or None
        Number of examples that repeat an earlier example in all features and in the label. This and
        the attributes below are None if they were not computed in time.
    contradictions : tuple of tuple of int, or None
        Groups of rows of the table that agree in all features but not in their labels; rows are
        numbered from 0.
    min_errors : int, Fraction or None
        The weight that every tree misclassifies because of contradictions. A tree without limits
        attains it.
    """

    n_examples: int
    n_features: int
    classes: tuple[Any, ...]
    class_sizes: tuple[int, ...]
    features: tuple[FeatureDescription, ...]
    delta_max: int
    duplicates: int | None
    contradictions: tuple[tuple[int, ...], ...] | None
    min_errors: int | Fraction | None
    delta_max_proved: bool = True

    @property
    def D_max(self) -> int:  # noqa: N802 (the papers' symbol)
        """The largest number of distinct values of a feature that was counted in time."""
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
        """The worst case of every method."""
        return advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data for JSON; unusual labels become text."""
        errors, groups = self.min_errors, self.contradictions
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
            "min_errors": str(errors) if isinstance(errors, Fraction) else errors,
            "features": [dict(vars(feature)) for feature in self.features],
            "advice": [dict(vars(item)) for item in self.advice],
        }

    def __str__(self) -> str:
        lines = [f"{name:<25}{fact}" for name, fact in self._facts().items()]
        lines += ["", *_feature_lines(self.features), ""]
        lines.append(_HEADING)
        for title, bounded in _GROUPS:
            reasons = [f"  {a.method}: {a.reason}" for a in self.advice if a.bounded is bounded]
            lines += [f"{title}:", *reasons] if reasons else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the text of `str`."""
        return str(self)

    def _repr_html_(self) -> str:
        """Tables of the facts, of the features and of the advice."""
        header = ("feature", "values", "alternations", "most equal")
        features = [_feature_cells(feature) for feature in self.features[:_SHOWN]]
        content = [table((), self._facts().items()), table(header, features)]
        content += [paragraph(more) for more in _not_shown(self.features)]
        content.append(paragraph(_HEADING))
        for title, bounded in _GROUPS:
            rows = [(a.method, a.reason) for a in self.advice if a.bounded is bounded]
            content += [table((title, ""), rows)] if rows else []
        return "".join(content)

    def _facts(self) -> dict[str, str]:
        """Return the parameters by name, as text."""
        sizes = zip(self.classes, self.class_sizes, strict=True)
        uncounted = "" if self.all_counted else " at least (not all were counted in time)"
        return {
            "examples (n)": f"{self.n_examples:,}",
            "features (d)": f"{self.n_features:,}",
            "classes": _first_few([f"{label}: {size:,}" for label, size in sizes]),
            "smallest class (min_#)": f"{self.smallest_class:,}",
            "distinct values (D_max)": f"{self.D_max:,} at most in a feature"
            if self.all_counted
            else f"{self.D_max:,} in some feature{uncounted}",
            "difference (delta_max)": f"{self.delta_max:,} features at most between two classes"
            if self.delta_max_proved
            else f"{self.delta_max:,} features at least (not all pairs were compared in time)",
            "thresholds": f"{self.n_thresholds:,}{uncounted}",
            "duplicates": _counted(self.duplicates),
            "contradictory rows": _UNKNOWN
            if self.contradictions is None
            else _first_few([_first_few(rows) for rows in self.contradictions], "; ")
            + (" (rows are counted from 0)" if self.contradictions else ""),
            "minimum errors": _UNKNOWN
            if self.min_errors is None
            else f"{self.min_errors}"
            + (" (no tree has fewer; set max_errors)" if self.min_errors else ""),
        }


def _feature_lines(features: tuple[FeatureDescription, ...]) -> list[str]:
    """Return the features as a table of text."""
    width = max(len("feature"), *(len(feature.name) for feature in features[:_SHOWN]))
    header = f"{'feature':<{width}}  {'values':>8}  {'alternations':>12}  {'most equal':>10}"
    lines = [
        f"{name:<{width}}  {distinct:>8}  {alternations:>12}  {most_equal:>10}"
        for name, distinct, alternations, most_equal in map(_feature_cells, features[:_SHOWN])
    ]
    return [header, *lines, *_not_shown(features)]


def _feature_cells(feature: FeatureDescription) -> tuple[str, str, str, str]:
    """Return a row of the table of features."""
    counts = (feature.distinct, feature.alternations, feature.most_equal)
    distinct, alternations, most_equal = map(_counted, counts)
    return feature.name, distinct, alternations, most_equal


def _not_shown(features: tuple[FeatureDescription, ...]) -> list[str]:
    """Return a line that counts the features beyond those shown, if there are more."""
    return [f"... and {len(features) - _SHOWN:,} more"] if len(features) > _SHOWN else []


def _counted(number: int | None) -> str:
    return _UNKNOWN if number is None else f"{number:,}"


def _first_few(things: Sequence[object], between: str = ", ") -> str:
    """Return the first few things of a list."""
    more = f"{between}... ({len(things):,} in all)" if len(things) > _SHOWN else ""
    return (between.join(str(thing) for thing in things[:_SHOWN]) or "none") + more


def advice(table: Description) -> tuple[Advice, ...]:
    """Return the worst-case bound of each method, from its source.

    The sources consider trees of minimum size without errors; s is the size of such a tree. Their
    bounds grow fast and are rarely reached: support sets solve tables of 13 nodes in hundredths of
    a second whose bound exceeds a billion for two nodes.

    For support sets, calls are those of findTH (002, Algorithm 1) for one set of features. The
    constants are ours; the source uses O-notation. A set has at most 4^s · s^s shapes with
    features: the Catalan numbers up to s add up to at most 4^s, and each of at most s nodes has one
    of at most s features (Lemma 5: O(s^s)). For each of these shapes a call makes at most
    log2(n) + 3 further calls, at most log2(n) + 1 of them in the binary search (proof of Lemma 6:
    log ‖E‖ + 2), and calls are nested at most s deep. So there are at most
    (log2(n) + 4)^s = log2(16n)^s calls for each shape, and (4·s·log2(16n))^s for a set.

    Parameters
    ----------
    table : Description
        The parameters of the table.
    """
    # If delta_max is unknown, all features may differ; if values are not counted, every example
    # may have its own value.
    delta = table.delta_max if table.delta_max_proved else table.n_features
    distinct = [feature.distinct or table.n_examples for feature in table.features]
    width, halvings = max(distinct), log2(4 * table.n_examples)
    thresholds = sum(distinct) - len(distinct)
    if delta == 0:
        no_split = "no rule separates examples of different classes, so a single leaf is best"
        return (Advice("branch-and-bound", None, no_split),)
    counted = f"accepts every problem; {thresholds:,} thresholds to try at the root"
    trees = f"(delta_max·D_max·s)^s = ({delta * width:,}·s)^s search nodes"
    supports = (
        f"(2·delta_max·D_max^s)^s = ({2 * delta:,}·{width:,}^s)^s sets of features (Theorem 8 of "
        "Ordyniak and Szeider), (4·s·log2(16n))^s calls for each"
    )
    calls = f"(s·d·log2(4n))^s calls, d = {table.n_features:,}, whatever D_max is"
    rules = f"({thresholds:,}·s)^s trees of s rules"
    boxes = prod(values * (values + 1) // 2 for values in distinct)
    different = table.n_examples - (table.duplicates or 0)
    return (
        Advice("branch-and-bound", None, counted),
        _search("witness", trees, delta * width),
        _search("support-sets", supports, 8 * delta * (halvings + 2), width),
        _search("threshold", calls, table.n_features * halvings),
        _search("proper", rules, thresholds),
        _table("box", "boxes", boxes, 4),
        _table("subsets", "sets of distinct examples", 2**different, 1),
    )


def _search(method: str, work: str, factor: float, base: int = 1) -> Advice:
    """Assess a method by the largest s for which ``(factor * base**s * s)**s`` is small."""
    sizes = range(1, _LARGEST + 1)
    digits = (s * (log10(factor * s) + s * log10(base)) for s in sizes)
    small = (s for s, d in zip(sizes, digits, strict=True) if d <= log10(_STEPS))
    max_size = max(small, default=0)
    up_to = f"below a billion for s <= {max_size}" if max_size else "above a billion for every s"
    return Advice(method, max_size >= _WORTHWHILE, f"at most {work}; {up_to}")


def _table(method: str, entries: str, number: int, bytes_of_entry: int) -> Advice:
    """Assess a method by the bytes of its table."""
    size = number * bytes_of_entry
    count = f"{number:,}" if size <= _TABLE_BYTES else f"about 10^{round(log10(number))}"
    megabytes = size // 10**6  # an integer of any size
    memory = f", {megabytes:,} MB" if 1 <= megabytes < 10**6 else ""
    return Advice(method, size <= _TABLE_BYTES, f"a table of {count} {entries}{memory}")
