//! Regression trees of minimum squared or absolute error, and classification trees of minimum cost.
//! Start reading at `cost_space.rs`; the costs are in `costs/`.

mod blocks;
mod bounds;
mod column_rules;
mod columns;
pub(crate) mod cost_space;
mod depth_three;
mod depth_two;
#[cfg(test)]
pub(crate) mod differential;
mod incumbent;
pub(crate) mod one_search;
pub(crate) mod options;
pub(crate) mod prepared_table;
mod request;
pub(crate) mod root_tasks;
pub(crate) mod solve;
mod stump;
pub(crate) mod stump_evaluator;
mod subset;
mod subset_columns;
pub(crate) mod threshold_rules;

pub use options::CostOptions;
pub use request::{CostExamples, CostOutcome, CostRequest, pruned_bounds};
pub use solve::solve_costs;
