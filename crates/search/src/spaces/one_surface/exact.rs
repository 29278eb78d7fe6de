//! Integers that never overflow: 128 bits where bounds on the coordinates allow it, else big ones.

use num_bigint::BigInt;
use std::cmp::Ordering;

/// A number that is added and multiplied.
pub(super) trait Number: Clone {
    fn zero() -> Self;
    fn one() -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
}

/// An integer type in which all determinants of a table are exact.
pub(super) trait Exact: Number + Send + Sync {
    fn sign(&self) -> Ordering;
    /// Number of bits of the absolute value.
    fn bit_length(&self) -> u64;
    /// This integer divided by a power of two, in floating point; 0 or infinite if out of range.
    fn scaled(&self, power: i64) -> f64;
}

macro_rules! number {
    ($type:ty, $zero:expr, $one:expr) => {
        impl Number for $type {
            fn zero() -> Self {
                $zero
            }

            fn one() -> Self {
                $one
            }

            fn minus(&self, other: &Self) -> Self {
                self - other
            }

            fn plus(&self, other: &Self) -> Self {
                self + other
            }

            fn times(&self, other: &Self) -> Self {
                self * other
            }
        }
    };
}

number!(f64, 0.0, 1.0);
number!(i128, 0, 1);
number!(BigInt, BigInt::ZERO, BigInt::from(1));

/// A bound on an absolute value: differences are bounded as sums.
#[derive(Clone)]
pub(super) struct Magnitude(pub f64);

impl Number for Magnitude {
    fn zero() -> Self {
        Magnitude(0.0)
    }

    fn one() -> Self {
        Magnitude(1.0)
    }

    fn minus(&self, other: &Self) -> Self {
        Magnitude(self.0 + other.0)
    }

    fn plus(&self, other: &Self) -> Self {
        Magnitude(self.0 + other.0)
    }

    fn times(&self, other: &Self) -> Self {
        Magnitude(self.0 * other.0)
    }
}

impl Exact for i128 {
    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    fn bit_length(&self) -> u64 {
        u64::from(128 - self.unsigned_abs().leading_zeros())
    }

    fn scaled(&self, power: i64) -> f64 {
        times_power(*self as f64, -power)
    }
}

impl Exact for BigInt {
    fn sign(&self) -> Ordering {
        self.cmp(&BigInt::ZERO)
    }

    fn bit_length(&self) -> u64 {
        self.bits()
    }

    fn scaled(&self, power: i64) -> f64 {
        // The bits beyond 100 change the result by less than a rounding.
        let dropped = self.bits().saturating_sub(100);
        let leading: BigInt = self >> dropped;
        let leading = i128::try_from(leading).unwrap_or_default();
        times_power(leading as f64, dropped as i64 - power)
    }
}

/// A number times a power of two. Factors within the range of the type, because the power may be out
/// of range where the product is not.
fn times_power(number: f64, power: i64) -> f64 {
    let (mut product, mut left) = (number, power.clamp(-4000, 4000));
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        product *= 2.0_f64.powi(step as i32);
        left -= step;
    }
    product
}

/// Minors of vectors of r columns, by set of columns, as bits: for k columns, the determinant of the
/// first k vectors in these. The first `kept` vectors are those of the last call, whose minors are
/// kept.
pub(super) fn minors<T: Number>(vectors: &[T], r: usize, kept: usize, found: &mut Vec<T>) {
    found.resize(1 << r, T::zero());
    found[0] = T::one();
    for columns in 1..1_usize << r {
        let size = columns.count_ones() as usize;
        if size <= kept || size * r > vectors.len() {
            continue;
        }
        let vector = &vectors[(size - 1) * r..size * r];
        let (mut total, mut rest, mut place) = (T::zero(), columns, 0);
        while rest != 0 {
            let column = rest.trailing_zeros() as usize;
            let product = vector[column].times(&found[columns & !(1 << column)]);
            // The signs of Laplace's expansion along the last row.
            let positive = (size - 1 + place).is_multiple_of(2);
            total = if positive { total.plus(&product) } else { total.minus(&product) };
            rest &= rest - 1;
            place += 1;
        }
        found[columns] = total;
    }
}

/// The weights of the linear form "determinant of r - 2 vectors and x, without one column".
pub(super) fn form<T: Number>(minors: &[T], r: usize, omitted: usize, found: &mut Vec<T>) {
    found.clear();
    let columns = ((1_usize << r) - 1) & !(1 << omitted);
    let mut place = 0;
    for column in 0..r {
        if column == omitted {
            found.push(T::zero());
            continue;
        }
        let minor = &minors[columns & !(1 << column)];
        // The form is the last row, number r - 2.
        let positive = (r + place).is_multiple_of(2);
        found.push(if positive { minor.clone() } else { T::zero().minus(minor) });
        place += 1;
    }
}
