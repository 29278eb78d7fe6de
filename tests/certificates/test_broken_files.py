"""Truncated files, random bytes and other broken certificates: refused, in both checkers alike."""

import gzip
import zlib
from random import Random

import pytest
from tests.certificates.test_mutations import valid
from tests.certificates.written import Written, reason

import exactree as xt
from exactree.certificates import certificate


@pytest.fixture
def packed(tmp_path):
    """Return the path of a valid certificate, its table and its file."""
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=1))
    path = tmp_path / "c.xtc"
    xt.certify(problem, xt.solve(problem)).save(path)
    return path, X, y


def raised(written: Written) -> Written:
    """Return the certificate with a bound that is one too great, or with a tree within limits."""
    *first, last = str(written.fields["lower-bound"]).split()
    if last == "none":
        return written.with_fields(**{"max-errors": 1000})
    return written.with_fields(**{"lower-bound": " ".join([*first, str(int(last) + 1)])})


def test_every_truncation_is_refused() -> None:
    for written in valid():
        content = written.sealed()
        step = max(1, len(content) // 40)
        for length in range(0, len(content), step):
            assert reason(content[:length], written.table) in ("FORMAT", "LENGTH")


def test_changed_and_random_bytes_never_prove_more() -> None:
    random = Random(3)
    for written in valid():
        # The bound is one too great, so nothing may be accepted.
        wrong = raised(written).sealed()
        start = wrong.index(b"\nbody\n") + 6
        for _ in range(40):
            changed = bytearray(wrong)
            if start < len(changed):
                for _ in range(random.choice((1, 1, 2, 5))):
                    changed[random.randrange(start, len(changed))] = random.randrange(256)
            assert reason(bytes(changed), written.table) is not None
        for _ in range(10):
            body = random.randbytes(len(wrong) - start)
            assert reason(wrong[:start] + body, written.table) is not None
        assert reason(random.randbytes(200), written.table) == "FORMAT"


def refusal_of(path) -> str:
    """Return the reason for which a file cannot be loaded."""
    with pytest.raises(xt.CertificateRefused) as refused:
        xt.Certificate.load(path)
    assert "\n" not in str(refused.value)
    return refused.value.reason


def test_a_file_that_is_not_packed_or_not_complete_is_refused(packed, monkeypatch) -> None:
    path, _, _ = packed
    data = path.read_bytes()
    for content, expected in (
        (b"", "length"),
        (b"not gzip", "format"),
        (data[:-1], "length"),
        (data + b"\0", "length"),
        (data + data, "length"),
        (data[:-8] + b"\0" * 8, "format"),
        (gzip.compress(b""), "format"),
        (gzip.compress(b"a\n" * 100), "format"),
        (zlib.compress(gzip.decompress(data)), "format"),
    ):
        path.write_bytes(content)
        assert refusal_of(path) == expected
    path.write_bytes(gzip.compress(gzip.decompress(data) + bytes(10**6)))
    monkeypatch.setattr(certificate, "MAX_BYTES", 10**6)
    assert refusal_of(path) == "size"
    path.unlink()
    with pytest.raises(FileNotFoundError):
        xt.Certificate.load(path)


def test_a_saved_certificate_is_the_same_when_loaded(packed, tmp_path) -> None:
    path, X, y = packed
    loaded = xt.Certificate.load(str(path))
    assert xt.check(loaded, X, y).lower_bound == loaded.lower_bound == 1
    again = tmp_path / "again.xtc"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
