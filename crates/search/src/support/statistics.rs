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
    /// Calls of the depth-two solver.
    pub depth_two_calls: u64,
    /// Single root thresholds evaluated in these calls.
    pub stump_evaluations: u64,
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

/// Pruned candidates, by the bound that pruned them.
#[derive(Clone, Debug, Default)]
pub struct PruneCounts {
    /// Thresholds inside pruned intervals.
    pub interval_bound: u64,
    /// Thresholds too close to an evaluated one.
    pub similarity_bound: u64,
    /// Ranges of root thresholds pruned by their inherited bound.
    pub feature_bounds: u64,
    /// Sweeps of stumps that could not matter.
    pub stump_bounds: u64,
    /// Thresholds that were evaluated together with all others of their interval.
    pub all_thresholds: u64,
    /// Subsets pruned by a bound.
    pub equivalent_points: u64,
    pub class_count: u64,
    pub leaf_price: u64,
    /// Subsets pruned by a cached lower bound.
    pub cached_bounds: u64,
    /// Thresholds pruned by the two-set bound alone, without their exact cost.
    pub two_set_bound: u64,
    /// Subsets whose leaves can afford one class only.
    pub leaf_classes: u64,
    /// Regression with a minimum leaf size: searches solved by the relaxed search.
    pub relaxation: u64,
    /// Features skipped because their rules equal another's.
    pub equal_features: u64,
    /// Subsets with two levels left whose counts were cached.
    pub path_cache: u64,
    /// Children whose pairs were counted by lists instead of words of bits.
    pub sparse_lists: u64,
    /// Subsets of a regression whose targets are equal, and those pruned by the clustering bound.
    pub one_target: u64,
    pub clustering_bound: u64,
}

impl Stats {
    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &Stats) {
        self.nodes += other.nodes;
        self.depth_two_calls += other.depth_two_calls;
        self.stump_evaluations += other.stump_evaluations;
        self.cache_lookups += other.cache_lookups;
        self.cache_hits += other.cache_hits;
        self.pruned.add(&other.pruned);
    }
}

impl PruneCounts {
    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &PruneCounts) {
        self.interval_bound += other.interval_bound;
        self.similarity_bound += other.similarity_bound;
        self.feature_bounds += other.feature_bounds;
        self.stump_bounds += other.stump_bounds;
        self.all_thresholds += other.all_thresholds;
        self.equivalent_points += other.equivalent_points;
        self.class_count += other.class_count;
        self.leaf_price += other.leaf_price;
        self.cached_bounds += other.cached_bounds;
        self.two_set_bound += other.two_set_bound;
        self.leaf_classes += other.leaf_classes;
        self.relaxation += other.relaxation;
        self.equal_features += other.equal_features;
        self.path_cache += other.path_cache;
        self.sparse_lists += other.sparse_lists;
        self.one_target += other.one_target;
        self.clustering_bound += other.clustering_bound;
    }

    /// Name and count of every bound.
    pub fn list(&self) -> [(&'static str, u64); 14] {
        [
            ("interval_bound", self.interval_bound),
            ("similarity_bound", self.similarity_bound),
            ("feature_bounds", self.feature_bounds),
            ("stump_bounds", self.stump_bounds),
            ("all_thresholds", self.all_thresholds),
            ("equivalent_points", self.equivalent_points),
            ("class_count", self.class_count),
            ("leaf_price", self.leaf_price),
            ("cached_bounds", self.cached_bounds),
            ("two_set_bound", self.two_set_bound),
            ("leaf_classes", self.leaf_classes),
            ("equal_features", self.equal_features),
            ("path_cache", self.path_cache),
            ("sparse_lists", self.sparse_lists),
        ]
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
