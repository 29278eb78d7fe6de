//! How many rules all unlike pairs need, in fractions.
//!
//! Two items that no tree separates get the same votes. So in an ensemble that
//! has both right, and their classes differ, some rule of some tree separates
//! them: the rules of all trees together cover all unlike pairs. If pairs are
//! chosen, some more than once, so that no rule separates more than L of them,
//! every rule covers L of the choices at most, and there are at least (number of
//! choices) / L rules: the dual of the linear programme, in integers.
//!
//! Which pairs are chosen only matters for how good the bound is: always one
//! that is separated by the rules of least load, as in Garg and Könemann's
//! method for packing. With errors allowed the bound is that of
//! `witness/pairs.rs`, which gives up items.

use crate::limits::Clock;
use crate::witness::ground::Ground;
use crate::witness::pairs::{Nearest, pair_bound};

/// Unlike items looked at for every item: the nearest ones.
const NEAR: usize = 24;

/// Steps of the method, times pairs and features.
const WORK: usize = 20_000_000;

/// Steps of the method at most; then no rule is longer than a float can be.
const STEPS: usize = 4_000;

/// How much longer a rule becomes when a pair is chosen that it separates.
const GROWTH: f64 = 1.15;

/// Rules that every ensemble for the table needs.
pub fn covering<const W: usize>(ground: &Ground<W>, clock: &Clock<'_>) -> u32 {
    let greedy = pair_bound(ground, clock);
    match Nearest::new(ground) {
        Some(nearest) if ground.errors == 0 => greedy.max(fractional(ground, &nearest, clock)),
        _ => greedy,
    }
}

fn fractional<const W: usize>(ground: &Ground<W>, nearest: &Nearest, clock: &Clock<'_>) -> u32 {
    let pairs = near_pairs(ground, nearest);
    let mut loads: Vec<Vec<u32>> =
        ground.features.iter().map(|feature| vec![0; feature.left.len()]).collect();
    let (mut best, mut greatest) = (0, 1);
    let steps = (WORK / (pairs.len() * loads.len()).max(1)).min(STEPS);
    for chosen in 1..=steps as u32 {
        if clock.stopped() || pairs.is_empty() {
            break;
        }
        let lengths = lengths(&loads);
        let length = |&(a, b): &(u32, u32)| -> f64 {
            let ranks = ground.ranks(a).iter().zip(ground.ranks(b));
            ranks
                .zip(&lengths)
                .map(|((&a, &b), upto)| (upto[a as usize] - upto[b as usize]).abs())
                .sum()
        };
        let keyed = pairs.iter().map(|pair| (length(pair), pair));
        let Some((_, &(a, b))) = keyed.min_by(|x, y| x.0.total_cmp(&y.0)) else { break };
        for ((&a, &b), loads) in ground.ranks(a).iter().zip(ground.ranks(b)).zip(&mut loads) {
            for load in &mut loads[a.min(b) as usize..a.max(b) as usize] {
                *load += 1;
                greatest = greatest.max(*load);
            }
        }
        best = best.max(chosen.div_ceil(greatest));
    }
    best
}

/// Pairs of unlike items that are near to each other and can be told apart.
fn near_pairs<const W: usize>(ground: &Ground<W>, nearest: &Nearest) -> Vec<(u32, u32)> {
    let near = |item: u32| {
        let apart = nearest.in_order(item).filter(move |&other| ground.distance(item, other) > 0);
        apart.take(NEAR).map(move |other| (item.min(other), item.max(other)))
    };
    let mut pairs: Vec<(u32, u32)> = (0..ground.items as u32).flat_map(near).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// By feature and rank, the length of all rules below it.
fn lengths(loads: &[Vec<u32>]) -> Vec<Vec<f64>> {
    let upto = |loads: &Vec<u32>| {
        let mut sum = 0.0;
        let mut upto = vec![0.0];
        upto.extend(loads.iter().map(|&load| {
            sum += GROWTH.powi(load as i32);
            sum
        }));
        upto
    };
    loads.iter().map(upto).collect()
}
