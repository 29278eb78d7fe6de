"""Models of every kind with their tables, for the tests of the report."""

from typing import Any

import numpy as np

import exactree as xt

# A model or an outcome, and its X and y: the arguments of `report`.
Reported = tuple[Any, Any, Any]


def classes() -> Reported:
    """Return a fitted classifier of depth 2 for three classes, with seven nodes and some errors."""
    X = np.random.default_rng(0).integers(0, 9, size=(60, 3)).astype(float)
    level = np.where(X[:, 0] < 4, X[:, 1] > 3, 1 + (X[:, 2] > 4))
    y = np.array(["low", "middle", "high"])[level]
    y[::10] = "high"
    return xt.OptimalTreeClassifier(max_depth=2).fit(X, y), X, y


def missing_and_categories() -> Reported:
    """Return an outcome whose tree splits on levels, thresholds and missing values."""
    import pandas

    rng = np.random.default_rng(1)
    X = pandas.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", None], 60),
            "length": np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60)),
            "code": rng.integers(0, 3, 60),
        }
    )
    ripe = (X.colour == "red") | (X.length > 0.3) | (X.length.isna() & (X.code == 2))
    y = np.where(ripe, "ripe", "unripe")
    y[::11] = "odd"
    limits = xt.Limits(max_depth=3)
    return xt.solve(xt.Problem(X, y, categories=["code"], limits=limits)), X, y


def level_sets() -> Reported:
    """Return an outcome whose tree splits on sets of levels."""
    import pandas

    X = pandas.DataFrame({"colour": list("abcdef") * 4, "size": [float(k) for k in range(24)]})
    y = X.colour.isin(list("ace")) ^ (X["size"] > 11.5)
    rules = xt.rules.AxisParallel(level_sets=True)
    limits = xt.Limits(max_depth=2)
    return xt.solve(xt.Problem(X, y.to_numpy(), rules=rules, limits=limits)), X, y.to_numpy()


def surfaces() -> Reported:
    """Return a tree whose split is a surface of degree two."""
    X = np.random.default_rng(7).uniform(-2, 2, size=(14, 2))
    y = np.where(np.hypot(*X.T) < 1.2, "in", "out")
    rules = xt.rules.Hypersurfaces(2)
    return xt.solve(xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=1))).tree, X, y


def regression() -> Reported:
    """Return a fitted regressor."""
    X = np.random.default_rng(3).normal(size=(50, 2))
    y = np.round(np.abs(X[:, 0]) * 10) + (X[:, 1] > 0)
    return xt.OptimalTreeRegressor(max_depth=2).fit(X, y), X, y


def ensemble() -> Reported:
    """Return a fitted ensemble of three trees."""
    X = np.array([[a, b, c] for a in range(2) for b in range(2) for c in range(2)], dtype=float)
    y = np.where(X.sum(axis=1) > 1.5, "many", "few")
    return xt.OptimalEnsembleClassifier(n_trees=3).fit(X, y), X, y


KINDS = {
    "classes": classes,
    "missing_and_categories": missing_and_categories,
    "level_sets": level_sets,
    "surfaces": surfaces,
    "regression": regression,
    "ensemble": ensemble,
}


# A model or an outcome, its X, y, weights and problem.
Certified = tuple[Any, Any, Any, Any, xt.Problem]


def certified_classes() -> Certified:
    """Return a fitted classifier without weights."""
    model, X, y = classes()
    return model, X, y, None, xt.Problem(X, y, limits=xt.Limits(max_depth=2))


def certified_levels() -> Certified:
    """Return an outcome of levels, codes and missing values, with a level that needs quotes."""
    _, X, y = missing_and_categories()
    X = X.assign(colour=X.colour.replace({"red": 'dark, "red"'}))
    problem = xt.Problem(X, y, categories=["code"], limits=xt.Limits(max_depth=2))
    return xt.solve(problem), X, y, None, problem


def certified_weights() -> Certified:
    """Return an outcome with weights that are no integers, and rows without weight."""
    import pandas

    _, X, y = classes()
    X = pandas.DataFrame(X, columns=["a", "b c", "d"])
    weights = pandas.Series(np.arange(60) % 4 / 4, name="how many")
    problem = xt.Problem(X, y, weights, leaf_penalty=0.5, limits=xt.Limits(max_size=2))
    return xt.solve(problem), X, y, weights, problem


CERTIFIED = {
    "classes": certified_classes,
    "levels": certified_levels,
    "weights": certified_weights,
}


def certified(kind: str) -> dict[str, Any]:
    """Return the arguments of a report with a certificate."""
    model, X, y, weights, problem = CERTIFIED[kind]()
    outcome = getattr(model, "outcome_", model)
    return {
        "model": model,
        "X": X,
        "y": y,
        "sample_weight": weights,
        "certificate": xt.certify(problem, outcome),
        "target": "answer",
        "front_seconds": 0,
    }
