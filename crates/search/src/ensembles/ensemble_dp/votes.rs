//! Q[r, k]: the minimum total size of k trees with the votes r.
//!
//! With two classes r holds the number of right votes of every item, truncated at the number that
//! it needs: of l votes an item of the first class needs ⌈l/2⌉, an item of the second class
//! ⌊l/2⌋ + 1. With three or more classes the number of right votes alone does not decide the
//! prediction, and r holds the votes for every class (departure 2 of `spec/votes.py`).

use crate::support::clock::Clock;
use exactree_model::{Cost, Errors, Table, Weight};
use rustc_hash::FxHashMap;

/// Number of votes added between two polls of the clock.
const CLOCK_INTERVAL: usize = 1 << 14;

/// The vector r; two bytes for each number of votes.
type VoteCounts = Box<[u16]>;

/// A labelling of all items: its number, the minimum size of its tree, and the class of every item.
#[derive(Clone, Debug)]
pub(super) struct LabelingTree {
    pub number: usize,
    pub size: u32,
    pub classes: Vec<usize>,
}

/// Counts votes for the items of a table.
pub(super) struct VoteCounter {
    trees: u32,
    classes: usize,
    labels: Vec<usize>,
    weights: Vec<Weight>,
}

impl VoteCounter {
    pub(super) fn new(table: &Table, trees: u32) -> Self {
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

    /// Number of right votes that an item of two classes needs.
    fn needed(&self, label: usize) -> u32 {
        if label == 0 { self.trees.div_ceil(2) } else { self.trees / 2 + 1 }
    }

    /// Upper bound on the number of different vectors r, over all numbers of trees; more than any
    /// memory holds if the votes of all trees would overflow the 16 bits of a number of votes.
    pub(super) fn vectors(&self) -> u128 {
        if self.trees > u32::from(u16::MAX) {
            return u128::MAX;
        }
        let of_trees = |trees: u32| {
            let each = |&label: &usize| match self.two_classes() {
                true => u128::from(trees.min(self.needed(label))) + 1,
                false => ways(trees, self.classes),
            };
            self.labels.iter().map(each).fold(1, u128::saturating_mul)
        };
        (1..=self.trees).map(of_trees).fold(0, u128::saturating_add)
    }

    /// The vector r without trees.
    fn no_votes(&self) -> VoteCounts {
        let numbers_per_item = if self.two_classes() { 1 } else { self.classes };
        vec![0; self.labels.len() * numbers_per_item].into()
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

    /// Weight of the misclassified items.
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

/// Number of ways to distribute votes among classes.
fn ways(votes: u32, classes: usize) -> u128 {
    let distribute =
        |ways: u128, class: u128| ways.saturating_mul(u128::from(votes) + class) / class;
    (1..classes as u128).fold(1, distribute)
}

/// An entry: the minimum total size, the last tree, and the vector r without it.
struct VotesEntry {
    total: u32,
    last: usize,
    before: VoteCounts,
}

/// By number of trees k, the entries Q[r, k].
pub(super) struct VotesTable(Vec<FxHashMap<VoteCounts, VotesEntry>>);

impl VotesTable {
    /// Approximate bytes of an entry: two short vectors and their places.
    pub(super) const BYTES: usize = 128;

    /// Fills the table by increasing number of trees; `None` if the clock stops it.
    pub(super) fn fill(
        counter: &VoteCounter,
        trees: &[&LabelingTree],
        n_trees: u32,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let start = VotesEntry { total: 0, last: 0, before: counter.no_votes() };
        let mut levels = vec![FxHashMap::from_iter([(counter.no_votes(), start)])];
        let mut steps = 0;
        for _ in 0..n_trees {
            let mut next: FxHashMap<VoteCounts, VotesEntry> = FxHashMap::default();
            for (votes, entry) in levels.last()? {
                for (last, tree) in trees.iter().enumerate() {
                    steps += 1;
                    if steps % CLOCK_INTERVAL == 0 && clock.stopped() {
                        return None;
                    }
                    let (reached, total) = (counter.after(votes, tree), entry.total + tree.size);
                    let previous = next.get(&reached).map_or(u32::MAX, |entry| entry.total);
                    if total < previous {
                        next.insert(reached, VotesEntry { total, last, before: votes.clone() });
                    }
                }
            }
            levels.push(next);
        }
        Some(VotesTable(levels))
    }

    pub(super) fn entries(&self) -> u64 {
        self.0.iter().map(|level| level.len() as u64).sum()
    }

    /// The minimum cost over all entries, and the trees of that entry. `cost` returns the cost of
    /// errors and a total size, or `None` if they are not allowed.
    pub(super) fn cheapest(
        &self,
        counter: &VoteCounter,
        cost: impl Fn(Weight, u32) -> Option<Vec<Cost>>,
    ) -> Option<(Vec<Cost>, Vec<usize>)> {
        let cost_of = |(votes, entry): (_, &VotesEntry)| {
            cost(counter.errors(votes), entry.total).map(|cost| (cost, entry.total, votes))
        };
        // Ties go to fewer nodes, so that no node is superfluous, then to the smaller vector, since
        // the order of a map is arbitrary.
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
