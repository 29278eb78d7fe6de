"""The peak memory of this process, and its reset before a measurement."""

import re
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["forget_peak", "peak_bytes"]

_STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Reset the peak to the memory in use, if the system supports it.

    On other systems the peak is that of the whole process, and the increase by a fit is an
    underestimate.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_bytes() -> int | None:
    """Return the peak memory of this process, or None if the system does not report it.

    Returns
    -------
    int or None
        Bytes. On Linux it is read from `/proc`: `getrusage` there would also count the process
        that started this one.
    """
    if _STATUS.exists():
        found = re.search(r"^VmHWM:\s+(\d+) kB", _STATUS.read_text("utf-8"), re.MULTILINE)
        return int(found[1]) * 1024 if found else None
    if sys.platform == "win32":
        return None
    from resource import RUSAGE_SELF, getrusage  # does not exist on Windows

    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
