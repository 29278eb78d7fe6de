//! The first incumbent: one tree and leaves whose votes cancel out, improved by local search,
//! which replaces one tree at a time.
//!
//! Given the other trees, one tree *decides* an item if the ensemble classifies it correctly when
//! the tree votes for its class, and incorrectly when it votes for some other class. The smallest
//! tree for the items that it decides is a subproblem of `minimum_size`, the one with fewest errors
//! a subproblem of the engine (`one_tree.rs`). A replacement never makes the ensemble worse. The
//! local search is repeated from several starts: in each the last tree is a stump of another rule
//! of the table. Its effort is limited by counts, not by time, so that the same call always starts
//! from the same ensemble.

use super::one_tree::{min_errors, small_tree, smallest, smallest_by_size};
use crate::ensembles::{
    Ensemble, EnsembleQuantity, EnsembleRequest, decided_by_one_tree, ensemble_errors, sizes,
    value_of,
};
use crate::spaces::greedy_tree::complete_tree;
use crate::spaces::solve::greedy_tree;
use crate::support::clock::Clock;
use exactree_model::{Cost, Errors, Limits, Table, Tree, Weight};
use std::sync::Arc;

/// Maximum errors for which the smallest tree is a subproblem of `minimum_size`, which tries every
/// division of the errors between two children. With more errors, the search for fewest errors
/// tries sizes from zero up, and no tree is replaced.
const MAX_DIVIDED_ERRORS: Weight = 16;

/// Maximum size that the search for fewest errors tries.
const MAX_TRIED_NODES: u32 = 4;

/// Maximum size of replacement trees if sizes or depths are minimized, and if errors are minimized.
const MAX_REPLACEMENT_NODES: u32 = 6;
const MAX_REPLACEMENT_NODES_FOR_ERRORS: u32 = 3;

/// Maximum number of subsets that all searches for replacements may visit together.
const MAX_WORK: u64 = 200_000;

/// Maximum effort of these searches if errors are minimized: subsets are large then, so the sum of
/// their items times features is limited.
const MAX_WORK_FOR_ERRORS: u64 = 10_000_000;

/// Approximate number of rules to start from if errors are minimized.
const MAX_START_RULES: usize = 64;

/// One greedy tree and leaves whose votes cancel out, if it is within the limits.
pub(crate) fn greedy(
    table: &Table,
    request: &EnsembleRequest,
    clock: &Clock<'_>,
) -> Option<Ensemble> {
    if table.rows < request.min_samples_leaf {
        return None;
    }
    let maximum = request.size.min(request.total);
    // If sizes are minimized, a greedy tree cut off at a size limit would make too many errors.
    let (errors, tree) = if errors_first(request) || request.min_samples_leaf > 1 {
        let size = if errors_first(request) { maximum } else { u32::MAX };
        let limits =
            Limits { depth: request.depth, size, min_samples_leaf: request.min_samples_leaf };
        greedy_tree(table, limits, clock)
    } else {
        complete_tree(table, request.depth, request.errors, clock)
    };
    let within = errors <= request.errors && tree.size() <= maximum;
    let found = within.then(|| decided_by_one_tree(tree, request.trees, table.n_classes as u32));
    found.filter(|found| request.permits(table, found))
}

fn errors_first(request: &EnsembleRequest) -> bool {
    request.quantities[0] == EnsembleQuantity::Errors
}

/// The best ensemble within the limits among the given incumbent and the ensembles that local
/// search finds.
pub(crate) fn improve(
    table: &Table,
    request: &EnsembleRequest,
    incumbent: Option<Ensemble>,
    clock: &Clock<'_>,
) -> Option<Ensemble> {
    if table.rows < request.min_samples_leaf {
        return None;
    }
    let maximum = request.size.min(request.total);
    let replaces_trees = request.errors <= MAX_DIVIDED_ERRORS || errors_first(request);
    let found = if errors_first(request) {
        let fewest = min_errors(table, request, maximum.min(MAX_TRIED_NODES), clock);
        fewest.map(|(tree, _)| tree)
    } else if replaces_trees {
        small_tree(table, request, maximum, clock)
    } else {
        smallest_by_size(table, request, maximum.min(MAX_TRIED_NODES), clock)
    };
    let found = found.map(|tree| decided_by_one_tree(tree, request.trees, table.n_classes as u32));
    let first = better(table, request, found, incumbent)?;
    if !replaces_trees {
        return Some(first);
    }
    let work = if errors_first(request) { MAX_WORK_FOR_ERRORS } else { MAX_WORK };
    // A leaf may also have rows that the tree does not decide, so the decided rows of a leaf may be
    // fewer than the minimum.
    let without_leaf_limits =
        EnsembleRequest { min_samples_leaf: 1, leaves: Vec::new(), ..request.clone() };
    let mut local =
        LocalSearch { table, request, without_leaf_limits, clock, best: first.clone(), work };
    local.start_from(first.clone());
    for (feature, rank) in rules_to_start_from(table, request) {
        for classes in two_classes(table.n_classes as u32) {
            if local.work == 0 || clock.stopped() {
                return Some(local.best);
            }
            let mut ensemble = first.clone();
            let [left, right] = classes.map(Tree::leaf);
            ensemble[request.trees as usize - 1] = Tree::node(feature, rank, left, right);
            local.start_from(ensemble);
        }
    }
    Some(local.best)
}

/// The better of two ensembles; an ensemble that is not within the limits does not count.
fn better(
    table: &Table,
    request: &EnsembleRequest,
    found: Option<Ensemble>,
    other: Option<Ensemble>,
) -> Option<Ensemble> {
    let first = request.quantities[0];
    let within_limits = |found: &Ensemble| {
        request.permits(table, found) && ensemble_errors(table, found) <= request.errors
    };
    found
        .into_iter()
        .chain(other)
        .filter(within_limits)
        .min_by_key(|found| value_of(table, found, first))
}

/// All rules or, if errors are minimized, some rules of all features.
fn rules_to_start_from(table: &Table, request: &EnsembleRequest) -> Vec<(u32, u32)> {
    let of_feature = |(at, feature): (usize, &exactree_model::Feature)| {
        (0..feature.values.len() as u32 - 1).map(move |rank| (at as u32, rank))
    };
    let all: Vec<(u32, u32)> = table.features.iter().enumerate().flat_map(of_feature).collect();
    let step = if errors_first(request) { all.len().div_ceil(MAX_START_RULES).max(1) } else { 1 };
    all.into_iter().step_by(step).collect()
}

/// All pairs of different classes.
fn two_classes(classes: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..classes).flat_map(move |a| (0..classes).filter(move |&b| b != a).map(move |b| [a, b]))
}

/// The state of the local search.
struct LocalSearch<'a> {
    table: &'a Table,
    request: &'a EnsembleRequest,
    /// The request without limits on leaves.
    without_leaf_limits: EnsembleRequest,
    clock: &'a Clock<'a>,
    best: Ensemble,
    /// The effort that is left.
    work: u64,
}

impl LocalSearch<'_> {
    /// Replaces trees, from the last to the first, again and again while the ensemble improves.
    fn start_from(&mut self, mut ensemble: Ensemble) {
        let mut before = (Cost::MAX, Cost::MAX);
        loop {
            for tree in (0..ensemble.len()).rev() {
                // The first round may merely repair the errors of the start; later rounds improve.
                if let Some(replacement) = self.best_replacement(&ensemble, tree) {
                    ensemble[tree] = replacement;
                }
            }
            let within_errors = ensemble_errors(self.table, &ensemble) <= self.request.errors;
            if !within_errors
                || !self.request.permits(self.table, &ensemble)
                || self.rank(&ensemble) >= before
            {
                return;
            }
            before = self.rank(&ensemble);
            if before < self.rank(&self.best) {
                self.best = ensemble.clone();
            }
        }
    }

    /// The minimized quantities of an ensemble, in order.
    fn rank(&self, ensemble: &Ensemble) -> (Cost, Cost) {
        let value = |quantity| value_of(self.table, ensemble, quantity);
        match self.request.quantities[0] {
            EnsembleQuantity::Total => {
                (value(EnsembleQuantity::Total), value(EnsembleQuantity::Largest))
            }
            EnsembleQuantity::Largest => {
                (value(EnsembleQuantity::Largest), value(EnsembleQuantity::Total))
            }
            EnsembleQuantity::TotalDepth => {
                (value(EnsembleQuantity::TotalDepth), value(EnsembleQuantity::Total))
            }
            EnsembleQuantity::LargestDepth => {
                (value(EnsembleQuantity::LargestDepth), value(EnsembleQuantity::Total))
            }
            EnsembleQuantity::Errors => {
                (value(EnsembleQuantity::Errors), value(EnsembleQuantity::Total))
            }
        }
    }

    /// The best replacement of a tree, if one is found.
    fn best_replacement(&mut self, ensemble: &Ensemble, tree: usize) -> Option<Arc<Tree>> {
        let (decided, wrong) = self.decided_by(ensemble, tree);
        let subset = ItemsTable::new(self.table, &decided);
        let (found, work) = if errors_first(self.request) {
            let others = sizes(ensemble).total - ensemble[tree].size();
            let maximum = self.request.total.checked_sub(others)?.min(self.request.size);
            let found = min_errors(
                &subset.table,
                &self.without_leaf_limits,
                maximum.min(MAX_REPLACEMENT_NODES_FOR_ERRORS),
                self.clock,
            );
            let (found, nodes) = found.unzip();
            // Even a search that visits no subset costs about this much work.
            let each = (decided.len() * self.table.features.len()) as u64;
            (found, (nodes.unwrap_or(0) + 1) * each)
        } else {
            let allowed = self.request.errors.checked_sub(wrong)?;
            let maximum = MAX_REPLACEMENT_NODES.min(self.request.size);
            smallest(&subset.table, &self.without_leaf_limits, allowed, maximum, self.clock)
        };
        self.work = self.work.saturating_sub(work + 1);
        found.map(|found| subset.lifted(&found))
    }

    /// The items that one tree decides, and the weight of the items that the ensemble misclassifies
    /// whatever its vote.
    fn decided_by(&self, ensemble: &Ensemble, tree: usize) -> (Vec<usize>, Weight) {
        let (mut decided, mut wrong) = (Vec::new(), 0);
        for (at, item) in self.table.items.iter().enumerate() {
            let mut votes = vec![0; self.table.n_classes];
            for other in (0..ensemble.len()).filter(|&other| other != tree) {
                let rank_of = |feature: u32| self.table.features[feature as usize].ranks[at];
                votes[ensemble[other].predict(rank_of) as usize] += 1;
            }
            let mut correct_with = |class: usize| {
                votes[class] += 1;
                let correct = Errors::leaf_class(&votes) == item.class;
                votes[class] -= 1;
                correct
            };
            if !correct_with(item.class as usize) {
                wrong += item.weight;
            } else if !(0..self.table.n_classes).all(correct_with) {
                decided.push(at);
            }
        }
        (decided, wrong)
    }
}

/// Some items as a table of their own, with the features that vary on them.
struct ItemsTable {
    table: Table,
}

impl ItemsTable {
    fn new(table: &Table, items: &[usize]) -> Self {
        let column = |feature: &exactree_model::Feature| {
            items.iter().map(|&item| f64::from(feature.ranks[item])).collect()
        };
        let columns: Vec<Vec<f64>> = table.features.iter().map(column).collect();
        let labels: Vec<u32> = items.iter().map(|&item| table.items[item].class).collect();
        let weights: Vec<Weight> = items.iter().map(|&item| table.items[item].weight).collect();
        ItemsTable { table: Table::new(&columns, &labels, &weights, table.n_classes) }
    }

    /// The tree with the features and ranks of the whole table; the values of this table are ranks
    /// of the whole table.
    fn lifted(&self, tree: &Tree) -> Arc<Tree> {
        match tree {
            Tree::Leaf { class } => Tree::leaf(*class),
            Tree::Node { feature, rank, left, right } => {
                let feature = &self.table.features[*feature as usize];
                let rank = feature.values[*rank as usize] as u32;
                let (left, right) = (self.lifted(left), self.lifted(right));
                Tree::node(feature.index, rank, left, right)
            }
        }
    }
}
