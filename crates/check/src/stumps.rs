//! The least errors of a leaf, and of a tree with at most one split, in the children of thresholds.
//!
//! A split of a child that leaves one side empty is a leaf, so it may be counted as well. With a
//! minimum of rows in every leaf, rows are counted on the outer sets of the children.

use crate::class_costs::Totals;
use crate::rows::{holds, Rows, Split};
use crate::table::Table;

/// Classes up to which stumps are evaluated for each pair of classes that their leaves predict.
const MAX_PAIRED_CLASSES: usize = 12;

/// The errors of the best leaf, and of the best tree with at most one split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeastErrors {
    pub leaf: u64,
    pub stump: u64,
}

/// The rows of two sets in the order of each feature.
pub(crate) struct Stumps<'t> {
    table: &'t Table,
    rows: Rows<'t>,
    /// By feature: rows, and whether a row is the last of its value in the sets.
    orders: Vec<Vec<(u32, bool)>>,
    /// Of the inner set.
    totals: Totals,
    /// The reach of both sets together.
    reach: u64,
}

/// A row in the order of a feature: the rank among the values of the root feature in the sets; how
/// much more the prediction of the first of two classes saves than that of the second, 0 outside the
/// inner set; 1 if the row counts in leaves; and whether it is the last of its value.
type Step<T> = (T, T, T, bool);

/// A threshold by which the outer rows of a child are divided, and their number.
type Outer = (i64, u64);

impl<'t> Stumps<'t> {
    pub(crate) fn new(table: &'t Table, rows: Rows<'t>) -> Self {
        let (mut totals, mut reach) = (Totals::none(table.costs.predictions), 0);
        for row in (0..table.rows() as u32).filter(|&row| rows.either(row)) {
            reach += table.reach[row as usize];
            if holds(rows.inner, row) {
                table.add(&mut totals, row as usize);
            }
        }
        let features = table.orders.iter().zip(&table.ranks);
        let orders = features.map(|(order, ranks)| with_ends(order, ranks, rows)).collect();
        Stumps { table, rows, orders, totals, reach }
    }

    /// The least errors on the whole set.
    pub(crate) fn whole(&self) -> LeastErrors {
        let all = |_: u32| true;
        let stumps = (0..self.orders.len()).map(|feature| self.errors_on(feature, &all, &all));
        let leaf = self.totals.errors();
        LeastErrors { leaf, stump: stumps.min().unwrap_or(leaf) }
    }

    /// The least errors on both children of increasing thresholds of a feature with these splits.
    /// The outer rows of a left child are those up to the next threshold, the outer rows of a right
    /// child those above the threshold before.
    pub(crate) fn children(
        &self,
        feature: usize,
        thresholds: &[u32],
        splits: &[Split],
    ) -> Vec<[LeastErrors; 2]> {
        let (ranks, order) = (&self.table.ranks[feature], &self.orders[feature]);
        // A prediction that saves nothing is never better than the others.
        let saved = &self.totals.saved;
        let classes: Vec<usize> = (0..saved.len()).filter(|&class| saved[class] > 0).collect();
        let mut children: Vec<[Totals; 2]> = Vec::new();
        let mut now = [Totals::none(saved.len()), self.totals.clone()];
        let mut rows = order.iter().map(|&(row, _)| row).peekable();
        for &threshold in thresholds {
            while let Some(row) = rows.next_if(|&row| ranks[row as usize] <= threshold) {
                if holds(self.rows.inner, row) {
                    self.table.add(&mut now[0], row as usize);
                    self.table.remove(&mut now[1], row as usize);
                }
            }
            children.push(now.clone());
        }
        let below = |threshold: i64| {
            let place = splits.partition_point(|split| i64::from(split.rank) <= threshold);
            place.checked_sub(1).map_or(0, |at| splits[at].outer)
        };
        let outers = |at: usize| {
            let before = at.checked_sub(1).map_or(-1, |at| thresholds[at].into());
            let after = thresholds.get(at + 1).map_or(i64::MAX, |&after| after.into());
            [(after, below(after)), (before, below(i64::MAX) - below(before))]
        };
        let outers: Vec<[Outer; 2]> = (0..thresholds.len()).map(outers).collect();
        // With one split, one pass over all classes is faster than one for each of many pairs.
        let pairs = classes.len() * classes.len().saturating_sub(1) / 2;
        let few_pairs = classes.len() <= MAX_PAIRED_CLASSES && (pairs <= 3 || splits.len() > 2);
        let stumps = match self.reach {
            0..=0x3fff if few_pairs && pairs > 0 => {
                narrow::least(self, feature, thresholds, &outers, &children, &classes)
            }
            0..=0x3fff_ffff if few_pairs && pairs > 0 => {
                wide::least(self, feature, thresholds, &outers, &children, &classes)
            }
            _ => {
                let errors = |side: usize, feature: usize, at: &[usize]| {
                    let child = |row: u32, rank: i64| {
                        (i64::from(ranks[row as usize]) <= rank) == (side == 0)
                    };
                    let inner = |row: u32| child(row, thresholds[at[0]].into());
                    let outer = |row: u32| child(row, outers[at[0]][side].0);
                    vec![self.errors_on(feature, &inner, &outer)]
                };
                self.least_of_kinds(thresholds.len(), 1, self.orders.len(), |_, _, _| 0, errors)
            }
        };
        let least = |at: usize| {
            [0, 1].map(|side| LeastErrors {
                leaf: children[at][side].errors(),
                stump: stumps[side][at],
            })
        };
        (0..thresholds.len()).map(least).collect()
    }

    /// The least errors of stumps on a feature in some of the inner and of the outer rows: by the best
    /// predictions for all prefixes, and then for all suffixes.
    fn errors_on(
        &self,
        feature: usize,
        inner: &dyn Fn(u32) -> bool,
        outer: &dyn Fn(u32) -> bool,
    ) -> u64 {
        let (order, ranks) = (&self.orders[feature], &self.table.ranks[feature]);
        let (table, mut totals) = (self.table, Totals::none(self.table.costs.predictions));
        let mut prefixes = Vec::with_capacity(order.len());
        let (mut most, mut counted) = (0, 0);
        // By row, its place among all, and whether it is an inner one.
        let mut rows = Vec::with_capacity(order.len());
        // What the best prediction saves does not fall when a row is added.
        let add = |totals: &mut Totals, row: usize, most: u64| {
            table.add(totals, row);
            let changed = table.costs.savings(table.classes[row]).iter();
            changed.map(|saving| totals.saved[saving.0]).fold(most, u64::max)
        };
        for row in order.iter().map(|pair| pair.0).filter(|&row| inner(row) || outer(row)) {
            let is_inner = inner(row) && holds(self.rows.inner, row);
            if is_inner {
                most = add(&mut totals, row as usize, most);
            }
            counted += u64::from(outer(row) && holds(self.rows.outer, row));
            prefixes.push((most, counted));
            rows.push((row as usize, is_inner));
        }
        let (reach, mut saved) = (totals.reach, most);
        totals = Totals::none(table.costs.predictions);
        most = 0;
        for at in (1..rows.len()).rev() {
            let (row, is_inner) = rows[at];
            if is_inner {
                most = add(&mut totals, row, most);
            }
            let (before, below) = prefixes[at - 1];
            let enough = below.min(counted - below) >= self.rows.minimum;
            if enough && ranks[rows[at - 1].0] != ranks[row] {
                saved = saved.max(before + most);
            }
        }
        reach - saved
    }

    /// The minimum over some kinds of stumps of errors in the children of thresholds; `errors`
    /// returns them for a side, a kind and up to `together` thresholds, and `bound` a lower bound on
    /// them. Without a minimum of rows a child that contains another has no fewer errors of any
    /// kind, so children are visited from small to large, and the errors in the last one are a bound,
    /// too. A kind is left out if its bounds are at least the minima so far.
    fn least_of_kinds(
        &self,
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
                    if self.rows.minimum == 0 {
                        *known = found[places.len() - 1];
                    }
                }
            }
        }
        least
    }
}

/// The least errors of stumps for several thresholds at once, in lanes of a type; a kind of stump is
/// a feature and a pair of classes, which its leaves predict.
///
/// Let D be how much more the prediction of the first class saves than that of the second, among the
/// first rows of a child. A stump at these rows saves either D plus what the second class saves in
/// the child, or what the first class saves in the child minus D. The lanes have the greatest and the
/// least D; D = 0 is a leaf.
macro_rules! lanes {
    ($name:ident, $lane:ty, $lanes:literal) => {
        mod $name {
            use super::{holds, Outer, Step, Stumps, Totals};

            pub(super) fn least(
                stumps: &Stumps<'_>,
                root: usize,
                thresholds: &[u32],
                outers: &[[Outer; 2]],
                children: &[[Totals; 2]],
                classes: &[usize],
            ) -> [Vec<u64>; 2] {
                let (ranks, order) = (&stumps.table.ranks[root], &stumps.orders[root]);
                let ends = order.iter().filter(|pair| pair.1).map(|pair| ranks[pair.0 as usize]);
                let values: Vec<u32> = ends.collect();
                let local = |rank: i64| {
                    values.partition_point(|&value| i64::from(value) <= rank) as $lane - 1
                };
                let mut ranks_of_rows = vec![0; ranks.len()];
                order.iter().for_each(|&(row, _)| {
                    ranks_of_rows[row as usize] = local(ranks[row as usize].into());
                });
                let mut pairs = Vec::new();
                for (at, &first) in classes.iter().enumerate() {
                    pairs.extend(classes[at + 1..].iter().map(|&second| [first, second]));
                }
                let kinds = stumps.orders.len() * pairs.len();
                let mut steps: Vec<Vec<Step<$lane>>> = vec![Vec::new(); kinds];
                // More than there are rows if it does not fit.
                let minimum = stumps.rows.minimum.min(<$lane>::MAX as u64) as $lane;
                let other_classes = |side: usize, kind: usize, at: usize| {
                    let (Totals { reach, saved }, [a, b]) =
                        (&children[at][side], pairs[kind % pairs.len()]);
                    reach.saturating_sub(saved[a] + saved[b])
                };
                let errors = |side: usize, kind: usize, places: &[usize]| {
                    let (feature, pair) = (kind / pairs.len(), pairs[kind % pairs.len()]);
                    if steps[kind].is_empty() {
                        steps[kind] = steps_of(stumps, feature, &ranks_of_rows, pair);
                    }
                    let mut lanes = Lanes { minimum, ..Lanes::default() };
                    for (lane, &at) in places.iter().enumerate() {
                        let (outer, rows) = outers[at][side];
                        lanes.inner[lane] = local(thresholds[at].into());
                        lanes.outer[lane] = local(outer);
                        lanes.rows[lane] = rows as $lane;
                    }
                    let sweep = if minimum > 0 { sweep::<true> } else { sweep::<false> };
                    let (most, least) = sweep(&steps[kind], &lanes, side == 0);
                    let errors = |(lane, &at): (usize, &usize)| {
                        let Totals { reach, saved } = &children[at][side];
                        let [first, second] = pair.map(|class| saved[class]);
                        let behind = u64::from(least[lane].unsigned_abs());
                        reach - (second + most[lane] as u64).max(first + behind)
                    };
                    places.iter().enumerate().map(errors).collect()
                };
                stumps.least_of_kinds(thresholds.len(), $lanes, kinds, other_classes, errors)
            }

            /// By lane, the thresholds of the inner and of the outer rows of a child, and the number
            /// of its outer rows.
            #[derive(Default)]
            struct Lanes {
                inner: [$lane; $lanes],
                outer: [$lane; $lanes],
                rows: [$lane; $lanes],
                minimum: $lane,
            }

            /// The rows whose costs two predictions change, in the order of a feature; all rows if they
            /// count in leaves.
            fn steps_of(
                stumps: &Stumps<'_>,
                feature: usize,
                ranks_of_rows: &[$lane],
                [first, second]: [usize; 2],
            ) -> Vec<Step<$lane>> {
                let (table, ranks) = (stumps.table, &stumps.table.ranks[feature]);
                let differences: Vec<i64> = (0..table.n_classes as u32)
                    .map(|class| {
                        let saved = |predicted| table.costs.saved(class, predicted) as i64;
                        saved(first) - saved(second)
                    })
                    .collect();
                let mut steps: Vec<Step<$lane>> = Vec::new();
                let mut last = None;
                for &(row, _) in &stumps.orders[feature] {
                    let of_class = differences[table.classes[row as usize] as usize];
                    if of_class == 0 && stumps.rows.minimum == 0 {
                        continue;
                    }
                    let counts = holds(stumps.rows.outer, row) as $lane;
                    let is_inner = holds(stumps.rows.inner, row);
                    let row = row as usize;
                    // At most the reach of the row, which fits.
                    let difference =
                        (i64::from(is_inner) * table.weights[row] as i64 * of_class) as $lane;
                    if let (Some(step), true) = (steps.last_mut(), last == Some(ranks[row])) {
                        step.3 = false;
                    }
                    last = Some(ranks[row]);
                    steps.push((ranks_of_rows[row], difference, counts, true));
                }
                steps
            }

            /// The greatest and the least D in the left or in the right children of thresholds, where
            /// leaves have enough rows if `COUNTS`. No sum overflows, because the reach of the sets
            /// is less than half of what fits.
            fn sweep<const COUNTS: bool>(
                steps: &[Step<$lane>],
                lanes: &Lanes,
                left: bool,
            ) -> ([$lane; $lanes], [$lane; $lanes]) {
                let (mut most, mut least, mut sum) = ([0; $lanes], [0; $lanes], [0; $lanes]);
                let mut rows = [0; $lanes];
                let (on_left, on_right): ($lane, $lane) = if left { (-1, 0) } else { (0, -1) };
                for &(rank, difference, counts, is_end) in steps {
                    for lane in 0..$lanes {
                        let mask = if rank > lanes.inner[lane] { on_right } else { on_left };
                        sum[lane] = <$lane>::wrapping_add(sum[lane], difference & mask);
                    }
                    for lane in 0..if COUNTS { $lanes } else { 0 } {
                        let mask = if rank > lanes.outer[lane] { on_right } else { on_left };
                        rows[lane] = <$lane>::wrapping_add(rows[lane], counts & mask);
                    }
                    if is_end {
                        for lane in 0..$lanes {
                            let below = <$lane>::wrapping_sub(lanes.rows[lane], rows[lane]);
                            let fewer = <$lane>::min(rows[lane], below);
                            let allowed = !COUNTS || fewer >= lanes.minimum;
                            let found = if allowed { sum[lane] } else { 0 };
                            most[lane] = <$lane>::max(most[lane], found);
                            least[lane] = <$lane>::min(least[lane], found);
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

/// The rows of two sets in the order of a feature; whether each is the last of its value.
fn with_ends(order: &[u32], ranks: &[u32], rows: Rows<'_>) -> Vec<(u32, bool)> {
    let mut found: Vec<(u32, bool)> = Vec::new();
    for &row in order.iter().filter(|&&row| rows.either(row)) {
        if let Some(last) = found.last_mut() {
            last.1 = ranks[last.0 as usize] != ranks[row as usize];
        }
        found.push((row, true));
    }
    found
}

#[cfg(test)]
mod tests;
