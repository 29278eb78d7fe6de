//! Weights of the rows of random tables, for every test against a definition: light weights, which
//! reveal wrong bounds most often, and heavy weights, which reveal overflow and rounding.

use exactree_model::{Table, Weight};

/// Exponents of the powers of two at which lanes, casts and exact integers in doubles reach their
/// limits.
const BORDERS: [u32; 8] = [8, 15, 16, 31, 32, 33, 52, 53];

/// Number of items up to which every sum of weights is tried.
const MAX_SUMMED: usize = 5;

/// Positive weights, one for each row; their sum is below 2 to `bits`, which is at most 62.
///
/// Four of five draws are light, since bounds that are wrong by one fail there: ones, or weights
/// below five. In the other draws all weights are heavy (from 2^20 on), or all except a few are
/// light, or they are scaled real numbers, or their total is just below, at or above a limit of
/// `BORDERS`.
pub(crate) fn weights(random: &mut fastrand::Rng, rows: usize, bits: u32) -> Vec<Weight> {
    let (count, maximum) = (rows as Weight, 1 << bits);
    assert!(20 * count < maximum, "{rows} rows below 2^{bits}");
    // All powers of two are equally likely.
    let heavy = |random: &mut fastrand::Rng, maximum: Weight| {
        let below = Weight::BITS - maximum.leading_zeros();
        let power = random.u32(20.min(below - 1)..below);
        random.u64(1..=maximum.min(1 << power))
    };
    match random.u32(0..20) {
        0..=7 => vec![1; rows],
        8..=15 => light(random, rows),
        16 => (0..rows).map(|_| heavy(random, (maximum - 1) / count)).collect(),
        17 => {
            let mut weights = light(random, rows);
            let spare = maximum - 1 - weights.iter().sum::<Weight>();
            let few = random.usize(1..=rows.min(3));
            (0..few).for_each(|_| {
                weights[random.usize(0..rows)] += heavy(random, spare / few as Weight);
            });
            weights
        }
        18 => {
            let scale = heavy(random, (maximum - 1) / count - 1) as f64;
            (0..rows).map(|_| 1 + (random.f64() * scale) as Weight).collect()
        }
        _ => {
            let fits = |&border: &u32| border <= bits && 1 << border > 8 * count;
            let borders: Vec<u32> = BORDERS.into_iter().chain([bits]).filter(fits).collect();
            let border = 1 << random.choice(borders).expect("`bits` fits");
            let total = (border + random.u64(0..5) - 2).min(maximum - 1);
            let mut weights: Vec<Weight> =
                (0..rows).map(|_| random.u64(1..=total / count)).collect();
            if random.bool() {
                weights = light(random, rows);
            }
            weights[random.usize(0..rows)] += total - weights.iter().sum::<Weight>();
            weights
        }
    }
}

/// Ones, or positive weights below five.
pub(crate) fn light(random: &mut fastrand::Rng, rows: usize) -> Vec<Weight> {
    let heaviest = [2, 5][random.usize(0..2)];
    (0..rows).map(|_| random.u64(1..heaviest)).collect()
}

/// A limit on the errors of trees of a table: none, few, or about the weight of some items; the
/// last only for so few items that a definition can try every sum of weights in a child.
pub(crate) fn errors(random: &mut fastrand::Rng, table: &Table) -> Weight {
    match random.u32(0..4) {
        0 => 0,
        _ if table.items.len() > MAX_SUMMED => random.u64(0..6),
        1 => random.u64(0..6),
        _ => {
            let some = table.items.iter().filter(|_| random.u32(0..3) == 0);
            let drawn: Weight = some.map(|item| item.weight).sum();
            (drawn + random.u64(0..3)).saturating_sub(1)
        }
    }
}

#[test]
fn every_kind_of_weights_is_drawn_and_stays_below_its_bits() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let (mut ones, mut uneven, mut at_borders, mut widest) = (0, 0, 0, 0);
    for _ in 0..20_000 {
        let (rows, bits) = (random.usize(1..100), random.u32(20..63));
        let weights = weights(&mut random, rows, bits);
        let (minimum, maximum) = (weights.iter().min().copied(), weights.iter().max().copied());
        let total = weights.iter().sum::<Weight>();
        assert!(weights.len() == rows && minimum >= Some(1) && total < 1 << bits);
        ones += u32::from(maximum == Some(1));
        uneven += u32::from(minimum < Some(5) && maximum > Some(1 << 19));
        at_borders += u32::from(BORDERS.iter().any(|&border| total.abs_diff(1 << border) < 3));
        widest = widest.max(total);
    }
    assert!(ones > 3_000 && uneven > 1_000 && at_borders > 300, "{ones} {uneven} {at_borders}");
    assert!(widest > 1 << 61);
}
