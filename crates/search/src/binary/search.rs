//! Start here: the search of tables of two-valued columns on one screen.
//!
//! As `best.rs` one storey up: `best` returns the least cost of a part within
//! limits, or a lower bound as soon as that is at least what its caller has. A node
//! counts all pairs of its rules once (`node.rs`); that solves depth two, orders
//! the rules, tells how far apart their sides are (`siblings.rs`), and halves the work
//! of counting below (`node.rs`). Parts with two levels left are solved by counts
//! alone (`two_levels.rs`).

use super::columns::{Columns, Source};
use super::lists::Lists;
use super::node::{Counts, Sides};
use super::part::Part;
use super::path_memo::PathMemo;
use super::team::SharedNode;
use crate::bits::Bits;
use crate::board::Board;
use crate::kernels::Level;
use crate::kernels::chunks::Lane;
use crate::limits::Clock;
use crate::memo::{Claim, Known, SharedMemo};
use crate::mutants::{Mutant, off};
use crate::options::Options;
use crate::roots::Told;
use crate::tracer::{Progress, Stats};
use exactree_model::{Cost, Errors, Limits, StoppedBy, Tree, UNBOUNDED};
use std::sync::Arc;

/// A tree and what it costs.
pub(crate) type Costed = (Cost, Arc<Tree>);

/// What a search of a part returns.
pub(crate) struct Answer {
    /// No tree within the limits costs less.
    pub lower: Cost,
    /// The best tree found, if it costs less than the caller asked for.
    pub tree: Option<Costed>,
}

/// What is known of a part while it is searched.
pub(crate) struct Bracket {
    /// To be beaten.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub found: Option<Costed>,
}

impl Bracket {
    pub fn improve(&mut self, cost: Cost, tree: impl FnOnce() -> Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.found = Some((cost, tree()));
        }
    }
}

/// One search over one table of two-valued columns.
pub(crate) struct BinarySearch<'a, L> {
    pub columns: &'a Columns,
    /// What each of these columns stands for.
    pub rules: &'a [Source],
    /// Where pairs are counted by lists.
    pub lists: Option<&'a Lists<'a>>,
    pub objective: Errors,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub memo: &'a SharedMemo,
    pub counted: &'a PathMemo,
    /// Where threads share what there is to do; none for one thread alone.
    pub board: Option<&'a Board<SharedNode<L>>>,
    /// What others tell a search of some roots; none for a search of all.
    pub told: Option<&'a Told>,
    pub level: Level,
    pub sides: Sides<L>,
    /// Counts that are not in use.
    pub spare: Vec<Counts<L>>,
    /// Nodes above a part at most whose rules are tried; see `deepening.rs`.
    pub expanded: usize,
    /// How many calls of `try_rules` are open; the outermost reports progress.
    pub open_calls: u32,
}

impl<L: Lane> BinarySearch<'_, L> {
    /// The best tree for a part within limits that costs less than `upper`, or
    /// the proof that there is none.
    pub fn best(&mut self, part: &Part, limits: Limits, upper: Cost) -> Answer {
        let limits = self.within_price(limits, upper);
        match self.remembered(&part.members, limits, upper) {
            Ok(answer) => answer,
            Err(known) => self.searched(part, limits, upper, known),
        }
    }

    /// The same where the memo has been asked before and knows too little.
    pub fn searched(&mut self, part: &Part, limits: Limits, upper: Cost, known: Known) -> Answer {
        let leaf = self.objective.leaf(part.leaf_errors());
        let mut bracket = Bracket { upper, lower: known.lower, found: None };
        bracket.improve(leaf, || Tree::leaf(part.leaf_class()));
        if let Some((cost, tree)) = known.tree {
            bracket.improve(cost, || tree);
        }
        self.stats.nodes += 1;
        let stopped = self.clock.stopped();
        let usable = usable(part, limits);
        let answer = if self.settled(part, usable, &mut bracket) || stopped {
            Answer { lower: bracket.lower, tree: bracket.found }
        } else {
            let before = self.stats.nodes;
            let answer = match usable.depth {
                0..=2 => self.two_levels(part, usable, bracket),
                _ => self.try_rules(part, usable, bracket),
            };
            let answer = Answer { lower: answer.lower.min(leaf), ..answer };
            self.claim(part, limits, answer, 1 + self.stats.nodes - before)
        };
        Answer { lower: answer.lower.min(leaf).min(self.ruled_out(upper)), ..answer }
    }

    /// No tree that `within_price` has ruled out costs less.
    fn ruled_out(&self, upper: Cost) -> Cost {
        if self.objective.leaf_price > 0 { upper } else { UNBOUNDED }
    }

    /// Limits without trees whose leaves alone cost `upper`. A limit on size that
    /// the price makes superfluous is dropped: then sides need not share it.
    pub fn within_price(&self, limits: Limits, upper: Cost) -> Limits {
        let paid = upper.saturating_sub(1 + off(Mutant::LeafBudget));
        let Some(leaves) = paid.checked_div(self.objective.leaf_price) else { return limits };
        let rules = leaves.saturating_sub(1).min(u32::MAX as u64) as u32;
        let size = if limits.size >= rules { u32::MAX } else { limits.size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// What is remembered of a part: the answer, if it settles the question.
    pub fn remembered(
        &mut self,
        members: &Bits,
        limits: Limits,
        upper: Cost,
    ) -> Result<Answer, Known> {
        if !self.options.memo || limits.leaf_only() {
            return Err(Known::default());
        }
        self.stats.memo_lookups += 1;
        let known = self.memo.known(members, &limits);
        let Known { lower, tree } = known.ok_or_else(Known::default)?;
        let tree = tree.filter(|(cost, _)| *cost < upper);
        if lower + off(Mutant::MemoBounds) < tree.as_ref().map_or(upper, |tree| tree.0) {
            return Err(Known { lower, tree });
        }
        let lower = lower + off(Mutant::MemoBounds);
        self.stats.memo_hits += 1;
        self.stats.discards.memo_bounds += tree.is_none() as u64;
        Ok(Answer { lower: lower.min(self.ruled_out(upper)), tree })
    }

    fn claim(&mut self, part: &Part, limits: Limits, answer: Answer, effort: u64) -> Answer {
        let exact = answer.tree.as_ref().is_some_and(|(cost, _)| *cost == answer.lower);
        if self.options.memo && (exact || self.options.memo_bounds) {
            let claim = Claim { limits, lower: answer.lower, tree: answer.tree.clone() };
            self.memo.insert(&part.members, claim, effort);
        }
        answer
    }

    /// Whether to unwind now. The outermost call also reports progress and
    /// minds the gap.
    pub fn must_stop(&self, bracket: &Bracket, lower: impl FnOnce() -> Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bracket, lower());
            if self.gives_back() {
                return true;
            }
        }
        self.clock.stopped()
    }

    /// Takes in what others have found; of the whole table.
    pub fn hear(&self, bracket: &mut Bracket) {
        bracket.upper = self.told.map_or(bracket.upper, |told| bracket.upper.min(told.upper()));
    }

    /// Whether to leave to others what has not been tried; of the whole table.
    pub fn gives_back(&self) -> bool {
        self.told.is_some_and(Told::is_back)
    }

    /// Shows how far the whole table is; stops the search if that is enough.
    pub fn report(&self, bracket: &Bracket, lower: Cost) {
        let cost = bracket.found.as_ref().map_or(UNBOUNDED, |found| found.0);
        self.progress.report(cost, lower.min(bracket.upper));
        if self.stop_at_gap > 0.0 && self.progress.gap() <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }
}

/// The limits that a tree of a part can use.
pub(crate) fn usable(part: &Part, limits: Limits) -> Limits {
    // No rule is asked twice on a path, and every rule has two non-empty sides, so
    // that a tree has fewer nodes than items: a size that allows as many is no
    // limit, here and on both sides.
    let rules = part.columns.rules.len() as u32;
    let items: u32 = part.columns.all.iter().map(|word| word.count_ones()).sum();
    let size = if limits.size >= items { u32::MAX } else { limits.size };
    Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
}
