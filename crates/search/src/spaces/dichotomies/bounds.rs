//! Lower bounds that need no search, and pruning by them.
//!
//! *Equivalent points.* Examples that no dichotomy distinguishes end in the same leaf of every
//! tree; all of their weight but that of the heaviest class is misclassified.
//!
//! *Class count.* A tree with l leaves predicts at most l classes, so it misclassifies at least the
//! weight of all classes but the l heaviest.
//!
//! *Similarity bound.* Take the best tree with rule g at the root, and put rule h there instead,
//! with the same trees below. Only the predictions of examples that g and h send to different
//! children may change, so the errors grow by at most their weight d. Nodes that no longer split
//! their examples can be left out, which makes the tree no larger, no deeper and not more
//! expensive. So the best tree with root h costs at most d more than that with root g: no tree with
//! root g costs less than (best with root h) − d. If g is replaced by its opposite and the two
//! trees are exchanged, the same holds for the rest of the weight. This does not hold with a
//! minimum leaf size or with limits on the leaves of a class, which the changed tree may violate;
//! there the bound is not used.
//!
//! *Relaxation.* A tree that satisfies a minimum leaf size is also a tree without that minimum. So
//! a lower bound without the minimum holds with it, and an optimal tree of the relaxed problem that
//! satisfies the minimum is optimal.

use super::search::DichotomySearch;
use super::subset::{DichotomySubset, SubsetDichotomies};
use crate::engine::solution::{Bounds, Solution};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Weight};

impl DichotomySearch<'_> {
    /// Whether these bounds prove that no tree with an inner root costs less than the upper bound.
    /// Raises the lower bound in `bounds`.
    pub(super) fn pruned(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        if limits.leaf_only()
            || (limits.min_samples_leaf > 1 && subset.rows < 2 * limits.min_samples_leaf)
        {
            bounds.lower = bounds.lower.max(self.objective.leaf(subset.leaf_errors()));
            return true;
        }
        let (equivalent_points, class_count) =
            (self.equivalent_points(subset), self.class_count(subset, limits));
        bounds.lower = bounds.lower.max(self.two_leaves(equivalent_points.max(class_count)));
        let prunes = bounds.lower >= bounds.upper;
        let by_rows = prunes && self.two_leaves(equivalent_points) >= bounds.upper;
        self.stats.pruned.equivalent_points += u64::from(by_rows);
        self.stats.pruned.class_count += u64::from(prunes && !by_rows);
        prunes
    }

    /// A lower bound on the cost of all trees for a subset, including the single leaf.
    pub(super) fn floor(&self, subset: &DichotomySubset, limits: Limits) -> Cost {
        let leaf = self.objective.leaf(subset.leaf_errors());
        if limits.leaf_only() {
            return leaf;
        }
        self.objective
            .leaf(self.equivalent_points(subset).max(self.class_count(subset, limits)))
            .min(leaf)
    }

    /// The limits of trees that cost less than `upper`; a tree has one leaf more than nodes.
    pub(super) fn affordable_limits(&self, limits: Limits, upper: Cost) -> Limits {
        let leaves = upper
            .saturating_sub(1 + offset(Mutant::ProperLeafBudget))
            .checked_div(self.objective.leaf_price);
        let Some(leaves) = leaves else { return limits };
        let size = leaves.saturating_sub(1).min(u64::from(limits.size)) as u32;
        Limits { size, ..limits }.normalised()
    }

    fn two_leaves(&self, errors: Weight) -> Cost {
        self.objective.leaf(errors) + self.objective.leaf(0)
    }

    fn equivalent_points(&self, subset: &DichotomySubset) -> Weight {
        match self.request.options.equivalent_points {
            true => subset.unavoidable + offset(Mutant::ProperEqualRows),
            false => 0,
        }
    }

    fn class_count(&self, subset: &DichotomySubset, limits: Limits) -> Weight {
        let leaves = u64::from(limits.size.saturating_add(1)) - offset(Mutant::ProperClassCount);
        if !self.request.options.class_count || leaves >= subset.class_weights.len() as u64 {
            return 0;
        }
        let mut weights = subset.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves as usize..].iter().sum()
    }

    /// Raises the lower bounds of the rules similar to a root, given the lower bound `root_lower`
    /// on the trees with that root.
    pub(super) fn raise_similar(
        &mut self,
        dichotomies: &SubsetDichotomies,
        root: usize,
        root_lower: Cost,
        lower: &mut [Cost],
    ) {
        let columns = &dichotomies.columns;
        let n = columns.count;
        let mut both = vec![0; n];
        let classes = columns.segments.iter().filter(|s| s.class < self.prepared.n_classes);
        for segment in classes {
            for word in segment.words.clone() {
                let words = &columns.words[word * n..(word + 1) * n];
                let mine = words[root];
                for (both, &other) in both.iter_mut().zip(words) {
                    *both += ((mine & other).count_ones() as u64) << segment.bit;
                }
            }
        }
        self.raise(dichotomies, root, &both, root_lower, lower);
    }

    /// Like `raise_similar`, given the weight that each rule and the root both send left.
    pub(super) fn raise(
        &self,
        dichotomies: &SubsetDichotomies,
        root: usize,
        both: &[Weight],
        root_lower: Cost,
        lower: &mut [Cost],
    ) {
        let price = self.objective.error_price;
        let (mine, total) = (dichotomies.left[root], dichotomies.weight);
        let others = both.iter().zip(&dichotomies.left);
        for (lower, (&both, &other)) in lower.iter_mut().zip(others) {
            let difference = mine + other - 2 * both;
            let difference = difference.min(total - difference)
                - offset(Mutant::DichotomySimilarity).min(difference);
            *lower = (*lower).max(root_lower.saturating_sub(difference * price));
        }
    }

    /// The solution without the minimum leaf size, if that solves the subproblem; otherwise its
    /// lower bound tightens the bounds.
    pub(super) fn solved_by_relaxation(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        upper: Cost,
        bounds: &mut Bounds,
    ) -> Option<Solution> {
        // Relaxed trees are no incumbents and are not reported.
        self.open_calls += 1;
        let solution = self.solve(subset, limits.relaxed(), upper);
        self.open_calls -= 1;
        if let Some((cost, tree)) = solution.tree
            && self.min_leaf_rows(&subset.members, &tree) >= limits.min_samples_leaf
        {
            bounds.improve(cost, tree);
        }
        bounds.lower = bounds.lower.max(solution.lower);
        if bounds.lower < bounds.upper {
            return None;
        }
        self.stats.pruned.relaxation += 1;
        Some(self.solution_of(subset, std::mem::replace(bounds, Bounds::with_upper(upper))))
    }
}
