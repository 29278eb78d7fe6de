//! Block bounds: the sum of the minimum costs of disjoint blocks of a table.
//!
//! *Super-additivity.* Restrict an optimal tree of the table to a block. If a leaf costs at least as much
//! as its items do in a leaf for each block, the costs of the restricted trees add up to at most the cost
//! of the tree: plain errors, cost matrices, squared and absolute error, log-loss and Gini impurity have
//! this law, smoothed leaves do not. No block has more leaves than the tree, so prices of a leaf that add
//! up to at most the price add up to at most what the tree pays. A restricted tree keeps the limits on
//! depth and size; rules with an empty child only make it smaller. So the minimum costs of the blocks add
//! up to at most the cost of every tree of the table. A minimum leaf size need not hold in a block: blocks
//! are solved without it.
//!
//! *Use.* On a large table the search has no lower bound for a long time: each split of the root needs a
//! search of nearly all rows. Until it has one, its threads also solve blocks, and threads that are idle or
//! wait for others do nothing else. First single blocks of growing size are solved; the first level has the
//! size whose bound grew fastest: of a table of a million rows, some large blocks bound more in the same
//! time than all small ones. The proof that a block costs at least half of its part of the incumbent's cost
//! may take much less than half of the time that its minimum cost takes, for 8,000 rows of eeg a seventh.
//! Where it does, all blocks are first proved to cost a half, then three quarters; then they are solved. A
//! proof of a share is a search for cheaper trees only: its lower bound on the block holds like any other.
//! A block that is not solved within a share of the elapsed time counts with its lower bound, and is tried
//! again when twice the time has passed. When all blocks are solved, they are merged in pairs, and the pairs
//! are solved, as long as the search has no better bound: the minimum cost of a pair is at least the sum of the
//! two. Blocks are given up if they have no better bound than the search after some seconds of work. The
//! tree of a block is a tree of the table, too, with leaves that predict anew: the cheapest is returned if
//! the search stops before it finds a cheaper one. Neither bound nor tree changes the order of the search,
//! or the tree of a search that is not stopped.
//!
//! *Numbers.* The bounds of disjoint blocks add up to at most the cost of a tree, so the sum is a valid
//! cost wherever that is. A space with rounded costs lowers the bound of each block by their rounding.
//!
//! A block holds the items whose hashes agree in the last bits. In the order of the reversed hashes the
//! items of a block stand together, and so do those of the blocks that it consists of. Equal rows have
//! equal hashes and stay together, so their unavoidable errors count in blocks, too; that different rows
//! may have equal hashes only changes the sizes of blocks.
//!
//! Length: which block is next and what its solution means depend on one state that all threads share.

use crate::engine::solution::CostedTree;
use crate::support::clock::{Background, Clock, Occupation, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Table, UNBOUNDED};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

/// A tree is tried on the whole table if it is of a block with at least one of this many items. Trees of
/// smaller blocks seldom cost less, and trying one takes as long as solving a small block.
const TRIED_SHARE: usize = 256;

/// Average number of items of the first blocks.
const FIRST_ITEMS: usize = 64;

/// Number of first blocks from which on blocks are worth while.
const MIN_BLOCKS: usize = 16;

/// Seconds after which blocks are solved, and the share of the incumbent's cost that a lower bound has to
/// reach by then, or else it is poor.
const START: f64 = 5.0;
const POOR_DIVISOR: Cost = 4;

/// Seconds of work after which blocks that have no better bound than the search are given up.
const TRIAL: f64 = 5.0;

/// Minimum time limit of a block in seconds, and the share of the elapsed time that it may take.
const MIN_SLICE: f64 = 2.0;
const SLICE_SHARE: f64 = 0.5;

/// Busy threads work on the search this many times as long as on blocks: while the bound is poor, and
/// later, when the search raises it as well.
const SEARCH_SHARES: (f64, f64) = (0.5, 2.0);

/// The share until all blocks of the first level are solved, for tables of more than this many numbers.
/// They do not fit into the caches of the processor; blocks do, and raise the bound faster.
const SEARCH_SHARE_OF_MANY: f64 = 0.1;
const MANY_NUMBERS: usize = 1 << 22;

/// Larger blocks are not tried once the bound grows more slowly than this part of the fastest growth: by
/// blocks that are solved, and by blocks with a first share.
const SLOWER: [f64; 2] = [0.8, 0.5];

/// Shares of the costs of blocks are proved first if the bound then grows this many times as fast, and
/// if solving all blocks instead would take this many times as long as the search has taken.
const FASTER: f64 = 2.0;
const LONG: f64 = 4.0;

/// The first share that is proved, in quarters, and the whole cost.
const FIRST_SHARE: u32 = 2;
const WHOLE: u32 = 4;

/// A table and a cost with the law above.
pub(crate) trait BlockProblem: Sync {
    fn table(&self) -> &Table;

    /// Solves one of 2^`level` blocks, of these items and at least one, within the time of the clock. No
    /// tree is needed, and no greater bound, if it costs `enough` or more.
    fn solve(&self, level: u32, items: &[u32], enough: Cost, clock: &Clock<'_>) -> SolvedBlock;

    /// Whether `enough` saves time.
    fn proves_shares(&self) -> bool;

    /// Whether the tree of a block of these items is tried on the whole table.
    fn is_tried(&self, items: &[u32]) -> bool {
        items.len() * TRIED_SHARE >= self.table().items.len()
    }
}

/// The solution of a block: a lower bound on its cost, whether that is enough or the minimum cost, and
/// its tree on the whole table, if it is tried and keeps the limits there.
pub(crate) struct SolvedBlock {
    pub bound: Cost,
    pub is_solved: bool,
    pub tree: Option<CostedTree>,
}

/// A block of a level, for which some quarters of its part of the incumbent's cost are to be proved.
struct TakenBlock {
    level: u32,
    number: usize,
    quarters: u32,
    items: Vec<u32>,
}

/// The blocks of a table, solved beside its search.
pub(crate) struct BlockBound<'a, P> {
    problem: P,
    progress: &'a Progress,
    /// Microseconds after which blocks are solved; `u64::MAX` when none is left.
    start: AtomicU64,
    /// Microseconds after which a busy thread solves the next block.
    due: AtomicU64,
    /// Whether blocks of the first level have been merged.
    merged: AtomicBool,
    state: Mutex<BlockState>,
}

/// The blocks of one level. At level k there are 2^k blocks, by the last k bits of the hashes.
struct BlockState {
    level: u32,
    /// Whether the size of the first blocks is sought.
    seeks_size: bool,
    /// What is to be proved of every block, in quarters of its part of the incumbent's cost.
    quarters: u32,
    /// Whether the next block is solved for its tree: shares need none.
    tree_first: bool,
    /// Levels tried so far, and by how much a block raised the bound in a second: of blocks that were
    /// solved, and of blocks with a first share.
    rates: [Vec<(u32, f64)>; 2],
    /// All items with their reversed hashes, in the order of these.
    order: Vec<(u64, u32)>,
    /// The blocks still to be solved, the next one last, and the number of blocks being solved.
    pending: Vec<usize>,
    running: usize,
    /// Time spent on blocks.
    seconds: f64,
    /// Lower bounds on the costs of the blocks of this level.
    bounds: Vec<Cost>,
    /// A lower bound on the cost of a tree of the table.
    proved: Cost,
    /// The cheapest tree of a block on the whole table.
    best: Option<CostedTree>,
}

impl<'a, P: BlockProblem> BlockBound<'a, P> {
    /// The blocks of a problem; `None` if its table is small.
    pub(crate) fn of(problem: P, progress: &'a Progress) -> Option<Self> {
        let blocks = problem.table().items.len() / FIRST_ITEMS;
        (blocks >= MIN_BLOCKS).then(|| {
            let start = (blocks.next_power_of_two().ilog2(), (START * 1e6) as u64);
            BlockBound::at_level(problem, progress, start).seeking_size()
        })
    }

    /// The same, which first seeks the size of its blocks.
    pub(crate) fn seeking_size(self) -> Self {
        let mut state = self.locked();
        state.seeks_size = true;
        state.quarters = self.first_quarters();
        drop(state);
        self
    }

    /// The same, which first proves shares of the costs of its blocks.
    #[cfg(test)]
    pub(crate) fn proving_shares(self) -> Self {
        let mut state = self.locked();
        (state.quarters, state.tree_first) = (FIRST_SHARE, true);
        drop(state);
        self
    }

    /// The same for any table, with 2^`level` blocks, from microsecond `start` on.
    pub(crate) fn at_level(problem: P, progress: &'a Progress, (level, start): (u32, u64)) -> Self {
        let bounds = vec![0; 1 << level];
        let pending = (0..1 << level).rev().collect();
        let (seeks_size, order, running, seconds) = (false, Vec::new(), 0, 0.0);
        let (best, proved, rates) = (None, 0, [Vec::new(), Vec::new()]);
        let state = BlockState {
            level,
            seeks_size,
            quarters: WHOLE,
            tree_first: false,
            rates,
            order,
            pending,
            running,
            seconds,
            bounds,
            proved,
            best,
        };
        let (start, due, state) = (AtomicU64::new(start), AtomicU64::new(0), Mutex::new(state));
        BlockBound { problem, progress, start, due, merged: AtomicBool::new(false), state }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BlockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the bound is poor.
    fn is_poor(&self) -> bool {
        let (cost, reported) = self.progress.read();
        cost.is_none_or(|cost| reported < cost / POOR_DIVISOR)
    }

    fn first_quarters(&self) -> u32 {
        if self.problem.proves_shares() { FIRST_SHARE } else { WHOLE }
    }

    fn search_share(&self) -> f64 {
        let table = self.problem.table();
        let many = table.items.len() * table.features.len() > MANY_NUMBERS;
        match self.merged.load(Ordering::Relaxed) {
            false if many => SEARCH_SHARE_OF_MANY,
            false if self.is_poor() => SEARCH_SHARES.0,
            _ => SEARCH_SHARES.1,
        }
    }

    /// Takes the next block. `None` if there is none now.
    fn take(&self) -> Option<TakenBlock> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let (reported, poor) = (self.progress.read().1, self.is_poor());
        let solved = state.pending.is_empty() && state.running == 0;
        let tried = solved || !poor || state.seconds > TRIAL;
        if state.level == 0 || (tried && reported > state.sum()) {
            // The search has a better bound.
            self.start.store(u64::MAX, Ordering::Relaxed);
            return None;
        }
        if solved && state.quarters < WHOLE {
            state.quarters += 1;
            state.pending = (0..1 << state.level).rev().collect();
        } else if solved {
            self.merged.store(true, Ordering::Relaxed);
            state.merge();
            if state.level == 0 {
                return None;
            }
        }
        let block = state.pending.pop()?;
        if state.order.is_empty() {
            let hashes = self.problem.table().hashes().into_iter().map(u64::reverse_bits);
            state.order = hashes.zip(0..).collect();
            state.order.sort_unstable();
        }
        state.running += 1;
        let BlockState { level, quarters, .. } = *state;
        let quarters = if std::mem::take(&mut state.tree_first) { WHOLE } else { quarters };
        Some(TakenBlock { level, number: block, quarters, items: state.items_of(block) })
    }

    /// Enters the solution of a block. Returns whether the block is pending again, unless the first
    /// size was still sought.
    fn enter(
        &self,
        block: &TakenBlock,
        (solved, seconds): (SolvedBlock, f64),
        elapsed: f64,
    ) -> bool {
        let TakenBlock { level, number, quarters, .. } = *block;
        let mut state = self.locked();
        state.running -= 1;
        state.seconds += seconds;
        let same = (level, quarters) == (state.level, state.quarters);
        let first_size = state.seeks_size;
        let is_pending = !solved.is_solved && same;
        if level >= state.level {
            // Blocks may have been merged since.
            let number = number & ((1 << state.level) - 1);
            state.bounds[number] = state.bounds[number].max(solved.bound);
            if is_pending {
                state.pending.push(number);
            }
        }
        if first_size && same {
            let rate = solved.bound as f64 / seconds.max(1e-6);
            let cost = self.progress.read().0.unwrap_or(UNBOUNDED);
            // Growing more slowly, a bound takes `LONG` times the elapsed time to reach the cost.
            let slow = cost as f64 / (LONG * elapsed);
            state.seek((rate, slow), solved.is_solved, self.first_quarters());
        }
        state.best = state.best.take().into_iter().chain(solved.tree).min_by_key(|(cost, _)| *cost);
        let cost = state.best.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost);
        self.progress.report(cost, state.sum());
        is_pending && !first_size
    }
}

impl BlockState {
    /// The lower bound on the cost of a tree of the table.
    fn sum(&self) -> Cost {
        self.bounds.iter().sum::<Cost>().max(self.proved)
    }

    /// The items of a block of this level, in increasing order.
    fn items_of(&self, block: usize) -> Vec<u32> {
        let (level, number) = (self.level, (block as u64).reverse_bits());
        let first_bits = |hash: u64| if level == 0 { 0 } else { hash >> (64 - level) };
        let begin = self.order.partition_point(|&(hash, _)| first_bits(hash) < first_bits(number));
        let of_block = self.order[begin..].iter();
        let of_block = of_block.take_while(|&&(hash, _)| first_bits(hash) == first_bits(number));
        let mut items: Vec<u32> = of_block.map(|&(_, item)| item).collect();
        items.sort_unstable();
        items
    }

    /// Takes note of the first block of this level with these quarters, which raised the bound by `rate`
    /// in a second. Goes on to larger blocks if they may raise it faster, otherwise to the level and the
    /// quarters that raised it fastest. Shares are worth while only if blocks are solved at a rate below
    /// `slow`.
    fn seek(&mut self, (rate, slow): (f64, f64), is_solved: bool, first_quarters: u32) {
        let share = usize::from(self.quarters < WHOLE);
        self.rates[share].push((self.level, rate));
        let fastest = [0, 1].map(|share| {
            let rates = self.rates[share].iter().copied();
            rates.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
        });
        let grows = |share: usize| {
            let last = self.rates[share].last();
            last.is_none_or(|&(_, rate)| rate >= SLOWER[share] * fastest[share].1)
        };
        if share == 1 && is_solved && grows(0) {
            self.quarters = WHOLE;
            return;
        }
        let shares_grow = first_quarters < WHOLE && grows(1);
        self.seeks_size = is_solved && self.level > 1 && (grows(0) || shares_grow);
        if self.seeks_size {
            self.quarters = first_quarters;
            self.merge();
            return;
        }
        let [solved, shares] = fastest;
        let shares_first = shares.1 >= FASTER * solved.1 && solved.1 < slow;
        self.quarters = if shares_first { FIRST_SHARE } else { WHOLE };
        self.tree_first = shares_first;
        let level = if shares_first { shares.0 } else { solved.0 };
        if level > self.level {
            // The bound of a block that is taken apart holds only for the whole table.
            self.proved = self.sum();
            self.level = level;
            self.bounds = vec![0; 1 << self.level];
        }
        self.pending = (0..1 << self.level).rev().collect();
    }

    /// Goes on to the blocks that consist of two blocks each.
    fn merge(&mut self) {
        let half = self.bounds.len() / 2;
        let pairs = self.bounds[..half].iter().zip(&self.bounds[half..]);
        self.bounds = pairs.map(|(first, second)| first + second).collect();
        self.level -= 1;
        self.pending = (0..half).rev().collect();
    }
}

impl<P: BlockProblem> BlockBound<'_, P> {
    /// Solves the next block; `false` if there is none now.
    fn solve_next(&self, clock: &Clock<'_>) -> bool {
        let begin = clock.seconds();
        if begin * 1e6 < self.start.load(Ordering::Relaxed) as f64 {
            return false;
        }
        let Some(block) = self.take() else { return false };
        let switch = StopSwitch::default();
        let slice = Duration::from_secs_f64((begin * SLICE_SHARE).max(MIN_SLICE));
        let cost = self.progress.read().0.filter(|_| block.quarters < WHOLE);
        let part = cost.map(|cost| cost / Cost::from(WHOLE) * Cost::from(block.quarters));
        let enough = part.map_or(UNBOUNDED, |part| part >> block.level);
        let solved = match block.items.is_empty() {
            true => SolvedBlock { bound: 0, is_solved: true, tree: None },
            false => {
                let clock = &clock.within(slice, &switch);
                self.problem.solve(block.level, &block.items, enough, clock)
            }
        };
        let end = clock.seconds();
        let seconds = end - begin;
        let is_pending = self.enter(&block, (solved, seconds), end);
        let share = self.search_share();
        self.due.fetch_max(((end + share * seconds) * 1e6) as u64, Ordering::Relaxed);
        if is_pending {
            self.start.fetch_max((2.0 * end * 1e6) as u64, Ordering::Relaxed);
        }
        true
    }
}

impl<P: BlockProblem> Background for BlockBound<'_, P> {
    fn step(&self, clock: &Clock<'_>, occupation: Occupation) -> bool {
        let begin = clock.seconds();
        let waits = |until: &AtomicU64| begin * 1e6 < until.load(Ordering::Relaxed) as f64;
        // The first incumbent comes first. Larger blocks take longer than a thread should wait.
        let busy = match occupation {
            Occupation::Searching => waits(&self.due) || self.progress.read().0.is_none(),
            Occupation::Waiting => self.merged.load(Ordering::Relaxed),
            Occupation::Idle => false,
        };
        if waits(&self.start) || busy {
            return false;
        }
        // A search of many rows polls so seldom that one block at each poll is too little.
        let searched = begin - self.due.load(Ordering::Relaxed) as f64 / 1e6;
        let (until, mut worked) = (begin + searched.max(0.0) / self.search_share(), false);
        while !clock.has_ended() && self.solve_next(clock) {
            worked = true;
            if occupation != Occupation::Searching || clock.seconds() >= until {
                break;
            }
        }
        worked
    }

    fn lower_bound(&self) -> Cost {
        self.locked().sum()
    }

    fn tree(&self) -> Option<CostedTree> {
        self.locked().best.clone()
    }
}
