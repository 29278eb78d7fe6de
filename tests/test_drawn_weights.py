"""Weights of random tables are of every kind, and accepted by problems."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from exactree.testing import random_errors, random_weights

SEARCH = Path(__file__).parents[1] / "crates" / "search" / "src"
# A file draws weights of every kind itself, or with a function shared by several tests.
DRAWN = (
    r"random_weights::(weights|errors)\(",
    r"crate::support::min_size_by_enumeration::\{[^}]*\bdraw\b",
    r"crate::spaces::(continuous|dichotomies)::differential::\{[^}]*\bdraw\b",
    r"crate::spaces::leaf_costs::differential::(class_costs::)?instance::\{[^}]*\bdraw\b",
    r"\b(instance|targets)::draw\(",
    r"constraints::differential::instance::\{[^}]*\bdraw_errors\b",
)
# Tests of kernels with narrow lanes use the heaviest weights that the lanes can hold.
HEAVIEST = "fn the_heaviest_rows_that_lanes_hold_do_not_overflow"

# The same in Python: drawn in the file, by a strategy of hypothesis, or by a shared function.
PYTHON_DRAWN = r"(drawn|random)_weights\(|\b(problems|regressions)\(|INSTANCES\[|instances\.py"
# The first two have their own kinds of weights, which they combine with limits; the third compares
# ways to run the searches of a front, whose costs other files compare.
WITH_OWN_WEIGHTS = {
    "test_limits_of_every_kind.py",
    "test_leaves_of_classes.py",
    "test_front_options.py",
}


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("bits", [30, 54, 62])
def test_every_kind_of_weights_is_drawn_and_stays_below_its_bits(bits: int, zeros: bool) -> None:
    rng, seen = np.random.default_rng(1), Counter[str]()
    for _ in range(4_000):
        rows = int(rng.integers(1, 40))
        weights = random_weights(rng, rows, bits=bits, zeros=zeros)
        if weights is None:
            seen["none"] += 1
            continue
        assert len(weights) == rows
        assert 0 < sum(weights) < 2**bits
        assert min(weights) >= (0 if zeros else 1e-6)
        whole = all(isinstance(weight, int) for weight in weights)
        seen["whole" if whole else "real"] += 1
        seen["heavy"] += min(weights) >= 2**19
        seen["uneven"] += min(weights) < 5 and max(weights) >= 2**19
        seen["zero"] += 0 in weights
        seen["border"] += any(abs(sum(weights) - 2**b) < 2 for b in (15, 16, 31, 53, bits))
        seen["widest"] += whole and sum(weights) >= 2 ** (bits - 1)
        errors = random_errors(rng, weights, 3)
        assert 0 <= errors <= max(sum(weights), 3)
    n_with_zeros = seen.pop("zero")
    assert (n_with_zeros > 100) if zeros else (n_with_zeros == 0)
    assert all(count > 30 for count in seen.values()), seen


def test_every_differential_test_of_rust_draws_weights_of_every_kind() -> None:
    tests = list(SEARCH.rglob("differential.rs"))
    assert len(tests) > 20
    for path in tests:
        submodules = path.with_suffix("").glob("*.rs") if path.with_suffix("").is_dir() else ()
        text = "".join(file.read_text() for file in (path, *submodules))
        if "#[test]" in text or "proptest!" in text:
            has_heavy_weights = HEAVIEST in text or any(re.search(way, text) for way in DRAWN)
            assert has_heavy_weights, path.relative_to(SEARCH)


def test_every_comparison_with_the_definition_draws_weights_of_every_kind() -> None:
    compared = [
        path
        for path in (Path(__file__).parent / "engine").glob("test_*.py")
        if re.search(r'implementation="spec"|, "spec"\)|ALL_TREES', path.read_text())
    ]
    assert len(compared) > 12
    for path in compared:
        drawn = re.search(PYTHON_DRAWN, path.read_text()) is not None
        assert drawn != (path.name in WITH_OWN_WEIGHTS), path.name
