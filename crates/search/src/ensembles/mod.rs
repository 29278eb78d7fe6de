//! Outcomes of ensemble searches (size, depth or errors), common to all methods, and their request,
//! common to all but covers (`cover/request.rs`).

pub(crate) mod cover;
pub(crate) mod ensemble_dp;
pub(crate) mod witness_ensemble;

#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod simplify;

use exactree_model::{Cost, Errors, Limits, Status, StoppedBy, Table, Tree, Weight};
use std::sync::Arc;

/// Trees that vote. If several classes have the most votes, the first of them wins.
pub type Ensemble = Vec<Arc<Tree>>;

/// A quantity to minimize: the number of nodes of all trees or of the largest one, the sum of the
/// depths or the greatest depth, or the misclassified weight.
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

/// The quantities to minimize, and the limits.
#[derive(Clone, Debug)]
pub struct EnsembleRequest {
    pub trees: u32,
    /// The quantities to minimize, the most important first; no quantity occurs twice.
    pub quantities: Vec<EnsembleQuantity>,
    /// Greatest weight that may be misclassified.
    pub errors: Weight,
    /// Maximum number of nodes of a tree.
    pub size: u32,
    /// Maximum depth of a tree.
    pub depth: u32,
    /// Maximum number of nodes of all trees together.
    pub total: u32,
    /// Minimum number of input rows in every leaf of every tree, at least 1.
    pub min_samples_leaf: u64,
    /// By class, the maximum number of leaves of one tree that predict it: `u32::MAX` for no
    /// limit. Empty if no class is limited.
    pub leaves: Vec<u32>,
    /// Memory limit in bytes.
    pub memory_limit: Option<usize>,
    /// The witness search stops when the gap is at most this; 0 for a complete proof.
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
    /// These limits, with the total or the greatest depth (as `quantity` says) at most `value`.
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

    /// Limits on the sizes of ensembles within these depths: a tree of depth d has at most 2^d - 1
    /// nodes, and for a given total depth the number of nodes is greatest if as few trees as
    /// possible share it, because 2^d is convex.
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
    /// Sizes that suffice: if any ensemble meets the request, an ensemble within these sizes does.
    /// Every leaf of a useful tree holds an item, and equal items share a leaf.
    pub fn allowed(&self, table: &Table) -> Sizes {
        let useful = (table.groups as u32).saturating_sub(1);
        let each = Limits { depth: self.depth, size: self.size, min_samples_leaf: 1 }.normalised();
        let largest = useful.min(each.size).min(self.total);
        Sizes { total: largest.saturating_mul(self.trees).min(self.total), largest }
    }

    /// Depths that suffice for ensembles of these sizes: the depth of a tree is at most its
    /// number of nodes.
    pub fn allowed_depths(&self, table: &Table) -> Depths {
        let Sizes { total, largest } = self.allowed(table);
        let largest = largest.min(self.depth);
        Depths { total: largest.saturating_mul(self.trees).min(total), largest }
    }

    /// Whether there are limits on single leaves.
    pub fn limits_leaves(&self) -> bool {
        self.min_samples_leaf > 1 || !self.leaves.is_empty()
    }

    /// An upper bound on the total size that a minimum total size or fewest errors require. One
    /// tree with leaves whose votes cancel out (`decided_by_one_tree`) predicts as the tree alone,
    /// so only limits on a single tree or leaf can require more.
    pub fn max_total_size(&self, table: &Table) -> u32 {
        let Sizes { total, largest } = self.allowed(table);
        let unlimited = (self.size == u32::MAX || largest < self.size) && self.depth == u32::MAX;
        if unlimited && !self.limits_leaves() { total.min(largest) } else { total }
    }

    /// Whether an ensemble is within the limits on sizes, depth and leaves.
    pub fn permits(&self, table: &Table, ensemble: &Ensemble) -> bool {
        let Sizes { total, largest } = sizes(ensemble);
        let shallow = ensemble.iter().all(|tree| tree.depth() <= self.depth);
        let leaves = || ensemble.iter().all(|tree| self.permits_leaves(table, tree));
        total <= self.total && largest <= self.size && shallow && leaves()
    }

    /// Whether a tree is within the limits on leaves.
    fn permits_leaves(&self, table: &Table, tree: &Tree) -> bool {
        if !self.limits_leaves() {
            return true;
        }
        let items: Vec<usize> = (0..table.items.len()).collect();
        let mut leaves = Vec::new();
        rows_of_leaves(table, tree, items, &mut leaves);
        let within_maximum = |(class, maximum): (usize, &u32)| {
            let of_class = leaves.iter().filter(|(predicted, _)| *predicted as usize == class);
            of_class.count() <= *maximum as usize
        };
        leaves.iter().all(|(_, rows)| *rows >= self.min_samples_leaf)
            && self.leaves.iter().enumerate().all(within_maximum)
    }
}

/// Appends the predicted class and the number of rows of every leaf.
fn rows_of_leaves(table: &Table, tree: &Tree, items: Vec<usize>, leaves: &mut Vec<(u32, u64)>) {
    match tree {
        Tree::Leaf { class } => {
            leaves.push((*class, items.iter().map(|&item| table.items[item].rows).sum()));
        }
        Tree::Node { feature, rank, left, right } => {
            let ranks = &table.features[*feature as usize].ranks;
            let (lefts, rights) = items.into_iter().partition(|&item| ranks[item] <= *rank);
            rows_of_leaves(table, left, lefts, leaves);
            rows_of_leaves(table, right, rights, leaves);
        }
    }
}

/// The outcome of a search, whether it finished or was stopped.
#[derive(Clone, Debug)]
pub struct EnsembleOutcome {
    pub status: Status,
    pub ensemble: Option<Ensemble>,
    /// A lower bound for each quantity, in the requested order.
    pub lower_bound: Vec<Cost>,
    pub stopped_by: Option<StoppedBy>,
}

/// The total size and the size of the largest tree.
pub(crate) fn sizes(ensemble: &Ensemble) -> Sizes {
    let each = ensemble.iter().map(|tree| tree.size());
    Sizes { total: each.clone().sum(), largest: each.max().unwrap_or(0) }
}

/// The total depth and the depth of the deepest tree.
pub(crate) fn depths(ensemble: &Ensemble) -> Depths {
    let each = ensemble.iter().map(|tree| tree.depth());
    Depths { total: each.clone().sum(), largest: each.max().unwrap_or(0) }
}

/// The value of one quantity of an ensemble.
pub(crate) fn value_of(table: &Table, ensemble: &Ensemble, quantity: EnsembleQuantity) -> Cost {
    match quantity {
        EnsembleQuantity::TotalDepth => depths(ensemble).total.into(),
        EnsembleQuantity::LargestDepth => depths(ensemble).largest.into(),
        EnsembleQuantity::Total => sizes(ensemble).total.into(),
        EnsembleQuantity::Largest => sizes(ensemble).largest.into(),
        EnsembleQuantity::Errors => ensemble_errors(table, ensemble),
    }
}

/// An ensemble that predicts as one tree does. The other trees are leaves whose votes cancel out:
/// the classes occur as evenly as possible, and the extra votes go to the last classes, which lose
/// ties.
pub(crate) fn decided_by_one_tree(tree: Arc<Tree>, trees: u32, classes: u32) -> Ensemble {
    let leaves = (0..trees - 1).map(|place| Tree::leaf(classes - 1 - place % classes));
    std::iter::once(tree).chain(leaves).collect()
}

/// Weight that an ensemble misclassifies.
pub(crate) fn ensemble_errors(table: &Table, ensemble: &[Arc<Tree>]) -> Weight {
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
