//! A search whose root may ask some rules only, and what it leaves open: what workers share.
//!
//! Every tree is a leaf, or its root asks a rule. A search of some root rules tries those and
//! no others, so all that it shows of sides, and what the memo keeps of them, holds for the whole
//! table as well; only what it shows of the whole table does not, and is not remembered.
//!
//! *What is left open* is a rule of which no trial has shown that its trees cost what is to be
//! beaten: a rule that was not tried, and one whose trial was stopped.
//!
//! *Told from outside* is what is to be beaten by now, which may be less than what this search
//! has found: then it proves that none of its rules does better than that.

#[cfg(test)]
mod differential;

use crate::best::Search;
use crate::binary::{Counted, Shared, binary_roots, solve_binary_roots};
use crate::board::Board;
use crate::intervals::Evaluated;
use crate::layout::Layout;
use crate::limits::Clock;
use crate::memo::SharedMemo;
use crate::mutants::{Mutant, off};
use crate::options::Options;
use crate::part::Part;
use crate::solve::{Request, Solved};
use crate::threads::with_helpers;
use crate::tracer::Progress;
use exactree_model::{Cost, Limits, Outcome, Table, Tree, UNBOUNDED};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rules of one feature, from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roots {
    /// Of the table, or of the layout.
    pub feature: u32,
    pub first: u32,
    pub last: u32,
    /// No tree whose root asks one of them costs less.
    pub lower: Cost,
    /// No left side of one of them costs less, and no right side; without a demand on rows.
    pub left: Cost,
    pub right: Cost,
}

impl Roots {
    /// Rules of which nothing is known.
    pub fn new(feature: u32, first: u32, last: u32) -> Self {
        Roots { feature, first, last, lower: 0, left: 0, right: 0 }
    }
}

/// What a search is told while it runs.
#[derive(Debug)]
pub struct Told {
    upper: AtomicU64,
    back: AtomicBool,
}

impl Default for Told {
    fn default() -> Self {
        Told { upper: AtomicU64::new(UNBOUNDED), back: AtomicBool::new(false) }
    }
}

impl Told {
    /// Trees that cost as much are of no use any more.
    pub fn beat(&self, cost: Cost) {
        self.upper.fetch_min(cost, Ordering::Relaxed);
    }

    /// Asks for what is not done, after the rule that is being tried.
    pub fn give_back(&self) {
        self.back.store(true, Ordering::Relaxed);
    }

    pub(crate) fn upper(&self) -> Cost {
        self.upper.load(Ordering::Relaxed)
    }

    pub(crate) fn is_back(&self) -> bool {
        self.back.load(Ordering::Relaxed)
    }
}

/// A table laid out once for searches of some of its roots; they share what they remember.
pub struct RootSearch {
    pub table: Table,
    layout: Layout,
    request: Request,
    options: Options,
    memos: (SharedMemo, Counted),
    /// What was shown at root thresholds; not of two-valued columns.
    evaluated: Mutex<Evaluated>,
}

/// What is known once the roots of a whole table were tried.
pub(crate) struct Tried {
    pub found: Option<(Cost, Arc<Tree>)>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub left: Vec<Roots>,
}

impl RootSearch {
    /// None if it was to stop meanwhile.
    pub fn unless(
        stopped: &dyn Fn() -> bool,
        table: Table,
        request: Request,
        options: Options,
    ) -> Option<Self> {
        let lay_out = || Layout::unless(stopped, &table, &options, request.limits.min_rows);
        let layout = table.is_read().then(lay_out).flatten()?;
        let binary = layout.binary(&options);
        let limit = request.memory_limit;
        let memos = if binary {
            let half = limit.map(|bytes| bytes / 2);
            (SharedMemo::new(half, request.threads), Counted::new(half, request.threads))
        } else {
            (SharedMemo::new(limit, request.threads), Counted::new(Some(0), 1))
        };
        Some(RootSearch { table, layout, request, options, memos, evaluated: Mutex::default() })
    }

    /// All rules that a root may ask; of those that are known to be equal there is one.
    pub fn roots(&self) -> Vec<Roots> {
        if self.layout.binary(&self.options) {
            let roots = binary_roots(&self.layout);
            return roots.iter().map(|roots| self.in_table(roots)).collect();
        }
        let features = self.layout.features.iter().filter(|feature| feature.values > 1);
        features.map(|f| Roots::new(f.index, 0, f.values as u32 - 2)).collect()
    }

    /// The best tree that costs less than `below` and whose root asks one of these rules, as
    /// far as the clock allows; with a greedy tree to begin with if there is none yet.
    pub fn run(
        &self,
        roots: &[Roots],
        (below, begin): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        told: &Told,
    ) -> (Solved, Vec<Roots>) {
        let options =
            Options { incumbent: self.options.incumbent && begin, ..self.options.clone() };
        let request = Request { below, ..self.request.clone() };
        let roots = self.in_layout(roots);
        let ((outcome, left), mut stats) = if self.layout.binary(&options) {
            let (layout, request, options, memos) = (&self.layout, &request, &options, &self.memos);
            let told = Some(told);
            let shared = Shared { layout, request, options, clock, progress, told, memos };
            let (tried, stats) = solve_binary_roots(&shared, &roots);
            let search = self.search(request, options, clock, progress);
            ((search.outcome(tried.found, tried.lower, request), tried.left), stats)
        } else {
            let board = Board::new();
            let searcher = || {
                let mut search = self.search(&request, &options, clock, progress);
                search.board = (request.threads > 1).then_some(&board);
                search.told = Some(told);
                search
            };
            with_helpers(request.threads - 1, &board, &searcher, |search| {
                search.run_roots(&request, &roots, &self.evaluated)
            })
        };
        stats.seconds = clock.seconds();
        (Solved { outcome, stats }, left.iter().map(|roots| self.in_table(roots)).collect())
    }

    fn search<'a>(
        &'a self,
        request: &Request,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> Search<'a> {
        Search::new(&self.layout, request.objective, options, clock, progress, &self.memos.0)
    }

    /// The same with features of the layout. One that is not searched there has the rules of
    /// another feature, of which the same holds.
    fn in_layout(&self, roots: &[Roots]) -> Vec<Roots> {
        let place = |index: u32| self.layout.features.iter().position(|f| f.index == index);
        let laid = |roots: &Roots| Some(Roots { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(laid).collect()
    }

    fn in_table(&self, roots: &Roots) -> Roots {
        Roots { feature: self.layout.features[roots.feature as usize].index, ..*roots }
    }
}

impl Search<'_> {
    fn run_roots(
        &mut self,
        request: &Request,
        roots: &[Roots],
        evaluated: &Mutex<Evaluated>,
    ) -> (Outcome, Vec<Roots>) {
        let whole = Part::whole(self.layout);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let tried = self.best_of_roots(&whole, limits, upper, (roots, evaluated));
        let stats = &mut self.stats;
        (stats.memo_entries, stats.memo_bytes, stats.memo_evicted) = self.memo.counts();
        (self.outcome(tried.found.or(found), tried.lower, request), tried.left)
    }

    /// The best tree for the whole table that costs less than `upper` and whose root asks one
    /// of these rules. Trees of two levels are searched all at once.
    fn best_of_roots(
        &mut self,
        whole: &Part,
        limits: Limits,
        upper: Cost,
        (roots, evaluated): (&[Roots], &Mutex<Evaluated>),
    ) -> Tried {
        let limits = self.usable(whole, limits, upper);
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bracket = self.leaf(whole, upper);
        self.stats.nodes += 1;
        if self.settled(whole, limits, &mut bracket) {
            return Tried {
                found: bracket.found,
                lower: bracket.lower.min(leaf),
                left: Vec::new(),
            };
        }
        if limits.small() && self.options.depth_two {
            let answer = self.small(whole, limits, bracket, None);
            let proved = answer.lower >= answer.tree.as_ref().map_or(upper, |tree| tree.0);
            let left = if proved { Vec::new() } else { roots.to_vec() };
            return Tried { found: answer.tree, lower: answer.lower, left };
        }
        let mut open = self.in_order(whole, limits, &bracket, None);
        let one_way = limits.shares().len() == 1;
        open.keep(roots, one_way.then_some(&*lock(evaluated)));
        self.open_calls += 1;
        let (mut open, bracket) = self.tried(whole, limits, open, bracket);
        self.open_calls -= 1;
        let lower = open.lower().max(bracket.lower).min(leaf);
        let upper = bracket.upper.saturating_sub(off(Mutant::RootsLeft));
        let discards = &mut self.stats.discards;
        let left = open.left(upper, one_way.then_some(&mut *lock(evaluated)), discards);
        Tried { found: bracket.found, lower, left: disjoint(left, roots) }
    }
}

/// What was evaluated is whole between two changes, so a panic elsewhere does not matter.
fn lock(evaluated: &Mutex<Evaluated>) -> MutexGuard<'_, Evaluated> {
    evaluated.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lays sets of rules that may overlap, each inside one of `within`, side by side; what
/// several hold has the least of their lower bounds.
fn disjoint(mut sets: Vec<Roots>, within: &[Roots]) -> Vec<Roots> {
    sets.sort_by_key(|set| (set.feature, set.first));
    let mut apart: Vec<Roots> = Vec::new();
    for whole in within {
        let key = |set: &Roots| (set.feature, set.first);
        let from = sets.partition_point(|set| key(set) < (whole.feature, whole.first));
        let until = sets.partition_point(|set| key(set) <= (whole.feature, whole.last));
        let mut least = vec![[UNBOUNDED; 3]; (whole.last - whole.first + 1) as usize];
        for set in &sets[from..until] {
            for rank in set.first..=set.last {
                let least = &mut least[(rank - whole.first) as usize];
                let bounds = [set.lower, set.left, set.right];
                least.iter_mut().zip(bounds).for_each(|(least, bound)| *least = bound.min(*least));
            }
        }
        let start = apart.len();
        for (rank, bounds) in (whole.first..).zip(least).filter(|(_, least)| least[0] < UNBOUNDED) {
            let [lower, left, right] = bounds;
            match apart[start..].last_mut() {
                Some(set) if set.last + 1 == rank && [set.lower, set.left, set.right] == bounds => {
                    set.last = rank;
                }
                _ => apart.push(Roots { first: rank, last: rank, lower, left, right, ..*whole }),
            }
        }
    }
    apart
}
