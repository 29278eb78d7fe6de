"""The page on running times agrees with the newest records."""

import json
import re
from pathlib import Path

import pytest
from benchmarks import how_fast
from benchmarks.how_fast_chart import CHARTED, WITH_MORE_TIME, chart_rows_of, draw, summary
from benchmarks.ratios import BEST


def test_the_page_agrees_with_the_newest_records() -> None:
    written = how_fast.PAGE.read_text(encoding="utf-8")
    assert written == how_fast.page(), "run: python -m benchmarks.how_fast"


def test_the_newest_record_of_a_name_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("2026-01-02-deep.md", "2026-11-01-deep.md", "2026-12-01-deeper.md"):
        (tmp_path / name).touch()
    monkeypatch.setattr(how_fast, "RECORDS", tmp_path)
    assert how_fast.newest("deep").name == "2026-11-01-deep.md"


def test_every_mean_of_a_record_is_taken() -> None:
    """No mean is omitted, also if another solver is faster."""
    record = how_fast.newest("binary").read_text(encoding="utf-8")
    expected = [line for line in record.splitlines() if " / exactree, geometric mean" in line]
    assert len(expected) >= 6
    assert how_fast.sentences(record)[: len(expected)] == expected


@pytest.mark.parametrize("name", sorted(CHARTED))
def test_the_chart_has_the_means_of_the_record(name: str) -> None:
    path = how_fast.newest(name).with_suffix(".json")
    means = json.loads(path.read_text(encoding="utf-8"))["means"]
    peers = {mean["peer"] for mean in means}
    fastest = BEST if BEST in peers else min(peers)
    expected = [(m["mean"], m["rows"]) for m in means if m["peer"] == fastest]
    problems = chart_rows_of(name, path)
    assert [(vars(p.mean), len(p.speeds)) for p in problems] == [
        (pytest.approx(mean), rows) for mean, rows in expected
    ]


def test_the_summary_counts_every_table_in_favour_of_another_solver() -> None:
    problems = how_fast.charted()
    text = how_fast.page()
    slower = [s for p in problems for s in p.speeds if s.ratio.value < 1]
    assert f"faster for {len(slower)} pairs" in summary(problems)
    slower += [s for p in how_fast.charted(WITH_MORE_TIME) for s in p.speeds if s.ratio.value < 1]
    assert "zoo_1 (pystreed, 0.952)" in text
    for speed in slower:
        assert f"{speed.table} ({speed.solver}, {speed.ratio})" in text


def test_the_page_mentions_remarks_only_if_there_are_some() -> None:
    text = "# a\n\n- No tree contradicts a claimed proof, apart from the remarks; all counted."
    assert how_fast.sentences(text) == ["- No tree contradicts a claimed proof; all counted."]
    with_remark = text.replace("- No", "- remark: one\n- No")
    assert "apart from the remarks" in how_fast.sentences(with_remark)[1]
    page = how_fast.page()
    assert "apart from the remarks" not in page
    assert "for the first time" not in page
    rows = sum(len(problem.speeds) for problem in how_fast.charted())
    listed = [int(number) for number in re.findall(r"^- .+: (\d+) tables$", page, re.MULTILINE)]
    assert sum(listed) == rows


def test_the_chart_is_drawn_from_the_newest_records(tmp_path: Path) -> None:
    draw(how_fast.charted(), tmp_path / "chart.svg")
    drawn = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    shown = how_fast.CHART.read_text(encoding="utf-8")
    mark = re.compile(r'<use xlink:href="#\w+" x="([\d.]+)"')
    assert mark.findall(drawn) == mark.findall(shown), "run: python -m benchmarks.how_fast"
    assert len(mark.findall(drawn)) > sum(len(p.speeds) for p in how_fast.charted())
    assert f"({how_fast.CHART.name})" in how_fast.page()
