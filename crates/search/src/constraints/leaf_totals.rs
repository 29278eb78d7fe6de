//! Totals of the items of a leaf, updated item by item: what constraints need for its weight, the
//! class that it predicts, and the value that must be monotone.

use crate::engine::subset_state::LeafValue;
use exactree_model::Weight;
use num_bigint::BigInt;

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

impl LeafTotals {
    /// Adds an item with a class or the code of a target, or removes it. `target` is that target in
    /// a unit in which all targets are whole.
    pub(crate) fn update(
        &mut self,
        (code, item_weight): (u32, Weight),
        target: impl FnOnce() -> BigInt,
        adds: bool,
    ) {
        let apply = |weight: &mut Weight| match adds {
            true => *weight += item_weight,
            false => *weight -= item_weight,
        };
        match self {
            LeafTotals::Classes(weights) => apply(&mut weights[code as usize]),
            LeafTotals::Weight(weight) => apply(weight),
            LeafTotals::Mean(weight, sum) => {
                apply(weight);
                let more = target() * item_weight;
                *sum += if adds { more } else { -more };
            }
            LeafTotals::Median(weight, indexed) => {
                apply(weight);
                let mut at = code as usize;
                while at < indexed.len() {
                    apply(&mut indexed[at]);
                    at |= at + 1;
                }
            }
        }
    }

    /// The mean or the code of the median; zero if no value has to be monotone. Classes have none.
    pub(crate) fn predicted_target(&self) -> LeafValue {
        match self {
            LeafTotals::Mean(weight, sum) => LeafValue::fraction(sum.clone(), *weight),
            LeafTotals::Median(weight, indexed) => LeafValue::whole(median(*weight, indexed)),
            LeafTotals::Classes(_) | LeafTotals::Weight(_) => LeafValue::whole(0),
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
