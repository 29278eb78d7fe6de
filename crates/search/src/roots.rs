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
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rules of one feature, from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roots {
    /// Of the table, or of the layout.
    pub feature: u32,
    pub first: u32,
    pub last: u32,
    /// No tree whose root asks one of them costs less.
    pub lower: Cost,
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
}

/// What is known once the roots of a whole table were tried.
pub(crate) struct Tried {
    pub found: Option<(Cost, Arc<Tree>)>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub left: Vec<Roots>,
}

impl RootSearch {
    pub fn new(table: Table, request: Request, options: Options) -> Self {
        let layout = Layout::new(&table, &options, request.limits.min_rows);
        let binary = layout.binary(&options);
        let limit = request.memory_limit;
        let memos = if binary {
            let half = limit.map(|bytes| bytes / 2);
            (SharedMemo::new(half, request.threads), Counted::new(half, request.threads))
        } else {
            (SharedMemo::new(limit, request.threads), Counted::new(Some(0), 1))
        };
        RootSearch { table, layout, request, options, memos }
    }

    /// All rules that a root may ask; of those that are known to be equal there is one.
    pub fn roots(&self) -> Vec<Roots> {
        if self.layout.binary(&self.options) {
            let roots = binary_roots(&self.layout);
            return roots.iter().map(|roots| self.in_table(roots)).collect();
        }
        let all = |feature: &crate::layout::LaidFeature| Roots {
            feature: feature.index,
            first: 0,
            last: feature.values() as u32 - 2,
            lower: 0,
        };
        self.layout.features.iter().filter(|feature| feature.values() > 1).map(all).collect()
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
                search.run_roots(&request, &roots)
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
    fn run_roots(&mut self, request: &Request, roots: &[Roots]) -> (Outcome, Vec<Roots>) {
        let whole = Part::whole(self.layout);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let tried = self.best_of_roots(&whole, limits, upper, roots);
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
        roots: &[Roots],
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
        open.keep(roots);
        self.open_calls += 1;
        let (mut open, bracket) = self.tried(whole, limits, open, bracket);
        self.open_calls -= 1;
        let lower = open.lower().max(bracket.lower).min(leaf);
        let left = open
            .left(bracket.upper.saturating_sub(off(Mutant::RootsLeft)), &mut self.stats.discards);
        Tried { found: bracket.found, lower, left: disjoint(left, roots) }
    }
}

/// Lays sets of rules that may overlap, each inside one of `within`, side by side; what
/// several hold has the least of their lower bounds.
fn disjoint(mut sets: Vec<Roots>, within: &[Roots]) -> Vec<Roots> {
    sets.sort_by_key(|set| (set.feature, set.first));
    let mut apart: Vec<Roots> = Vec::new();
    for whole in within {
        let from =
            sets.partition_point(|set| (set.feature, set.first) < (whole.feature, whole.first));
        let until =
            sets.partition_point(|set| (set.feature, set.first) <= (whole.feature, whole.last));
        let mut least = vec![UNBOUNDED; (whole.last - whole.first + 1) as usize];
        for set in &sets[from..until] {
            for rank in set.first..=set.last {
                let least = &mut least[(rank - whole.first) as usize];
                *least = set.lower.min(*least);
            }
        }
        let start = apart.len();
        for (rank, lower) in (whole.first..).zip(least).filter(|(_, lower)| *lower < UNBOUNDED) {
            match apart[start..].last_mut() {
                Some(last) if last.last + 1 == rank && last.lower == lower => last.last = rank,
                _ => apart.push(Roots { first: rank, last: rank, lower, ..*whole }),
            }
        }
    }
    apart
}
