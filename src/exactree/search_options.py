"""Checks of the options that `solve` takes beside the problem."""

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from exactree.data.parameters import is_number, shown
from exactree.files import check_writable
from exactree.problem.parameters import number_of_threads, positive_seconds, whole_number

__all__ = ["checked_options", "checkpoint_path"]


def checkpoint_path(resume: Any) -> Path | None:
    """Return the path of the checkpoint file, if one is given.

    Parameters
    ----------
    resume : object
        The user's argument.

    Raises
    ------
    TypeError, ValueError
        If it is not the path of a file that can be written.
    """
    if resume is None:
        return None
    if not isinstance(resume, str | PathLike) or isinstance(fspath(resume), bytes):
        raise TypeError(f"resume must be the path of a file or None, got {shown(resume)}.")
    if not fspath(resume) or "\0" in fspath(resume):
        raise ValueError(f"resume must be the path of a file or None, got {shown(resume)}.")
    path = Path(resume)
    if path.is_dir():
        raise ValueError(f"resume must be the path of a file or None, but {path} is a folder.")
    if not path.parent.is_dir():
        raise ValueError(f"resume: there is no folder {path.parent} for {path.name}.")
    try:
        check_writable(path)
    except OSError as error:
        raise ValueError(f"resume: {path} cannot be written: {error.strerror}.") from error
    return path


def checked_options(
    time_limit: Any, memory_limit: Any, n_jobs: Any, stop_at_gap: Any, on_progress: Any
) -> dict[str, Any]:
    """Check the options of a search and return them as keywords of a method.

    Parameters
    ----------
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress : object
        The user's arguments, as in `solve`.

    Raises
    ------
    TypeError, ValueError
        If one is not allowed; the message names it.
    """
    time_limit = positive_seconds(time_limit)
    if memory_limit is not None:
        allowed = "a positive integer (bytes) or None"
        memory_limit = whole_number("memory_limit", memory_limit, 1, allowed)
    n_jobs = number_of_threads(n_jobs)
    if not (is_number(stop_at_gap) and 0 <= stop_at_gap < 1):
        raise ValueError(f"stop_at_gap must be a number in [0, 1), got {shown(stop_at_gap)}.")
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"on_progress must be callable or None, got {on_progress!r}.")
    return {
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "n_jobs": n_jobs,
        "stop_at_gap": float(stop_at_gap),
        "on_progress": on_progress,
    }
