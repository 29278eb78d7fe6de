//! Start of a search under constraints, and branching over the features that a tree may use.
//!
//! The limit on the number of features and their prices concern whole trees. So the best tree
//! without this limit and these prices is found first. If it satisfies all constraints and uses
//! only features that are paid for, it is optimal. Otherwise it uses another feature, and the
//! problem is divided in two: trees that do not use that feature, and trees for which it is paid
//! and counted. The open problem with the smallest lower bound is searched next; it is pruned if
//! its lower bound is at least the cost of the incumbent, so no better tree is lost. This ends,
//! because every feature is chosen at most once on a path.

use crate::constraints::cost_family::CostFamily;
use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::feasible::Feasibility;
use crate::constraints::first_tree::FirstTree;
use crate::constraints::leaf_totals::Targets;
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::constraints::statement::TreeConstraints;
use crate::engine::children::join;
use crate::engine::solution::CostedTree;
use crate::engine::space::{LeafCosts, ProblemPart, SubsetOf, TableCosts};
use crate::engine::subset::ThresholdTable;
use crate::support::clock::{Clock, Grace};
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Limits, StoppedBy, Table, Tree, UNBOUNDED};
use std::sync::Arc;

/// Limits and resources of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChoiceRequest {
    pub limits: Limits,
    /// Only trees that cost less, without prices of features, are searched for.
    pub below: Cost,
    pub memory_limit: Option<usize>,
    pub stop_at_gap: f64,
    pub threads: usize,
}

/// A problem under constraints, except for its costs.
pub(crate) struct Problem<'a> {
    pub table: &'a Table,
    pub request: ChoiceRequest,
    pub constraints: &'a TreeConstraints,
    /// The targets of a regression.
    pub targets: Option<&'a Targets>,
    /// The price of each feature.
    pub prices: &'a [Cost],
}

/// The result of a search.
pub(crate) struct Found {
    /// The best tree, with features of the table, and its cost, prices included.
    pub tree: Option<CostedTree>,
    /// A lower bound on the cost of all feasible trees.
    pub lower: Cost,
    pub stats: Stats,
}

/// An open problem: the features that may be used, and those that are paid for.
struct OpenProblem {
    lower: Cost,
    allowed: Vec<bool>,
    paid: Vec<bool>,
}

/// The search for the best tree that satisfies all constraints.
pub(crate) struct FeatureChoice<'a, K: CostFamily + 'a> {
    pub family: &'a K,
    pub problem: &'a Problem<'a>,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    /// The table with all features, to check trees.
    pub space: ConstrainedSpace<'a, K::Base<'a>>,
    whole: SubsetOf<K::Base<'a>>,
    slots: Vec<u32>,
    pub stats: Stats,
    pub incumbent: Option<CostedTree>,
    /// The cost of the incumbent; `UNBOUNDED` without one.
    pub upper: Cost,
}

impl<'a, K: CostFamily> FeatureChoice<'a, K> {
    /// A search without an incumbent, for a table that is prepared for a family of costs.
    pub(crate) fn new(
        (family, prepared): (&'a K, &'a K::Prepared),
        constraints: &'a PreparedConstraints<'a>,
        problem: &'a Problem<'a>,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> Self {
        let (base, options) = (family.base(prepared, None), family.options());
        let whole = family.whole(prepared);
        FeatureChoice {
            family,
            problem,
            clock,
            progress,
            space: ConstrainedSpace { base, constraints, options },
            slots: whole.members.iter().collect(),
            whole,
            stats: Stats::default(),
            incumbent: None,
            upper: UNBOUNDED,
        }
    }

    /// The prepared table with all features; `None` if it was stopped. A stop leaves time for a
    /// first tree.
    pub(crate) fn prepare(family: &K, table: &Table, clock: Clock<'_>) -> Option<K::Prepared> {
        let grace = Grace::of(&clock, table.items.len(), table.features.len());
        let prepared = family.prepare(&|| grace.is_over(), table, false);
        table.is_read().then_some(prepared).flatten()
    }

    /// Finds the best tree that satisfies the constraints, or the best tree and lower bound within
    /// the time limit. `initial` is a tree to start from, made feasible by collapsing nodes.
    pub(crate) fn solve(
        family: &K,
        prepared: &K::Prepared,
        problem: &Problem<'_>,
        clock: Clock<'_>,
        progress: &Progress,
        initial: Option<&Arc<Tree>>,
    ) -> Found {
        let (table, targets) = (problem.table, problem.targets);
        let constraints = PreparedConstraints::new(problem.constraints, targets, table, prepared);
        let mut choice =
            FeatureChoice::new((family, prepared), &constraints, problem, clock, progress);
        let lower = choice.run(initial);
        choice.conclude(lower)
    }

    /// Searches; returns a lower bound on the cost of all feasible trees.
    fn run(&mut self, initial: Option<&Arc<Tree>>) -> Cost {
        let (constraints, request) = (self.problem.constraints, self.problem.request);
        let number = constraints.directions.len();
        self.start(initial);
        let mut paid = vec![false; number];
        constraints.required.iter().for_each(|&feature| paid[feature as usize] = true);
        let mut problem = OpenProblem { lower: 0, allowed: vec![true; number], paid };
        self.close_beyond_maximum(&mut problem);
        problem.lower = self.price(&problem.paid);
        // No tree is possible if more features are required than may be used.
        let paid = problem.paid.iter().filter(|&&paid| paid).count();
        let possible = constraints.max_features.is_none_or(|most| paid <= most);
        let mut open: Vec<OpenProblem> = possible.then_some(problem).into_iter().collect();
        // The minimum lower bound of the problems whose search was stopped.
        let mut given_up = UNBOUNDED;
        while let Some(at) = (0..open.len()).min_by_key(|&at| open[at].lower) {
            let problem = open.swap_remove(at);
            if problem.lower >= self.upper {
                break;
            }
            if self.clock.stopped() {
                given_up = given_up.min(problem.lower);
                break;
            }
            self.progress.report(self.upper, problem.lower);
            let gap = self.space.gap(self.progress);
            if request.stop_at_gap > 0.0 && gap <= request.stop_at_gap {
                self.clock.stop(StoppedBy::Gap);
            }
            let price = self.price(&problem.paid);
            let others = open.iter().map(|problem| problem.lower).fold(given_up, Cost::min);
            let (tree, lower) = self.search(&problem.allowed, ProblemPart { price, others });
            if tree.is_none() && lower >= self.upper_without(price) {
                continue;
            }
            let lower = problem.lower.max(lower.saturating_add(price)).min(UNBOUNDED);
            let Some((cost, tree)) = tree else {
                given_up = given_up.min(lower);
                continue;
            };
            if self.obeys(&tree) {
                self.improve(&tree);
                if self.total(&tree) <= lower {
                    continue;
                }
            } else {
                self.take(&tree);
            }
            let unpaid = self.unpaid(&tree, &problem.paid);
            let rounding = self.space.rounding(tree.size() + 1);
            let proved = cost.saturating_add(price) <= lower.saturating_add(rounding);
            let (Some(feature), true) = (unpaid, proved) else {
                // The search was stopped.
                given_up = given_up.min(lower);
                continue;
            };
            self.stats.choices += 1;
            let mut without = OpenProblem { lower, ..problem };
            let mut with =
                OpenProblem { lower, allowed: without.allowed.clone(), paid: without.paid.clone() };
            without.allowed[feature] = false;
            with.paid[feature] = true;
            self.close_beyond_maximum(&mut with);
            with.lower = lower.max(self.price(&with.paid));
            open.extend([without, with]);
        }
        let lower = open.iter().map(|problem| problem.lower).fold(given_up, Cost::min);
        lower.min(self.upper)
    }

    /// Takes the leaf and a given tree of the table as incumbents; if neither is feasible, trees
    /// that use the required features.
    pub(crate) fn start(&mut self, initial: Option<&Arc<Tree>>) {
        self.take(&self.space.leaf_of(&self.slots).1);
        if let Some(tree) = initial {
            self.take(&self.in_prepared_features(tree, self.column_of(self.problem.table)));
        }
        if self.incumbent.is_none() && !self.problem.constraints.required.is_empty() {
            self.take_with_required();
        }
    }

    /// Whether features have prices or their number is limited.
    pub(crate) fn chooses(&self) -> bool {
        self.problem.constraints.max_features.is_some()
            || self.problem.prices.iter().any(|&p| p > 0)
    }

    /// Forbids all features that are not paid for, if as many are paid for as may be used.
    fn close_beyond_maximum(&self, problem: &mut OpenProblem) {
        let paid = problem.paid.iter().filter(|&&paid| paid).count();
        if self.problem.constraints.max_features.is_some_and(|most| paid >= most) {
            problem.allowed.iter_mut().zip(&problem.paid).for_each(|(open, paid)| *open &= paid);
        }
    }

    fn price(&self, features: &[bool]) -> Cost {
        let pairs = self.problem.prices.iter().zip(features);
        pairs.filter(|(_, paid)| **paid).fold(0, |sum, (&price, _)| join(sum, price))
    }

    /// The feature to branch on: of the features that a tree uses and that are not paid for, the
    /// most expensive. `None` if all are paid for, or if there are neither prices nor a limit on
    /// features.
    fn unpaid(&self, tree: &Tree, paid: &[bool]) -> Option<usize> {
        if !self.chooses() {
            return None;
        }
        let used = Feasibility { space: &self.space }.features_used(tree);
        let unpaid = used.into_iter().map(|f| f as usize).filter(|&feature| !paid[feature]);
        unpaid.max_by_key(|&feature| (self.problem.prices[feature], std::cmp::Reverse(feature)))
    }

    /// Whether a tree satisfies all constraints.
    pub(crate) fn obeys(&self, tree: &Tree) -> bool {
        let check = Feasibility { space: &self.space };
        let state = self.space.constraints.whole();
        let few = |most: usize| check.features_used(tree).len() <= most;
        self.is_within_limits(tree)
            && self.problem.constraints.max_features.is_none_or(few)
            && check.satisfies(&self.slots, tree, &state)
    }

    /// Whether a tree is within the limits of a search without constraints.
    pub(crate) fn is_within_limits(&self, tree: &Tree) -> bool {
        let check = Feasibility { space: &self.space };
        let ChoiceRequest { limits, below, .. } = self.problem.request;
        check.cost(&self.slots, tree) < below
            && tree.size() <= limits.size
            && tree.depth() <= limits.depth
            && check.min_leaf_rows(&self.slots, tree) >= limits.min_samples_leaf
    }

    /// The cost of a tree with the prices of its features.
    pub(crate) fn total(&self, tree: &Tree) -> Cost {
        let check = Feasibility { space: &self.space };
        let used = check.features_used(tree);
        let prices = used.iter().map(|&feature| self.problem.prices[feature as usize]);
        prices.fold(check.cost(&self.slots, tree), join)
    }

    /// Takes a tree as incumbent after collapsing nodes until it is feasible.
    pub(crate) fn take(&mut self, tree: &Arc<Tree>) {
        if !self.space.options.incumbent {
            return;
        }
        let check = Feasibility { space: &self.space };
        let tree = check.centred(&self.slots, tree);
        let found = check.collapsed_until(&self.slots, &tree, &|tree| self.obeys(tree));
        if let Some(tree) = found {
            self.improve(&tree);
        }
    }

    /// Takes trees that use the required features as incumbents. A stop leaves time for the first.
    fn take_with_required(&mut self) {
        if !self.space.options.incumbent {
            return;
        }
        let (space, clock, limits) = (self.space, self.clock, self.problem.request.limits);
        let whole = self.whole.clone();
        let grace = Grace::of(&clock, self.slots.len(), whole.sorted.features());
        for kind in [FirstTree::Cheapest, FirstTree::MostEven] {
            if self.incumbent.is_some() {
                break;
            }
            let tree = space.first_tree(&whole, limits, kind, &|| grace.is_over());
            tree.iter().for_each(|tree| self.take(tree));
        }
        let grown = space.first_tree(&whole, limits, FirstTree::Grown, &|| clock.stopped());
        if let Some(tree) = grown
            && self.obeys(&tree)
        {
            self.improve(&tree);
        }
    }

    /// Takes a feasible tree as incumbent if it is cheaper.
    fn improve(&mut self, tree: &Arc<Tree>) {
        let total = self.total(tree);
        if total < self.upper {
            let (_, tree) = Feasibility { space: &self.space }.costed(&self.slots, tree);
            (self.upper, self.incumbent) = (total, Some((total, tree)));
            self.progress.report(total, 0);
        }
    }

    /// The upper bound without the prices of features.
    pub(crate) fn upper_without(&self, price: Cost) -> Cost {
        self.upper.saturating_sub(price).min(self.problem.request.below)
    }

    /// A function from the features of a table to the columns of the problem.
    pub(crate) fn column_of<'t>(
        &self,
        table: &'t Table,
    ) -> impl Fn(u32) -> u32 + Copy + use<'t, K> {
        |feature| table.features[feature as usize].index
    }

    /// A tree whose features are columns of the problem after `column`, as features of the prepared
    /// table.
    pub(crate) fn in_prepared_features(
        &self,
        tree: &Arc<Tree>,
        column: impl Fn(u32) -> u32 + Copy,
    ) -> Arc<Tree> {
        let prepared = self.space.table();
        let of_problem = self.column_of(self.problem.table);
        tree.with_features(&|feature| {
            let is_column = |at: &usize| of_problem(prepared.index(*at)) == column(feature);
            let found = (0..prepared.features()).find(is_column);
            found.expect("the prepared table has all columns") as u32
        })
    }

    /// A feasible tree without nodes that save nothing, with features of the table.
    pub(crate) fn reduced(&self, tree: &Arc<Tree>) -> CostedTree {
        let check = Feasibility { space: &self.space };
        let tree =
            check.reduced(&self.slots, tree, &|tree| self.total(tree), &|tree| self.obeys(tree));
        let (_, tree) = check.costed(&self.slots, &tree);
        (self.total(&tree), self.in_table_features(&tree))
    }

    /// A tree without splits that have an empty child, with features of the table.
    pub(crate) fn refitted(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        self.in_table_features(&Feasibility { space: &self.space }.refitted(&self.slots, tree))
    }

    fn conclude(mut self, lower: Cost) -> Found {
        let tree = self.incumbent.take().map(|(_, tree)| self.reduced(&tree));
        self.stats.seconds = self.clock.seconds();
        Found { tree, lower, stats: self.stats }
    }

    /// The same tree with features as indices into `Table::features`.
    fn in_table_features(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        tree.with_features(&|feature| self.space.table().index(feature as usize))
    }
}
