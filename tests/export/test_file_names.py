"""Exporters answer file names by the call that writes; warnings name the line of the user."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from exactree import OptimalTreeClassifier, export
from exactree.trees import Tree

WRITERS = sorted({*export.EXPORTERS} - {"plot"})


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("file", ["model.json", Path("some") / "model.svg"])
def test_every_exporter_says_how_to_write_its_result(
    form: str, file: Any, small_tree: Tree
) -> None:
    pattern = rf"^to_{form} returns .* and writes no file: .*export\.to_{form}\(model\).*\.$"
    with pytest.raises(TypeError, match=pattern) as caught:
        export.EXPORTERS[form](small_tree, file)
    assert file.__fspath__() in str(caught.value) if isinstance(file, Path) else True


def test_the_sentence_is_the_call_to_write(small_tree: Tree, tmp_path: Path) -> None:
    file = str(tmp_path / "x.svg")
    with pytest.raises(TypeError) as caught:
        export.to_svg(small_tree, file)  # type: ignore[call-arg]
    call = str(caught.value).partition("writes no file: ")[2].rstrip(".")
    eval(call, {"Path": Path, "export": export, "model": small_tree})
    assert Path(file).read_text(encoding="utf-8") == export.to_svg(small_tree)


def test_keywords_for_files_and_pictures_are_answered(small_tree: Tree) -> None:
    with pytest.raises(TypeError, match="to_dot returns text"):
        export.to_dot(small_tree, out_file="tree.dot")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"\.figure\.savefig\('tree\.png'\)"):
        export.plot_tree(small_tree, "tree.png")  # type: ignore[arg-type]


def test_names_of_tables_are_not_files(small_tree: Tree) -> None:
    assert '"main.data"' in export.to_sql(small_tree, "main.data")


def test_warnings_of_exporters_name_the_line_of_the_user() -> None:
    pipe = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=1))
    pipe.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    for call in (export.to_text, export.to_json, export.to_rules_frame):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call(pipe)
        assert [entry.filename for entry in caught] == [__file__]
