//! What is asked of an ensemble of few nodes or few errors and what is answered,
//! whichever method answers.

#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod simplify;

use exactree_model::{Cost, Errors, Limits, Status, StoppedBy, Table, Tree, Weight};
use std::sync::Arc;

/// Trees that vote; of the classes with most votes the earliest one wins.
pub type Ensemble = Vec<Arc<Tree>>;

/// The nodes of all trees, or of the largest one, or the misclassified weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Total,
    Largest,
    Errors,
}

/// What is minimized, and within what.
#[derive(Clone, Debug)]
pub struct EnsembleRequest {
    pub trees: u32,
    /// What is minimized, the most important first; each once at most.
    pub quantities: Vec<Quantity>,
    /// Misclassified weight that there may be.
    pub errors: Weight,
    /// Nodes that a tree may have, in all and on a path, and all trees together.
    pub size: u32,
    pub depth: u32,
    pub total: u32,
    /// Limit on bytes.
    pub memory_limit: Option<usize>,
    /// The witness search stops when the gap is at most this; 0 to prove all.
    pub stop_at_gap: f64,
}

/// Sizes that an ensemble may have: in all, and of every tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub total: u32,
    pub largest: u32,
}

impl EnsembleRequest {
    /// The sizes within which there is an ensemble, if there is any. Every leaf
    /// of a useful tree holds an item, and equal items share a leaf.
    pub fn allowed(&self, table: &Table) -> Sizes {
        let useful = (table.groups as u32).saturating_sub(1);
        let each = Limits { depth: self.depth, size: self.size, min_rows: 1 }.normalised();
        let largest = useful.min(each.size).min(self.total);
        Sizes { total: largest.saturating_mul(self.trees).min(self.total), largest }
    }

    /// The greatest total size that an ensemble of least total size, or of fewest
    /// errors, may have: one tree with leaves whose classes are spread as evenly
    /// as possible, later classes first, votes as the tree does alone, so that
    /// only `size` and `depth` can call for more.
    pub fn greatest_total(&self, table: &Table) -> u32 {
        let Sizes { total, largest } = self.allowed(table);
        let free = self.size == u32::MAX || largest < self.size;
        if free && self.depth == u32::MAX { total.min(largest) } else { total }
    }

    /// Whether an ensemble keeps to the limits on sizes and depth.
    pub fn keeps(&self, ensemble: &Ensemble) -> bool {
        let Sizes { total, largest } = sizes(ensemble);
        let shallow = ensemble.iter().all(|tree| tree.depth() <= self.depth);
        total <= self.total && largest <= self.size && shallow
    }
}

/// What a search returns, however it ended.
#[derive(Clone, Debug)]
pub struct EnsembleOutcome {
    pub status: Status,
    pub ensemble: Option<Ensemble>,
    /// By quantity, in the order asked.
    pub lower_bound: Vec<Cost>,
    pub stopped_by: Option<StoppedBy>,
}

/// The sizes of an ensemble.
pub fn sizes(ensemble: &Ensemble) -> Sizes {
    let each = ensemble.iter().map(|tree| tree.size());
    Sizes { total: each.clone().sum(), largest: each.max().unwrap_or(0) }
}

/// What one quantity of an ensemble is.
pub fn value_of(table: &Table, ensemble: &Ensemble, quantity: Quantity) -> Cost {
    match quantity {
        Quantity::Total => sizes(ensemble).total.into(),
        Quantity::Largest => sizes(ensemble).largest.into(),
        Quantity::Errors => ensemble_errors(table, ensemble),
    }
}

/// Whether the incumbent is within the gap at which a search may stop.
pub fn near_enough(stop_at_gap: f64, known: Option<Cost>, lower: Cost) -> bool {
    // Only decides when to stop; what is proved is decided in exact numbers.
    let gap = |known: Cost| (known - lower) as f64 / known as f64;
    stop_at_gap > 0.0 && known.is_some_and(|known| known > lower && gap(known) <= stop_at_gap)
}

/// A tree and leaves that leave the vote to it: classes as even as possible,
/// later ones first.
pub fn alone(tree: Arc<Tree>, trees: u32, classes: u32) -> Ensemble {
    let leaves = (0..trees - 1).map(|place| Tree::leaf(classes - 1 - place % classes));
    std::iter::once(tree).chain(leaves).collect()
}

/// Weight that an ensemble misclassifies.
pub fn ensemble_errors(table: &Table, ensemble: &[Arc<Tree>]) -> Weight {
    let mut votes = vec![0; table.n_classes];
    let wrong = |(at, item): (usize, &exactree_model::Item)| {
        votes.fill(0);
        for tree in ensemble {
            votes[tree.predict(|feature| table.features[feature as usize].ranks[at]) as usize] += 1;
        }
        if Errors::leaf_class(&votes) == item.class { 0 } else { item.weight }
    };
    table.items.iter().enumerate().map(wrong).sum()
}
