//! What a search counts, and what it shows while it runs.

use exactree_model::{Cost, UNBOUNDED};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Parts looked at, memo hits not counted.
    pub nodes: u64,
    /// Calls of the depth-two solver.
    pub depth_two_calls: u64,
    /// Single root thresholds evaluated inside them.
    pub stump_evaluations: u64,
    pub memo_lookups: u64,
    pub memo_hits: u64,
    pub memo_entries: u64,
    pub memo_bytes: u64,
    pub memo_evicted: u64,
    /// Cost of the first incumbent.
    pub first_incumbent: Option<Cost>,
    pub discards: Discards,
    pub seconds: f64,
}

/// What was given up, by the rule that proved it useless.
#[derive(Clone, Debug, Default)]
pub struct Discards {
    /// Thresholds inside discarded intervals.
    pub intervals: u64,
    /// Thresholds too close to an evaluated one.
    pub neighbourhood: u64,
    /// Root features whose inherited bound sufficed.
    pub feature_bounds: u64,
    /// Parts settled by a bound.
    pub equal_rows: u64,
    pub class_count: u64,
    pub leaf_price: u64,
    /// Parts answered by a remembered lower bound.
    pub memo_bounds: u64,
    /// Searches with minimum leaves answered by the relaxed search.
    pub relaxation: u64,
    /// Features left out because their rules equal another's.
    pub equal_features: u64,
    /// Rules whose sides are near those of others.
    pub similar_sides: u64,
    /// Parts with two levels left that were counted before.
    pub path_memo: u64,
}

impl Discards {
    /// Name and count of every rule.
    pub fn list(&self) -> [(&'static str, u64); 11] {
        [
            ("intervals", self.intervals),
            ("neighbourhood", self.neighbourhood),
            ("feature_bounds", self.feature_bounds),
            ("equal_rows", self.equal_rows),
            ("class_count", self.class_count),
            ("leaf_price", self.leaf_price),
            ("memo_bounds", self.memo_bounds),
            ("relaxation", self.relaxation),
            ("equal_features", self.equal_features),
            ("similar_sides", self.similar_sides),
            ("path_memo", self.path_memo),
        ]
    }
}

/// Incumbent and lower bound for whoever watches from another thread. The two
/// numbers are each valid at any time; they need not be of the same moment.
#[derive(Debug)]
pub struct Progress {
    cost: AtomicU64,
    lower_bound: AtomicU64,
}

impl Default for Progress {
    fn default() -> Self {
        Progress { cost: AtomicU64::new(UNBOUNDED), lower_bound: AtomicU64::new(0) }
    }
}

impl Progress {
    pub fn report(&self, cost: Cost, lower_bound: Cost) {
        self.cost.fetch_min(cost, Ordering::Relaxed);
        self.lower_bound.fetch_max(lower_bound, Ordering::Relaxed);
    }

    /// (cost − lower bound) / cost, infinite without an incumbent. Only decides
    /// when to stop; what is proved is decided in exact numbers.
    pub fn gap(&self) -> f64 {
        match self.read() {
            (None, _) => f64::INFINITY,
            (Some(cost), lower_bound) => (cost - lower_bound) as f64 / cost.max(1) as f64,
        }
    }

    /// Incumbent cost, if there is one, and lower bound.
    pub fn read(&self) -> (Option<Cost>, Cost) {
        let cost = self.cost.load(Ordering::Relaxed);
        let lower_bound = self.lower_bound.load(Ordering::Relaxed);
        ((cost < UNBOUNDED).then_some(cost), lower_bound.min(cost))
    }
}
