"""`exactree fit --certificate`, `exactree certify` and `exactree check`."""

import json
from pathlib import Path

import pytest

from .conftest import Run

NUMBERS = "x,z,kind\n0,1,a\n1,1,b\n2,3,a\n3,1,b\n4,2,b\n5,9,a\n"
FIT = ("--target", "kind", "--max-depth", "1")


@pytest.fixture
def files(run: Run, tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return a table, a model of it and its certificate."""
    table = tmp_path / "numbers.csv"
    table.write_text(NUMBERS, encoding="utf-8")
    result = run("fit", table, *FIT, "-o", "m.json", "--certificate", "m.xtc")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-2:] == ["model: m.json", "certificate: m.xtc"]
    return table, tmp_path / "m.json", tmp_path / "m.xtc"


def test_a_certificate_of_fit_is_verified(run: Run, files) -> None:
    table, model, certificate = files
    result = run("check", model, table, certificate)
    assert result.exit_code == 0
    assert result.stdout.startswith("verified: no tree of depth at most 1 with axis-parallel")
    entries = json.loads(run("check", model, table, certificate, "--json").stdout)
    assert entries["verified"] is True
    assert entries["cost"] == entries["lower_bound"] == 1


def test_certify_writes_the_same_certificate(run: Run, files) -> None:
    table, model, _ = files
    result = run("certify", model, table, "-o", "again.xtc")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "certificate: again.xtc"
    assert Path("again.xtc").read_bytes() == Path("m.xtc").read_bytes()
    assert run("check", model, table, "again.xtc").exit_code == 0
    entries = json.loads(run("certify", model, table, "-o", "a.xtc", "--json").stdout)
    assert entries["certificate"] == "a.xtc"
    assert entries["lower_bound"] == 1


def test_tuples_are_certified(run: Run, files) -> None:
    table, _, _ = files
    options = ("--target", "kind", "--minimize", "errors,size", "--max-depth", 3)
    assert run("fit", table, *options, "-o", "t.json", "--certificate", "t.xtc").exit_code == 0
    result = run("check", "t.json", table, "t.xtc")
    assert result.exit_code == 0
    assert "has (errors, size) before (0, 2) in lexicographic order" in result.stdout
    assert json.loads(run("check", "t.json", table, "t.xtc", "--json").stdout)["cost"] == [0, 2]
    again = run("certify", "t.json", table, "-o", "again.xtc")
    assert again.exit_code == 0
    assert Path("again.xtc").read_bytes() == Path("t.xtc").read_bytes()


def test_weights_and_penalties_are_checked(run: Run, tmp_path: Path) -> None:
    rows = ["x,w,kind", "0,0.5,a", "1,2,b", "2,1.25,a", "3,1,b"]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ["--target", "kind", "--weights", "w", "--max-depth", 1, "--leaf-penalty", 0.01]
    fitted = run("fit", "t.csv", *options, "-o", "m.json", "--certificate", "m.xtc")
    assert fitted.exit_code == 0
    for arguments in ((), ("--weights", "w")):
        result = run("check", "m.json", "t.csv", "m.xtc", *arguments)
        assert result.exit_code == 0
        assert "plus 0.0475 for every leaf" in result.stdout
    result = run("check", "m.json", "t.csv", "m.xtc", "--weights", "x")
    assert result.exit_code == 1
    assert "it belongs to another table" in result.stderr
    assert run("certify", "m.json", "t.csv", "-o", "again.xtc").exit_code == 0
    assert Path("again.xtc").read_bytes() == Path("m.xtc").read_bytes()


def test_categories_and_features_are_those_of_the_model(run: Run, tmp_path: Path) -> None:
    rows = ["size,shop,code,kind", "1,north,3,a", "2,south,4,b", ",north,3,a", "4,west,5,b"]
    (tmp_path / "t.csv").write_text("\n".join([*rows, "5,,4,a"]) + "\n", encoding="utf-8")
    for name, options in {
        "all": ("--categories", "code", "--max-errors", 1),
        "some": ("--features", "shop,size", "--minimize", "size"),
    }.items():
        target = ("--target", "kind", "--max-depth", 2)
        model, certificate = f"{name}.json", f"{name}.xtc"
        fitted = run("fit", "t.csv", *target, *options, "-o", model, "--certificate", certificate)
        assert fitted.exit_code == 0
        result = run("check", model, "t.csv", certificate)
        assert result.exit_code == 0
        assert "by one category against the others" in result.stdout
        assert run("certify", model, "t.csv", "-o", "again.xtc").exit_code == 0
        assert Path("again.xtc").read_bytes() == Path(certificate).read_bytes()


def test_a_wrong_table_model_or_certificate_is_refused(run: Run, files, tmp_path: Path) -> None:
    table, model, certificate = files
    other = tmp_path / "other.csv"
    other.write_text(NUMBERS.replace("4,2,b", "4,2,a"), encoding="utf-8")
    result = run("check", model, other, certificate)
    assert result.exit_code == 1
    assert "The certificate is refused: it belongs to another table" in result.stderr
    run("fit", table, "--target", "kind", "--max-depth", 0, "-o", "leaf.json")
    result = run("check", "leaf.json", table, certificate)
    assert result.exit_code == 1
    assert "The certificate is of another tree" in result.stderr
    result = run("check", model, table, model)
    assert result.exit_code == 1
    assert "the header is not that of a certificate" in result.stderr
    assert run("check", model, table, "no.xtc").exit_code == 1


def test_a_model_with_small_leaves_is_refused(run: Run, files, tmp_path: Path) -> None:
    table = tmp_path / "six.csv"
    table.write_text("w,x,kind\n0,1,b\n1,2,a\n1,3,a\n1,4,b\n1,5,b\n1,6,a\n", encoding="utf-8")
    fit = ("fit", table, "--target", "kind", "--max-depth", 1)
    large = run(*fit, "--min-samples-leaf", 2, "-o", "l.json", "--certificate", "l.xtc")
    assert large.exit_code == 0
    result = run("check", "l.json", table, "l.xtc")
    assert "and at least 2 examples in every leaf" in result.stdout
    small = run(*fit, "-o", "s.json", "--certificate", "s.xtc")
    assert small.exit_code == run("check", "s.json", table, "s.xtc").exit_code == 0
    assert "misclassifies 2" in result.stdout
    result = run("check", "s.json", table, "l.xtc")
    assert (result.exit_code, "of another tree" in result.stderr) == (1, True)
    assert run("check", "l.json", table, "s.xtc").exit_code == 0


def test_certify_reads_costs_and_rows_per_leaf_from_the_model(run: Run, files) -> None:
    table, _, _ = files
    options = ("--cost", "a,b=2.5", "--cost", "b,c=0.5", "--min-samples-leaf", 2)
    assert (
        run("fit", table, *FIT, *options, "-o", "c.json", "--certificate", "c.xtc").exit_code == 0
    )
    result = run("certify", "c.json", table, "-o", "again.xtc")
    assert result.exit_code == 0
    assert "and at least 2 examples in every leaf" in result.stdout
    assert Path("again.xtc").read_bytes() == Path("c.xtc").read_bytes()
    assert run("check", "c.json", table, "c.xtc").exit_code == 0
    result = run("check", "m.json", table, "c.xtc")
    assert (result.exit_code, "a model with other labels" in result.stderr) == (1, True)


def test_what_certificates_do_not_cover_is_refused_before_the_search(run: Run, files) -> None:
    table, model, _ = files
    wrong = ("--target", "kind", "--minimize", "gini")
    result = run("fit", table, *wrong, "-o", "g.json", "--certificate", "g.xtc")
    assert result.exit_code == 2
    assert (
        "Certificates are for one tree that minimizes errors, with or without a --cost"
        in result.stderr
    )
    assert not Path("g.json").exists()
    result = run("certify", model, table, "-o", "x.txt")
    assert result.exit_code == 2


def test_a_model_file_without_a_right_problem_is_refused(run: Run, files) -> None:
    table, model, _ = files
    content = json.loads(model.read_text(encoding="utf-8"))
    depths = content | {"problem": content["problem"] | {"max_depth": 2}}
    for changed, message in (
        (depths, "its lower bound 1 is wrong"),
        ({k: v for k, v in content.items() if k != "problem"}, "has no problem that a certificate"),
        (content | {"problem": {"max_depth": 1}}, "has other entries than this release reads"),
        (content | {"problem": [1]}, "its problem has the wrong type"),
    ):
        model.write_text(json.dumps(changed), encoding="utf-8")
        result = run("certify", model, table, "-o", "x.xtc")
        assert result.exit_code == 1
        assert message in result.stderr
