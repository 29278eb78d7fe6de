//! The examples: ranks of their values, classes in order of first appearance, weights.

use crate::sha256::Sha256;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A table as certificates see it.
pub struct Table {
    /// By feature and row; a rank is an index into the distinct values in increasing order.
    pub(crate) ranks: Vec<Vec<u32>>,
    /// By feature, the number of distinct values.
    pub(crate) values: Vec<u32>,
    /// By feature, the rows in order of their ranks.
    pub(crate) orders: Vec<Vec<u32>>,
    pub(crate) classes: Vec<u32>,
    pub(crate) n_classes: usize,
    pub(crate) weights: Vec<u64>,
    pub(crate) weight_scale: u64,
    /// By row, its weight if every tree misclassifies it, else 0.
    pub(crate) unavoidable: Vec<u64>,
}

impl Table {
    /// A table of columns of equal length without NaN; labels are any numbers, weights are positive
    /// and are divided by `weight_scale`. `None` if the lengths differ, there is no row or more than
    /// 2^32 of them, a value is NaN, or the total weight takes more than 62 bits.
    pub fn new(
        columns: &[Vec<f64>],
        labels: &[u32],
        weights: &[u64],
        weight_scale: u64,
    ) -> Option<Table> {
        let rows = labels.len();
        let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight))?;
        let lengths = columns.iter().all(|column| column.len() == rows) && weights.len() == rows;
        let finite = !columns.iter().flatten().any(|value| value.is_nan());
        if !lengths || !finite || rows == 0 || rows >= u32::MAX as usize || total >> 62 > 0 {
            return None;
        }
        let (mut ranks, mut values, mut orders) = (Vec::new(), Vec::new(), Vec::new());
        for column in columns {
            let mut order: Vec<u32> = (0..rows as u32).collect();
            let at = |row: u32| column[row as usize];
            order.sort_by(|&a, &b| at(a).partial_cmp(&at(b)).expect("no NaN"));
            let (mut of_row, mut rank) = (vec![0; rows], 0);
            for pair in order.windows(2) {
                rank += u32::from(at(pair[0]) != at(pair[1]));
                of_row[pair[1] as usize] = rank;
            }
            ranks.push(of_row);
            values.push(rank + 1);
            orders.push(order);
        }
        let mut codes = HashMap::new();
        let mut classes = Vec::with_capacity(rows);
        for label in labels {
            let next = codes.len() as u32;
            classes.push(*codes.entry(label).or_insert(next));
        }
        let (n_classes, weights) = (codes.len(), weights.to_vec());
        let unavoidable = unavoidable(&ranks, &classes, &weights);
        let table =
            Table { ranks, values, orders, classes, n_classes, weights, weight_scale, unavoidable };
        Some(table)
    }

    pub(crate) fn rows(&self) -> usize {
        self.classes.len()
    }

    /// The SHA-256 of ranks, classes and weights, in the given order of rows.
    pub fn digest(&self) -> String {
        let (rows, features) = (self.rows(), self.ranks.len());
        let shape = format!("{rows} {features} {} {}\n", self.n_classes, self.weight_scale);
        let mut hash = Sha256::new();
        hash.add(shape.as_bytes());
        for numbers in self.ranks.iter().chain(Some(&self.classes)) {
            numbers.iter().for_each(|number| hash.add(&number.to_le_bytes()));
        }
        self.weights.iter().for_each(|weight| hash.add(&weight.to_le_bytes()));
        hash.finish()
    }
}

/// By row, its weight if every tree misclassifies it: a tree predicts one class for all rows that
/// agree in every feature, at best their heaviest.
fn unavoidable(ranks: &[Vec<u32>], classes: &[u32], weights: &[u64]) -> Vec<u64> {
    let mut by_class: HashMap<(Vec<u32>, u32), u64> = HashMap::new();
    let mut heaviest: HashMap<Vec<u32>, (u64, Reverse<u32>)> = HashMap::new();
    let point = |row: usize| ranks.iter().map(|ranks| ranks[row]).collect::<Vec<u32>>();
    for row in 0..classes.len() {
        *by_class.entry((point(row), classes[row])).or_insert(0) += weights[row];
    }
    for ((point, class), &weight) in &by_class {
        let best = heaviest.entry(point.clone()).or_insert((0, Reverse(0)));
        *best = (*best).max((weight, Reverse(*class)));
    }
    let is_right = |row: usize| heaviest[&point(row)].1 .0 == classes[row];
    (0..classes.len()).map(|row| if is_right(row) { 0 } else { weights[row] }).collect()
}

/// By rank of a feature in a set, the weight of the rows of at most this rank; all ranks but the
/// last are splits.
pub(crate) fn splits_of(table: &Table, set: &[u64], feature: usize) -> Vec<(u32, u64)> {
    let (mut splits, mut weight): (Vec<(u32, u64)>, u64) = (Vec::new(), 0);
    for &row in table.orders[feature].iter().filter(|&&row| holds(set, row)) {
        let rank = table.ranks[feature][row as usize];
        weight += table.weights[row as usize];
        match splits.last_mut() {
            Some(last) if last.0 == rank => last.1 = weight,
            _ => splits.push((rank, weight)),
        }
    }
    splits
}

pub(crate) fn holds(set: &[u64], row: u32) -> bool {
    set[row as usize / 64] >> (row % 64) & 1 == 1
}

/// Calls a function with every row of a set.
pub(crate) fn each_row(words: impl Iterator<Item = u64>, mut visit: impl FnMut(usize)) {
    for (at, mut word) in words.enumerate() {
        while word != 0 {
            visit(64 * at + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn rows_that_no_split_separates_misclassify_all_but_their_heaviest_class() {
        let columns = vec![vec![1.0, 1.0, 1.0, 2.0], vec![-0.0, 0.0, 0.0, 0.0]];
        let table = Table::new(&columns, &[7, 3, 7, 3], &[2, 5, 2, 9], 1).expect("a table");
        assert_eq!((&table.classes[..], table.n_classes), (&[0, 1, 0, 1][..], 2));
        assert_eq!((&table.values[..], &table.ranks[0][..]), (&[2, 1][..], &[0, 0, 0, 1][..]));
        assert_eq!(table.unavoidable, [2, 0, 2, 0]);
    }

    #[test]
    fn a_table_without_meaning_is_none() {
        let table = |columns: &[Vec<f64>], weights: &[u64]| {
            Table::new(columns, &[0, 1], weights, 1).is_none()
        };
        assert!(!table(&[vec![0.0, 1.0]], &[1, 1]));
        assert!(table(&[vec![0.0]], &[1, 1]));
        assert!(table(&[vec![0.0, f64::NAN]], &[1, 1]));
        assert!(table(&[vec![0.0, 1.0]], &[1]));
        assert!(table(&[vec![0.0, 1.0]], &[1 << 61, 1 << 61]));
        assert!(table(&[vec![0.0, 1.0]], &[u64::MAX, 1]));
        assert!(Table::new(&[], &[], &[], 1).is_none());
    }
}
