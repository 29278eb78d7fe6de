//! Branch and bound for tables of continuous features. Start reading at `search.rs`.

pub(crate) mod bounds;
pub(crate) mod cache_access;
pub(crate) mod children;
pub(crate) mod depth_two;
#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod early_bound;
pub mod error_space;
pub(crate) mod greedy_tree;
pub(crate) mod incumbent;
pub mod inherited_bounds;
pub mod intervals;
pub mod layout;
pub(crate) mod leaf_classes;
pub(crate) mod parallel;
pub(crate) mod parallel_node;
pub mod root_range;
pub(crate) mod root_tasks;
pub mod rules;
pub mod search;
pub(crate) mod simplify;
pub mod solution;
pub mod solve;
pub(crate) mod some_roots;
pub(crate) mod space;
pub(crate) mod split_order;
pub mod subset;
pub(crate) mod threads;
pub(crate) mod two_set_bound;
