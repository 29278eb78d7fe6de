//! Evaluation of a split under constraints: first its relaxation, then, if that costs less than the
//! upper bound, both children with every way to share the constraints.
//!
//! *Monotonicity.* The children of a monotone tree are monotone. The two children of a split on a
//! feature with a direction must also fit each other: at equal values of all other features, the
//! leaf on the side of greater values must not have the smaller value (if the feature is
//! increasing).
//! So the best children are found first, independently. If they violate this at two points, every
//! pair of children that satisfies it belongs to at least one of two subproblems: the value of one
//! child at its point is at most some number, or the value of the other child at its point is
//! greater than that number. Both are searched while they can cost less than the incumbent. This
//! ends, because each subproblem excludes at least one of the finitely many pairs of children.

use crate::constraints::costs::ConstrainedCosts;
use crate::constraints::feasible::Feasibility;
use crate::constraints::shares::{ranks_between, shares};
use crate::constraints::space::ConstrainedSearch;
use crate::engine::children::join;
use crate::engine::intervals::{IntervalEdge, ThresholdResult, ThresholdTrial};
use crate::engine::rules::Rule;
use crate::engine::solution::CostedTree;
use crate::engine::space::{SubsetOf, TableCosts};
use crate::engine::subset::Subset;
use crate::engine::subset_state::SubsetState;
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};
use std::sync::Arc;

/// The two children of a split, with a lower bound on each from the relaxation.
struct SplitChildren<B: ConstrainedCosts> {
    subsets: [SubsetOf<B>; 2],
    limits: [Limits; 2],
    lower: [Cost; 2],
}

/// Constraints of the two children that are to be searched, and a lower bound on their cost.
struct OpenPair {
    states: [SubsetState; 2],
    lower: Cost,
}

impl<B: ConstrainedCosts> ConstrainedSearch<'_, '_, B> {
    /// Evaluates a split.
    pub(crate) fn constrained_split(
        &mut self,
        trial: &ThresholdTrial,
        subset: &SubsetOf<B>,
        limits: Limits,
    ) -> ThresholdResult {
        let relaxed = if self.space.options.relaxation {
            self.relaxed_split(trial, subset, limits)
        } else {
            let edge =
                || IntervalEdge { left_weight: trial.rule.weight, ..IntervalEdge::default() };
            let children = Some((edge(), edge()));
            ThresholdResult { children, lower: 0, tree: None, threshold_bounds: Vec::new() }
        };
        if relaxed.lower >= trial.upper {
            self.stats.pruned.relaxation += 1;
            return relaxed;
        }
        let lower =
            relaxed.children.as_ref().map_or([0; 2], |edges| [edges.0.child, edges.1.child]);
        let (first, second) = trial.interval.share;
        let mut children = SplitChildren {
            subsets: subset.split_into(self.space.table(), &trial.rule, &mut self.spare),
            limits: [limits.child(first), limits.child(second)],
            lower,
        };
        let cross = self.cross_bound_of(trial, subset, limits, &children);
        if cross >= trial.upper {
            self.stats.pruned.cross_bound += 1;
            children.subsets.into_iter().for_each(|child| child.sorted.spare(&mut self.spare));
            let raised = relaxed.children.map(|(left, right)| {
                let raise =
                    |edge: IntervalEdge| IntervalEdge { total: edge.total.max(cross), ..edge };
                (raise(left), raise(right))
            });
            return ThresholdResult { lower: cross, children: raised, ..relaxed };
        }
        let (lower, tree) = self.constrained_children(trial, subset, &mut children);
        children.subsets.into_iter().for_each(|child| child.sorted.spare(&mut self.spare));
        ThresholdResult { lower: relaxed.lower.max(lower), tree, ..relaxed }
    }

    /// The relaxation of a split, with the conditions of the subset that are conditions on classes.
    fn relaxed_split(
        &mut self,
        trial: &ThresholdTrial,
        subset: &SubsetOf<B>,
        limits: Limits,
    ) -> ThresholdResult {
        let conditions = self.class_conditions(subset);
        if conditions.is_empty() || trial.outer.is_some() {
            let relaxed = self.workspace.plain.try_threshold(trial, subset, limits);
            return ThresholdResult { tree: None, ..relaxed };
        }
        let Rule { feature, rank, weight, .. } = trial.rule;
        let high = right_rank(subset, &trial.rule);
        let children = subset.split_into(self.space.table(), &trial.rule, &mut self.spare);
        let before = [trial.interval.before.child, trial.interval.after.child];
        let mut lower = if self.switches.interval_bound { before } else { [0; 2] };
        let shares = [trial.interval.share.0, trial.interval.share.1];
        for child in 0..2 {
            if join(lower[0], lower[1]) >= trial.children_upper {
                break;
            }
            // Points between both children may go either way.
            let on_side = |point: &[u32]| match child {
                0 => point[feature] <= rank,
                _ => point[feature] >= high,
            };
            let own: Vec<_> = conditions.iter().filter(|c| on_side(&c.1)).cloned().collect();
            let upper = trial.children_upper - lower[1 - child];
            let limits = limits.child(shares[child]);
            let (bound, _) = self.with_conditions(&children[child], &own, limits, upper);
            lower[child] = lower[child].max(bound);
        }
        children.into_iter().for_each(|child| child.sorted.spare(&mut self.spare));
        let total = join(lower[0], lower[1]);
        let edge =
            |child| IntervalEdge { child, total, left_weight: weight, ..IntervalEdge::default() };
        ThresholdResult {
            children: Some((edge(lower[0]), edge(lower[1]))),
            lower: total,
            tree: None,
            threshold_bounds: Vec::new(),
        }
    }

    /// The bound of `cross_bound.rs`; 0 if it is off.
    fn cross_bound_of(
        &mut self,
        trial: &ThresholdTrial,
        subset: &SubsetOf<B>,
        limits: Limits,
        children: &SplitChildren<B>,
    ) -> Cost {
        let Rule { feature, rank, .. } = trial.rule;
        // Splits with one level below them are bounded by the relaxation itself.
        let deep = limits.depth > 2 && limits.min_samples_leaf == 1;
        let directed = self.space.constraints.direction(feature) != 0;
        if !deep || !directed || self.workspace.conditions.is_none() {
            return 0;
        }
        let slots: Vec<u32> = subset.members.iter().collect();
        let target = trial.children_upper;
        self.cross_bound(&slots, (feature, rank), &children.subsets, children.limits, target)
    }

    /// A lower bound on the trees with a split at the root, and the best of them if it costs less
    /// than the upper bound of the trial.
    fn constrained_children(
        &mut self,
        trial: &ThresholdTrial,
        subset: &SubsetOf<B>,
        children: &mut SplitChildren<B>,
    ) -> (Cost, Option<CostedTree>) {
        let column = trial.rule.feature;
        let high = right_rank(subset, &trial.rule);
        let directed = self.space.constraints.direction(column) != 0;
        let slots: Vec<u32> = if directed { subset.members.iter().collect() } else { Vec::new() };
        let (mut upper, mut lower, mut found) = (trial.upper, UNBOUNDED, None);
        let state = self.space.state(subset);
        for rank in ranks_between(state, column, trial.rule.rank, high) {
            let relaxed = join(children.lower[0], children.lower[1]);
            let open = |states| OpenPair { states, lower: relaxed };
            let mut pairs: Vec<OpenPair> =
                shares(self.space.constraints, state, column, rank).into_iter().map(open).collect();
            pairs.reverse();
            while let Some(pair) = pairs.pop() {
                if pair.lower >= upper || self.clock.stopped() {
                    lower = lower.min(pair.lower);
                    continue;
                }
                let (cost, trees) = self.solve_pair(&pair.states, children, upper);
                let cost = cost.max(pair.lower);
                let Some([(left_cost, left), (right_cost, right)]) = trees else {
                    lower = lower.min(cost);
                    continue;
                };
                let tree = Tree::node(column as u32, rank, left, right);
                let choice = match directed {
                    true => Feasibility { space: &self.space }.choice(&slots, &tree),
                    false => None,
                };
                let Some(conditions) = choice else {
                    lower = lower.min(cost);
                    let cost = join(left_cost, right_cost);
                    if cost < upper {
                        (upper, found) = (cost, Some((cost, tree)));
                    }
                    continue;
                };
                self.stats.choices += 1;
                for condition in conditions {
                    let mut states = pair.states.clone();
                    let child = usize::from(condition.point[column] > rank);
                    states[child].conditions.push(condition);
                    pairs.push(OpenPair { states, lower: cost });
                }
            }
        }
        (lower, found)
    }

    /// A lower bound on the cost of two children under constraints, and their best trees if both
    /// cost less than `upper` together.
    fn solve_pair(
        &mut self,
        states: &[SubsetState; 2],
        children: &mut SplitChildren<B>,
        upper: Cost,
    ) -> (Cost, Option<[CostedTree; 2]>) {
        let mut lower = children.lower;
        let mut trees: [Option<CostedTree>; 2] = [None, None];
        // The child with more constraints first: it is more likely to exceed its bound.
        let first = usize::from(states[0].conditions.len() < states[1].conditions.len());
        for child in [first, 1 - first] {
            if join(lower[0], lower[1]) >= upper {
                break;
            }
            children.subsets[child].state = Some(Arc::new(states[child].clone()));
            let (subset, limits) = (&children.subsets[child], children.limits[child]);
            let solution = self.solve(subset, limits, upper - lower[1 - child], None);
            lower[child] = lower[child].max(solution.lower);
            trees[child] = solution.tree;
            if trees[child].is_none() {
                break;
            }
        }
        let [left, right] = trees;
        (join(lower[0], lower[1]), left.zip(right).map(|(left, right)| [left, right]))
    }
}

/// The smallest rank of the right child of a rule.
fn right_rank<T>(subset: &Subset<T>, rule: &Rule) -> u32 {
    subset.sorted.order(rule.feature)[rule.items].rank
}
