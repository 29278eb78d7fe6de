"""Pictures of the records, as SVG: the same record gives the same file."""

from pathlib import Path

from benchmarks.evaluation.accuracy_record import Accuracy
from benchmarks.evaluation.accuracy_report import means
from benchmarks.evaluation.sizes_record import Sizes
from benchmarks.evaluation.surfaces_record import Surfaces
from benchmarks.evaluation.surfaces_report import NODES
from benchmarks.evaluation.surfaces_report import means as means_of_surfaces
from benchmarks.picture import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, picture

__all__ = ["draw_accuracy", "draw_sizes", "draw_surfaces"]

# Label, mark and colour for each problem.
MARKS = {
    (1, "size"): ("one tree: size", "o", BLACK),
    (3, "total_size"): ("3 trees: total size", "s", BLUE),
    (3, "largest_size"): ("3 trees: largest size", "^", ORANGE),
    (5, "largest_size"): ("5 trees: largest size", "v", RED),
}
TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
ERRORS = ("", ", 10% errors", ", 20% errors")
# Label of a line -> the models on it, by the number in their names; mark and colour.
LINES = {
    "smallest tree: 0, 10, 20% errors": ([f"smallest tree{e}" for e in ERRORS], "o", BLACK),
    "3 trees, total size: 0, 10, 20% errors": (
        [f"3 trees, total size{e}" for e in ERRORS],
        "s",
        BLUE,
    ),
    "3 trees, largest size: 0, 10, 20% errors": (
        [f"3 trees, largest size{e}" for e in ERRORS],
        "^",
        ORANGE,
    ),
    "3, 5, 100 bootstrap trees": ([f"{k} bootstrap trees" for k in (3, 5, 100)], "D", GREEN),
    "random forest": (["random forest"], "*", RED),
    "pruned CART": (["pruned CART"], "X", PURPLE),
}

# Marks and colours of trees over families of rules.
FAMILIES = {
    "thresholds": ("o", BLACK),
    "thresholds, two features": ("o", GREY),
    "lines": ("s", BLUE),
    "thresholds and lines": ("D", GREEN),
    "planes": ("^", PURPLE),
    "curves of degree two": ("v", ORANGE),
    "CART": ("X", RED),
}
# Lines and colours of models without nodes, drawn as horizontal lines.
LEVELS = {
    "logistic regression": ("-.", BLACK),
    "logistic regression, two features": ("-.", GREY),
}


def draw_sizes(record: Sizes, path: Path) -> None:
    """Draw sizes of trees and ensembles by table; lines reach down to lower bounds.

    Parameters
    ----------
    record : Sizes
        The run.
    path : Path
        The file to write.
    """
    runs = record.runs
    sizes = {run.table: run.found for run in runs if run.trees == 1}
    order = sorted(sizes, key=lambda name: (sizes[name], name))
    place = {name: number for number, name in enumerate(order)}
    with picture(path, columns=1, width=9, height=5.5) as axes:
        for number, (problem, (label, mark, colour)) in enumerate(MARKS.items()):
            drawn = [run for run in runs if (run.trees, run.minimize) == problem]
            aside = [place[run.table] + 0.2 * (number - 1.5) for run in drawn]
            found = [run.found for run in drawn]
            axes.vlines(aside, [run.lower_bound for run in drawn], found, color=colour, lw=0.8)
            axes.plot(aside, found, mark, color=colour, ms=4, label=label)
        axes.set_xticks(range(len(order)), order, rotation=90, fontsize=7)
        axes.set_xlim(-0.7, len(order) - 0.3)
        axes.set_ylabel("nodes")
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", color="#dddddd")
        axes.legend()


def draw_accuracy(record: Accuracy, path: Path) -> None:
    """Draw accuracies of models against their numbers of nodes, in total and in one tree.

    Parameters
    ----------
    record : Accuracy
        The run.
    path : Path
        The file to write.
    """
    from matplotlib.ticker import FixedLocator, StrMethodFormatter

    found = means(record)
    with picture(path, columns=2, width=9, height=4.2) as panels:
        for axes, quantity in zip(panels, ("total_size", "largest_size"), strict=True):
            for label, (models, mark, colour) in LINES.items():
                drawn = [found[model] for model in models if model in found]
                sizes = [getattr(mean_of, quantity) for mean_of in drawn]
                accuracies = [mean_of.accuracy for mean_of in drawn]
                style = {"marker": mark, "color": colour, "markerfacecolor": "none"}
                axes.plot(sizes, accuracies, lw=0.8, ms=7, label=label, **style)
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator(TICKS))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.minorticks_off()
            axes.grid(color="#dddddd")
        panels[0].set_xlabel("nodes of all trees, mean")
        panels[1].set_xlabel("nodes of the largest tree, mean")
        panels[0].set_ylabel("accuracy on new examples, %")
        panels[0].legend(fontsize=7)


def draw_surfaces(record: Surfaces, path: Path) -> None:
    """Draw accuracy against the number of nodes: solid lines for new examples, dotted for training.

    Parameters
    ----------
    record : Surfaces
        The run.
    path : Path
        The file to write.
    """
    found = means_of_surfaces(record)
    maxima = sorted({max_examples for max_examples, _, _ in found}, reverse=True)
    with picture(path, columns=len(maxima), width=9, height=4.6) as panels:
        for axes, max_examples in zip(panels, maxima, strict=True):
            for model, (mark, colour) in FAMILIES.items():
                keys = [(max_examples, model, nodes) for nodes in NODES]
                drawn = [found[key] for key in keys if key in found]
                if drawn:
                    style = {"marker": mark, "color": colour, "markerfacecolor": "none", "lw": 1}
                    axes.plot(NODES, [mean_of.test for mean_of in drawn], label=model, **style)
                    axes.plot(NODES, [mean_of.train for mean_of in drawn], **style | {"ls": ":"})
            for model, (line, colour) in LEVELS.items():
                test = found[max_examples, model, 0].test
                axes.axhline(test, ls=line, color=colour, lw=1, label=model)
            axes.set_xticks(NODES)
            axes.set_xlabel("nodes")
            axes.set_title(f"at most {max_examples} training examples", fontsize=9)
            axes.grid(color="#dddddd")
        panels[0].set_ylabel("accuracy, %")
        handles, labels = panels[-1].get_legend_handles_labels()
        panels[0].figure.legend(handles, labels, fontsize=7, ncols=5, loc="outside lower center")
