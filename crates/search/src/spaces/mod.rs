//! Spaces of the engine: the tables that it searches, and what leaves cost.

pub(crate) mod binary;
pub(crate) mod continuous;
pub(crate) mod dichotomies;
pub(crate) mod error_blocks;
pub(crate) mod error_bounds;
pub(crate) mod greedy_tree;
pub(crate) mod leaf_costs;
pub(crate) mod one_surface;
pub(crate) mod post_pruning;
pub(crate) mod root_tasks;
pub(crate) mod solve;
