"""The command `python -m benchmarks hyperplanes`: models, page, and refuted proofs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.evaluation.accuracy_record import Held
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
    machine = {"packages": {"numpy": "2"}}
    tables = tuple(Held(name, 9, 2, 2) for name in sorted({run.table for run in runs}))
    return Surfaces("name", "2026-11-20", machine, 3.0, 2, tables, runs, (1.0,), complete=True)


def test_a_run_leaves_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (40, 3))
    rows = np.column_stack([X, X[:, 0] + X[:, 1] > rng.integers(6, 10, 40)])
    (tmp_path / "continuous").mkdir()
    path = tmp_path / "continuous" / "tiny.csv.gz"
    np.savetxt(path, rows, delimiter=",", header="a,b,c,target", comments="")
    out = tmp_path / "out"
    asked = ["--tables", "tiny", "--most", "24", "--few", "8", "--limit", "2", "--out", str(out)]
    answer = run("hyperplanes", *asked, data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (json,) = out.glob("*.json")
    made = read_surfaces(json)
    for most, few in ((24, False), (8, True)):
        there = [(run.model, run.nodes) for run in made.results if run.most == most]
        expected = [
            (name, nodes)
            for name, model in MODELS.items()
            if few or not model.few
            for nodes in ((1, 2, 3) if model.tree else (0,))
        ]
        assert there == expected
        assert {run.examples for run in made.results if run.most == most} == {(most,) * 5}
    assert refuted(made) == []
    assert json.with_suffix(".md").read_text(encoding="utf-8") == markdown(made)
    picture = json.with_suffix(".svg").read_text(encoding="utf-8")
    assert all(name in picture for name in (*FAMILIES, *LEVELS))


def test_what_is_compared_and_drawn_exists() -> None:
    named = {name for pair in (*COMPARED, *WIDER) for name in pair}
    assert named | FAMILIES.keys() | LEVELS.keys() <= MODELS.keys()
    assert len(set(TABLES)) == len(TABLES) >= 10


@pytest.mark.parametrize("seed", range(4))
def test_wider_families_make_fewer_errors_and_sizes_are_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)), rng.integers(0, 2 + seed % 2, 12)
    least: dict[Any, int] = {}
    for nodes in (1, 2, 3):
        training = Training(X, y, nodes, (2, 0, 1), 20.0)
        for name, model in MODELS.items():
            fitted = model.fit(training)
            least[name, nodes] = int((fitted.predict(X) != y).sum())
            assert fitted.size <= (nodes if model.tree else 0)
            exact = model.tree and name != "CART"
            assert fitted.proved is (True if exact else None)
            assert fitted.left_out == 0
        for wide, other in WIDER:
            assert least[wide, nodes] <= least[other, nodes]
    assert least["curves of degree two", 3] < least["thresholds, two features", 1]


def test_lines_get_the_features_that_a_linear_model_likes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = (X[:, 1] - X[:, 4] + 0.3 * X[:, 2] > 0).astype(np.int64)
    assert features_for_lines(X, y) == (1, 4, 2)
    assert features_for_lines(X[:, :2], y) == (0, 1)


def test_differences_are_to_the_same_size_or_to_what_has_none() -> None:
    other = [replace(run, table="b", test=(0.5, 0.5)) for run in (RUN, LOGISTIC)]
    made = record(RUN, LOGISTIC, *other)
    found = difference(made, 160, "lines", "logistic regression", 1)
    assert found is not None
    assert (round(found.mean, 6), found.won, found.lost, found.tables) == (5.0, 1, 0, 2)
    assert difference(made, 160, "lines", "logistic regression", 2) is None
    assert difference(made, 20, "lines", "logistic regression", 1) is None


def test_a_page_reports_accuracies_sizes_and_proofs() -> None:
    page = markdown(record(RUN, LOGISTIC, replace(RUN, nodes=2, proved=(True, False))))
    assert "| lines | 1 | 80.0 | 60.0 ± 14.1 | 1.0 | 2 of 2 | 0 | 0.20 | 0.30 |" in page
    assert "| lines | 2 | 80.0 | 60.0 ± 14.1 | 1.0 | 1 of 2 | 0 | 0.20 | 0.30 |" in page
    assert "| logistic regression |  | 80.0 | 50.0 ± 14.1 |  |  |  | 0.20 | 0.30 |" in page
    assert "| lines | logistic regression | +10.0 ± 0.0 | 1, 0, 0 |" in page
    assert "| a | 9 | 2 | 2 | 9 | 80.0, 60.0 | 80.0, 50.0 |" in page


def test_a_narrower_family_with_fewer_errors_refutes_a_proof() -> None:
    narrow = replace(RUN, model="thresholds, two features", train=(0.8, 0.9))
    told = ["a: thresholds, two features of 1 node makes fewer errors than lines."]
    assert refuted(record(RUN, narrow)) == told
    assert "WRONG: " + told[0] in markdown(record(RUN, narrow))
    assert refuted(record(replace(RUN, proved=(True, False)), narrow)) == []
    assert refuted(record(replace(RUN, left_out=(0, 3)), narrow)) == []
    more = replace(RUN, nodes=2, train=(0.8, 0.7))
    assert refuted(record(RUN, more)) == ["a: lines of 1 node makes fewer errors than lines."]
