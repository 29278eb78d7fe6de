//! Exact search for optimal decision trees. Start reading at `best.rs`.
#![deny(unsafe_code)]

pub mod all_trees;
pub mod answer;
pub mod best;
mod binary;
pub mod bits;
mod board;
mod bounds;
pub mod box_dp;
mod climb;
pub mod cover;
mod deep_stack;
pub mod differences;
#[cfg(test)]
mod differential;
#[cfg(test)]
mod drawn_weights;
mod early_bound;
pub mod ensemble_dp;
pub mod ensembles;
mod entries;
#[cfg(test)]
mod enumeration;
mod examples;
pub mod feature_sets;
mod first_tree;
mod incumbent;
pub mod inherited;
pub mod intervals;
#[allow(unsafe_code)]
pub mod kernels;
pub mod layout;
pub mod least_size;
pub mod limits;
pub mod memo;
pub mod memory;
mod mutants;
pub mod options;
mod order;
pub mod part;
mod part_memo;
pub mod proper;
pub mod regression;
mod relaxation;
mod remember;
mod roots;
pub mod rows;
pub mod rules;
mod sets;
mod sides;
mod simplify;
mod small;
pub mod solve;
pub mod subset_dp;
pub mod support_sets;
mod team;
mod threads;
pub mod threshold;
pub mod tracer;
mod tried_node;
pub mod witness;
pub mod witness_ensemble;

pub use all_trees::{AllTreesRequest, Trees, count_trees, list_trees};
pub use differences::largest_difference;
pub use least_size::{SizeRequest, SizeStats, least_size};
pub use limits::{Clock, Grace, StopSwitch};
pub use options::{Options, SizeOptions};
pub use roots::{RootSearch, Roots, Told};
pub use solve::{Request, Solved, solve};
pub use tracer::{Progress, Stats};
