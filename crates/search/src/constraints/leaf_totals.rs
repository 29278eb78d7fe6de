//! What constraints need to know of a leaf: its weight, the class that it predicts, and the value that
//! must be monotone, from totals of its items that are updated item by item.

use crate::constraints::costs::{ConstrainedCosts, ConstrainedSpace};
use crate::engine::subset_state::LeafValue;
use exactree_model::Weight;
use num_bigint::BigInt;
use std::sync::Arc;

/// The targets of a regression, as the values of leaves need them.
#[derive(Clone, Debug)]
pub(crate) enum Targets {
    /// A leaf predicts the mean. By code, the target in a unit in which all targets are whole.
    Means(Vec<BigInt>),
    /// A leaf predicts the lower median; its code stands for it.
    Medians,
}

impl Targets {
    /// The targets, which are finite, for means.
    pub(crate) fn of_means(targets: &[f64]) -> Targets {
        let split: Vec<(i64, i32)> =
            targets.iter().map(|&target| mantissa_and_power(target)).collect();
        let least = split.iter().map(|&(_, power)| power).min().unwrap_or(0);
        let whole =
            |&(mantissa, power): &(i64, i32)| BigInt::from(mantissa) << (power - least) as u32;
        Targets::Means(split.iter().map(whole).collect())
    }
}

/// A finite number as an integer times a power of two.
fn mantissa_and_power(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, power) = match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    };
    (if value < 0.0 { -mantissa } else { mantissa }, power)
}

/// Totals of the items of a leaf.
#[derive(Clone, Debug)]
pub(crate) enum LeafTotals {
    /// The weights of the classes.
    Classes(Vec<Weight>),
    /// The weight, and the sum of the targets.
    Mean(Weight, BigInt),
    /// The weight, and a binary indexed tree of the weights of the codes.
    Median(Weight, Vec<Weight>),
    /// The weight, if no value has to be monotone.
    Weight(Weight),
}

impl<B: ConstrainedCosts> ConstrainedSpace<'_, B> {
    /// The totals of some items.
    pub(crate) fn totals(&self, slots: impl Iterator<Item = u32>) -> LeafTotals {
        let constraints = self.constraints;
        let mut totals = match (&constraints.targets, constraints.statement.monotone()) {
            (None, _) => LeafTotals::Classes(vec![0; constraints.n_codes]),
            (Some(_), false) => LeafTotals::Weight(0),
            (Some(Targets::Means(_)), true) => LeafTotals::Mean(0, BigInt::ZERO),
            (Some(Targets::Medians), true) => LeafTotals::Median(0, vec![0; constraints.n_codes]),
        };
        slots.for_each(|slot| self.change(&mut totals, slot, true));
        totals
    }

    /// Adds an item, or removes it.
    pub(crate) fn change(&self, totals: &mut LeafTotals, slot: u32, adds: bool) {
        let (code, item_weight) = self.base.example(slot as usize);
        let change = |weight: &mut Weight| match adds {
            true => *weight += item_weight,
            false => *weight -= item_weight,
        };
        match totals {
            LeafTotals::Classes(weights) => change(&mut weights[code as usize]),
            LeafTotals::Weight(weight) => change(weight),
            LeafTotals::Mean(weight, sum) => {
                change(weight);
                let more = self.constraints.target(code) * item_weight;
                *sum += if adds { more } else { -more };
            }
            LeafTotals::Median(weight, indexed) => {
                change(weight);
                let mut at = code as usize;
                while at < indexed.len() {
                    change(&mut indexed[at]);
                    at |= at + 1;
                }
            }
        }
    }

    /// The value of a leaf that must be monotone.
    pub(crate) fn value(&self, totals: &LeafTotals) -> LeafValue {
        match totals {
            LeafTotals::Classes(weights) if self.constraints.statement.in_shares => {
                self.constraints.statement.share(weights)
            }
            LeafTotals::Classes(weights) => LeafValue::whole(self.base.leaf_class(weights).into()),
            LeafTotals::Mean(weight, sum) => LeafValue::Mean(Arc::new((sum.clone(), *weight))),
            LeafTotals::Median(weight, indexed) => LeafValue::whole(median(*weight, indexed)),
            LeafTotals::Weight(_) => LeafValue::whole(0),
        }
    }

    /// The class that a leaf predicts; 0 in regression.
    pub(crate) fn class(&self, totals: &LeafTotals) -> u32 {
        match totals {
            LeafTotals::Classes(weights) => self.base.leaf_class(weights),
            _ => 0,
        }
    }

    /// The weight of a leaf, for its minimum.
    pub(crate) fn leaf_weight(&self, totals: &LeafTotals) -> Weight {
        match totals {
            LeafTotals::Classes(weights) => self.constraints.statement.leaf_weight(weights),
            LeafTotals::Mean(weight, _)
            | LeafTotals::Median(weight, _)
            | LeafTotals::Weight(weight) => *weight,
        }
    }
}

/// The first code up to which there is half of the weight, by a descent in the binary indexed tree:
/// entry i has the sum of the codes from i & (i + 1) to i.
fn median(weight: Weight, indexed: &[Weight]) -> Weight {
    let half = weight.div_ceil(2);
    let (mut below, mut before) = (0, 0);
    let mut step = indexed.len().next_power_of_two();
    while step > 0 {
        // Whether less than half of the weight belongs to the codes before `before + step`.
        if let Some(more) = indexed.get(before + step - 1)
            && below + more < half
        {
            below += more;
            before += step;
        }
        step /= 2;
    }
    before as Weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_those_of_the_definition() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        for _ in 0..5_000 {
            let codes = random.usize(1..9);
            let weights: Vec<Weight> = (0..codes).map(|_| random.u64(0..4)).collect();
            let total: Weight = weights.iter().sum();
            if total == 0 {
                continue;
            }
            let mut indexed = vec![0; codes];
            for (code, weight) in weights.iter().enumerate() {
                let mut at = code;
                while at < codes {
                    indexed[at] += weight;
                    at |= at + 1;
                }
            }
            let up_to = |code: usize| weights[..=code].iter().sum::<Weight>();
            let expected = (0..codes).find(|&code| 2 * up_to(code) >= total);
            assert_eq!(Some(median(total, &indexed) as usize), expected, "{weights:?}");
        }
    }

    #[test]
    fn targets_are_exact_multiples_of_one_unit() {
        let targets = [0.1, -3.0, 5e-324, 1e308, 0.0, -1e-310];
        let Targets::Means(whole) = Targets::of_means(&targets) else { panic!("means") };
        let unit = BigInt::from(1) << 1074u32;
        assert_eq!(whole[1], -3 * &unit);
        assert_eq!(whole[2], BigInt::from(1));
        assert_eq!(whole[4], BigInt::ZERO);
        // 0.1 is 3602879701896397 times 2 to the power -55.
        assert_eq!(&whole[0] << 55u32, BigInt::from(3602879701896397u64) * unit);
    }
}
