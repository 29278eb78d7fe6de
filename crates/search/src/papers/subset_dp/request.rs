//! The request of a search by sets of items, its switches, and its counts.

use crate::support::options::options;
use exactree_model::Weight;

options! { SubsetOptions {
    incumbent: "start from a greedy tree",
    inner_subsets: "stop at an entry that equals the entry of a subset (argument in papers/subset_dp/own_class.rs)",
    few_errors: "fill only labellings within the allowed errors (argument in papers/subset_dp/labelings.rs)",
    error_budgets: "fill a table of sets and errors instead of labellings if that is less work (argument in papers/subset_dp/error_budgets.rs)",
} }

/// A request for fewest nodes.
#[derive(Clone, Debug)]
pub struct SubsetRequest {
    /// Maximum misclassified weight.
    pub errors: Weight,
    /// Maximum size.
    pub size: u32,
    /// Memory limit of the table in bytes.
    pub memory_limit: Option<usize>,
    pub options: SubsetOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SubsetStats {
    /// Entries of the table, and those filled.
    pub entries: u64,
    pub filled: u64,
    /// Splits compared.
    pub splits: u64,
    /// Entries found equal to that of a subset, and labellings skipped for their errors.
    pub inner_subsets: u64,
    pub few_errors: u64,
    /// Whether the table is that of sets and errors.
    pub error_budgets: bool,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}
