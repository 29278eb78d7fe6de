//! What is known of a part: while it is searched, and when its search returns.

use crate::best::Search;
use crate::inherited::Inherited;
use crate::intervals::OpenIntervals;
use crate::part::{Part, Rule};
use exactree_model::{Cost, Errors, Limits, Tree};
use std::sync::Arc;

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
    /// Lower bounds for this part and every larger one, by root threshold.
    pub by_threshold: Option<Arc<Inherited>>,
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

    /// Takes the tree of a rule and two sides as incumbent if it is cheaper.
    pub fn improve_with_node(
        &mut self,
        cost: Cost,
        rule: &Rule,
        left: Arc<Tree>,
        right: Arc<Tree>,
    ) {
        if cost < self.upper {
            self.improve(cost, Tree::node(rule.feature as u32, rule.rank, left, right));
        }
    }
}

impl Answer {
    /// The same answer with a tree.
    pub(crate) fn with_tree(self, tree: Option<(Cost, Arc<Tree>)>) -> Self {
        Answer { tree, ..self }
    }

    /// Only a lower bound, with or without a demand on rows.
    pub fn at_least(lower: Cost) -> Self {
        Answer { lower, relaxed: lower, tree: None, by_threshold: None }
    }

    /// The same answer with no lower bound above `upper`.
    pub(crate) fn at_most(mut self, upper: Cost) -> Self {
        self.lower = self.lower.min(upper);
        self.relaxed = self.relaxed.min(upper);
        self
    }

    /// The same answer with another lower bound that holds as well.
    pub(crate) fn at_least_too(mut self, relaxed: Cost) -> Self {
        self.relaxed = self.relaxed.max(relaxed);
        self.lower = self.lower.max(self.relaxed);
        self
    }
}

impl Search<'_> {
    /// The leaf as first incumbent.
    pub(crate) fn leaf(&self, part: &Part, upper: Cost) -> Bracket {
        let mut bracket = Bracket::above(upper);
        let class = Errors::leaf_class(&part.class_weights);
        bracket.improve(self.objective.leaf(part.leaf_errors()), Tree::leaf(class));
        bracket
    }

    /// The answer of a part settled by bounds alone.
    pub(crate) fn claim_bound(&mut self, part: &Part, limits: Limits, bracket: Bracket) -> Answer {
        let lower = bracket.lower.min(self.objective.leaf(part.leaf_errors()));
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()).min(lower),
        };
        Answer { lower, relaxed, tree: bracket.found, by_threshold: None }
    }

    /// The answer of a part after its intervals were tried or put back.
    pub(crate) fn branch_answer(
        &self,
        part: &Part,
        limits: Limits,
        open: OpenIntervals,
        inherited: Option<&Arc<Inherited>>,
        bracket: Bracket,
    ) -> Answer {
        let leaf = self.objective.leaf(part.leaf_errors());
        let lower = open.lower().max(bracket.lower).min(leaf);
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.floor(part, limits.relaxed()),
        };
        let all_levels = limits.shares().len() == 1 && self.objective.leaf_price == 0;
        let by_threshold = (self.options.feature_bounds && all_levels)
            .then(|| Inherited::with(inherited, open.known));
        Answer { lower, relaxed, tree: bracket.found, by_threshold }
    }
}
