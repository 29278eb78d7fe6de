//! The pair bound: the number of rules that separate all unlike pairs (Witty: Staus et al., AAAI
//! 2025).
//!
//! A tree without errors has, for every two items of different classes, a rule
//! that separates them. So its rules hit all pairs, and the minimum number of rules
//! that hit all pairs is a lower bound. So is the optimum of the linear programme in which rules
//! may be fractional.
//!
//! *At the root* the bound is computed by the dual of this linear programme. Pairs get shares such
//! that, for every rule, the shares of the pairs that it separates sum to at most one; then the sum
//! of all shares is at most the number of rules needed. Shares are given one at a time to pairs
//! whose rules have low prices, and every share raises the prices of these rules (multiplicative
//! weights: Garg and Könemann, FOCS 1998). Any shares divided by the greatest load of a rule are a
//! solution of the dual. So the bound is valid however the shares are chosen, and it is exact
//! because shares are integers before the division. On 53 of the 57 published instances it equals
//! the optimum of the linear programme rounded up, on the others it is smaller by one. It takes
//! milliseconds, so a library for linear programmes would not pay off.
//!
//! *Inside the leaves* of a witness tree the same holds for the rules still to be added, since no
//! node of the tree separates two items of a leaf (`leaf_pairs.rs`). Pairs are chosen greedily such
//! that no rule separates two of them; then each needs a rule of its own. With errors the chosen
//! pairs also share no items, so a solution without a rule for some pair misclassifies at least the
//! lighter item of this pair; as many pairs as the allowed errors permit, the lightest first, are
//! not counted.

use super::prepared_table::WitnessTable;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, contains, members, without};
use exactree_model::Weight;

/// Number of nearest unlike items with which every item is paired at the root. Rules that separate
/// an item from these mostly separate it from other unlike items as well.
const NEAREST_AT_ROOT: usize = 8;

/// Maximum number of rules listed for the pairs at the root.
const MAX_LISTED_RULES: u64 = 1 << 18;

/// Factor by which a share raises the prices of its rules, and a pass raises the price limit of
/// pairs.
const GROWTH: f64 = 1.3;

/// Number of passes over the pairs without a better bound after which to stop.
const MAX_UNCHANGED_PASSES: u32 = 600;

/// Maximum number of items of a table for `Nearest`.
const MAX_NEAREST_ITEMS: usize = 1 << 10;

/// A lower bound on the number of rules of a tree for the table.
pub(crate) fn pair_bound<const W: usize>(prepared: &WitnessTable<W>, clock: &Clock<'_>) -> u32 {
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
        pairs.extend(near.into_iter().take(NEAREST_AT_ROOT));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let disjoint = min_rules(prepared, &pairs, prepared.errors, u32::MAX, clock);
    let bound = if prepared.errors > 0 {
        disjoint
    } else {
        disjoint.max(dual_bound(prepared, &pairs, clock))
    };
    bound + offset(Mutant::WitnessPairs) as u32
}

/// The dual bound on the number of rules that hit all pairs.
fn dual_bound<const W: usize>(
    prepared: &WitnessTable<W>,
    pairs: &[(u64, u32, u32)],
    clock: &Clock<'_>,
) -> u32 {
    let mut rules_left = MAX_LISTED_RULES;
    let separating = |&(distance, a, b): &(u64, u32, u32)| {
        rules_left = rules_left.checked_sub(distance)?;
        Some(prepared.separating(a, b))
    };
    let mut pairs: Vec<Vec<usize>> = pairs.iter().map_while(separating).collect();
    pairs.retain(|rules| !rules.is_empty());
    let mut prices = vec![1.0; prepared.all_rules()];
    let mut loads = vec![0; prepared.all_rules()];
    let (mut given, mut greatest, mut best, mut unchanged) = (0_u32, 0, 0, 0);
    let mut level = 1.0;
    while !pairs.is_empty() && unchanged < MAX_UNCHANGED_PASSES && !clock.stopped() {
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

/// A lower bound on the number of rules that separate pairs, given as (distance, item, item) in
/// order of distance, if items up to the weight `errors` may be misclassified. May stop counting
/// beyond `maximum`, or when the clock stops it: fewer pairs give a weaker bound.
pub(crate) fn min_rules<const W: usize>(
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
        let independent = |&(c, d): &(u32, u32)| {
            let shared = errors > 0 && (a == c || a == d || b == c || b == d);
            !shared && !one_rule_separates(prepared, (a, b), (c, d))
        };
        if chosen.iter().all(independent) {
            chosen.push((a, b));
            if errors == 0 && chosen.len() as u32 > maximum {
                break;
            }
        }
    }
    let mut lighter: Vec<Weight> =
        chosen.iter().map(|&(a, b)| prepared.weight(a).min(prepared.weight(b))).collect();
    lighter.sort_unstable();
    let mut misclassified = 0;
    let pairs_without_rule = lighter.iter().take_while(|weight| {
        misclassified += **weight;
        misclassified <= errors
    });
    (chosen.len() - pairs_without_rule.count()) as u32
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

/// By item, the items of other classes and their distances, nearest first, without equal items,
/// which no rule separates.
pub(crate) struct Nearest(Vec<Vec<(u64, u32)>>);

impl Nearest {
    /// `None` if the table has too many items or the clock stops it.
    pub(crate) fn new<const W: usize>(
        prepared: &WitnessTable<W>,
        clock: &Clock<'_>,
    ) -> Option<Self> {
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
        (prepared.items <= MAX_NEAREST_ITEMS).then(all)?
    }

    /// The distance and the nearest item of another class in a subset.
    pub(crate) fn in_subset<const W: usize>(
        &self,
        item: u32,
        subset: &Set<W>,
    ) -> Option<(u64, u32)> {
        self.0[item as usize].iter().copied().find(|&(_, other)| contains(subset, other))
    }
}
