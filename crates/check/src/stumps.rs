//! The least errors of a leaf, and of a tree with at most one split, in the children of thresholds.
//!
//! A split of a child that leaves one side empty is a leaf, so it may be counted as well.

use crate::table::Table;

/// Classes up to which stumps are evaluated for each pair of classes that their leaves predict.
const MAX_PAIRED_CLASSES: usize = 12;

/// The weight that the best leaf, and the best tree with at most one split, misclassify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeastErrors {
    pub leaf: u64,
    pub stump: u64,
}

/// The rows of a set in the order of each feature.
pub(crate) struct Stumps<'t> {
    table: &'t Table,
    /// By feature: rows, and whether a row is the last of its value in the set.
    orders: Vec<Vec<(u32, bool)>>,
    by_class: Vec<u64>,
}

/// A row of one of two classes, in the order of a feature: the rank among the values of the root
/// feature in the set, the weight, negative in the second class, and whether the row is the last of
/// its value.
type Step<T> = (T, T, bool);

impl<'t> Stumps<'t> {
    pub(crate) fn new(table: &'t Table, holds: &impl Fn(u32) -> bool) -> Self {
        let mut by_class = vec![0; table.n_classes];
        for row in (0..table.rows() as u32).filter(|&row| holds(row)) {
            by_class[table.classes[row as usize] as usize] += table.weights[row as usize];
        }
        let features = table.orders.iter().zip(&table.ranks);
        let orders = features.map(|(order, ranks)| with_ends(order, ranks, holds)).collect();
        Stumps { table, orders, by_class }
    }

    /// The least errors on the whole set.
    pub(crate) fn whole(&self) -> LeastErrors {
        let stumps = (0..self.orders.len()).map(|feature| self.errors_on(feature, &|_| true));
        let leaf = leaf_errors(&self.by_class);
        LeastErrors { leaf, stump: stumps.min().unwrap_or(leaf) }
    }

    /// The least errors on both children of increasing thresholds of a feature.
    pub(crate) fn children(&self, feature: usize, thresholds: &[u32]) -> Vec<[LeastErrors; 2]> {
        let (ranks, order) = (&self.table.ranks[feature], &self.orders[feature]);
        let classes: Vec<usize> =
            (0..self.by_class.len()).filter(|&class| self.by_class[class] > 0).collect();
        // By threshold and child, the weights of the classes.
        let mut children: Vec<[Vec<u64>; 2]> = Vec::new();
        let mut now = [vec![0; self.by_class.len()], self.by_class.clone()];
        let mut rows = order.iter().map(|&(row, _)| row as usize).peekable();
        for &threshold in thresholds {
            while let Some(row) = rows.next_if(|&row| ranks[row] <= threshold) {
                now[0][self.table.classes[row] as usize] += self.table.weights[row];
                now[1][self.table.classes[row] as usize] -= self.table.weights[row];
            }
            children.push(now.clone());
        }
        let weight = self.by_class.iter().sum::<u64>();
        let stumps = match classes.len() {
            2..=MAX_PAIRED_CLASSES if weight < 1 << 14 => {
                narrow::least(self, feature, thresholds, &children, &classes)
            }
            2..=MAX_PAIRED_CLASSES if weight < 1 << 30 => {
                wide::least(self, feature, thresholds, &children, &classes)
            }
            _ => {
                let errors = |side: usize, feature: usize, at: &[usize]| {
                    let goes_left = |row: u32| ranks[row as usize] <= thresholds[at[0]];
                    vec![self.errors_on(feature, &|row| goes_left(row) == (side == 0))]
                };
                least_of_kinds(thresholds.len(), 1, self.orders.len(), |_, _, _| 0, errors)
            }
        };
        let least = |at: usize| {
            [0, 1].map(|side| LeastErrors {
                leaf: leaf_errors(&children[at][side]),
                stump: stumps[side][at],
            })
        };
        (0..thresholds.len()).map(least).collect()
    }

    /// The least errors of stumps on a feature in some rows of the set: the heaviest classes of all
    /// prefixes, and then of all suffixes.
    fn errors_on(&self, feature: usize, holds: &dyn Fn(u32) -> bool) -> u64 {
        let (classes, weights) = (&self.table.classes, &self.table.weights);
        let (order, ranks) = (&self.orders[feature], &self.table.ranks[feature]);
        let mut by_class = vec![0u64; self.table.n_classes];
        let mut prefixes = Vec::with_capacity(order.len());
        let mut heaviest = 0;
        let rows: Vec<u32> = order.iter().map(|pair| pair.0).filter(|&row| holds(row)).collect();
        for &row in &rows {
            let of_class = &mut by_class[classes[row as usize] as usize];
            *of_class += weights[row as usize];
            heaviest = heaviest.max(*of_class);
            prefixes.push(heaviest);
        }
        let total: u64 = by_class.iter().sum();
        let mut correct = heaviest;
        by_class.iter_mut().for_each(|weight| *weight = 0);
        heaviest = 0;
        for at in (1..rows.len()).rev() {
            let row = rows[at] as usize;
            let of_class = &mut by_class[classes[row] as usize];
            *of_class += weights[row];
            heaviest = heaviest.max(*of_class);
            if ranks[rows[at - 1] as usize] != ranks[row] {
                correct = correct.max(prefixes[at - 1] + heaviest);
            }
        }
        total - correct
    }
}

/// The minimum over some kinds of stumps of errors in the children of thresholds; `errors` returns
/// them for a side, a kind and up to `together` thresholds, and `bound` a lower bound on them. A
/// child that contains another has no fewer errors of any kind, so children are visited from small
/// to large, and the errors in the last one are a bound, too. A kind is left out if its bounds are
/// at least the minima so far.
fn least_of_kinds(
    thresholds: usize,
    together: usize,
    kinds: usize,
    bound: impl Fn(usize, usize, usize) -> u64,
    mut errors: impl FnMut(usize, usize, &[usize]) -> Vec<u64>,
) -> [Vec<u64>; 2] {
    let mut least = [vec![u64::MAX; thresholds], vec![u64::MAX; thresholds]];
    for (side, least) in least.iter_mut().enumerate() {
        let mut visited: Vec<usize> = (0..thresholds).collect();
        if side == 1 {
            visited.reverse();
        }
        // By kind: its errors in a child visited before, and the kind.
        let mut known: Vec<(u64, usize)> = (0..kinds).map(|kind| (0, kind)).collect();
        for places in visited.chunks(together) {
            let largest = places[places.len() - 1];
            known.sort_by_cached_key(|&(known, kind)| known.max(bound(side, kind, largest)));
            for (known, kind) in &mut known {
                if places.iter().all(|&at| (*known).max(bound(side, *kind, at)) >= least[at]) {
                    continue;
                }
                let found = errors(side, *kind, places);
                places.iter().zip(&found).for_each(|(&at, &e)| least[at] = least[at].min(e));
                *known = found[places.len() - 1];
            }
        }
    }
    least
}

/// The least errors of stumps for several thresholds at once, in lanes of a type; a kind of stump is
/// a feature and a pair of classes, which its leaves predict.
///
/// With D the weight of the first class minus that of the second among the first rows of a child, a
/// stump at these rows classifies correctly either D plus the weight of the second class in the
/// child, or the weight of the first class in the child minus D. The lanes have the greatest and the
/// least D; D = 0 is a leaf.
macro_rules! lanes {
    ($name:ident, $lane:ty, $lanes:literal) => {
        mod $name {
            use super::{least_of_kinds, Step, Stumps};

            pub(super) fn least(
                stumps: &Stumps<'_>,
                root: usize,
                thresholds: &[u32],
                children: &[[Vec<u64>; 2]],
                classes: &[usize],
            ) -> [Vec<u64>; 2] {
                let (ranks, order) = (&stumps.table.ranks[root], &stumps.orders[root]);
                let ends = order.iter().filter(|pair| pair.1).map(|pair| ranks[pair.0 as usize]);
                let values: Vec<u32> = ends.collect();
                let local = |rank: u32| values.partition_point(|&value| value <= rank) as $lane - 1;
                let mut ranks_of_rows = vec![0; ranks.len()];
                order.iter().for_each(|&(row, _)| {
                    ranks_of_rows[row as usize] = local(ranks[row as usize]);
                });
                let mut pairs = Vec::new();
                for (at, &first) in classes.iter().enumerate() {
                    pairs.extend(classes[at + 1..].iter().map(|&second| [first, second]));
                }
                let kinds = stumps.orders.len() * pairs.len();
                let mut steps: Vec<Vec<Step<$lane>>> = vec![Vec::new(); kinds];
                let other_classes = |side: usize, kind: usize, at: usize| {
                    let (by_class, [a, b]) = (&children[at][side], pairs[kind % pairs.len()]);
                    by_class.iter().sum::<u64>() - by_class[a] - by_class[b]
                };
                let errors = |side: usize, kind: usize, places: &[usize]| {
                    let (feature, pair) = (kind / pairs.len(), pairs[kind % pairs.len()]);
                    if steps[kind].is_empty() {
                        steps[kind] = steps_of(stumps, feature, &ranks_of_rows, pair);
                    }
                    let mut lanes = [0; $lanes];
                    for (lane, &at) in lanes.iter_mut().zip(places) {
                        *lane = local(thresholds[at]);
                    }
                    let (most, least) = sweep(&steps[kind], &lanes, side == 0);
                    let errors = |(lane, &at): (usize, &usize)| {
                        let [first, second] = pair.map(|class| children[at][side][class]);
                        let behind = u64::from(least[lane].unsigned_abs());
                        let correct = (second + most[lane] as u64).max(first + behind);
                        children[at][side].iter().sum::<u64>() - correct
                    };
                    places.iter().enumerate().map(errors).collect()
                };
                least_of_kinds(thresholds.len(), $lanes, kinds, other_classes, errors)
            }

            /// The rows of two classes in the order of a feature.
            fn steps_of(
                stumps: &Stumps<'_>,
                feature: usize,
                ranks_of_rows: &[$lane],
                [first, second]: [usize; 2],
            ) -> Vec<Step<$lane>> {
                let (table, ranks) = (stumps.table, &stumps.table.ranks[feature]);
                let mut steps: Vec<Step<$lane>> = Vec::new();
                let mut last = None;
                for &(row, _) in &stumps.orders[feature] {
                    let row = row as usize;
                    let weight = table.weights[row] as $lane;
                    let class = table.classes[row] as usize;
                    if class != first && class != second {
                        continue;
                    }
                    if let (Some(step), true) = (steps.last_mut(), last == Some(ranks[row])) {
                        step.2 = false;
                    }
                    last = Some(ranks[row]);
                    let signed = if class == first { weight } else { -weight };
                    steps.push((ranks_of_rows[row], signed, true));
                }
                steps
            }

            /// The greatest and the least D in the left or in the right children of thresholds. No
            /// sum overflows, because the weight of the set is less than half of what fits.
            fn sweep(
                steps: &[Step<$lane>],
                thresholds: &[$lane; $lanes],
                left: bool,
            ) -> ([$lane; $lanes], [$lane; $lanes]) {
                let (mut most, mut least, mut sum) = ([0; $lanes], [0; $lanes], [0; $lanes]);
                let (on_left, on_right): ($lane, $lane) = if left { (-1, 0) } else { (0, -1) };
                for &(rank, weight, is_end) in steps {
                    for lane in 0..$lanes {
                        let mask = if rank > thresholds[lane] { on_right } else { on_left };
                        sum[lane] = <$lane>::wrapping_add(sum[lane], weight & mask);
                    }
                    if is_end {
                        for lane in 0..$lanes {
                            most[lane] = <$lane>::max(most[lane], sum[lane]);
                            least[lane] = <$lane>::min(least[lane], sum[lane]);
                        }
                    }
                }
                (most, least)
            }
        }
    };
}

lanes!(narrow, i16, 16);
lanes!(wide, i32, 8);

/// The weight of all classes but the heaviest.
fn leaf_errors(by_class: &[u64]) -> u64 {
    by_class.iter().sum::<u64>() - by_class.iter().max().unwrap_or(&0)
}

/// The rows of a set in the order of a feature; whether each is the last of its value.
fn with_ends(order: &[u32], ranks: &[u32], holds: &impl Fn(u32) -> bool) -> Vec<(u32, bool)> {
    let mut found: Vec<(u32, bool)> = Vec::new();
    for &row in order.iter().filter(|&&row| holds(row)) {
        if let Some(last) = found.last_mut() {
            last.1 = ranks[last.0 as usize] != ranks[row as usize];
        }
        found.push((row, true));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{LeastErrors, Stumps};
    use crate::table::{Examples, Table};

    /// The least errors by trying every stump.
    fn definition(table: &Table, rows: &[usize]) -> LeastErrors {
        let leaf = |rows: &[usize]| {
            let mut by_class = vec![0; table.n_classes];
            rows.iter().for_each(|&r| by_class[table.classes[r] as usize] += table.weights[r]);
            by_class.iter().sum::<u64>() - by_class.iter().max().expect("a class")
        };
        let mut stump = leaf(rows);
        for ranks in &table.ranks {
            for &threshold in ranks {
                let (left, right): (Vec<usize>, Vec<usize>) =
                    rows.iter().partition(|&&row| ranks[row] <= threshold);
                stump = stump.min(leaf(&left) + leaf(&right));
            }
        }
        LeastErrors { leaf: leaf(rows), stump }
    }

    #[test]
    fn stumps_of_children_are_those_of_the_definition() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..600 {
            let (rows, n_classes) = (1 + random(14) as usize, 1 + random(4));
            let (values, heavy) = (1 + random(12), [1, 9, 1 << 20, 1 << 40][random(4) as usize]);
            let columns: Vec<Vec<f64>> =
                (0..3).map(|_| (0..rows).map(|_| random(values) as f64).collect()).collect();
            let labels: Vec<u32> = (0..rows).map(|_| random(n_classes) as u32).collect();
            let weights: Vec<u64> = (0..rows).map(|_| 1 + random(heavy)).collect();
            let examples = Examples { columns, labels, weights, weight_scale: 1 };
            let table = Table::new(&examples, "nnn").expect("a table");
            let set: Vec<bool> = (0..rows).map(|_| random(4) > 0).collect();
            let stumps = Stumps::new(&table, &|row| set[row as usize]);
            let of = |holds: &dyn Fn(usize) -> bool| {
                let rows: Vec<usize> = (0..rows).filter(|&r| set[r] && holds(r)).collect();
                definition(&table, &rows)
            };
            assert_eq!(stumps.whole(), of(&|_| true));
            let thresholds: Vec<u32> = (0..table.values[1]).collect();
            for (&at, found) in thresholds.iter().zip(stumps.children(1, &thresholds)) {
                let ranks = &table.ranks[1];
                assert_eq!(found, [of(&|row| ranks[row] <= at), of(&|row| ranks[row] > at)]);
            }
        }
    }
}
