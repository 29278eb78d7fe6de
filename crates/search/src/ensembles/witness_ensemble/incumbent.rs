//! The first incumbent: one tree that decides alone, then local search that replaces one tree at a
//! time.
//!
//! Given the other trees, one tree only matters for the items that are right if it votes for their
//! class and wrong if it votes otherwise. The smallest tree for these is a subproblem of
//! `minimum_size`, that of fewest errors a subproblem of the engine (`one_tree.rs`). Replacing one
//! tree after the other never makes the ensemble worse; the local search starts with a rule of the
//! table as last tree. Its effort is limited by counts, not by time, so that the same call always
//! starts from the same ensemble.

use super::one_tree::{min_errors, small, smallest, upwards};
use crate::engine::greedy_tree::complete_tree;
use crate::engine::solve::greedy_tree;
use crate::ensembles::{
    Ensemble, EnsembleQuantity, EnsembleRequest, alone, ensemble_errors, sizes, value_of,
};
use crate::support::clock::Clock;
use exactree_model::{Cost, Errors, Limits, Table, Tree, Weight};
use std::sync::Arc;

/// Errors up to which the smallest tree is a subproblem of `minimum_size`, which tries every
/// division of them among two children. With more, sizes are tried upwards from zero by the search
/// for fewest errors, and no tree is replaced.
const SHARED_ERRORS: Weight = 16;

/// Nodes up to which sizes are tried upwards.
const TRIED_NODES: u32 = 4;

/// Size limit of replacement trees, if errors are minimized.
const CHOSEN_NODES: u32 = 6;
const FEW_NODES: u32 = 3;

/// Number of subsets that the searches for trees may visit in total.
const WORK: u64 = 200_000;

/// Where errors are minimized no subset is small: items of subsets, times features.
const WORK_ON_ERRORS: u64 = 10_000_000;

/// Rules that errors are minimized from, about.
const RULES: usize = 64;

/// The greedy tree alone, if it is within the limits.
pub fn greedy(table: &Table, request: &EnsembleRequest, clock: &Clock<'_>) -> Option<Ensemble> {
    if table.rows < request.min_samples_leaf {
        return None;
    }
    let maximum = request.size.min(request.total);
    // Where sizes are minimized a tree that is cut off makes too many errors.
    let (errors, tree) = if errors_first(request) || request.min_samples_leaf > 1 {
        let size = if errors_first(request) { maximum } else { u32::MAX };
        let limits =
            Limits { depth: request.depth, size, min_samples_leaf: request.min_samples_leaf };
        greedy_tree(table, limits, clock)
    } else {
        complete_tree(table, request.depth, request.errors, clock)
    };
    let within = errors <= request.errors && tree.size() <= maximum;
    let found = within.then(|| alone(tree, request.trees, table.n_classes as u32));
    found.filter(|found| request.keeps(table, found))
}

fn errors_first(request: &EnsembleRequest) -> bool {
    request.quantities[0] == EnsembleQuantity::Errors
}

/// An ensemble within the limits that is better than the known one; otherwise the known one.
pub fn improve(
    table: &Table,
    request: &EnsembleRequest,
    known: Option<Ensemble>,
    clock: &Clock<'_>,
) -> Option<Ensemble> {
    if table.rows < request.min_samples_leaf {
        return None;
    }
    let maximum = request.size.min(request.total);
    let shared = request.errors <= SHARED_ERRORS || errors_first(request);
    let found = if errors_first(request) {
        let fewest = min_errors(table, request, maximum.min(TRIED_NODES), clock);
        fewest.map(|(tree, _)| tree)
    } else if shared {
        small(table, request, maximum, clock)
    } else {
        upwards(table, request, maximum.min(TRIED_NODES), clock)
    };
    let found = found.map(|tree| alone(tree, request.trees, table.n_classes as u32));
    let first = better(table, request, found, known)?;
    if !shared {
        return Some(first);
    }
    let work = if errors_first(request) { WORK_ON_ERRORS } else { WORK };
    // The examples that one tree decides are fewer than its leaves hold.
    let free = EnsembleRequest { min_samples_leaf: 1, leaves: Vec::new(), ..request.clone() };
    let mut local = LocalSearch { table, request, free, clock, best: first.clone(), work };
    local.start_from(first.clone());
    for (feature, rank) in rules_to_start_from(table, request) {
        for classes in two_classes(table.n_classes as u32) {
            if local.work == 0 || clock.stopped() {
                return Some(local.best);
            }
            let mut ensemble = first.clone();
            let children = classes.map(Tree::leaf);
            let [left, right] = children;
            ensemble[request.trees as usize - 1] = Tree::node(feature, rank, left, right);
            local.start_from(ensemble);
        }
    }
    Some(local.best)
}

/// The better one of two ensembles that is within the limits and makes few enough
/// errors.
fn better(
    table: &Table,
    request: &EnsembleRequest,
    found: Option<Ensemble>,
    other: Option<Ensemble>,
) -> Option<Ensemble> {
    let first = request.quantities[0];
    let few = |found: &Ensemble| {
        request.keeps(table, found) && ensemble_errors(table, found) <= request.errors
    };
    found.into_iter().chain(other).filter(few).min_by_key(|found| value_of(table, found, first))
}

/// All rules, or where errors are minimized some of them, over all features.
fn rules_to_start_from(table: &Table, request: &EnsembleRequest) -> Vec<(u32, u32)> {
    let of_feature = |(at, feature): (usize, &exactree_model::Feature)| {
        (0..feature.values.len() as u32 - 1).map(move |rank| (at as u32, rank))
    };
    let all: Vec<(u32, u32)> = table.features.iter().enumerate().flat_map(of_feature).collect();
    let step = if errors_first(request) { all.len().div_ceil(RULES).max(1) } else { 1 };
    all.into_iter().step_by(step).collect()
}

/// All pairs of different classes.
fn two_classes(classes: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..classes).flat_map(move |a| (0..classes).filter(move |&b| b != a).map(move |b| [a, b]))
}

struct LocalSearch<'a> {
    table: &'a Table,
    request: &'a EnsembleRequest,
    /// The same without limits on leaves.
    free: EnsembleRequest,
    clock: &'a Clock<'a>,
    best: Ensemble,
    work: u64,
}

impl LocalSearch<'_> {
    /// Replaces trees from the last one to the first, repeatedly while that makes the ensemble
    /// smaller.
    fn start_from(&mut self, mut ensemble: Ensemble) {
        let mut before = (Cost::MAX, Cost::MAX);
        loop {
            for tree in (0..ensemble.len()).rev() {
                // A tree with the same votes does not help; the first round must repair the errors
                // of the start.
                if let Some(chosen) = self.chosen_anew(&ensemble, tree) {
                    ensemble[tree] = chosen;
                }
            }
            let right = ensemble_errors(self.table, &ensemble) <= self.request.errors;
            if !right
                || !self.request.keeps(self.table, &ensemble)
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

    /// The best tree in place of one tree, if it is found.
    fn chosen_anew(&mut self, ensemble: &Ensemble, tree: usize) -> Option<Arc<Tree>> {
        let (decided, wrong) = self.decided_by(ensemble, tree);
        let subset = ItemsTable::new(self.table, &decided);
        let (found, work) = if errors_first(self.request) {
            let others = sizes(ensemble).total - ensemble[tree].size();
            let maximum = self.request.total.checked_sub(others)?.min(self.request.size);
            let found = min_errors(&subset.table, &self.free, maximum.min(FEW_NODES), self.clock);
            let (found, nodes) = found.unzip();
            // Work of about this size is done once even for no node.
            let each = (decided.len() * self.table.features.len()) as u64;
            (found, (nodes.unwrap_or(0) + 1) * each)
        } else {
            let allowed = self.request.errors.checked_sub(wrong)?;
            let maximum = CHOSEN_NODES.min(self.request.size);
            smallest(&subset.table, &self.free, allowed, maximum, self.clock)
        };
        self.work = self.work.saturating_sub(work + 1);
        found.map(|found| subset.lifted(&found))
    }

    /// The items that one tree decides about, and the weight of those that are
    /// wrong however it votes.
    fn decided_by(&self, ensemble: &Ensemble, tree: usize) -> (Vec<usize>, Weight) {
        let (mut decided, mut wrong) = (Vec::new(), 0);
        for (at, item) in self.table.items.iter().enumerate() {
            let mut votes = vec![0; self.table.n_classes];
            for other in (0..ensemble.len()).filter(|&other| other != tree) {
                let rank_of = |feature: u32| self.table.features[feature as usize].ranks[at];
                votes[ensemble[other].predict(rank_of) as usize] += 1;
            }
            let mut right_with = |class: usize| {
                votes[class] += 1;
                let right = Errors::leaf_class(&votes) == item.class;
                votes[class] -= 1;
                right
            };
            if !right_with(item.class as usize) {
                wrong += item.weight;
            } else if !(0..self.table.n_classes).all(right_with) {
                decided.push(at);
            }
        }
        (decided, wrong)
    }
}

/// Some items as a table of their own; its features are those that vary.
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

    /// The tree with the features and ranks of the whole table: here values are
    /// ranks.
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
