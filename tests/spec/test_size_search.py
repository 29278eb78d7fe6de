"""The loop around decision procedures finds the minimum size with few decisions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.spec.size_search import smallest


@pytest.mark.parametrize("strategy", ["up", "down", "bisect"])
@given(low=st.integers(0, 5), width=st.integers(-1, 40), least=st.integers(0, 50))
def test_the_least_size_is_found(strategy: str, low: int, width: int, least: int) -> None:
    asked: list[int] = []

    def decide(s: int) -> str | None:
        asked.append(s)
        return f"of size {s}" if s >= least else None

    found = smallest(decide, low, low + width, strategy)  # type: ignore[arg-type]
    expected = max(low, least)
    assert found == ((expected, f"of size {expected}") if expected <= low + width else None)
    assert len(set(asked)) == len(asked)
    assert all(low <= s <= low + width for s in asked)
    if strategy == "up":
        assert asked == list(range(low, min(expected, low + width) + 1))
    if strategy == "down" and found:
        assert min(asked) >= expected - 1
    if strategy == "bisect":
        assert len(asked) <= 1 + (width + 1).bit_length()
