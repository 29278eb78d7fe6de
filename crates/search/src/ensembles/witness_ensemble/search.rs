//! Algorithm 1: decides whether there is an ensemble within given sizes and errors.
//!
//! *Limits.* Refinements only add nodes: a tree of a solution below a search node becomes the
//! witness tree of the search node if the added nodes are removed, each with one of its children.
//! So the witness tree is no deeper than the tree of the solution, its leaves hold at least as many
//! rows, and it has no more leaves of a class. If it violates a limit on depths or leaves, the
//! search node has no solution below it.

use super::ensemble_list::EnsembleList;
use super::options::EnsembleOptions;
use super::statistics::EnsemblePruneCounts;
use super::votes::{FixedVotes, Votes};
use crate::ensembles::{Depths, Ensemble, Sizes};
use crate::papers::witness::pairs::Nearest;
use crate::papers::witness::prepared_table::WitnessTable;
use crate::papers::witness::tree::WitnessTree;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, members};
use exactree_model::Weight;

/// The clock has stopped the search.
#[derive(Debug)]
pub(super) struct SearchStopped;

/// Limits of trees besides sizes.
#[derive(Clone, Copy)]
pub(super) struct TreeLimits<'a> {
    /// Limits on the depth of a tree and on the total depth.
    pub depths: Depths,
    /// Minimum number of rows in a leaf, and the rows of every item (unused if the minimum is 1).
    pub min_samples_leaf: u64,
    pub rows: &'a [u64],
    /// By class, the maximum number of leaves of a tree, `u32::MAX` for no limit; empty if no class
    /// is limited.
    pub leaves: &'a [u32],
}

impl TreeLimits<'_> {
    /// Limits the depth of a tree only.
    pub(super) fn of_depth(largest: u32) -> Self {
        let depths = Depths { total: u32::MAX, largest };
        TreeLimits { depths, min_samples_leaf: 1, rows: &[], leaves: &[] }
    }
}

/// The state of a search: witness trees, refined in place.
pub(super) struct EnsembleWitnessSearch<'a, const W: usize> {
    pub prepared: &'a WitnessTable<W>,
    pub options: &'a EnsembleOptions,
    pub clock: &'a Clock<'a>,
    /// `None` if pairs inside cells are not examined.
    pub nearest: Option<&'a Nearest>,
    pub trees: Vec<WitnessTree<'a, W>>,
    /// The requested sizes.
    pub target: Sizes,
    /// Limits of trees besides sizes.
    pub limits: TreeLimits<'a>,
    /// Properties shared by all remaining solutions.
    pub settled: FixedVotes<W>,
    pub nodes: u64,
    pub pruned: EnsemblePruneCounts,
    /// The solutions so far, if all are to be listed.
    pub list: Option<EnsembleList<W>>,
}

/// The branching of a search node.
pub(super) struct EnsembleBranching<const W: usize> {
    /// The votes, with lost votes restored.
    pub votes: Votes<W>,
    /// By tree and class, the items with lost votes.
    pub lost: Vec<Vec<Set<W>>>,
    /// Items that these votes misclassify and that are not settled as errors.
    pub open: Set<W>,
    /// By tree and class, the items on which a new leaf of this class in this tree gains a vote.
    pub gaining_items: Vec<Vec<Set<W>>>,
    /// Weight of votes that the next refinement must gain.
    pub needed: Weight,
}

impl<'a, const W: usize> EnsembleWitnessSearch<'a, W> {
    pub(super) fn new(
        prepared: &'a WitnessTable<W>,
        options: &'a EnsembleOptions,
        clock: &'a Clock<'a>,
        nearest: Option<&'a Nearest>,
        limits: TreeLimits<'a>,
    ) -> Self {
        EnsembleWitnessSearch {
            prepared,
            options,
            clock,
            nearest,
            trees: Vec::new(),
            target: Sizes { total: 0, largest: 0 },
            limits,
            settled: FixedVotes::none(0, 0),
            nodes: 0,
            pruned: EnsemblePruneCounts::default(),
            list: None,
        }
    }

    /// An ensemble of `trees` trees within the sizes, if any.
    pub(super) fn decide(
        &mut self,
        trees: usize,
        target: Sizes,
    ) -> Result<Option<Ensemble>, SearchStopped> {
        self.target = target;
        let classes = self.prepared.classes.len();
        if !self.enough_rows(&self.prepared.everything()) {
            return Ok(None);
        }
        let witness = self.first_witness()?;
        for labels in self.starts(trees, witness) {
            let leaf = |&class: &u32| {
                WitnessTree::new(self.prepared, self.prepared.everything(), witness, class)
            };
            self.trees = labels.iter().map(leaf).collect();
            self.settled = FixedVotes::none(trees, classes);
            if self.refine()? {
                let build =
                    |tree: &WitnessTree<'_, W>| tree.build_with(tree.root, &|_, class| class);
                return Ok(Some(self.trees.iter().map(build).collect()));
            }
        }
        Ok(None)
    }

    /// Whether refinements of the trees lead to a solution. If so, the trees are the solution
    /// afterwards, otherwise they are as before.
    pub(super) fn refine(&mut self) -> Result<bool, SearchStopped> {
        debug_assert!(self.trees.iter().all(|tree| tree.size() <= self.target.largest));
        self.nodes += 1;
        if self.clock.stopped() {
            return Err(SearchStopped);
        }
        let votes = Votes::of(&self.trees, self.prepared.classes.len());
        let dirty = votes.dirty(self.prepared);
        if self.prepared.weigh(&dirty) <= self.prepared.errors {
            return Ok(self.suffices());
        }
        let before = self.settled.errors;
        let Some(branching) = self.branching(&votes) else {
            self.settled.errors = before;
            return Ok(false);
        };
        let found = match self.lost_vote(&branching) {
            Some((tree, item, class)) => {
                self.pruned.lost_votes += 1;
                self.introduce(tree, item, class, &branching)
            }
            None => self.put_some_right(&branching),
        };
        self.settled.errors = before;
        found
    }

    /// Whether the solution just found ends the search.
    fn suffices(&mut self) -> bool {
        match &mut self.list {
            None => true,
            Some(list) => list.add(&self.trees),
        }
    }

    /// Whether a leaf with these items has enough rows.
    pub(super) fn enough_rows(&self, items: &Set<W>) -> bool {
        let TreeLimits { min_samples_leaf, rows, .. } = self.limits;
        min_samples_leaf <= 1 || {
            let rows = members(items).map(|item| rows[item as usize]).sum::<u64>();
            rows + offset(Mutant::EnsembleLeafRows) >= min_samples_leaf
        }
    }

    /// Number of nodes that may still be added to all trees together.
    pub(super) fn left(&self) -> u32 {
        self.target.total - self.trees.iter().map(WitnessTree::size).sum::<u32>()
    }

    /// Number of nodes that may still be added to one tree.
    pub(super) fn left_of(&self, tree: usize) -> u32 {
        self.left().min(self.target.largest - self.trees[tree].size())
    }

    /// Whether there is a solution that classifies one of some dirty items; tries one item after
    /// the other.
    fn put_some_right(&mut self, branching: &EnsembleBranching<W>) -> Result<bool, SearchStopped> {
        for item in self.items_to_try(branching) {
            if self.put_right(item, branching)? {
                return Ok(true);
            }
            self.settle_error(item);
        }
        Ok(false)
    }

    /// Whether there is a solution that classifies a dirty item; tries one tree after the other.
    fn put_right(
        &mut self,
        item: u32,
        branching: &EnsembleBranching<W>,
    ) -> Result<bool, SearchStopped> {
        let own = self.prepared.class[item as usize];
        let mut settled = Vec::new();
        for (tree, first_equal) in self.first_equal_trees().into_iter().enumerate() {
            let present = branching.votes.class(tree, item);
            if present == own || self.left_of(tree) == 0 || self.settled.keeps(tree, present, item)
            {
                continue;
            }
            if first_equal < tree {
                self.pruned.equal_trees += 1;
            } else {
                for class in (0..self.prepared.classes.len() as u32).filter(|&c| c != present) {
                    if self.introduce(tree, item, class, branching)? {
                        return Ok(true);
                    }
                }
            }
            self.settle_vote(tree, present, item, &mut settled);
        }
        self.unsettle_votes(item, &settled);
        Ok(false)
    }
}
