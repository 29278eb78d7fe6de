//! The problem and the resources of a search for fewest errors, and its outcome.

use crate::support::statistics::Stats;
use exactree_model::{Cost, Errors, Limits, Outcome};

/// The problem (objective and limits) and the resources of a search.
#[derive(Clone, Debug)]
pub struct Request {
    pub objective: Errors,
    pub limits: Limits,
    /// Only trees that cost less are searched for.
    pub below: Cost,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    /// Number of threads, at least 1.
    pub threads: usize,
}

/// An outcome with its statistics. Features of the tree are indices into `Table::features`.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    pub outcome: Outcome,
    pub stats: Stats,
}
