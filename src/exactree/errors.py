"""The exceptions and warnings of the package; anyone may import them, they import nothing."""

__all__ = [
    "Infeasible",
    "InternalError",
    "MethodRefused",
    "ModelError",
    "NotProvedWarning",
    "OtherVersionWarning",
]


class Infeasible(ValueError):
    """It is proved that no tree meets the limits; the message says which limit."""


class MethodRefused(ValueError):
    """The chosen method does not accept the problem; the message names those that do."""


class ModelError(ValueError):
    """A model file is truncated, written by a later version, or not one of ours."""


class InternalError(RuntimeError):
    """A defect of this package: an answer failed its recount. Please report it."""


class NotProvedWarning(UserWarning):
    """A fit stopped before its tree was proved optimal; the message states the gap."""


class OtherVersionWarning(UserWarning):
    """A pickle was written by another version of this package."""


def without_matplotlib() -> ImportError:
    """Return what a picture raises where matplotlib is not installed."""
    return ImportError("pictures need matplotlib: pip install 'exactree[plot]'.")
