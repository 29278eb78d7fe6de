//! What the prover asks of the search of a cost, besides minimum costs of subsets.

use crate::costs::class_costs::ClassCosts;
use crate::engine::rules::{Rule, Rules};
use crate::engine::space::{Search, SubsetOf, ThresholdSpace};
use crate::engine::subset::ThresholdTable;
use crate::engine::two_set_bound::LeafRows;
use crate::spaces::continuous::depth_two::evaluator::{RootSplit, StumpBounds};
use crate::spaces::continuous::error_space::ErrorSpace;
use crate::spaces::leaf_costs::cost_space::CostSpace;
use crate::spaces::leaf_costs::stump_evaluator::{CostStumpBounds, StumpEvaluator};
use crate::spaces::leaf_costs::threshold_rules::ThresholdRules;
use exactree_model::{Cost, Limits, UNBOUNDED, Weight};

/// A threshold at the root of a tree of depth at most two.
pub(super) struct EvaluatedRoot<'r> {
    pub rule: &'r Rule,
    pub leaf_rows: Option<LeafRows>,
    /// The maximum sizes of the children.
    pub share: (u32, u32),
    /// Positions of notes from the thresholds before and after.
    pub notes: [Option<u32>; 2],
}

/// The minimum costs of both children of a threshold, and the position of its notes.
pub(super) type EvaluatedChildren = ([Cost; 2], Option<u32>);

/// Evaluates thresholds of one subset.
pub(super) type Evaluate<'e, 'a, S> =
    dyn FnMut(&mut Search<'a, S>, EvaluatedRoot<'_>) -> EvaluatedChildren + 'e;

/// A space whose lower bounds the checker can verify.
pub(super) trait CertifiedSpace: ThresholdSpace {
    /// The rules of a feature; their weights are the reach of their items, as the checker adds it up.
    fn reach_rules(&self, subset: &SubsetOf<Self>, feature: usize) -> Rules;

    /// The price of a unit of these weights.
    fn reach_price(&self) -> Cost;

    /// A lower bound on the cost, without prices of leaves, of trees with at most this many leaves, two
    /// or more.
    fn errors_of_leaves(&self, subset: &SubsetOf<Self>, leaves: usize) -> Cost;

    /// The number of classes, which bounds the number of different leaves.
    fn classes(&self, subset: &SubsetOf<Self>) -> usize;

    /// The minimum cost of a tree with at most one node; only a leaf if `size` is 0.
    fn leaf_or_stump_cost(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
    ) -> Cost;

    /// Calls a function with an evaluator of the thresholds of a subset; with `two_sets` rows of leaves
    /// are counted on more items.
    fn evaluate_with<'a, T>(
        search: &mut Search<'a, Self>,
        subset: &SubsetOf<Self>,
        two_sets: bool,
        call: impl FnOnce(&mut Search<'a, Self>, &mut Evaluate<'_, 'a, Self>) -> T,
    ) -> T;

    /// The bound of the checker's rule of counting: a tree with j leaves predicts at most j classes.
    fn counting(&self, subset: &SubsetOf<Self>, limits: Limits) -> Cost {
        let leaves = u64::from(limits.size.saturating_add(1));
        let leaves = leaves.min(subset.rows / limits.min_samples_leaf);
        let leaves = (leaves as usize).min(self.classes(subset));
        let [unavoidable, _] = self.lower_bounds(subset, limits);
        let bound = |leaves: usize| match leaves {
            1 => self.leaf(subset).0,
            _ => {
                let errors = self.errors_of_leaves(subset, leaves).max(unavoidable);
                // Above any cost of interest if it does not fit.
                errors.saturating_add(self.leaf_price().saturating_mul(leaves as Cost))
            }
        };
        (1..=leaves).map(bound).min().unwrap_or(0)
    }
}

/// The sum of all but the `kept` greatest numbers.
fn all_but_greatest(mut numbers: Vec<Cost>, kept: usize) -> Cost {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers[kept.min(numbers.len())..].iter().sum()
}

impl CertifiedSpace for ErrorSpace<'_> {
    fn reach_rules(&self, subset: &SubsetOf<Self>, feature: usize) -> Rules {
        self.layout.rules(subset, feature, true)
    }

    fn reach_price(&self) -> Cost {
        self.objective.error_price
    }

    fn errors_of_leaves(&self, subset: &SubsetOf<Self>, leaves: usize) -> Cost {
        all_but_greatest(subset.class_weights.clone(), leaves) * self.objective.error_price
    }

    fn classes(&self, subset: &SubsetOf<Self>) -> usize {
        subset.class_weights.len()
    }

    fn leaf_or_stump_cost(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
    ) -> Cost {
        search.leaf_or_stump(subset, limits.size, limits.min_samples_leaf).0
    }

    fn evaluate_with<'a, T>(
        search: &mut Search<'a, Self>,
        subset: &SubsetOf<Self>,
        two_sets: bool,
        call: impl FnOnce(&mut Search<'a, Self>, &mut Evaluate<'_, 'a, Self>) -> T,
    ) -> T {
        let mut evaluators = search.take_evaluators();
        let evaluator = evaluators.begin(search.space.layout, subset, two_sets);
        let result = call(search, &mut |search, root| {
            let EvaluatedRoot { rule, leaf_rows, share, notes } = root;
            let split = RootSplit { feature: rule.feature, left: rule.items, leaf_rows };
            let stump_bounds = StumpBounds { notes, useless: [Weight::MAX; 2] };
            let found = evaluator.evaluate(subset, split, &stump_bounds);
            let (left, right) = search.stump_children(subset, rule, share, found.children);
            ([left, right], found.notes)
        });
        search.workspace.evaluators = Some(evaluators);
        result
    }
}

/// Of the costs only a matrix is certified.
impl CertifiedSpace for CostSpace<'_, ThresholdRules> {
    /// As the rules of the table, but the reach of an item is not limited by the cost of one leaf. The
    /// greatest costs of all items have a total below 2^62 (`class_units.py`), so no product overflows.
    fn reach_rules(&self, subset: &SubsetOf<Self>, feature: usize) -> Rules {
        subset.rules_of_order(feature, false, |slot| {
            let item = &self.prepared.items[slot as usize];
            let greatest = self.matrix()[item.low as usize].iter().max();
            let reach = greatest.map_or(0, |greatest| greatest * item.weight as Cost);
            (item.rows, if subset.is_weighted(slot) { reach } else { 0 })
        })
    }

    fn reach_price(&self) -> Cost {
        1
    }

    fn errors_of_leaves(&self, subset: &SubsetOf<Self>, leaves: usize) -> Cost {
        let (mut least, mut more) = (0, Vec::new());
        for (class, costs) in self.matrix().iter().enumerate() {
            let weight = subset.classes[class] as Cost;
            let wrong = costs.iter().enumerate().filter(|&(predicted, _)| predicted != class);
            let best = *costs.iter().min().expect("a class");
            least += weight * best;
            more.push(weight * (wrong.map(|(_, &cost)| cost).min().unwrap_or(best) - best));
        }
        least + all_but_greatest(more, leaves)
    }

    fn classes(&self, _subset: &SubsetOf<Self>) -> usize {
        self.matrix().len()
    }

    fn leaf_or_stump_cost(
        search: &mut Search<'_, Self>,
        subset: &SubsetOf<Self>,
        limits: Limits,
    ) -> Cost {
        search.leaf_or_stump(subset, limits.size, limits.min_samples_leaf).0
    }

    fn evaluate_with<'a, T>(
        search: &mut Search<'a, Self>,
        subset: &SubsetOf<Self>,
        _two_sets: bool,
        call: impl FnOnce(&mut Search<'a, Self>, &mut Evaluate<'_, 'a, Self>) -> T,
    ) -> T {
        let CostSpace { prepared, price, .. } = search.space;
        let mut evaluator = StumpEvaluator::new(prepared, subset, price, search.instructions);
        call(search, &mut |_, root| {
            let stump_bounds = CostStumpBounds { notes: root.notes, useless: [UNBOUNDED; 2] };
            let found = evaluator.evaluate(root.rule, root.leaf_rows.as_ref(), &stump_bounds);
            let sizes = [root.share.0, root.share.1];
            let cost = |child: usize| match sizes[child] {
                0 => found.leaves[child],
                _ => found.best[child],
            };
            ([cost(0), cost(1)], found.notes)
        })
    }
}

impl CostSpace<'_, ThresholdRules> {
    /// The costs of classes by true and by predicted class.
    fn matrix(&self) -> &[Vec<Cost>] {
        match self.prepared.units.cost.of_classes() {
            Some(ClassCosts::Matrix { by_class, .. }) => by_class,
            _ => unreachable!("only costs of a matrix are certified"),
        }
    }
}
