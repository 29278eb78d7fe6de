//! Points with exact and with rounded coordinates.

use super::exact::{Exact, minors};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Determinants of at most this many dimensions are expanded; each takes 2^r steps.
pub(super) const MAX_DIMENSIONS: usize = 8;
/// The number of a point takes this many bits of a sort key.
pub(super) const INDEX_BITS: u32 = 19;

/// Different points that span all their coordinates, given as integers.
pub struct PointTable {
    /// Number of coordinates.
    pub dimensions: usize,
    /// The coordinates of all points, one point after the other.
    pub coordinates: Vec<BigInt>,
    /// By point, the number of its rows.
    pub rows: Vec<u64>,
}

impl PointTable {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the search accepts the table.
    pub fn is_accepted(&self) -> bool {
        self.dimensions <= MAX_DIMENSIONS && self.len() < 1 << INDEX_BITS
    }
}

/// Points of some coordinates.
pub(super) struct Cloud<T> {
    pub dimensions: usize,
    /// By point, its exact coordinates.
    pub exact: Vec<Vec<T>>,
    /// By coordinate, the values of all points divided by a power of two, so that they are at most 1.
    pub rounded: Vec<Vec<f64>>,
    /// By coordinate, that power.
    pub powers: Vec<i64>,
    /// Whether nothing is rounded in any determinant: on a common scale, all numbers are then
    /// integers below 2^53.
    pub unrounded: bool,
}

impl<T: Exact> Cloud<T> {
    /// `bits` are the numbers of bits of the greatest absolute values.
    pub(super) fn new(exact: Vec<Vec<T>>, bits: &[u64]) -> Self {
        let dimensions = bits.len();
        let powers: Vec<i64> = bits.iter().map(|&bits| bits as i64).collect();
        let column = |f: usize| exact.iter().map(|point| point[f].scaled(powers[f])).collect();
        let rounded = (0..dimensions).map(column).collect();
        let unrounded = bits.iter().sum::<u64>() + (dimensions * dimensions) as u64 <= 50;
        Cloud { dimensions, exact, rounded, powers, unrounded }
    }

    pub(super) fn len(&self) -> usize {
        self.exact.len()
    }

    /// Some of the points with some of the coordinates.
    pub(super) fn part(&self, points: &[u32], coordinates: &[usize]) -> Self {
        let exact = points
            .iter()
            .map(|&p| coordinates.iter().map(|&f| self.exact[p as usize][f].clone()).collect());
        let column = |&f: &usize| points.iter().map(|&p| self.rounded[f][p as usize]).collect();
        Cloud {
            dimensions: coordinates.len(),
            exact: exact.collect(),
            rounded: coordinates.iter().map(column).collect(),
            powers: coordinates.iter().map(|&f| self.powers[f]).collect(),
            unrounded: self.unrounded,
        }
    }

    /// Coordinates that distinguish all points of the flat that some points span.
    pub(super) fn spanning(&self, points: &[u32]) -> Vec<usize> {
        let Some((&origin, others)) = points.split_first() else { return Vec::new() };
        let minus = |point: u32| -> Vec<T> {
            let pairs = self.exact[point as usize].iter().zip(&self.exact[origin as usize]);
            pairs.map(|(a, b)| a.minus(b)).collect()
        };
        // One vector after the other: with each independent vector, some minor of one more column is
        // not zero.
        let r = self.dimensions;
        let (mut basis, mut found, mut chosen) = (Vec::<T>::new(), Vec::new(), 0_usize);
        for &point in others {
            let size = basis.len();
            if size == r * r {
                break;
            }
            basis.extend(minus(point));
            minors(&basis, r, 0, &mut found);
            let extends = |&f: &usize| {
                chosen >> f & 1 == 0 && found[chosen | 1 << f].sign() != Ordering::Equal
            };
            match (0..r).find(extends) {
                Some(f) => chosen |= 1 << f,
                None => basis.truncate(size),
            }
        }
        (0..self.dimensions).filter(|f| chosen >> f & 1 == 1).collect()
    }
}
