//! The pair bound: the number of rules that separate all unlike pairs (Witty: Staus et al., AAAI
//! 2025).
//!
//! A tree without errors has, for every two items of different classes, a rule
//! that separates them. So its rules hit all pairs, and the minimum number of rules
//! that do, even if rules may be taken in fractions, is a lower bound.
//!
//! *At the root* by the dual of that linear programme: pairs get shares such that the shares of the
//! pairs that any one rule separates sum to at most one; then the sum of all shares is at most the
//! number of rules needed. Shares are given one at a time, to pairs whose rules are cheap, where
//! every share raises the prices of the rules (multiplicative weights: Garg and Könemann, FOCS
//! 1998). Whatever the shares, divided by the greatest load of a rule they are a solution of the
//! dual: the bound does not rest on how they were chosen, and as they are whole numbers it is
//! exact. On 53 of the 57 published instances it equals the optimum of the linear programme rounded
//! up, on the others it is smaller by one. It takes milliseconds, so a linear programming library
//! would not pay.
//!
//! *Inside the leaves* of a witness tree, whose nodes separate none of these pairs, the same holds
//! for the rules to come. There pairs are chosen greedily of which no rule separates two. With
//! errors the pairs chosen share no items, so that saving a rule costs at least the lighter item of
//! a pair; the cheapest such items count as errors.

use super::prepared_table::WitnessTable;
use super::search::WitnessSearch;
use super::tree::SpotKind;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, contains, count, members, without};
use exactree_model::Weight;

/// Of every item, the nearest unlike ones that make pairs at the root: others are
/// mostly separated whenever these are.
const NEAR: usize = 8;

/// Rules listed for the pairs at the root, at most.
const RULES: u64 = 1 << 18;

/// By how much a share raises the price of a rule, and a pass what a pair may cost.
const GROWTH: f64 = 1.3;

/// Passes over the pairs without a better bound before the shares are enough.
const PATIENCE: u32 = 600;

/// Items of a table whose unlike items are kept in order, at most.
const NEAREST: usize = 1 << 10;

/// Rules that every tree for the table needs.
pub fn pair_bound<const W: usize>(prepared: &WitnessTable<W>, clock: &Clock<'_>) -> u32 {
    let mut pairs = Vec::new();
    for item in 0..prepared.items as u32 {
        if clock.stopped() {
            return 0;
        }
        let own = &prepared.classes[prepared.class[item as usize] as usize];
        let unlike = without(&prepared.everything(), own);
        let mut near: Vec<(u64, u32, u32)> = members(&unlike)
            .map(|other| (prepared.distance(item, other), item.min(other), item.max(other)))
            .collect();
        near.sort_unstable();
        pairs.extend(near.into_iter().take(NEAR));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let apart = needed(prepared, &pairs, prepared.errors, u32::MAX, clock);
    let bound =
        if prepared.errors > 0 { apart } else { apart.max(shares(prepared, &pairs, clock)) };
    bound + offset(Mutant::WitnessPairs) as u32
}

/// The dual bound: how many rules at least hit all pairs.
fn shares<const W: usize>(
    prepared: &WitnessTable<W>,
    pairs: &[(u64, u32, u32)],
    clock: &Clock<'_>,
) -> u32 {
    let mut room = RULES;
    let separating = |&(distance, a, b): &(u64, u32, u32)| {
        room = room.checked_sub(distance)?;
        Some(prepared.separating(a, b))
    };
    let mut pairs: Vec<Vec<usize>> = pairs.iter().map_while(separating).collect();
    pairs.retain(|rules| !rules.is_empty());
    let mut prices = vec![1.0; prepared.all_rules()];
    let mut loads = vec![0; prepared.all_rules()];
    let (mut given, mut greatest, mut best, mut unchanged) = (0_u32, 0, 0, 0);
    let mut level = 1.0;
    while !pairs.is_empty() && unchanged < PATIENCE && !clock.stopped() {
        level *= GROWTH;
        unchanged += 1;
        for rules in &pairs {
            while rules.iter().map(|&rule| prices[rule]).sum::<f64>() < level {
                given += 1;
                for &rule in rules {
                    prices[rule] *= GROWTH;
                    loads[rule] += 1;
                    greatest = greatest.max(loads[rule]);
                }
                if given.div_ceil(greatest) > best {
                    (best, unchanged) = (given.div_ceil(greatest), 0);
                }
            }
        }
    }
    best
}

/// Rules needed for pairs, which are in order of distance, when items of some
/// weight may be given up. May stop counting beyond `maximum`, and when the clock says
/// so: fewer pairs need fewer rules.
pub fn needed<const W: usize>(
    prepared: &WitnessTable<W>,
    pairs: &[(u64, u32, u32)],
    errors: Weight,
    maximum: u32,
    clock: &Clock<'_>,
) -> u32 {
    let mut chosen: Vec<(u32, u32)> = Vec::new();
    for (at, &(_, a, b)) in pairs.iter().enumerate() {
        if at % 64 == 63 && clock.stopped() {
            break;
        }
        let apart = |&(c, d): &(u32, u32)| {
            let shared = errors > 0 && (a == c || a == d || b == c || b == d);
            !shared && !one_rule_separates(prepared, (a, b), (c, d))
        };
        if chosen.iter().all(apart) {
            chosen.push((a, b));
            if errors == 0 && chosen.len() as u32 > maximum {
                break;
            }
        }
    }
    let mut prices: Vec<Weight> =
        chosen.iter().map(|&(a, b)| prepared.weight(a).min(prepared.weight(b))).collect();
    prices.sort_unstable();
    let mut spent = 0;
    let given_up = prices.iter().take_while(|price| {
        spent += **price;
        spent <= errors
    });
    (chosen.len() - given_up.count()) as u32
}

/// Whether some rule separates both pairs.
fn one_rule_separates<const W: usize>(
    prepared: &WitnessTable<W>,
    (a, b): (u32, u32),
    (c, d): (u32, u32),
) -> bool {
    let first = prepared.ranks(a).iter().zip(prepared.ranks(b));
    let second = prepared.ranks(c).iter().zip(prepared.ranks(d));
    first.zip(second).any(|((a, b), (c, d))| a.min(b).max(c.min(d)) < a.max(b).min(c.max(d)))
}

/// By item, the items of other classes with the rules that separate them, nearest
/// first; without equal ones, which no rule separates.
pub struct Nearest(Vec<Vec<(u64, u32)>>);

impl Nearest {
    /// None for a table of too many items, or when the clock has stopped it.
    pub fn new<const W: usize>(prepared: &WitnessTable<W>, clock: &Clock<'_>) -> Option<Self> {
        let unlike = |item: u32| {
            clock.check().ok()?;
            let own = &prepared.classes[prepared.class[item as usize] as usize];
            let unlike = without(&prepared.everything(), own);
            let mut near: Vec<(u64, u32)> =
                members(&unlike).map(|other| (prepared.distance(item, other), other)).collect();
            near.retain(|&(distance, _)| distance > 0);
            near.sort_unstable();
            Some(near)
        };
        let all = || (0..prepared.items as u32).map(unlike).collect::<Option<_>>().map(Nearest);
        (prepared.items <= NEAREST).then(all)?
    }

    /// The nearest of another class in a subset, and its distance.
    pub fn in_subset<const W: usize>(&self, item: u32, subset: &Set<W>) -> Option<(u64, u32)> {
        self.0[item as usize].iter().copied().find(|&(_, other)| contains(subset, other))
    }
}

impl<const W: usize> WitnessSearch<'_, W> {
    /// Whether pairs of a dirty item and one of the leaf's class inside the
    /// leaf need more than `left` rules.
    pub fn leaf_pairs_exceed(&mut self, open: &Set<W>, left: u32) -> bool {
        let Some(nearest) = self.nearest.filter(|_| self.options.leaf_pairs) else { return false };
        if count(open) <= left {
            return false;
        }
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        for spot in &self.tree.spots {
            if let SpotKind::Leaf { class } = spot.kind {
                let unlike = and(&spot.subset, open);
                let own = and(&spot.subset, &self.prepared.classes[class as usize]);
                // What the solution misclassifies need not be separated.
                let own = without(&own, &self.settled);
                for item in members(&unlike) {
                    let near = nearest.in_subset(item, &own);
                    pairs.extend(near.map(|(distance, other)| (distance, item, other)));
                }
            }
        }
        pairs.sort_unstable();
        let allowed = self.prepared.errors - self.prepared.weigh(&self.settled);
        let rules = needed(self.prepared, &pairs, allowed, left, self.clock);
        self.pairs = pairs;
        rules + offset(Mutant::WitnessLeafPairs) as u32 > left
    }
}
