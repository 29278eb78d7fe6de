"""The switches of the native methods, with the reason of each."""

from collections.abc import Mapping

from exactree import _native

__all__ = ["accelerators", "checked_switches", "switches_of"]


def accelerators(method: str = "branch-and-bound", n_trees: int = 1) -> dict[str, str]:
    """Return the name and the reason of every switch of a native method.

    Parameters
    ----------
    method : str
        "branch-and-bound", "box", "proper", "subsets", "support-sets", "threshold" or "witness";
        or a search of the engine: "regression", "constrained-errors" or "constrained-costs".
    n_trees : int
        With two or more, the switches of the method's search for ensembles.

    Returns
    -------
    dict
        The reason by name. Turning a switch off never changes the optimum: use
        ``branch_and_bound(..., switches={name: False})``, and likewise in `run_paper` and
        `run_ensemble`.

    Raises
    ------
    ValueError
        If there is no such method.
    """
    if n_trees > 1:
        return dict(_native.ensemble_accelerators(method))
    searches = ("minimum-errors", "minimum-size") if method == "branch-and-bound" else (method,)
    return {name: why for search in searches for name, why in _native.accelerators(search)}


def checked_switches(
    switches: Mapping[str, bool] | None, method: str = "branch-and-bound", n_trees: int = 1
) -> dict[str, bool]:
    """Check that a method has all given switches, and return them.

    Parameters
    ----------
    switches : mapping of str to bool or None
        Accelerators to turn on or off, by name.
    method, n_trees
        As in `accelerators`.

    Raises
    ------
    ValueError
        If a switch does not exist; the message lists those that do.
    """
    if not switches:
        return {}
    chosen, names = dict(switches), accelerators(method, n_trees)
    for name in chosen:
        if name not in names:
            raise ValueError(
                f'method={method!r} has no switch named "{name}"; it has {", ".join(names)}.'
            )
    return chosen


def switches_of(search: str, switches: Mapping[str, bool]) -> dict[str, bool]:
    """Return the switches that apply to one search of a method that runs several searches.

    Parameters
    ----------
    search : str
        Its name in the native module.
    switches : mapping of str to bool
        Switches of the method.
    """
    if not switches:
        return {}
    names = dict(_native.accelerators(search))
    return {name: on for name, on in switches.items() if name in names}
