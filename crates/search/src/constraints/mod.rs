//! Trees under constraints: monotone features, required features, features that stand below others,
//! limits on the leaves of a class, minimum leaf weight, at most m features, prices of features.
//!
//! Start reading at `space.rs`: a space of the engine whose subsets hand constraints to their
//! children (`engine/subset_state.rs` has them as data, `shares.rs` divides them among children).
//! Its bounds are those of the *relaxation*, the search of the same table without these
//! constraints. The relaxation may be any space of thresholds (`costs.rs` has the trait);
//! `errors.rs` and `leaf_costs.rs` are the two families of costs (`cost_family.rs`).
//!
//! `children.rs` evaluates a split, `cross_bound.rs` bounds the children of a monotone one,
//! `stumps.rs` solves the last level, `leaf_totals.rs` has the values of leaves, `feature_space.rs`
//! finds violations of monotonicity, `feasible.rs` checks and prunes whole trees. The number of
//! features and their prices are properties of whole trees: `feature_choice.rs` branches over
//! features, and `restricted_search.rs` searches trees on some features. `first_tree.rs`
//! builds an incumbent with the required features. `root_tasks.rs` divides searches by their roots.

mod children;
mod cost_family;
mod costs;
mod cross_bound;
#[cfg(test)]
pub(crate) mod differential;
mod errors;
mod feasible;
mod feature_choice;
mod feature_space;
mod first_tree;
pub(crate) mod leaf_costs;
mod leaf_totals;
mod prepared_constraints;
mod restricted_search;
mod root_tasks;
mod shares;
mod space;
pub(crate) mod statement;
mod stumps;

pub(crate) use cost_family::CostFamily;
pub(crate) use costs::{ConstrainedCosts, ConstraintOptions};
pub use errors::{ConstrainedErrorRoots, solve_constrained};
pub(crate) use feature_choice::{ChoiceRequest, FeatureChoice, Problem};
pub(crate) use leaf_totals::Targets;
pub(crate) use root_tasks::{ConstrainedRoots, RootsRequest};
pub use statement::TreeConstraints;
