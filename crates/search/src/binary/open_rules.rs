//! The rules of a node that may still matter, and what is proved of them.

use super::rules::Node;
use super::search::{Bracket, Costed};
use super::siblings::SideBounds;
use crate::kernels::chunks::Lane;
use crate::roots::Roots;
use crate::tracer::Discards;
use exactree_model::{Cost, UNBOUNDED};

pub(crate) struct OpenRules {
    /// Lower bounds on the sides of all rules, with the widest limits.
    bounds: SideBounds,
    /// What was proved of trees with a rule as root beyond that, by rule.
    proved: Vec<Cost>,
    /// Rules to be tried, the most promising last.
    open: Vec<usize>,
    /// What an item more may cost a side, where sides bound each other.
    error_price: Option<Cost>,
}

/// A rule to try, and what is known before.
pub(crate) struct Trial {
    pub rule: usize,
    /// To be beaten.
    pub upper: Cost,
    /// Lower bounds on both sides.
    pub sides: [Cost; 2],
}

/// What a trial shows.
pub(crate) struct Tried {
    /// No tree with this root costs less.
    pub lower: Cost,
    /// Lower bounds on both sides with the widest limits.
    pub sides: [Option<Cost>; 2],
    /// A tree with this root that is cheaper than what there was.
    pub tree: Option<Costed>,
}

impl OpenRules {
    /// Rules to be tried, most promising first; all others are not allowed.
    pub fn new(bounds: SideBounds, mut order: Vec<usize>, error_price: Option<Cost>) -> Self {
        let mut proved = vec![UNBOUNDED; bounds.0[0].len()];
        order.iter().for_each(|&rule| proved[rule] = 0);
        order.reverse();
        OpenRules { bounds, proved, open: order, error_price }
    }

    /// The next rule that may lead to a tree below `upper`.
    pub fn next(&mut self, upper: Cost, discards: &mut Discards) -> Option<Trial> {
        while let Some(rule) = self.open.pop() {
            if self.lower_of(rule) < upper {
                let sides = [self.bounds.0[0][rule], self.bounds.0[1][rule]];
                return Some(Trial { rule, upper, sides });
            }
            discards.similar_sides += 1;
        }
        None
    }

    /// Takes in what a trial shows of its rule and of all others. It holds
    /// whenever the trial began.
    pub fn enter<L: Lane>(
        &mut self,
        trial: &Trial,
        tried: Tried,
        node: &Node<'_, L>,
        bracket: &mut Bracket,
    ) {
        let rule = trial.rule;
        self.proved[rule] = tried.lower;
        for (side, shown) in tried.sides.into_iter().enumerate() {
            let Some(lower) = shown else { continue };
            match self.error_price {
                Some(price) => {
                    let side = (rule, side == 0);
                    self.bounds.learn(&node.counts, &node.weights, side, lower, price);
                }
                None => self.bounds.0[side][rule] = lower,
            }
        }
        if let Some((cost, tree)) = tried.tree {
            bracket.improve(cost, || tree);
        }
    }

    /// No tree with an inner root costs less.
    pub fn lower(&self) -> Cost {
        (0..self.proved.len()).map(|rule| self.lower_of(rule)).min().unwrap_or(UNBOUNDED)
    }

    /// Leaves out the rules of which nothing is known; takes in what is known of the others.
    pub fn keep(&mut self, known: impl Fn(usize) -> Option<Roots>) {
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

    /// The rules whose trees are not shown to cost `upper`, and what is shown of them.
    pub fn left(&self, upper: Cost) -> impl Iterator<Item = (usize, [Cost; 3])> {
        let [left, right] = &self.bounds.0;
        let bounds = move |rule: usize| [self.lower_of(rule), left[rule], right[rule]];
        let all = (0..self.proved.len()).map(move |rule| (rule, bounds(rule)));
        all.filter(move |(_, [lower, ..])| *lower < upper)
    }

    fn lower_of(&self, rule: usize) -> Cost {
        self.bounds.of(rule).max(self.proved[rule])
    }
}
