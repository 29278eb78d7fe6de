"""The values of `minimize`: quantities of one tree and of ensembles, and their checks."""

from typing import Any

from exactree.objectives import ENSEMBLE_OBJECTIVES, ERROR_TERMS, OBJECTIVES, RATES

__all__ = ["allowed_quantities", "error_term", "quantity_of", "read_quantities"]


def allowed_quantities(n_trees: int) -> tuple[str, ...]:
    """Return the quantities that can be minimized over one tree, or over ensembles.

    Parameters
    ----------
    n_trees : int
        Trees of an ensemble.
    """
    return (*OBJECTIVES, *RATES) if n_trees == 1 else ("errors", *ENSEMBLE_OBJECTIVES, *RATES)


def quantity_of(name: str, n_trees: int) -> str:
    """Return the name of a quantity for a number of trees.

    Parameters
    ----------
    name : str
        A quantity of one tree or of an ensemble.
    n_trees : int
        Of one tree, total and largest size are its size; of an ensemble, size is the total size.
    """
    if name in allowed_quantities(n_trees):
        return name
    return ENSEMBLE_OBJECTIVES[name].of if n_trees == 1 else f"total_{name}"


def read_quantities(minimize: Any, n_trees: int, name: str = "minimize") -> tuple[str, ...]:
    """Return the names of the minimized quantities, the most important first.

    Parameters
    ----------
    minimize : str or tuple of str
        One name, or several in lexicographic order.
    n_trees : int
        Trees of an ensemble.
    name : str
        The parameter's name, for messages.

    Raises
    ------
    ValueError
        If a name is not allowed for this number of trees, or comes twice, or two names are kinds
        of errors.
    """
    names = minimize if isinstance(minimize, tuple) and minimize else (minimize,)
    allowed = allowed_quantities(n_trees)
    listed = f"{', '.join(repr(word) for word in allowed[:-1])} or {allowed[-1]!r}"
    for word in names:
        if isinstance(word, str) and word in {*OBJECTIVES, *RATES, *ENSEMBLE_OBJECTIVES} - {
            *allowed
        }:
            trees = "one tree" if n_trees == 1 else "an ensemble"
            raise ValueError(
                f"{name}={minimize!r} does not go with n_trees={n_trees}; of {trees} use {listed}."
            )
        if not isinstance(word, str) or word not in allowed:
            raise ValueError(f"{name} must be {listed}, or a tuple of them, got {minimize!r}.")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must name every quantity once, got {minimize!r}.")
    kinds = (*ERROR_TERMS, *RATES)
    if sum(word in kinds for word in names) > 1:
        raise ValueError(
            f"{name} may name only one of {', '.join(map(repr, kinds))}, got {minimize!r}."
        )
    return names


def error_term(quantities: tuple[str, ...]) -> str:
    """Return the kind of errors among the quantities; "errors" if none is minimized.

    Parameters
    ----------
    quantities : tuple of str
        The minimized quantities.
    """
    kinds = (*ERROR_TERMS, *RATES)
    return next((name for name in quantities if name in kinds), "errors")
