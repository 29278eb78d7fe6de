//! The minimum cost by definition: all trees of a random table are tried.

use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostOutcome};
use exactree_model::{Limits, Tree};
use std::ops::Add;

/// A table of few rows, the cost of its leaves, and its search.
pub(crate) trait Definition {
    type Cost: Copy + PartialOrd + Add<Output = Self::Cost>;

    fn columns(&self) -> &[Vec<f64>];

    fn limits(&self) -> &Limits;

    fn leaf(&self, rows: &[usize]) -> Self::Cost;

    fn solved(&self, options: &CostOptions) -> (CostExamples, CostOutcome);

    fn all_rows(&self) -> Vec<usize> {
        (0..self.columns()[0].len()).collect()
    }

    /// Both children of every rule that satisfies the minimum leaf size.
    fn splits(&self, rows: &[usize]) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
        let min_rows = self.limits().min_samples_leaf;
        let of_column = move |column: &Vec<f64>| {
            let mut values: Vec<f64> = rows.iter().map(|&row| column[row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.pop();
            let children = |threshold: f64| -> (Vec<usize>, Vec<usize>) {
                rows.iter().partition(|&&row| column[row] <= threshold)
            };
            values.into_iter().map(children).collect::<Vec<_>>()
        };
        let enough = move |rows: &Vec<usize>| rows.len() as u64 >= min_rows;
        let splits = self.columns().iter().flat_map(of_column);
        splits.filter(move |(left, right)| enough(left) && enough(right))
    }

    /// Minimum cost by trying every rule at every node.
    fn definition(&self, rows: &[usize], depth: u32, size: u32) -> Self::Cost {
        let mut optimum = self.leaf(rows);
        if depth == 0 || size == 0 {
            return optimum;
        }
        for (left, right) in self.splits(rows) {
            for share in 0..size {
                let left = self.definition(&left, depth - 1, share);
                if left < optimum {
                    let both = left + self.definition(&right, depth - 1, size - 1 - share);
                    optimum = if both < optimum { both } else { optimum };
                }
            }
        }
        optimum
    }

    /// The minimum cost of a tree for all rows.
    fn optimum(&self) -> Self::Cost {
        let Limits { depth, size, .. } = *self.limits();
        self.definition(&self.all_rows(), depth, size)
    }

    /// The cost of a tree for all rows; it must be within the limits.
    fn cost(&self, examples: &CostExamples, tree: &Tree) -> Self::Cost {
        assert!(tree.size() <= self.limits().size);
        self.cost_of(examples, tree, &self.all_rows(), self.limits().depth)
    }

    fn cost_of(
        &self,
        examples: &CostExamples,
        tree: &Tree,
        rows: &[usize],
        depth: u32,
    ) -> Self::Cost {
        match tree {
            Tree::Leaf { .. } => {
                let all = self.columns()[0].len() as u64;
                assert!(rows.len() as u64 >= self.limits().min_samples_leaf.min(all));
                self.leaf(rows)
            }
            Tree::Node { feature, rank, left, right } => {
                assert!(depth > 0);
                let feature = &examples.table.features[*feature as usize];
                let threshold = feature.values[*rank as usize];
                let column = &self.columns()[feature.index as usize];
                let (to_left, to_right): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| column[row] <= threshold);
                self.cost_of(examples, left, &to_left, depth - 1)
                    + self.cost_of(examples, right, &to_right, depth - 1)
            }
        }
    }
}

/// The columns of a random table, and a depth; `max_rows` limits the rows by depth.
pub(crate) fn draw_table(
    random: &mut fastrand::Rng,
    max_rows: [usize; 4],
    max_features: usize,
) -> (u32, Vec<Vec<f64>>) {
    let depth = random.u32(0..4);
    let rows = random.usize(2..max_rows[depth as usize]);
    let features = random.usize(1..=max_features);
    let values = [2, 2, 3, 6, 40][random.usize(0..5)];
    let column = |_| (0..rows).map(|_| random.u32(0..values) as f64).collect();
    (depth, (0..features).map(column).collect())
}

/// Random limits of a depth.
pub(crate) fn draw_limits(random: &mut fastrand::Rng, depth: u32) -> Limits {
    let full = (1 << depth) - 1;
    Limits {
        depth,
        size: if random.bool() { full } else { random.u32(0..8).min(full) },
        min_samples_leaf: [1, 1, 1, 2, 3][random.usize(0..5)],
    }
}
