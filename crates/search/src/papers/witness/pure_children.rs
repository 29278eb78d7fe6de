//! Of the rules of a feature that introduce an item, leaves out those narrower than the widest rule
//! with a pure new leaf, and those wider than the narrowest rule that leaves no dirty item to the
//! other child.
//!
//! A *spot* is a leaf or a node of the witness tree. A rule that introduces an item *captures* the
//! items of the spot's subset that go to the item's new leaf. Of the rules of a feature that
//! introduce an item above a spot, those farther from the item capture more.
//!
//! *Pure captures.* Of the rules that capture only items of the item's class, the widest can
//! replace all others. In a solution with a narrower rule, give its node the wider rule and replace
//! the new child by a leaf. The leaf makes no errors. The other child, like everything above, only
//! loses items, so it makes no more errors than before. The tree is not larger, all witnesses are
//! where they were, and the item is classified correctly.
//!
//! *Clean rests.* Of the rules that capture all dirty items of the spot, the narrowest can replace
//! all others. In a solution with a wider rule, give its node the narrower rule, and put the
//! current subtree of the spot below it, without the nodes that the solution added. It classifies
//! all items that remain, and the new child only loses items.
//!
//! Both hold with errors allowed, the second only if settled errors count as dirty. They only say
//! which witness trees have solutions, so they can be combined with all bounds, and with the
//! constraints (argument in `constraints.rs`).

use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, disjoint, within, without};
use std::ops::Range;

/// The rules of a feature to try above a spot, as a range of `left`, the left children of the rules
/// in the order of their thresholds. The new leaf is the left child if `leaf_left`; `subset` is
/// that of the spot, and `own` has the items of the introduced item's class.
pub(super) fn rules_to_try<const W: usize>(
    left: &[Set<W>],
    leaf_left: bool,
    subset: &Set<W>,
    own: &Set<W>,
    dirty: &Set<W>,
) -> Range<usize> {
    let (others, dirty) = (without(subset, own), and(subset, dirty));
    let (wide, narrow) =
        (offset(Mutant::WitnessPureCaptures) as usize, offset(Mutant::WitnessCleanRests) as usize);
    if leaf_left {
        let pure = left.partition_point(|left| disjoint(&others, left));
        let clean = left.partition_point(|left| !within(&dirty, left));
        let end = (clean + 1).min(left.len()) - narrow;
        (pure + wide).saturating_sub(1).min(end.saturating_sub(1))..end
    } else {
        let pure = left.partition_point(|left| !within(&others, left));
        let clean = left.partition_point(|left| disjoint(&dirty, left));
        let start = (clean + narrow).saturating_sub(1);
        start..(pure + 1 - wide).max(start + 1).min(left.len())
    }
}
