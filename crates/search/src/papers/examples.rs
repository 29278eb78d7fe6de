//! Sets of examples in the notation of the papers on thresholds and on support sets: E, E[f ≤ t],
//! D_E(f), uniform. A set of examples is a set of items.

use crate::feature_sets::rows::CodedRows;
use crate::support::bits::Bits;
use crate::support::clock::{Clock, Stopped};
use crate::support::refusal::Refusal;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Feature, Table};

/// A table prepared for computing E[f ≤ t].
///
/// It takes O(n) bytes and time for each feature. Computing E[f ≤ t] takes time linear in the
/// number of words of a set: see `FeatureOrder`.
pub(crate) struct IndexedExamples {
    pub items: usize,
    pub features: usize,
    classes: Vec<Bits>,
    /// Codes are ranks.
    pub rows: CodedRows,
    columns: Vec<FeatureOrder>,
}

/// The items in the order of a feature, and *marks*: stored sets of the first items of that order.
/// From one mark to the next there are at least as many items as a set has words, so there are at
/// most 64 marks besides the empty one. The items up to a rank are those of the last mark before it
/// and fewer single items than a set has words.
struct FeatureOrder {
    order: Vec<u32>,
    marks: Vec<Bits>,
    /// By rank: its last mark, the number of items of that mark, and the number of items of at most
    /// this rank.
    ranks: Vec<(usize, usize, usize)>,
}

impl FeatureOrder {
    fn new(feature: &Feature, items: usize, words: usize) -> Self {
        let mut counts = vec![0; feature.values.len()];
        feature.ranks.iter().for_each(|&rank| counts[rank as usize] += 1);
        let ends: Vec<usize> = counts
            .iter()
            .scan(0, |end, count| {
                *end += count;
                Some(*end)
            })
            .collect();
        let mut next: Vec<usize> = ends.iter().zip(&counts).map(|(end, n)| end - n).collect();
        let mut order = vec![0; items];
        for (item, &rank) in (0..).zip(&feature.ranks) {
            order[next[rank as usize]] = item;
            next[rank as usize] += 1;
        }
        let mut set = Bits::empty(items);
        let (mut marks, mut marked) = (vec![set.clone()], 0);
        let mut ranks = Vec::with_capacity(ends.len());
        for end in ends {
            if end - marked >= words {
                order[marked..end].iter().for_each(|&item| set.insert(item));
                marks.push(set.clone());
                marked = end;
            }
            ranks.push((marks.len() - 1, marked, end));
        }
        FeatureOrder { order, marks, ranks }
    }

    /// The set of the last mark up to a rank, and the items after it up to the rank.
    #[inline]
    fn up_to(&self, rank: u32) -> (&Bits, &[u32]) {
        let (mark, marked, end) = self.ranks[rank as usize];
        (&self.marks[mark], &self.order[marked..end])
    }
}

impl IndexedExamples {
    /// An error if the sets would not fit in memory; `Stopped` if the clock stops it.
    pub(crate) fn new(
        table: &Table,
        memory_limit: Option<usize>,
        clock: &Clock<'_>,
    ) -> Result<Result<Self, Stopped>, Refusal> {
        let items = table.items.len();
        let words = items.div_ceil(64).max(1);
        let marks = |feature: &Feature| feature.values.len().min(items / words) as u128 + 1;
        let splits: u128 = table.features.iter().map(marks).sum();
        refuse_large_table("splits", splits, 8 * words, memory_limit)?;
        let mut classes = vec![Bits::empty(items); table.n_classes];
        for (at, item) in table.items.iter().enumerate() {
            classes[item.class as usize].insert(at as u32);
        }
        let mut columns = Vec::with_capacity(table.features.len());
        for feature in &table.features {
            if clock.stopped() {
                return Ok(Err(Stopped));
            }
            columns.push(FeatureOrder::new(feature, items, words));
        }
        let class = table.items.iter().map(|item| item.class).collect();
        let ranks = table.features.iter().map(|feature| feature.ranks.clone()).collect();
        let (features, rows) = (table.features.len(), CodedRows::new(class, ranks));
        Ok(Ok(IndexedExamples { items, features, classes, rows, columns }))
    }

    pub(crate) fn everything(&self) -> Bits {
        let mut set = Bits::empty(self.items);
        (0..self.items as u32).for_each(|item| set.insert(item));
        set
    }

    /// The class of a set, if all its items are of one class.
    pub(crate) fn uniform(&self, e: &Bits) -> Option<u32> {
        let class = self.class(e.iter().next()?);
        e.within(&self.classes[class as usize]).then_some(class)
    }

    /// The classes of the items of a set.
    pub(crate) fn classes_in(&self, e: &Bits) -> impl Iterator<Item = u32> {
        let present = |&class: &u32| !self.classes[class as usize].disjoint(e);
        (0..self.classes.len() as u32).filter(present)
    }

    pub(crate) fn class(&self, item: u32) -> u32 {
        self.rows.class(item)
    }

    pub(crate) fn rank(&self, feature: usize, item: u32) -> u32 {
        self.rows.code(feature, item)
    }

    /// D_E(f) in ascending order, as ranks.
    pub(crate) fn domain(&self, e: &Bits, feature: usize) -> Vec<u32> {
        let mut values = Bits::empty(self.columns[feature].ranks.len());
        e.iter().for_each(|item| values.insert(self.rank(feature, item)));
        values.iter().collect()
    }

    /// E[f ≤ t] and E[f > t].
    pub(crate) fn split(&self, e: &Bits, feature: usize, t: u32) -> (Bits, Bits) {
        (self.left(e, feature, t), self.right(e, feature, t))
    }

    /// E[f ≤ t].
    pub(crate) fn left(&self, e: &Bits, feature: usize, t: u32) -> Bits {
        let (mark, single) = self.columns[feature].up_to(t);
        let mut left = e.and(mark);
        single.iter().filter(|&&item| e.contains(item)).for_each(|&item| left.insert(item));
        left
    }

    /// E[f > t].
    pub(crate) fn right(&self, e: &Bits, feature: usize, t: u32) -> Bits {
        let (mark, single) = self.columns[feature].up_to(t);
        let mut right = e.without(mark);
        single.iter().for_each(|&item| right.remove(item));
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::clock::StopSwitch;

    fn examples_of(
        columns: &[Vec<f64>],
        memory_limit: Option<usize>,
    ) -> Result<IndexedExamples, Refusal> {
        let rows = columns[0].len();
        let labels: Vec<u32> = (0..rows as u32).map(|row| row % 2).collect();
        let table = Table::new(columns, &labels, &vec![1; rows], 2);
        let switch = StopSwitch::default();
        let examples = IndexedExamples::new(&table, memory_limit, &Clock::start(None, &switch));
        examples.map(|examples| examples.expect("nothing stops it"))
    }

    #[test]
    fn both_children_of_every_threshold_are_those_of_the_ranks() {
        let mut random = fastrand::Rng::with_seed(20_261_122);
        for rows in [1, 2, 63, 64, 65, 130, 200, 400] {
            let values = [2, 7, rows as u32 + 1, 100 * rows as u32];
            let columns: Vec<Vec<f64>> = values
                .iter()
                .map(|&values| (0..rows).map(|_| f64::from(random.u32(0..values))).collect())
                .collect();
            let examples = examples_of(&columns, None).expect("it fits");
            let mut e = Bits::empty(examples.items);
            (0..examples.items as u32).filter(|_| random.bool()).for_each(|item| e.insert(item));
            for feature in 0..examples.features {
                for t in 0..examples.columns[feature].ranks.len() as u32 {
                    let (left, right) = examples.split(&e, feature, t);
                    for item in 0..examples.items as u32 {
                        let small = examples.rank(feature, item) <= t;
                        assert_eq!(left.contains(item), e.contains(item) && small);
                        assert_eq!(right.contains(item), e.contains(item) && !small);
                    }
                }
            }
        }
    }

    #[test]
    fn the_bytes_of_marks_are_linear_in_the_rows() {
        let bytes = |rows: usize| {
            let examples = examples_of(&[(0..rows).map(|row| row as f64).collect()], None);
            let column = &examples.expect("it fits").columns[0];
            column.marks.iter().map(|mark| 8 * mark.words.len()).sum::<usize>()
        };
        for rows in [64, 640, 6_400, 64_000] {
            assert!(bytes(rows) <= 9 * rows, "{rows}: {}", bytes(rows));
        }
    }

    #[test]
    fn sets_that_do_not_fit_are_refused() {
        let columns = vec![(0..200).map(f64::from).collect::<Vec<f64>>(); 4];
        let refused = examples_of(&columns, Some(1_000));
        assert!(
            refused
                .is_err_and(|reason| reason.to_string().contains("splits would take 204 entries"))
        );
    }
}
