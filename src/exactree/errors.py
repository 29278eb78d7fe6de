"""The exceptions and warnings of the package. This module imports no other."""

__all__ = [
    "Infeasible",
    "InternalError",
    "MethodRefused",
    "ModelError",
    "NotProvedWarning",
    "OtherVersionWarning",
]


class Infeasible(ValueError):
    """Raised when no tree meets the limits; the message names the limit."""


class MethodRefused(ValueError):
    """Raised when a method does not accept a problem; the message names methods that do."""


class ModelError(ValueError):
    """Raised for a model file that is truncated, of a later version, or not of this package."""


class InternalError(RuntimeError):
    """Raised when a result fails its recount, a defect of this package. Please report it."""


class NotProvedWarning(UserWarning):
    """Warned when a fit stops before its tree is proved optimal; the message has the gap."""


class OtherVersionWarning(UserWarning):
    """Warned when a pickle was written by another version of this package."""


def without_matplotlib() -> ImportError:
    """Return the error of plots if matplotlib is not installed."""
    return ImportError("pictures need matplotlib: pip install 'exactree[plot]'.")
