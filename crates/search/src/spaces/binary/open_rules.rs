//! Open rules: the rules of a node that may still improve the incumbent, and their lower bounds.

use super::node::BinaryNode;
use super::similarity_bound::SiblingBounds;
use super::solution::BinaryBounds;
use crate::engine::root_range::RootRange;
use crate::engine::solution::CostedTree;
use crate::kernels::chunks::ChunkLane;
use crate::support::statistics::PruneCounts;
use exactree_model::{Cost, UNBOUNDED};

pub(crate) struct OpenRules {
    /// Lower bounds on the children of all rules, for children of maximum size.
    bounds: SiblingBounds,
    /// By rule, a further lower bound on the trees with that rule as root.
    proved: Vec<Cost>,
    /// Rules to be evaluated, the most promising last.
    open: Vec<usize>,
    /// The cost of an error, if children bound each other (`similarity_bound.rs`).
    error_price: Option<Cost>,
}

/// A rule to evaluate, and the bounds known before.
pub(crate) struct RuleTrial {
    pub rule: usize,
    /// The upper bound.
    pub upper: Cost,
    /// Lower bounds on both children.
    pub children: [Cost; 2],
}

/// The result of a trial.
pub(crate) struct RuleResult {
    /// No tree with this root costs less.
    pub lower: Cost,
    /// Lower bounds on both children, for children of maximum size.
    pub children: [Option<Cost>; 2],
    /// A tree with this root that costs less than the upper bound.
    pub tree: Option<CostedTree>,
}

impl OpenRules {
    /// Opens the rules of `order`, most promising first; no other rule is allowed as root.
    pub(super) fn new(
        bounds: SiblingBounds,
        mut order: Vec<usize>,
        error_price: Option<Cost>,
    ) -> Self {
        let mut proved = vec![UNBOUNDED; bounds.0[0].len()];
        order.iter().for_each(|&rule| proved[rule] = 0);
        order.reverse();
        OpenRules { bounds, proved, open: order, error_price }
    }

    /// The next rule that may lead to a tree below `upper`.
    pub(super) fn next(&mut self, upper: Cost, pruned: &mut PruneCounts) -> Option<RuleTrial> {
        while let Some(rule) = self.open.pop() {
            if self.lower_of(rule) < upper {
                let children = [self.bounds.0[0][rule], self.bounds.0[1][rule]];
                return Some(RuleTrial { rule, upper, children });
            }
            pruned.similarity_bound += 1;
        }
        None
    }

    /// Enters the bounds that a trial implies for its rule and for all others. They hold whenever
    /// the trial began.
    pub(super) fn enter<L: ChunkLane>(
        &mut self,
        trial: &RuleTrial,
        tried: RuleResult,
        node: &BinaryNode<'_, L>,
        bounds: &mut BinaryBounds,
    ) {
        let rule = trial.rule;
        self.proved[rule] = tried.lower;
        for (child, lower) in tried.children.into_iter().enumerate() {
            let Some(lower) = lower else { continue };
            match self.error_price {
                Some(price) => {
                    let child = (rule, child == 0);
                    self.bounds.record(&node.counts, &node.weights, child, lower, price);
                }
                None => self.bounds.0[child][rule] = lower,
            }
        }
        if let Some((cost, tree)) = tried.tree {
            bounds.improve(cost, || tree);
        }
    }

    /// No tree with an inner root costs less.
    pub(super) fn lower(&self) -> Cost {
        (0..self.proved.len()).map(|rule| self.lower_of(rule)).min().unwrap_or(UNBOUNDED)
    }

    /// Drops the rules for which `known` is `None`; raises the bounds of the others to `known`.
    pub(super) fn keep(&mut self, known: impl Fn(usize) -> Option<RootRange>) {
        self.open.retain(|&rule| known(rule).is_some());
        for (rule, proved) in self.proved.iter_mut().enumerate() {
            let Some(roots) = known(rule) else {
                *proved = UNBOUNDED;
                continue;
            };
            *proved = roots.lower.max(*proved);
            for (bounds, lower) in self.bounds.0.iter_mut().zip([roots.left, roots.right]) {
                bounds[rule] = lower.max(bounds[rule]);
            }
        }
    }

    /// The rules whose trees are not proved to cost at least `upper`, with their bounds.
    pub(super) fn open_below(&self, upper: Cost) -> impl Iterator<Item = (usize, [Cost; 3])> {
        let [left, right] = &self.bounds.0;
        let bounds = move |rule: usize| [self.lower_of(rule), left[rule], right[rule]];
        let all = (0..self.proved.len()).map(move |rule| (rule, bounds(rule)));
        all.filter(move |(_, [lower, ..])| *lower < upper)
    }

    fn lower_of(&self, rule: usize) -> Cost {
        self.bounds.of(rule).max(self.proved[rule])
    }
}
