//! Algorithm 1: is there an ensemble within sizes that makes few enough errors?
//!
//! *Limits.* A witness tree of the search is a solution's tree with some nodes and one child of
//! each taken out. So it is no deeper, its leaves hold at least as many rows, and it has no more
//! leaves of a class than the solution: a witness tree that violates a limit on depths or leaves
//! has no solution below it.

use super::EnsemblePruneCounts;
use super::enumeration::EnsembleList;
use super::options::EnsembleOptions;
use super::symmetry::FixedVotes;
use super::votes::Votes;
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
pub struct SearchStopped;

/// Limits of trees besides sizes.
#[derive(Clone, Copy)]
pub struct TreeLimits<'a> {
    /// Nodes on a path of a tree, and of all trees' longest paths together.
    pub depths: Depths,
    /// Rows that every leaf holds, and rows by item; not read if one row will do.
    pub min_samples_leaf: u64,
    pub rows: &'a [u64],
    /// Leaves of a tree by class, `u32::MAX` for no limit; empty for none at all.
    pub leaves: &'a [u32],
}

impl TreeLimits<'_> {
    /// Only paths are limited.
    pub fn of_depth(largest: u32) -> Self {
        let depths = Depths { total: u32::MAX, largest };
        TreeLimits { depths, min_samples_leaf: 1, rows: &[], leaves: &[] }
    }
}

/// The state of a search: witness trees, refined in place.
pub struct EnsembleWitnessSearch<'a, const W: usize> {
    pub prepared: &'a WitnessTable<W>,
    pub options: &'a EnsembleOptions,
    pub clock: &'a Clock<'a>,
    /// `None` if pairs inside cells are not examined.
    pub nearest: Option<&'a Nearest>,
    pub trees: Vec<WitnessTree<'a, W>>,
    /// The sizes requested.
    pub target: Sizes,
    /// Limits of trees besides sizes.
    pub limits: TreeLimits<'a>,
    /// Properties shared by all solutions still searched for.
    pub settled: FixedVotes<W>,
    pub nodes: u64,
    pub pruned: EnsemblePruneCounts,
    /// Where all solutions are wanted.
    pub list: Option<EnsembleList<W>>,
}

/// The branching of a search node.
pub struct EnsembleBranching<const W: usize> {
    /// The votes, the kept ones as they have to become again.
    pub votes: Votes<W>,
    /// By tree and class: kept votes that are others at present.
    pub lost: Vec<Vec<Set<W>>>,
    /// Dirty items by these votes that are not settled as errors.
    pub open: Set<W>,
    /// By tree and class: the items about which a new leaf of this class in
    /// this tree gains a vote.
    pub wanted: Vec<Vec<Set<W>>>,
    /// Weight of votes that the next refinement has to gain.
    pub needed: Weight,
}

impl<'a, const W: usize> EnsembleWitnessSearch<'a, W> {
    pub fn new(
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

    /// An ensemble of `trees` trees within the sizes, if there is one.
    pub fn decide(
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

    /// Whether some refinement of the trees will do. If so it is left there,
    /// otherwise the trees are as before.
    pub fn refine(&mut self) -> Result<bool, SearchStopped> {
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
            None => self.put_right_in_turn(&branching),
        };
        self.settled.errors = before;
        found
    }

    /// Whether a solution that was met ends the search.
    fn suffices(&mut self) -> bool {
        match &mut self.list {
            None => true,
            Some(list) => list.add(&self.trees),
        }
    }

    /// Whether a leaf that holds these items holds enough rows.
    pub fn enough_rows(&self, items: &Set<W>) -> bool {
        let TreeLimits { min_samples_leaf, rows, .. } = self.limits;
        min_samples_leaf <= 1 || {
            let held = members(items).map(|item| rows[item as usize]).sum::<u64>();
            held + offset(Mutant::EnsembleLeafRows) >= min_samples_leaf
        }
    }

    /// Nodes that all trees, and that one tree may still get.
    pub fn left(&self) -> u32 {
        self.target.total - self.trees.iter().map(WitnessTree::size).sum::<u32>()
    }

    pub fn left_of(&self, tree: usize) -> u32 {
        self.left().min(self.target.largest.saturating_sub(self.trees[tree].size()))
    }

    /// Whether a solution has one of some dirty items right: tried one after
    /// the other, tree by tree.
    fn put_right_in_turn(
        &mut self,
        branching: &EnsembleBranching<W>,
    ) -> Result<bool, SearchStopped> {
        for item in self.in_turn(branching) {
            if self.put_right(item, branching)? {
                return Ok(true);
            }
            self.settle_error(item);
        }
        Ok(false)
    }

    fn put_right(
        &mut self,
        item: u32,
        branching: &EnsembleBranching<W>,
    ) -> Result<bool, SearchStopped> {
        let own = self.prepared.class[item as usize];
        let mut settled = Vec::new();
        for (tree, twin) in self.twins().into_iter().enumerate() {
            let present = branching.votes.class(tree, item);
            if present == own || self.left_of(tree) == 0 || self.settled.keeps(tree, present, item)
            {
                continue;
            }
            if twin < tree {
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
