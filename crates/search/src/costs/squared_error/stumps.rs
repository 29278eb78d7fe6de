//! The best stumps for squared error.

use super::SquaredError;
use crate::costs::leaf_cost::ChildStumps;
use crate::costs::stump_items::StumpItems;
use crate::kernels::gains::{GainOrder, Inverses, SplitRows, Thresholds, best_stumps};
use exactree_model::Cost;

/// The sums of the items, and buffers for the stumps of a feature.
pub(crate) struct SquaredStumps<'a> {
    cost: &'a SquaredError,
    /// By feature, the sums of the items in its order.
    sums: Vec<Vec<i64>>,
    inverses: Inverses,
    split_rows: SplitRows,
    /// The squares of both children.
    squares: [Cost; 2],
}

impl<'a> SquaredStumps<'a> {
    pub(in crate::costs) fn new(cost: &'a SquaredError, items: &StumpItems<'a>) -> Self {
        SquaredStumps {
            cost,
            sums: items.by_feature(|_, item| item.sum),
            inverses: Inverses::new(cost.gain_scale, items.plain_rows()),
            split_rows: SplitRows::default(),
            squares: [0; 2],
        }
    }

    /// The maximum savings of a stump on a feature, by child.
    fn savings(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        allowed: &[Thresholds; 2],
    ) -> [Cost; 2] {
        if self.cost.is_fine() {
            return [0, 1].map(|child| self.fine_savings(items, feature, child, allowed[child]));
        }
        let order = GainOrder {
            rows: &items.numbers[feature],
            ranks: &items.ranks[feature],
            sums: &self.sums[feature],
            weights: &items.weights[feature],
        };
        let kernel = match items.plain {
            true => best_stumps::<true>,
            false => best_stumps::<false>,
        };
        let (on_right, inverses) = (&items.on_right, &self.inverses);
        let (mut savings, split_rows) = ([0.0; 2], &mut self.split_rows);
        kernel(items.instructions, &order, on_right, allowed, inverses, split_rows, &mut savings);
        savings.map(|savings| savings as Cost)
    }

    /// The maximum savings of a stump on a feature in one child, with the exact divisions of fine
    /// units.
    fn fine_savings(
        &self,
        items: &StumpItems<'_>,
        feature: usize,
        child: usize,
        allowed: Thresholds,
    ) -> Cost {
        let (numbers, ranks) = (&items.numbers[feature], &items.ranks[feature]);
        let (sums, weights) = (&self.sums[feature], &items.weights[feature]);
        let in_child = |at: &usize| usize::from(items.on_right[numbers[*at] as usize]) == child;
        let here: Vec<usize> = (0..numbers.len()).filter(in_child).collect();
        let sums = here.iter().map(|&at| (sums[at], weights.get(at).copied().unwrap_or(1)));
        let all = sums.clone().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (mut sum, mut weight, mut maximum) = (0, 0, 0);
        for (pair, one) in here.windows(2).zip(sums) {
            sum += one.0;
            weight += one.1;
            if allowed.separate(ranks[pair[0]], ranks[pair[1]]) {
                let right = self.cost.savings(all.0 - sum, all.1 - weight);
                maximum = maximum.max(self.cost.savings(sum, weight) + right);
            }
        }
        maximum
    }
}

impl ChildStumps for SquaredStumps<'_> {
    fn begin(&mut self, items: &StumpItems<'_>, left: &[u32]) -> [Cost; 2] {
        let totals = &items.subset.totals;
        let (mut square, mut sum, mut weight) = (0, 0, 0);
        for &number in left {
            let item = items.items[number as usize];
            square += item.square;
            sum += item.sum;
            weight += item.weight;
        }
        self.squares = [square, totals.square - square];
        let right = (totals.sum - sum, totals.weight - weight);
        let savings = [self.cost.savings(sum, weight), self.cost.savings(right.0, right.1)];
        [0, 1].map(|child| self.squares[child] - savings[child])
    }

    fn best(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        _limits: [Option<Cost>; 2],
        allowed: &[Thresholds; 2],
    ) -> [Option<Cost>; 2] {
        let savings = self.savings(items, feature, allowed);
        [0, 1].map(|child| Some(self.squares[child] - savings[child]))
    }
}
