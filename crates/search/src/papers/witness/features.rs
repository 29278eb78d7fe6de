//! The rules of a feature in increasing order, and the features that they come from.

use crate::support::sets::{Set, count, insert, within, without};
use exactree_model::Table;

/// The rule of the input table that a rule stems from. If `swapped`, the left child of the input
/// rule is the right child here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleOrigin {
    pub feature: u32,
    pub rank: u32,
    pub swapped: bool,
}

/// Rules with increasing left children. The rank of an item is the number of rules that have it in
/// their right child, so the left child of rule r has the items of rank at most r.
#[derive(Clone, Debug)]
pub(super) struct WitnessFeature<const W: usize> {
    pub origins: Vec<RuleOrigin>,
    pub left: Vec<Set<W>>,
}

/// A feature with all its rules.
pub(super) fn with_all_rules<const W: usize>(table: &Table, feature: usize) -> WitnessFeature<W> {
    let ranks = &table.features[feature].ranks;
    let rules = table.features[feature].values.len() - 1;
    let mut left = vec![[0; W]; rules];
    for (item, &rank) in ranks.iter().enumerate().filter(|(_, rank)| (**rank as usize) < rules) {
        insert(&mut left[rank as usize], item as u32);
    }
    for rank in 1..rules {
        let below = left[rank - 1];
        left[rank].iter_mut().zip(below).for_each(|(word, below)| *word |= below);
    }
    let origin = |rank| RuleOrigin { feature: feature as u32, rank, swapped: false };
    WitnessFeature { origins: (0..rules as u32).map(origin).collect(), left }
}

/// The feature with left and right swapped.
pub(super) fn swapped<const W: usize>(
    feature: &WitnessFeature<W>,
    all: &Set<W>,
) -> WitnessFeature<W> {
    let swap = |origin: &RuleOrigin| RuleOrigin { swapped: !origin.swapped, ..*origin };
    WitnessFeature {
        origins: feature.origins.iter().rev().map(swap).collect(),
        left: feature.left.iter().rev().map(|left| without(all, left)).collect(),
    }
}

/// One feature with the rules of two features, if all are nested.
pub(super) fn merged<const W: usize>(
    a: &WitnessFeature<W>,
    b: &WitnessFeature<W>,
) -> Option<WitnessFeature<W>> {
    let mut merged = WitnessFeature { origins: Vec::new(), left: Vec::<Set<W>>::new() };
    let (mut i, mut j) = (0, 0);
    while i < a.left.len() || j < b.left.len() {
        let from_a =
            j == b.left.len() || (i < a.left.len() && count(&a.left[i]) <= count(&b.left[j]));
        let (from, at) = if from_a { (a, &mut i) } else { (b, &mut j) };
        let left = from.left[*at];
        match merged.left.last() {
            Some(last) if *last == left => {}
            Some(last) if !within(last, &left) => return None,
            Some(_) | None => {
                merged.left.push(left);
                merged.origins.push(from.origins[*at]);
            }
        }
        *at += 1;
    }
    Some(merged)
}
