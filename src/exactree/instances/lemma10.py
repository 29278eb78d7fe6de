"""Two tables on which no minimal support set carries a best tree.

Source      Ordyniak and Szeider (002), Lemma 10; the tables are this project's, found by complete
            search.
Idea        A support set is a set of features that tells all examples of different classes apart.
            Each table has one minimal support set, and the trees that ask only its features are
            larger (or deeper) than the best tree: a best tree asks a feature that is not needed.
"""

from dataclasses import dataclass

from exactree.data.features import shown
from exactree.instances.instance import Instance, make_instance

__all__ = ["Lemma10"]

ROWS = {
    "size": ("0111 1100 0110 0000 0011 1111", "110100"),
    "depth": ("11000 11100 10001 10011 01000 11011 00010 01110", "01101101"),
}
LEAST = {"size": 4, "depth": 3}
LEAST_ON_MINIMAL = {"size": 5, "depth": 4}


@dataclass(frozen=True)
class Lemma10:
    """A table whose only minimal support set does not suffice for a best tree.

    Parameters
    ----------
    quantity : str
        "size" or "depth": what the best tree has least of.
    """

    quantity: str = "size"

    def __post_init__(self) -> None:
        if not isinstance(self.quantity, str) or self.quantity not in ROWS:
            raise ValueError(f"quantity must be 'size' or 'depth', got {shown(self.quantity)}.")

    def apply(self) -> Instance:
        """Return the table, with its optimum."""
        rows, labels = ROWS[self.quantity]
        examples = [
            (row, [float(value) for value in row], label)
            for row, label in zip(rows.split(), labels, strict=True)
        ]
        names = [f"feature {number}" for number in range(len(examples[0][1]))]
        known = {self.quantity: LEAST[self.quantity]}
        return make_instance(names, examples, minimize=self.quantity, known=known)

    @property
    def minimal_support_set(self) -> tuple[int, ...]:
        """The features of the only minimal support set."""
        return (0, 1, 3) if self.quantity == "size" else (0, 1, 2, 3)

    @property
    def least_on_minimal(self) -> int:
        """The optimum of trees that ask only features of the minimal support set."""
        return LEAST_ON_MINIMAL[self.quantity]
