"""Read the tables that are shipped with the package."""

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Table:
    """A table of examples with the names of its features.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        The features.
    y : ndarray of shape (n_examples,)
        The labels.
    feature_names : tuple of str
        One name per column of ``X``.
    source : str
        Where the table comes from, and its licence.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    feature_names: tuple[str, ...]
    source: str

    def frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the features as a data frame, so that a fitted tree knows their names.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The installed package that makes the frame.

        Returns
        -------
        DataFrame
            A frame of that package.
        """
        columns = {name: self.X[:, f] for f, name in enumerate(self.feature_names)}
        return nw.from_dict(columns, backend=backend).to_native()


def load_raisin() -> Table:
    """Return 720 raisins of two varieties, each with seven measures of its outline.

    Returns
    -------
    Table
        Features scaled to the range 0 to 1; labels "Besni" and "Kecimen".

    Examples
    --------
    >>> import exactree as xt
    >>> table = xt.datasets.load_raisin()
    >>> table.X.shape, sorted(set(table.y.tolist()))
    ((720, 7), ['Besni', 'Kecimen'])
    """
    text = resources.files("exactree.datasets").joinpath("raisin.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return Table(
        X=np.array([row[:-1] for row in rows], dtype=np.float64),
        y=np.array([row[-1] for row in rows]),
        feature_names=tuple(header[:-1]),
        source="UCI Raisin (Çınar, Koklu, Taşdemir 2020), CC BY 4.0; see NOTICE.md",
    )
