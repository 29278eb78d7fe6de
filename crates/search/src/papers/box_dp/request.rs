//! The request of a search by boxes, its switches, and its counts.

use crate::support::options::options;

options! { BoxOptions {
    incumbent: "start from a greedy tree",
    empty_borders: "a box with an empty border has the entry of the box without it (argument in papers/box_dp/fill.rs)",
    inner_subsets: "stop at an entry that equals the entry of a box inside (argument in papers/box_dp/fill.rs)",
} }

/// A request for fewest nodes without errors.
#[derive(Clone, Debug)]
pub struct BoxRequest {
    /// Maximum size.
    pub size: u32,
    /// Memory limit of the table in bytes.
    pub memory_limit: Option<usize>,
    pub options: BoxOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct BoxStats {
    /// Boxes of the table, and those filled.
    pub entries: u64,
    pub filled: u64,
    /// Splits compared.
    pub splits: u64,
    /// Entries found by an empty border, and entries found equal to that of a box inside.
    pub empty_borders: u64,
    pub inner_subsets: u64,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}
