//! Packing of the bits of a column that lie under a mask, as `pext` does.

use super::InstructionSet;

/// Appends the bits of `column` under `mask` to `packed`, without gaps; the
/// last word is filled up with zeros.
pub(crate) fn compress(
    instructions: InstructionSet,
    column: &[u64],
    mask: &[u64],
    packed: &mut Vec<u64>,
) {
    match instructions {
        InstructionSet::Portable => pack(column, mask, packed, extract),
        // SAFETY: the other levels are only detected on processors with bmi2 and popcnt.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { pack_bmi2(column, mask, packed) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn pack_bmi2(column: &[u64], mask: &[u64], packed: &mut Vec<u64>) {
    pack(column, mask, packed, |value, mask| std::arch::x86_64::_pext_u64(value, mask));
}

/// Portable `pext` of one word.
pub(super) fn extract(value: u64, mask: u64) -> u64 {
    let (mut packed, mut rest, mut at) = (0, mask, 0);
    while rest != 0 {
        packed |= (value >> rest.trailing_zeros() & 1) << at;
        rest &= rest - 1;
        at += 1;
    }
    packed
}

#[inline(always)]
fn pack(column: &[u64], mask: &[u64], packed: &mut Vec<u64>, extract: impl Fn(u64, u64) -> u64) {
    let (mut filled, mut word) = (0, 0);
    for (&value, &mask) in column.iter().zip(mask) {
        let bits = extract(value, mask);
        word |= bits << filled;
        let count = mask.count_ones();
        if filled + count >= 64 {
            packed.push(word);
            word = if filled == 0 { 0 } else { bits >> (64 - filled) };
        }
        filled = (filled + count) % 64;
    }
    if filled > 0 {
        packed.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_the_bits_under_the_mask_in_order(
            pairs in prop::collection::vec((any::<u64>(), any::<u64>(), any::<bool>()), 0..9),
        ) {
            let column: Vec<u64> = pairs.iter().map(|pair| pair.0).collect();
            let mask: Vec<u64> = pairs.iter().map(|pair| if pair.2 { pair.1 } else { u64::MAX }).collect();
            let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1;
            let kept: Vec<u64> =
                (0..mask.len() * 64).filter(|&at| bit(&mask, at) == 1).map(|at| bit(&column, at)).collect();
            for instructions in InstructionSet::available() {
                let mut packed = Vec::new();
                compress(instructions, &column, &mask, &mut packed);
                prop_assert_eq!(packed.len(), kept.len().div_ceil(64));
                for (at, &expected) in kept.iter().enumerate() {
                    prop_assert_eq!(bit(&packed, at), expected);
                }
            }
        }
    }
}
