//! Lower bounds, and what they settle.
//!
//! *Equal rows.* Examples that no dichotomy tells apart end in the same leaf of
//! every tree; all but the heaviest class among them is misclassified.
//!
//! *Class count.* A tree with l leaves predicts at most l classes, so it misses
//! all but the l heaviest ones.
//!
//! *Near.* Take the best tree with rule g at the root, and put rule h there
//! instead, with the same trees below. Only examples that g and h send to
//! different sides may now be predicted otherwise, so the errors grow by at most
//! their weight d. Nodes that no longer divide their examples can be left out,
//! which makes the tree no larger, no deeper and no dearer. So the best tree
//! with root h costs at most d more than that with root g: no tree with root g
//! costs less than (best with root h) − d. If g is turned into its opposite and
//! the two trees are exchanged, the same holds for the rest of the weight.
//! This does not hold with a demand on rows or on leaves of a class, which the
//! changed tree may break: there it is not used.
//!
//! *Relaxed.* A tree that meets a demand on rows is one of those without it. So
//! what is proved without the demand is a lower bound, and if the best tree found
//! there meets the demand it is best here.

use super::field::{Field, Part};
use super::search::Search;
use crate::answer::{Answer, Bracket};
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Limits, Weight};

impl Search<'_> {
    /// Whether bounds alone show that no tree with an inner root costs less than
    /// what there is. Raises the bracket's lower bound to theirs.
    pub(super) fn settled(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> bool {
        if limits.leaf_only() || (limits.min_rows > 1 && part.rows < 2 * limits.min_rows) {
            bracket.lower = bracket.lower.max(self.objective.leaf(part.leaf_errors()));
            return true;
        }
        let (equal_rows, class_count) = (self.equal_rows(part), self.class_count(part, limits));
        bracket.lower = bracket.lower.max(self.two_leaves(equal_rows.max(class_count)));
        let settled = bracket.lower >= bracket.upper;
        let by_rows = settled && self.two_leaves(equal_rows) >= bracket.upper;
        self.stats.discards.equal_rows += u64::from(by_rows);
        self.stats.discards.class_count += u64::from(settled && !by_rows);
        settled
    }

    /// A lower bound on the cost of a part that may also stay a leaf.
    pub(super) fn floor(&self, part: &Part, limits: Limits) -> Cost {
        let leaf = self.objective.leaf(part.leaf_errors());
        if limits.leaf_only() {
            return leaf;
        }
        self.objective.leaf(self.equal_rows(part).max(self.class_count(part, limits))).min(leaf)
    }

    /// The limits of trees that cost less than `upper`: one pays for one leaf more
    /// than it has nodes.
    pub(super) fn affordable(&self, limits: Limits, upper: Cost) -> Limits {
        let leaves = upper
            .saturating_sub(1 + off(Mutant::ProperLeafBudget))
            .checked_div(self.objective.leaf_price);
        let Some(leaves) = leaves else { return limits };
        let size = leaves.saturating_sub(1).min(u64::from(limits.size)) as u32;
        Limits { size, ..limits }.normalised()
    }

    fn two_leaves(&self, errors: Weight) -> Cost {
        self.objective.leaf(errors) + self.objective.leaf(0)
    }

    fn equal_rows(&self, part: &Part) -> Weight {
        match self.request.options.equal_rows {
            true => part.unavoidable + off(Mutant::ProperEqualRows),
            false => 0,
        }
    }

    fn class_count(&self, part: &Part, limits: Limits) -> Weight {
        let leaves = u64::from(limits.size.saturating_add(1)) - off(Mutant::ProperClassCount);
        if !self.request.options.class_count || leaves >= part.class_weights.len() as u64 {
            return 0;
        }
        let mut weights = part.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves as usize..].iter().sum()
    }

    /// Raises the lower bounds of the rules near a root of which `least` is one.
    pub(super) fn raise_near(
        &mut self,
        field: &Field,
        root: usize,
        least: Cost,
        lower: &mut [Cost],
    ) {
        let columns = &field.columns;
        let n = columns.count;
        let mut both = vec![0; n];
        let classes = columns.segments.iter().filter(|s| s.class < self.ground.n_classes);
        for segment in classes {
            for word in segment.words.clone() {
                let words = &columns.words[word * n..(word + 1) * n];
                let mine = words[root];
                for (both, &other) in both.iter_mut().zip(words) {
                    *both += ((mine & other).count_ones() as u64) << segment.bit;
                }
            }
        }
        self.raise(field, root, &both, least, lower);
    }

    /// The same, with the weight that each rule and the root both send left.
    pub(super) fn raise(
        &self,
        field: &Field,
        root: usize,
        both: &[Weight],
        least: Cost,
        lower: &mut [Cost],
    ) {
        let price = self.objective.error_price;
        let (mine, total) = (field.left[root], field.weight);
        let others = both.iter().zip(&field.left);
        for (lower, (&both, &other)) in lower.iter_mut().zip(others) {
            let between = mine + other - 2 * both;
            let between = between.min(total - between) - off(Mutant::ProperNear).min(between);
            *lower = (*lower).max(least.saturating_sub(between * price));
        }
    }

    /// The answer without the demand on rows, if that ends the matter; otherwise
    /// its lower bound goes into the bracket.
    pub(super) fn without_demand(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        bracket: &mut Bracket,
    ) -> Option<Answer> {
        // Its trees are no incumbents: nobody is told of them.
        self.open_calls += 1;
        let answer = self.best(part, limits.relaxed(), upper);
        self.open_calls -= 1;
        if let Some((cost, tree)) = answer.tree
            && self.least_rows(&part.members, &tree) >= limits.min_rows
        {
            bracket.improve(cost, tree);
        }
        bracket.lower = bracket.lower.max(answer.lower);
        if bracket.lower < bracket.upper {
            return None;
        }
        self.stats.discards.relaxed += 1;
        Some(self.claimed(part, std::mem::replace(bracket, Bracket::above(upper))))
    }
}
