"""Refusing a dynamic programme whose table would be too large, before memory is spent."""

from math import log10

from exactree.errors import MethodRefused

__all__ = ["MAX_ENTRIES", "MAX_STEPS", "refuse_large_table"]

# An entry takes about 400 bytes, so this is about 200 MB; a step takes about 2 µs, so this is
# about a minute.
MAX_ENTRIES = 500_000
MAX_STEPS = 30_000_000


def refuse_large_table(name: str, entries: int, steps: int, better: str) -> None:
    """Refuse a table with too many entries, or one that takes too many steps to fill.

    Parameters
    ----------
    name : str
        The theorem whose table it is.
    entries, steps : int
        What the table would hold, and how often an entry would be compared with others.
    better : str
        The better method, to end the sentence "use ...".

    Raises
    ------
    MethodRefused
        If there would be more than `MAX_ENTRIES` or `MAX_STEPS`.
    """
    for number, most, noun in ((entries, MAX_ENTRIES, "entries"), (steps, MAX_STEPS, "steps")):
        if number > most:
            raise MethodRefused(
                f"The table of {name} would take {_shown(number)} {noun}, more than {most:,}; "
                f"give it fewer rows, or use {better}."
            )


def _shown(number: int) -> str:
    if number < 10**12:
        return f"{number:,}"
    # By its bits: to write out a number of a million digits takes long.
    return f"more than 10^{int((number.bit_length() - 1) * log10(2))}"
