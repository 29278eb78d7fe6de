"""Tables on the effect of each accelerator, for the terminal and in Markdown."""

from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from benchmarks.ablation_record import Ablation, Run
from benchmarks.ablations import ALL_OFF, ALL_ON
from benchmarks.report import load_sentences

__all__ = ["markdown", "print_ablation", "refuted"]

Lines = tuple[list[str], list[list[str]]]

LEGEND = (
    "`factor`: search nodes divided by those with all on, which count as at least one. `>` marks a "
    "search that the time limit stopped; its factor is a lower bound. Means are geometric. "
    "`slower`: CPU seconds divided by those with all on, of all tables together. Other methods "
    "count steps of their own, so they have no factor."
)

METHODS_LEGEND = (
    "`size`: the proved minimum of the total size, or the lower bound and the best size found. "
    "`steps`: steps as the method counts them, not comparable between methods. `s`: CPU seconds."
)


def refuted(ablation: Ablation) -> list[str]:
    """Return a sentence for every run with a smaller cost than a lower bound on its table."""
    wrong = []
    for table, runs in (_by_table if ablation.switched else _all_by_table)(ablation).items():
        best = max(runs.values(), key=lambda run: run.lower_bound)
        for run in runs.values():
            if run.cost is not None and run.cost < best.lower_bound:
                wrong.append(
                    f"{table}: {run.configuration} found {run.cost} nodes, "
                    f"{best.configuration} claims at least {best.lower_bound}."
                )
    return wrong


def print_ablation(ablation: Ablation, console: Console) -> None:
    """Print the tables and the sentences."""
    for header, lines in _tables(ablation):
        table = Table(title=f"{ablation.name}, {ablation.date}")
        for column, name in enumerate(header):
            table.add_column(name, justify="left" if column == 0 else "right", overflow="fold")
        for line in lines:
            table.add_row(*line)
        console.print(table)
    for sentence in [_legend(ablation).replace("`", ""), *_sentences(ablation)]:
        console.print(sentence, markup=False, highlight=False)


def markdown(ablation: Ablation) -> str:
    """Return the record as a page."""
    packages = ", ".join(f"{n} {v or '-'}" for n, v in ablation.machine["packages"].items())
    facts = {
        **ablation.machine,
        "packages": packages,
        "trees": ablation.trees,
        "limit": f"{ablation.limit:g} s",
    }
    lines = [f"# {ablation.name}, {ablation.date}", ""]
    lines += [*(f"- {name}: {value}" for name, value in facts.items()), "", _legend(ablation), ""]
    for header, rows in _tables(ablation):
        cells = [header, ["---"] * len(header), *rows]
        lines += [*(f"| {' | '.join(line)} |" for line in cells), ""]
    return "\n".join([*lines, *(f"- {sentence}" for sentence in _sentences(ablation))]) + "\n"


def _legend(ablation: Ablation) -> str:
    return LEGEND if ablation.switched else METHODS_LEGEND


def _tables(ablation: Ablation) -> list[Lines]:
    if not ablation.switched:
        return [_methods(ablation)]
    by_table = _by_table(ablation)
    each = _each(by_table, ablation.others) if by_table else None
    return [] if each is None else [_on_and_off(by_table), each, _all(by_table)]


def _methods(ablation: Ablation) -> Lines:
    """Return a line for every table: proofs and times of each method."""
    columns = [f"{name}: {column}" for name in ablation.others for column in ("size", "steps", "s")]
    lines = []
    for table, runs in _all_by_table(ablation).items():
        first = next(iter(runs.values()))
        cells = [table, *map(str, (first.examples, first.features))]
        for name in ablation.others:
            run = runs.get(name)
            cells += ["", "", ""] if run is None else _text(run)
        lines.append(cells)
    return ["table", "n", "d", *columns], lines


def _text(run: Run) -> list[str]:
    return [_size(run), _steps(run), f"{run.seconds:.2f}"]


def _size(run: Run) -> str:
    return str(run.lower_bound) if run.proved else f"{run.lower_bound} to {run.cost}"


def _by_table(ablation: Ablation) -> dict[str, dict[str, Run]]:
    """Return the runs by table and configuration, of tables with runs of "all on" and "all off"."""
    by_table = _all_by_table(ablation).items()
    return {table: runs for table, runs in by_table if {ALL_ON, ALL_OFF} <= set(runs)}


def _all_by_table(ablation: Ablation) -> dict[str, dict[str, Run]]:
    by_table: dict[str, dict[str, Run]] = {}
    for run in ablation.runs:
        by_table.setdefault(run.table, {})[run.configuration] = run
    return by_table


def _on_and_off(by_table: dict[str, dict[str, Run]]) -> Lines:
    """Return a line for every table: all on and all off."""
    header = ["table", "n", "d", "classes", "size"]
    header += [f"{name}: {what}" for name in (ALL_ON, ALL_OFF) for what in ("nodes", "s", "status")]
    lines = []
    for table, runs in by_table.items():
        on = runs[ALL_ON]
        cells = [table, *map(str, (on.examples, on.features, on.classes)), _size(on)]
        for run in (on, runs[ALL_OFF]):
            cells += [_steps(run), f"{run.seconds:.2f}", run.status]
        lines.append([*cells, _factor_text(runs[ALL_OFF], on)])
    return [*header, "factor"], lines


def _each(by_table: dict[str, dict[str, Run]], others: tuple[str, ...]) -> Lines:
    """Return a line for every configuration: its factors relative to all on."""
    header = ["off", "proved", "mean factor", "maximum factor", "slower"]
    lines = []
    for name in next(iter(by_table.values())):
        pairs = [(runs[name], runs[ALL_ON]) for runs in by_table.values() if name in runs]
        solved = [(run, on) for run, on in pairs if on.proved]
        if not solved:
            continue
        mean = _few(geometric_mean(_factor(*pair) for pair in solved))
        stopped = any(not run.proved for run, _ in solved)
        slower = sum(run.seconds for run, _ in pairs) / max(
            sum(on.seconds for _, on in pairs), 1e-9
        )
        proved = f"{sum(run.proved for run, _ in pairs)} of {len(pairs)}"
        maximum = _factor_text(*max(solved, key=lambda pair: _factor(*pair)))
        factors = ["", ""] if name in others else [f"{'> ' if stopped else ''}{mean}", maximum]
        lines.append([name, proved, *factors, _few(slower)])
    return header, lines


def _all(by_table: dict[str, dict[str, Run]]) -> Lines:
    """Return the search nodes and seconds of every configuration on every table."""
    names = list(next(iter(by_table.values())))
    lines = []
    for table, runs in by_table.items():
        # A run that was interrupted lacks some configurations of its last table.
        found = [runs.get(name) for name in names]
        cells = ["" if run is None else f"{_steps(run)}, {run.seconds:.2f} s" for run in found]
        lines.append([table, *cells])
    return ["nodes, CPU s", *names], lines


def _sentences(ablation: Ablation) -> list[str]:
    """Return the effect of all accelerators together, and contradictions."""
    by_table = _by_table(ablation)
    pairs = [(runs[ALL_OFF], runs[ALL_ON]) for runs in by_table.values()]
    factors = [_factor(off, on) for off, on in pairs if off.proved and on.proved]
    texts = []
    if factors:
        texts.append(
            f"{ALL_OFF} still proves {len(factors)} of {len(pairs)} tables; there it visits "
            f"{_few(geometric_mean(factors))} times the search nodes of {ALL_ON} in the geometric "
            f"mean, {_few(min(factors))} times at least, {_few(max(factors))} times at most; on "
            f"{sum(factor >= 100 for factor in factors)} of them 100 times or more. In sum "
            f"{_sum_text(pairs)}."
        )
    texts += [_faster(by_table, other) for other in ablation.others if by_table]
    texts += [] if ablation.switched else [_proofs(ablation, name) for name in ablation.others]
    texts += [f"WRONG: {sentence}" for sentence in refuted(ablation)]
    texts += load_sentences(ablation.loads)
    if not ablation.complete:
        texts.append("Interrupted: the run is not complete.")
    return texts


def _proofs(ablation: Ablation, name: str) -> str:
    """Return the number of tables that a method proves, and their time."""
    runs = [run for run in ablation.runs if run.configuration == name]
    proved = [run.seconds for run in runs if run.proved]
    return f"{name} proves {len(proved)} of {len(runs)} tables, these in {_few(sum(proved))} CPU s."


def _faster(by_table: dict[str, dict[str, Run]], other: str) -> str:
    """Return the tables on which the search with all on needs less time than another method."""
    pairs = {
        table: (runs[ALL_ON], runs[other]) for table, runs in by_table.items() if other in runs
    }
    first = [t for t, (on, run) in pairs.items() if on.proved and not _sooner(run, on)]
    named = [f"{t} ({_times(*pairs[t])})" for t in first]
    return (
        f"Less CPU time than {other} on {len(first)} of {len(pairs)} tables"
        f"{': ' if named else ''}{', '.join(named)}."
    )


def _sooner(run: Run, on: Run) -> bool:
    """Return whether another method proves its result at least as soon as the search."""
    return run.proved and run.seconds <= on.seconds


def _times(on: Run, run: Run) -> str:
    """Return the ratio of the times of another method and the search."""
    sign = "" if run.proved else "> "
    return f"{sign}{_few(run.seconds / max(on.seconds, 1e-4))} times"


def _sum_text(pairs: list[tuple[Run, Run]]) -> str:
    proved = [(off, on) for off, on in pairs if off.proved and on.proved]
    off, on = (sum(run.steps for run in runs) for runs in zip(*proved, strict=True))
    return f"{off:,} against {on:,}"


def _factor(run: Run, on: Run) -> float:
    return max(run.steps, 1) / max(on.steps, 1)


def _factor_text(run: Run, on: Run) -> str:
    sign = "" if run.proved else "> "
    return f"{sign}{_few(_factor(run, on))}" if on.proved else ""


def _steps(run: Run) -> str:
    return f"{'' if run.proved else '> '}{run.steps:,}"


def _few(number: float) -> str:
    """Return a number with three significant digits, or rounded to an integer from 100 on."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
