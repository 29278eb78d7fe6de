//! What it costs to predict a class for examples of another class, and sums of these costs.
//!
//! An example costs at most its *reach*, its weight times the greatest cost of its class. The sums are
//! of what a prediction *saves* of that. With plain errors only the right class saves anything, so a sum
//! changes in one place for an example.

/// By class, the costs of a unit of weight.
pub(crate) struct ClassCosts {
    /// Number of labels that can be predicted: those of the classes first, then others.
    pub predictions: usize,
    greatest: Vec<u64>,
    /// The predictions that save something, and how much.
    savings: Vec<Vec<(usize, u64)>>,
}

impl ClassCosts {
    /// Plain errors: any wrong class costs 1.
    pub(crate) fn errors(classes: usize) -> Self {
        let savings = (0..classes).map(|class| vec![(class, 1)]).collect();
        ClassCosts { predictions: classes, greatest: vec![1; classes], savings }
    }

    /// Costs by true class and by prediction, one row after the other. `None` if there is none for
    /// some class.
    pub(crate) fn matrix(classes: usize, costs: &[u64]) -> Option<Self> {
        let predictions = costs.len() / classes;
        if predictions < classes || predictions * classes != costs.len() {
            return None;
        }
        let greatest = |costs: &[u64]| costs.iter().copied().max().unwrap_or(0);
        let savings = |costs: &[u64]| {
            let of_class = costs.iter().map(|cost| greatest(costs) - cost).enumerate();
            of_class.filter(|&(_, saved)| saved > 0).collect()
        };
        let rows = || costs.chunks(predictions);
        let (greatest, savings) = (rows().map(greatest).collect(), rows().map(savings).collect());
        Some(ClassCosts { predictions, greatest, savings })
    }

    /// The most that some weight of a class costs; `None` if it takes more than 62 bits.
    pub(crate) fn reach(&self, class: u32, weight: u64) -> Option<u64> {
        weight.checked_mul(self.greatest[class as usize]).filter(|reach| reach >> 62 == 0)
    }

    /// By prediction, what it saves of a unit of weight.
    pub(crate) fn savings(&self, class: u32) -> &[(usize, u64)] {
        &self.savings[class as usize]
    }

    /// The most that a prediction, and that a wrong prediction, saves of a unit of weight.
    pub(crate) fn best_savings(&self, class: usize) -> [u64; 2] {
        let most = |right: bool| {
            let savings = self.savings[class].iter().filter(|saving| right || saving.0 != class);
            savings.map(|saving| saving.1).max().unwrap_or(0)
        };
        [most(true), most(false)]
    }

    /// What a prediction saves of a unit of weight.
    pub(crate) fn saved(&self, class: u32, predicted: usize) -> u64 {
        let found = self.savings(class).iter().find(|saving| saving.0 == predicted);
        found.map_or(0, |&(_, saved)| saved)
    }
}

/// Sums over some examples.
#[derive(Clone)]
pub(crate) struct Totals {
    pub reach: u64,
    /// By prediction.
    pub saved: Vec<u64>,
}

impl Totals {
    pub(crate) fn none(predictions: usize) -> Self {
        Totals { reach: 0, saved: vec![0; predictions] }
    }

    pub(crate) fn add(&mut self, reach: u64, weight: u64, savings: &[(usize, u64)]) {
        self.reach += reach;
        savings.iter().for_each(|&(predicted, saved)| self.saved[predicted] += weight * saved);
    }

    pub(crate) fn remove(&mut self, reach: u64, weight: u64, savings: &[(usize, u64)]) {
        self.reach -= reach;
        savings.iter().for_each(|&(predicted, saved)| self.saved[predicted] -= weight * saved);
    }

    /// The errors of the best prediction.
    pub(crate) fn errors(&self) -> u64 {
        self.reach - self.saved.iter().max().unwrap_or(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ClassCosts, Totals};

    #[test]
    fn plain_errors_are_a_matrix_of_ones_with_a_zero_diagonal() {
        let (plain, matrix) =
            (ClassCosts::errors(3), ClassCosts::matrix(3, &[0, 1, 1, 1, 0, 1, 1, 1, 0]));
        let matrix = matrix.expect("nine costs");
        assert_eq!(plain.greatest, matrix.greatest);
        assert_eq!(plain.savings, matrix.savings);
    }

    #[test]
    fn a_leaf_makes_the_cheapest_prediction() {
        let costs = ClassCosts::matrix(3, &[0, 4, 7, 2, 1, 9, 3, 3, 3]).expect("nine costs");
        let mut totals = Totals::none(3);
        for (class, weight) in [(0, 5), (1, 2), (2, 4)] {
            totals.add(costs.reach(class, weight).expect("small"), weight, costs.savings(class));
        }
        // By prediction: 16, 34 and 65.
        assert_eq!(totals.errors(), 2 * 2 + 4 * 3);
        // Class 2 may be predicted as any class at the same cost.
        assert_eq!([0, 1, 2].map(|class| costs.best_savings(class)), [[7, 3], [8, 7], [0, 0]]);
        assert_eq!((costs.saved(1, 0), costs.saved(1, 2)), (7, 0));
    }

    #[test]
    fn costs_that_are_too_few_or_too_large_are_none() {
        assert!(ClassCosts::matrix(2, &[0, 1, 1]).is_none());
        assert!(ClassCosts::matrix(2, &[0, 1]).is_none());
        assert_eq!(
            ClassCosts::matrix(2, &[0, 2, 1, 2, 0, 1]).expect("a label more").predictions,
            3
        );
        let costs = ClassCosts::matrix(2, &[0, 1 << 40, 1, 0]).expect("four costs");
        assert_eq!(costs.reach(0, 1 << 21), Some(1 << 61));
        assert_eq!(costs.reach(0, 1 << 22), None);
        assert_eq!(costs.reach(0, u64::MAX), None);
    }
}
