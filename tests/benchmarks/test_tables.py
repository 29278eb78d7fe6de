"""Reading of numeric tables, and their conversion to binary features."""

from pathlib import Path

import numpy as np
from benchmarks.tables import read_numbers


def test_features_become_columns_of_thresholds(tmp_path: Path) -> None:
    rows = "\n".join(f"{row},{row % 2},{row % 3},3,{row / 2}" for row in range(12))
    path = tmp_path / "table.csv"
    path.write_text("a,b,c,d,target\n" + rows + "\n", encoding="utf-8")
    X, y = read_numbers(path)
    assert X.shape == (12, 4)
    assert y.tolist() == [row / 2 for row in range(12)]
    columns, _ = read_numbers(path, thresholds=3)
    quartiles = [X[:, 0] > t for t in (2.75, 5.5, 8.25)]
    expected = [*quartiles, X[:, 1] > 0, X[:, 2] > 0, X[:, 2] > 1]
    assert {tuple(column) for column in columns.T} == {
        tuple(column.astype(np.float64)) for column in expected
    }
