"""The file of a certificate: a header of lines "name value", then a body of numbers.

`docs/certificate-format.md` describes it. `checker.py` verifies what it says.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = ["NO_LIMIT", "Body", "Header", "Reason", "Refused", "number", "require"]

NO_LIMIT = 2**64 - 1


class Reason(Enum):
    """Why a certificate is refused, with a sentence for users."""

    FORMAT = "the header is not that of a certificate of this version"
    TABLE = "it belongs to another table: other examples, labels, weights, or another order of rows"
    TREE = "the tree is malformed or breaks the limits"
    COST = "the tree has another cost on this table"
    LENGTH = "the file is truncated or too long, or a number in it is too large"
    SIZE = "the sets would need more than 2 GiB"
    SET = "a set is no child of an earlier set by a threshold of the table"
    CITATION = "a claim cites a claim that is not before it"
    RULE = "a claim uses a rule that does not exist or is not for its depth"
    COUNTING = "a claim is greater than the bound by counting"
    LEAF = "a claim is greater than the cost of a leaf"
    STUMP = "a claim is greater than the cost of the best tree with one split"
    THRESHOLD = "a claim names a threshold that the feature does not have"
    SPLIT = "a claim does not cover all splits of a feature"
    CONCLUSION = "its claims do not prove the lower bound"


class Refused(Exception):
    """Raised when a certificate proves nothing; it breaks the rule that `reason` names."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def require(holds: bool, reason: Reason) -> None:
    """Refuse the certificate unless a condition holds."""
    if not holds:
        raise Refused(reason)


@dataclass(frozen=True)
class Header:
    """The fields of a header, a line "name value" each, in this order.

    `splits` has a letter for each feature, as `RankedTable` describes. Every leaf has at least
    `min_rows` rows; it may be empty if that is 0. `cost` and `lower_bound` have a number for each
    quantity of `minimize`, "errors", "size" or "depth", the most important first. Without a tree,
    `cost` is None and `tree` is "none"; `lower_bound` is None if no tree is within the limits.
    `class_costs` has the costs of errors by true class and by prediction; None if all cost 1.
    """

    table: str
    rows: int
    features: int
    classes: int
    splits: str
    weight_scale: int
    error_price: int
    leaf_price: int
    class_costs: tuple[int, ...] | None
    minimize: tuple[str, ...]
    max_depth: int
    max_size: int
    max_errors: int
    min_rows: int
    cost: tuple[int, ...] | None
    lower_bound: tuple[int, ...] | None
    tree: str
    sets: int
    claims: int

    @classmethod
    def read(cls, content: bytes) -> tuple["Header", bytes]:
        """Return the header and the body."""
        lines = content.split(b"\n", len(cls.__annotations__) + 2)
        require(len(lines) == len(cls.__annotations__) + 3, Reason.FORMAT)
        version, *fields, end, body = lines
        require(version == b"exactree-certificate 1" and end == b"body", Reason.FORMAT)
        values: dict[str, Any] = {}
        for name, line in zip(cls.__annotations__, fields, strict=True):
            title = name.replace("_", "-") + " "
            value = line.decode("latin-1").removeprefix(title)
            require(line.startswith(title.encode()), Reason.FORMAT)
            if name in ("table", "splits", "tree"):
                values[name] = value
            elif name == "minimize":
                values[name] = tuple(value.split(" "))
            elif name in ("class_costs", "cost", "lower_bound"):
                numbers = [] if value == "none" else value.split(" ")
                values[name] = tuple(number(text, Reason.FORMAT) for text in numbers) or None
            elif name in ("max_depth", "max_size", "max_errors") and value == "none":
                values[name] = NO_LIMIT
            else:
                values[name] = number(value, Reason.FORMAT)
        header = cls(**values)
        header.check()
        return header, body

    def check(self) -> None:
        """Refuse a header whose fields do not go together."""
        quantities = set(self.minimize)
        require(quantities <= {"errors", "size", "depth"}, Reason.FORMAT)
        require(len(quantities) == len(self.minimize), Reason.FORMAT)
        for numbers in (self.cost, self.lower_bound):
            require(numbers is None or len(numbers) == len(quantities), Reason.FORMAT)
        require((self.cost is None) == (self.tree == "none"), Reason.FORMAT)
        # A limit of the errors limits no other costs.
        plain = self.leaf_price == 0 and self.class_costs is None
        require(self.max_errors == NO_LIMIT or plain, Reason.FORMAT)

    @property
    def price(self) -> int:
        """The price of the errors; costs of classes have the unit of the prices."""
        return self.error_price if self.class_costs is None else 1


def number(text: str, reason: Reason) -> int:
    """Return a number below 2**64 - 1 in decimal digits."""
    require(text.isascii() and text.isdigit() and len(text) <= 20, reason)
    require(int(text) < NO_LIMIT, reason)
    return int(text)


class Body:
    """Numbers of a body: 7 bits a byte, lowest first; the high bit says that more follow."""

    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def number(self) -> int:
        """Return the next number, which is below 2**64."""
        value = 0
        for shift in range(0, 70, 7):
            require(self.at < len(self.body), Reason.LENGTH)
            byte = self.body[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                require(value <= NO_LIMIT, Reason.LENGTH)
                return value
        raise Refused(Reason.LENGTH)

    def limit(self) -> int:
        """Return the next limit: 0 means none, k + 1 means k."""
        code = self.number()
        return NO_LIMIT if code == 0 else code - 1
