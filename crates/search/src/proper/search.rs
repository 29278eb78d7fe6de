//! The recursion on parts: any rule, and the best trees of both sides.

use super::field::{Field, Part};
use super::ground::Ground;
use super::{ProperRequest, ProperStats};
use crate::answer::{Answer, Bracket};
use crate::kernels::Level;
use crate::kernels::stumps::Below;
use crate::limits::Clock;
use crate::memo::{Claim, Memo};
use crate::tracer::Progress;
use exactree_model::{Cost, Errors, Limits, StoppedBy, Tree, UNBOUNDED, Weight};
use std::rc::Rc;
use std::sync::Arc;

/// A share of a part's examples: so far beyond what is needed sides are solved.
const REACH: Weight = 32;

/// One search over one table.
pub(super) struct Search<'a> {
    pub ground: &'a Ground,
    pub request: &'a ProperRequest,
    pub objective: Errors,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub memo: Memo,
    pub stats: ProperStats,
    pub level: Level,
    pub below: Below,
    /// How many calls of `best` are open; the outermost reports progress.
    pub open_calls: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        ground: &'a Ground,
        request: &'a ProperRequest,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> Self {
        Search {
            ground,
            request,
            objective: request.objective,
            clock,
            progress,
            memo: Memo::new(None),
            stats: ProperStats::default(),
            level: Level::detect(true),
            below: Below::default(),
            open_calls: 0,
        }
    }

    /// The best tree for a part within limits that costs less than `upper`, or
    /// the proof that there is none.
    pub(super) fn best(&mut self, part: &Part, limits: Limits, upper: Cost) -> Answer {
        let usable = self.affordable(usable(part, limits), upper);
        let answer = self.proved(part, usable, upper);
        // Trees that the price of leaves has ruled out cost `upper` or more.
        if self.objective.leaf_price > 0 { answer.at_most(upper) } else { answer }
    }

    fn proved(&mut self, part: &Part, limits: Limits, upper: Cost) -> Answer {
        let mut bracket = self.leaf(part, limits, upper);
        if self.remembered(part, limits, &mut bracket) {
            return self.claimed(part, bracket);
        }
        self.stats.nodes += 1;
        if self.clock.stopped() || self.settled(part, limits, &mut bracket) {
            return self.claimed(part, bracket);
        }
        if limits.min_rows > 1
            && self.request.options.relaxed
            && let Some(answer) = self.without_demand(part, limits, upper, &mut bracket)
        {
            return answer;
        }
        self.open_calls += 1;
        let small = limits.small() && self.request.options.two_levels;
        let lower = match small {
            true => self.two_levels(part, limits, &mut bracket),
            false => self.all_roots(part, limits, &mut bracket),
        };
        self.open_calls -= 1;
        bracket.lower = bracket.lower.max(lower);
        let answer = self.claimed(part, bracket);
        if self.request.options.remembered {
            let claim = Claim { limits, lower: answer.lower, tree: answer.tree.clone() };
            self.memo.insert(&part.members, claim, 1);
        }
        answer
    }

    /// Tries the rules of a part as root; returns a lower bound on all of them.
    fn all_roots(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> Cost {
        let field = self.field(part, limits);
        let names = Rc::new(field.names.clone());
        let mut lower = vec![bracket.lower; names.len()];
        for root in self.promising(&field, limits) {
            if lower[root] >= bracket.upper {
                self.stats.discards.near += 1;
                continue;
            }
            if self.must_stop(bracket, &lower) {
                break;
            }
            self.stats.roots += 1;
            let sides = part.divide(self.ground, names[root], &names);
            let least = self.root(names[root], &sides, limits, bracket);
            lower[root] = lower[root].max(least);
            if limits.min_rows == 1 && self.request.options.near && least > bracket.upper {
                self.raise_near(&field, root, least, &mut lower);
            }
        }
        // Roots whose sides would have too few rows are no roots.
        let tried = self.allowed(&field, limits);
        let open = (0..names.len()).filter(|&root| tried(root)).map(|root| lower[root]).min();
        open.unwrap_or(UNBOUNDED)
    }

    /// A lower bound on all trees with a rule at the root; a tree that costs
    /// less than the incumbent becomes it.
    fn root(
        &mut self,
        rule: u32,
        (left, right): &(Part, Part),
        limits: Limits,
        bracket: &mut Bracket,
    ) -> Cost {
        let reach = self.reach(left.weight + right.weight, limits);
        let mut least = UNBOUNDED;
        for (left_size, right_size) in limits.shares() {
            let [at_left, at_right] = [limits.side(left_size), limits.side(right_size)];
            let most = bracket.upper.saturating_add(reach).min(UNBOUNDED);
            let mut lower = [self.floor(left, at_left), self.floor(right, at_right)];
            let mut trees = [None, None];
            // The larger side first: it is the likelier to end the matter.
            let first = usize::from(left.weight < right.weight);
            for side in [first, 1 - first] {
                if lower[0] + lower[1] >= most {
                    break;
                }
                let (part, limits) = if side == 0 { (left, at_left) } else { (right, at_right) };
                let answer = self.best(part, limits, most - lower[1 - side]);
                lower[side] = lower[side].max(answer.lower);
                trees[side] = answer.tree;
            }
            least = least.min(lower[0] + lower[1]);
            if let [Some((a, one)), Some((b, other))] = trees
                && a + b < bracket.upper
            {
                bracket.improve(a + b, Tree::node(rule, 0, one, other));
            }
        }
        least
    }

    /// How far beyond what is needed sides are solved, as a cost.
    fn reach(&self, weight: Weight, limits: Limits) -> Cost {
        let options = &self.request.options;
        let of_use = options.near && options.reach && limits.min_rows == 1;
        if of_use { weight.div_ceil(REACH) * self.objective.error_price } else { 0 }
    }

    /// The rules that a part may have at its root within limits.
    pub(super) fn field(&mut self, part: &Part, limits: Limits) -> Rc<Field> {
        let with_rows = limits.min_rows > 1;
        let new = !part.has_field(with_rows);
        let field = part.field(self.ground, self.level, with_rows);
        self.stats.discards.equal_rules += if new { field.equal } else { 0 };
        field
    }

    /// Which rules leave enough rows on both sides.
    pub(super) fn allowed<'f>(
        &self,
        field: &'f Field,
        limits: Limits,
    ) -> impl Fn(usize) -> bool + use<'f> {
        let rows = self.ground.n_classes * field.columns.count;
        move |rule| {
            limits.min_rows == 1 || {
                let left = field.columns.tallies[rows + rule];
                let all = field.columns.totals[field.columns.totals.len() - 1];
                left >= limits.min_rows && all - left >= limits.min_rows
            }
        }
    }

    /// All rules that may be the root, those of least Gini impurity first.
    pub(super) fn promising(&self, field: &Field, limits: Limits) -> Vec<usize> {
        let columns = &field.columns;
        let classes = 0..self.ground.n_classes;
        let allowed = self.allowed(field, limits);
        let mut order: Vec<(f64, usize)> = (0..columns.count)
            .filter(|&rule| allowed(rule))
            .map(|rule| {
                let side = |weigh: &dyn Fn(usize) -> Weight| {
                    let weights = classes.clone().map(|class| weigh(class) as f64);
                    let (sum, squares) = weights
                        .fold((0.0, 0.0), |(s, q), weight| (s + weight, q + weight * weight));
                    if sum > 0.0 { squares / sum } else { 0.0 }
                };
                let left = |class: usize| columns.tallies[class * columns.count + rule];
                let right = |class: usize| columns.totals[class] - left(class);
                (-(side(&left) + side(&right)), rule)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, rule)| rule).collect()
    }

    /// The leaf as first incumbent, if it has rows enough.
    pub(super) fn leaf(&mut self, part: &Part, limits: Limits, upper: Cost) -> Bracket {
        let mut bracket = Bracket::above(upper);
        if limits.min_rows == 1 || part.rows >= limits.min_rows {
            let class = Errors::leaf_class(&part.class_weights);
            bracket.improve(self.objective.leaf(part.leaf_errors()), Tree::leaf(class));
        }
        bracket
    }

    /// The answer that a bracket stands for: its lower bound is one on all trees
    /// with an inner root, and a leaf may cost less.
    pub(super) fn claimed(&self, part: &Part, bracket: Bracket) -> Answer {
        let lower = bracket.lower.min(self.objective.leaf(part.leaf_errors()));
        Answer { tree: bracket.found, ..Answer::at_least(lower) }
    }

    /// Whether what was proved before answers for a part.
    fn remembered(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> bool {
        if !self.request.options.remembered || limits.leaf_only() {
            return false;
        }
        self.stats.memo_lookups += 1;
        let Some(known) = self.memo.known(&part.members, &limits) else { return false };
        bracket.lower = bracket.lower.max(known.lower);
        if let Some((cost, tree)) = known.tree {
            bracket.improve(cost, tree);
        }
        let answered = bracket.lower >= bracket.upper;
        self.stats.memo_hits += u64::from(answered);
        self.stats.discards.memo_bounds += u64::from(answered);
        answered
    }

    /// Whether to unwind now. The outermost call also reports progress and minds
    /// the gap.
    pub(super) fn must_stop(&mut self, bracket: &Bracket, lower: &[Cost]) -> bool {
        if self.open_calls == 1 {
            let lower = lower.iter().min().copied().unwrap_or(0).min(bracket.upper);
            self.progress.report(bracket.found.as_ref().map_or(UNBOUNDED, |found| found.0), lower);
            let gap = self.request.stop_at_gap;
            if gap > 0.0 && self.progress.gap() <= gap {
                self.clock.stop(StoppedBy::Gap);
            }
        }
        self.clock.stopped()
    }

    /// The same tree with dichotomies as they are numbered in the table.
    pub(super) fn named(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        match &**tree {
            Tree::Leaf { .. } => tree.clone(),
            Tree::Node { feature, rank, left, right } => Tree::node(
                self.ground.kept[*feature as usize],
                *rank,
                self.named(left),
                self.named(right),
            ),
        }
    }
}

/// The limits that a tree for a part can use: it has fewer nodes than examples,
/// which have a slot each at least.
pub(super) fn usable(part: &Part, limits: Limits) -> Limits {
    let rules = part.members.count().saturating_sub(1);
    let size = if limits.size >= rules { u32::MAX } else { limits.size };
    Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
}
