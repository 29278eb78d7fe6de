//! Rules with a pure or clean child: of many one is enough.
//!
//! The rules of a feature that introduce an item above a spot capture ever more,
//! the further they are from the item.
//!
//! *Pure captures.* Of the rules that capture only items of the item's class, the widest can
//! replace all others. For let a solution have a narrower one: give its node the wider rule and
//! make a leaf of the new child. The leaf makes no errors, and the other child, like everything
//! above, keeps what it had or loses some of it, so it makes no more errors than before. The tree
//! is not larger, all witnesses are where they were, and the item is right.
//!
//! *Clean rests.* Likewise, of the rules that leave no dirty item to the spot, the narrowest can
//! replace all others: in a solution with a wider one give the node the narrower rule and below it
//! the spot as it stands now, without what the solution added to it. It classifies all it is left
//! with, and the new child only loses items.
//!
//! Both hold with errors allowed, and the second only where settled errors count
//! as dirty. They are statements about which witness trees have solutions, so they
//! agree with all other such statements, and with the constraints (see there).

use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, disjoint, within, without};
use std::ops::Range;

/// Those of the rules `left`, numbered from zero, that are worth trying: they
/// split a subset, of which items of the class `own` are to be captured.
pub fn worth_trying<const W: usize>(
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
