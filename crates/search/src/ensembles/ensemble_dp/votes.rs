//! Q[r, k]: the minimum total size of k trees with the votes r.
//!
//! With two classes r holds for every item its right votes, truncated at those
//! it needs; an item of the first class needs ⌈l/2⌉ of l, one of the second
//! ⌊l/2⌋ + 1. With three or more the number of right votes does not decide, and
//! r holds the votes for every class (departure 2 of `spec/votes.py`).

use super::LabelingTree;
use crate::support::clock::Clock;
use exactree_model::{Cost, Errors, Table, Weight};
use rustc_hash::FxHashMap;

/// Entries reached between two looks at the clock.
const STEPS: usize = 1 << 14;

/// The votes, two bytes for each number that is counted.
type VoteCounts = Box<[u16]>;

/// How the votes about the items of a table are counted.
pub struct VoteCounter {
    trees: u32,
    classes: usize,
    labels: Vec<usize>,
    weights: Vec<Weight>,
}

impl VoteCounter {
    pub fn new(table: &Table, trees: u32) -> Self {
        VoteCounter {
            trees,
            classes: table.n_classes,
            labels: table.items.iter().map(|item| item.class as usize).collect(),
            weights: table.items.iter().map(|item| item.weight).collect(),
        }
    }

    fn two_classes(&self) -> bool {
        self.classes <= 2
    }

    /// Right votes that an item of two classes needs.
    fn needed(&self, label: usize) -> u32 {
        if label == 0 { self.trees.div_ceil(2) } else { self.trees / 2 + 1 }
    }

    /// Votes that there may be, over all numbers of trees; more than any memory holds for more
    /// trees than a number of votes counts.
    pub fn vectors(&self) -> u128 {
        if self.trees > u32::from(u16::MAX) {
            return u128::MAX;
        }
        let with = |trees: u32| {
            let each = |&label: &usize| match self.two_classes() {
                true => u128::from(trees.min(self.needed(label))) + 1,
                false => ways(trees, self.classes),
            };
            self.labels.iter().map(each).fold(1, u128::saturating_mul)
        };
        (1..=self.trees).map(with).fold(0, u128::saturating_add)
    }

    fn none(&self) -> VoteCounts {
        let counted = if self.two_classes() { 1 } else { self.classes };
        vec![0; self.labels.len() * counted].into()
    }

    /// The votes after one more tree.
    fn after(&self, votes: &VoteCounts, tree: &LabelingTree) -> VoteCounts {
        let mut after = votes.clone();
        for (item, (&class, &label)) in tree.classes.iter().zip(&self.labels).enumerate() {
            if !self.two_classes() {
                after[item * self.classes + class] += 1;
            } else if class == label && u32::from(after[item]) < self.needed(label) {
                after[item] += 1;
            }
        }
        after
    }

    /// Weight of the items for which a wrong class is elected.
    fn errors(&self, votes: &VoteCounts) -> Weight {
        let right = |(item, &label): (usize, &usize)| match self.two_classes() {
            true => u32::from(votes[item]) == self.needed(label),
            false => {
                let of_item = &votes[item * self.classes..][..self.classes];
                let of_item: Vec<Weight> = of_item.iter().map(|&votes| votes.into()).collect();
                Errors::leaf_class(&of_item) as usize == label
            }
        };
        let wrong = self.labels.iter().enumerate().filter(|&item| !right(item));
        wrong.map(|(item, _)| self.weights[item]).sum()
    }
}

/// Ways to share some votes among classes.
fn ways(votes: u32, classes: usize) -> u128 {
    let shared = |ways: u128, class: u128| ways.saturating_mul(u128::from(votes) + class) / class;
    (1..classes as u128).fold(1, shared)
}

/// An entry: the minimum total size, the last tree, and the votes without it.
struct VotesEntry {
    total: u32,
    last: usize,
    before: VoteCounts,
}

/// By number of trees, the entries that they lead to.
pub struct VotesTable(Vec<FxHashMap<VoteCounts, VotesEntry>>);

impl VotesTable {
    /// Bytes of an entry, about: two vectors of few bytes and their places.
    pub const BYTES: usize = 128;

    /// Fills the table forwards; none if the clock stops it.
    pub fn filled(
        count: &VoteCounter,
        trees: &[&LabelingTree],
        n_trees: u32,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let start = VotesEntry { total: 0, last: 0, before: count.none() };
        let mut levels = vec![FxHashMap::from_iter([(count.none(), start)])];
        let mut steps = 0;
        for _ in 0..n_trees {
            let mut further: FxHashMap<VoteCounts, VotesEntry> = FxHashMap::default();
            for (votes, entry) in levels.last()? {
                for (last, tree) in trees.iter().enumerate() {
                    steps += 1;
                    if steps % STEPS == 0 && clock.stopped() {
                        return None;
                    }
                    let (reached, total) = (count.after(votes, tree), entry.total + tree.size);
                    let known = further.get(&reached).map_or(u32::MAX, |known| known.total);
                    if total < known {
                        further.insert(reached, VotesEntry { total, last, before: votes.clone() });
                    }
                }
            }
            levels.push(further);
        }
        Some(VotesTable(levels))
    }

    pub fn entries(&self) -> u64 {
        self.0.iter().map(|level| level.len() as u64).sum()
    }

    /// The minimum cost of errors and total size, where it is allowed, and its trees.
    pub fn cheapest(
        &self,
        count: &VoteCounter,
        cost: impl Fn(Weight, u32) -> Option<Vec<Cost>>,
    ) -> Option<(Vec<Cost>, Vec<usize>)> {
        let cost_of = |(votes, entry): (_, &VotesEntry)| {
            cost(count.errors(votes), entry.total).map(|cost| (cost, entry.total, votes))
        };
        // Ties to the fewest nodes, so that none is needless, then to the first votes in
        // order: a map has an order of its own.
        let (cost, _, mut votes) = self.0.last()?.iter().filter_map(cost_of).min()?;
        let mut chosen = Vec::new();
        for level in self.0[1..].iter().rev() {
            let entry = &level[votes];
            chosen.push(entry.last);
            votes = &entry.before;
        }
        Some((cost, chosen))
    }
}
