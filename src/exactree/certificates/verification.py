"""`check`: verifies a certificate by the checker in `crates/check`."""

from typing import Any

import numpy as np

from exactree import _native
from exactree.certificates.certificate import Certificate, Verified, refused
from exactree.certificates.format import Reason
from exactree.data.dataset import Dataset, make_dataset
from exactree.stopping import Interruptible

__all__ = ["check", "checked_for"]


def check(certificate: Certificate, X: Any, y: Any, *, sample_weight: Any = None) -> Verified:
    """Verify a certificate for a table.

    The checker shares no code with the searches. It makes the ranks of the features from `X`,
    counts the cost of the tree, and verifies every step of the proof. It trusts nothing in the
    certificate.

    Parameters
    ----------
    certificate : Certificate
        The certificate, from `certify` or `Certificate.load`.
    X : array-like or data frame, shape (n, d)
        The features, in the same order of rows and columns as for `certify`; the values may differ
        as long as they have the same order in every column. NaN is a missing value.
    y : array-like, shape (n,)
        The labels.
    sample_weight : array-like, shape (n,), optional
        The weights; with a `class_weight`, times the factors of the classes.

    Returns
    -------
    Verified
        The statement that is proved, with the cost of the tree and the lower bound.

    Raises
    ------
    CertificateRefused
        If the certificate proves nothing about this table; ``reason`` says why in one word.
    ValueError, TypeError
        If the table is invalid.
    """
    if not isinstance(certificate, Certificate):
        raise TypeError(
            f"certificate must be a Certificate, got {type(certificate).__name__}; read a file by "
            "Certificate.load(path)."
        )
    with Interruptible():
        dataset = make_dataset(X, y, sample_weight, with_missing=True, with_levels=True)
        return checked_for(certificate, dataset)


def checked_for(certificate: Certificate, dataset: Dataset) -> Verified:
    """Verify a certificate for a checked table.

    Parameters
    ----------
    certificate : Certificate
        The certificate.
    dataset : Dataset
        The table.
    """
    if dataset.weight_scale >= 1 << 64:
        raise refused(Reason.TABLE)
    name = _native.check_certificate(
        certificate.content,
        dataset.X,
        dataset.labels.astype(np.uint32),
        dataset.weights.astype(np.uint64),
        dataset.weight_scale,
    )
    if name is not None:
        raise refused(Reason[name])
    return Verified(certificate.statement, certificate.cost, certificate.lower_bound)
