//! Depth two by counting all pairs of rules as columns of bits.
//!
//! For tables whose features have few values. Nothing is pruned: each pair of rules is counted once
//! and used for both rules as root, as in MurTree's depth-two solver, but with words of bits
//! instead of lists of rows.
//!
//! If trees are restricted (`directed_roots.rs`), the counts are lower bounds on the costs of roots. The
//! roots are then evaluated in the order of these bounds until the next one is too high.

use super::DepthTwoRoot;
use super::workspace::CountWorkspace;
use crate::engine::rules::Rule;
use crate::engine::solution::{Bounds, Solution};
use crate::kernels::compress::compress;
use crate::kernels::pairs::{BestStumps, PackedColumns, Segment, meet};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use exactree_model::{Cost, Limits, UNBOUNDED};

impl ContinuousSearch<'_, '_> {
    /// Solves a subset with two levels left.
    pub(crate) fn count_pairs(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Solution {
        let candidates: Vec<Rule> = (0..self.space.layout.features.len())
            .flat_map(|feature| subset.rules_of_columns(self.space.layout, feature))
            .collect();
        let mut workspace = std::mem::take(&mut self.workspace.counts);
        self.pack_columns(subset, &candidates, &mut workspace);
        let best = self.stumps_by_root(&candidates, limits.min_samples_leaf, &mut workspace);
        let mut lower = bounds.lower;
        if let Some(best) = best {
            let roots = self.inner_roots(subset, limits, &candidates, &workspace.columns, &best);
            lower = self.take_cheapest(subset, limits, roots, bounds);
        }
        self.workspace.counts = workspace;
        let lower = lower.min(self.space.objective.leaf(subset.leaf_errors()));
        Solution { tree: bounds.incumbent.take(), ..Solution::with_lower(lower) }
    }

    /// Packs the rules of a subset, class by class and plane by plane.
    fn pack_columns(
        &self,
        subset: &ContinuousSubset,
        candidates: &[Rule],
        workspace: &mut CountWorkspace,
    ) {
        let (count, columns) = (candidates.len(), &mut workspace.columns);
        columns.count = count;
        columns.words.clear();
        columns.segments.clear();
        let classes: Vec<u32> = (0..self.space.layout.n_classes as u32)
            .filter(|&c| subset.class_weights[c as usize] > 0)
            .collect();
        columns.totals = classes.iter().map(|&c| subset.class_weights[c as usize]).collect();
        columns.tallies.clear();
        columns.tallies.resize(classes.len() * count, 0);
        for plane in &self.space.layout.planes {
            let Some(class) = classes.iter().position(|&class| class == plane.class) else {
                continue;
            };
            let words = self.space.layout.class_words[plane.class as usize].clone();
            let mask: Vec<u64> = words
                .clone()
                .map(|at| subset.members.words[at] & plane.members.words[at])
                .collect();
            let held: u32 = mask.iter().map(|word| word.count_ones()).sum();
            if held == 0 {
                continue;
            }
            let width = held.div_ceil(64) as usize;
            let start = columns.words.len() / count.max(1);
            columns.words.resize((start + width) * count, 0);
            for (at, rule) in candidates.iter().enumerate() {
                let column = &self.space.layout.features[rule.feature].columns[rule.rank as usize];
                workspace.packed.clear();
                compress(
                    self.instructions,
                    &column.words[words.clone()],
                    &mask,
                    &mut workspace.packed,
                );
                let mut tally = 0;
                for (place, &word) in workspace.packed.iter().enumerate() {
                    columns.words[(start + place) * count + at] = word;
                    tally += word.count_ones() as u64;
                }
                columns.tallies[class * count + at] += tally << plane.bit;
            }
            columns.segments.push(Segment { class, bit: plane.bit, words: start..start + width });
        }
    }

    /// For every rule as root, the weight that the best stump or leaf classifies correctly in each
    /// child; `None` if stopped. Leaves give the initial values.
    fn stumps_by_root(
        &mut self,
        candidates: &[Rule],
        min_samples_leaf: u64,
        workspace: &mut CountWorkspace,
    ) -> Option<BestStumps> {
        let columns = &workspace.columns;
        let leaf = |at: usize, child: fn(u64, u64) -> u64| {
            let weights = columns.totals.iter().enumerate();
            weights
                .map(|(c, &all)| child(all, columns.tallies[c * columns.count + at]))
                .max()
                .unwrap_or(0)
        };
        let mut best = BestStumps {
            left: (0..candidates.len()).map(|at| leaf(at, |_, left| left)).collect(),
            right: (0..candidates.len()).map(|at| leaf(at, |all, left| all - left)).collect(),
        };
        for root in 0..candidates.len() {
            if self.clock.stopped() {
                return None;
            }
            self.stats.stump_evaluations += 1;
            match min_samples_leaf {
                1 => meet::<false>(
                    self.instructions,
                    columns,
                    root,
                    0,
                    &mut workspace.row,
                    &mut best,
                ),
                _ => meet::<true>(
                    self.instructions,
                    columns,
                    root,
                    min_samples_leaf,
                    &mut workspace.row,
                    &mut best,
                ),
            }
        }
        Some(best)
    }

    /// Evaluates roots in the order of their costs, which are lower bounds, while one may cost less than
    /// the others and than the upper bound. Takes the tree of the cheapest one; returns a lower bound.
    fn take_cheapest(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        mut roots: Vec<DepthTwoRoot>,
        bounds: &mut Bounds,
    ) -> Cost {
        let mut lower = UNBOUNDED;
        while let Some(at) = (0..roots.len()).min_by_key(|&at| roots[at].cost) {
            let root = roots.swap_remove(at);
            if root.cost >= lower.min(bounds.upper) || self.clock.stopped() {
                return lower.min(root.cost);
            }
            lower = lower.min(self.take_root(subset, limits, &root, bounds));
        }
        lower
    }

    /// The inner roots and their costs without restrictions, exactly.
    fn inner_roots(
        &self,
        subset: &ContinuousSubset,
        limits: Limits,
        candidates: &[Rule],
        columns: &PackedColumns,
        best: &BestStumps,
    ) -> Vec<DepthTwoRoot> {
        let mut roots = Vec::with_capacity(candidates.len());
        for (at, &rule) in candidates.iter().enumerate() {
            if rule.rows < limits.min_samples_leaf
                || subset.rows - rule.rows < limits.min_samples_leaf
            {
                continue;
            }
            let tally = |class: usize| columns.tallies[class * columns.count + at];
            let classes = || 0..columns.totals.len();
            let left_leaf = classes().map(tally).max().unwrap_or(0);
            let right_leaf = classes().map(|c| columns.totals[c] - tally(c)).max().unwrap_or(0);
            for share in limits.shares() {
                let left = self.child_cost(rule.weight, left_leaf, best.left[at], share.0);
                let right_weight = subset.weight - rule.weight;
                let right = self.child_cost(right_weight, right_leaf, best.right[at], share.1);
                let cost = self.space.objective.join(left, right);
                roots.push(DepthTwoRoot { cost, rule, share });
            }
        }
        roots
    }
}
