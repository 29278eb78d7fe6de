"""The certificate of a report: its statement, and what the page needs to check it in a browser."""

from __future__ import annotations

import gzip
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.certificates import Certificate, Reason
from exactree.certificates.certificate import MAX_BYTES, refused
from exactree.certificates.columns import tree_text
from exactree.certificates.table import RankedTable
from exactree.data.dataset import Dataset, make_dataset
from exactree.errors import InternalError
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHECKER", "MAX_TABLE_BYTES", "CertificateOnPage", "certificate_on_page"]

# Made by `make wasm`; not every installation has it.
CHECKER = Path(__file__).parent / "checker.wasm"
# The maximum length of an embedded table before it is compressed: a million numbers are 8 MB.
MAX_TABLE_BYTES = 1 << 25


@dataclass(frozen=True)
class CertificateOnPage:
    """A certificate for a page.

    Attributes
    ----------
    statement : str
        What it states.
    data : dict or None
        The data of the program that checks it; None if this installation has no checker for pages.
    """

    statement: str
    data: dict[str, Any] | None


def certificate_on_page(
    certificate: Certificate,
    model: Tree | Ensemble,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    target: str | None,
    weights_name: str,
    embed_table: bool,
) -> CertificateOnPage:
    """Return the certificate of a tree for its page; only the reader's browser checks its proof.

    Parameters
    ----------
    certificate : Certificate
        The certificate.
    model : Tree or Ensemble
        The subject of the page.
    X, y : array-like
        The training examples and their labels.
    sample_weight : array-like or None
        Their weights.
    target : str or None
        The name of the labels.
    weights_name : str
        The name of the weights.
    embed_table : bool
        Whether the page contains the table.

    Raises
    ------
    CertificateRefused
        If the certificate belongs to another table.
    ValueError, TypeError
        If it is no certificate or one of another tree, or the table is too large for a page.
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(
            f"certificate must be a Certificate, got {type(certificate).__name__}; read a file by "
            "Certificate.load(path)."
        )
    dataset = make_dataset(X, y, sample_weight, with_missing=True, with_levels=True)
    if not _is_of(certificate, model, dataset):
        raise ValueError(
            "The certificate is of another tree than that of the report, which needs the "
            "certificate of its own outcome."
        )
    if not CHECKER.exists():
        return CertificateOnPage(certificate.statement, None)
    table = _bytes_of(dataset)
    if embed_table and len(table) > MAX_TABLE_BYTES:
        raise ValueError(
            f"The table is too large for a page: it takes {len(table):,} bytes, more than "
            f"{MAX_TABLE_BYTES:,}. If it is not embedded, readers can choose its CSV file."
        )
    data = {
        "checker": _packed(CHECKER.read_bytes()),
        "certificate": _packed(certificate.content),
        "limit": MAX_BYTES,
        "reasons": [reason.value for reason in Reason],
        "statement": certificate.statement,
        "table": _packed(table) if embed_table else None,
        "rows": len(dataset.labels),
        "features": [
            {"name": name, "levels": _texts(dataset.levels.get(feature))}
            for feature, name in enumerate(model.feature_names)
        ],
        "target": target,
        "weights": None if sample_weight is None else weights_name,
        "scale": str(dataset.weight_scale),
    }
    return CertificateOnPage(certificate.statement, data)


def _is_of(certificate: Certificate, model: Tree | Ensemble, dataset: Dataset) -> bool:
    """Return whether a certificate has the tree of a model; another table is refused."""
    if isinstance(model, Ensemble | RegressionTree):
        return False
    header, data = certificate.header, dataset
    arrays = data.X, data.labels, data.weights, data.weight_scale
    try:
        table = RankedTable(*arrays, header.splits, header.class_costs)
    except ValueError:
        raise refused(Reason.TABLE) from None
    if table.digest() != header.table:
        raise refused(Reason.TABLE)
    try:
        return tree_text(table, dataset, model) == header.tree
    except (InternalError, KeyError, ValueError):  # a tree of other splits, rows or labels
        return False


def _bytes_of(dataset: Dataset) -> bytes:
    """Return a table as `check` of crates/check-wasm reads it."""
    arrays: list[NDArray[Any]] = [
        np.ascontiguousarray(dataset.X.T, dtype="<f8"),
        dataset.labels.astype("<u4"),
        dataset.weights.astype("<u8"),
    ]
    return b"".join(array.tobytes() for array in arrays)


def _packed(content: bytes) -> str:
    return b64encode(gzip.compress(content, mtime=0)).decode()


def _texts(levels: tuple[Any, ...] | None) -> list[str] | None:
    return None if levels is None else [str(level) for level in levels]
