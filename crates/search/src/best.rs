//! Start here: the engine on one screen.
//!
//! `best` returns the least cost of a part within limits, or a lower bound as
//! soon as that is at least what its caller has already. With every switch of
//! `options.rs` off it is the dynamic programme of `spec/definition.py`: the
//! leaf, or any rule and the best of both sides.
//!
//! Each verb is found in the file of its name, or below: `settled` in
//! `bounds.rs`, `small` in `small/`, open intervals in `intervals.rs`, what is
//! remembered in `memo.rs`.

use crate::intervals::{Edge, Interval, OpenIntervals, Rules};
use crate::kernels::Level;
use crate::layout::Layout;
use crate::limits::Clock;
use crate::memo::{Claim, Known, Memo};
use crate::options::Options;
use crate::part::Part;
use crate::small::counts::CountRoom;
use crate::tracer::{Progress, Stats};
use exactree_model::{Cost, Errors, Limits, StoppedBy, Tree, UNBOUNDED};
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
    pub(crate) memo: Memo,
    pub(crate) level: Level,
    pub(crate) count_room: CountRoom,
    /// How many calls of `best` are open; the outermost reports progress.
    pub(crate) open_calls: u32,
}

/// What a search of a part returns.
#[derive(Clone, Debug)]
pub struct Answer {
    /// No tree within the limits costs less.
    pub lower: Cost,
    /// No tree within the relaxed limits (no demand on rows) costs less.
    pub relaxed: Cost,
    /// The best tree found, if it costs less than the caller asked for. It is
    /// proved best when its cost equals `lower`.
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// Lower bounds for this part and every larger one, by root feature.
    pub by_feature: Option<Arc<[Cost]>>,
}

/// What is known of a part while it is searched.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// To be beaten: the incumbent of this part or what the caller has.
    pub upper: Cost,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub found: Option<(Cost, Arc<Tree>)>,
}

impl Search<'_> {
    /// The best tree for a part within limits that costs less than `upper`, or
    /// the proof that there is none.
    pub fn best(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        inherited: Option<&Arc<[Cost]>>,
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
        inherited: Option<&Arc<[Cost]>>,
    ) -> Answer {
        let mut bracket = self.leaf(part, upper);
        if let Some(answer) = self.remembered(part, limits, &mut bracket) {
            return answer;
        }
        self.stats.nodes += 1;
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
        let mut open = self.in_order(part, limits, &bracket, inherited);
        self.open_calls += 1;
        while let Some(interval) = open.most_promising(bracket.upper, &mut self.stats.discards) {
            if self.must_stop(&bracket, interval.lower) {
                open.put_back(interval);
                break;
            }
            self.try_interval(interval, part, limits, &mut open, &mut bracket);
        }
        self.open_calls -= 1;
        let answer = self.branch_answer(part, limits, &open, bracket);
        self.claim(part, limits, answer, 1 + self.stats.nodes - before)
    }

    /// The limits a tree of this part can use that costs less than `upper`.
    fn usable(&self, part: &Part, limits: Limits, upper: Cost) -> Limits {
        let rules = part.count.saturating_sub(1).min(u32::MAX as usize) as u32;
        let mut size = limits.size.min(rules);
        // A tree pays for one leaf more than it has nodes.
        if let Some(leaves) = upper.saturating_sub(1).checked_div(self.objective.leaf_price) {
            size = size.min(leaves.saturating_sub(1).min(u32::MAX as u64) as u32);
        }
        Limits { size, ..limits }.normalised()
    }

    /// The leaf as first incumbent.
    fn leaf(&self, part: &Part, upper: Cost) -> Bracket {
        let mut bracket = Bracket::above(upper);
        let class = Errors::leaf_class(&part.class_weights);
        bracket.improve(self.objective.leaf(part.leaf_errors()), Tree::leaf(class));
        bracket
    }

    /// The intervals of all features and shares of the size, least lower bound
    /// first. A feature whose inherited bound is no better than the incumbent
    /// is not opened at all.
    pub(crate) fn in_order(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &Bracket,
        inherited: Option<&Arc<[Cost]>>,
    ) -> OpenIntervals {
        let features = 0..self.layout.features.len();
        let sound = limits.min_rows == 1 || self.options.relaxation;
        let rules = Rules {
            intervals: self.options.intervals && sound,
            neighbourhood: self.options.neighbourhood && sound,
            error_price: self.objective.error_price,
        };
        let cuts = features.clone().map(|feature| part.cuts(self.layout, feature)).collect();
        let mut open = OpenIntervals::new(cuts, rules);
        for feature in features {
            let lower = inherited.map_or(0, |bounds| bounds[feature]).max(bracket.lower);
            if lower >= bracket.upper {
                self.stats.discards.feature_bounds += 1;
                open.close(feature, lower);
                continue;
            }
            for share in limits.shares() {
                open.open(feature, share, lower, part.rows, limits.min_rows);
            }
        }
        open
    }

    /// Evaluates the middle threshold of an interval and puts its halves back.
    fn try_interval(
        &mut self,
        interval: Interval,
        part: &Part,
        limits: Limits,
        open: &mut OpenIntervals,
        bracket: &mut Bracket,
    ) {
        let middle = open.middle(&interval);
        let cut = open.cuts[interval.feature][middle];
        let reach = if self.options.reach { open.reach(&interval, middle) } else { 0 };
        let upper = bracket.upper.saturating_add(reach * self.objective.error_price).min(UNBOUNDED);
        let (left, right) = self.solve_sides(part, limits, &interval, &cut, upper);
        let lower = self.objective.join(left.lower, right.lower);
        let total = Some((self.objective.join(left.relaxed, right.relaxed), cut.weight));
        if let (Some((left_cost, left)), Some((right_cost, right))) = (left.tree, right.tree) {
            let cost = self.objective.join(left_cost, right_cost);
            bracket.improve_with_node(cost, interval.feature, cut.rank, left, right);
        }
        let edge = |side, by_feature| Edge { side, total, by_feature };
        let left_edge = edge(left.relaxed, left.by_feature);
        let right_edge = edge(right.relaxed, right.by_feature);
        open.halve(interval, middle, left_edge, right_edge, lower);
    }

    /// Solves both sides of a threshold as far as they can stay below `upper`
    /// together, the larger side first: it is the likelier to end the matter.
    fn solve_sides(
        &mut self,
        part: &Part,
        limits: Limits,
        interval: &Interval,
        cut: &crate::part::Cut,
        upper: Cost,
    ) -> (Answer, Answer) {
        let (left, right) = part.split(self.layout, interval.feature, cut);
        let (left_limits, right_limits) =
            (limits.side(interval.share.0), limits.side(interval.share.1));
        let mut left_answer =
            Answer::at_least(self.floor(&left, left_limits).max(self.edge(&interval.before)));
        let mut right_answer =
            Answer::at_least(self.floor(&right, right_limits).max(self.edge(&interval.after)));
        let left_first = left.weight >= right.weight;
        for solve_left in [left_first, !left_first] {
            let (side, side_limits, edge) = match solve_left {
                true => (&left, left_limits, &interval.before),
                false => (&right, right_limits, &interval.after),
            };
            let (answer, other) = match solve_left {
                true => (&mut left_answer, right_answer.relaxed),
                false => (&mut right_answer, left_answer.relaxed),
            };
            if answer.relaxed + other >= upper {
                break;
            }
            let found = self.best(side, side_limits, upper - other, edge.by_feature.as_ref());
            *answer = found.at_least_too(answer.relaxed);
        }
        (left_answer, right_answer)
    }

    /// What the neighbouring threshold says of this side; the same argument as
    /// for whole intervals, so it goes with that switch.
    fn edge(&self, edge: &Edge) -> Cost {
        if self.options.intervals { edge.side } else { 0 }
    }

    /// With a demand on rows per leaf, first searches without it: the relaxed
    /// cost is a lower bound, and a relaxed tree whose leaves hold enough rows
    /// is the answer.
    fn answered_relaxed(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        bracket: &mut Bracket,
    ) -> Option<Answer> {
        // The depth-two solvers bound themselves in the same way, inside.
        let inside = limits.small() && self.options.depth_two;
        if limits.min_rows == 1 || !self.options.relaxation || inside {
            return None;
        }
        let relaxed = self.best(part, limits.relaxed(), upper, None);
        bracket.lower = bracket.lower.max(relaxed.lower);
        let allowed = |tree: &Tree| self.least_rows(part, tree) >= limits.min_rows;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == relaxed.lower && allowed(tree));
        if exact.is_none() && relaxed.lower < bracket.upper {
            return None;
        }
        self.stats.discards.relaxation += 1;
        let answer =
            Answer { tree: exact.or(bracket.found.take()), ..Answer::at_least(relaxed.lower) };
        Some(self.claim(part, limits, answer, 1))
    }

    /// What is remembered of a part, if it settles the question; otherwise it
    /// goes into the bracket.
    fn remembered(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> Option<Answer> {
        if !self.options.memo || limits.leaf_only() {
            return None;
        }
        self.stats.memo_lookups += 1;
        let Known { lower, tree } = self.memo.known(&part.members, &limits)?;
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.memo.known(&part.members, &limits.relaxed()).map_or(0, |known| known.lower),
        };
        if let Some((cost, tree)) = tree {
            bracket.improve(cost, tree);
        }
        // The bound of a claim covers the leaf as well; as a bound on trees
        // with an inner root it holds all the more.
        bracket.lower = bracket.lower.max(lower);
        if lower < bracket.upper {
            return None;
        }
        self.stats.memo_hits += 1;
        self.stats.discards.memo_bounds += bracket.found.is_none() as u64;
        Some(Answer { lower, relaxed, tree: bracket.found.take(), by_feature: None })
    }

    /// The answer of a part settled by bounds alone.
    fn claim_bound(&mut self, part: &Part, limits: Limits, bracket: Bracket) -> Answer {
        let lower = bracket.lower.min(self.objective.leaf(part.leaf_errors()));
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()).min(lower),
        };
        Answer { lower, relaxed, tree: bracket.found, by_feature: None }
    }

    /// The answer of a part after its intervals were tried or put back.
    fn branch_answer(
        &self,
        part: &Part,
        limits: Limits,
        open: &OpenIntervals,
        bracket: Bracket,
    ) -> Answer {
        let leaf = self.objective.leaf(part.leaf_errors());
        let lower = open.lower().max(bracket.lower).min(leaf);
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()),
        };
        Answer { lower, relaxed, tree: bracket.found, by_feature: None }
    }

    /// Remembers an answer and passes it on.
    fn claim(&mut self, part: &Part, limits: Limits, answer: Answer, effort: u64) -> Answer {
        let exact = answer.tree.as_ref().is_some_and(|(cost, _)| *cost == answer.lower);
        if self.options.memo && (exact || self.options.memo_bounds) {
            let claim = Claim { limits, lower: answer.lower, tree: answer.tree.clone() };
            self.memo.insert(&part.members, claim, effort);
            if limits.min_rows > 1 && self.options.memo_bounds {
                let claim = Claim { limits: limits.relaxed(), lower: answer.relaxed, tree: None };
                self.memo.insert(&part.members, claim, effort);
            }
        }
        answer
    }

    /// Whether to unwind now. The outermost call also reports progress and
    /// minds the gap.
    fn must_stop(&mut self, bracket: &Bracket, lower: Cost) -> bool {
        if self.open_calls == 1 {
            let lower = lower.min(bracket.upper);
            self.progress.report(bracket.found.as_ref().map_or(UNBOUNDED, |found| found.0), lower);
            let gap = (bracket.upper - lower) as f64 / bracket.upper.max(1) as f64;
            if self.stop_at_gap > 0.0 && bracket.found.is_some() && gap <= self.stop_at_gap {
                self.clock.stop(StoppedBy::Gap);
            }
        }
        self.clock.stopped()
    }
}

impl Bracket {
    pub fn above(upper: Cost) -> Self {
        Bracket { upper, lower: 0, found: None }
    }

    /// Takes a tree as incumbent if it is cheaper than what must be beaten.
    pub fn improve(&mut self, cost: Cost, tree: Arc<Tree>) {
        if cost < self.upper {
            self.upper = cost;
            self.found = Some((cost, tree));
        }
    }

    pub fn improve_with_node(
        &mut self,
        cost: Cost,
        feature: usize,
        rank: u32,
        left: Arc<Tree>,
        right: Arc<Tree>,
    ) {
        if cost < self.upper {
            self.improve(cost, Tree::node(feature as u32, rank, left, right));
        }
    }
}

impl Answer {
    /// Only a lower bound, with or without a demand on rows.
    pub fn at_least(lower: Cost) -> Self {
        Answer { lower, relaxed: lower, tree: None, by_feature: None }
    }

    /// The same answer with no lower bound above `upper`.
    fn at_most(mut self, upper: Cost) -> Self {
        self.lower = self.lower.min(upper);
        self.relaxed = self.relaxed.min(upper);
        self.by_feature =
            self.by_feature.map(|bounds| bounds.iter().map(|&bound| bound.min(upper)).collect());
        self
    }

    /// The same answer with another lower bound that holds as well.
    fn at_least_too(mut self, relaxed: Cost) -> Self {
        self.relaxed = self.relaxed.max(relaxed);
        self.lower = self.lower.max(self.relaxed);
        self
    }
}
