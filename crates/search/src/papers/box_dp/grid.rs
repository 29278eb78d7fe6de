//! The grid of all splits, and the numbering of boxes (spec/boxes.py).
//!
//! A split of a feature is represented by the number of values below it: 0 for −∞, all for ∞. The
//! intervals between two splits are numbered from short to long, and those of one length from left
//! to right; the number of a box has the numbers of its intervals as digits. An interval inside
//! another one is shorter, so its number is smaller: every box comes after the boxes inside it that
//! differ from it in one feature. Counting up follows the order of the paper's proof ("one
//! split at a time, one coordinate at a time").

use crate::support::table_size::power;
use exactree_model::Table;

/// All splits: S_1, ..., S_d of the paper, one set for each feature.
pub(super) struct Grid {
    /// By feature, the number of its values.
    pub values: Vec<usize>,
    /// By feature and length, the number of shorter intervals.
    shorter: Vec<Vec<usize>>,
    /// By feature, the place value of its digit in the number of a box.
    strides: Vec<usize>,
}

/// The box(u, v) of the paper, and its number.
#[derive(Clone, Debug)]
pub(super) struct Corners {
    pub u: Vec<usize>,
    pub v: Vec<usize>,
    pub number: usize,
}

impl Grid {
    pub(super) fn new(table: &Table) -> Self {
        let values: Vec<usize> = table.features.iter().map(|f| f.values.len()).collect();
        let shorter = values.iter().map(|&values| {
            let mut intervals = 0;
            let mut below = |length| {
                let shorter = intervals;
                intervals += if length == 0 { 0 } else { values + 1 - length };
                shorter
            };
            (0..=values).map(&mut below).collect()
        });
        let shorter: Vec<Vec<usize>> = shorter.collect();
        let mut strides = vec![1usize; values.len()];
        for feature in (1..values.len()).rev() {
            // Saturates only if the boxes do not fit in memory; then it is not used.
            let intervals = values[feature] * (values[feature] + 1) / 2;
            strides[feature - 1] = strides[feature].saturating_mul(intervals);
        }
        Grid { values, shorter, strides }
    }

    /// Number of boxes.
    pub(super) fn boxes(&self) -> u128 {
        let intervals = self.values.iter().map(|&values| (power(values, 2) + values as u128) / 2);
        intervals.fold(1, u128::saturating_mul)
    }

    /// The number of the box that is one cell, given the place of the cell in every feature.
    pub(super) fn cell(&self, place: impl Fn(usize) -> usize) -> usize {
        self.strides.iter().enumerate().map(|(feature, stride)| stride * place(feature)).sum()
    }

    /// The first box: one cell.
    pub(super) fn first(&self) -> Corners {
        let features = self.values.len();
        Corners { u: vec![0; features], v: vec![1; features], number: 0 }
    }

    /// The last box, which contains everything.
    pub(super) fn everything(&self) -> Corners {
        let u = vec![0; self.values.len()];
        Corners { number: self.boxes() as usize - 1, u, v: self.values.clone() }
    }

    /// Advances to the box with the next number.
    pub(super) fn advance(&self, corners: &mut Corners) {
        corners.number += 1;
        for feature in (0..self.values.len()).rev() {
            let (u, v) = (&mut corners.u[feature], &mut corners.v[feature]);
            if *v < self.values[feature] {
                (*u, *v) = (*u + 1, *v + 1);
                return;
            }
            if *u > 0 {
                (*u, *v) = (0, *v - *u + 1);
                return;
            }
            *v = 1;
        }
    }

    /// The numbers of box(u, v_i(t)) and box(u_i(t), v).
    #[inline]
    pub(super) fn children(&self, corners: &Corners, feature: usize, t: usize) -> (usize, usize) {
        let (u, v) = (corners.u[feature], corners.v[feature]);
        let (shorter, stride) = (&self.shorter[feature], self.strides[feature]);
        let rest = corners.number - stride * (shorter[v - u] + u);
        (rest + stride * (shorter[t - u] + u), rest + stride * (shorter[v - t] + t))
    }

    /// box(u, v_i(t)) and box(u_i(t), v).
    pub(super) fn split(&self, corners: &Corners, feature: usize, t: usize) -> (Corners, Corners) {
        let (left, right) = self.children(corners, feature, t);
        let mut below = Corners { number: left, ..corners.clone() };
        let mut above = Corners { number: right, ..corners.clone() };
        (below.v[feature], above.u[feature]) = (t, t);
        (below, above)
    }
}
