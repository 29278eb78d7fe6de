"""`exactree report`: pages about models, and messages for unusable input."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from exactree.export.page.certificate import CHECKER

from .conftest import FRUIT, Run

pytest.importorskip("jinja2")


def change_result(model: Path, **changes: Any) -> None:
    """Change entries of the result in a model file; None removes an entry."""
    content = json.loads(model.read_text(encoding="utf-8"))
    result = content["result"] | changes
    content["result"] = {name: value for name, value in result.items() if value is not None}
    model.write_text(json.dumps(content), encoding="utf-8")


def test_the_page_reports_tree_proof_and_front(run: Run, model: Path, fruit: Path) -> None:
    result = run("report", model, fruit, "-o", "page.html")
    assert (result.exit_code, result.output) == (0, "report: page.html\n")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>kind, predicted by a decision tree</title>" in page
    assert "Predicts whether kind is" in page
    assert "Confusion matrix, training examples" in page
    assert "✓ Proved best" in page
    assert "the fewest errors of all trees with at most 3 nodes on a path" in page
    assert "not those of the fit" not in page
    assert '<svg class="chart"' in page


def test_options_select_the_content_of_the_page(run: Run, model: Path, fruit: Path) -> None:
    words = ("--examples", 0, "--front-seconds", 0, "--title", "Fruit & <b>", "--quiet")
    result = run("report", model, fruit, "-o", "page.html", *words)
    assert (result.exit_code, result.output) == (0, "")
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"examples":[]' in page
    assert "<h1>Fruit &amp; &lt;b&gt;</h1>" in page
    assert '<svg class="chart"' not in page


def test_examples_of_another_table_are_reported_as_held_out(
    run: Run, model: Path, fruit: Path
) -> None:
    Path("new.csv").write_text("kind,x,size,colour\napple,4,2,green\n", encoding="utf-8")
    assert run("report", model, fruit, "--held-out", "new.csv", "-o", "a.html").exit_code == 0
    assert "held-out error rate</dt><dd>100.0 %" in Path("a.html").read_text(encoding="utf-8")
    assert run("report", model, "new.csv", "-o", "b.html").exit_code == 0
    assert "not those of the fit" in Path("b.html").read_text(encoding="utf-8")


def test_models_of_regressions_and_pruned_models_are_reported(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "size", "--task", "regression", "-o", "r.json")
    assert run(*fit).exit_code == 0
    assert run("report", "r.json", fruit, "-o", "r.html").exit_code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert "mean squared error" in page
    assert "size, predicted by a decision tree</title>" in page
    assert "Predicts the number size from" in page
    assert "✓ Proved best" in page
    assert run("fit", fruit, "--target", "kind", "-o", "m.json").exit_code == 0
    assert run("prune", "m.json", fruit, "-o", "p.json").exit_code == 0
    assert run("report", "p.json", fruit, "-o", "p.html").exit_code == 0
    assert "No record of a proof" in Path("p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("fitted", "new", "rate"), [("7,8,7b", "7,8", "0.0"), ("7,8,8", "7,8,7b", "33.3")]
)
def test_labels_of_two_tables_are_equal_if_they_are_written_alike(
    run: Run, fitted: str, new: str, rate: str
) -> None:
    """Only one of the two tables has integers for all labels."""
    for name, labels in (("t.csv", fitted), ("new.csv", new)):
        rows = "".join(f"{x},{label}\n" for x, label in enumerate(labels.split(",")))
        Path(name).write_text("x,y\n" + rows, encoding="utf-8")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json").exit_code == 0
    assert run("report", "m.json", "t.csv", "--held-out", "new.csv", "-o", "a.html").exit_code == 0
    page = Path("a.html").read_text(encoding="utf-8")
    assert f"held-out error rate</dt><dd>{rate} %" in page


def test_fractions_tuples_and_missing_entries_of_a_result_are_read(
    run: Run, model: Path, fruit: Path
) -> None:
    assert run("report", model, fruit, "-o", "page.html").exit_code == 0
    assert "<dt>problem</dt>" in Path("page.html").read_text(encoding="utf-8")
    for changes in (
        {"cost": "1/3", "lower_bound": "1/3"},
        {"cost": [0, 2], "lower_bound": [0, "1/2"], "status": "feasible"},
        {"problem": None, "seconds": None},
    ):
        change_result(model, **changes)
        assert run("report", model, fruit, "-o", "page.html").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<dt>problem</dt>" not in page
    assert "(0, 0.5)" in page


@pytest.mark.parametrize(
    "changes",
    [{"cost": "1/0"}, {"cost": "<b>"}, {"lower_bound": {}}, {"problem": 3}, {"cost": [[1]]}],
)
def test_damaged_results_are_refused(
    run: Run, model: Path, fruit: Path, changes: dict[str, Any]
) -> None:
    change_result(model, **changes)
    result = run("report", model, fruit, "-o", "page.html")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 2, "one sentence and a hint"
    assert "is damaged: its result" in result.stderr


def test_names_in_tables_are_escaped(run: Run) -> None:
    hostile = "</script><script>alert(1)</script>"
    table = FRUIT.replace("colour", hostile).replace("pear", '"<img src=x onerror=alert(2)>"')
    Path("t.csv").write_text(table, encoding="utf-8")
    assert run("fit", "t.csv", "--target", "kind", "-o", "m.json", "--quiet").exit_code == 0
    assert run("report", "m.json", "t.csv", "-o", "page.html").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "alert(2)" in page, "the label is on the page, as text"
    assert hostile not in page
    assert "<img" not in page


def test_absent_tables_and_missing_libraries_end_in_one_sentence_and_a_hint(
    run: Run, model: Path, fruit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run("report", model, "no.csv", "-o", "page.html")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 2)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("report", model, fruit, "-o", "page.html")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 2)
    assert "pip install 'exactree[report]'" in result.stderr


def test_a_page_without_a_name_or_with_another_ending_is_refused(
    run: Run, model: Path, fruit: Path
) -> None:
    assert run("report", model, fruit, "-o", "page.txt").exit_code == 2
    assert run("report", model, fruit).exit_code == 2


def test_the_help_has_an_example(run: Run) -> None:
    assert "exactree report model.json raisin.csv -o report.html" in run("report", "--help").output


def test_the_page_of_a_certificate_holds_it(run: Run, raisin: Path) -> None:
    fit = ("fit", raisin, "--target", "Class", "--max-depth", 1, "-o", "m.json", "--quiet")
    assert run(*fit, "--certificate", "m.xtc").exit_code == 0
    words = ("report", "m.json", raisin, "-o", "page.html", "--front-seconds", 0, "--quiet")
    assert run(*words, "--certificate", "m.xtc", "--embed-table").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "It states: no tree of depth at most 1 with axis-parallel splits" in page
    assert ("Check this certificate" in page) == CHECKER.exists()
    assert ('"name":"ConvexArea","levels":null' in page) == CHECKER.exists()
    assert run(*words).exit_code == 0
    assert "It states" not in Path("page.html").read_text(encoding="utf-8")


def test_weights_of_the_fit_are_those_of_the_certificate(run: Run, tmp_path: Path) -> None:
    lines = [line.split(",") for line in FRUIT.split()]
    rows = [",".join([*line, str(at % 3 + 1)]) for at, line in enumerate(lines[1:])]
    weighted = "\n".join([",".join([*lines[0], "w"]), *rows]) + "\n"
    Path("t.csv").write_text(weighted, encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "kind", "--weights", "w", "--max-depth", 1, "--quiet")
    assert run(*fit, "-o", "m.json", "--certificate", "m.xtc").exit_code == 0
    words = ("report", "m.json", "t.csv", "-o", "page.html", "--front-seconds", 0)
    assert run(*words, "--certificate", "m.xtc").exit_code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert ('"weights":"w","scale":"1"' in page) == CHECKER.exists()
    other = run(*words, "--certificate", "m.xtc", "--weights", "size")
    assert other.exit_code == 1
    assert "it belongs to another table" in other.stderr


def test_a_certificate_that_is_not_of_the_model_is_refused(
    run: Run, model: Path, fruit: Path
) -> None:
    fit = ("fit", fruit, "--target", "kind", "--max-depth", 1, "-o", "s.json", "--quiet")
    assert run(*fit, "--certificate", "s.xtc").exit_code == 0
    words = ("report", model, fruit, "-o", "page.html", "--front-seconds", 0)
    result = run(*words, "--certificate", "s.xtc")
    assert result.exit_code == 1
    assert "The certificate is of another tree than that of the report" in result.stderr
    assert run(*words, "--certificate", fruit).exit_code == 1
    assert run(*words, "--certificate", "no.xtc").exit_code == 1
    assert not Path("page.html").exists()


@pytest.mark.parametrize("options", [("--embed-table",), ("--weights", "size")])
def test_options_of_the_check_need_a_certificate(
    run: Run, model: Path, fruit: Path, options: tuple[str, ...]
) -> None:
    result = run("report", model, fruit, "-o", "page.html", *options)
    assert result.exit_code == 2
    assert "--embed-table and --weights are for a --certificate." in result.stderr
