"""The command `python -m benchmarks growth`: planted tables, and its page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.evaluation import growth, growth_report
from benchmarks.evaluation.growth_record import TABLES, Growth, GrowthRun
from benchmarks.evaluation.planted import planted
from benchmarks.evaluation.read import read_growth

import exactree as xt

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {"packages": {"numpy": "2"}}
RUN = GrowthRun(
    "10 features", "examples", "", 1000, 10, 2, 2, 0.1, (0.05, 0.04, 0.3), 2**21, 7, 7, proved=True
)
TENFOLD = replace(RUN, examples=10_000, seconds=(5.0,))
REAL = replace(TENFOLD, series="depth 3", factor=TABLES, table="real", noise=None)


def record(*runs: GrowthRun) -> Growth:
    """Return a record with these runs."""
    return Growth("name", "2026-11-20", MACHINE, 30.0, runs, (1.0, 2.5), complete=True)


def test_a_planted_table_is_the_same_for_the_same_seed() -> None:
    first, same, other = (planted(50, 3, 2, 2, 0.1, seed) for seed in (0, 0, 1))
    assert np.array_equal(first[0], same[0])
    assert np.array_equal(first[1], same[1])
    assert not np.array_equal(first[0], other[0])


@pytest.mark.parametrize(("classes", "depth"), [(2, 1), (2, 2), (3, 2), (4, 2), (1, 0)])
def test_without_noise_a_tree_of_the_depth_has_no_errors(classes: int, depth: int) -> None:
    X, y = planted(300, 4, classes, depth, 0.0, 3)
    assert np.unique(y).tolist() == list(range(classes))
    assert xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=depth))).cost == 0
    if depth:
        shallower = xt.Problem(X, y, limits=xt.Limits(max_depth=depth - 1))
        assert xt.solve(shallower).cost > 0


def test_noise_is_the_share_of_labels_drawn_anew() -> None:
    clean, noisy = (planted(10_000, 2, 2, 1, noise, 0)[1] for noise in (0.0, 0.2))
    # Half of the labels drawn again do not change.
    assert abs((clean != noisy).mean() - 0.1) < 0.02


def test_every_series_varies_one_quantity_of_its_tables() -> None:
    names = [growth.named(factor, start) for factor, start, _ in growth.SERIES]
    keys = {(factor, name) for (factor, _, _), name in zip(growth.SERIES, names, strict=True)}
    assert len(keys) == len(growth.SERIES)
    for (factor, start, values), name in zip(growth.SERIES, names, strict=True):
        assert getattr(start, factor) is not None
        assert list(values) == sorted(set(values))
        assert name.count(", ") == 3
    assert any(
        factor == "examples" and (start.features, start.depth) == (10, 2) and 10**6 in values
        for factor, start, values in growth.SERIES
    )


def test_the_page_reports_seconds_powers_and_bounds() -> None:
    stopped = replace(TENFOLD, examples=10**6, proved=False, lower_bound=3, seconds=(30.0,))
    page = growth_report.markdown(record(RUN, TENFOLD, stopped, REAL, replace(REAL, proved=False)))
    assert "| 1,000 | 0.050 | 2 | 7 |  |" in page
    assert "| 10,000 | 5.00 | 2 | 7 | 2.0 |" in page
    assert "| 1,000,000 | 30.00, open | 2 | 3 to 7 |  |" in page
    assert "| real | 10000 | 10 | 2 | 5.00 | 2 | 7 |" in page
    assert "10,000 rows and 10 features at depth 2: 5.00 CPU s on one core, 2 MB." in page
    assert "Real tables at depth 3: 1 of 2 proved within 30 CPU s, 1 of them within 10; " in page


def test_a_foundleaves_a_record_a_page_and_a_picture(tmp_path: Path, run: Any) -> None:
    X, y = planted(40, 3, 2, 2, 0.1, 0)
    path = tmp_path / "continuous" / "uci_tiny.csv.gz"
    path.parent.mkdir()
    rows = np.column_stack([X, y])
    np.savetxt(path, rows, delimiter=",", header="a,b,c,target", comments="")
    out = tmp_path / "out"
    answer = run("growth", "--max-examples", "100", "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (file,) = out.glob("*.json")
    runs = read_growth(file).runs
    assert [found.depth for found in runs] == [1, 2, 3, 3]
    assert [found.table for found in runs] == ["", "", "", "uci_tiny"]
    assert all(found.proved and found.errors == found.lower_bound for found in runs)
    assert [len(found.seconds) for found in runs] == [growth.DRAWS] * 3 + [1]
    page = file.with_suffix(".md").read_text(encoding="utf-8")
    assert page == growth_report.markdown(read_growth(file))
    assert str(tmp_path) not in page
    assert "examples" in file.with_suffix(".svg").read_text(encoding="utf-8")
