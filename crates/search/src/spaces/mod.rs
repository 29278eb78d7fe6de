//! Spaces of the engine: the tables that it searches, and what leaves cost.

pub mod binary;
pub mod continuous;
pub mod dichotomies;
pub(crate) mod error_bounds;
pub(crate) mod greedy_tree;
pub mod root_tasks;
pub mod solve;
