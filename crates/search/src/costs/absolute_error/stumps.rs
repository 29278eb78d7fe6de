//! The best stumps for absolute error.

use super::AbsoluteError;
use super::medians::Medians;
use crate::costs::leaf_cost::ChildStumps;
use crate::costs::stump_items::StumpItems;
use crate::kernels::gains::Thresholds;
use exactree_model::{Cost, UNBOUNDED};

/// The medians of both children, and buffers for the stumps of a feature.
pub(crate) struct AbsoluteStumps<'a> {
    cost: &'a AbsoluteError,
    /// By number of an item, its place in its child, from 1 on.
    places: Vec<u32>,
    medians: Vec<Medians<'a>>,
    order: Vec<(u32, u32)>,
    costs: Vec<Cost>,
}

impl<'a> AbsoluteStumps<'a> {
    pub(in crate::costs) fn new(cost: &'a AbsoluteError, items: &StumpItems<'a>) -> Self {
        let places = vec![0; items.items.len()];
        let (medians, order, costs) = Default::default();
        AbsoluteStumps { cost, places, medians, order, costs }
    }

    /// The cost of the best stump on a feature in one child.
    fn best_of_child(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        child: usize,
        allowed: Thresholds,
    ) -> Cost {
        let (numbers, ranks) = (&items.numbers[feature], &items.ranks[feature]);
        self.order.resize(numbers.len() + 1, (0, 0));
        let mut count = 0;
        for (&number, &rank) in numbers.iter().zip(ranks) {
            self.order[count] = (self.places[number as usize], rank);
            count += usize::from(usize::from(items.on_right[number as usize]) == child);
        }
        let order = &self.order[..count];
        self.medians[child].costs_of_stumps(order, &mut self.costs);
        let stumps = self.costs.iter().zip(order.windows(2));
        let stumps = stumps.filter(|(_, pair)| allowed.separate(pair[0].1, pair[1].1));
        stumps.map(|(&cost, _)| cost).min().unwrap_or(UNBOUNDED)
    }
}

impl ChildStumps for AbsoluteStumps<'_> {
    /// Arranges both children in the order of their targets, which is the order of their numbers.
    fn begin(&mut self, items: &StumpItems<'_>, _left: &[u32]) -> [Cost; 2] {
        self.medians.clear();
        for child in 0..2 {
            let here = items.items.iter().zip(&items.on_right);
            let here = here.filter(|&(_, &on_right)| on_right == child).map(|(item, _)| *item);
            self.medians.push(Medians::new(&self.cost.targets, here));
        }
        let mut last = [0; 2];
        for (place, &child) in self.places.iter_mut().zip(&items.on_right) {
            last[usize::from(child)] += 1;
            *place = last[usize::from(child)];
        }
        [0, 1].map(|child| self.medians[child].leaf())
    }

    fn best(
        &mut self,
        items: &StumpItems<'_>,
        feature: usize,
        limits: [Option<Cost>; 2],
        allowed: &[Thresholds; 2],
    ) -> [Option<Cost>; 2] {
        [0, 1].map(|child| {
            limits[child].map(|_| self.best_of_child(items, feature, child, allowed[child]))
        })
    }
}
