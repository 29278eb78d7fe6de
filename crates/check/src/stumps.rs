//! The least errors of a leaf, and of a tree with at most one split, in the children of thresholds.
//!
//! A split of a child that leaves one side empty is a leaf, so it may be counted as well.

use crate::table::Table;

/// Thresholds that one pass over the rows evaluates.
const LANES: usize = 8;

/// Total weights below this fit into the lanes.
const MAX_LANE_WEIGHT: u64 = 1 << 30;

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
        self.child(&|_| true)
    }

    /// The least errors on both children of increasing thresholds of a feature.
    pub(crate) fn children(&self, feature: usize, thresholds: &[u32]) -> Vec<[LeastErrors; 2]> {
        let present = (0..self.by_class.len()).filter(|&class| self.by_class[class] > 0);
        let classes: Vec<usize> = present.collect();
        if classes.len() == 2 && self.by_class.iter().sum::<u64>() < MAX_LANE_WEIGHT {
            let lanes = thresholds.chunks(LANES);
            let first = classes[0] as u32;
            return lanes.flat_map(|lanes| self.two_classes(feature, lanes, first)).collect();
        }
        let ranks = &self.table.ranks[feature];
        let children = |&threshold: &u32| {
            let goes_left = |row: u32| ranks[row as usize] <= threshold;
            [self.child(&goes_left), self.child(&|row| !goes_left(row))]
        };
        thresholds.iter().map(children).collect()
    }

    /// The least errors on some rows of the set: for every feature the heaviest classes of all
    /// prefixes, and then of all suffixes.
    fn child(&self, holds: &impl Fn(u32) -> bool) -> LeastErrors {
        let (classes, weights) = (&self.table.classes, &self.table.weights);
        let mut least: Option<LeastErrors> = None;
        for (order, ranks) in self.orders.iter().zip(&self.table.ranks) {
            let mut by_class = vec![0u64; self.table.n_classes];
            let mut prefixes = Vec::with_capacity(order.len());
            let mut heaviest = 0;
            let rows: Vec<u32> = order.iter().map(|pair| pair.0).filter(|&r| holds(r)).collect();
            for &row in &rows {
                let of_class = &mut by_class[classes[row as usize] as usize];
                *of_class += weights[row as usize];
                heaviest = heaviest.max(*of_class);
                prefixes.push(heaviest);
            }
            let total: u64 = by_class.iter().sum();
            let mut correct = heaviest;
            let leaf = total - heaviest;
            by_class.fill(0);
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
            let stump = least.map_or(total - correct, |least| least.stump.min(total - correct));
            least = Some(LeastErrors { leaf, stump });
        }
        least.unwrap_or_default()
    }

    /// The same for two classes and some thresholds at once. With D the weight of the first class
    /// minus that of the other among the first rows of a child, a stump at these rows classifies
    /// correctly either D plus the weight of the other class in the child, or the weight of the
    /// first class in the child minus D.
    fn two_classes(&self, feature: usize, lanes: &[u32], first: u32) -> Vec<[LeastErrors; 2]> {
        let table = self.table;
        let mut thresholds = [0i32; LANES];
        for (lane, &threshold) in thresholds.iter_mut().zip(lanes) {
            *lane = threshold as i32;
        }
        let signed = |row: u32| {
            let weight = table.weights[row as usize] as i32;
            if table.classes[row as usize] == first { weight } else { -weight }
        };
        let root = &table.ranks[feature];
        // By lane: the weights of both classes in the left child.
        let mut left = [[0u64; 2]; LANES];
        for &(row, _) in &self.orders[feature] {
            for (lane, &threshold) in left.iter_mut().zip(&thresholds) {
                let other = usize::from(table.classes[row as usize] != first);
                let goes_left = root[row as usize] as i32 <= threshold;
                lane[other] += if goes_left { table.weights[row as usize] } else { 0 };
            }
        }
        // By child and lane: the greatest and the least D over all ends of values, also D = 0.
        let mut most = [[0i32; LANES]; 2];
        let mut least = [[0i32; LANES]; 2];
        let mut highest = [[0u64; LANES]; 2];
        let whole = [self.by_class[first as usize], self.by_class.iter().sum::<u64>()];
        let whole = [whole[0], whole[1] - whole[0]];
        for order in &self.orders {
            most.iter_mut().for_each(|lanes| lanes.fill(0));
            least.iter_mut().for_each(|lanes| lanes.fill(0));
            let (mut of_left, mut of_set) = ([0i32; LANES], 0i32);
            for &(row, is_end) in order {
                let (weight, rank) = (signed(row), root[row as usize] as i32);
                of_set += weight;
                for lane in 0..LANES {
                    of_left[lane] += if rank <= thresholds[lane] { weight } else { 0 };
                }
                if is_end {
                    for lane in 0..LANES {
                        let (left, right) = (of_left[lane], of_set - of_left[lane]);
                        most[0][lane] = most[0][lane].max(left);
                        least[0][lane] = least[0][lane].min(left);
                        most[1][lane] = most[1][lane].max(right);
                        least[1][lane] = least[1][lane].min(right);
                    }
                }
            }
            for lane in 0..LANES {
                let right = [whole[0] - left[lane][0], whole[1] - left[lane][1]];
                for (child, weights) in [left[lane], right].iter().enumerate() {
                    let ahead = weights[1] + most[child][lane] as u64;
                    let behind = weights[0] + u64::from(least[child][lane].unsigned_abs());
                    highest[child][lane] = highest[child][lane].max(ahead).max(behind);
                }
            }
        }
        let errors = |weights: [u64; 2], correct: u64| LeastErrors {
            leaf: weights[0].min(weights[1]),
            stump: weights[0] + weights[1] - correct,
        };
        let of_lane = |lane: usize| {
            let right = [whole[0] - left[lane][0], whole[1] - left[lane][1]];
            [errors(left[lane], highest[0][lane]), errors(right, highest[1][lane])]
        };
        (0..lanes.len()).map(of_lane).collect()
    }
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
    use crate::table::Table;

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
            let (values, heavy) = (1 + random(12), [1, 9, 1 << 40][random(3) as usize]);
            let columns: Vec<Vec<f64>> =
                (0..3).map(|_| (0..rows).map(|_| random(values) as f64).collect()).collect();
            let labels: Vec<u32> = (0..rows).map(|_| random(n_classes) as u32).collect();
            let weights: Vec<u64> = (0..rows).map(|_| 1 + random(heavy)).collect();
            let table = Table::new(&columns, &labels, &weights, 1).expect("a table");
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
