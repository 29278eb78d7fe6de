//! Costs of the two sides of a surface, from sums over their points.

use exactree_model::{Cost, Errors, Weight};

/// By point, integers whose sums over the points of a side determine the cost of a leaf there. The first
/// sum is the number of rows.
pub(super) struct PointSums {
    /// The number of sums.
    width: usize,
    /// By point, where its terms begin; at the end, their number.
    starts: Vec<usize>,
    /// Indices of sums, and what the point adds to them.
    terms: Vec<(u32, i64)>,
}

impl PointSums {
    /// For points with these rows; `terms_of` writes the terms of a point, which begin at index 1.
    pub(super) fn new(
        rows: &[u64],
        width: usize,
        terms_of: impl Fn(usize, &mut Vec<(u32, i64)>),
    ) -> Self {
        let (mut starts, mut terms) = (vec![0], Vec::new());
        for (point, &rows) in rows.iter().enumerate() {
            terms.push((0, rows as i64));
            terms_of(point, &mut terms);
            starts.push(terms.len());
        }
        PointSums { width: 1 + width, starts, terms }
    }

    /// Writes the sums of no points.
    pub(super) fn reset(&self, sums: &mut Vec<i64>) {
        sums.clear();
        sums.resize(self.width, 0);
    }

    #[inline]
    pub(super) fn add(&self, sums: &mut [i64], point: u32) {
        self.terms_of(point).iter().for_each(|&(index, term)| sums[index as usize] += term);
    }

    #[inline]
    pub(super) fn remove(&self, sums: &mut [i64], point: u32) {
        self.terms_of(point).iter().for_each(|&(index, term)| sums[index as usize] -= term);
    }

    fn terms_of(&self, point: u32) -> &[(u32, i64)] {
        &self.terms[self.starts[point as usize]..self.starts[point as usize + 1]]
    }
}

/// The number of rows of a side.
pub(super) fn rows_of(sums: &[i64]) -> u64 {
    sums[0] as u64
}

/// What a leaf costs.
///
/// *Law.* A leaf never costs less with more points, up to the rounding of costs. A split is left out if
/// leaves of some of its points cost the upper bound or more; so the bound of the search is at most the
/// rounding of one tree above the minimum cost, as in `costs/absolute_error.rs`.
pub(super) trait SideCost: Sync {
    /// The cost of a leaf with these sums, without its price.
    fn leaf(&self, sums: &[i64]) -> Cost;
}

/// The weight of all classes but the heaviest; the sums are the weights of the classes.
pub(super) struct SideErrors;

impl SideErrors {
    /// For weights by point and class.
    pub(super) fn sums(rows: &[u64], weights: &[Weight], n_classes: usize) -> PointSums {
        PointSums::new(rows, n_classes, |point, terms| {
            let own = &weights[point * n_classes..(point + 1) * n_classes];
            let classes = (1..).zip(own).filter(|&(_, &weight)| weight > 0);
            terms.extend(classes.map(|(index, &weight)| (index, weight as i64)));
        })
    }

    /// The weight that every split misclassifies: of each point, all classes but the heaviest.
    pub(super) fn unavoidable(weights: &[Weight], n_classes: usize) -> Weight {
        weights.chunks_exact(n_classes.max(1)).map(Errors::leaf_errors).sum()
    }
}

impl SideCost for SideErrors {
    fn leaf(&self, sums: &[i64]) -> Cost {
        let weights = &sums[1..];
        let heaviest = weights.iter().max().copied().unwrap_or(0);
        (weights.iter().sum::<i64>() - heaviest) as Cost
    }
}
