//! Statistics of a search, and its progress while it runs.

use exactree_model::{Cost, UNBOUNDED};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Subsets searched, cache hits not counted.
    pub nodes: u64,
    /// Columns of bits evaluated as root of a subset.
    pub roots: u64,
    /// Calls of the depth-two solver, or of the solver of two or three levels for columns of bits.
    pub depth_two_calls: u64,
    /// Single root thresholds evaluated in these calls.
    pub stump_evaluations: u64,
    /// Pairs of conditions, or of problems, into which trees that violate constraints were divided.
    pub choices: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    pub cache_bytes: u64,
    pub cache_evicted: u64,
    /// Cost of the first incumbent.
    pub first_incumbent: Option<Cost>,
    pub pruned: PruneCounts,
    pub seconds: f64,
}

/// Defines a struct of counts by one list of their names. `list` returns the counts of the first
/// list by name; counts after `unlisted` are added up, but not listed.
macro_rules! counts {
    (
        $(#[$about:meta])*
        pub struct $table:ident { $($(#[$doc:meta])* $name:ident),* $(,)? }
        $(unlisted { $($(#[$more_doc:meta])* $more:ident),* $(,)? })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default)]
        pub struct $table {
            $($(#[$doc])* pub $name: u64,)*
            $($($(#[$more_doc])* pub $more: u64,)*)?
        }

        impl $table {
            /// Adds the counts of another search or thread.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
                $($(self.$more += other.$more;)*)?
            }

            /// Name and value of every listed count.
            pub fn list(&self) -> [(&'static str, u64); [$(stringify!($name)),*].len()] {
                [$((stringify!($name), self.$name)),*]
            }
        }
    };
}

pub(crate) use counts;

counts! {
    /// Pruned candidates, by the bound that pruned them.
    pub struct PruneCounts {
        /// Thresholds inside pruned intervals.
        interval_bound,
        /// Thresholds too close to an evaluated threshold.
        similarity_bound,
        /// Ranges of root thresholds pruned by their inherited bound.
        feature_bounds,
        /// Sweeps of stumps that could not matter.
        stump_bounds,
        /// Thresholds that were evaluated together with all others of their interval.
        all_thresholds,
        /// Subsets pruned by the errors of equal rows with different labels.
        equivalent_points,
        /// Subsets pruned because a tree has fewer leaves than they have classes.
        class_count,
        /// Subsets pruned by the price of two leaves.
        leaf_price,
        /// Subsets pruned by a cached lower bound.
        cached_bounds,
        /// Thresholds whose cost was not computed exactly, because the two-set bound pruned them.
        two_set_bound,
        /// Subsets pruned because at most one class can be the prediction of their leaves.
        leaf_classes,
        /// Subsets and splits pruned or solved by the search without constraints, limits on leaves
        /// of a class, or a minimum leaf size.
        relaxation,
        /// Splits on monotone features whose best children do not fit each other.
        cross_bound,
        /// Features skipped because their rules equal those of another feature.
        equal_features,
        /// Children whose counts of trees of depth two were cached.
        path_cache,
        /// Children whose pairs were counted by lists instead of words of bits.
        sparse_lists,
    }
    unlisted {
        /// Subsets of a regression whose targets are equal.
        one_target,
        /// Subsets of a regression pruned by the clustering bound.
        clustering_bound,
        /// Dichotomies that equal another dichotomy within a subset.
        equal_rules,
    }
}

impl Stats {
    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &Stats) {
        self.nodes += other.nodes;
        self.roots += other.roots;
        self.depth_two_calls += other.depth_two_calls;
        self.stump_evaluations += other.stump_evaluations;
        self.choices += other.choices;
        self.cache_lookups += other.cache_lookups;
        self.cache_hits += other.cache_hits;
        self.pruned.add(&other.pruned);
    }
}

/// Incumbent and lower bound for an observer in another thread. Each number is valid at any time;
/// the two need not be from the same moment.
#[derive(Debug)]
pub struct Progress {
    cost: AtomicU64,
    lower_bound: AtomicU64,
    started: Instant,
    curve: Mutex<Vec<ProgressPoint>>,
}

/// Incumbent and lower bound at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgressPoint {
    pub seconds: f64,
    /// Cost of the incumbent, if there was one.
    pub cost: Option<Cost>,
    pub lower_bound: Cost,
}

/// Rises of the lower bound within this share of the elapsed time are one point of the curve, so
/// that a search of days has a few thousand points.
const SAME_MOMENT: f64 = 0.01;

impl Default for Progress {
    fn default() -> Self {
        Progress {
            cost: AtomicU64::new(UNBOUNDED),
            lower_bound: AtomicU64::new(0),
            started: Instant::now(),
            curve: Mutex::default(),
        }
    }
}

impl Progress {
    pub fn report(&self, cost: Cost, lower_bound: Cost) {
        let cheaper = self.cost.fetch_min(cost, Ordering::Relaxed) > cost;
        let higher = self.lower_bound.fetch_max(lower_bound, Ordering::Relaxed) < lower_bound;
        if cheaper || higher {
            self.record(cheaper);
        }
    }

    /// Incumbent and lower bound over time, with a point for each improvement.
    pub fn curve(&self) -> Vec<ProgressPoint> {
        self.curve.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, cheaper: bool) {
        let mut curve = self.curve.lock().unwrap_or_else(PoisonError::into_inner);
        let (cost, lower_bound) = self.read();
        let now =
            ProgressPoint { seconds: self.started.elapsed().as_secs_f64(), cost, lower_bound };
        match curve.last_mut() {
            Some(last) if !cheaper && now.seconds < last.seconds * (1.0 + SAME_MOMENT) => {
                last.lower_bound = lower_bound;
            }
            _ => curve.push(now),
        }
    }

    /// (cost − lower bound) / cost, infinite without an incumbent. Only used to decide when to
    /// stop; proofs use exact numbers.
    pub fn gap(&self) -> f64 {
        match self.read() {
            (None, _) => f64::INFINITY,
            (Some(cost), lower_bound) => (cost - lower_bound) as f64 / cost.max(1) as f64,
        }
    }

    /// Cost of the incumbent, if there is one, and lower bound.
    pub fn read(&self) -> (Option<Cost>, Cost) {
        let cost = self.cost.load(Ordering::Relaxed);
        let lower_bound = self.lower_bound.load(Ordering::Relaxed);
        ((cost < UNBOUNDED).then_some(cost), lower_bound.min(cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_every_better_incumbent_and_ends_with_the_last_bound() {
        let progress = Progress::default();
        progress.report(UNBOUNDED, 0);
        assert_eq!(progress.curve(), []);
        for (cost, lower_bound) in [(9, 0), (9, 0), (7, 1), (8, 0), (UNBOUNDED, 2), (7, 3)] {
            progress.report(cost, lower_bound);
        }
        let curve = progress.curve();
        let costs: Vec<_> = curve.iter().filter_map(|moment| moment.cost).collect();
        assert!(costs.contains(&9) && costs.windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(curve.windows(2).all(|pair| pair[0].seconds <= pair[1].seconds));
        let last = curve.last().expect("not empty");
        assert_eq!((last.cost, last.lower_bound), (Some(7), 3));
    }
}
