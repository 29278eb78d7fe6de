//! The constraints that the trees of a subset keep beside the limits, as data that a node hands to
//! its children. `constraints/` says what they mean.

use exactree_model::Weight;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::sync::Arc;

/// The constraints of a subset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubsetState {
    /// Features that nodes above use and that other features must stand below, in order.
    pub above: Vec<u32>,
    /// Features that must be used, in order.
    pub required: Vec<u32>,
    /// Classes, and the maximum number of leaves that predict each.
    pub quotas: Vec<(u32, u32)>,
    /// Conditions on leaves that points of the subset reach.
    pub conditions: Vec<LeafCondition>,
    /// Whether the root must not split on a feature with a direction.
    pub undirected_root: bool,
}

/// A point of the feature space, and a bound on the value of the leaf that it reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeafCondition {
    /// The ranks of the point, by feature.
    pub point: Arc<[u32]>,
    /// Whether the value must be at most `limit`; otherwise it must be greater.
    pub at_most: bool,
    pub limit: LeafValue,
}

/// The value of a leaf that must be monotone, as a fraction; its denominator is not zero.
#[derive(Clone, Debug)]
pub(crate) enum LeafValue {
    /// A class, a share, or the code of a median.
    Ratio { numerator: Weight, denominator: Weight },
    /// The same of numbers of any length: a mean of targets, or a share.
    Long(Arc<(BigInt, BigInt)>),
}

impl LeafValue {
    /// A whole number.
    pub(crate) fn whole(number: Weight) -> LeafValue {
        LeafValue::Ratio { numerator: number, denominator: 1 }
    }

    /// A fraction of numbers of any length.
    pub(crate) fn fraction(
        numerator: impl Into<BigInt>,
        denominator: impl Into<BigInt>,
    ) -> LeafValue {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        match (Weight::try_from(&numerator), Weight::try_from(&denominator)) {
            (Ok(numerator), Ok(denominator)) => LeafValue::Ratio { numerator, denominator },
            _ => LeafValue::Long(Arc::new((numerator, denominator))),
        }
    }

    fn numbers(&self) -> (BigInt, BigInt) {
        match self {
            LeafValue::Ratio { numerator, denominator } => {
                ((*numerator).into(), (*denominator).into())
            }
            LeafValue::Long(fraction) => (**fraction).clone(),
        }
    }

    /// Appends words that no other value has.
    fn encode(&self, words: &mut Vec<u64>) {
        match self {
            LeafValue::Ratio { numerator, denominator } => {
                words.extend([0, *numerator, *denominator]);
            }
            LeafValue::Long(fraction) => {
                let (sign, digits) = fraction.0.to_u64_digits();
                let (_, below) = fraction.1.to_u64_digits();
                words.extend([1 + u64::from(sign == Sign::Minus), digits.len() as u64]);
                words.extend(digits);
                words.push(below.len() as u64);
                words.extend(below);
            }
        }
    }
}

impl PartialEq for LeafValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for LeafValue {}

impl PartialOrd for LeafValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LeafValue {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (
            LeafValue::Ratio { numerator: a, denominator: b },
            LeafValue::Ratio { numerator: c, denominator: d },
        ) = (self, other)
        {
            // Products of two numbers of 64 bits fit in 128 bits.
            let cross = |a: Weight, b: Weight| u128::from(a) * u128::from(b);
            return cross(*a, *d).cmp(&cross(*c, *b));
        }
        let ((a, b), (c, d)) = (self.numbers(), other.numbers());
        (a * d).cmp(&(c * b))
    }
}

impl LeafCondition {
    /// Whether the point may reach a leaf of this value.
    pub(crate) fn allows(&self, value: &LeafValue) -> bool {
        (*value <= self.limit) == self.at_most
    }
}

impl SubsetState {
    /// Appends words that no other state has: every list is preceded by its length.
    pub(crate) fn encode(&self, words: &mut Vec<u64>) {
        for features in [&self.above, &self.required] {
            words.push(features.len() as u64);
            words.extend(features.iter().map(|&feature| u64::from(feature)));
        }
        words.push(self.quotas.len() as u64);
        words.extend(
            self.quotas.iter().map(|&(class, most)| (u64::from(class) << 32) | u64::from(most)),
        );
        words.push(u64::from(self.undirected_root));
        words.push(self.conditions.len() as u64);
        for LeafCondition { point, at_most, limit } in &self.conditions {
            words.push(u64::from(*at_most));
            limit.encode(words);
            words.extend(point.iter().map(|&rank| u64::from(rank)));
        }
    }
}
