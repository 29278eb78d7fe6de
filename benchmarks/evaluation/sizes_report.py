"""Page on the sizes of smallest ensembles: one line for every table, and a summary."""

from math import prod

from benchmarks.evaluation.pages import page, table
from benchmarks.evaluation.sizes_record import PROBLEMS, Run, Sizes
from benchmarks.report import load_sentences

__all__ = ["by_table", "markdown", "refuted"]

TreesAndQuantity = tuple[int, str]

LEGEND = (
    "`size`: nodes of the smallest tree. `total`: minimum number of nodes of all trees together, "
    "in brackets those of the largest tree of the ensemble. `largest`: minimum number of nodes of "
    "the largest tree, in brackets those of all trees of the ensemble. `5 to 9`: the search was "
    "stopped with lower bound 5 and an ensemble of size 9. `n`, `d`, `c`: examples, features, "
    "classes; `t`: allowed errors, those that contradictory rows make unavoidable. Times are CPU "
    "seconds."
)


def by_table(runs: tuple[Run, ...]) -> dict[str, dict[TreesAndQuantity, Run]]:
    """Return the runs by table, then by number of trees and quantity."""
    tables: dict[str, dict[TreesAndQuantity, Run]] = {}
    for run in runs:
        tables.setdefault(run.table, {})[run.trees, run.minimize] = run
    return tables


def refuted(sizes: Sizes) -> list[str]:
    """Return a sentence for every lower bound that another result for the table refutes."""
    wrong = []
    for name, runs in by_table(sizes.runs).items():
        for (trees, minimize), run in runs.items():
            for other in runs.values():
                value = _value_as_solution(other, trees, minimize)
                if value is not None and value < run.lower_bound:
                    wrong.append(
                        f"{name}: there is a solution with {value} nodes, but for {trees} trees "
                        f"the lower bound is {run.lower_bound} ({minimize})."
                    )
    return wrong


def _value_as_solution(other: Run, trees: int, minimize: str) -> int | None:
    """Return the value of another result for a problem, None if it is not a solution.

    With two classes, the votes of two leaves of different classes cancel. So an ensemble can be
    extended by pairs of leaves to one of more trees, as all numbers of trees are odd.
    """
    can_be_extended = other.trees < trees and other.classes == 2
    if other.trees != trees and not can_be_extended:
        return None
    return other.largest_size if minimize == "largest_size" else other.total_size


def markdown(sizes: Sizes) -> str:
    """Return the record as a page."""
    tables = by_table(sizes.runs)
    header = ["table", "n", "d", "c", "t", *(_named(*problem) for problem in PROBLEMS)]
    lines = []
    for name, runs in tables.items():
        first = next(iter(runs.values()))
        cells = map(str, (first.examples, first.features, first.classes, first.errors))
        lines.append([name, *cells, *(_text(runs.get(problem)) for problem in PROBLEMS)])
    facts = {**sizes.machine, "limit": f"{sizes.limit:g} CPU s"}
    title = f"{sizes.name}, {sizes.date}"
    parts = [table(header, lines), _proofs(sizes)]
    return page(title, facts, LEGEND, parts, _sentences(sizes))


def _named(trees: int, minimize: str) -> str:
    what = {"size": "size", "total_size": "total", "largest_size": "largest"}[minimize]
    return f"{trees} tree{'s' if trees > 1 else ''}: {what}"


def _text(run: Run | None) -> str:
    if run is None:
        return ""
    value = f"{run.found}" if run.proved else f"{run.lower_bound} to {run.found}"
    other = {"size": "", "total_size": f" ({run.largest_size})"}
    return f"{value}{other.get(run.minimize, f' ({run.total_size})')}, {run.seconds:.2f} s"


def _proofs(sizes: Sizes) -> str:
    """Return a table of the number of proofs and their time for every problem."""
    lines = []
    for problem in PROBLEMS:
        runs = [run for run in sizes.runs if (run.trees, run.minimize) == problem]
        proved = [run.seconds for run in runs if run.proved]
        cells = [f"{len(proved)} of {len(runs)}", f"{sum(proved):.1f}"]
        lines.append([_named(*problem), *cells])
    return table(["problem", "proved", "CPU s of the proofs"], lines)


def _sentences(sizes: Sizes) -> list[str]:
    tables = by_table(sizes.runs)
    texts = [_against(tables, (k, "total_size"), (1, "size")) for k in (3, 5)]
    texts.append(_against(tables, (5, "total_size"), (3, "total_size")))
    texts += [_against(tables, (k, "largest_size"), (1, "size")) for k in (3, 5)]
    texts += [f"WRONG: {sentence}" for sentence in refuted(sizes)]
    texts += load_sentences(sizes.loads)
    if not sizes.complete:
        texts.append("Interrupted: the run is not complete.")
    return texts


def _against(
    tables: dict[str, dict[TreesAndQuantity, Run]], more: TreesAndQuantity, less: TreesAndQuantity
) -> str:
    """Return a sentence on the tables for which the first optimum is proved smaller, or not."""
    pairs = [(runs[more], runs[less]) for runs in tables.values() if more in runs and less in runs]
    smaller = [(a, b) for a, b in pairs if a.found < b.lower_bound]
    not_smaller = [(a, b) for a, b in pairs if a.lower_bound >= b.found]
    proved = [(a, b) for a, b in pairs if a.proved and b.proved]
    both = [(a.found, b.found) for a, b in proved]
    sentence = (
        f"{_named(*more)} is less than {_named(*less)} on {len(smaller)} of {len(pairs)} tables, "
        f"proved not to be less on {len(not_smaller)}, open on "
        f"{len(pairs) - len(smaller) - len(not_smaller)}."
    )
    if not both:
        return sentence
    ratio = prod(max(a, 1) / max(b, 1) for a, b in both) ** (1 / len(both))
    total = sum(a.total_size for a, _ in proved)
    in_all = "" if more[1] == "total_size" else f"; all trees together have {total}"
    return (
        f"{sentence} Where both are proved ({len(both)} tables): {sum(a for a, _ in both)} nodes "
        f"compared with {sum(b for _, b in both)}, geometric mean of the ratios {ratio:.2f}"
        f"{in_all}."
    )
