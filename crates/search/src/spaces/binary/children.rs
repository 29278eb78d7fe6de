//! Evaluation of one rule of a node: solves both children, by counts or by search.

use super::node::{BinaryNode, CorrectWeights, LeafSupport};
use super::space::BinarySearch;
use super::subset::BinarySubset;
use crate::engine::columns::{ColumnResult, ColumnTrial};
use crate::engine::solution::{Bounds, Solution};
use crate::kernels::chunks::ChunkLane;
use exactree_model::{Cost, Limits, UNBOUNDED};

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    /// Evaluates a rule with all ways to divide the size.
    pub(crate) fn try_rule(
        &mut self,
        trial: &ColumnTrial<BinaryNode<L>>,
        subset: &BinarySubset,
        limits: Limits,
    ) -> ColumnResult {
        let (node, rule) = (&*trial.counts, trial.column.number as usize);
        let evaluated = EvaluatedRule { subset, limits, node, rule };
        self.workspace.expanded = node.expanded;
        self.workspace.children.invalidate();
        let mut bounds = Bounds::with_upper(trial.upper);
        let (mut lower, mut children) = (UNBOUNDED, trial.column.children);
        for &share in &node.shares {
            lower = lower.min(self.try_share(&evaluated, share, &mut children, &mut bounds));
        }
        // The caller may be evaluating a rule of the node above, which counts into the same memory.
        self.workspace.children.invalidate();
        let both = if trial.similar { node.counts.common_weights(rule) } else { Vec::new() };
        ColumnResult { lower, children, tree: bounds.incumbent, both }
    }

    /// Returns a lower bound on the trees with this rule as root and this division of the size;
    /// raises `child_bounds`, the bounds on the children of maximum size.
    fn try_share(
        &mut self,
        evaluated: &EvaluatedRule<'_, L>,
        share: (u32, u32),
        child_bounds: &mut [Cost; 2],
        bounds: &mut Bounds,
    ) -> Cost {
        let EvaluatedRule { limits, node, rule, .. } = *evaluated;
        let sizes = [share.0, share.1];
        let within = sizes.map(|size| limits.child(size));
        let previews = [0, 1].map(|child| self.preview(evaluated, child == 0, within[child]));
        let mut lower = [0, 1].map(|child: usize| {
            let counted = previews[child].as_ref().map_or(0, |preview| preview.lower());
            counted.max(child_bounds[child])
        });
        let mut trees: [Option<ChildSolution>; 2] = [None, None];
        let larger = (2 * node.weights[rule] < node.weight) as usize;
        for child in [larger, 1 - larger] {
            if lower[0] + lower[1] >= bounds.upper {
                return lower[0] + lower[1];
            }
            let upper = bounds.upper - lower[1 - child];
            let preview = previews[child].as_ref();
            let solved = self.solve_child(evaluated, child == 0, within[child], upper, preview);
            lower[child] = lower[child].max(solved.lower());
            trees[child] = Some(solved);
            if sizes[child] == node.max_child_size {
                child_bounds[child] = lower[child];
            }
        }
        if let [Some(left), Some(right)] = trees {
            self.take_root(evaluated, within, [left, right], bounds);
        }
        lower[0] + lower[1]
    }

    /// Builds the tree of a rule and its two children, if it is cheaper than the upper bound.
    fn take_root(
        &mut self,
        evaluated: &EvaluatedRule<'_, L>,
        within: [Limits; 2],
        solved: [ChildSolution; 2],
        bounds: &mut Bounds,
    ) {
        let costs = solved.each_ref().map(ChildSolution::cost);
        let [Some(left), Some(right)] = costs else { return };
        let cost = self.space.objective.join(left, right);
        if cost >= bounds.upper {
            return;
        }
        let mut trees = Vec::with_capacity(2);
        for (child, solved) in solved.into_iter().enumerate() {
            trees.push(match solved {
                ChildSolution::Searched(solution) => solution.tree.map(|(_, tree)| tree),
                ChildSolution::Counted(_) | ChildSolution::Previewed(..) => {
                    let subset = self.child(evaluated.subset, evaluated.rule, child == 0);
                    let limits = self.reachable_limits(&subset, within[child].depth_two());
                    Some(self.small_tree(&subset, limits).1)
                }
            });
        }
        let (Some(right), Some(left)) = (trees.pop().flatten(), trees.pop().flatten()) else {
            return;
        };
        bounds.improve(cost, self.split_tree(evaluated.subset, evaluated.rule, left, right));
    }

    /// The child of a rule of a subset.
    pub(crate) fn child(&self, subset: &BinarySubset, rule: usize, left: bool) -> BinarySubset {
        subset.child(self.space.columns, self.instructions, rule, left)
    }

    /// Counts the trees of depth two of a child that may be deeper. With a leaf price every deeper
    /// tree pays for two leaves more than a stump, so that these counts often solve the child.
    fn preview(
        &mut self,
        evaluated: &EvaluatedRule<'_, L>,
        left: bool,
        limits: Limits,
    ) -> Option<ChildPreview> {
        let pays = self.space.objective.leaf_price > 0 && self.space.options.look_ahead;
        if limits.depth <= 2 || !pays {
            return None;
        }
        let columns = &evaluated.subset.columns;
        let column = columns.column(evaluated.rule);
        let within = |at: usize| if left { column[at] } else { columns.all[at] & !column[at] };
        let unavoidable = columns.unavoidable_in(within);
        let (correct, leaf_support) = self.count_bounds(evaluated, left, limits);
        let shallow =
            self.min_cost(evaluated.node.weight_of((evaluated.rule, left)), &correct, limits.size);
        Some(ChildPreview { shallow, deeper: self.space.deeper(unavoidable, leaf_support) })
    }

    /// Solves a child of a rule as long as its cost can be below `upper`.
    fn solve_child(
        &mut self,
        evaluated: &EvaluatedRule<'_, L>,
        left: bool,
        limits: Limits,
        upper: Cost,
        preview: Option<&ChildPreview>,
    ) -> ChildSolution {
        let EvaluatedRule { subset, node, rule, .. } = *evaluated;
        if limits.depth <= 2 {
            let (correct, _) = self.count_bounds(evaluated, left, limits);
            return ChildSolution::Counted(self.min_cost(
                evaluated.node.weight_of((evaluated.rule, left)),
                &correct,
                limits.size,
            ));
        }
        if let Some(preview) = preview.filter(|preview| preview.shallow <= preview.deeper) {
            return ChildSolution::Counted(preview.shallow);
        }
        if let Some(preview) = preview.filter(|_| subset.path.len() >= node.expanded) {
            return ChildSolution::Previewed(preview.shallow, preview.deeper);
        }
        let limits = self.affordable_limits(limits, upper);
        let members = subset.members_on(self.space.columns, rule, left);
        let child = |search: &mut Self| search.child(subset, rule, left);
        ChildSolution::Searched(self.solve_unless_cached(&members, limits, upper, None, child))
    }

    /// Counts the pairs in the smaller child of a rule.
    fn count_child(&mut self, evaluated: &EvaluatedRule<'_, L>) {
        let EvaluatedRule { subset, node, rule, .. } = *evaluated;
        let children = &mut self.workspace.children;
        if children.is_counted(rule) {
            return;
        }
        let small = node.counts.left_is_smaller(rule);
        match self.space.lists {
            Some(lists) => {
                let members = subset.members_on(self.space.columns, rule, small);
                children.list(lists, &subset.columns, rule, &members.words);
            }
            None => children.spread(self.instructions, &subset.columns, rule, small),
        }
    }

    /// The weights that small trees of a child classify correctly, and its leaf support, from
    /// counts.
    fn count_bounds(
        &mut self,
        evaluated: &EvaluatedRule<'_, L>,
        left: bool,
        limits: Limits,
    ) -> (CorrectWeights, LeafSupport) {
        let path = evaluated.subset.path_to(evaluated.rule, left);
        let cache = self.space.options.path_cache.then_some(self.space.path_cache);
        let known = cache.and_then(|cache| cache.get(&path));
        self.stats.pruned.path_cache += known.is_some() as u64;
        known.unwrap_or_else(|| {
            self.stats.depth_two_calls += 1;
            self.stats.pruned.sparse_lists += self.space.lists.is_some() as u64;
            self.count_child(evaluated);
            let counted = self.workspace.children.correct_weights(
                self.instructions,
                &evaluated.node.counts,
                (evaluated.rule, left),
                limits.min_samples_leaf,
                self.space.needed_weights(),
            );
            if let Some(cache) = cache {
                cache.insert(path, counted);
            }
            counted
        })
    }
}

/// The rule of a node that is being evaluated.
#[derive(Clone, Copy)]
struct EvaluatedRule<'p, L> {
    subset: &'p BinarySubset,
    limits: Limits,
    node: &'p BinaryNode<L>,
    rule: usize,
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
    Searched(Solution),
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
