//! Depth two by evaluating root thresholds, most promising intervals first.
//!
//! For tables whose features have many values. The same discards as at deeper
//! nodes, with the stump kernel in place of a search.

use super::Root;
use super::evaluator::{self, Between, Evaluated, Evaluator, Evaluators, Right};
use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::inherited::{Inherited, Known};
use crate::intervals::{Edge, Interval, OpenIntervals, Trial, Tried};
use crate::mutants::{Mutant, off};
use crate::part::{Part, Rule};
use crate::tried_node::Kind;
use exactree_model::{Cost, Limits, Tree, Weight};
use std::sync::Arc;

/// Numbers in a part from which on an evaluation takes a tenth of a millisecond
/// or more.
const SHARED: usize = 1 << 17;

/// Evaluations between two looks at the clock: the shortest take as long as ten.
const CLOCKED: u64 = 8;

/// The best root so far: cheaper than what is to be beaten.
struct BestRoot {
    upper: Cost,
    /// With the features of its stumps, where they are known.
    root: Option<(Root, Option<[usize; 2]>)>,
}

impl BestRoot {
    fn improve(&mut self, root: Root, features: Option<[usize; 2]>) {
        if root.cost < self.upper {
            self.upper = root.cost;
            self.root = Some((root, features));
        }
    }
}

impl Search<'_> {
    /// Answers a part with two levels left.
    pub(crate) fn sweep_roots(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &mut Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let mut open = self.in_order(part, limits, bracket, inherited);
        let mut evaluators = self.take_evaluators();
        let evaluator = evaluators.begin(self.layout, part);
        let mut best = BestRoot { upper: bracket.upper, root: None };
        let mut shared = false;
        while let Some(interval) = open.most_promising(best.upper, &mut self.stats.discards) {
            shared = self.helpers_wait() && self.shares_stumps(part, limits);
            let asks = self.stats.stump_evaluations.is_multiple_of(CLOCKED);
            if shared || asks && self.clock.stopped() {
                open.put_back(interval);
                break;
            }
            if self.pays_at_once(part, limits, &interval, best.upper, evaluator.done()) {
                let Some(all) = self.all_thresholds(part, &interval, best.upper) else {
                    open.put_back(interval);
                    break;
                };
                open.close(all.rule.feature, all.cost);
                open.known.extend(all.known);
                best.improve(Root { cost: all.cost, rule: all.rule, share: interval.share }, None);
            } else {
                self.try_root(part, limits, interval, &mut open, &mut best, evaluator);
            }
        }
        self.stats.discards.stump_bounds += evaluator.left_out();
        self.evaluators = Some(evaluators);
        match best.root {
            Some((root, Some(features))) if limits.min_rows == 1 => {
                self.take_stumps(part, &root, features, bracket);
            }
            Some((root, _)) => self.take_root(part, limits, &root, bracket),
            None => {}
        }
        if shared {
            let so_far = std::mem::replace(bracket, Bracket::above(0));
            (open, *bracket) = self.together(part, limits, Kind::Stumps, open, so_far);
        }
        self.answer_of_roots(part, limits, open, bracket, inherited)
    }

    /// Evaluates the middle threshold of an interval, and puts its halves in its place.
    fn try_root(
        &mut self,
        part: &Part,
        limits: Limits,
        interval: Interval,
        open: &mut OpenIntervals,
        best: &mut BestRoot,
        evaluator: &mut dyn Evaluator,
    ) {
        let middle = open.middle(&interval);
        let rule = open.rule(&interval, middle);
        self.stats.stump_evaluations += 1;
        let at = evaluator::Root { feature: rule.feature, left: rule.items };
        let between = self.between(&interval, best.upper);
        let Evaluated { sides, features, notes } = evaluator.evaluate(part, at, &between);
        let (left, right) = self.stump_sides(part, &rule, (1, 1), sides);
        open.known.push(Known { feature: rule.feature, rank: rule.rank, left, right });
        let (left, right) = self.stump_sides(part, &rule, interval.share, sides);
        let mut cost = self.objective.join(left, right);
        let (total, place) = (cost, rule.weight);
        if limits.min_rows > 1 && cost < best.upper {
            cost = self.cost_with_rows(part, &rule, interval.share, limits);
        }
        best.improve(Root { cost, rule, share: interval.share }, features);
        let edge = |side| Edge { side, total, at: place, notes, by_threshold: None };
        open.halve(interval, middle, edge(left), edge(right), cost);
    }

    /// The answer of a part whose roots were tried or put back.
    fn answer_of_roots(
        &mut self,
        part: &Part,
        limits: Limits,
        open: OpenIntervals,
        bracket: &mut Bracket,
        inherited: Option<&Arc<Inherited>>,
    ) -> Answer {
        let lower = open.lower().max(bracket.lower).min(self.objective.leaf(part.leaf_errors()));
        let by_threshold =
            self.options.feature_bounds.then(|| Inherited::with(inherited, open.known));
        // Without the demand more thresholds are allowed than have been tried.
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()).min(lower),
        };
        Answer { lower, relaxed, tree: bracket.found.take(), by_threshold }
    }

    /// The evaluators of this search, to be put back.
    pub(crate) fn take_evaluators(&mut self) -> Box<Evaluators> {
        self.evaluators
            .take()
            .unwrap_or_else(|| Box::new(Evaluators::new(self.level, self.options.few_values)))
    }

    /// Whether an evaluation takes so long that threads should share them.
    fn shares_stumps(&self, part: &Part, limits: Limits) -> bool {
        limits.min_rows == 1 && part.count * self.layout.features.len() >= SHARED
    }

    /// Evaluates a threshold of a part that several threads share, or all of its
    /// interval; none if the clock has stopped.
    pub(crate) fn try_stumps(
        &mut self,
        trial: &Trial,
        part: &Part,
        limits: Limits,
        evaluator: &mut dyn Evaluator,
    ) -> Option<Tried> {
        let Trial { interval, rule, upper, .. } = trial;
        if self.pays_at_once(part, limits, interval, *upper, evaluator.done()) {
            let all = self.all_thresholds(part, interval, *upper)?;
            let tree = self.tree_below(part, limits, trial, all.cost, &all.rule);
            return Some(Tried { sides: None, lower: all.cost, tree, known: all.known });
        }
        self.stats.stump_evaluations += 1;
        let at = evaluator::Root { feature: rule.feature, left: rule.items };
        // Notes are of the evaluator that made them, and that is another thread's.
        let between = Between { notes: [None; 2], ..self.between(interval, *upper) };
        let Evaluated { sides, .. } = evaluator.evaluate(part, at, &between);
        let (left, right) = self.stump_sides(part, rule, (1, 1), sides);
        let known = vec![Known { feature: rule.feature, rank: rule.rank, left, right }];
        let (left, right) = self.stump_sides(part, rule, interval.share, sides);
        let cost = self.objective.join(left, right);
        let tree = self.tree_below(part, limits, trial, cost, rule);
        let (total, place) = (cost, rule.weight);
        let edge = |side| Edge { side, total, at: place, notes: None, by_threshold: None };
        let sides = Some((edge(left), edge(right)));
        Some(Tried { sides, lower: cost, tree, known })
    }

    /// The tree of a root, if it is cheaper than what is to be beaten.
    fn tree_below(
        &self,
        part: &Part,
        limits: Limits,
        trial: &Trial,
        cost: Cost,
        rule: &Rule,
    ) -> Option<(Cost, Arc<Tree>)> {
        let mut best = Bracket::above(trial.upper);
        if cost < trial.upper {
            let root = Root { cost, rule: *rule, share: trial.interval.share };
            self.take_root(part, limits, &root, &mut best);
        }
        best.found
    }

    /// What the ends of an interval say of the stumps at a root in it.
    fn between(&self, interval: &Interval, upper: Cost) -> Between {
        if !self.options.stump_bounds {
            return Between { notes: [None; 2], useless: [Weight::MAX; 2] };
        }
        let useless = |other: &Edge| {
            let spare = upper.saturating_sub(self.stump_cost(0).saturating_add(other.side));
            let errors = spare.div_ceil(self.objective.error_price);
            errors.saturating_sub(off(Mutant::StumpBounds))
        };
        Between {
            notes: [interval.before.notes, interval.after.notes],
            useless: [useless(&interval.after), useless(&interval.before)],
        }
    }

    /// Least costs of the two sides of a root, without a demand on rows.
    pub(super) fn stump_sides(
        &self,
        part: &Part,
        rule: &Rule,
        share: (u32, u32),
        [left, right]: [Right; 2],
    ) -> (Cost, Cost) {
        let right_weight = part.weight - rule.weight;
        (
            self.side_cost(rule.weight, left.leaf, left.stump, share.0),
            self.side_cost(right_weight, right.leaf, right.stump, share.1),
        )
    }

    /// As `take_root`, where the features of the best stumps are known.
    fn take_stumps(&self, part: &Part, root: &Root, features: [usize; 2], bracket: &mut Bracket) {
        let left = self.leaf_or_stump_on(part, &root.rule, true, features[0], root.share.0);
        let right = self.leaf_or_stump_on(part, &root.rule, false, features[1], root.share.1);
        bracket.improve_with_node(
            self.objective.join(left.0, right.0),
            &root.rule,
            left.1,
            right.1,
        );
    }

    fn cost_with_rows(&self, part: &Part, rule: &Rule, share: (u32, u32), limits: Limits) -> Cost {
        let (left, right) = part.divide(self.layout, rule);
        let (left, _) = self.leaf_or_stump(&left, share.0, limits.min_rows);
        let (right, _) = self.leaf_or_stump(&right, share.1, limits.min_rows);
        self.objective.join(left, right)
    }
}
