"""The picture of `anytime`: gaps of solvers to the best known tree, over time."""

from pathlib import Path

import numpy as np

from benchmarks.evaluation.anytime_record import Anytime
from benchmarks.evaluation.anytime_report import kinds
from benchmarks.evaluation.gaps import CART, FIRST, mean_gaps
from benchmarks.peers import OURS
from benchmarks.picture import BLACK, BLUE, GREY, ORANGE, picture

__all__ = ["draw"]

FROM = 0.0005  # CPU seconds at which the time axis begins
# Line, colour and width for each solver.
LINES = {
    OURS: ("-", BLACK, 2.0),
    FIRST: (":", BLACK, 1.2),
    CART: ("-", GREY, 1.2),
    "pytrees_anytime": ("-", ORANGE, 1.2),
    "proof": ("--", BLUE, 1.2),
}
LABELS = {
    OURS: "exactree: incumbent",
    FIRST: "exactree: first incumbent, kept",
    "pytrees_anytime": "pytrees-rs, anytime",
    "proof": "exactree: incumbent and lower bound",
}


def draw(record: Anytime, path: Path) -> None:
    """Draw the mean gaps over time, a panel for every kind of table.

    Parameters
    ----------
    record : Anytime
        The run.
    path : Path
        The file to write.
    """
    times = np.geomspace(FROM, record.limit, 300).tolist()
    with picture(path, columns=2, width=9, height=4.2) as panels:
        for axes, kind in zip(panels, kinds(record), strict=False):
            gaps = mean_gaps(record, kind, times)
            for name in (name for name in LINES if name in gaps):
                line, colour, width = LINES[name]
                style = {"ls": line, "color": colour, "lw": width, "drawstyle": "steps-post"}
                axes.plot(times, gaps[name], label=LABELS.get(name, name), **style)
            axes.set_xscale("log")
            axes.set_xlabel("CPU seconds")
            axes.set_title(f"{kind} tables, depth {record.depth}", fontsize=9)
            axes.grid(color="#dddddd")
        panels[0].set_ylabel("gap, mean over tables")
        panels[0].set_ylim(-0.02, 1.02)
        if panels[-1].get_lines():
            panels[-1].legend(fontsize=7, loc="upper right")
