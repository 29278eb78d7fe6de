//! How many refinements the dirty items need: the improvement bound (Witty:
//! Staus et al., AAAI 2025), for any number of classes and with errors.
//!
//! Every refinement makes one leaf, of one class, and what it puts right is in
//! that leaf. Above a spot, in one feature and towards one side, a new leaf
//! captures only items of the spot's part whose rank is beyond those of all
//! witnesses below: their dirty items of a class are the most that all leaves
//! of that class made there can put right together, an *entry*. What is made
//! inside new subtrees is counted where these were put. If the spot above has
//! the same outermost witness, its entry contains this one.
//!
//! The entries of a subtree cannot put right more than its dirty items, so its
//! list, greatest entry first, is cut off there. As the parts of two sides
//! share no items, lists are joined from below. If the greatest entries of all
//! classes, as many as there are refinements left, put right too little, no
//! refinement of the tree is a solution.

use super::search::Search;
use super::tree::{Kind, WitnessTree};
use crate::sets::{Set, and, empty, without};
use exactree_model::Weight;

impl<const W: usize> Search<'_, W> {
    /// What one of `left` refinements has to put right if the others put right
    /// as much as they can; none if all together cannot do. `open` are the
    /// dirty items that are not settled as errors.
    pub fn needed_of_one(&self, open: &Set<W>, left: u32) -> Option<Weight> {
        let allowed = self.ground.errors - self.ground.weigh(&self.settled);
        let needed = self.ground.weigh(open).saturating_sub(allowed);
        let mut entries: Vec<Weight> = Vec::new();
        for class in &self.ground.classes {
            let open = and(open, class);
            if !empty(&open) {
                self.tree.gather(self.tree.root, &open, left as usize, &mut entries);
            }
        }
        entries.sort_unstable_by_key(|&entry| std::cmp::Reverse(entry));
        let last = entries.get(left as usize - 1).map_or(0, |entry| *entry);
        let others = entries.iter().take(left as usize - 1).sum::<Weight>();
        (others + last >= needed).then(|| needed.saturating_sub(others))
    }
}

impl<const W: usize> WitnessTree<'_, W> {
    /// Appends the entries of a subtree for the dirty items of a class.
    pub fn gather(&self, at: usize, open: &Set<W>, left: usize, entries: &mut Vec<Weight>) {
        let spot = &self.spots[at];
        let here = and(&spot.part, open);
        if empty(&here) {
            return;
        }
        let from = entries.len();
        if let Kind::Node { left: one, right: other, .. } = spot.kind {
            self.gather(one, open, left, entries);
            self.gather(other, open, left, entries);
        }
        self.own_entries(at, &here, entries);
        entries[from..].sort_unstable_by_key(|&entry| std::cmp::Reverse(entry));
        let mut rest = self.ground.weigh(&here);
        for entry in &mut entries[from..] {
            *entry = rest.min(*entry);
            rest -= *entry;
        }
        let kept = entries[from..].iter().take(left).take_while(|entry| **entry > 0).count();
        entries.truncate(from + kept);
    }

    /// Appends the entries of one spot: every feature, either side.
    fn own_entries(&self, at: usize, here: &Set<W>, entries: &mut Vec<Weight>) {
        let parent = self.spots[at].parent;
        for (feature, rules) in self.ground.features.iter().enumerate() {
            let low = self.low(at)[feature];
            if low > 0 && parent.is_none_or(|parent| self.low(parent)[feature] < low) {
                entries.push(self.ground.weigh(&and(here, &rules.left[low as usize - 1])));
            }
            let high = self.high(at)[feature];
            let beyond = (high as usize) < rules.left.len();
            if beyond && parent.is_none_or(|parent| self.high(parent)[feature] > high) {
                entries.push(self.ground.weigh(&without(here, &rules.left[high as usize])));
            }
        }
    }
}
