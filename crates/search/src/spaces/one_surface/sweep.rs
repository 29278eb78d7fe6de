//! Class weights on both sides of a hyperplane that turns, and the splits that it makes.

use super::directions::{Turn, point_of};
use super::divisions::{Division, of_independent, of_points};
use super::exact::Exact;
use super::points::{INDEX_BITS, PointTable};
use exactree_model::{Errors, Weight};

/// The number of ranges of angles in which the splits around a flat are bounded together.
const RANGES: usize = 16;
/// A key without this many bits is the number of its range: an angle has 44 bits.
const RANGE_SHIFT: u32 = INDEX_BITS + 44 - RANGES.ilog2();

/// Where splits are compared.
pub(super) trait Best {
    /// Only splits of less cost are of interest.
    fn below(&self) -> Weight;

    /// Whether the search must end; called with the bytes of a list of divisions so far.
    fn stopped(&self, bytes: usize) -> bool;

    /// Takes a split; `left` says for each point whether it is on the left.
    fn take(&mut self, cost: Weight, left: &[bool]);
}

/// The sums of a set of points.
#[derive(Clone, Default)]
struct Sums {
    weights: Vec<Weight>,
    rows: u64,
}

impl Sums {
    fn reset(&mut self, n_classes: usize) {
        self.weights.clear();
        self.weights.resize(n_classes, 0);
        self.rows = 0;
    }

    fn add(&mut self, table: &PointTable, point: u32) {
        for (sum, weight) in self.weights.iter_mut().zip(table.weights_of(point)) {
            *sum += weight;
        }
        self.rows += table.rows[point as usize];
    }

    fn remove(&mut self, table: &PointTable, point: u32) {
        for (sum, weight) in self.weights.iter_mut().zip(table.weights_of(point)) {
            *sum -= weight;
        }
        self.rows -= table.rows[point as usize];
    }

    fn errors(&self) -> Weight {
        Errors::leaf_errors(&self.weights)
    }
}

/// The workspace of a sweep.
pub(super) struct Sweep<'a> {
    table: &'a PointTable,
    min_rows: u64,
    /// Both sides of the hyperplane, without the points of the flat.
    left: Sums,
    right: Sums,
    /// By range of angles and class, the weights of the points that leave the left side, and of those
    /// that enter it.
    leaving: Vec<Weight>,
    entering: Vec<Weight>,
    /// All divisions of independent points, as many as span a flat.
    independent: Vec<Division>,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(table: &'a PointTable, min_rows: u64) -> Self {
        let independent = of_independent(table.dimensions.saturating_sub(1).max(1));
        let (left, right) = Default::default();
        let (leaving, entering) = (Vec::new(), Vec::new());
        Sweep { table, min_rows: min_rows.max(1), left, right, leaving, entering, independent }
    }

    /// Whether some hyperplane that contains a flat may make a cheaper split; the points are not
    /// sorted yet.
    ///
    /// While the hyperplane is in a range of angles, only points in this range change sides. Without
    /// them, without the points on the flat and without those in doubt, no side costs more, because no
    /// leaf costs less with more examples.
    fn may_improve<T: Exact>(&mut self, turn: &Turn<'_, T>, below: Weight) -> bool {
        let (table, classes) = (self.table, self.table.n_classes);
        for sums in [&mut self.leaving, &mut self.entering] {
            sums.clear();
            sums.resize(RANGES * classes, 0);
        }
        self.left.reset(classes);
        self.right.reset(classes);
        let tolerance = turn.tolerance << INDEX_BITS;
        for &key in &turn.keys {
            let range_of = |key: u64| ((key >> RANGE_SHIFT) as usize).min(RANGES - 1);
            let range = range_of(key.saturating_sub(tolerance));
            if range != range_of(key.saturating_add(tolerance)) {
                continue; // it may be in either range, and is in neither sum
            }
            let (point, first) = (point_of(key), range * classes);
            let starts_left = turn.starts_left[point as usize];
            let (sums, side) = if starts_left {
                (&mut self.leaving, &mut self.left)
            } else {
                (&mut self.entering, &mut self.right)
            };
            for (class, &weight) in table.weights_of(point).iter().enumerate() {
                sums[first + class] += weight;
                side.weights[class] += weight;
            }
        }
        for range in 0..RANGES {
            let places = range * classes..(range + 1) * classes;
            let (leaving, entering) = (&self.leaving[places.clone()], &self.entering[places]);
            for class in 0..classes {
                self.left.weights[class] -= leaving[class];
                self.right.weights[class] -= entering[class];
            }
            if self.left.errors() + self.right.errors() < below {
                return true;
            }
            for class in 0..classes {
                self.left.weights[class] += entering[class];
                self.right.weights[class] += leaving[class];
            }
        }
        false
    }

    /// Compares the splits of all hyperplanes that contain a flat.
    pub(super) fn around<T: Exact>(&mut self, turn: &mut Turn<'_, T>, best: &mut impl Best) {
        if !self.may_improve(turn, best.below()) {
            return;
        }
        if !turn.sort() {
            return;
        }
        let table = self.table;
        self.left.reset(table.n_classes);
        self.right.reset(table.n_classes);
        for &point in &turn.order {
            let side =
                if turn.starts_left[point as usize] { &mut self.left } else { &mut self.right };
            side.add(table, point);
        }
        let mut crowded: Option<Vec<Division>> = None;
        let mut begin = 0;
        for (passed, &end) in turn.ends.iter().enumerate() {
            for &point in &turn.order[begin..end] {
                let leaves_left = turn.starts_left[point as usize];
                let (from, to) = if leaves_left {
                    (&mut self.left, &mut self.right)
                } else {
                    (&mut self.right, &mut self.left)
                };
                from.remove(table, point);
                to.add(table, point);
            }
            begin = end;
            // No leaf costs less with more examples.
            if self.left.errors() + self.right.errors() >= best.below() {
                continue;
            }
            if turn.on.len() > self.independent[0].len() && crowded.is_none() {
                let points = turn.on.len();
                let stopped = |found: usize| best.stopped(found.saturating_mul(points));
                let Some(divisions) = of_points(turn.cloud, &turn.on, &stopped) else { return };
                crowded = Some(divisions);
            }
            self.divide(turn, passed, crowded.as_deref().unwrap_or(&self.independent), best);
        }
    }

    /// Compares the splits that divide the points of the flat.
    fn divide<T: Exact>(
        &self,
        turn: &Turn<'_, T>,
        passed: usize,
        divisions: &[Division],
        best: &mut impl Best,
    ) {
        for division in divisions {
            let [mut left, mut right] = [self.left.clone(), self.right.clone()];
            for (&point, &on_left) in turn.on.iter().zip(division) {
                let side = if on_left { &mut left } else { &mut right };
                side.add(self.table, point);
            }
            let cost = left.errors() + right.errors();
            if cost < best.below() && left.rows.min(right.rows) >= self.min_rows {
                best.take(cost, &sides(turn, passed, division));
            }
        }
    }

    /// Compares the splits of points on a line, which is all there is in one dimension.
    pub(super) fn along(&mut self, order: &[u32], best: &mut impl Best) {
        let table = self.table;
        self.left.reset(table.n_classes);
        self.right.reset(table.n_classes);
        order.iter().for_each(|&point| self.right.add(table, point));
        let mut sides = vec![false; order.len()];
        for &point in order {
            self.right.remove(table, point);
            self.left.add(table, point);
            sides[point as usize] = true;
            let cost = self.left.errors() + self.right.errors();
            let rows = self.left.rows.min(self.right.rows);
            if cost < best.below() && rows >= self.min_rows {
                best.take(cost, &sides);
            }
        }
    }
}

/// Which points are on the left after some groups were passed.
fn sides<T: Exact>(turn: &Turn<'_, T>, passed: usize, division: &[bool]) -> Vec<bool> {
    let mut left = turn.starts_left.clone();
    for &point in &turn.order[..turn.ends[passed]] {
        left[point as usize] ^= true;
    }
    for (&point, &on_left) in turn.on.iter().zip(division) {
        left[point as usize] = on_left;
    }
    left
}
