"""Common behaviour of all evaluations; `ensembles-sizes` and `ensembles-accuracy`."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import limited
from benchmarks.evaluation import EVALUATIONS, accuracy_report, sizes_report
from benchmarks.evaluation.accuracy_record import Accuracy, MeasuredTable, Results
from benchmarks.evaluation.figures import LINES
from benchmarks.evaluation.models import MODELS, fit
from benchmarks.evaluation.read import read_accuracy, read_sizes
from benchmarks.evaluation.sizes_record import PROBLEMS, Run, Sizes

import exactree as xt

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "benchmarks" / "records"
MACHINE = {"packages": {"numpy": "2"}}
ONE = Run("tiny", 9, 2, 2, 0, 1, "size", "optimal", 6, 6, 6, 0.5)
THREE = replace(ONE, trees=3, minimize="total_size", lower_bound=5, total_size=5, largest_size=3)
LARGEST = replace(THREE, minimize="largest_size", lower_bound=2, total_size=6, largest_size=2)

each_command = pytest.mark.parametrize("name", list(EVALUATIONS))


def tiny_table(folder: Path, name: str) -> None:
    """Write a table of two classes with a contradiction."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (40, 3))
    y = X[:, 0] + X[:, 1] > rng.integers(2, 4, 40)
    rows = [*np.column_stack([X, y]), [9, 9, 9, 0], [9, 9, 9, 1]]
    path = folder / name
    path.parent.mkdir()
    np.savetxt(path, np.array(rows), delimiter=",", header="a,b,c,target", comments="")


def sizes(*runs: Run) -> Sizes:
    """Return a record with these runs."""
    return Sizes("name", "2026-11-20", MACHINE, 10.0, runs, (1.0, 2.5), complete=True)


def accuracy(**models: Any) -> Accuracy:
    """Return a record of two tables with two draws each.

    For each model and table there are the accuracies, the sizes, and whether they are proved.
    """
    tables = (MeasuredTable("a", 9, 2, 2), MeasuredTable("b", 9, 2, 2))
    results = tuple(
        Results(table.name, name.replace("_", " "), right, size, size, proved, (0.1, 0.1))
        for name, columns in models.items()
        for table, (right, size, proved) in zip(tables, columns, strict=True)
    )
    settings = (3.0, 40, 2)  # seconds, trained examples, draws
    return Accuracy(
        "name", "2026-11-20", MACHINE, *settings, tables, results, (1.0,), complete=True
    )


@each_command
def test_without_data_the_command_prints_a_message_and_ends(name: str, run: Any) -> None:
    answer = run(name, data=None)
    assert answer.returncode == 0
    assert "EXACTREE_DATA is not set" in answer.stdout


@each_command
def test_an_absent_table_is_named(name: str, tmp_path: Path, run: Any) -> None:
    answer = run(name, data=tmp_path)
    assert answer.returncode == 1
    assert re.search(r"has no \S+\.csv\.gz", answer.stderr)


def test_sizes_leave_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    tiny_table(tmp_path, "min_size/tiny_0.2_0.csv.gz")
    out = tmp_path / "out"
    answer = run("ensembles-sizes", "--limit", "0.2", "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (path,) = out.glob("*.json")
    record = read_sizes(path)
    assert [(entry.trees, entry.minimize) for entry in record.runs] == list(PROBLEMS)
    assert {entry.errors for entry in record.runs} == {record.runs[0].errors}
    assert record.runs[0].errors >= 1
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == sizes_report.markdown(record)
    assert str(tmp_path) not in page
    assert "tiny_0.2_0" in path.with_suffix(".svg").read_text(encoding="utf-8")


def test_accuracies_leave_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    tiny_table(tmp_path, "continuous/pmlb_tiny.csv.gz")
    out = tmp_path / "out"
    options = ["--tables", "tiny", "--draws", "1", "--trained", "16", "--limit", "0.2"]
    answer = run("ensembles-accuracy", *options, "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (path,) = out.glob("*.json")
    record = read_accuracy(path)
    assert [result.model for result in record.results] == list(MODELS)
    assert all(len(result.accuracy) == 1 for result in record.results)
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == accuracy_report.markdown(record)
    assert str(tmp_path) not in page
    assert path.with_suffix(".svg").stat().st_size > 1000
    picture = path.with_suffix(".svg").read_bytes()
    assert run("ensembles-accuracy", "--again", str(path), data=None).returncode == 0
    assert path.with_suffix(".svg").read_bytes() == picture


def test_models_in_tables_and_figures_exist() -> None:
    compared = {name for pair in accuracy_report.COMPARED for name in pair}
    drawn = {name for models, _, _ in LINES.values() for name in models}
    assert compared | drawn <= set(MODELS)


@pytest.mark.parametrize("model", list(MODELS))
def test_every_model_predicts_labels_and_has_a_size(model: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (30, 3)).astype(float)
    y = (X[:, 0] > 2).astype(np.int64) + (X[:, 1] > 3)
    fitted = fit(model, X, y, 0, 5.0)
    right = int((fitted.predict(X) == y).sum())
    assert 0 <= fitted.largest_size <= fitted.total_size
    exact = re.search(r"^(smallest tree|\d trees, \w+ size)(?:, (\d+)% errors)?$", model)
    if exact:
        assert fitted.proved
        assert right >= len(y) - 0.01 * int(exact[2] or 0) * len(y)
    else:
        assert right >= int((y == np.bincount(y).argmax()).sum())


def test_a_bootstrap_forest_votes_and_ties_go_to_the_earlier_class() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    for seed in range(20):
        fitted = fit("3 bootstrap trees", X, y, seed, 5.0)
        rng = np.random.default_rng(seed)
        votes = np.zeros((4, 2), dtype=int)
        for _ in range(3):
            rows = rng.integers(0, 4, 4)
            tree = xt.solve(xt.Problem(X[rows], y[rows], minimize="size", limits=ZERO)).tree
            votes[np.arange(4), tree.predict(X)] += 1
        assert fitted.predict(X).tolist() == votes.argmax(axis=1).tolist()


ZERO = xt.Limits(max_errors=0)


def test_a_search_without_a_tree_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def no_tree_at_first(problem: xt.Problem, on_progress: Any) -> xt.Outcome:
        nonlocal calls
        calls += 1
        if calls < 3:
            return xt.Outcome(xt.Status.STOPPED, None, 0, None, {}, "callback")
        return xt.solve(problem)

    monkeypatch.setattr(limited, "solve", no_tree_at_first)
    outcome, seconds = limited.solve_within(limited.smallest([[0], [1]], [0, 1], 1, "size", 0), 1)
    assert (outcome.cost, calls) == (1, 3)
    assert seconds >= 0


def test_an_infeasible_problem_is_searched_once() -> None:
    outcome, _ = limited.solve_within(limited.smallest([[0], [0]], [0, 1], 1, "size", 0), 1)
    assert outcome.status is xt.Status.INFEASIBLE


def test_a_page_of_sizes_reports_proofs_and_bounds() -> None:
    unfinished = replace(LARGEST, status="feasible", largest_size=5)
    page = sizes_report.markdown(sizes(ONE, THREE, unfinished))
    assert "| tiny | 9 | 2 | 2 | 0 | 6, 0.50 s | 5 (3), 0.50 s |  | 2 to 5 (6), 0.50 s |  |" in page
    assert "3 trees: total is less than 1 tree: size on 1 of 1 tables" in page
    assert "5 nodes compared with 6, geometric mean of the ratios 0.83" in page
    assert "| 3 trees: largest | 0 of 1 | 0.0 |" in page
    assert "Machine load during the run: 1 to 2.5." in page


def test_a_solution_below_a_lower_bound_refutes_it() -> None:
    assert sizes_report.refuted(sizes(ONE, THREE, LARGEST)) == []
    wrong = replace(THREE, lower_bound=7)
    bound = "for 3 trees the lower bound is 7 (total_size)."
    sentences = [
        f"tiny: there is a solution with {nodes} nodes, but {bound}" for nodes in (6, 5, 6)
    ]
    assert sizes_report.refuted(sizes(ONE, wrong, LARGEST)) == sentences
    # With two classes, one tree and two leaves that cancel out are an ensemble of three trees; with
    # three classes they need not be.
    assert sizes_report.refuted(sizes(replace(ONE, classes=3), replace(wrong, classes=3))) == [
        sentences[1]
    ]


def test_differences_are_means_of_paired_draws() -> None:
    record = accuracy(
        x=[((0.8, 0.9), (3, 3), (True, False)), ((0.5, 0.5), (3, 3), (True, True))],
        y=[((0.7, 0.7), (4, 4), (True, True)), ((0.6, 0.5), (4, 4), (None, None))],
    )
    of_all = accuracy_report.difference(record, "x", "y", proved=False)
    assert of_all is not None
    assert (of_all.won, of_all.lost, of_all.tables, of_all.samples) == (1, 1, 2, 4)
    assert (round(of_all.mean, 6), round(of_all.error, 6)) == (5.0, 10.0)
    of_proved = accuracy_report.difference(record, "x", "y", proved=True)
    assert of_proved is not None
    assert (round(of_proved.mean, 6), of_proved.samples) == (2.5, 3)
    assert accuracy_report.difference(record, "x", "z", proved=True) is None


def test_a_page_of_accuracies_reports_how_often_an_ensemble_is_smaller() -> None:
    tree = [((0.5, 0.7), (6, 5), (True, True)), ((0.5, 0.5), (4, 4), (True, True))]
    trees = [((0.6, 0.8), (5, 5), (True, True)), ((0.5, 0.5), (4, 4), (True, False))]
    record = accuracy(smallest_tree=tree, trees=trees)
    names = {"trees": "3 trees, total size"}
    results = tuple(
        replace(result, model=names.get(result.model, result.model)) for result in record.results
    )
    page = accuracy_report.markdown(replace(record, results=results))
    assert "| smallest tree | 55.0 ± 7.1 | 4.8 | 4.8 | 4 of 4 | 0.10 |" in page
    assert "| 3 trees, total size | smallest tree | +5.0 ± 5.0 | 1, 0, 1 |" in page
    assert "fewer nodes than smallest tree in 1 of the 3 draws in which it is proved" in page


def record_pages() -> dict[Path, str]:
    """Return the page made from each record in the repository, by its file."""
    return {
        path.with_suffix(".md"): evaluation.page(evaluation.read(path))
        for name, evaluation in EVALUATIONS.items()
        for path in RECORDS.glob(f"*-{name}*.json")
    }


def test_pages_agree_with_their_records() -> None:
    pages = record_pages()
    assert len(pages) >= 2
    for path, page in pages.items():
        assert path.read_text(encoding="utf-8") == page, path.name


PAGES = ["ensembles-evaluation.md", "hyperplanes-evaluation.md", "anytime.md", "growth.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_a_document_come_from_records(page: str) -> None:
    document = (ROOT / "docs" / page).read_text(encoding="utf-8")
    recorded = {line for page in record_pages().values() for line in page.splitlines()}
    lines = re.findall(r"^(?:\| |> - ).*", document, re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        assert line.removeprefix("> ") in recorded, line
