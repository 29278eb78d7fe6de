//! What a node counts of its rules before it tries any: all pairs of them, once.

use super::columns::Columns;
use super::part::Part;
use crate::kernels::Level;
use crate::kernels::chunks::{Chunks, Lane, Pairs, Stumps, Tallies, beside, best, combine, count};
use crate::kernels::spread::spread;
use exactree_model::Weight;

/// Counts of one set of items.
#[derive(Default)]
pub(crate) struct Counts<L> {
    pub chunks: Chunks<L>,
    pub pairs: Pairs<L>,
    pub tallies: Tallies<L>,
    pub stumps: Stumps<L>,
}

/// Most weight that trees of depth at most two with 0, 1, 2 and 3 nodes get right.
pub(crate) type Hits = [Weight; 4];

/// Least weight that a side with one and with two leaves misclassifies.
pub(crate) type Beside = [Option<Weight>; 2];

impl<L: Lane> Counts<L> {
    /// Counts all pairs of a part, and the best stumps below each of its rules.
    pub fn take(&mut self, level: Level, part: &Part, minimum: Weight) {
        spread(level, &part.columns.rows(), &part.columns.all, &mut self.chunks);
        count(level, &self.chunks, true, &mut self.pairs);
        let stride = self.chunks.stride;
        self.tallies.held.clear();
        self.tallies.held.resize(part.class_weights.len() * stride, L::default());
        for class in 0..part.class_weights.len() {
            for rule in 0..self.chunks.count {
                self.tallies.held[class * stride + rule] = self.pairs.row(class, rule)[rule];
            }
        }
        self.tallies.totals = part.class_weights.iter().map(|&weight| L::of(weight)).collect();
        self.combine(level, None, minimum);
    }

    /// Finds the best stumps from the counts, or from those of `whole` less these.
    pub fn combine(&mut self, level: Level, whole: Option<&Pairs<L>>, minimum: Weight) {
        let (pairs, rest) = match whole {
            None => (&self.pairs, false),
            Some(whole) => (whole, true),
        };
        let (less, least) = (&self.pairs, L::of(minimum));
        let (tallies, stumps) = (&self.tallies, &mut self.stumps);
        match (rest, minimum > 1) {
            (false, false) => {
                combine::<L, false, false>(level, pairs, less, tallies, least, stumps)
            }
            (false, true) => combine::<L, false, true>(level, pairs, less, tallies, least, stumps),
            (true, false) => combine::<L, true, false>(level, pairs, less, tallies, least, stumps),
            (true, true) => combine::<L, true, true>(level, pairs, less, tallies, least, stumps),
        }
    }

    /// Weight on the left of a rule.
    pub fn weight(&self, rule: usize) -> Weight {
        (0..self.tallies.totals.len()).map(|class| self.held(class, rule)).sum()
    }

    /// Weight of a class on the left of a rule.
    pub fn held(&self, class: usize, rule: usize) -> Weight {
        self.tallies.held[class * self.chunks.stride + rule].wide()
    }

    /// Weight of each class on a side of a rule.
    pub fn class_weights(&self, rule: usize, left: bool) -> impl Iterator<Item = Weight> {
        let totals = self.tallies.totals.iter().enumerate();
        totals.map(move |(class, total)| {
            let held = self.held(class, rule);
            if left { held } else { total.wide() - held }
        })
    }

    /// What the best trees of up to three nodes get right.
    pub fn hits(&self, level: Level, minimum: Weight) -> Hits {
        let mut most = [L::default(); 4];
        best(level, &self.tallies, &self.stumps, L::of(minimum), &mut most);
        most.map(|hits| hits.wide())
    }

    /// What the best leaf and the best stump beside a larger side misclassify, of those
    /// that get at least so much right.
    pub fn beside(&self, level: Level, needed: [Weight; 2]) -> Beside {
        let all: Weight = self.tallies.totals.iter().map(|total| total.wide()).sum();
        let none = L::of(Weight::MAX);
        let mut least = [none; 2];
        // More than there is no side gets right.
        let needed = needed.map(|needed| L::of(needed.min(all + 1)));
        beside(level, &self.tallies, &self.stumps, needed, &mut least);
        least.map(|wrong| (wrong < none).then_some(wrong.wide()))
    }

    /// The root of a tree of so many nodes that gets so much right.
    pub fn root(&self, nodes: usize, hits: Weight, minimum: Weight) -> usize {
        let all: Weight = self.tallies.totals.iter().map(|total| total.wide()).sum();
        let right = |rule: &usize| {
            let leaf = |left| self.class_weights(*rule, left).max().unwrap_or(0);
            let leaves = [leaf(true), leaf(false)];
            let deep = [&self.stumps.left, &self.stumps.right].map(|side| side[*rule].wide());
            let deep = [deep[0].max(leaves[0]), deep[1].max(leaves[1])];
            match nodes {
                1 => leaves[0] + leaves[1],
                2 => (leaves[0] + deep[1]).max(deep[0] + leaves[1]),
                _ => deep[0] + deep[1],
            }
        };
        let allowed = |rule: &usize| {
            let on_left = self.weight(*rule);
            on_left.min(all - on_left) >= minimum
        };
        let found = (0..self.chunks.count).filter(allowed).find(|rule| right(rule) == hits);
        found.expect("the kernel found this many")
    }
}

/// The two sides of one rule of a node: pairs are counted on the smaller side;
/// the larger side has all other items of the node, so it has the other counts.
#[derive(Default)]
pub(crate) struct Sides<L> {
    counts: Counts<L>,
    /// The rule of which the smaller side is counted.
    rule: Option<usize>,
}

impl<L: Lane> Sides<L> {
    /// Forgets what was counted for another node.
    pub fn forget(&mut self) {
        self.rule = None;
    }

    /// What the best small trees on a side of a rule get right.
    pub fn hits(
        &mut self,
        level: Level,
        columns: &Columns,
        node: &Counts<L>,
        (rule, left): (usize, bool),
        minimum: Weight,
        needed: Option<[Weight; 2]>,
    ) -> (Hits, Beside) {
        let on_left = node.weight(rule);
        let all: Weight = node.tallies.totals.iter().map(|total| total.wide()).sum();
        let small = on_left <= all - on_left;
        if self.rule != Some(rule) {
            spread(level, &columns.rows(), &columns.side(rule, small), &mut self.counts.chunks);
            count(level, &self.counts.chunks, false, &mut self.counts.pairs);
            self.rule = Some(rule);
        }
        self.tally(node, rule, left);
        self.counts.combine(level, (small != left).then_some(&node.pairs), minimum);
        let beside = needed.map_or([None; 2], |needed| self.counts.beside(level, needed));
        (self.counts.hits(level, minimum), beside)
    }

    /// What the rules hold on a side is what they hold together with its rule.
    fn tally(&mut self, node: &Counts<L>, rule: usize, left: bool) {
        let tallies = &mut self.counts.tallies;
        tallies.held.clear();
        tallies.totals.clear();
        for (class, &total) in node.tallies.totals.iter().enumerate() {
            let row = node.pairs.row(class, rule);
            let held = row[rule];
            if left {
                tallies.held.extend_from_slice(row);
                tallies.totals.push(held);
            } else {
                let all = &node.tallies.held[class * row.len()..][..row.len()];
                tallies.held.extend(all.iter().zip(row).map(|(all, both)| all.minus(*both)));
                tallies.totals.push(total.minus(held));
            }
        }
    }
}
