//! Up to t errors without labellings, an improvement on Corollary 6.8.
//!
//! F[S, e] is the least size of a tree for the items of S that misclassifies at
//! most e. It is 0 if a leaf does. Else the errors of a tree are those of its
//! two sides, so F[S, e] is 1 + the least of F[left side, e'] + F[right side,
//! e − e'] over all divisions with items on both sides and all e' from 0 to e.
//! Both sides are smaller sets: (t + 1) · 2^n entries in place of (c + 1)^n. The
//! labellings within t errors are not told apart, only the least of them kept.

use super::ground::{Ground, NONE, Set};
use super::{Answer, Filling};
use exactree_model::{Tree, Weight};
use std::sync::Arc;

/// The table F, `levels` = t + 1 entries for every set.
struct Table<'a> {
    ground: &'a Ground,
    levels: usize,
    f: Vec<u8>,
}

/// Fills F for every set of items, in the order of their words.
///
/// Fewer items never need more nodes or errors, so the greatest F[S, t] so far is
/// a lower bound on that of all items.
pub fn smallest(filling: &mut Filling<'_>, t: Weight) -> Answer {
    let ground = filling.ground;
    let (everything, levels) = (ground.everything(), t as usize + 1);
    let entries = (everything as usize + 1) * levels;
    filling.stats.entries = entries as u64;
    let mut table = Table { ground, levels, f: Vec::with_capacity(entries) };
    table.f.resize(levels, 0);
    let mut greatest = 0;
    for set in 1..=everything {
        // Until they are known, the entries of the set itself are too large to be
        // chosen: this passes over divisions with an empty side.
        table.f.resize(table.f.len() + levels, NONE);
        let wrong = ground.leaf_errors(set);
        for e in 0..levels {
            let size = match wrong <= e as Weight {
                true => Some(0),
                false => table.entry(set, e, greatest, filling),
            };
            let Some(size) = size else {
                return Answer { lower: u64::from(greatest), tree: None };
            };
            let at = table.place(set, e);
            table.f[at] = size;
            filling.stats.filled += 1;
        }
        greatest = greatest.max(table.at(set, levels - 1));
    }
    let tree = (u64::from(greatest), table.tree(everything, levels - 1));
    Answer { lower: u64::from(greatest), tree: Some(tree) }
}

impl Table<'_> {
    #[inline]
    fn place(&self, set: Set, e: usize) -> usize {
        set as usize * self.levels + e
    }

    #[inline]
    fn at(&self, set: Set, e: usize) -> u8 {
        self.f[self.place(set, e)]
    }

    /// F[set, e], unless it is time to stop.
    fn entry(&self, set: Set, e: usize, lower: u8, filling: &mut Filling<'_>) -> Option<u8> {
        // No set needs fewer nodes than a set inside it, with the same errors.
        let floor = match filling.options.inner_sets {
            true => self.at(set & (set - 1), e).max(self.at(set & !(1 << set.ilog2()), e)),
            false => 0,
        };
        let mut best = NONE;
        for division in &self.ground.thr {
            let (left, right) = (set & division.left, set & !division.left);
            if filling.stopped(|| u64::from(lower)) {
                return None;
            }
            filling.stats.divisions += e as u64 + 1;
            best = (0..=e).fold(best, |best, share| best.min(self.node(left, right, share, e)));
            if best == floor {
                filling.stats.inner_sets += 1;
                return Some(best);
            }
        }
        Some(best)
    }

    /// The size of a node whose left side may misclassify `share` of `e`.
    #[inline]
    fn node(&self, left: Set, right: Set, share: usize, e: usize) -> u8 {
        1 + self.at(left, share) + self.at(right, e - share)
    }

    /// The tree of an entry that has one.
    fn tree(&self, set: Set, e: usize) -> Arc<Tree> {
        let size = self.at(set, e);
        let sides = |left: Set| (set & left, set & !left);
        let mut nodes =
            self.ground.thr.iter().flat_map(|division| (0..=e).map(move |share| (division, share)));
        let least = nodes.find(|(division, share)| {
            let (left, right) = sides(division.left);
            size > 0 && self.node(left, right, *share, e) == size
        });
        match least {
            None => self.ground.leaf(set),
            Some((division, share)) => {
                let (left, right) = sides(division.left);
                let (left, right) = (self.tree(left, share), self.tree(right, e - share));
                Tree::node(division.feature, division.rank, left, right)
            }
        }
    }
}
