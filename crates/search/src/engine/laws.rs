//! The laws of costs and tables on which the bounds of the search rest, as one test for every
//! space.
//!
//! A space calls `obeys_laws`, and with thresholds `obeys_the_law_of_rules`, on random tables. The
//! bounds say which law they need:
//! - a leaf never costs less with more items (`intervals.rs`, `inherited_bounds.rs`,
//!   `two_set_bound.rs`);
//! - `lower_bounds` are at most the cost of every tree without the prices of its leaves
//!   (`bounds.rs`);
//! - the items of a child raise the cost of another leaf by at most the weight of their rule, times
//!   the price of a unit of weight (the similarity bound of `intervals.rs`);
//! - subsets have the same key if and only if they have the same items (`cache_access.rs`).

use crate::engine::space::{LeafCosts, SubsetOf, TableCosts};
use crate::engine::subset::{SearchTable, SortedOrders, Subset, ThresholdTable};
use crate::support::bits::Bits;
use exactree_model::{Cost, Limits};

/// The random generator of a test, and the maximum rounding error of a leaf, which a leaf may break
/// a law by.
pub(crate) struct LawTrial<'r> {
    pub random: &'r mut fastrand::Rng,
    pub leaf_error: Cost,
}

/// Checks the laws that hold for all rules, for some subsets that `rules` of a table lead to; the
/// rules are pairs of a feature and a rank.
pub(crate) fn obeys_laws<S: TableCosts>(
    space: &S,
    whole: &SubsetOf<S>,
    rules: &[(u32, u32)],
    trial: &mut LawTrial<'_>,
) {
    let mut reached = vec![slots_of(whole)];
    for _ in 0..6 {
        let larger = reached[trial.random.usize(0..reached.len())].clone();
        let subset = subset_of(space, whole, &larger);
        assert_eq!(space.leaf(&subset).0, space.leaf_of(&larger).0, "the cost of a leaf");
        let rows: u64 = larger.iter().map(|&slot| space.table().rows(slot as usize)).sum();
        assert_eq!(subset.rows, rows, "rows of a subset");
        let depth = trial.random.u32(1..4);
        check_lower_bounds(space, &subset, (&larger, rules), depth, trial);
        let Some(&(feature, rank)) = trial.random.choice(rules) else { return };
        let (left, right) = space.table().route(&larger, feature, rank);
        assert_eq!(left.len() + right.len(), larger.len(), "children divide a subset");
        for smaller in [left, right] {
            let (less, more) = (net_leaf(space, &smaller), net_leaf(space, &larger));
            assert!(
                less <= more + 2 * trial.leaf_error,
                "{smaller:?} of {larger:?}: {less} {more}"
            );
            reached.push(smaller);
        }
    }
    let subsets: Vec<_> = reached.iter().map(|slots| subset_of(space, whole, slots)).collect();
    for first in &subsets {
        for second in &subsets {
            let (same, keys) = (first.members == second.members, [first, second]);
            assert_eq!(space.key(keys[0]) == space.key(keys[1]), same, "keys of subsets");
        }
    }
}

/// Checks that the weight of a rule bounds what its left items add to another leaf of the table.
pub(crate) fn obeys_the_law_of_rules<S: TableCosts<Table: ThresholdTable>>(
    space: &S,
    whole: &SubsetOf<S>,
    trial: &mut LawTrial<'_>,
) {
    let Some(price) = space.similarity_price(whole) else { return };
    for feature in 0..space.table().features() {
        for rule in space.table().rules(whole, feature, true).iter() {
            let slots = slots_of(whole);
            let (moved, mut others) =
                space.table().route_by_rank(&slots, feature as u32, rule.rank);
            others.retain(|_| trial.random.bool());
            let before = net_leaf(space, &others);
            let mut all = [moved, others].concat();
            all.sort_unstable();
            let after = net_leaf(space, &all);
            let most = before.saturating_add(price.saturating_mul(rule.weight));
            assert!(
                after <= most.saturating_add(2 * trial.leaf_error),
                "{rule:?} {before} {after}"
            );
        }
    }
}

/// Every rule of a table of thresholds.
pub(crate) fn threshold_rules<P: ThresholdTable>(table: &P, slots: &[u32]) -> Vec<(u32, u32)> {
    let rules = |feature: usize| {
        let ranks = table.ranks(feature);
        slots.iter().map(move |&slot| (feature as u32, ranks[slot as usize]))
    };
    (0..table.features()).flat_map(rules).collect()
}

/// The slots of a subset.
pub(crate) fn slots_of<T>(subset: &Subset<T>) -> Vec<u32> {
    subset.members.iter().collect()
}

fn subset_of<S: TableCosts>(space: &S, whole: &SubsetOf<S>, slots: &[u32]) -> SubsetOf<S> {
    let mut members = Bits { words: vec![0; whole.members.words.len()] };
    slots.iter().for_each(|&slot| members.insert(slot));
    Subset::of(space.table(), members, None, SortedOrders::default())
}

/// The cost of a leaf without its price.
fn net_leaf<S: LeafCosts + TableCosts>(space: &S, slots: &[u32]) -> Cost {
    if slots.is_empty() { 0 } else { space.leaf_of(slots).0 - space.leaf_price() }
}

fn check_lower_bounds<S: TableCosts>(
    space: &S,
    subset: &SubsetOf<S>,
    (slots, rules): (&[u32], &[(u32, u32)]),
    depth: u32,
    trial: &mut LawTrial<'_>,
) {
    let limits = Limits { depth, size: u32::MAX, min_samples_leaf: 1 }.normalised();
    let mut leaves = vec![slots.to_vec()];
    for _ in 0..depth {
        let split = |leaf: Vec<u32>| match trial.random.choice(rules) {
            Some(&(feature, rank)) => {
                let (left, right) = space.table().route(&leaf, feature, rank);
                vec![left, right]
            }
            None => vec![leaf],
        };
        leaves = leaves.into_iter().flat_map(split).collect();
    }
    let cost: Cost = leaves.iter().map(|leaf| net_leaf(space, leaf)).sum();
    let error = trial.leaf_error * leaves.len() as Cost;
    for bound in space.lower_bounds(subset, limits) {
        assert!(bound <= cost + error, "a lower bound of {slots:?}: {bound} {cost}");
    }
}
