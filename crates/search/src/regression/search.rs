//! Start here: the search for the least squared or absolute error on one screen.
//!
//! As `best.rs` for errors: `best` returns the least cost of a part within limits,
//! or a lower bound as soon as that is at least what its caller has already. Costs
//! are integers (`units.rs`), so all that compares them is shared with that search:
//! open intervals of thresholds, bounds handed to parts around, the memo.
//!
//! Least costs do not fall when items are added (restrict the better tree to fewer
//! items: neither the squares about a mean nor the absolute differences to a median
//! grow), so intervals and inherited bounds hold as they do for errors.
//!
//! *Neighbourhood.* An item that moves to the other side of a threshold costs nothing
//! there any more, and adds to a leaf here no more than it costs with the leaf's old
//! prediction. That lies between the least and the greatest target of the part, so it
//! adds at most its squared (or absolute) distance to the farther of the two. The sum of
//! these distances is the weight of a rule, for which `intervals.rs` has the argument.
//!
//! Where the verbs are: `settled`, `relaxed` in `bounds.rs`; `two_levels` in `two_levels.rs`;
//! `together` in `team.rs`; `counted` in `counted.rs`, `tried_columns` in `deep_columns.rs` and
//! `columns_together` in `columns_team.rs`, for rules as columns of bits.

use super::RegressionOptions;
use super::bounds::Promising;
use super::columns_team::ColumnsNode;
use super::counted::Room;
use super::ground::Ground;
use super::part::Part;
use crate::answer::{Answer, Bracket};
use crate::board::Board;
use crate::inherited::{Inherited, Known};
use crate::intervals::{DiscardSwitches, Edge, OpenIntervals, Trial, Tried};
use crate::kernels::Level;
use crate::limits::Clock;
use crate::memo::{Claim, SharedMemo};
use crate::mutants::{Mutant, off};
use crate::rules::Rules;
use crate::tracer::{Progress, Stats};
use crate::tried_node::{Kind, Node};
use exactree_model::{Cost, Limits, StoppedBy, Tree, UNBOUNDED};
use std::sync::Arc;

/// One search over one table.
pub(crate) struct Search<'a> {
    pub ground: &'a Ground,
    /// Of a leaf.
    pub price: Cost,
    pub options: &'a RegressionOptions,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub stop_at_gap: f64,
    pub stats: Stats,
    pub memo: &'a SharedMemo,
    /// Where threads share what there is to do; none for one thread alone.
    pub board: Option<&'a Board<Node<Part>>>,
    /// The same where rules are columns of bits.
    pub columns_board: Option<&'a Board<ColumnsNode>>,
    pub level: Level,
    pub room: Room,
    pub promising: Promising,
    /// How many calls of `best` are open; the outermost reports progress.
    pub open_calls: u32,
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
        if self.price > 0 { answer.at_most(upper) } else { answer }
    }

    fn proved(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let mut bracket = Bracket::above(upper);
        bracket.improve(self.leaf(part), Tree::leaf(0));
        if let Some(answer) = self.remembered(part, limits, &mut bracket) {
            return answer;
        }
        self.stats.nodes += 1;
        if self.settled(part, limits, &mut bracket) || self.clock.stopped() {
            return self.claim_bound(part, limits, bracket);
        }
        let relaxed = match self.relaxed(part, limits, upper, &mut bracket) {
            Ok(answer) => return self.claim(part, limits, answer, 1),
            Err(lower) => lower,
        };
        let before = self.stats.nodes;
        let answer = match limits.depth {
            _ if self.is_counted(limits) => self.counted(part, limits, bracket),
            _ if self.ground.columns.is_some() => self.tried_columns(part, limits, bracket),
            1 => self.one_level(part, limits, bracket),
            2 if self.options.two_levels => self.two_levels(part, limits, bracket, inherited),
            _ => self.tried(part, limits, bracket, inherited),
        };
        self.claim(part, limits, answer.at_least_too(relaxed), 1 + self.stats.nodes - before)
    }

    /// Tries thresholds until none is left that matters; with the help of threads that
    /// have nothing to do.
    fn tried(
        &mut self,
        part: &Part,
        limits: Limits,
        mut bracket: Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let mut open = self.in_order(part, limits, &bracket, inherited);
        self.open_calls += 1;
        loop {
            if self.helpers_wait() {
                (open, bracket) = self.together(part, limits, Kind::Sides, open, bracket);
                break;
            }
            let discards = &mut self.stats.discards;
            let Some(interval) = open.most_promising(bracket.upper, discards) else { break };
            if self.must_stop(&bracket, interval.lower) {
                open.put_back(interval);
                break;
            }
            let trial = open.trial(interval, bracket.upper, self.options.reach);
            let tried = self.try_threshold(&trial, part, limits);
            tried.enter(trial, &mut open, &mut bracket);
        }
        self.open_calls -= 1;
        self.branch_answer(part, limits, open, inherited, bracket)
    }

    /// Solves both sides of a threshold as far as they can stay below what is to be
    /// beaten, the larger side first: it is the likelier to end the matter.
    pub fn try_threshold(&mut self, trial: &Trial, part: &Part, limits: Limits) -> Tried {
        let Trial { interval, rule, upper, .. } = trial;
        let (left, right) = part.divide(self.ground, rule);
        let sides =
            [(&left, limits.side(interval.share.0)), (&right, limits.side(interval.share.1))];
        let edges = [&interval.before, &interval.after];
        let mut answers = [0, 1].map(|at| {
            let (side, limits) = sides[at];
            Answer::at_least(self.floor(side, limits).max(self.edge(edges[at])))
        });
        let first = usize::from(left.count < right.count);
        for at in [first, 1 - first] {
            let other = answers[1 - at].relaxed;
            if answers[at].relaxed + other >= *upper {
                break;
            }
            let (side, limits) = sides[at];
            let found = self.best(side, limits, upper - other, edges[at].by_threshold.as_ref());
            answers[at] = found.at_least_too(answers[at].relaxed);
        }
        let [left, right] = answers;
        let lower = left.lower.saturating_add(right.lower).min(UNBOUNDED);
        let tree = left.tree.zip(right.tree).map(|((left_cost, left), (right_cost, right))| {
            (left_cost + right_cost, Tree::node(rule.feature as u32, rule.rank, left, right))
        });
        let known = Known {
            feature: rule.feature,
            rank: rule.rank,
            left: left.relaxed,
            right: right.relaxed,
        };
        let total = left.relaxed.saturating_add(right.relaxed);
        // Sides farther out lie inside these, so what they tell holds as well.
        let edge = |side, told: Option<Arc<Inherited>>, beyond: &Edge| Edge {
            side,
            total,
            at: rule.weight,
            notes: None,
            by_threshold: told.or_else(|| beyond.by_threshold.clone()),
        };
        let left = edge(left.relaxed, left.by_threshold, &interval.before);
        let right = edge(right.relaxed, right.by_threshold, &interval.after);
        Tried { sides: Some((left, right)), lower, tree, known: vec![known] }
    }

    /// What the neighbouring threshold says of this side.
    pub fn edge(&self, edge: &Edge) -> Cost {
        let seeded = off(Mutant::RegressionIntervals) * (edge.side / 8);
        if self.options.intervals { edge.side + seeded } else { 0 }
    }

    /// The intervals of all features and shares of the size, least lower bound first.
    pub fn in_order(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> OpenIntervals {
        let neighbourhood = self.options.neighbourhood && part.reaches(self.ground);
        let switches =
            DiscardSwitches { intervals: self.options.intervals, neighbourhood, error_price: 1 };
        let features = self.ground.features.len();
        let rules = (0..features).map(|_| Rules::default()).collect();
        let mut open = OpenIntervals::new(rules, switches);
        let nothing = Inherited::default();
        let inherited = inherited.map_or(&nothing, |inherited| inherited);
        for feature in 0..features {
            open.rules[feature] = part.rules(self.ground, feature, neighbourhood);
            for stretch in inherited.stretches(feature) {
                let seeded = off(Mutant::RegressionFeatureBounds) * (stretch.lower() / 8);
                let lower = (stretch.lower() + seeded).max(bracket.lower);
                if lower >= bracket.upper {
                    open.close(feature, lower);
                    self.stats.discards.feature_bounds += 1;
                    continue;
                }
                for share in limits.shares() {
                    open.open(&stretch, share, lower, part.rows, limits.min_rows);
                }
            }
        }
        open
    }

    /// The limits a tree of this part can use that costs less than `upper`.
    pub fn usable(&self, part: &Part, limits: Limits, upper: Cost) -> Limits {
        let mut size = limits.size;
        // A tree pays for one leaf more than it has nodes.
        let paid = upper.saturating_sub(1 + off(Mutant::RegressionLeafBudget) * self.price);
        if let Some(leaves) = paid.checked_div(self.price) {
            size = size.min(leaves.saturating_sub(1).min(u32::MAX as u64) as u32);
        }
        // Every rule has two non-empty sides: a tree has fewer nodes than items, and
        // a size that allows as many is no limit, here and on both sides.
        let rules = part.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let size = if size >= rules { u32::MAX } else { size };
        Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
    }

    /// What is remembered of a part, if it settles the question.
    fn remembered(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> Option<Answer> {
        if !self.options.memo || limits.leaf_only() {
            return None;
        }
        self.stats.memo_lookups += 1;
        let known = self.memo.known(&part.members, &limits)?;
        let lower = known.lower + off(Mutant::RegressionMemo) * (1 + known.lower / 8);
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.memo.known(&part.members, &limits.relaxed()).map_or(0, |known| known.lower),
        };
        if let Some((cost, tree)) = known.tree {
            bracket.improve(cost, tree);
        }
        bracket.lower = bracket.lower.max(lower);
        if lower < bracket.upper {
            return None;
        }
        self.stats.memo_hits += 1;
        self.stats.discards.memo_bounds += bracket.found.is_none() as u64;
        Some(Answer { lower, relaxed, tree: bracket.found.take(), by_threshold: None })
    }

    /// Remembers an answer and passes it on.
    pub fn claim(&mut self, part: &Part, limits: Limits, answer: Answer, effort: u64) -> Answer {
        if self.options.memo {
            let claim = Claim { limits, lower: answer.lower, tree: answer.tree.clone() };
            self.memo.insert(&part.members, claim, effort);
            if limits.min_rows > 1 {
                let claim = Claim { limits: limits.relaxed(), lower: answer.relaxed, tree: None };
                self.memo.insert(&part.members, claim, effort);
            }
        }
        answer
    }

    /// The answer of a part settled by bounds alone.
    fn claim_bound(&mut self, part: &Part, limits: Limits, bracket: Bracket) -> Answer {
        let lower = bracket.lower;
        self.at_least(part, limits, lower, bracket)
    }

    /// The answer of a part of which a lower bound is known; without the demand on rows
    /// that bound says nothing.
    pub fn at_least(&self, part: &Part, limits: Limits, lower: Cost, bracket: Bracket) -> Answer {
        let lower = lower.min(self.leaf(part));
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()).min(lower),
        };
        Answer { lower, relaxed, tree: bracket.found, by_threshold: None }
    }

    /// The answer of a part after its intervals were tried or put back.
    pub fn branch_answer(
        &self,
        part: &Part,
        limits: Limits,
        open: OpenIntervals,
        inherited: Option<&Arc<Inherited>>,
        bracket: Bracket,
    ) -> Answer {
        let lower = open.lower().max(bracket.lower).min(self.leaf(part));
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()).min(lower),
        };
        let all_levels = limits.shares().len() == 1 && self.price == 0;
        let by_threshold = (self.options.feature_bounds && all_levels)
            .then(|| Inherited::with(inherited, open.known));
        Answer { lower, relaxed, tree: bracket.found, by_threshold }
    }

    /// What a leaf costs.
    pub fn leaf(&self, part: &Part) -> Cost {
        part.leaf + self.price
    }

    /// Whether to unwind now. The outermost call also reports progress and
    /// minds the gap.
    pub fn must_stop(&self, bracket: &Bracket, lower: Cost) -> bool {
        if self.open_calls == 1 {
            self.report(bracket, lower);
        }
        self.clock.stopped()
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
