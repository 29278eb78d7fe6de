"""Fitted models of every kind, with rows on which an exported model is most likely to be wrong."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from exactree import Ensemble, Limits, Problem, Tree, solve
from exactree.export.wording import trees_of
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces

NAN = np.nan
UNSEEN = "never seen"


@dataclass(frozen=True)
class Case:
    """A model and its training table, in which levels are replaced by codes."""

    model: Tree | Ensemble
    X: np.ndarray

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        return trees_of(self.model)

    @property
    def names(self) -> tuple[str, ...]:
        return self.model.feature_names

    def rows(self, n: int, *, infinite: bool = True, seed: int = 0) -> np.ndarray:
        """Return n rows: the training rows, and rows of random values of `_values`."""
        rng = np.random.default_rng(seed)
        others = np.column_stack(
            [rng.choice(self._values(f, infinite), n - len(self.X)) for f in range(len(self.names))]
        )
        return np.concatenate([self.X, others])

    def _values(self, feature: int, infinite: bool) -> np.ndarray:
        """Return values of the table, thresholds and their neighbours, and unseen values."""
        column: Any = self.X[:, feature]
        thresholds: list[float] = []
        surfaces = any(len(tree.surfaces) for tree in self.trees)
        only_missing = False
        for tree in self.trees:
            here = (tree.feature == feature) & (tree.comparison == "<=")
            only_missing |= bool(np.isinf(tree.threshold[here]).any())
            thresholds += tree.threshold[here & np.isfinite(tree.threshold)].tolist()
        found = [column]
        if feature in self.model.levels:
            found.append([-1.0])
        elif all((tree.comparison[tree.feature == feature] != "<=").all() for tree in self.trees):
            found.append([-1.0, 11.0])
        else:
            near = [np.nextafter(thresholds, side) for side in (-np.inf, np.inf) if thresholds]
            spread = np.nanmax(column) - np.nanmin(column) + 1
            inside = np.random.default_rng(feature).uniform(-1, 2, 300) * spread + np.nanmin(column)
            found += [thresholds, *near, inside, [0.0, 1.7e308]]
            found += [[-np.inf, np.inf]] if infinite and not (only_missing or surfaces) else []
        found += [] if surfaces else [[NAN]]
        return np.concatenate(found)

    def as_levels(self, rows: np.ndarray, missing: Any = None) -> list[list[Any]]:
        """Return rows as lists, with levels in place of codes, and `missing` for missing levels."""
        columns = [column.tolist() for column in rows.T]
        for feature, levels in self.model.levels.items():
            level_of = {float(code): level for code, level in enumerate(levels)} | {-1.0: UNSEEN}
            columns[feature] = [level_of.get(value, missing) for value in columns[feature]]
        return [list(row) for row in zip(*columns, strict=True)]

    def answers(self, rows: np.ndarray) -> list[Any]:
        """Return the predictions of the model."""
        return self.model.classes[self.model.predict_index(rows)].tolist()


def _table(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    # With few values a feature has few thresholds, so that a search takes milliseconds.
    first, second = rng.normal(size=8), rng.uniform(size=8) * 100
    X = np.column_stack([rng.choice(first, n), rng.choice(second, n), rng.integers(0, 6, n)])
    noise = rng.random(n) < 0.05
    return X, ((X[:, 0] > 0.2).astype(int) + (X[:, 1] > 60) + np.isin(X[:, 2], [1, 4]) + noise) % 3


def _solved(X: Any, y: Any, depth: int = 3, **arguments: Any) -> Tree:
    tree = solve(Problem(X, y, limits=Limits(max_depth=depth), **arguments)).tree
    assert tree is not None
    return tree


def models() -> dict[str, Case]:
    """Return a model of every kind."""
    import pandas

    rng = np.random.default_rng(0)
    X, y = _table(rng, 60)
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.15] = NAN
    names = np.array(["low", "middle", "high"])[y]
    cases = {
        "leaf": Case(_solved(X, y, 0), X),
        "numbers": Case(_solved(X, names), X),
        "missing": Case(_solved(gaps, y), gaps),
        "sets of codes": Case(
            _solved(gaps, names, categories=[2], rules=AxisParallel(level_sets=True)), gaps
        ),
        "codes": Case(_solved(gaps, y, categories=[2]), gaps),
    }
    colours = ["red", "Red", "sky \"blue'", "a,b", "new\nline", "<&>"]
    text = [None if np.isnan(code) else colours[int(code)] for code in gaps[:, 2]]
    frame = pandas.DataFrame({"length": gaps[:, 0], "width": gaps[:, 1], "colour": text})
    for name, family in (("levels", AxisParallel()), ("sets", AxisParallel(level_sets=True))):
        problem = Problem(frame, names, rules=family, limits=Limits(max_depth=3))
        tree = solve(problem).tree
        assert tree is not None
        cases[name] = Case(tree, problem.dataset.X)
    small = rng.integers(0, 10, (9, 2)) / 10
    for name, family in (
        ("hyperplanes", Hyperplanes()),
        ("curves", Hypersurfaces(2)),
    ):
        cases[name] = Case(_solved(small, rng.integers(0, 3, 9), 2, rules=family), small)
    target = np.round(X[:, 0] + (X[:, 1] > 50) * 3, 2)
    cases["regression"] = Case(_solved(X, target, minimize="squared_error"), X)
    cases["medians with codes"] = Case(
        _solved(gaps, target, 2, minimize="absolute_error", categories=[2]), gaps
    )
    voters = [_solved(gaps, names, 2, sample_weight=rng.integers(1, 9, 60)) for _ in range(4)]
    cases["ensemble"] = Case(Ensemble(tuple(voters)), gaps)
    by_code = [
        _solved(gaps, y, 2, categories=[2], sample_weight=rng.integers(1, 9, 60)) for _ in range(3)
    ]
    cases["ensemble with codes"] = Case(Ensemble(tuple(by_code)), gaps)
    close = np.array([[1.0], [np.nextafter(1.0, 2)], [3.0], [3.0 + 1e-12]])
    cases["close"] = Case(_solved(close, [0, 1, 0, 1]), close)
    return cases
