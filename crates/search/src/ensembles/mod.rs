//! Requests and outcomes of ensemble searches (size, depth or errors), common to all methods.

pub mod cover;
pub mod ensemble_dp;
pub mod witness_ensemble;

#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod simplify;

use exactree_model::{Cost, Errors, Limits, Status, StoppedBy, Table, Tree, Weight};
use std::sync::Arc;

/// Trees that vote; of the classes with most votes the earliest one wins.
pub type Ensemble = Vec<Arc<Tree>>;

/// The nodes of all trees, or of the largest one; the depths of all trees, or of
/// the deepest one; or the misclassified weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnsembleQuantity {
    Total,
    Largest,
    TotalDepth,
    LargestDepth,
    Errors,
}

impl EnsembleQuantity {
    /// Whether depths are minimized.
    pub fn of_depth(self) -> bool {
        match self {
            EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => true,
            EnsembleQuantity::Total | EnsembleQuantity::Largest | EnsembleQuantity::Errors => false,
        }
    }
}

/// What to minimize, and the limits.
#[derive(Clone, Debug)]
pub struct EnsembleRequest {
    pub trees: u32,
    /// What is minimized, the most important first; each once at most.
    pub quantities: Vec<EnsembleQuantity>,
    /// Greatest weight that may be misclassified.
    pub errors: Weight,
    /// Limits on the nodes of a tree, on its depth, and on the nodes of all trees together.
    pub size: u32,
    pub depth: u32,
    pub total: u32,
    /// Rows as given that every leaf of every tree holds, at least 1.
    pub min_samples_leaf: u64,
    /// Leaves of one tree that may predict a class, by class; `u32::MAX` for no
    /// limit, and empty for none at all.
    pub leaves: Vec<u32>,
    /// Limit on bytes.
    pub memory_limit: Option<usize>,
    /// The witness search stops when the gap is at most this; 0 to prove all.
    pub stop_at_gap: f64,
}

/// Limits on sizes: in total, and of every tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub total: u32,
    pub largest: u32,
}

/// Limits on depths: in total, and of every tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    pub total: u32,
    pub largest: u32,
}

impl Depths {
    /// The same where the total depth, or that of the deepest tree, is at most so
    /// much.
    pub fn at(self, quantity: EnsembleQuantity, value: u32, trees: u32) -> Self {
        match quantity {
            EnsembleQuantity::TotalDepth => {
                Depths { total: value, largest: self.largest.min(value) }
            }
            EnsembleQuantity::LargestDepth => {
                Depths { total: self.total.min(trees.saturating_mul(value)), largest: value }
            }
            EnsembleQuantity::Total | EnsembleQuantity::Largest | EnsembleQuantity::Errors => self,
        }
    }

    /// The sizes that ensembles of these depths can have: a tree of depth d has at most 2^d - 1
    /// nodes, and for a given total depth the number of nodes is greatest if as few trees as
    /// possible have all of it, because 2^d is convex.
    pub fn bound(self, Sizes { total, largest }: Sizes, trees: u32) -> Sizes {
        let of_depth =
            |depth| Limits { depth, size: u32::MAX, min_samples_leaf: 1 }.normalised().size;
        let largest = largest.min(of_depth(self.largest));
        let shared = match self.total.checked_div(self.largest) {
            None => 0,
            Some(full) => {
                let rest = of_depth(self.total % self.largest);
                of_depth(self.largest).saturating_mul(full).saturating_add(rest)
            }
        };
        Sizes { total: total.min(shared).min(largest.saturating_mul(trees)), largest }
    }
}

impl EnsembleRequest {
    /// The sizes within which there is an ensemble, if there is any. Every leaf
    /// of a useful tree holds an item, and equal items share a leaf.
    pub fn allowed(&self, table: &Table) -> Sizes {
        let useful = (table.groups as u32).saturating_sub(1);
        let each = Limits { depth: self.depth, size: self.size, min_samples_leaf: 1 }.normalised();
        let largest = useful.min(each.size).min(self.total);
        Sizes { total: largest.saturating_mul(self.trees).min(self.total), largest }
    }

    /// The depths of ensembles of the sizes above: a tree is at most as deep as it
    /// has nodes.
    pub fn allowed_depths(&self, table: &Table) -> Depths {
        let Sizes { total, largest } = self.allowed(table);
        let largest = largest.min(self.depth);
        Depths { total: largest.saturating_mul(self.trees).min(total), largest }
    }

    /// Whether there are limits on single leaves.
    pub fn limits_leaves(&self) -> bool {
        self.min_samples_leaf > 1 || !self.leaves.is_empty()
    }

    /// The greatest total size that an ensemble of minimum total size, or of fewest
    /// errors, may have: one tree with leaves whose classes are spread as evenly
    /// as possible, later classes first, votes as the tree does alone, so that
    /// only limits on a single tree or leaf can call for more.
    pub fn greatest_total(&self, table: &Table) -> u32 {
        let Sizes { total, largest } = self.allowed(table);
        let free = (self.size == u32::MAX || largest < self.size) && self.depth == u32::MAX;
        if free && !self.limits_leaves() { total.min(largest) } else { total }
    }

    /// Whether an ensemble is within the limits on sizes, depth and leaves.
    pub fn keeps(&self, table: &Table, ensemble: &Ensemble) -> bool {
        let Sizes { total, largest } = sizes(ensemble);
        let shallow = ensemble.iter().all(|tree| tree.depth() <= self.depth);
        let leaves = || ensemble.iter().all(|tree| self.keeps_leaves(table, tree));
        total <= self.total && largest <= self.size && shallow && leaves()
    }

    fn keeps_leaves(&self, table: &Table, tree: &Tree) -> bool {
        if !self.limits_leaves() {
            return true;
        }
        let items: Vec<usize> = (0..table.items.len()).collect();
        let mut held = Vec::new();
        rows_of_leaves(table, tree, items, &mut held);
        let few = |(class, maximum): (usize, &u32)| {
            let of_class = held.iter().filter(|(predicted, _)| *predicted as usize == class);
            of_class.count() <= *maximum as usize
        };
        held.iter().all(|(_, rows)| *rows >= self.min_samples_leaf)
            && self.leaves.iter().enumerate().all(few)
    }
}

/// By leaf, the class that it predicts and the rows that it holds.
fn rows_of_leaves(table: &Table, tree: &Tree, items: Vec<usize>, held: &mut Vec<(u32, u64)>) {
    match tree {
        Tree::Leaf { class } => {
            held.push((*class, items.iter().map(|&item| table.items[item].rows).sum()));
        }
        Tree::Node { feature, rank, left, right } => {
            let ranks = &table.features[*feature as usize].ranks;
            let (lefts, rights) = items.into_iter().partition(|&item| ranks[item] <= *rank);
            rows_of_leaves(table, left, lefts, held);
            rows_of_leaves(table, right, rights, held);
        }
    }
}

/// The outcome of a search, whether it finished or was stopped.
#[derive(Clone, Debug)]
pub struct EnsembleOutcome {
    pub status: Status,
    pub ensemble: Option<Ensemble>,
    /// By quantity, in the requested order.
    pub lower_bound: Vec<Cost>,
    pub stopped_by: Option<StoppedBy>,
}

/// The sizes of an ensemble.
pub fn sizes(ensemble: &Ensemble) -> Sizes {
    let each = ensemble.iter().map(|tree| tree.size());
    Sizes { total: each.clone().sum(), largest: each.max().unwrap_or(0) }
}

/// The depths of an ensemble.
pub fn depths(ensemble: &Ensemble) -> Depths {
    let each = ensemble.iter().map(|tree| tree.depth());
    Depths { total: each.clone().sum(), largest: each.max().unwrap_or(0) }
}

/// The value of one quantity of an ensemble.
pub fn value_of(table: &Table, ensemble: &Ensemble, quantity: EnsembleQuantity) -> Cost {
    match quantity {
        EnsembleQuantity::TotalDepth => depths(ensemble).total.into(),
        EnsembleQuantity::LargestDepth => depths(ensemble).largest.into(),
        EnsembleQuantity::Total => sizes(ensemble).total.into(),
        EnsembleQuantity::Largest => sizes(ensemble).largest.into(),
        EnsembleQuantity::Errors => ensemble_errors(table, ensemble),
    }
}

/// Whether the incumbent is within the gap at which a search may stop.
pub fn near_enough(stop_at_gap: f64, known: Option<Cost>, lower: Cost) -> bool {
    // Only used to decide when to stop; proofs use exact numbers.
    let gap = |known: Cost| (known - lower) as f64 / known as f64;
    stop_at_gap > 0.0 && known.is_some_and(|known| known > lower && gap(known) <= stop_at_gap)
}

/// A tree with leaves that let it decide every vote: classes as even as possible, later ones first.
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
