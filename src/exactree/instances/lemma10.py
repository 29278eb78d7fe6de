"""Two tables on which no best tree uses only a minimal support set.

Source      Ordyniak and Szeider (002), Lemma 10; the tables were found by this project with a
            complete search.
Idea        A support set is a set of features that distinguishes all examples of different classes.
            Each table has one minimal support set, and trees that use only its features are larger
            (or deeper) than the best tree.
"""

from dataclasses import dataclass

from exactree.data.parameters import shown
from exactree.instances.instance import Instance, make_instance

__all__ = ["Lemma10"]

ROWS = {
    "size": ("0111 1100 0110 0000 0011 1111", "110100"),
    "depth": ("11000 11100 10001 10011 01000 11011 00010 01110", "01101101"),
}
OPTIMUM = {"size": 4, "depth": 3}
OPTIMUM_ON_MINIMAL = {"size": 5, "depth": 4}


@dataclass(frozen=True)
class Lemma10:
    """A table whose only minimal support set does not suffice for a best tree.

    Parameters
    ----------
    quantity : str
        The objective: "size" or "depth".
    """

    quantity: str = "size"

    def __post_init__(self) -> None:
        quantity: object = self.quantity
        if not isinstance(quantity, str) or quantity not in ROWS:
            raise ValueError(f"quantity must be 'size' or 'depth', got {shown(self.quantity)}.")

    def apply(self) -> Instance:
        """Return the table, with its optimum."""
        rows, labels = ROWS[self.quantity]
        examples = [
            (row, [float(value) for value in row], label)
            for row, label in zip(rows.split(), labels, strict=True)
        ]
        names = [f"feature {number}" for number in range(len(examples[0][1]))]
        known = {self.quantity: OPTIMUM[self.quantity]}
        return make_instance(names, examples, minimize=self.quantity, known=known)

    @property
    def minimal_support_set(self) -> tuple[int, ...]:
        """The features of the only minimal support set."""
        return (0, 1, 3) if self.quantity == "size" else (0, 1, 2, 3)

    @property
    def optimum_on_minimal(self) -> int:
        """The optimum of trees that use only the minimal support set."""
        return OPTIMUM_ON_MINIMAL[self.quantity]
