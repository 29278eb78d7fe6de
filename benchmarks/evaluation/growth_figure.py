"""The picture of `growth`: a panel for every factor, CPU seconds against its values."""

from pathlib import Path

import numpy as np

from benchmarks.evaluation.growth_record import TABLES, Growth
from benchmarks.evaluation.growth_report import by_series
from benchmarks.picture import BLACK, BLUE, ORANGE, picture

__all__ = ["draw"]

# Marks and colours of the first, second and third series of a factor.
STYLES = (("o", BLACK), ("s", BLUE), ("^", ORANGE))
LOGARITHMIC = ("examples", "features", "classes")


def draw(record: Growth, path: Path) -> None:
    """Draw every series except real tables; an open mark at its end is a search that was stopped.

    Parameters
    ----------
    record : Growth
        The run.
    path : Path
        The file to write.
    """
    series = {key: runs for key, runs in by_series(record).items() if key[0] != TABLES}
    factors = list(dict.fromkeys(factor for factor, _ in series))
    with picture(
        path, columns=max(len(factors), 1), width=2.4 * max(len(factors), 1), height=3.6
    ) as panels:
        for axes, factor in zip(np.atleast_1d(panels), factors, strict=False):
            drawn = [(name, runs) for (one, name), runs in series.items() if one == factor]
            for (name, runs), (mark, colour) in zip(drawn, STYLES, strict=False):
                values = [run.value for run in runs]
                seconds = [run.typical for run in runs]
                axes.plot(values, seconds, color=colour, lw=1, label=name.replace(", ", ",\n", 1))
                for run in runs:
                    inside = colour if run.proved else "white"
                    style = {"color": colour, "markerfacecolor": inside, "ms": 4}
                    axes.plot([run.value], [run.typical], mark, **style)
            axes.set_yscale("log")
            axes.set_xscale("log" if factor in LOGARITHMIC else "linear")
            axes.set_xlabel(factor)
            axes.grid(color="#dddddd")
            axes.legend(fontsize=5.5, loc="upper left")
        np.atleast_1d(panels)[0].set_ylabel("CPU seconds of the proof")
