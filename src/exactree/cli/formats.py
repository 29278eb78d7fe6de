"""Formats in which a model is printed or written to a file."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from exactree import export
from exactree.cli.model_file import SavedModel
from exactree.errors import matplotlib_import_error
from exactree.files import replacing, write_text
from exactree.trees import Ensemble

__all__ = ["FORMATS", "PICTURES", "PLOTS", "check_picture", "write_as", "write_plot"]

# Pictures that matplotlib draws.
_DRAWN = (".png", ".pdf")
# Charts, all of which matplotlib draws.
PLOTS = (".svg", *_DRAWN)


@dataclass(frozen=True)
class Format:
    """A format of a model.

    Parameters
    ----------
    ending : str
        The ending of its files.
    convert : callable
        Takes a tree or an ensemble, and returns text or bytes.
    """

    ending: str
    convert: Callable[[Any], str | bytes]

    @property
    def text(self) -> bool:
        """Whether the format is text, which can be printed."""
        return self.ending not in (*_DRAWN, ".onnx")


def _drawn(kind: str) -> Callable[[Any], bytes]:
    """Return a function that draws a model with matplotlib."""
    return lambda model: _picture(lambda: export.plot_tree(model), kind)


def _picture(draw: Callable[[], Any], kind: str) -> bytes:
    """Return a picture of the axes that a function draws."""
    pyplot = _pyplot()
    with pyplot.rc_context({"backend": "agg"}):  # opens no window
        figure = draw().figure
        file = BytesIO()
        figure.savefig(file, format=kind, dpi=150, bbox_inches="tight")
        pyplot.close(figure)
    return file.getvalue()


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise matplotlib_import_error() from None
    return pyplot


def _onnx(model: Any) -> bytes:
    content: bytes = export.to_onnx(model).SerializeToString()
    return content


# All formats by the name that --format accepts.
FORMATS = {
    "text": Format(".txt", str),
    "rules": Format(".rules", export.to_rules),
    "dot": Format(".dot", export.to_dot),
    "svg": Format(".svg", export.to_svg),
    "png": Format(".png", _drawn("png")),
    "pdf": Format(".pdf", _drawn("pdf")),
    "html": Format(".html", export.to_html),
    "json": Format(".json", export.to_json),
    "sql": Format(".sql", export.to_sql_expression),
    "c": Format(".c", export.to_c),
    "python": Format(".py", export.to_python),
    "javascript": Format(".js", export.to_javascript),
    "spreadsheet": Format(".formula", export.to_spreadsheet),
    "pmml": Format(".pmml", export.to_pmml),
    "onnx": Format(".onnx", _onnx),
}
# Endings of pictures of a model.
PICTURES = (".svg", ".dot", *_DRAWN)


def write_as(path: Path, model: SavedModel, name: str | None = None) -> None:
    """Write a model to a file.

    Parameters
    ----------
    path : Path
        The file.
    model : SavedModel
        The model.
    name : str, optional
        The name of the format; by default that of the ending of the file.
    """
    by_ending = {form.ending: form for form in FORMATS.values()}
    form = by_ending[path.suffix] if name is None else FORMATS[name]
    converted = form.convert(_with_smoothing(model) if form.ending == ".onnx" else model.predictor)
    if isinstance(converted, str):
        write_text(path, converted.rstrip() + "\n")
    else:
        _write_bytes(path, converted)


def _with_smoothing(model: SavedModel) -> Any:
    """Return the predictor, or an estimator with the smoothing of its probabilities."""
    if model.smoothing is None or isinstance(model.predictor, Ensemble):
        return model.predictor
    from exactree.estimators import OptimalTreeClassifier

    estimator = OptimalTreeClassifier(smoothing=model.smoothing)
    estimator.tree_ = model.predictor
    return estimator


def check_picture(path: Path | None) -> None:
    """Raise ImportError if a picture needs matplotlib, which is not installed.

    Parameters
    ----------
    path : Path or None
        The file to draw after a long search, if any.
    """
    if path is not None and path.suffix in _DRAWN:
        _pyplot()


def write_plot(path: Path, draw: Callable[[], Any]) -> None:
    """Write a chart to a file.

    Parameters
    ----------
    path : Path
        The file, with an ending of `PLOTS`.
    draw : callable
        Draws with matplotlib and returns the axes.
    """
    _write_bytes(path, _picture(draw, path.suffix.removeprefix(".")))


def _write_bytes(path: Path, content: bytes) -> None:
    with replacing(path, binary=True) as file:
        file.write(content)
