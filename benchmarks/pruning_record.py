"""Models and record of `python -m benchmarks pruning`."""

from dataclasses import dataclass
from statistics import mean, stdev

__all__ = ["AUTHORS", "MODELS", "ORDERS", "TABLES", "Draws"]

TABLES = (
    "breast_cancer_wisconsin_diagnostic", "cardiotocography_10",
    "climate_model_simulation_crashes", "connectionist_bench_sonar",
    "diabetic_retinopathy_debrecen", "fertility", "habermans_survival", "image_segmentation",
    "ionosphere", "iris", "parkinson", "planning_relax", "qsar_biodegradation", "seeds",
    "spambase", "vertebral_column_3c", "wall_following_robot_24", "wine", "yeast",
)  # fmt: skip
MODELS = ("original", "cart", "m-cart", "bound")
AUTHORS = ("cart of the authors", "m-cart of the authors")
ORDERS = ("purest-first", "depth-first", "best-first")


@dataclass(frozen=True)
class Draws:
    """Results of one model on one table, for all draws.

    Attributes
    ----------
    table, order, model : str
        Name of the table, order of growth, and kind of pruning.
    examples, features, classes : int
        Size of the table.
    numbers : dict of str to list of float
        A list with a number for each draw, by quantity: train and test accuracy, leaves, depth, CPU
        seconds of pruning, bound.
    """

    table: str
    order: str
    model: str
    examples: int
    features: int
    classes: int
    numbers: dict[str, list[float]]

    def of(self, quantity: str) -> tuple[float, float]:
        """Return mean and standard deviation of a quantity over the draws."""
        drawn = self.numbers[quantity]
        return mean(drawn), stdev(drawn) if len(drawn) > 1 else 0.0
