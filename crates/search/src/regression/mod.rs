//! Least squared or absolute error for targets that are numbers. Start reading at
//! `search.rs`; `units.rs` says how numbers become integers.

mod bounds;
mod clusters;
#[cfg(test)]
mod differential;
mod ground;
mod incumbent;
mod medians;
mod part;
mod search;
mod sides;
mod simplify;
mod stump;
mod two_levels;
pub mod units;

use crate::kernels::Level;
use crate::limits::Clock;
use crate::memo::Memo;
use crate::options::options;
use crate::tracer::{Progress, Stats};
use exactree_model::{Cost, Limits, Outcome, Status, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

use ground::Ground;
use part::Part;
use search::Search;
pub use units::{Deviation, Units};

options! { RegressionOptions {
    regression_incumbent: "start from a greedy tree whose lowest two levels are exact, and re-choose one rule at a time",
    two_levels: "solve parts with two levels left by passes over the orders of the features (depth-two solver: MurTree, Demirović et al., JMLR 2022; argument in regression/two_levels.rs)",
    stump_bounds: "look only at features whose stumps may matter between two evaluated thresholds (Quant-BnB: Mazumder, Meng and Wang, ICML 2022; argument in regression/two_levels.rs)",
    intervals: "discard thresholds between two evaluated ones by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    feature_bounds: "hand lower bounds by root threshold to neighbouring parts (argument in inherited.rs)",
    memo: "remember what is proved of parts, compared by their items",
    one_target: "a leaf is best where all targets are equal",
    equal_rows: "equal rows with different targets as a lower bound (argument in regression/bounds.rs)",
    clusters: "the best groups of targets, wherever they are, as a lower bound (k-means: OSRT, Zhang et al., AAAI 2023; argument in regression/bounds.rs)",
    relaxation: "bound a search with minimum leaves by the one without (argument in regression/bounds.rs)",
    wide_lanes: "use the widest vector instructions of the processor",
    equal_features: "search features with equal ranks once",
} }

/// The examples: a table whose classes are the codes of the targets.
pub struct Examples {
    pub table: Table,
    ground: Ground,
    /// What one leaf is off in all.
    one_leaf: Cost,
}

/// Within what to search, and for how long.
#[derive(Clone, Debug)]
pub struct RegressionRequest {
    pub limits: Limits,
    /// In the unit of the user.
    pub leaf_penalty: f64,
    /// Soft limit on the bytes of the memo.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    pub options: RegressionOptions,
}

/// Parts settled by bounds of these searches alone.
#[derive(Clone, Debug, Default)]
pub struct SettledBy {
    pub one_target: u64,
    pub clusters: u64,
}

/// The outcome, in integers and in the unit of the user.
pub struct Regression {
    pub outcome: Outcome,
    pub cost: Option<f64>,
    /// No tree within the limits costs less, whatever was rounded.
    pub lower_bound: f64,
    pub stats: Stats,
    pub settled_by: SettledBy,
}

impl Regression {
    /// Name and count of every rule that gave something up.
    pub fn discards(&self) -> [(&'static str, u64); 9] {
        let (discards, settled_by) = (&self.stats.discards, &self.settled_by);
        [
            ("intervals", discards.intervals),
            ("feature_bounds", discards.feature_bounds),
            ("stump_bounds", discards.stump_bounds),
            ("memo_bounds", discards.memo_bounds),
            ("one_target", settled_by.one_target),
            ("equal_rows", discards.equal_rows),
            ("clusters", settled_by.clusters),
            ("leaf_price", discards.leaf_price),
            ("relaxation", discards.relaxation),
        ]
    }
}

impl Examples {
    /// Merges the rows of a table of finite values given column by column, for one request.
    pub fn new(
        columns: &[Vec<f64>],
        targets: &[f64],
        weights: &[Weight],
        deviation: Deviation,
        request: &RegressionRequest,
    ) -> Self {
        let (distinct, codes) = ground::codes(targets);
        let by_code = ground::weights_of(&codes, weights, distinct.len());
        let units = Units::new(deviation, &distinct, &by_code, request.leaf_penalty);
        let table = Table::new(columns, &codes, weights, distinct.len());
        let ground = Ground::new(&table, units, request.options.equal_features);
        let one_leaf = Part::whole(&ground).leaf;
        Examples { table, ground, one_leaf }
    }

    /// A cost of the search in the unit of the user.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        self.ground.units.in_user_units(cost, self.one_leaf)
    }
}

/// Finds the best tree for some examples, or as much as can be proved in time.
/// Features of the tree are indices into `Table::features`.
pub fn regression(
    examples: &Examples,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Regression {
    let options = &request.options;
    let ground = &examples.ground;
    let mut search = Search {
        ground,
        price: ground.units.price(request.leaf_penalty),
        options,
        clock: *clock,
        progress,
        stop_at_gap: request.stop_at_gap,
        stats: Stats::default(),
        settled_by: SettledBy::default(),
        memo: Memo::new(request.memory_limit),
        level: Level::detect(options.wide_lanes),
        open_calls: 0,
    };
    let whole = Part::whole(ground);
    let limits = request.limits.normalised();
    let mut found = None;
    if options.regression_incumbent {
        let known = search.incumbent(&whole, limits);
        search.stats.first_incumbent = Some(known.0);
        progress.report(known.0, 0);
        found = Some(known);
    }
    let upper = found.as_ref().map_or(UNBOUNDED, |found| found.0);
    let answer = search.best(&whole, limits, upper, None);
    let found = answer.tree.or(found).map(|(cost, tree)| {
        let (simple, tree) = search.simplified(&whole, &tree);
        (simple.min(cost), in_table_features(ground, &tree))
    });
    search.stats.memo_entries = search.memo.len() as u64;
    search.stats.memo_bytes = search.memo.bytes() as u64;
    search.stats.memo_evicted = search.memo.evicted;
    search.stats.discards.equal_features =
        (examples.table.features.len() - ground.features.len()) as u64;
    search.stats.seconds = clock.seconds();
    let outcome = |found, lower| Outcome::of(found, lower, UNBOUNDED, clock.stopped_by());
    let slack = |leaves: f64| ground.units.slack(leaves, ground.items.len() as f64);
    let off = slack(leaves(limits, &whole));
    // What is within the rounding of a proof is proved.
    let (cost, lower) = match &found {
        Some((cost, _)) if *cost as f64 - answer.lower as f64 <= off => (Some(*cost), *cost),
        found => (found.as_ref().map(|found| found.0), answer.lower),
    };
    let outcome = outcome(found, lower);
    // Of a tree that is proved best, the rounding of its own leaves is left.
    let off = match &outcome.tree {
        Some(tree) if outcome.status == Status::Optimal => slack(f64::from(tree.size()) + 1.0),
        _ => off,
    };
    Regression {
        cost: cost.map(|cost| examples.in_user_units(cost as f64)),
        lower_bound: examples.in_user_units(outcome.lower_bound as f64 - off),
        outcome,
        stats: search.stats,
        settled_by: search.settled_by,
    }
}

/// The most leaves of a tree for a part.
fn leaves(limits: Limits, part: &Part) -> f64 {
    let most = (limits.size as f64 + 1.0).min(part.count as f64);
    most.min(2f64.powi(limits.depth.min(1000) as i32))
}

/// The same tree with features as indices into `Table::features`.
fn in_table_features(ground: &Ground, tree: &Arc<Tree>) -> Arc<Tree> {
    match &**tree {
        Tree::Leaf { .. } => tree.clone(),
        Tree::Node { feature, rank, left, right } => Tree::node(
            ground.features[*feature as usize].index,
            *rank,
            in_table_features(ground, left),
            in_table_features(ground, right),
        ),
    }
}
