"""Learning theory of tree shapes: growth functions, VC dimensions and risk bounds."""

from exactree.theory.enumerate_shapes import (
    enumerate_shapes,
    enumerate_shapes_within,
    wedderburn_etherington,
)
from exactree.theory.features import Features
from exactree.theory.figure import VCBounds, draw_vc_bounds, vc_bounds
from exactree.theory.growth import growth_function_bound, log_growth_function_bound
from exactree.theory.log_partitions import (
    LogPartitioningBounds,
    log_partitioning_function_bound,
)
from exactree.theory.partitions import (
    PartitioningBounds,
    partitioning_function_bound,
    stump_partitioning_function_bound,
    trivial_stump_bound,
)
from exactree.theory.realizable import pairwise_unions, realizable_partitions
from exactree.theory.risk import (
    log_error_prior,
    log_shape_prior,
    risk_bound,
    vapnik_risk_bound,
)
from exactree.theory.shape import TreeShape, shape_of
from exactree.theory.tight_tables import tight_table
from exactree.theory.vc_dimension import (
    binary_stump_vc_dimension,
    one_sided_vc_dimension,
    stump_vc_dimension,
    vc_dimension_bound_by_lambert,
    vc_dimension_bound_by_size,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

__all__ = [
    "Features",
    "LogPartitioningBounds",
    "PartitioningBounds",
    "TreeShape",
    "VCBounds",
    "binary_stump_vc_dimension",
    "draw_vc_bounds",
    "enumerate_shapes",
    "enumerate_shapes_within",
    "growth_function_bound",
    "log_error_prior",
    "log_growth_function_bound",
    "log_partitioning_function_bound",
    "log_shape_prior",
    "one_sided_vc_dimension",
    "pairwise_unions",
    "partitioning_function_bound",
    "realizable_partitions",
    "risk_bound",
    "shape_of",
    "stump_partitioning_function_bound",
    "stump_vc_dimension",
    "tight_table",
    "trivial_stump_bound",
    "vapnik_risk_bound",
    "vc_bounds",
    "vc_dimension_bound_by_lambert",
    "vc_dimension_bound_by_size",
    "vc_dimension_lower_bound",
    "vc_dimension_upper_bound",
    "wedderburn_etherington",
]
