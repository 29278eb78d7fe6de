"""Known results are read from the folder next to the data, if it exists."""

from pathlib import Path

from benchmarks.known import Known, known_sizes


def test_minima_and_lower_bounds_are_read_by_name(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    assert known_sizes(data) == {}
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "min_size.csv").write_text(
        "instance,examples,optimal_size,lower_bound,pair_lp_bound\n"
        "small,21,3,3,3\nlarge,288,,17,20\nother,9,,10,6\n",
        encoding="utf-8",
    )
    known = known_sizes(data)
    assert known == {"small": Known(3, 3), "large": Known(None, 20), "other": Known(None, 10)}
    assert [str(result) for result in known.values()] == ["3", ">= 20", ">= 10"]
