"""A picture as SVG, and its colours: the same numbers give the same file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "RED", "picture"]

# The palette of Okabe and Ito, whose colours colour-blind people distinguish.
BLACK, GREY, ORANGE, BLUE = "#000000", "#999999", "#e69f00", "#0072b2"
GREEN, RED, PURPLE = "#009e73", "#d55e00", "#cc79a7"


@contextmanager
def picture(path: Path, *, columns: int, width: float, height: float) -> Iterator[Any]:
    """Yield axes to draw in without a display; write them to a file that does not have the date."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "exactree", "font.size": 9}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        yield figure.subplots(1, columns, sharey=True)
        figure.savefig(path, metadata={"Date": None})
