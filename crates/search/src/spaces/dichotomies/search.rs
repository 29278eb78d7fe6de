//! Start here: the recursion on subsets, which tries every rule with optimal trees of both
//! children.

use super::prepared_table::DichotomyTable;
use super::request::{ProperRequest, ProperStats};
use super::subset::{DichotomySubset, SubsetDichotomies};
use crate::engine::solution::{Bounds, Solution};
use crate::kernels::InstructionSet;
use crate::kernels::stumps::StumpCounts;
use crate::support::cache::{Cache, CacheEntry};
use crate::support::clock::Clock;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, StoppedBy, Tree, UNBOUNDED, Weight};
use std::rc::Rc;
use std::sync::Arc;

/// The margin by which children are solved beyond their upper bounds: the weight of the subset
/// divided by this.
const MARGIN_DIVISOR: Weight = 32;

/// One search over one table.
pub(super) struct DichotomySearch<'a> {
    pub prepared: &'a DichotomyTable,
    pub request: &'a ProperRequest,
    pub objective: Errors,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub cache: Cache,
    pub stats: ProperStats,
    pub level: InstructionSet,
    pub below: StumpCounts,
    /// Number of open calls of `solve`; the outermost reports progress.
    pub open_calls: u32,
}

impl<'a> DichotomySearch<'a> {
    pub(super) fn new(
        prepared: &'a DichotomyTable,
        request: &'a ProperRequest,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> Self {
        DichotomySearch {
            prepared,
            request,
            objective: request.objective,
            clock,
            progress,
            cache: Cache::new(None),
            stats: ProperStats::default(),
            level: InstructionSet::detect(true),
            below: StumpCounts::default(),
            open_calls: 0,
        }
    }

    /// The best tree for a subset within limits that costs less than `upper`, or the proof that
    /// none exists.
    pub(super) fn solve(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        upper: Cost,
    ) -> Solution {
        let solution = self.solve_within(subset, self.tightened(subset, limits, upper), upper);
        // Trees pruned by the leaf price cost `upper` or more.
        if self.objective.leaf_price > 0 { solution.capped_at(upper) } else { solution }
    }

    /// The limits that trees which cost less than `upper` can reach. The number of examples comes
    /// last: it removes a limit on the size that the leaf price has set beyond it.
    pub(super) fn tightened(
        &self,
        subset: &DichotomySubset,
        limits: Limits,
        upper: Cost,
    ) -> Limits {
        reachable_limits(subset, self.affordable_limits(limits, upper))
    }

    fn solve_within(&mut self, subset: &DichotomySubset, limits: Limits, upper: Cost) -> Solution {
        let mut bounds = self.leaf(subset, limits, upper);
        if self.cached(subset, limits, &mut bounds) {
            return self.solution_of(subset, bounds);
        }
        self.stats.nodes += 1;
        if self.clock.stopped() || self.pruned(subset, limits, &mut bounds) {
            return self.solution_of(subset, bounds);
        }
        if limits.min_samples_leaf > 1
            && self.request.options.relaxation
            && let Some(solution) = self.solved_by_relaxation(subset, limits, upper, &mut bounds)
        {
            return solution;
        }
        self.open_calls += 1;
        let small = limits.is_terminal() && self.request.options.depth_two;
        let lower = match small {
            true => self.depth_two(subset, limits, &mut bounds),
            false => self.all_roots(subset, limits, &mut bounds),
        };
        self.open_calls -= 1;
        bounds.lower = bounds.lower.max(lower);
        let solution = self.solution_of(subset, bounds);
        if self.request.options.cache {
            let entry = CacheEntry { limits, lower: solution.lower, tree: solution.tree.clone() };
            self.cache.insert(&subset.members, entry, 1);
        }
        solution
    }

    /// Tries the rules of a subset as root; returns a lower bound on all of them.
    fn all_roots(&mut self, subset: &DichotomySubset, limits: Limits, bounds: &mut Bounds) -> Cost {
        let dichotomies = self.dichotomies(subset, limits);
        let ids = Rc::new(dichotomies.ids.clone());
        let mut lower = vec![bounds.lower; ids.len()];
        for root in self.promising_roots(&dichotomies, limits) {
            if lower[root] >= bounds.upper {
                self.stats.pruned.similarity_bound += 1;
                continue;
            }
            if self.must_stop(bounds, &lower) {
                break;
            }
            self.stats.roots += 1;
            let children = subset.split(self.prepared, ids[root], &ids);
            let minimum = self.root(ids[root], &children, limits, bounds);
            lower[root] = lower[root].max(minimum);
            if limits.min_samples_leaf == 1
                && self.request.options.similarity_bound
                && minimum > bounds.upper
            {
                self.raise_similar(&dichotomies, root, minimum, &mut lower);
            }
        }
        // Rules whose children have too few rows are not allowed as roots.
        let tried = self.allowed(&dichotomies, limits);
        let open = (0..ids.len()).filter(|&root| tried(root)).map(|root| lower[root]).min();
        open.unwrap_or(UNBOUNDED)
    }

    /// A lower bound on all trees with a rule at the root; a tree that costs
    /// less than the incumbent becomes it.
    fn root(
        &mut self,
        rule: u32,
        (left, right): &(DichotomySubset, DichotomySubset),
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Cost {
        let margin = self.margin(left.weight + right.weight, limits);
        let mut minimum = UNBOUNDED;
        for (left_size, right_size) in limits.shares() {
            let [at_left, at_right] = [limits.child(left_size), limits.child(right_size)];
            let upper = bounds.upper.saturating_add(margin).min(UNBOUNDED);
            let mut lower = [self.floor(left, at_left), self.floor(right, at_right)];
            let mut trees = [None, None];
            // The larger child first: it is more likely to exceed the upper bound.
            let first = usize::from(left.weight < right.weight);
            for child in [first, 1 - first] {
                if lower[0] + lower[1] >= upper {
                    break;
                }
                let (subset, limits) = if child == 0 { (left, at_left) } else { (right, at_right) };
                let solution = self.solve(subset, limits, upper - lower[1 - child]);
                lower[child] = lower[child].max(solution.lower);
                trees[child] = solution.tree;
            }
            minimum = minimum.min(lower[0] + lower[1]);
            if let [Some((left_cost, left)), Some((right_cost, right))] = trees
                && left_cost + right_cost < bounds.upper
            {
                bounds.improve(left_cost + right_cost, Tree::node(rule, 0, left, right));
            }
        }
        minimum
    }

    /// The margin by which children are solved beyond their upper bounds, as a cost.
    fn margin(&self, weight: Weight, limits: Limits) -> Cost {
        let options = &self.request.options;
        let applies =
            options.similarity_bound && options.upper_bound_margin && limits.min_samples_leaf == 1;
        if applies { weight.div_ceil(MARGIN_DIVISOR) * self.objective.error_price } else { 0 }
    }

    /// The rules that a subset may have at its root within limits.
    pub(super) fn dichotomies(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
    ) -> Rc<SubsetDichotomies> {
        let with_rows = limits.min_samples_leaf > 1;
        let new = !subset.has_dichotomies(with_rows);
        let dichotomies = subset.dichotomies(self.prepared, self.level, with_rows);
        self.stats.pruned.equal_rules += if new { dichotomies.equal } else { 0 };
        dichotomies
    }

    /// A predicate: whether a rule leaves enough rows in both children.
    pub(super) fn allowed<'f>(
        &self,
        dichotomies: &'f SubsetDichotomies,
        limits: Limits,
    ) -> impl Fn(usize) -> bool + use<'f> {
        let rows = self.prepared.n_classes * dichotomies.columns.count;
        move |rule| {
            limits.min_samples_leaf == 1 || {
                let left = dichotomies.columns.tallies[rows + rule];
                let all = dichotomies.columns.totals[dichotomies.columns.totals.len() - 1];
                left >= limits.min_samples_leaf && all - left >= limits.min_samples_leaf
            }
        }
    }

    /// All rules that may be the root, those of minimum Gini impurity first.
    pub(super) fn promising_roots(
        &self,
        dichotomies: &SubsetDichotomies,
        limits: Limits,
    ) -> Vec<usize> {
        let columns = &dichotomies.columns;
        let classes = 0..self.prepared.n_classes;
        let allowed = self.allowed(dichotomies, limits);
        let mut order: Vec<(f64, usize)> = (0..columns.count)
            .filter(|&rule| allowed(rule))
            .map(|rule| {
                let child = |weigh: &dyn Fn(usize) -> Weight| {
                    let weights = classes.clone().map(|class| weigh(class) as f64);
                    let (sum, squares) = weights
                        .fold((0.0, 0.0), |(s, q), weight| (s + weight, q + weight * weight));
                    if sum > 0.0 { squares / sum } else { 0.0 }
                };
                let left = |class: usize| columns.tallies[class * columns.count + rule];
                let right = |class: usize| columns.totals[class] - left(class);
                (-(child(&left) + child(&right)), rule)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, rule)| rule).collect()
    }

    /// The leaf as first incumbent, if it has enough rows.
    pub(super) fn leaf(&mut self, subset: &DichotomySubset, limits: Limits, upper: Cost) -> Bounds {
        let mut bounds = Bounds::with_upper(upper);
        if limits.min_samples_leaf == 1 || subset.rows >= limits.min_samples_leaf {
            let class = Errors::leaf_class(&subset.class_weights);
            bounds.improve(self.objective.leaf(subset.leaf_errors()), Tree::leaf(class));
        }
        bounds
    }

    /// The solution with these bounds: their lower bound holds for trees with an inner root, and a
    /// leaf may cost less.
    pub(super) fn solution_of(&self, subset: &DichotomySubset, bounds: Bounds) -> Solution {
        let lower = bounds.lower.min(self.objective.leaf(subset.leaf_errors()));
        Solution { tree: bounds.incumbent, ..Solution::with_lower(lower) }
    }

    /// Whether the cache solves a subset.
    fn cached(&mut self, subset: &DichotomySubset, limits: Limits, bounds: &mut Bounds) -> bool {
        if !self.request.options.cache || limits.leaf_only() {
            return false;
        }
        self.stats.cache_lookups += 1;
        let Some(known) = self.cache.lookup(&subset.members, &limits) else { return false };
        bounds.lower = bounds.lower.max(known.lower);
        if let Some((cost, tree)) = known.tree {
            bounds.improve(cost, tree);
        }
        let solved = bounds.lower >= bounds.upper;
        self.stats.cache_hits += u64::from(solved);
        self.stats.pruned.cached_bounds += u64::from(solved);
        solved
    }

    /// Whether to unwind now. The outermost call also reports progress and checks the gap.
    pub(super) fn must_stop(&mut self, bounds: &Bounds, lower: &[Cost]) -> bool {
        if self.open_calls == 1 {
            let lower = lower.iter().min().copied().unwrap_or(0).min(bounds.upper);
            self.progress
                .report(bounds.incumbent.as_ref().map_or(UNBOUNDED, |found| found.0), lower);
            let gap = self.request.stop_at_gap;
            if gap > 0.0 && self.progress.gap() <= gap {
                self.clock.stop(StoppedBy::Gap);
            }
        }
        self.clock.stopped()
    }

    /// The same tree with the dichotomies numbered as in the request.
    pub(super) fn in_table_dichotomies(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        match &**tree {
            Tree::Leaf { .. } => tree.clone(),
            Tree::Node { feature, rank, left, right } => Tree::node(
                self.prepared.kept[*feature as usize],
                *rank,
                self.in_table_dichotomies(left),
                self.in_table_dichotomies(right),
            ),
        }
    }
}

/// The limits that trees of a subset can reach: every rule has two non-empty children, so a tree has
/// fewer nodes than examples, and a size limit of at least that many is no limit, here and below.
pub(super) fn reachable_limits(subset: &DichotomySubset, limits: Limits) -> Limits {
    let rules = subset.n_examples.saturating_sub(1);
    let size = if limits.size >= rules { u32::MAX } else { limits.size };
    Limits { depth: limits.depth.min(rules), size, ..limits }.normalised()
}
