//! What a leaf costs: squared error, absolute error, and costs of classes (a cost matrix, log-loss, Gini
//! impurity). Plain errors are counted by the kernels of their spaces.
//!
//! `leaf_cost.rs` says what a cost has to define and which laws it has to obey; `any_cost.rs` lists the
//! costs, each with a file or a folder of its own. `targets.rs` converts targets to integers, `units.rs` costs to the unit
//! of the user. `clusters.rs` bounds costs of targets on a line.

pub(crate) mod absolute_error;
pub(crate) mod any_cost;
pub(crate) mod class_costs;
pub(crate) mod clusters;
pub(crate) mod items;
#[cfg(test)]
mod laws;
pub(crate) mod leaf_cost;
pub(crate) mod squared_error;
pub(crate) mod stump_items;
pub(crate) mod targets;
pub(crate) mod units;
