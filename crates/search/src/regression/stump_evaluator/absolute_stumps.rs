//! The best stumps for absolute error.

use super::RegressionStumpEvaluator;
use crate::kernels::gains::Thresholds;
use crate::regression::medians::Medians;
use exactree_model::{Cost, UNBOUNDED};

impl RegressionStumpEvaluator<'_> {
    /// Arranges both children in the order of their targets, which is the order of their numbers.
    pub(super) fn place_children(&mut self) {
        self.medians.clear();
        for child in 0..2 {
            let here = |number: &usize| self.on_right[*number] == child;
            let slots = self.weighted.iter().enumerate();
            let slots = slots.filter(|(number, _)| here(number)).map(|(_, slot)| slot);
            self.medians.push(Medians::of(self.prepared, slots));
        }
        let mut last = [0; 2];
        for (place, &child) in self.places.iter_mut().zip(&self.on_right) {
            last[usize::from(child)] += 1;
            *place = last[usize::from(child)];
        }
    }

    /// The cost of the best stump on a feature in one child.
    pub(super) fn absolute_stumps(
        &mut self,
        feature: usize,
        child: usize,
        allowed: Thresholds,
    ) -> Cost {
        let (numbers, ranks) = (&self.numbers[feature], &self.ranks[feature]);
        self.order.resize(numbers.len() + 1, (0, 0));
        let mut count = 0;
        for (&number, &rank) in numbers.iter().zip(ranks) {
            self.order[count] = (self.places[number as usize], rank);
            count += usize::from(usize::from(self.on_right[number as usize]) == child);
        }
        let order = &self.order[..count];
        self.medians[child].costs_of_stumps(order, &mut self.costs);
        let stumps = self.costs.iter().zip(order.windows(2));
        let stumps = stumps.filter(|(_, pair)| allowed.separate(pair[0].1, pair[1].1));
        stumps.map(|(&cost, _)| cost).min().unwrap_or(UNBOUNDED)
    }
}
