"""The command `python -m benchmarks hyperplanes`: models, page, and refuted proofs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.evaluation.accuracy_record import MeasuredTable
from benchmarks.evaluation.figures import FAMILIES, LEVELS
from benchmarks.evaluation.read import read_surfaces
from benchmarks.evaluation.surfaces import TABLES
from benchmarks.evaluation.surfaces_models import MODELS, Training, features_for_lines
from benchmarks.evaluation.surfaces_record import Surfaces, Trained
from benchmarks.evaluation.surfaces_report import COMPARED, WIDER, difference, markdown, refuted

ROOT = Path(__file__).resolve().parents[2]
RUN = Trained(
    "a", "lines", 160, 1, (9, 9), (0.8, 0.8), (0.5, 0.7), (1, 1), (True, True), (0, 0), (0.1, 0.3)
)
LOGISTIC = replace(
    RUN, model="logistic regression", nodes=0, test=(0.4, 0.6), proved=(None, None), size=(0, 0)
)


def record(*runs: Trained) -> Surfaces:
    """Return a record with these runs."""
    machine = {"packages": {"numpy": "2"}}
    tables = tuple(MeasuredTable(name, 9, 2, 2) for name in sorted({run.table for run in runs}))
    return Surfaces("name", "2026-11-20", machine, 3.0, 2, tables, runs, (1.0,), complete=True)


def test_a_run_leaves_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (40, 3))
    rows = np.column_stack([X, X[:, 0] + X[:, 1] > rng.integers(6, 10, 40)])
    (tmp_path / "continuous").mkdir()
    path = tmp_path / "continuous" / "tiny.csv.gz"
    np.savetxt(path, rows, delimiter=",", header="a,b,c,target", comments="")
    out = tmp_path / "out"
    options = [
        "--tables",
        "tiny",
        "--max-examples",
        "24",
        "--few-examples",
        "8",
        "--limit",
        "2",
        "--out",
        str(out),
    ]
    answer = run("hyperplanes", *options, data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (json,) = out.glob("*.json")
    written = read_surfaces(json)
    for examples, few in ((24, False), (8, True)):
        results = [result for result in written.results if result.max_examples == examples]
        expected = [
            (name, nodes)
            for name, model in MODELS.items()
            if few or not model.only_few
            for nodes in ((1, 2, 3) if model.tree else (0,))
        ]
        assert [(result.model, result.nodes) for result in results] == expected
        assert {result.examples for result in results} == {(examples,) * 5}
    assert refuted(written) == []
    assert json.with_suffix(".md").read_text(encoding="utf-8") == markdown(written)
    picture = json.with_suffix(".svg").read_text(encoding="utf-8")
    assert all(name in picture for name in (*FAMILIES, *LEVELS))


def test_models_in_tables_and_figures_exist() -> None:
    compared = {name for pair in (*COMPARED, *WIDER) for name in pair}
    assert compared | FAMILIES.keys() | LEVELS.keys() <= MODELS.keys()
    assert len(set(TABLES)) == len(TABLES) >= 10


@pytest.mark.parametrize("seed", range(4))
def test_wider_families_have_no_more_errors_and_sizes_are_within_limits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), rng.integers(0, 2 + seed % 2, 12)
    errors: dict[Any, int] = {}
    for nodes in (1, 2, 3):
        training = Training(X, y, nodes, (2, 0, 1), 20.0)
        for name, model in MODELS.items():
            fitted = model.fit(training)
            errors[name, nodes] = int((fitted.predict(X) != y).sum())
            assert fitted.size <= (nodes if model.tree else 0)
            exact = model.tree and name != "CART"
            assert fitted.proved is (True if exact else None)
            assert fitted.left_out == 0
        for wide, other in WIDER:
            assert errors[wide, nodes] <= errors[other, nodes]
    assert errors["curves of degree two", 3] < errors["thresholds, two features", 1]


def test_features_for_lines_have_the_largest_coefficients_of_a_linear_model() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = (X[:, 1] - X[:, 4] + 0.3 * X[:, 2] > 0).astype(np.int64)
    assert features_for_lines(X, y) == (1, 4, 2)
    assert features_for_lines(X[:, :2], y) == (0, 1)


def test_models_are_compared_at_the_same_size_or_with_a_model_without_size() -> None:
    others = [replace(run, table="b", test=(0.5, 0.5)) for run in (RUN, LOGISTIC)]
    runs = record(RUN, LOGISTIC, *others)
    result = difference(runs, 160, "lines", "logistic regression", 1)
    assert result is not None
    assert (round(result.mean, 6), result.won, result.lost, result.tables) == (5.0, 1, 0, 2)
    assert difference(runs, 160, "lines", "logistic regression", 2) is None
    assert difference(runs, 20, "lines", "logistic regression", 1) is None


def test_a_page_reports_accuracies_sizes_and_proofs() -> None:
    page = markdown(record(RUN, LOGISTIC, replace(RUN, nodes=2, proved=(True, False))))
    assert "| lines | 1 | 80.0 | 60.0 ± 14.1 | 1.0 | 2 of 2 | 0 | 0.20 | 0.30 |" in page
    assert "| lines | 2 | 80.0 | 60.0 ± 14.1 | 1.0 | 1 of 2 | 0 | 0.20 | 0.30 |" in page
    assert "| logistic regression |  | 80.0 | 50.0 ± 14.1 |  |  |  | 0.20 | 0.30 |" in page
    assert "| lines | logistic regression | +10.0 ± 0.0 | 1, 0, 0 |" in page
    assert "| a | 9 | 2 | 2 | 9 | 80.0, 60.0 | 80.0, 50.0 |" in page


def test_a_narrower_family_with_fewer_errors_refutes_a_proof() -> None:
    narrow = replace(RUN, model="thresholds, two features", train=(0.8, 0.9))
    sentence = "a: thresholds, two features (1 node) has fewer errors than lines (1 node)."
    assert refuted(record(RUN, narrow)) == [sentence]
    assert f"WRONG: {sentence}" in markdown(record(RUN, narrow))
    assert refuted(record(replace(RUN, proved=(True, False)), narrow)) == []
    assert refuted(record(replace(RUN, left_out=(0, 3)), narrow)) == []
    larger = replace(RUN, nodes=2, train=(0.8, 0.7))
    sentence = "a: lines (1 node) has fewer errors than lines (2 nodes)."
    assert refuted(record(RUN, larger)) == [sentence]
