//! Start of a search under constraints, and the choice of features above the recursion.
//!
//! The number of features and their prices are properties of whole trees. So the best tree without
//! these two is found first. If it satisfies all constraints and uses only features that are paid for,
//! it is optimal. Otherwise it uses another feature, and the problem is divided in two: trees that do
//! not use that feature, and trees for which it is paid and counted. The open problem with the smallest
//! lower bound is searched next; it is pruned if its lower bound is at least the cost of the incumbent,
//! so no better tree is lost. This ends, because every feature is chosen at most once on a path.

use crate::constraints::costs::ConstrainedSpace;
use crate::constraints::feasible::Feasibility;
use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::constraints::statement::TreeConstraints;
use crate::engine::request::{Request, SearchOutcome};
use crate::engine::solution::CostedTree;
use crate::engine::space::TableCosts;
use crate::spaces::continuous::error_space::ErrorSpace;
use crate::spaces::continuous::layout::Layout;
use crate::support::clock::{Clock, Grace};
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Outcome, StoppedBy, Table, Tree, UNBOUNDED};
use std::sync::Arc;

/// An open problem: the features that may be used, and those that are paid for.
struct OpenProblem {
    lower: Cost,
    allowed: Vec<bool>,
    paid: Vec<bool>,
}

/// The search for the best tree that satisfies all constraints.
pub(crate) struct FeatureChoice<'a> {
    pub table: &'a Table,
    pub request: &'a Request,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub constraints: &'a TreeConstraints,
    /// The table with all features, to check trees.
    space: ConstrainedSpace<'a>,
    slots: Vec<u32>,
    pub stats: Stats,
    incumbent: Option<CostedTree>,
    /// The cost of the incumbent; `UNBOUNDED` without one.
    pub upper: Cost,
}

/// Finds the best tree that satisfies the constraints, or the best tree and lower bound within the time
/// limit. `initial` is a tree to start from, made feasible by collapsing nodes. Trees of cost
/// `request.below` or more, without prices of features, are not searched for.
pub fn solve_constrained(
    table: &Table,
    request: &Request,
    constraints: &TreeConstraints,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
    initial: Option<&Arc<Tree>>,
) -> SearchOutcome {
    // Equal columns may belong to different features, and subsets are split by sorted orders.
    let options =
        Options { equal_features: false, bit_columns: false, binary: false, ..options.clone() };
    // A stop leaves time for a first tree.
    let grace = Grace::of(&clock, table.items.len(), table.features.len());
    let rows = request.limits.min_samples_leaf;
    let layout = Layout::prepare(&|| grace.is_over(), table, &options, rows);
    let Some(layout) = table.is_read().then_some(layout).flatten() else {
        let outcome = Outcome::of(None, 0, UNBOUNDED, clock.stopped_by());
        return SearchOutcome {
            outcome,
            stats: Stats { seconds: clock.seconds(), ..Stats::default() },
        };
    };
    let prepared = PreparedConstraints::new(constraints, table, &layout);
    let errors = ErrorSpace {
        layout: &layout,
        objective: request.objective,
        options: &options,
        directions: None,
    };
    let mut choice = FeatureChoice {
        table,
        request,
        options: &options,
        clock,
        progress,
        constraints,
        space: ConstrainedSpace { errors, constraints: &prepared },
        slots: layout.occupied.iter().collect(),
        stats: Stats::default(),
        incumbent: None,
        upper: UNBOUNDED,
    };
    let lower = choice.run(initial);
    choice.outcome(lower)
}

impl FeatureChoice<'_> {
    /// Searches; returns a lower bound on the cost of all feasible trees.
    fn run(&mut self, initial: Option<&Arc<Tree>>) -> Cost {
        let number = self.constraints.directions.len();
        self.take(&self.space.leaf_of(&self.slots).1);
        if let Some(tree) = initial {
            self.take(&self.in_layout_features(tree, |at| self.table.features[at as usize].index));
        }
        let mut paid = vec![false; number];
        self.constraints.required.iter().for_each(|&feature| paid[feature as usize] = true);
        let mut problem = OpenProblem { lower: 0, allowed: vec![true; number], paid };
        self.close_beyond_maximum(&mut problem);
        problem.lower = self.price(&problem.paid);
        // More features are required than may be used.
        let paid = problem.paid.iter().filter(|&&paid| paid).count();
        let possible = self.constraints.max_features.is_none_or(|most| paid <= most);
        let mut open: Vec<OpenProblem> = possible.then_some(problem).into_iter().collect();
        // The lower bound of the problems that were given up.
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
            if self.request.stop_at_gap > 0.0 && self.progress.gap() <= self.request.stop_at_gap {
                self.clock.stop(StoppedBy::Gap);
            }
            let price = self.price(&problem.paid);
            let (tree, lower) = self.search(&problem.allowed, price);
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
            let (Some(feature), true) = (unpaid, cost + price <= lower) else {
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

    /// Whether features have prices or their number is limited.
    pub(crate) fn chooses(&self) -> bool {
        self.constraints.max_features.is_some() || self.constraints.prices.iter().any(|&p| p > 0)
    }

    /// Forbids all features that are not paid for if no more may be used.
    fn close_beyond_maximum(&self, problem: &mut OpenProblem) {
        let paid = problem.paid.iter().filter(|&&paid| paid).count();
        if self.constraints.max_features.is_some_and(|most| paid >= most) {
            problem.allowed.iter_mut().zip(&problem.paid).for_each(|(open, paid)| *open &= paid);
        }
    }

    fn price(&self, features: &[bool]) -> Cost {
        let pairs = self.constraints.prices.iter().zip(features);
        pairs.filter(|(_, paid)| **paid).map(|(price, _)| price).sum()
    }

    /// The feature to choose next among those that a tree uses and that are not paid for: that of the
    /// highest price. Features that need no choice are none.
    fn unpaid(&self, tree: &Tree, paid: &[bool]) -> Option<usize> {
        if !self.chooses() {
            return None;
        }
        let used = Feasibility { space: &self.space }.features_used(tree);
        let unpaid = used.into_iter().map(|f| f as usize).filter(|&feature| !paid[feature]);
        unpaid.max_by_key(|&feature| (self.constraints.prices[feature], std::cmp::Reverse(feature)))
    }

    /// Whether a tree satisfies all constraints.
    fn obeys(&self, tree: &Tree) -> bool {
        let check = Feasibility { space: &self.space };
        let state = self.space.constraints.whole();
        let limits = self.request.limits;
        let few = |most: usize| check.features_used(tree).len() <= most;
        check.cost(&self.slots, tree) < self.request.below
            && tree.size() <= limits.size
            && tree.depth() <= limits.depth
            && self.constraints.max_features.is_none_or(few)
            && check.min_leaf_rows(&self.slots, tree) >= limits.min_samples_leaf
            && check.satisfies(&self.slots, tree, &state)
    }

    /// The cost of a tree with the prices of its features.
    fn total(&self, tree: &Tree) -> Cost {
        let check = Feasibility { space: &self.space };
        let used = check.features_used(tree);
        let prices: Cost = used.iter().map(|&f| self.constraints.prices[f as usize]).sum();
        check.cost(&self.slots, tree) + prices
    }

    /// Takes a tree as incumbent after collapsing nodes until it is feasible.
    pub(crate) fn take(&mut self, tree: &Arc<Tree>) {
        if !self.options.incumbent {
            return;
        }
        let check = Feasibility { space: &self.space };
        let tree = check.centred(&self.slots, tree);
        let found = check.collapsed_until(&self.slots, &tree, &|tree| self.obeys(tree));
        if let Some(tree) = found {
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
        self.upper.saturating_sub(price).min(self.request.below)
    }

    /// A tree whose features are columns of the problem after `column`, as features of the layout.
    pub(crate) fn in_layout_features(
        &self,
        tree: &Arc<Tree>,
        column: impl Fn(u32) -> u32 + Copy,
    ) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return tree.clone() };
        let column_of = |at: &usize| {
            let index = self.space.errors.layout.features[*at].index;
            self.table.features[index as usize].index == column(*feature)
        };
        let found = (0..self.space.errors.layout.features.len()).find(column_of);
        let feature = found.expect("the layout has all columns") as u32;
        let (left, right) =
            (self.in_layout_features(left, column), self.in_layout_features(right, column));
        Tree::node(feature, *rank, left, right)
    }

    fn outcome(mut self, lower: Cost) -> SearchOutcome {
        let check = Feasibility { space: &self.space };
        let found = self.incumbent.take().map(|(_, tree)| {
            let tree = check
                .reduced(&self.slots, &tree, &|tree| self.total(tree), &|tree| self.obeys(tree));
            let (_, tree) = check.costed(&self.slots, &tree);
            (self.total(&tree), self.in_table_features(&tree))
        });
        let outcome = Outcome::of(found, lower, UNBOUNDED, self.clock.stopped_by());
        self.stats.seconds = self.clock.seconds();
        SearchOutcome { outcome, stats: self.stats }
    }

    /// The same tree with features as indices into `Table::features`.
    fn in_table_features(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        let Tree::Node { feature, rank, left, right } = &**tree else { return tree.clone() };
        Tree::node(
            self.space.errors.layout.features[*feature as usize].index,
            *rank,
            self.in_table_features(left),
            self.in_table_features(right),
        )
    }
}
