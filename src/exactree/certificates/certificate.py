"""`Certificate`: a file that proves a lower bound, and what it states."""

import gzip
import zlib
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path

from exactree.certificates.format import NO_LIMIT, Header, Reason, Refused
from exactree.data.parameters import count
from exactree.errors import CertificateRefused
from exactree.files import replacing
from exactree.notebook import paragraph
from exactree.objectives.errors import plain
from exactree.problem.quantities import Cost, shown_cost

__all__ = ["MAX_BYTES", "Certificate", "Verified", "refused"]

# The maximum length of an unpacked certificate. A file is never unpacked beyond it.
MAX_BYTES = 1 << 28
# Costs of classes that a statement lists.
_MAX_SHOWN_COSTS = 16


def refused(reason: Reason) -> CertificateRefused:
    """Return the exception for a reason.

    Parameters
    ----------
    reason : Reason
        Why a certificate is refused.
    """
    return CertificateRefused(f"The certificate is refused: {reason.value}.", reason.name.lower())


@dataclass(frozen=True)
class Verified:
    """What a checked certificate proves.

    Attributes
    ----------
    statement : str
        The proved statement, in words.
    cost : int, Fraction, tuple or None
        The cost of the certificate's tree, recounted on the table; a tuple if several quantities
        are minimized, None without a tree.
    lower_bound : int, Fraction, tuple or None
        No tree within the limits costs less; None if no tree is within them.
    """

    statement: str
    cost: Cost | None
    lower_bound: Cost | None

    def __str__(self) -> str:
        return f"verified: {self.statement}"


@dataclass(frozen=True, repr=False)
class Certificate:
    """A tree and a proof of a lower bound on the cost of all trees within the same limits.

    `exactree.certify` writes certificates, `exactree.check` verifies them.

    Parameters
    ----------
    content : bytes
        The unpacked file.

    Raises
    ------
    CertificateRefused
        If it does not begin with the header of a certificate.
    """

    content: bytes

    def __post_init__(self) -> None:
        self.header  # noqa: B018  (refuses a wrong header)

    def __repr__(self) -> str:
        return f"<Certificate, {len(self.content):,} bytes: {self.statement}>"

    def _repr_html_(self) -> str:
        return paragraph(repr(self))

    @property
    def header(self) -> Header:
        """The fields of the header."""
        try:
            return Header.read(self.content)[0]
        except Refused as error:
            raise refused(error.reason) from None

    @property
    def cost(self) -> Cost | None:
        """The cost of the tree, in units of the user's weights; None without a tree."""
        return self._in_units(self.header.cost)

    @property
    def lower_bound(self) -> Cost | None:
        """The lower bound, in units of the user's weights; None if no tree is within the limits."""
        return self._in_units(self.header.lower_bound)

    @property
    def statement(self) -> str:
        """What the certificate states; only a check proves it."""
        header, cost, bound = self.header, self.cost, self.lower_bound
        limits = {"depth": header.max_depth, "size": header.max_size}
        within = [f"{name} at most {n}" for name, n in limits.items() if n != NO_LIMIT]
        if header.max_errors != NO_LIMIT:
            most = plain(Fraction(header.max_errors, header.weight_scale))
            within.append(f"misclassified weight at most {shown_cost(most)}")
        if header.min_rows:
            within.append(f"at least {count(header.min_rows, 'example')} in every leaf")
        tree = "tree of " + " and ".join(within) if within else "tree"
        shape = ", ".join(
            count(n, thing)
            for n, thing in (
                (header.rows, "example"), (header.features, "feature"), (header.classes, "class")
            )
        )  # fmt: skip
        table = f"on the table with SHA-256 {header.table[:16]}… ({shape})"
        tree = f"no {tree} with {self._splits}"
        if bound is None:
            return f"{tree} exists {table}"
        stated = f"{tree} {self._below(bound)} {table}{self._cost_in_words}"
        if cost is None:
            return stated
        of_tree = f"the tree of the certificate {self._has(cost)}"
        return f"{stated}; {of_tree}" + (", so it is optimal" if cost == bound else "")

    @property
    def _cost_in_words(self) -> str:
        """What the cost is, if it is not plain errors."""
        header = self.header
        if "cost" not in self._names:
            return ""
        of_errors = "the weight of misclassified examples"
        if header.class_costs is not None:
            of_errors = "the weight of the examples times the costs of their predictions"
            shown = [shown_cost(plain(Fraction(c, self._price_unit))) for c in header.class_costs]
            predictions = len(shown) // header.classes
            rows = [shown[i : i + predictions] for i in range(0, len(shown), predictions)]
            if len(shown) <= _MAX_SHOWN_COSTS:
                by_class = ", ".join(f"({', '.join(row)})" for row in rows)
                of_errors += f", by class {by_class},"
        price = ""
        if header.leaf_price:
            price = (
                f" plus {shown_cost(plain(Fraction(header.leaf_price, self._unit)))} for every leaf"
            )
        return f", where the cost is {of_errors}{price}".removesuffix(",")

    @property
    def _splits(self) -> str:
        """The splits of the trees, in words."""
        splits = self.header.splits
        if set(splits) <= {"n"}:
            return "axis-parallel splits"
        kinds = {
            "n": "by thresholds", "c": "by one category against the others",
            "s": "by sets of categories", "-": "that may not be used",
        }  # fmt: skip
        used = [
            f"{count(splits.count(letter), 'feature')} {words}"
            for letter, words in kinds.items()
            if letter in splits
        ]
        return f"splits of {', '.join(used)}"

    @property
    def _names(self) -> tuple[str, ...]:
        """The quantities, with "cost" for errors that are not plain."""
        priced = self.header.leaf_price or self.header.class_costs is not None
        errors = "cost" if priced else "errors"
        return tuple(errors if name == "errors" else name for name in self.header.minimize)

    def _below(self, bound: Cost) -> str:
        """Return the words for a cost below a bound."""
        shown = shown_cost(bound)
        if len(self._names) > 1:
            return f"has ({', '.join(self._names)}) before {shown} in lexicographic order"
        kinds = {"errors": "misclassifies a weight less than", "cost": "costs less than"}
        return f"{kinds.get(self._names[0], f'has a {self._names[0]} less than')} {shown}"

    def _has(self, cost: Cost) -> str:
        """Return the words for a cost of a tree."""
        shown = shown_cost(cost)
        if len(self._names) > 1:
            return f"has {shown}"
        kinds = {"errors": "misclassifies", "cost": "costs"}
        return f"{kinds.get(self._names[0], f'has {self._names[0]}')} {shown}"

    @property
    def _unit(self) -> int:
        """By what costs in the user's unit are multiplied in the file; 1 in a file without unit."""
        return self._price_unit * (self.header.weight_scale or 1)

    @property
    def _price_unit(self) -> int:
        return self.header.error_price or 1

    def _in_units(self, numbers: tuple[int, ...] | None) -> Cost | None:
        if numbers is None:
            return None
        pairs = zip(self.header.minimize, numbers, strict=True)
        found = tuple(
            plain(Fraction(number, self._unit)) if name == "errors" else number
            for name, number in pairs
        )
        return found[0] if len(found) == 1 else found

    def save(self, path: str | PathLike[str]) -> None:
        """Write the certificate, compressed by gzip.

        Parameters
        ----------
        path : path
            The file, by convention ``*.xtc``. It is replaced when the new file is complete.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        with replacing(Path(path), binary=True) as file:
            file.write(gzip.compress(self.content, mtime=0))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Certificate":
        """Read a certificate; its statement is not verified yet.

        Parameters
        ----------
        path : path
            A file that `save` wrote.

        Raises
        ------
        CertificateRefused
            If it is no complete certificate, or unpacks to more than 256 MiB.
        OSError
            If the file cannot be read.
        """
        with Path(path).open("rb") as file:
            packed = file.read(MAX_BYTES + 1)
        unpacker = zlib.decompressobj(wbits=31)
        try:
            content = unpacker.decompress(packed, MAX_BYTES + 1)
        except zlib.error:
            raise refused(Reason.FORMAT) from None
        if len(content) > MAX_BYTES or len(packed) > MAX_BYTES:
            raise refused(Reason.SIZE)
        if not unpacker.eof or unpacker.unused_data:
            raise refused(Reason.LENGTH)
        return cls(content)
