//! A node and its counts: all pairs of its rules, counted once before any rule is tried.

use super::columns::BinaryColumns;
use super::sparse_lists::RuleLists;
use super::subset::BinarySubset;
use crate::engine::columns::ColumnCounts;
use crate::kernels::InstructionSet;
use crate::kernels::chunks::stumps::combine;
use crate::kernels::chunks::trees::{best, leaf_support};
use crate::kernels::chunks::{ChunkLane, Chunks, Pairs, Stumps, Tallies, count};
use crate::kernels::spread_columns::spread;
use exactree_model::Weight;

/// A node with the counts of its rules.
pub(crate) struct BinaryNode<L> {
    pub counts: NodeCounts<L>,
    /// Weight of all items.
    pub weight: Weight,
    /// By rule, the weight of its left child.
    pub weights: Vec<Weight>,
    /// The ways to divide the size between the children.
    pub shares: Vec<(u32, u32)>,
    /// Largest size of a child in any division; bounds on children are for this size.
    pub max_child_size: u32,
    /// Number of levels at which rules are evaluated; see `deepening.rs`.
    pub expanded: usize,
    /// Number of levels that the limits leave.
    pub levels: u32,
    /// Number of words that the evaluation of a rule has to read.
    pub words: usize,
}

impl<L> BinaryNode<L> {
    /// Weight in a child of a rule.
    pub(crate) fn weight_of(&self, (rule, left): (usize, bool)) -> Weight {
        let on_left = self.weights[rule];
        if left { on_left } else { self.weight - on_left }
    }
}

/// Number of words that a trial has to read for parallel work to pay; this takes about ten
/// microseconds.
const MIN_SHARED_WORDS: usize = 1 << 16;

impl<L: ChunkLane> ColumnCounts for BinaryNode<L> {
    fn pays_in_parallel(&self) -> bool {
        self.levels > 3 || self.words >= MIN_SHARED_WORDS
    }
}

/// Counts of one set of items.
#[derive(Default)]
pub(crate) struct NodeCounts<L> {
    pub chunks: Chunks<L>,
    pub pairs: Pairs<L>,
    pub tallies: Tallies<L>,
    pub stumps: Stumps<L>,
}

/// Greatest weight that trees of depth at most two with 0, 1, 2 and 3 nodes classify correctly.
pub(crate) type CorrectWeights = [Weight; 4];

/// Fewest errors of a child with one leaf and with two leaves; see `leaf_support.rs`.
pub(crate) type LeafSupport = [Option<Weight>; 2];

impl<L: ChunkLane> NodeCounts<L> {
    /// Counts all pairs of a subset, and the best stumps below each of its rules.
    pub(crate) fn fill(
        &mut self,
        instructions: InstructionSet,
        lists: Option<&RuleLists<'_>>,
        subset: &BinarySubset,
        minimum: Weight,
    ) {
        match lists {
            Some(lists) => lists.count(&subset.columns, &subset.members.words, &mut self.pairs),
            None => {
                spread(instructions, &subset.columns.rows(), &subset.columns.all, &mut self.chunks);
                count(instructions, &self.chunks, true, &mut self.pairs);
            }
        }
        let stride = self.pairs.stride;
        self.tallies.held.clear();
        self.tallies.held.resize(subset.class_weights.len() * stride, L::default());
        for class in 0..subset.class_weights.len() {
            for rule in 0..self.pairs.count {
                self.tallies.held[class * stride + rule] = self.pairs.row(class, rule)[rule];
            }
        }
        self.tallies.totals = subset.class_weights.iter().map(|&weight| L::of(weight)).collect();
        self.combine(instructions, None, minimum);
    }

    /// Finds the best stumps from the counts, or from the counts of `whole` minus these.
    pub(crate) fn combine(
        &mut self,
        instructions: InstructionSet,
        whole: Option<&Pairs<L>>,
        minimum: Weight,
    ) {
        let (pairs, rest) = match whole {
            None => (&self.pairs, false),
            Some(whole) => (whole, true),
        };
        let (less, min_weight) = (&self.pairs, L::of(minimum));
        let (tallies, stumps) = (&self.tallies, &mut self.stumps);
        match (rest, minimum > 1) {
            (false, false) => {
                combine::<L, false, false>(instructions, pairs, less, tallies, min_weight, stumps)
            }
            (false, true) => {
                combine::<L, false, true>(instructions, pairs, less, tallies, min_weight, stumps)
            }
            (true, false) => {
                combine::<L, true, false>(instructions, pairs, less, tallies, min_weight, stumps)
            }
            (true, true) => {
                combine::<L, true, true>(instructions, pairs, less, tallies, min_weight, stumps)
            }
        }
    }

    /// Weight in the left child of a rule.
    pub(crate) fn weight(&self, rule: usize) -> Weight {
        (0..self.tallies.totals.len()).map(|class| self.held(class, rule)).sum()
    }

    /// By rule, the weight that its left child and the left child of this rule have in common.
    pub(crate) fn common_weights(&self, rule: usize) -> Vec<Weight> {
        let mut both = vec![0; self.pairs.count];
        for class in 0..self.tallies.totals.len() {
            let row = self.pairs.row(class, rule);
            both.iter_mut().zip(row).for_each(|(both, held)| *both += held.wide());
        }
        both
    }

    /// Whether the left child of a rule weighs no more than the right one.
    pub(crate) fn left_is_smaller(&self, rule: usize) -> bool {
        let all: Weight = self.tallies.totals.iter().map(|total| total.wide()).sum();
        2 * self.weight(rule) <= all
    }

    /// Weight of a class in the left child of a rule.
    pub(crate) fn held(&self, class: usize, rule: usize) -> Weight {
        self.tallies.held[class * self.pairs.stride + rule].wide()
    }

    /// Weight of each class in a child of a rule.
    pub(crate) fn class_weights(&self, rule: usize, left: bool) -> impl Iterator<Item = Weight> {
        let totals = self.tallies.totals.iter().enumerate();
        totals.map(move |(class, total)| {
            let held = self.held(class, rule);
            if left { held } else { total.wide() - held }
        })
    }

    /// The weights that the best trees of up to three nodes classify correctly.
    pub(crate) fn correct_weights(
        &self,
        instructions: InstructionSet,
        minimum: Weight,
    ) -> CorrectWeights {
        let mut maximum = [L::default(); 4];
        best(instructions, &self.tallies, &self.stumps, L::of(minimum), &mut maximum);
        maximum.map(|correct| correct.wide())
    }

    /// The errors of the best leaf and of the best stump in a child, among the children where they
    /// classify at least the weights `needed` correctly.
    pub(crate) fn leaf_support(
        &self,
        instructions: InstructionSet,
        needed: [Weight; 2],
    ) -> LeafSupport {
        let all: Weight = self.tallies.totals.iter().map(|total| total.wide()).sum();
        let none = L::of(Weight::MAX);
        let mut errors = [none; 2];
        // No child classifies more correctly than the weight of all items.
        let needed = needed.map(|needed| L::of(needed.min(all + 1)));
        leaf_support(instructions, &self.tallies, &self.stumps, needed, &mut errors);
        errors.map(|wrong| (wrong < none).then_some(wrong.wide()))
    }

    /// The root of a tree of `nodes` nodes that classifies the weight `correct` correctly.
    pub(crate) fn root(&self, nodes: usize, correct: Weight, minimum: Weight) -> usize {
        let all: Weight = self.tallies.totals.iter().map(|total| total.wide()).sum();
        let correct_with = |rule: &usize| {
            let leaf = |left| self.class_weights(*rule, left).max().unwrap_or(0);
            let leaves = [leaf(true), leaf(false)];
            let stumps = [&self.stumps.left, &self.stumps.right].map(|child| child[*rule].wide());
            let stumps = [stumps[0].max(leaves[0]), stumps[1].max(leaves[1])];
            match nodes {
                1 => leaves[0] + leaves[1],
                2 => (leaves[0] + stumps[1]).max(stumps[0] + leaves[1]),
                _ => stumps[0] + stumps[1],
            }
        };
        let allowed = |rule: &usize| {
            let on_left = self.weight(*rule);
            on_left.min(all - on_left) >= minimum
        };
        let found =
            (0..self.pairs.count).filter(allowed).find(|rule| correct_with(rule) == correct);
        found.expect("the kernel found a root with this weight")
    }
}

/// Counts of the two children of one rule of a node: pairs are counted in the smaller child; the
/// counts of the larger child are those of the node minus these.
#[derive(Default)]
pub(crate) struct ChildCounts<L> {
    counts: NodeCounts<L>,
    /// The rule whose smaller child is counted.
    rule: Option<usize>,
}

impl<L: ChunkLane> ChildCounts<L> {
    /// Drops the counts of another node.
    pub(crate) fn invalidate(&mut self) {
        self.rule = None;
    }

    /// Whether the pairs in the smaller child of a rule are those counted last.
    pub(crate) fn is_counted(&self, rule: usize) -> bool {
        self.rule == Some(rule)
    }

    /// Counts the pairs in the smaller child of a rule by lists; it has these members.
    pub(crate) fn list(
        &mut self,
        lists: &RuleLists<'_>,
        subset: &BinaryColumns,
        rule: usize,
        members: &[u64],
    ) {
        lists.count(subset, members, &mut self.counts.pairs);
        self.rule = Some(rule);
    }

    /// Counts the pairs in the smaller child of a rule by words of bits.
    pub(crate) fn spread(
        &mut self,
        instructions: InstructionSet,
        subset: &BinaryColumns,
        rule: usize,
        small: bool,
    ) {
        spread(instructions, &subset.rows(), &subset.child(rule, small), &mut self.counts.chunks);
        count(instructions, &self.counts.chunks, false, &mut self.counts.pairs);
        self.rule = Some(rule);
    }

    /// The weights that the best small trees classify correctly in a child of the rule whose
    /// smaller child has been counted, and the leaf support of that child.
    pub(crate) fn correct_weights(
        &mut self,
        instructions: InstructionSet,
        node: &NodeCounts<L>,
        (rule, left): (usize, bool),
        minimum: Weight,
        needed: Option<[Weight; 2]>,
    ) -> (CorrectWeights, LeafSupport) {
        self.tally(node, rule, left);
        let small = node.left_is_smaller(rule);
        self.counts.combine(instructions, (small != left).then_some(&node.pairs), minimum);
        let leaf_support =
            needed.map_or([None; 2], |needed| self.counts.leaf_support(instructions, needed));
        (self.counts.correct_weights(instructions, minimum), leaf_support)
    }

    /// Tallies the weight of each rule within a child: that of its pair with the child's rule.
    fn tally(&mut self, node: &NodeCounts<L>, rule: usize, left: bool) {
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
