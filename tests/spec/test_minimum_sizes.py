"""The search for the smallest size by decision procedures is correct and makes few decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.minimum_sizes import smallest


@pytest.mark.parametrize("strategy", ["up", "down", "bisect"])
@given(low=st.integers(0, 5), width=st.integers(-1, 40), minimum=st.integers(0, 50))
def test_the_minimum_size_is_found_with_few_decisions(
    strategy: str, low: int, width: int, minimum: int
) -> None:
    tried: list[int] = []

    def decide(s: int) -> str | None:
        tried.append(s)
        return f"of size {s}" if s >= minimum else None

    found = smallest(decide, low, low + width, strategy)  # type: ignore[arg-type]
    expected = max(low, minimum)  # smaller sizes than `low` are not tried
    assert found == ((expected, f"of size {expected}") if expected <= low + width else None)
    assert len(set(tried)) == len(tried)
    assert all(low <= s <= low + width for s in tried)
    if strategy == "up":
        assert tried == list(range(low, min(expected, low + width) + 1))
    if strategy == "down" and found:
        assert min(tried) >= expected - 1
    if strategy == "bisect":
        assert len(tried) <= 1 + (width + 1).bit_length()
