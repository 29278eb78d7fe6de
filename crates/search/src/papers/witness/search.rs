//! Algorithm 1: decides whether a witness tree has a refinement within a size that is a solution.

use super::cache::WitnessCache;
use super::constraints::Constraint;
use super::options::WitnessOptions;
use super::pairs::Nearest;
use super::prepared_table::WitnessTable;
use super::request::{WitnessPruneCounts, WitnessStats};
use super::starts::{WitnessStart, starts};
use super::tree::WitnessTree;
use crate::support::clock::{Clock, Stopped};
use crate::support::sets::{Set, insert};
use exactree_model::Weight;

/// Number of search nodes between two polls of the clock: a poll may take longer than a node.
const CLOCK_INTERVAL: u64 = 8;

/// One search on one subset: its witness tree, settled errors and constraints, the cache and the
/// statistics.
pub(super) struct WitnessSearch<'a, const W: usize> {
    pub prepared: &'a WitnessTable<W>,
    pub options: &'a WitnessOptions,
    pub clock: &'a Clock<'a>,
    pub subset: Set<W>,
    pub tree: WitnessTree<'a, W>,
    /// The requested size.
    pub size: u32,
    /// Items that all remaining solutions misclassify.
    pub settled: Set<W>,
    pub constraints: Vec<Constraint<W>>,
    pub cache: Option<WitnessCache<W>>,
    /// If this search solves a leaf, the number of search nodes of the enclosing searches.
    pub above: u64,
    pub nearest: Option<&'a Nearest>,
    starts: Vec<WitnessStart<W>>,
    pub nodes: u64,
    pub pruned: WitnessPruneCounts,
    /// Buffer of the improvement bound.
    pub entries: Vec<Weight>,
    /// Buffer of the pairs inside leaves.
    pub pairs: Vec<(u64, u32, u32)>,
}

impl<'a, const W: usize> WitnessSearch<'a, W> {
    pub(super) fn new(
        prepared: &'a WitnessTable<W>,
        options: &'a WitnessOptions,
        clock: &'a Clock<'a>,
        nearest: Option<&'a Nearest>,
        subset: Set<W>,
    ) -> Result<Self, Stopped> {
        let starts = starts(prepared, options, clock, nearest, &subset)?;
        let WitnessStart { witness, class, settled } = starts[0];
        Ok(WitnessSearch {
            tree: WitnessTree::new(prepared, subset, witness, class),
            size: 0,
            constraints: Vec::new(),
            nodes: 0,
            pruned: WitnessPruneCounts::default(),
            prepared,
            options,
            clock,
            subset,
            settled,
            cache: None,
            above: 0,
            nearest,
            starts,
            entries: Vec::new(),
            pairs: Vec::new(),
        })
    }

    /// Whether there is a solution of at most `size` nodes for the subset. If so, the witness tree
    /// is a solution afterwards.
    pub(super) fn decide(&mut self, size: u32) -> Result<bool, Stopped> {
        self.size = size;
        for start in self.starts.clone() {
            self.tree = WitnessTree::new(self.prepared, self.subset, start.witness, start.class);
            self.settled = start.settled;
            if self.refine(self.tree.dirty())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Algorithm 1 for one tree: whether refinements of the witness tree, whose dirty items are
    /// given, lead to a solution. If so, the tree is the solution afterwards, otherwise it is as
    /// before.
    pub(super) fn refine(&mut self, dirty: Set<W>) -> Result<bool, Stopped> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CLOCK_INTERVAL) {
            self.clock.check()?;
        }
        if self.prepared.weigh(&dirty) <= self.prepared.errors {
            return Ok(true);
        }
        let left = self.size - self.tree.size();
        if left == 0 {
            return Ok(false);
        }
        if left == 1 && self.prepared.errors == 0 && self.options.last_node {
            return Ok(self.last_node(&dirty));
        }
        let Some(branching) = self.branching(dirty, left)? else { return Ok(false) };
        let before = self.settled;
        for item in self.items_to_try(&branching) {
            if self.introduce(item, &branching)? {
                return Ok(true);
            }
            if self.options.fixed_errors {
                insert(&mut self.settled, item);
            }
        }
        self.settled = before;
        Ok(false)
    }

    /// The counts of the search, including those of solved leaves.
    pub(super) fn stats(&self) -> WitnessStats {
        let cache = self.cache.as_ref();
        WitnessStats {
            search_nodes: self.nodes,
            leaf_search_nodes: cache.map_or(0, |cache| cache.nodes),
            cached_subsets: cache.map_or(0, |cache| cache.len() as u64),
            cache_evicted: cache.map_or(0, |cache| cache.evicted),
            features: self.prepared.features as u32,
            rules: self.prepared.all_rules() as u64,
            pruned: self.pruned.clone(),
            ..WitnessStats::default()
        }
    }
}
