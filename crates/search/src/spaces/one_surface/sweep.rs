//! Sums of both sides of a hyperplane that turns, and the splits that it makes.

use super::directions::{Turn, point_of};
use super::divisions::{Division, of_independent, of_points};
use super::exact::Exact;
use super::points::INDEX_BITS;
use super::side_costs::{PointSums, SideCost, rows_of};
use exactree_model::Cost;

/// The number of ranges of angles in which the splits around a flat are bounded together.
const RANGES: usize = 16;
/// A key without this many bits is the number of its range: an angle has 44 bits.
const RANGE_SHIFT: u32 = INDEX_BITS + 44 - RANGES.ilog2();

/// Where splits are compared.
pub(super) trait Best {
    /// Only splits of less cost are of interest.
    fn below(&self) -> Cost;

    /// Whether the search must end; called with the bytes of a list of divisions so far.
    fn stopped(&self, bytes: usize) -> bool;

    /// Takes a split; `left` says for each point whether it is on the left.
    fn take(&mut self, cost: Cost, left: &[bool]);
}

/// The workspace of a sweep.
pub(super) struct Sweep<'a, C> {
    points: &'a PointSums,
    cost: &'a C,
    min_rows: u64,
    /// Sums of both sides of the hyperplane, without the points of the flat.
    left: Vec<i64>,
    right: Vec<i64>,
    /// By range of angles, the sums of the points that leave the left side, and of those that enter it.
    leaving: Vec<i64>,
    entering: Vec<i64>,
    /// All divisions of independent points, as many as span a flat.
    independent: Vec<Division>,
}

impl<'a, C: SideCost> Sweep<'a, C> {
    pub(super) fn new(
        dimensions: usize,
        points: &'a PointSums,
        cost: &'a C,
        min_rows: u64,
    ) -> Self {
        let independent = of_independent(dimensions.saturating_sub(1).max(1));
        let (left, right) = Default::default();
        let (leaving, entering) = Default::default();
        let min_rows = min_rows.max(1);
        Sweep { points, cost, min_rows, left, right, leaving, entering, independent }
    }

    fn reset_sides(&mut self) {
        self.points.reset(&mut self.left);
        self.points.reset(&mut self.right);
    }

    /// The cost of both sides.
    fn cost(&self) -> Cost {
        self.cost.leaf(&self.left) + self.cost.leaf(&self.right)
    }

    /// Whether some hyperplane that contains a flat may make a cheaper split; the points are not
    /// sorted yet.
    ///
    /// While the hyperplane is in a range of angles, only points in this range change sides. Without
    /// them, without the points on the flat and without those in doubt, no side costs more, because no
    /// leaf costs less with more examples.
    fn may_improve<T: Exact>(&mut self, turn: &Turn<'_, T>, below: Cost) -> bool {
        self.reset_sides();
        let width = self.left.len();
        if width > turn.cloud.len() {
            return true; // the sums of the ranges would take more time than the sweep
        }
        for sums in [&mut self.leaving, &mut self.entering] {
            sums.clear();
            sums.resize(RANGES * width, 0);
        }
        let tolerance = turn.tolerance << INDEX_BITS;
        for &key in &turn.keys {
            let range_of = |key: u64| ((key >> RANGE_SHIFT) as usize).min(RANGES - 1);
            let range = range_of(key.saturating_sub(tolerance));
            if range != range_of(key.saturating_add(tolerance)) {
                continue; // it may be in either range, and is in neither sum
            }
            let (point, first) = (point_of(key), range * width);
            let (sums, side) = if turn.starts_left[point as usize] {
                (&mut self.leaving, &mut self.left)
            } else {
                (&mut self.entering, &mut self.right)
            };
            self.points.add(&mut sums[first..first + width], point);
            self.points.add(side, point);
        }
        for range in 0..RANGES {
            let places = range * width..(range + 1) * width;
            let (leaving, entering) = (&self.leaving[places.clone()], &self.entering[places]);
            subtract(&mut self.left, leaving);
            subtract(&mut self.right, entering);
            if self.cost.leaf(&self.left) + self.cost.leaf(&self.right) < below {
                return true;
            }
            add(&mut self.left, entering);
            add(&mut self.right, leaving);
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
        self.reset_sides();
        let points = self.points;
        for &point in &turn.order {
            let side =
                if turn.starts_left[point as usize] { &mut self.left } else { &mut self.right };
            points.add(side, point);
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
                points.remove(from, point);
                points.add(to, point);
            }
            begin = end;
            // No leaf costs less with more examples.
            if self.cost() >= best.below() {
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
                self.points.add(side, point);
            }
            let cost = self.cost.leaf(&left) + self.cost.leaf(&right);
            let rows = rows_of(&left).min(rows_of(&right));
            if cost < best.below() && rows >= self.min_rows {
                best.take(cost, &sides(turn, passed, division));
            }
        }
    }

    /// Compares the splits of points on a line, which is all there is in one dimension.
    pub(super) fn along(&mut self, order: &[u32], best: &mut impl Best) {
        self.reset_sides();
        order.iter().for_each(|&point| self.points.add(&mut self.right, point));
        let mut sides = vec![false; order.len()];
        for &point in order {
            self.points.remove(&mut self.right, point);
            self.points.add(&mut self.left, point);
            sides[point as usize] = true;
            let (cost, rows) = (self.cost(), rows_of(&self.left).min(rows_of(&self.right)));
            if cost < best.below() && rows >= self.min_rows {
                best.take(cost, &sides);
            }
        }
    }
}

fn add(sums: &mut [i64], others: &[i64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

fn subtract(sums: &mut [i64], others: &[i64]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum -= other);
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
