//! Start here: the engine on one screen.
//!
//! `best` returns the least cost of a part within limits, or a lower bound as
//! soon as that is at least what its caller has already. With every switch of
//! `options.rs` off it is the dynamic programme of `spec/definition.py`: the
//! leaf, or any rule and the best of both sides.
//!
//! Where the verbs are: `remembered`, `claim` in `remember.rs`; `settled` in
//! `bounds.rs`; `answered_relaxed` in `relaxation.rs`; `small` in `small/`;
//! `in_order` in `order.rs`, the open intervals themselves in `intervals.rs`;
//! `try_threshold` in `sides.rs`; `together` in `team.rs`.

use crate::answer::{Answer, Bracket};
use crate::board::Board;
use crate::inherited::Inherited;
use crate::intervals::OpenIntervals;
use crate::kernels::Level;
use crate::layout::Layout;
use crate::limits::Clock;
use crate::memo::SharedMemo;
use crate::mutants::{Mutant, off};
use crate::options::Options;
use crate::part::{Part, Spare};
use crate::roots::Told;
use crate::small::all_thresholds::AllThresholds;
use crate::small::counts::CountRoom;
use crate::small::evaluator::Evaluators;
use crate::tracer::{Progress, Stats};
use crate::tried_node::{Kind, Node};
use exactree_model::{Cost, Errors, Limits, StoppedBy, UNBOUNDED};
use std::sync::Arc;

/// One search over one table.
pub struct Search<'a> {
    pub layout: &'a Layout,
    pub objective: Errors,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub(crate) memo: &'a SharedMemo,
    /// Where threads share what there is to do; none for one thread alone.
    pub(crate) board: Option<&'a Board<Node<Part>>>,
    /// What others tell a search of some roots; none for a search of all.
    pub(crate) told: Option<&'a Told>,
    pub(crate) level: Level,
    pub(crate) count_room: CountRoom,
    pub(crate) spare: Spare,
    /// None while they are in use.
    pub(crate) evaluators: Option<Box<Evaluators>>,
    pub(crate) all_thresholds: Option<Box<AllThresholds>>,
    /// Whether sides are solved beyond what is needed.
    pub(crate) reach: bool,
    /// How many calls of `best` are open; the outermost reports progress.
    pub(crate) open_calls: u32,
}

impl<'a> Search<'a> {
    /// A search that has done nothing yet.
    pub fn new(
        layout: &'a Layout,
        objective: Errors,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
        memo: &'a SharedMemo,
    ) -> Self {
        Search {
            layout,
            objective,
            options,
            clock,
            progress,
            stop_at_gap: 0.0,
            stats: Stats::default(),
            memo,
            board: None,
            told: None,
            level: Level::detect(options.wide_lanes),
            count_room: CountRoom::default(),
            spare: Spare::new(),
            evaluators: None,
            all_thresholds: None,
            reach: options.reach,
            open_calls: 0,
        }
    }
}

impl Search<'_> {
    /// The best tree for a part within limits that costs less than `upper`, or
    /// the proof that there is none.
    pub fn best(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let usable = self.usable(part, limits, upper);
        let answer = self.proved(part, usable, upper, inherited);
        // Trees that the price of leaves has ruled out cost `upper` or more.
        if self.objective.leaf_price > 0 { answer.at_most(upper) } else { answer }
    }

    fn proved(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let mut bracket = self.leaf(part, upper);
        if let Some(answer) = self.remembered(part, limits, &mut bracket) {
            return answer;
        }
        self.stats.nodes += 1;
        if self.clock.stopped() {
            return self.claim_bound(part, limits, bracket);
        }
        if self.settled(part, limits, &mut bracket) {
            return self.claim_bound(part, limits, bracket);
        }
        if let Some(answer) = self.answered_relaxed(part, limits, upper, &mut bracket) {
            return answer;
        }
        if limits.small() && self.options.depth_two {
            let answer = self.small(part, limits, bracket, inherited);
            return self.claim(part, limits, answer, 1);
        }
        let before = self.stats.nodes;
        let open = self.in_order(part, limits, &bracket, inherited);
        self.open_calls += 1;
        let (open, bracket) = self.tried(part, limits, open, bracket);
        self.open_calls -= 1;
        let answer = self.branch_answer(part, limits, open, inherited, bracket);
        self.claim(part, limits, answer, 1 + self.stats.nodes - before)
    }

    /// Tries thresholds until none is left that matters; with the help of
    /// threads that have nothing to do.
    pub(crate) fn tried(
        &mut self,
        part: &Part,
        limits: Limits,
        mut open: OpenIntervals,
        mut bracket: Bracket,
    ) -> (OpenIntervals, Bracket) {
        while !self.helpers_wait() {
            if self.open_calls == 1 {
                self.hear(&mut bracket);
            }
            let discards = &mut self.stats.discards;
            let Some(interval) = open.most_promising(bracket.upper, discards) else {
                return (open, bracket);
            };
            if self.must_stop(&bracket, interval.lower) {
                open.put_back(interval);
                return (open, bracket);
            }
            let trial = open.trial(interval, bracket.upper, self.reach);
            let tried = self.try_threshold(&trial, part, limits);
            tried.enter(trial, &mut open, &mut bracket);
        }
        self.together(part, limits, Kind::Sides, open, bracket)
    }

    /// The limits a tree of this part can use that costs less than `upper`.
    pub(crate) fn usable(&self, part: &Part, limits: Limits, upper: Cost) -> Limits {
        let mut size = limits.size;
        // A tree pays for one leaf more than it has nodes.
        if let Some(leaves) =
            upper.saturating_sub(1 + off(Mutant::LeafBudget)).checked_div(self.objective.leaf_price)
        {
            size = size.min(leaves.saturating_sub(1).min(u32::MAX as u64) as u32);
        }
        // Every rule has two non-empty sides: a tree has fewer nodes than items, and
        // a size that allows as many is no limit, here and on both sides.
        let rules = part.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let size = if size >= rules { u32::MAX } else { size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// Whether to unwind now. The outermost call also reports progress and
    /// minds the gap.
    fn must_stop(&self, bracket: &Bracket, lower: Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bracket, lower);
            if self.gives_back() {
                return true;
            }
        }
        self.clock.stopped()
    }

    /// Takes in what others have found; of the whole table.
    pub(crate) fn hear(&self, bracket: &mut Bracket) {
        bracket.upper = self.told.map_or(bracket.upper, |told| bracket.upper.min(told.upper()));
    }

    /// Whether to leave to others what has not been tried; of the whole table.
    pub(crate) fn gives_back(&self) -> bool {
        self.told.is_some_and(Told::is_back)
    }

    /// Shows how far the whole table is; stops the search if that is enough.
    pub(crate) fn report(&self, bracket: &Bracket, lower: Cost) {
        let cost = bracket.found.as_ref().map_or(UNBOUNDED, |found| found.0);
        self.progress.report(cost, lower.min(bracket.upper));
        if self.stop_at_gap > 0.0 && self.progress.gap() <= self.stop_at_gap {
            self.clock.stop(StoppedBy::Gap);
        }
    }
}
