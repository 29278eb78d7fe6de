//! Present and fixed votes of the trees of an ensemble, and the items that they misclassify.

use crate::papers::witness::prepared_table::WitnessTable;
use crate::papers::witness::tree::{SpotKind, WitnessTree};
use crate::support::sets::{Set, and, contains, or, without};

/// The class that every tree predicts for every item.
pub(super) struct Votes<const W: usize> {
    /// By tree and class, the items for which the tree votes for the class.
    pub given: Vec<Vec<Set<W>>>,
}

impl<const W: usize> Votes<W> {
    pub(super) fn of(trees: &[WitnessTree<'_, W>], classes: usize) -> Self {
        let of_tree = |tree: &WitnessTree<'_, W>| {
            let mut given = vec![[0; W]; classes];
            for spot in &tree.spots {
                if let SpotKind::Leaf { class } = spot.kind {
                    given[class as usize] = or(&given[class as usize], &spot.subset);
                }
            }
            given
        };
        Votes { given: trees.iter().map(of_tree).collect() }
    }

    /// The votes with every lost vote restored, and the lost votes. A vote is lost if it is kept
    /// (see `symmetry.rs`) but a refinement has changed it: `kept` has by tree and class the items
    /// whose vote is kept, and the second result those of them for which the tree predicts another
    /// class.
    pub(super) fn expected(&self, kept: &[Vec<Set<W>>]) -> (Self, Vec<Vec<Set<W>>>) {
        let (mut given, mut lost) = (self.given.clone(), kept.to_vec());
        for ((given, kept), lost) in given.iter_mut().zip(kept).zip(&mut lost) {
            let all_kept = kept.iter().fold([0; W], |all, kept| or(&all, kept));
            for ((given, kept), lost) in given.iter_mut().zip(kept).zip(lost) {
                *lost = without(kept, given);
                *given = or(&without(given, &all_kept), kept);
            }
        }
        (Votes { given }, lost)
    }

    /// The class that a tree predicts for an item.
    #[inline]
    pub(super) fn class(&self, tree: usize, item: u32) -> u32 {
        let given = &self.given[tree];
        given.iter().position(|items| contains(items, item)).unwrap_or(0) as u32
    }

    /// The items that the votes misclassify; of classes with equally many votes the first one wins.
    pub(super) fn dirty(&self, prepared: &WitnessTable<W>) -> Set<W> {
        let tallies: Vec<Vec<Set<W>>> =
            (0..prepared.classes.len()).map(|class| self.tally(class)).collect();
        let mut dirty = prepared.everything();
        for (own, items) in prepared.classes.iter().enumerate() {
            let mut correct = *items;
            for (other, tally) in tallies.iter().enumerate().filter(|(other, _)| *other != own) {
                correct = and(&correct, &beats(&tallies[own], tally, own < other));
            }
            dirty = without(&dirty, &correct);
        }
        dirty
    }

    /// The numbers of votes for a class in binary: by digit, the items whose number has a 1 there.
    fn tally(&self, class: usize) -> Vec<Set<W>> {
        let digits = (usize::BITS - self.given.len().leading_zeros()) as usize;
        let mut counted = vec![[0; W]; digits];
        for given in &self.given {
            let mut carry = given[class];
            for digit in &mut counted {
                let both = and(digit, &carry);
                *digit = std::array::from_fn(|word| digit[word] ^ carry[word]);
                carry = both;
            }
        }
        counted
    }

    /// The minimum number of trees that must change their vote until a dirty item is classified
    /// correctly: a changed vote adds at most one to the item's own class and takes at most one
    /// from another class.
    pub(super) fn missing(&self, item: u32, own: u32) -> u32 {
        let mut votes = vec![0; self.given[0].len()];
        (0..self.given.len()).for_each(|tree| votes[self.class(tree, item) as usize] += 1);
        let ahead = |other: usize| {
            let tie = u32::from(other < own as usize);
            (votes[other] + tie).saturating_sub(votes[own as usize])
        };
        let others = (0..votes.len()).filter(|&other| other != own as usize);
        others.map(ahead).max().unwrap_or(0).div_ceil(2)
    }
}

/// The items for which the first tally is greater than the second or, if `ties` win, equal.
fn beats<const W: usize>(first: &[Set<W>], second: &[Set<W>], ties: bool) -> Set<W> {
    let (mut greater, mut equal) = ([0; W], [u64::MAX; W]);
    for (a, b) in first.iter().zip(second).rev() {
        greater = or(&greater, &and(&equal, &without(a, b)));
        equal = std::array::from_fn(|word| equal[word] & !(a[word] ^ b[word]));
    }
    if ties { or(&greater, &equal) } else { greater }
}

/// Properties shared by all remaining solutions; see `symmetry.rs`.
pub(super) struct FixedVotes<const W: usize> {
    /// Items that they all misclassify.
    pub errors: Set<W>,
    /// By tree and class, the items for which the tree votes for the class.
    pub kept: Vec<Vec<Set<W>>>,
}

impl<const W: usize> FixedVotes<W> {
    pub(super) fn none(trees: usize, classes: usize) -> Self {
        FixedVotes { errors: [0; W], kept: vec![vec![[0; W]; classes]; trees] }
    }

    #[inline]
    pub(super) fn keeps(&self, tree: usize, class: u32, item: u32) -> bool {
        contains(&self.kept[tree][class as usize], item)
    }
}
