//! Lower bounds that need no search of their own part, and what they settle.
//!
//! *One target.* Where all targets are equal a leaf is best; of classes see `class_costs/`.
//!
//! *Equal rows.* Rows that agree in every feature share a leaf of every tree, which
//! costs at least what they cost alone.
//!
//! *Clusters.* Of numbers, the leaves of a tree divide the items in groups. No k groups cost less
//! than the best k, which are runs of the items in the order of their (mean) targets;
//! see `clusters.rs` (Zhang et al., AAAI 2023).
//!
//! *Leaf price.* A tree with an inner root pays for two leaves.
//!
//! *Relaxation.* A tree whose leaves hold enough rows is also a tree without that
//! demand, so the cost without it is a lower bound; and a tree that happens to meet
//! the demand is best.

use super::clusters::least_cost_of_groups;
use super::part::Part;
use super::search::Search;
use super::units::Deviation;
use crate::answer::{Answer, Bracket};
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

/// Leaves beyond which groups are not told apart: their bound is weak there.
const MOST_GROUPS: u32 = 16;

/// Whether a bound that costs about as much as counting a part is worth it: by levels left, how
/// often it was asked, and how often it settled a part.
#[derive(Default)]
pub(crate) struct Promising(Vec<Asked>);

#[derive(Clone, Copy, Default)]
struct Asked {
    seen: u32,
    asked: u32,
    settled: u32,
}

impl Promising {
    /// Always at first, later as long as it settles every fourth part; else now and then.
    fn asks(&mut self, depth: u32) -> bool {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize(depth + 1, Asked::default());
        }
        let Asked { seen, asked, settled } = &mut self.0[depth];
        *seen = seen.wrapping_add(1);
        *asked < 4 || *settled >= *asked / 4 || *seen % 16 == 0
    }

    fn told(&mut self, depth: u32, settled: bool) {
        if let Some(asked) = self.0.get_mut(depth as usize) {
            asked.asked += 1;
            asked.settled += u32::from(settled);
        }
    }
}

impl Search<'_> {
    /// Whether bounds alone show that no tree with an inner root costs less than
    /// what there is. Raises the bracket's lower bound to theirs.
    pub fn settled(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> bool {
        if limits.leaf_only() || part.rows < 2 * limits.min_rows {
            bracket.lower = bracket.lower.max(self.leaf(part));
            return true;
        }
        if part.pure && self.options.one_target {
            self.stats.discards.one_target += 1;
            bracket.lower = bracket.lower.max(self.leaf(part));
            return true;
        }
        let two_leaves = 2 * self.price + off(Mutant::RegressionLeafPrice) * self.price;
        let equal_rows = self.equal_rows(part) + two_leaves;
        bracket.lower = bracket.lower.max(equal_rows);
        if bracket.lower >= bracket.upper {
            match two_leaves >= bracket.upper {
                true => self.stats.discards.leaf_price += 1,
                false => self.stats.discards.equal_rows += 1,
            }
            return true;
        }
        // Where a leaf is to be beaten, groups hardly ever cost as much.
        let hopeless = bracket.found.is_some() || !self.promising.asks(limits.depth);
        if (self.ground.columns.is_some() && hopeless) || self.clock.stopped() {
            return false;
        }
        bracket.lower = bracket.lower.max(self.clusters(part, limits));
        let settled = bracket.lower >= bracket.upper;
        self.stats.discards.clusters += settled as u64;
        self.promising.told(limits.depth, settled);
        settled
    }

    /// A lower bound on the cost of a part that may also stay a leaf.
    pub fn floor(&self, part: &Part, limits: Limits) -> Cost {
        let leaf = self.leaf(part);
        if limits.leaf_only() {
            return leaf;
        }
        leaf.min(self.equal_rows(part) + 2 * self.price)
    }

    fn equal_rows(&self, part: &Part) -> Cost {
        if self.options.equal_rows {
            part.least + off(Mutant::RegressionEqualRows) * part.leaf / 8
        } else {
            0
        }
    }

    /// What trees with an inner root cost at least, as groups of items.
    fn clusters(&self, part: &Part, limits: Limits) -> Cost {
        let leaves = limits.size.saturating_add(1).min(part.count as u32);
        let numbers = self.ground.units.deviation != Deviation::Classes;
        if !self.options.clusters || leaves > MOST_GROUPS || !numbers {
            return 0;
        }
        let fewer = off(Mutant::RegressionClusters) as u32;
        let stopped = || self.clock.stopped();
        least_cost_of_groups(&stopped, self.ground, part, leaves - fewer, self.price)
    }

    /// The answer of a part with a demand on rows per leaf, if the search without it
    /// settles that; otherwise its bound, which goes into the bracket.
    pub fn relaxed(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        bracket: &mut Bracket,
    ) -> Result<Answer, Cost> {
        if limits.min_rows == 1 || !self.options.relaxation {
            return Err(0);
        }
        // Not the outermost call: a relaxed tree is no incumbent to report.
        self.open_calls += 1;
        let relaxed = self.best(part, limits.relaxed(), upper, None);
        self.open_calls -= 1;
        let lower = relaxed.lower + off(Mutant::RegressionRelaxation) * (1 + relaxed.lower / 8);
        bracket.lower = bracket.lower.max(lower);
        let allowed = |tree: &Tree| self.least_rows(part, tree) >= limits.min_rows;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == lower && allowed(tree));
        if exact.is_none() && lower < bracket.upper {
            return Err(lower.min(UNBOUNDED));
        }
        self.stats.discards.relaxation += 1;
        Ok(Answer { tree: exact.or(bracket.found.take()), ..Answer::at_least(lower) })
    }
}
