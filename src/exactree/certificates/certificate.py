"""`Certificate`: a file that proves a lower bound, and what it states."""

import gzip
import zlib
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path

from exactree.certificates.checker import NO_LIMIT, Header, Reason, Refused
from exactree.data.parameters import count
from exactree.errors import CertificateRefused
from exactree.files import replacing
from exactree.notebook import paragraph
from exactree.objectives.errors import plain
from exactree.problem.quantities import Number, shown_cost

__all__ = ["MAX_BYTES", "Certificate", "Verified", "refused"]

# The maximum length of an unpacked certificate. A file is never unpacked beyond it.
MAX_BYTES = 1 << 28


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
    cost : int or Fraction
        The cost of the certificate's tree, recounted on the table.
    lower_bound : int or Fraction
        No tree within the limits costs less.
    """

    statement: str
    cost: Number
    lower_bound: Number

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
    def cost(self) -> Number:
        """The cost of the tree, in units of the user's weights."""
        return self._in_units(self.header.cost)

    @property
    def lower_bound(self) -> Number:
        """The lower bound, in units of the user's weights."""
        return self._in_units(self.header.lower_bound)

    @property
    def statement(self) -> str:
        """What the certificate states; only a check proves it."""
        header = self.header
        limits = {"depth": header.max_depth, "size": header.max_size}
        within = [f"{name} at most {n}" for name, n in limits.items() if n != NO_LIMIT]
        tree = "tree of " + " and ".join(within) if within else "tree"
        cost, bound = shown_cost(self.cost), shown_cost(self.lower_bound)
        shape = ", ".join(
            count(n, thing)
            for n, thing in (
                (header.rows, "example"), (header.features, "feature"), (header.classes, "class")
            )
        )  # fmt: skip
        table = f"on the table with SHA-256 {header.table[:16]}… ({shape})"
        if header.leaf_price:
            price = shown_cost(self._in_units(header.leaf_price))
            unit = f"the weight of misclassified examples plus {price} for every leaf"
            measured = f"costs less than {bound} {table}, where the cost is {unit}"
            of_tree = f"the tree of the certificate costs {cost}"
        else:
            measured = f"misclassifies a weight less than {bound} {table}"
            of_tree = f"the tree of the certificate misclassifies {cost}"
        end = f"{of_tree}, so it is optimal" if cost == bound else of_tree
        return f"no {tree} with axis-parallel splits {measured}; {end}"

    def _in_units(self, cost: int) -> Number:
        header = self.header
        unit = header.error_price * header.weight_scale
        return plain(Fraction(cost, unit)) if unit else cost

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
