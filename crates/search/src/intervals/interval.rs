//! An interval of thresholds, the threshold of it that is tried, and what that shows.

use super::OpenIntervals;
use crate::answer::Bracket;
use crate::inherited::{Inherited, Known};
use crate::part::Rule;
use exactree_model::{Cost, Tree, Weight};
use std::sync::Arc;

/// What is known at the threshold next to an interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Lower bound on the cost of the side that lies away from the interval.
    pub side: Cost,
    /// Lower bound on the cost of both sides; nothing if the threshold was not
    /// evaluated.
    pub total: Cost,
    /// The weight of the left side, if the threshold was evaluated.
    pub at: Weight,
    /// Notes of the evaluator on that threshold.
    pub notes: Option<u32>,
    /// That side's lower bounds by root threshold.
    pub by_threshold: Option<Arc<Inherited>>,
}

/// Thresholds of one feature that may still beat the incumbent. Small: most of
/// what is done with intervals is to move them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// No threshold in it gives less.
    pub lower: Cost,
    pub feature: u32,
    /// Sizes of the two sides.
    pub share: (u32, u32),
    /// First and last threshold, as indices into the feature's rules.
    pub first: u32,
    pub last: u32,
    pub before: Edge,
    pub after: Edge,
}

/// A threshold to evaluate, and the interval whose middle it is.
#[derive(Clone, Debug)]
pub struct Trial {
    pub interval: Interval,
    pub middle: u32,
    pub rule: Rule,
    /// Sides that cost this much together need not be solved.
    pub upper: Cost,
}

/// What the evaluation of a threshold has shown.
pub struct Tried {
    /// What is known of the sides, without a demand on rows per leaf; none if all
    /// thresholds of the interval were evaluated.
    pub sides: Option<(Edge, Edge)>,
    /// A lower bound on the cost with that demand.
    pub lower: Cost,
    /// The best tree with this threshold, if both sides were solved.
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// What neighbouring parts are told.
    pub known: Vec<Known>,
}

impl Tried {
    /// Puts what was shown in the place of the interval.
    pub(crate) fn enter(self, trial: Trial, open: &mut OpenIntervals, bracket: &mut Bracket) {
        if let Some((cost, tree)) = self.tree {
            bracket.improve(cost, tree);
        }
        open.known.extend(self.known);
        match self.sides {
            Some((left, right)) => {
                open.halve(trial.interval, trial.middle, left, right, self.lower);
            }
            None => open.close(trial.rule.feature, self.lower),
        }
    }
}
