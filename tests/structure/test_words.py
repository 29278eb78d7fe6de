"""The words of every public name stand in GLOSSARY.md, and none of those it rules out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sorted((ROOT / "src").rglob("*.py"))
RUST = sorted(p for p in (ROOT / "crates").rglob("*.rs") if "target" not in p.parts)

# Names that scikit-learn, Python or a file format gave; their words are not ours.
GIVEN = {
    "sample_weight", "min_samples_leaf", "n_node_samples", "weighted_n_node_samples",
    "decision_path", "predict_log_proba", "predict_proba", "score", "n_jobs", "set_output",
    "feature_importances_", "get_metadata_routing", "random_state", "get_params", "set_params",
    "sklearn", "to_sklearn", "scoring", "min_weight_fraction_leaf", "monotonic_cst", "monotonic_in",
    "to_javascript", "javascript", "onnx", "to_onnx", "register_onnx", "onnx_graph", "pmml",
    "to_pmml", "treelite", "to_treelite",
    "log_loss", "LogLoss",
}  # fmt: skip

# Names that the papers gave to their algorithms; a specification keeps them.
GIVEN |= {
    "find_th", "min_dt", "min_dt_of_all_sets", "min_dts", "score_front", "smallest_with_score",
    "subset_dp", "subset_dp_scores",
}  # fmt: skip

# Names that He and Little gave to their functions; the framework of proper trees keeps them.
GIVEN |= {
    "BTree", "DTree", "dacc", "gen_bts", "gen_dtfs", "gen_dts", "gen_dtts", "gen_rules", "kcombs",
    "kperms", "map_d", "min_e", "odt", "odt_ml", "path_red", "rs", "sodt", "splits", "splits_bf",
    "splits_bsp", "splits_catalan", "splits_kd", "splits_lists", "xs",
}  # fmt: skip

TEXT = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")
NO_WORDS = r"\(.*?\)|[^A-Za-z ]"  # in the first and the last column: remarks and signs
# Plain English that means here what it means anywhere.
PLAIN = set(re.findall(r"[a-z]+", TEXT.split("mean anywhere:")[1]))


def glossary() -> tuple[set[str], set[str]]:
    """Return the words that GLOSSARY.md gives a meaning, and those it rules out."""
    known: set[str] = set()
    ruled_out: set[str] = set()
    for line in TEXT.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "word":
            known |= set(words(re.sub(NO_WORDS, " ", cells[0])))
            ruled_out |= set(words(re.sub(NO_WORDS, " ", cells[2])))
    return known, ruled_out


def words(name: str) -> Iterator[str]:
    """Return the words of a name in snake case or camel case, in lower case."""
    for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
        yield word.lower()


def forms(word: str) -> set[str]:
    """Return a word and what it may be the plural of."""
    singulars = {word, word.removesuffix("s"), word.removesuffix("es")}
    return singulars | ({word[:-3] + "y"} if word.endswith("ies") else set())


def python_names(path: Path) -> Iterator[str]:
    """Return the names a Python file offers: itself, classes, functions, and what they offer."""
    yield path.stem
    yield from names_in(ast.parse(path.read_text(encoding="utf-8")).body)


def names_in(body: list[ast.stmt]) -> Iterator[str]:
    """Return the classes, functions, methods, parameters and attributes without an underscore."""
    for node in body:
        match node:
            case ast.ClassDef(name=name) if not name.startswith("_"):
                yield name
                yield from names_in(node.body)
            case ast.FunctionDef(name=name) if not name.startswith("_") or name == "__init__":
                yield name
                for argument in [*node.args.args, *node.args.kwonlyargs]:
                    yield argument.arg
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                yield name
            case _:
                pass


def rust_names(path: Path) -> Iterator[str]:
    """Return the names a Rust file offers: itself, types and functions."""
    yield path.stem
    text = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
    yield from re.findall(
        r"^\s*pub (?:unsafe |const |async )*(?:fn|struct|enum|trait|type)\s+(\w+)",
        text,
        re.MULTILINE,
    )


NAMES = {p: sorted(set(python_names(p))) for p in PYTHON}
NAMES |= {p: sorted(set(rust_names(p))) for p in RUST}


@pytest.mark.parametrize("path", NAMES, ids=lambda p: str(p.relative_to(ROOT)))
def test_words_are_in_the_glossary(path: Path) -> None:
    known, ruled_out = glossary()
    for name in NAMES[path]:
        if name in GIVEN or name.startswith("__"):
            continue
        for word in words(name):
            assert not forms(word) & ruled_out - known, f"{name}: GLOSSARY.md says not {word!r}"
            assert len(word) == 1 or forms(word) & (known | PLAIN), (
                f"{name}: {word!r} is not in GLOSSARY.md"
            )


def test_the_glossary_contradicts_nothing() -> None:
    known, ruled_out = glossary()
    assert len(known) > 50
    assert {"sample", "bucket", "helper", "manager", "util"} <= ruled_out
    assert not known & ruled_out
    assert not PLAIN & ruled_out


def test_plain_words_stay_plain() -> None:
    """A word with a meaning of its own here is in the glossary only; the list holds no more."""
    known, _ = glossary()
    assert not known & PLAIN
