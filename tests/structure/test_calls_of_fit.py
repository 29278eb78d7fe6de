"""From `fit` to the native search there are at most six calls."""

import sys
from types import FrameType
from typing import Any

import pytest

from exactree import OptimalTreeClassifier, _native
from exactree.engine.native.border import SearchResult

NATIVE_SEARCH = _native.minimum_errors


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list, filled by `fit`: the functions between `fit` and the native search."""
    names: list[str] = []

    def search(*arguments: Any) -> SearchResult[Any]:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "fit":
            names.insert(0, frame.f_code.co_name)
            frame = frame.f_back
        return NATIVE_SEARCH(*arguments)

    monkeypatch.setattr(_native, "minimum_errors", search)
    return names


def test_fit_reaches_the_native_search_by_six_calls(calls: list[str]) -> None:
    OptimalTreeClassifier(max_depth=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert calls == ["_fit", "solve", "branch_and_bound", "through_stages", "minimum_errors"]
    assert len([*calls, "search"]) <= 6
