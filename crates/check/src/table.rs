//! The examples: ranks of their values, classes in order of first appearance, weights; and the columns
//! whose thresholds are the splits of the trees.

use crate::class_costs::{ClassCosts, Totals};
use crate::sha256::Sha256;
use std::collections::HashMap;

/// The rank of a missing value.
const MISSING: u32 = u32::MAX;

/// Levels of a feature of which any set may go left.
const MAX_LEVELS: usize = 12;

/// Limit on the numbers in all columns.
const MAX_CELLS: usize = 1 << 28;

/// The examples as given.
#[derive(Clone, Debug)]
pub struct Examples {
    /// Columns of equal length; NaN is a missing value.
    pub columns: Vec<Vec<f64>>,
    /// Any numbers.
    pub labels: Vec<u32>,
    /// Positive, divided by `weight_scale`.
    pub weights: Vec<u64>,
    pub weight_scale: u64,
}

/// A table as certificates see it.
pub struct Table {
    pub digest: String,
    /// By column and row; a threshold of a column sends the ranks up to it left.
    pub(crate) ranks: Vec<Vec<u32>>,
    /// By column, one more than the greatest rank.
    pub(crate) values: Vec<u32>,
    /// By column, the rows in order of their ranks.
    pub(crate) orders: Vec<Vec<u32>>,
    pub(crate) classes: Vec<u32>,
    pub(crate) n_classes: usize,
    pub(crate) weights: Vec<u64>,
    pub(crate) weight_scale: u64,
    pub(crate) costs: ClassCosts,
    /// By row, the most that it costs.
    pub(crate) reach: Vec<u64>,
    /// By row, what it costs in every tree together with the rows that agree with it in every feature,
    /// if it is the first of them.
    pub(crate) unavoidable: Vec<u64>,
}

impl Table {
    /// The table of some examples whose features are split as `splits` says, a letter for each: by
    /// thresholds (n), one code against the others (c), any set of codes (s), or not at all (-).
    /// Predictions cost something by `class_costs`, one row after the other, or are plain errors.
    /// `None` if the lengths differ, there is no row or more than 2^32 of them, all rows together
    /// weigh or cost more than 62 bits hold, or the splits are too many.
    pub fn new(examples: &Examples, splits: &str, class_costs: Option<&[u64]>) -> Option<Table> {
        let Examples { columns, labels, weights, weight_scale } = examples;
        let rows = labels.len();
        let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight))?;
        let lengths = columns.iter().all(|column| column.len() == rows) && weights.len() == rows;
        let fits = rows > 0 && rows < MISSING as usize && splits.len() == columns.len();
        if !lengths || !fits || total >> 62 > 0 {
            return None;
        }
        let features: Vec<Vec<u32>> = columns.iter().map(|column| ranks_of(column)).collect();
        let mut ranks = Vec::new();
        for (feature, kind) in features.iter().zip(splits.bytes()) {
            add_columns(&mut ranks, feature, kind)?;
        }
        let in_order = |ranks: &Vec<u32>| {
            let mut order: Vec<u32> = (0..rows as u32).collect();
            order.sort_by_key(|&row| ranks[row as usize]);
            order
        };
        let orders = ranks.iter().map(in_order).collect();
        let values = ranks.iter().map(|ranks| ranks.iter().max().map_or(0, |most| most + 1));
        let values = values.collect();
        let mut codes = HashMap::new();
        let mut classes = Vec::with_capacity(rows);
        for label in labels {
            let next = codes.len() as u32;
            classes.push(*codes.entry(label).or_insert(next));
        }
        let (n_classes, weights, weight_scale) = (codes.len(), weights.clone(), *weight_scale);
        let shape = format!("{rows} {} {n_classes} {weight_scale} {splits}\n", features.len());
        let mut hash = Sha256::new();
        hash.add(shape.as_bytes());
        for numbers in features.iter().chain(Some(&classes)) {
            numbers.iter().for_each(|number| hash.add(&number.to_le_bytes()));
        }
        weights.iter().for_each(|weight| hash.add(&weight.to_le_bytes()));
        let digest = hash.finish();
        let used = features.iter().zip(splits.bytes()).filter(|used| used.1 != b'-');
        let points: Vec<&Vec<u32>> = used.map(|used| used.0).collect();
        let costs = match class_costs {
            Some(costs) => ClassCosts::matrix(n_classes, costs)?,
            None => ClassCosts::errors(n_classes),
        };
        let of_rows = classes.iter().zip(&weights);
        let reach = of_rows.map(|(&class, &weight)| costs.reach(class, weight));
        let reach = reach.collect::<Option<Vec<u64>>>()?;
        let all = reach.iter().try_fold(0u64, |sum, &reach| sum.checked_add(reach))?;
        if all >> 62 > 0 {
            return None;
        }
        let unavoidable = vec![0; rows];
        let mut table = Table {
            digest,
            ranks,
            values,
            orders,
            classes,
            n_classes,
            weights,
            weight_scale,
            costs,
            reach,
            unavoidable,
        };
        table.find_unavoidable(&points);
        Some(table)
    }

    /// A tree predicts one class for all rows that agree in every feature.
    fn find_unavoidable(&mut self, features: &[&Vec<u32>]) {
        let mut groups: HashMap<Vec<u32>, (usize, Totals)> = HashMap::new();
        for row in 0..self.rows() {
            let point = features.iter().map(|ranks| ranks[row]).collect();
            let none = || (row, Totals::none(self.costs.predictions));
            let group = groups.entry(point).or_insert_with(none);
            self.add(&mut group.1, row);
        }
        for (first, totals) in groups.values() {
            self.unavoidable[*first] = totals.errors();
        }
    }

    /// Adds a row to some sums.
    pub(crate) fn add(&self, totals: &mut Totals, row: usize) {
        totals.add(self.reach[row], self.weights[row], self.costs.savings(self.classes[row]));
    }

    /// Takes a row from some sums.
    pub(crate) fn remove(&self, totals: &mut Totals, row: usize) {
        totals.remove(self.reach[row], self.weights[row], self.costs.savings(self.classes[row]));
    }

    /// The errors on a row whose class is predicted as another.
    pub(crate) fn errors(&self, row: usize, predicted: usize) -> u64 {
        self.reach[row] - self.weights[row] * self.costs.saved(self.classes[row], predicted)
    }

    pub(crate) fn rows(&self) -> usize {
        self.classes.len()
    }
}

/// By row, the index of its value among the distinct values in increasing order.
fn ranks_of(column: &[f64]) -> Vec<u32> {
    let present = |&row: &u32| !column[row as usize].is_nan();
    let mut order: Vec<u32> = (0..column.len() as u32).filter(present).collect();
    let at = |row: u32| column[row as usize];
    order.sort_by(|&a, &b| at(a).partial_cmp(&at(b)).expect("no NaN"));
    let (mut ranks, mut rank) = (vec![MISSING; column.len()], 0);
    for (place, &row) in order.iter().enumerate() {
        rank += u32::from(place > 0 && at(order[place - 1]) != at(row));
        ranks[row as usize] = rank;
    }
    ranks
}

/// Adds the columns of a feature: its ranks, with missing values below and above all others, or for
/// every set of levels that goes left a column with 0 for these and 1 for the others. A missing
/// value is the last level. Of a set and the set of all other levels, only one has a column.
fn add_columns(columns: &mut Vec<Vec<u32>>, ranks: &[u32], kind: u8) -> Option<()> {
    let known = ranks.iter().filter(|&&rank| rank != MISSING).max().map_or(0, |rank| rank + 1);
    let missing = ranks.contains(&MISSING);
    let levels = known as usize + usize::from(missing);
    let level = |rank: u32| rank.min(known);
    let mut add = |of_rank: &dyn Fn(u32) -> u32| {
        columns.push(ranks.iter().map(|&rank| of_rank(rank)).collect());
        if columns.len() * ranks.len() <= MAX_CELLS {
            Some(())
        } else {
            None
        }
    };
    match kind {
        b'n' if missing => {
            add(&|rank| if rank == MISSING { 0 } else { rank + 1 })?;
            add(&level)
        }
        b'n' => add(&level),
        b'c' => {
            let last = if levels == 2 { 1 } else { known + u32::from(missing) };
            for code in (0..last).filter(|_| levels > 1) {
                add(&|rank| u32::from(level(rank) != code))?;
            }
            for code in (0..known).filter(|_| missing && levels > 3) {
                add(&|rank| u32::from(rank != code && rank != MISSING))?;
            }
            Some(())
        }
        b's' if levels <= MAX_LEVELS => {
            // Sets as bits, without those that have the last level.
            for set in 1..1u32 << (levels.max(1) - 1) {
                add(&|rank| 1 - (set >> level(rank) & 1))?;
            }
            Some(())
        }
        b'-' => Some(()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Examples, Table};

    fn table(columns: &[Vec<f64>], labels: &[u32], weights: &[u64], splits: &str) -> Option<Table> {
        let (columns, labels, weights) = (columns.to_vec(), labels.to_vec(), weights.to_vec());
        Table::new(&Examples { columns, labels, weights, weight_scale: 1 }, splits, None)
    }

    #[test]
    fn rows_that_no_split_separates_misclassify_all_but_their_heaviest_class() {
        let columns = vec![vec![1.0, 1.0, 1.0, 2.0], vec![-0.0, 0.0, 0.0, 0.0]];
        let labels = &[7, 3, 7, 3];
        let found = table(&columns, labels, &[2, 5, 2, 9], "nn").expect("a table");
        assert_eq!((&found.classes[..], found.n_classes), (&[0, 1, 0, 1][..], 2));
        assert_eq!((&found.values[..], &found.ranks[0][..]), (&[2, 1][..], &[0, 0, 0, 1][..]));
        assert_eq!(found.unavoidable, [4, 0, 0, 0]);
        let unused = table(&columns, labels, &[2, 5, 2, 9], "-n").expect("a table");
        assert_eq!(unused.unavoidable, [4, 0, 0, 0]);
        assert_eq!(unused.ranks.len(), 1);
    }

    #[test]
    fn every_set_of_levels_has_one_column() {
        let column = [5.0, 2.0, f64::NAN, 3.0, 2.0];
        let columns = |splits: &str, rows: usize| {
            let labels = vec![0; rows];
            let found = table(&[column[..rows].to_vec()], &labels, &vec![1; rows], splits);
            found.expect("a table").ranks
        };
        assert_eq!(columns("n", 5), [[3, 1, 0, 2, 1], [2, 0, 3, 1, 0]]);
        assert_eq!(columns("c", 2), [[1, 0]]);
        assert_eq!(columns("c", 3), [[1, 0, 1], [0, 1, 1], [1, 1, 0]]);
        assert_eq!(columns("c", 5).len(), 4 + 3);
        assert_eq!(columns("s", 3), [[1, 0, 1], [0, 1, 1], [0, 0, 1]]);
        let sets = columns("s", 5);
        let complements = sets.iter().map(|set| set.iter().map(|rank| 1 - rank).collect());
        let mut all: Vec<Vec<u32>> = sets.iter().cloned().chain(complements).collect();
        all.sort();
        all.dedup();
        assert_eq!((sets.len(), all.len()), (7, 14));
    }

    #[test]
    fn a_table_without_meaning_is_none() {
        let is_none = |columns: &[Vec<f64>], weights: &[u64], splits: &str| {
            table(columns, &[0, 1], weights, splits).is_none()
        };
        let pair = &[vec![0.0, 1.0]][..];
        assert!(!is_none(pair, &[1, 1], "n"));
        assert!(is_none(&[vec![0.0]], &[1, 1], "n"));
        assert!(is_none(pair, &[1, 1], "x"));
        assert!(is_none(pair, &[1, 1], "nn"));
        assert!(is_none(pair, &[1], "n"));
        assert!(is_none(pair, &[1 << 61, 1 << 61], "n"));
        assert!(is_none(pair, &[u64::MAX, 1], "n"));
        assert!(table(&[], &[], &[], "").is_none());
        let levels: Vec<f64> = (0..13).map(f64::from).collect();
        assert!(table(&[levels], &[0; 13], &[1; 13], "s").is_none());
    }
}
