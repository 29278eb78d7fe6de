//! Evaluation of one rule of a node: solves both children, by counts or by search.

use super::node::{BinaryNode, CorrectWeights, LeafSupport};
use super::open_rules::{RuleResult, RuleTrial};
use super::search::{BinarySearch, reachable_limits};
use super::solution::{BinaryBounds, BinarySolution};
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Limits, UNBOUNDED};

impl<L: ChunkLane> BinarySearch<'_, L> {
    /// Evaluates a rule with all ways to divide the size.
    pub(super) fn try_rule(&mut self, trial: &RuleTrial, node: &BinaryNode<'_, L>) -> RuleResult {
        self.children.invalidate();
        let mut bounds = BinaryBounds { upper: trial.upper, lower: 0, incumbent: None };
        let mut tried = RuleResult { lower: UNBOUNDED, children: [None; 2], tree: None };
        for &share in &node.shares {
            let lower = self.try_share(trial, share, node, &mut tried.children, &mut bounds);
            tried.lower = tried.lower.min(lower);
        }
        tried.tree = bounds.incumbent;
        tried
    }

    /// Returns a lower bound on the trees with this rule as root and this division of the size;
    /// raises `child_bounds`, the bounds on the children of maximum size.
    fn try_share(
        &mut self,
        trial: &RuleTrial,
        share: (u32, u32),
        node: &BinaryNode<'_, L>,
        child_bounds: &mut [Option<Cost>; 2],
        bounds: &mut BinaryBounds,
    ) -> Cost {
        let rule = trial.rule;
        let sizes = [share.0, share.1];
        let previews = [0, 1]
            .map(|child| self.preview(node, (rule, child == 0), node.limits.child(sizes[child])));
        let mut lower = [0, 1].map(|child: usize| {
            let counted = previews[child].as_ref().map_or(0, |preview| preview.lower());
            counted.max(trial.children[child]).max(child_bounds[child].unwrap_or(0))
        });
        let mut trees: [Option<ChildSolution>; 2] = [None, None];
        let larger = (2 * node.weights[rule] < node.subset.weight) as usize;
        for child in [larger, 1 - larger] {
            if lower[0] + lower[1] >= bounds.upper {
                return lower[0] + lower[1];
            }
            let limits = node.limits.child(sizes[child]);
            let upper = bounds.upper - lower[1 - child];
            let preview = previews[child].as_ref();
            let solved = self.solve_child(node, (rule, child == 0), limits, upper, preview);
            lower[child] = lower[child].max(solved.lower());
            trees[child] = Some(solved);
            if sizes[child] == node.max_child_size {
                child_bounds[child] = Some(lower[child]);
            }
        }
        if let [Some(left), Some(right)] = trees {
            self.take_root(rule, sizes, [left, right], node, bounds);
        }
        lower[0] + lower[1]
    }

    /// Builds the tree of a rule and its two children, if it is cheaper than the upper bound.
    fn take_root(
        &mut self,
        rule: usize,
        sizes: [u32; 2],
        solved: [ChildSolution; 2],
        node: &BinaryNode<'_, L>,
        bounds: &mut BinaryBounds,
    ) {
        let costs = solved.each_ref().map(ChildSolution::cost);
        let [Some(left), Some(right)] = costs else { return };
        let cost = self.objective.join(left, right);
        if cost >= bounds.upper {
            return;
        }
        let mut trees = Vec::with_capacity(2);
        for (child, solved) in solved.into_iter().enumerate() {
            trees.push(match solved {
                ChildSolution::Searched(solution) => solution.tree.map(|(_, tree)| tree),
                ChildSolution::Counted(_) | ChildSolution::Previewed(..) => {
                    let subset = node.subset.child(self.columns, self.level, rule, child == 0);
                    let limits =
                        reachable_limits(&subset, node.limits.child(sizes[child]).depth_two());
                    Some(self.small_tree(&subset, limits).1)
                }
            });
        }
        let (Some(right), Some(left)) = (trees.pop().flatten(), trees.pop().flatten()) else {
            return;
        };
        bounds.improve(cost, || self.split_tree(&node.subset, rule, left, right));
    }

    /// Counts the trees of depth two of a child that may be deeper. With a leaf price every deeper
    /// tree pays for two leaves more than a stump, so that these counts often solve the child.
    fn preview(
        &mut self,
        node: &BinaryNode<'_, L>,
        child: (usize, bool),
        limits: Limits,
    ) -> Option<ChildPreview> {
        if limits.depth <= 2 || self.objective.leaf_price == 0 || !self.options.look_ahead {
            return None;
        }
        let columns = &node.subset.columns;
        let column = columns.column(child.0);
        let within = |at: usize| if child.1 { column[at] } else { columns.all[at] & !column[at] };
        let unavoidable = columns.unavoidable_in(within);
        let (correct, leaf_support) = self.count_bounds(node, child, limits);
        let shallow = self.min_cost(node.weight(child), &correct, limits.size);
        Some(ChildPreview { shallow, deeper: self.deeper(unavoidable, leaf_support) })
    }

    /// Solves a child of a rule as long as its cost can be below `upper`.
    fn solve_child(
        &mut self,
        node: &BinaryNode<'_, L>,
        child: (usize, bool),
        limits: Limits,
        upper: Cost,
        preview: Option<&ChildPreview>,
    ) -> ChildSolution {
        let (rule, left) = child;
        if limits.depth <= 2 {
            return ChildSolution::Counted(self.shallow_cost(node, child, limits));
        }
        if let Some(preview) = preview.filter(|preview| preview.shallow <= preview.deeper) {
            return ChildSolution::Counted(preview.shallow);
        }
        if let Some(preview) = preview.filter(|_| node.subset.path.len() >= self.expanded) {
            return ChildSolution::Previewed(preview.shallow, preview.deeper);
        }
        let limits = self.affordable_limits(limits, upper);
        let members = node.subset.members_on(self.columns, rule, left);
        let known = match self.cached(&members, limits, upper) {
            Ok(solution) => return ChildSolution::Searched(solution),
            Err(known) => known,
        };
        let subset = node.subset.child(self.columns, self.level, rule, left);
        let solution = self.solve_uncached(&subset, limits, upper, known);
        self.children.invalidate();
        ChildSolution::Searched(solution)
    }

    /// Minimum cost of a tree of depth at most two for a child of a rule.
    fn shallow_cost(
        &mut self,
        node: &BinaryNode<'_, L>,
        child: (usize, bool),
        limits: Limits,
    ) -> Cost {
        let (correct, _) = self.count_bounds(node, child, limits);
        self.min_cost(node.weight(child), &correct, limits.size)
    }

    /// Counts the pairs in the smaller child of a rule.
    fn count_child(&mut self, node: &BinaryNode<'_, L>, rule: usize) {
        if self.children.is_counted(rule) {
            return;
        }
        let small = node.counts.left_is_smaller(rule);
        match self.lists {
            Some(lists) => {
                let members = node.subset.members_on(self.columns, rule, small);
                self.children.list(lists, &node.subset.columns, rule, &members.words);
            }
            None => self.children.spread(self.level, &node.subset.columns, rule, small),
        }
    }

    /// The weights that small trees of a child classify correctly, and its leaf support, from
    /// counts.
    fn count_bounds(
        &mut self,
        node: &BinaryNode<'_, L>,
        child: (usize, bool),
        limits: Limits,
    ) -> (CorrectWeights, LeafSupport) {
        let path = node.subset.path_to(child.0, child.1);
        let known = if self.options.path_cache { self.path_cache.get(&path) } else { None };
        self.stats.pruned.path_cache += known.is_some() as u64;
        known.unwrap_or_else(|| {
            self.stats.depth_two_calls += 1;
            self.stats.pruned.sparse_lists += self.lists.is_some() as u64;
            self.count_child(node, child.0);
            let (level, minimum) = (self.level, limits.min_samples_leaf);
            let counted = self.children.correct_weights(
                level,
                &node.counts,
                child,
                minimum,
                self.needed_weights(),
            );
            if self.options.path_cache {
                self.path_cache.insert(path, counted);
            }
            counted
        })
    }
}

/// Bounds on a child before it is searched.
struct ChildPreview {
    /// Minimum cost of a tree of depth at most two.
    shallow: Cost,
    /// A lower bound on all other trees.
    deeper: Cost,
}

impl ChildPreview {
    fn lower(&self) -> Cost {
        self.shallow.min(self.deeper)
    }
}

/// The solution of a child of a rule.
enum ChildSolution {
    /// Its minimum cost, reached by a tree of depth at most two, which is only built when needed.
    Counted(Cost),
    /// The minimum cost of its trees of depth at most two, and a lower bound on all others.
    Previewed(Cost, Cost),
    Searched(BinarySolution),
}

impl ChildSolution {
    fn lower(&self) -> Cost {
        match self {
            ChildSolution::Counted(cost) => *cost,
            ChildSolution::Previewed(shallow, deeper) => *shallow.min(deeper),
            ChildSolution::Searched(solution) => solution.lower,
        }
    }

    fn cost(&self) -> Option<Cost> {
        match self {
            ChildSolution::Counted(cost) | ChildSolution::Previewed(cost, _) => Some(*cost),
            ChildSolution::Searched(solution) => solution.tree.as_ref().map(|tree| tree.0),
        }
    }
}
