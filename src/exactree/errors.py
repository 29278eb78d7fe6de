"""The exceptions and warnings of the package. This module imports no other of the package."""

import sys

__all__ = [
    "CertificateRefused",
    "DataWarning",
    "Infeasible",
    "InternalError",
    "MethodRefused",
    "ModelError",
    "NotProvedWarning",
    "OtherVersionWarning",
]


class CertificateRefused(ValueError):
    """Raised when a certificate proves nothing about a table.

    Parameters
    ----------
    message : str
        One sentence.
    reason : str
        The reason in one word, such as "table" or "split": see `exactree.certificates.Reason`.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class Infeasible(ValueError):
    """Raised when no tree meets the limits; the message gives the reason if it is known."""


class MethodRefused(ValueError):
    """Raised when a method does not accept a problem; the message says why."""


class ModelError(ValueError):
    """Raised for a model file that is truncated, of a later version, or not of this package."""


class InternalError(RuntimeError):
    """Raised on a defect of this package, such as a result that fails its recount; report it."""


class DataWarning(UserWarning):
    """Warned by a fit when a column or the target looks otherwise than it was meant."""


class NotProvedWarning(UserWarning):
    """Warned when a fit stops before its result is proved optimal."""


class OtherVersionWarning(UserWarning):
    """Warned when a pickle was written by another version of this package."""


def matplotlib_import_error() -> ImportError:
    """Make the error to raise where matplotlib is needed but not installed."""
    return ImportError("pictures need matplotlib: pip install 'exactree[plot]'.")


def level_of_user() -> int:
    """Return the ``stacklevel`` with which the caller's warning names the first line outside."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("exactree."):
        frame, level = frame.f_back, level + 1
    return level
