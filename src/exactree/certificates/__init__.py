"""Certificates: proofs of optimality that can be checked without this package's searches.

`certificate.py` has the file and its statement, `verification.py` the fast check by `crates/check`,
`checker.py`, `format.py` and `table.py` the readable one. `exactree.certify` writes certificates.
"""

from exactree.certificates.certificate import Certificate, Verified
from exactree.certificates.format import Header, Reason
from exactree.certificates.verification import check, checked_for

__all__ = ["Certificate", "Header", "Reason", "Verified", "check", "checked_for"]
