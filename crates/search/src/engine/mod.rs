//! Branch and bound, for every space of subsets and costs (`space.rs`). Start reading at
//! `search.rs`.

pub(crate) mod block_bound;
pub(crate) mod bounds;
pub(crate) mod cache_access;
pub(crate) mod children;
pub(crate) mod column_children;
pub(crate) mod columns;
#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod early_bound;
pub(crate) mod inherited_bounds;
pub(crate) mod intervals;
#[cfg(test)]
pub(crate) mod laws;
pub(crate) mod open_splits;
pub(crate) mod parallel;
pub(crate) mod parallel_node;
pub(crate) mod request;
pub(crate) mod root_range;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod simplify;
pub(crate) mod solution;
pub(crate) mod some_roots;
pub(crate) mod space;
pub(crate) mod split_order;
pub(crate) mod subset;
pub(crate) mod subset_state;
pub(crate) mod threads;
pub(crate) mod two_set_bound;
pub(crate) mod whole_table;
