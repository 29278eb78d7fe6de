"""Missing optional packages are named together with their extra."""

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

import exactree as xt
from exactree import export
from exactree.bound_optimal import plot_curve
from exactree.estimators import register_onnx
from exactree.tuning import plot_tuning

X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0, 0, 1, 1]


def fitted() -> xt.Tree:
    return xt.OptimalTreeClassifier(max_depth=1).fit(X, Y).tree_


# Extra, libraries that are missing, call that needs them.
CALLS: list[tuple[str, list[str], Callable[[], Any]]] = [
    ("plot", ["matplotlib"], lambda: export.plot_tree(fitted())),
    ("plot", ["matplotlib"], lambda: export.plot_regions(fitted(), X, Y)),
    ("plot", ["matplotlib"], lambda: export.plot_feature_use(fitted())),
    ("plot", ["matplotlib"], lambda: plot_curve([])),
    ("plot", ["matplotlib"], lambda: plot_tuning(xt.OptimalTreeClassifierCV(cv=2).fit(X, Y))),
    ("onnx", ["onnx"], lambda: export.to_onnx(fitted())),
    ("onnx", ["skl2onnx"], register_onnx),
    ("treelite", ["treelite"], lambda: export.to_treelite(fitted())),
    ("report", ["jinja2"], lambda: export.report(fitted(), X, Y)),
]


@pytest.mark.parametrize(("extra", "libraries", "call"), CALLS)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    extra: str, libraries: list[str], call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in list(sys.modules):
        if loaded.partition(".")[0] in libraries:
            monkeypatch.setitem(sys.modules, loaded, None)
    for library in libraries:
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=re.escape(f"pip install 'exactree[{extra}]'")):
        call()
