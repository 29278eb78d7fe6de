//! The counts of a witness search for ensembles.

use crate::support::statistics::counts;
use exactree_model::Cost;

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct EnsembleStats {
    /// Initial ensembles and refinements within the requested sizes.
    pub search_nodes: u64,
    /// The same by the requested sizes: total, and of the largest tree.
    pub search_nodes_by_size: Vec<((u32, u32), u64)>,
    /// Total size that the search begins with.
    pub first_size: u32,
    /// Value of the first quantity of the first incumbent.
    pub first_incumbent: Option<Cost>,
    pub pruned: EnsemblePruneCounts,
    pub seconds: f64,
}

counts! {
    /// Pruned candidates, by the bound that pruned them.
    pub struct EnsemblePruneCounts {
        /// Trees not refined because they equal another tree.
        equal_trees,
        /// Search nodes that branch only on a lost vote.
        lost_votes,
        equal_refinements,
        /// Search nodes at which too few trees may still change their votes.
        votes_left,
        /// Search nodes at which the remaining refinements gain too few votes.
        votes_gained,
        /// Rules that gain too few votes.
        votes_needed,
        /// Search nodes pruned by the unlike pairs inside cells.
        cell_pairs,
        /// Places where a new node would make a path too long.
        depth,
        /// Rules that leave a leaf too few rows.
        leaf_rows,
        /// Leaves of a class that has its maximum in the tree already.
        leaves_of,
        /// First lower bounds raised by the bound from one tree.
        one_tree,
    }
}
