//! Block bounds: the sum of the minimum costs of disjoint blocks of a table.
//!
//! *Super-additivity.* Restrict an optimal tree of the table to a block: the errors of its leaves on all
//! blocks add up to its errors, and no block has more leaves than the tree, so that prices of a leaf
//! that add up to at most the price add up to at most what the tree pays. A restricted tree keeps the
//! limits on depth and size; rules with an empty child only make it smaller. So the minimum costs of the
//! blocks add up to at most the cost of every tree of the table. A minimum leaf size need not hold in a
//! block: blocks are solved without it.
//!
//! *Use.* On a large table the search has no lower bound for a long time: each split of the root needs a
//! search of nearly all rows. Until it has one, its threads also solve blocks, and idle threads do nothing
//! else. A block that is not solved within a share of the elapsed time counts with its lower bound, and is
//! tried again when twice the time has passed. When all blocks are solved, they are merged in pairs, and
//! the pairs are solved, as long as the search has no better bound: the minimum cost of a pair is at least
//! the sum of the two. The tree of a block is a tree of the table, too, with leaves that predict anew: the
//! cheapest is returned if the search stops before it finds a cheaper one. Neither bound nor tree changes
//! the order of the search, or the tree of a search that is not stopped.
//!
//! *Numbers.* The bounds of disjoint blocks add up to at most the cost of a tree, so the sum is a valid
//! cost wherever that is.
//!
//! A block holds the items whose hashes agree in the last bits. Equal rows have equal hashes and stay
//! together, so their unavoidable errors count in blocks, too; that different rows may have equal hashes
//! only changes the sizes of blocks.
//!
//! Length: more than a third of the file is tests.

use crate::engine::request::{Request, SearchOutcome};
use crate::engine::solution::CostedTree;
use crate::support::clock::{Background, Clock, StopSwitch};
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Status, Table, Tree, UNBOUNDED};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

/// The search of a table.
pub(crate) type SolveTable<'a> =
    dyn Fn(&Table, &Request, &Options, Clock<'_>, &Progress) -> SearchOutcome + Sync + 'a;

/// Number of items below which a table is searched fast enough without blocks.
const MIN_ITEMS: usize = 1 << 16;

/// Maximum average number of items of the first blocks.
const FIRST_ITEMS: usize = 1 << 14;

/// Seconds without a lower bound after which blocks are solved.
const START: f64 = 5.0;

/// Minimum time limit of a block in seconds, and the share of the elapsed time that it may take.
const MIN_SLICE: f64 = 2.0;
const SLICE_SHARE: f64 = 0.5;

/// The cache of a block has the memory limit divided by this.
const MEMORY_DIVISOR: usize = 8;

/// The blocks of a table, solved beside its search.
pub(crate) struct BlockBound<'a> {
    table: &'a Table,
    request: &'a Request,
    options: Options,
    progress: &'a Progress,
    solve: &'a SolveTable<'a>,
    /// Microseconds after which blocks are solved; `u64::MAX` when none is left.
    start: AtomicU64,
    /// Microseconds after which a busy thread solves the next block.
    due: AtomicU64,
    state: Mutex<BlockState>,
}

/// The blocks of one level. At level k there are 2^k blocks, by the last k bits of the hashes.
struct BlockState {
    level: u32,
    hashes: Vec<u64>,
    /// The blocks still to be solved, the next one last, and the number of blocks being solved.
    pending: Vec<usize>,
    running: usize,
    /// Lower bounds on the costs of the blocks of this level.
    bounds: Vec<Cost>,
    /// The cheapest tree of a block on the whole table.
    best: Option<CostedTree>,
}

/// The solution of a block: a lower bound on its cost, whether that is the minimum cost, and its tree on
/// the whole table.
struct SolvedBlock {
    bound: Cost,
    optimal: bool,
    tree: Option<CostedTree>,
}

impl<'a> BlockBound<'a> {
    /// The blocks of a table for a request; `None` if the table is small, or the switch is off.
    pub(crate) fn of(
        table: &'a Table,
        request: &'a Request,
        options: &Options,
        progress: &'a Progress,
        solve: &'a SolveTable<'a>,
    ) -> Option<Self> {
        let large = table.items.len() >= MIN_ITEMS && request.limits.depth > 2;
        (options.block_bound && large).then(|| {
            let level = table.items.len().div_ceil(FIRST_ITEMS).next_power_of_two().ilog2();
            let start = (START * 1e6) as u64;
            BlockBound::at_level(table, request, options, progress, solve, (level, start))
        })
    }

    /// The same for any table, with 2^`level` blocks at first, from microsecond `start` on.
    pub(crate) fn at_level(
        table: &'a Table,
        request: &'a Request,
        options: &Options,
        progress: &'a Progress,
        solve: &'a SolveTable<'a>,
        (level, start): (u32, u64),
    ) -> Self {
        let options = Options { block_bound: false, ..options.clone() };
        let bounds = vec![0; 1 << level];
        let pending = (0..1 << level).rev().collect();
        let state =
            BlockState { level, hashes: Vec::new(), pending, running: 0, bounds, best: None };
        let (start, due, state) = (AtomicU64::new(start), AtomicU64::new(0), Mutex::new(state));
        BlockBound { table, request, options, progress, solve, start, due, state }
    }

    /// Takes the next block: its level and number, and its items. `None` if there is none now.
    fn take(&self) -> Option<(u32, usize, Vec<u32>)> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let (_, reported) = self.progress.read();
        let sum: Cost = state.bounds.iter().sum();
        if reported > sum || state.level == 0 {
            // The search has a better bound.
            self.start.store(u64::MAX, Ordering::Relaxed);
            return None;
        }
        if state.pending.is_empty() && state.running == 0 {
            state.merge();
            if state.level == 0 {
                return None;
            }
        }
        let block = state.pending.pop()?;
        if state.hashes.is_empty() {
            state.hashes = self.table.hashes();
        }
        let level = state.level;
        let mask = (1u64 << level) - 1;
        let is_in = |(_, hash): &(usize, &u64)| **hash & mask == block as u64;
        let items = state.hashes.iter().enumerate().filter(is_in);
        let items = items.map(|(item, _)| item as u32).collect();
        state.running += 1;
        Some((level, block, items))
    }

    /// The solution of a block of some items, within the time of the clock.
    fn solved(&self, level: u32, items: &[u32], clock: &Clock<'_>) -> SolvedBlock {
        if items.is_empty() {
            return SolvedBlock { bound: 0, optimal: true, tree: None };
        }
        let Errors { error_price, leaf_price } = self.request.objective;
        let leaf_price = (leaf_price >> level) + offset(Mutant::BlockBound) * leaf_price;
        let request = Request {
            objective: Errors { error_price, leaf_price },
            limits: Limits { min_samples_leaf: 1, ..self.request.limits },
            below: UNBOUNDED,
            memory_limit: self.request.memory_limit.map(|bytes| bytes / MEMORY_DIVISOR),
            stop_at_gap: 0.0,
            threads: 1,
        };
        let block = self.table.part(items);
        let progress = Progress::default();
        let found = (self.solve)(&block, &request, &self.options, *clock, &progress).outcome;
        let everything = (0..self.table.items.len() as u32).collect();
        let tree = found.tree.and_then(|tree| self.refitted(&block, everything, &tree));
        let below = |(cost, _): &CostedTree| *cost < self.request.below;
        let optimal = found.status == Status::Optimal;
        SolvedBlock { bound: found.lower_bound, optimal, tree: tree.filter(below) }
    }

    /// A tree of a block for items of the table, with the classes of its leaves chosen anew and without
    /// nodes that lower no cost; `None` if it has too small a leaf.
    fn refitted(&self, block: &Table, items: Vec<u32>, tree: &Tree) -> Option<CostedTree> {
        let (mut weights, mut rows) = (vec![0; self.table.n_classes], 0);
        for item in items.iter().map(|&item| &self.table.items[item as usize]) {
            weights[item.class as usize] += item.weight;
            rows += item.rows;
        }
        let leaf = (
            self.request.objective.leaf(Errors::leaf_errors(&weights)),
            Tree::leaf(Errors::leaf_class(&weights)),
        );
        let leaf = Some(leaf).filter(|_| rows >= self.request.limits.min_samples_leaf);
        let Tree::Node { feature, rank, left, right } = tree else { return leaf };
        let of_block = &block.features[*feature as usize];
        let at = self.table.features.iter().position(|whole| whole.index == of_block.index)?;
        let whole = &self.table.features[at];
        let highest = of_block.values[*rank as usize];
        let rank = whole.values.partition_point(|&value| value <= highest) as u32 - 1;
        let (on_left, on_right): (Vec<u32>, Vec<u32>) =
            items.into_iter().partition(|&item| whole.ranks[item as usize] <= rank);
        let left = self.refitted(block, on_left, left);
        let right = self.refitted(block, on_right, right);
        let node = left.zip(right).map(|((left_cost, left), (right_cost, right))| {
            let cost = self.request.objective.join(left_cost, right_cost);
            (cost, Tree::node(at as u32, rank, left, right))
        });
        leaf.into_iter().chain(node).min_by_key(|(cost, _)| *cost)
    }

    /// Enters the solution of a block, which is pending again if it is not optimal.
    fn enter(&self, block: usize, solved: SolvedBlock) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running -= 1;
        state.bounds[block] = state.bounds[block].max(solved.bound);
        if !solved.optimal {
            state.pending.push(block);
        }
        state.best = state.best.take().into_iter().chain(solved.tree).min_by_key(|(cost, _)| *cost);
        let cost = state.best.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost);
        self.progress.report(cost, state.bounds.iter().sum());
    }
}

impl BlockState {
    /// Goes on to the blocks that consist of two blocks each.
    fn merge(&mut self) {
        let half = self.bounds.len() / 2;
        let pairs = self.bounds[..half].iter().zip(&self.bounds[half..]);
        self.bounds = pairs.map(|(first, second)| first + second).collect();
        self.level -= 1;
        self.pending = (0..half).rev().collect();
    }
}

impl Background for BlockBound<'_> {
    fn step(&self, clock: &Clock<'_>, idle: bool) -> bool {
        let begin = clock.seconds();
        let waits = |until: &AtomicU64| begin * 1e6 < until.load(Ordering::Relaxed) as f64;
        // The first incumbent comes first.
        let busy = !idle && (waits(&self.due) || self.progress.read().0.is_none());
        if waits(&self.start) || busy || clock.stopped_by().is_some() {
            return false;
        }
        let Some((level, block, items)) = self.take() else { return false };
        let switch = StopSwitch::default();
        let slice = Duration::from_secs_f64((begin * SLICE_SHARE).max(MIN_SLICE));
        let solved = self.solved(level, &items, &clock.within(slice, &switch));
        let optimal = solved.optimal;
        self.enter(block, solved);
        let end = clock.seconds();
        // A busy thread spends half of its time on blocks.
        self.due.fetch_max(((end + (end - begin)) * 1e6) as u64, Ordering::Relaxed);
        if !optimal {
            self.start.fetch_max((2.0 * end * 1e6) as u64, Ordering::Relaxed);
        }
        true
    }

    fn lower_bound(&self) -> Cost {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).bounds.iter().sum()
    }

    fn tree(&self) -> Option<CostedTree> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spaces::continuous::differential::{
        Instance, definition, draw, random_options, solved,
    };
    use crate::spaces::solve::{solve, solve_beside};
    use crate::support::clock::stop_at_poll;
    use crate::support::mutants::with_mutant;

    /// The cost of a tree of the table, and the number of rows in its smallest leaf.
    fn recounted(instance: &Instance, items: &[usize], tree: &Tree) -> (Cost, u64) {
        let table = &instance.table;
        match tree {
            Tree::Leaf { class } => {
                let wrong = |item: &&usize| table.items[**item].class != *class;
                let errors = items.iter().filter(wrong).map(|&item| table.items[item].weight).sum();
                let rows = items.iter().map(|&item| table.items[item].rows).sum();
                (instance.objective.leaf(errors), rows)
            }
            Tree::Node { feature, rank, left, right } => {
                let ranks = &table.features[*feature as usize].ranks;
                let (on_left, on_right): (Vec<usize>, Vec<usize>) =
                    items.iter().partition(|&&item| ranks[item] <= *rank);
                let left = recounted(instance, &on_left, left);
                let right = recounted(instance, &on_right, right);
                (left.0 + right.0, left.1.min(right.1))
            }
        }
    }

    fn request(instance: &Instance, threads: usize) -> Request {
        Request {
            objective: instance.objective,
            limits: instance.limits,
            below: UNBOUNDED,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads,
        }
    }

    /// The bounds after every block, down to a single block, and the minimum cost of the table. Checks the
    /// tree of the blocks.
    fn bounds(instance: &Instance, level: u32) -> (Vec<Cost>, Cost) {
        let Instance { table, limits, .. } = instance;
        let request = request(instance, 1);
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let options = Options::default();
        let start = (level, 0);
        let blocks = BlockBound::at_level(table, &request, &options, &progress, &solve, start);
        let mut bounds = Vec::new();
        while blocks.step(&clock, true) {
            bounds.push(blocks.lower_bound());
        }
        let items: Vec<usize> = (0..table.items.len()).collect();
        if let Some((cost, tree)) = blocks.tree() {
            let (recounted, rows) = recounted(instance, &items, &tree);
            assert_eq!(recounted, cost, "{instance:?}");
            assert!(tree.depth() <= limits.depth && tree.size() <= limits.size);
            assert!(rows >= limits.min_samples_leaf);
        } else {
            assert!(limits.min_samples_leaf > 1, "{instance:?}");
        }
        (bounds, definition(instance, &items, limits.normalised()))
    }

    #[test]
    fn sums_over_blocks_rise_to_at_most_the_minimum_cost() {
        let mut random = fastrand::Rng::with_seed(20_261_128);
        let (mut positive, mut merged) = (0, 0);
        for _ in 0..2_000 {
            let instance = draw(&mut random, [0, 40, 20, 9, 7]);
            let level = random.u32(1..4);
            let (bounds, optimum) = bounds(&instance, level);
            let blocks = (2 << level) - 2;
            assert_eq!(bounds.len(), blocks, "all blocks of all levels");
            assert!(bounds.is_sorted() && bounds[blocks - 1] <= optimum, "{bounds:?} {instance:?}");
            positive += u32::from(bounds[(1 << level) - 1] > 0);
            merged += u32::from(bounds[blocks - 1] > bounds[(1 << level) - 1]);
        }
        assert!(positive > 500 && merged > 100, "{positive} {merged}");
    }

    /// Searches that solve blocks at every poll, stopped at a random poll or not at all.
    #[test]
    fn blocks_change_no_outcome_of_a_search_and_leave_stopped_searches_valid_bounds() {
        let mut random = fastrand::Rng::with_seed(20_261_129);
        let (mut stopped, mut of_blocks) = (0, 0);
        for number in 0..3_000 {
            let instance = draw(&mut random, [0, 40, 20, 9, 7]);
            let items: Vec<usize> = (0..instance.table.items.len()).collect();
            let optimum = definition(&instance, &items, instance.limits.normalised());
            let request = request(&instance, if number % 10 == 0 { 2 } else { 1 });
            let options = random_options(&mut random, 20);
            let alone = solved(&instance, &options, 1, UNBOUNDED).outcome;
            let (switch, progress) = (StopSwitch::default(), Progress::default());
            let clock = Clock::start(None, &switch);
            let table = &instance.table;
            let start = (random.u32(1..4), 0);
            let blocks = BlockBound::at_level(table, &request, &options, &progress, &solve, start);
            let search =
                || solve_beside(Some(&blocks), table, &request, &options, clock, &progress).outcome;
            let polls = if random.bool() { u64::MAX } else { random.u64(1..30) };
            let outcome = stop_at_poll(polls, search);
            assert!(outcome.lower_bound <= optimum, "{instance:?} {options:?}");
            assert!(outcome.cost.is_none_or(|cost| cost >= optimum), "{instance:?} {options:?}");
            of_blocks += u32::from(blocks.lower_bound() > 0);
            if outcome.status == Status::Optimal {
                assert_eq!(outcome.cost, Some(optimum), "{instance:?} {options:?}");
                if request.threads == 1 && switch.reason().is_none() {
                    assert_eq!(outcome.tree, alone.tree, "{instance:?} {options:?}");
                }
            } else {
                assert!(switch.reason().is_some(), "{instance:?} {options:?}");
                stopped += 1;
            }
        }
        assert!(stopped > 100 && of_blocks > 100, "{stopped} {of_blocks}");
    }

    #[test]
    fn a_price_of_leaves_that_is_paid_in_every_block_is_noticed() {
        let mut random = fastrand::Rng::with_seed(20_261_128);
        let noticed = |_: &u32| {
            let instance = draw(&mut random, [0, 40, 20, 9, 7]);
            let (bounds, optimum) = with_mutant(Some(Mutant::BlockBound), || bounds(&instance, 2));
            bounds.iter().any(|&bound| bound > optimum)
        };
        assert!((0..200).find(noticed).is_some());
    }
}
