//! The best split of examples by one hyperplane, without a list of all splits.
//!
//! Examples are different points of r coordinates that span all of them; surfaces of a higher degree
//! are hyperplanes in the products of features. *The idea.* Take a hyperplane that separates points A
//! from points B, and let it move without passing a point. The weights and thresholds of all
//! hyperplanes that separate A from B, where points may lie on the hyperplane, form a pointed cone of
//! r + 1 dimensions. Inside one of its faces of two dimensions, a hyperplane contains r - 1
//! independent points and the other points of the flat that these span, and no other point. So every
//! split arises in this way: take a flat through r - 1 points, turn a hyperplane around it, and divide
//! the points of the flat in one of the ways in which they can be separated. Conversely all these
//! divisions are splits: a tilt around the flat as small as necessary makes them.
//!
//! While the hyperplane turns, it passes the other points one after the other, in the order of their
//! directions from the flat. So sums over its two sides (`side_costs.rs`) are updated instead of counted: the
//! time is n^(r-1) sorts of n points (`sweep.rs`). The order is exact: directions are computed in
//! floating point with a bound on their errors, and in integers where the bound does not decide
//! (`directions.rs`). Points are never perturbed. A flat with more than r - 1 points is divided by the
//! same search in fewer dimensions (`divisions.rs`).

mod combinations;
#[cfg(test)]
mod differential;
mod directions;
mod divisions;
mod exact;
mod leaf_costs;
mod points;
mod search;
mod side_costs;
mod sweep;

pub use leaf_costs::{CostSurfaceOutcome, KnownSplits, one_surface_costs};
pub use points::PointTable;
pub use search::{OneSurfaceRequest, OneSurfaceResult, one_surface};
