//! Least squared or absolute error for targets that are numbers, and least costs of
//! classes. Start reading at `search.rs`; `units.rs` says how numbers become integers, and
//! `class_costs/` what leaves of classes cost.

mod bounds;
pub mod class_costs;
mod clusters;
mod columns;
mod columns_team;
mod counted;
mod deep_columns;
#[cfg(test)]
mod differential;
mod ground;
mod incumbent;
mod medians;
pub mod pairs;
mod part;
mod search;
mod sides;
mod simplify;
mod stump;
mod team;
mod two_levels;
pub mod units;

use crate::board::Board;
use crate::kernels::Level;
use crate::limits::Clock;
use crate::memo::SharedMemo;
use crate::options::options;
use crate::threads::with_helpers;
use crate::tracer::{Progress, Stats};
use crate::tried_node::Node;
use exactree_model::{Cost, Limits, Outcome, Status, Table, Tree, UNBOUNDED, Weight, rank};
use std::sync::Arc;

use bounds::Promising;
use class_costs::ClassCosts;
use columns_team::{ColumnsHelper, ColumnsNode};
use counted::Room;
use ground::Ground;
use pairs::{Pair, Prices, Staircase};
use part::Part;
use search::Search;
use stump::Costed;
pub use units::{Deviation, Units};

options! { RegressionOptions {
    regression_incumbent: "start from a greedy tree whose lowest two levels are exact, and re-choose one rule at a time",
    two_levels: "solve parts with two levels left by passes over the orders of the features (depth-two solver: MurTree, Demirović et al., JMLR 2022; argument in regression/two_levels.rs)",
    columns: "hold the rules of two-valued features as columns of bits, and count what pairs of them hold (frequency counts: MurTree, Demirović et al., JMLR 2022; see kernels/sums.rs)",
    threes: "count what three columns hold together, which solves parts with three levels left",
    stump_bounds: "look only at features whose stumps may matter between two evaluated thresholds (Quant-BnB: Mazumder, Meng and Wang, ICML 2022; argument in regression/two_levels.rs)",
    intervals: "discard thresholds between two evaluated ones by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    neighbourhood: "discard thresholds too close to an evaluated one, by the range of the targets (similarity bound, MurTree: Demirović et al., JMLR 2022; argument in regression/search.rs)",
    reach: "solve sides a little beyond what is needed, for a wider neighbourhood (ConTree: Briţa et al., AAAI 2025)",
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
    /// At least 1.
    pub threads: usize,
    pub options: RegressionOptions,
}

/// The outcome, in integers and in the unit of the user.
pub struct Regression {
    pub outcome: Outcome,
    pub cost: Option<f64>,
    /// No tree within the limits costs less, whatever was rounded.
    pub lower_bound: f64,
    /// How far roundings can make what is called best cost more than the best.
    pub rounding: f64,
    /// That in units of the search.
    pub slack: f64,
    pub stats: Stats,
}

impl Regression {
    /// Name and count of every rule that gave something up.
    pub fn discards(&self) -> [(&'static str, u64); 10] {
        let discards = &self.stats.discards;
        [
            ("intervals", discards.intervals),
            ("neighbourhood", discards.neighbourhood),
            ("feature_bounds", discards.feature_bounds),
            ("stump_bounds", discards.stump_bounds),
            ("memo_bounds", discards.memo_bounds),
            ("one_target", discards.one_target),
            ("equal_rows", discards.equal_rows),
            ("clusters", discards.clusters),
            ("leaf_price", discards.leaf_price),
            ("relaxation", discards.relaxation),
        ]
    }
}

impl Examples {
    /// Merges the rows of a table of finite values given column by column, for one request; none
    /// if the clock stops meanwhile.
    pub fn new(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        targets: &[f64],
        weights: &[Weight],
        deviation: Deviation,
        request: &RegressionRequest,
    ) -> Option<Self> {
        let (distinct, codes) = clock.check().map(|()| rank(targets)).ok()?;
        clock.check().ok()?;
        let by_code = ground::weights_of(&codes, weights, distinct.len());
        let units = Units::new(deviation, &distinct, &by_code, request.leaf_penalty);
        let stopped = || clock.stopped();
        let table = Table::unless(&stopped, columns, &codes, weights, distinct.len())?;
        let (options, min_rows) = (&request.options, request.limits.min_rows);
        let ground = Ground::unless(&stopped, &table, units, options, min_rows)?;
        Some(Examples { table, ground })
    }

    /// The same of a table whose labels are classes, by what leaves cost; units are 2 to
    /// the exponent.
    pub fn of_classes(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        labels: &[u32],
        weights: &[Weight],
        (costs, exponent): (ClassCosts, i32),
        request: &RegressionRequest,
    ) -> Option<Self> {
        let stopped = || clock.stopped();
        let table = Table::unless(&stopped, columns, labels, weights, costs.classes())?;
        let units = Units::of_classes(costs, exponent);
        let (options, min_rows) = (&request.options, request.limits.min_rows);
        let ground = Ground::unless(&stopped, &table, units, options, min_rows)?;
        Some(Examples { table, ground })
    }

    /// A cost of the search in the unit of the user.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        self.ground.in_user_units(cost)
    }
}

/// Finds the best tree for some examples, or as much as can be proved in time.
/// Features of the tree are indices into `Table::features`, as are those of `given`, a tree
/// within the limits to begin with.
pub fn regression(
    examples: &Examples,
    request: &RegressionRequest,
    given: Option<&Arc<Tree>>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Regression {
    let given = given.and_then(|tree| in_ground_features(examples, tree));
    let start = Start { given, greedy: request.options.regression_incumbent };
    let found = searched(&examples.ground, request, clock, progress, start);
    let found = match in_fine_units(examples, request, clock, &found) {
        Some(ground) => searched_again(&ground, request, clock, found),
        None => found,
    };
    let in_table = |tree: Arc<Tree>| in_table_features(&examples.ground, &tree);
    let outcome = Outcome { tree: found.outcome.tree.map(in_table), ..found.outcome };
    let unlike = examples.table.features.len() - examples.ground.features.len();
    let mut stats = found.stats;
    stats.discards.equal_features = unlike as u64;
    stats.seconds = clock.seconds();
    Regression { outcome, stats, ..found }
}

/// The same examples in fine units, if what roundings of a proof leave open is more than
/// is tolerated.
fn in_fine_units(
    examples: &Examples,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    found: &Regression,
) -> Option<Ground> {
    let ground = &examples.ground;
    let cost = found.outcome.cost.filter(|_| found.outcome.status == Status::Optimal)?;
    let net = |cost: Cost| ground.net(cost as f64);
    let units = ground.units.finer()?;
    let wanted = !Units::tolerate(found.slack, net(cost), net(Part::whole(ground).leaf));
    let (options, min_rows) = (&request.options, request.limits.min_rows);
    // Where the clock stops now, the proof stands with what its roundings leave open.
    let fine = || Ground::unless(&|| clock.stopped(), &examples.table, units, options, min_rows);
    wanted.then(fine).flatten()
}

/// Begins with the tree that was found, and keeps the better of both lower bounds.
fn searched_again(
    ground: &Ground,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    before: Regression,
) -> Regression {
    let progress = Progress::default();
    let start = Start { given: before.outcome.tree, greedy: false };
    let found = searched(ground, request, clock, &progress, start);
    let mut stats = before.stats;
    stats.add(&found.stats);
    Regression { lower_bound: found.lower_bound.max(before.lower_bound), stats, ..found }
}

/// All best pairs of errors of two classes that lie between two of them, which are given by their
/// weights; complete unless the clock has stopped.
pub fn pairs_between(
    examples: &Examples,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    prices: &Prices,
    ends: [(Weight, Weight); 2],
) -> (Vec<Pair>, Stats) {
    let ground = &examples.ground;
    let (progress, memo) = (Progress::default(), SharedMemo::new(request.memory_limit, 1));
    let mut search = Search::new(ground, request, clock, &progress, &memo, None);
    let mut stairs = Staircase::default();
    ends.into_iter().for_each(|end| stairs.insert(end, || Tree::leaf(0)));
    let whole = Part::whole(ground);
    search.fill(&whole, request.limits, prices, &mut stairs);
    let slots: Vec<u32> = whole.members.iter().collect();
    let positive = prices.positive as u32;
    stairs.0.iter_mut().for_each(|pair| {
        pair.tree = search.without_needless(&slots, &pair.tree, positive);
    });
    let (mut pairs, mut stats) = (stairs.0, search.stats);
    stats.seconds = clock.seconds();
    let inner = 1..pairs.len().max(2) - 1;
    let mut inner: Vec<Pair> = pairs.drain(inner).collect();
    inner.iter_mut().for_each(|pair| pair.tree = in_table_features(ground, &pair.tree));
    (inner, stats)
}

/// The cost of the best tree that was found, and that tree made simple, at its own cost.
type Found = (Cost, Costed);

/// What a search begins with: a tree that is known, a greedy one, or the better of both.
struct Start {
    given: Option<Arc<Tree>>,
    greedy: bool,
}

/// Searches, from a tree on if there is one.
fn searched(
    ground: &Ground,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    progress: &Progress,
    start: Start,
) -> Regression {
    let threads = request.threads;
    let memo = SharedMemo::new(request.memory_limit, threads);
    let (board, columns_board) = (Board::new(), Board::new());
    let boards = (threads > 1).then_some((&board, &columns_board));
    let searcher = || Search::new(ground, request, clock, progress, &memo, boards);
    let limits = request.limits.normalised();
    let whole = Part::whole(ground);
    let work = |search: &mut Search<'_>| search.run(&whole, limits, start);
    let ((found, lower), stats) = if ground.columns.is_some() {
        let searcher = || ColumnsHelper(searcher());
        with_helpers(threads - 1, &columns_board, &searcher, |helper| work(&mut helper.0))
    } else {
        with_helpers(threads - 1, &board, &searcher, work)
    };
    told(ground, (&whole, limits), found, lower, clock, stats)
}

impl<'a> Search<'a> {
    fn new(
        ground: &'a Ground,
        request: &'a RegressionRequest,
        clock: &Clock<'a>,
        progress: &'a Progress,
        memo: &'a SharedMemo,
        boards: Option<(&'a Board<Node<Part>>, &'a Board<ColumnsNode>)>,
    ) -> Self {
        Search {
            ground,
            price: ground.units.price(request.leaf_penalty),
            options: &request.options,
            clock: *clock,
            progress,
            stop_at_gap: request.stop_at_gap,
            stats: Stats::default(),
            memo,
            board: boards.map(|boards| boards.0),
            columns_board: boards.map(|boards| boards.1),
            level: Level::detect(request.options.wide_lanes),
            room: Room::default(),
            promising: Promising::default(),
            open_calls: 0,
        }
    }
}

impl Search<'_> {
    /// The best tree that was found for the whole table, and the least lower bound.
    fn run(&mut self, whole: &Part, limits: Limits, start: Start) -> (Option<Found>, Cost) {
        let given = start.given.map(|tree| self.simplified(whole, &tree));
        let greedy = start.greedy.then(|| self.incumbent(whole, limits));
        let found = given.into_iter().chain(greedy).min_by_key(|(cost, _)| *cost);
        if let Some((cost, _)) = found {
            self.stats.first_incumbent = Some(cost);
            self.progress.report(cost, 0);
        }
        let upper = found.as_ref().map_or(UNBOUNDED, |found| found.0);
        let answer = self.best(whole, limits, upper, None);
        let stats = &mut self.stats;
        (stats.memo_entries, stats.memo_bytes, stats.memo_evicted) = self.memo.counts();
        let found = answer.tree.or(found);
        (found.map(|(cost, tree)| (cost, self.simplified(whole, &tree))), answer.lower)
    }
}

/// What a search has found of a whole table, in the unit of the user.
fn told(
    ground: &Ground,
    (whole, limits): (&Part, Limits),
    found: Option<Found>,
    lower: Cost,
    clock: &Clock<'_>,
    stats: Stats,
) -> Regression {
    let (best, found) = found.unzip();
    let cost = found.as_ref().map(|found| found.0);
    let net = ground.net(cost.unwrap_or(whole.leaf) as f64);
    // How far any tree is off, and the one that was found.
    let any = ground.slack(leaves(limits, whole), net);
    let of_tree = |tree: &Tree| ground.slack(f64::from(tree.size()) + 1.0, net);
    let own = found.as_ref().map_or(0.0, |(_, tree)| of_tree(tree));
    // What is within the rounding of a proof is proved.
    let proved = best.is_some_and(|best| best as f64 - lower as f64 <= any + own);
    let near = cost.filter(|_| proved).unwrap_or(lower);
    let outcome = Outcome::of(found, near, UNBOUNDED, clock.stopped_by());
    let above = |cost: Cost| (cost as f64 - lower as f64).max(0.0) + own;
    let above = cost.filter(|_| outcome.status == Status::Optimal).map_or(0.0, above);
    Regression {
        cost: cost.map(|cost| ground.in_user_units(cost as f64)),
        lower_bound: ground.in_user_units(lower as f64 - any),
        rounding: ground.units.in_user_units(above + any),
        slack: above + any,
        outcome,
        stats,
    }
}

/// The most leaves of a tree for a part.
fn leaves(limits: Limits, part: &Part) -> f64 {
    let most = (limits.size as f64 + 1.0).min(part.count as f64);
    most.min(2f64.powi(limits.depth.min(1000) as i32))
}

/// The same tree with features of the ground. One that is not searched there has the same
/// rules as another; none is returned for a tree with a feature that the table does not have.
fn in_ground_features(examples: &Examples, tree: &Arc<Tree>) -> Option<Arc<Tree>> {
    let Tree::Node { feature, rank, left, right } = &**tree else { return Some(tree.clone()) };
    let table = &examples.table.features;
    let ranks = &table.get(*feature as usize)?.ranks;
    let searched = &examples.ground.features;
    let own = searched.iter().position(|one| one.index == *feature);
    let same = || searched.iter().position(|one| table[one.index as usize].ranks == *ranks);
    let feature = own.or_else(same)? as u32;
    let left = in_ground_features(examples, left)?;
    Some(Tree::node(feature, *rank, left, in_ground_features(examples, right)?))
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
