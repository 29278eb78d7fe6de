//! The ensemble to start with: one tree that decides alone, then trees chosen
//! anew one at a time.
//!
//! Given the other trees, one tree only matters for the items that are right if
//! it votes for their class and wrong if it votes otherwise. The smallest tree
//! for these is a question to `least_size`. Choosing tree after tree anew never
//! makes the ensemble larger; it starts from every rule of the table as the last
//! tree. All this is found out by counting, so that the same call always
//! starts from the same ensemble.

use crate::ensembles::{Ensemble, EnsembleRequest, Quantity, alone, ensemble_errors, sizes};
use crate::first_tree::first_tree;
use crate::least_size::{SizeRequest, least_size};
use crate::limits::Clock;
use crate::options::{Options, SizeOptions};
use crate::solve::{Request, solve};
use crate::tracer::Progress;
use exactree_model::{Errors, Limits, Table, Tree, Weight};
use std::sync::Arc;

/// Nodes up to which the smallest single tree is looked for: that takes a
/// moment, beyond it may take long.
const NODES: u32 = 9;

/// Errors up to which the smallest tree is a question to `least_size`, which
/// tries every share of them among two sides. With more, sizes are tried from
/// none upwards by the search for fewest errors, and no tree is chosen anew.
const SHARED_ERRORS: Weight = 16;

/// Nodes up to which sizes are tried upwards.
const TRIED_NODES: u32 = 4;

/// Nodes up to which a tree is chosen anew.
const CHOSEN_NODES: u32 = 6;

/// Parts that the searches for trees may look at, together.
const WORK: u64 = 200_000;

/// The greedy tree alone, if it is within the limits.
pub fn greedy(table: &Table, request: &EnsembleRequest, clock: &Clock<'_>) -> Option<Ensemble> {
    let most = request.size.min(request.total);
    let tree = first_tree(table, request.errors, most, clock)?.1;
    Some(alone(tree, request.trees, table.n_classes as u32))
}

/// A smaller ensemble within the limits than the greedy one, or that.
pub fn improve(
    table: &Table,
    request: &EnsembleRequest,
    greedy: Option<Ensemble>,
    clock: &Clock<'_>,
) -> Option<Ensemble> {
    let most = request.size.min(request.total);
    let smaller = greedy.as_ref().map_or(most, |greedy| sizes(greedy).total.saturating_sub(1));
    let shared = request.errors <= SHARED_ERRORS;
    let found = match shared {
        true => smallest(table, request, request.errors, smaller.min(NODES), clock).0,
        false => upwards(table, request, smaller.min(TRIED_NODES), clock),
    };
    let found = found.map(|tree| alone(tree, request.trees, table.n_classes as u32));
    let first = found.or(greedy)?;
    if !shared {
        return Some(first);
    }
    let mut local = Local { table, request, clock, best: first.clone(), work: WORK };
    local.start_from(first.clone());
    for feature in 0..table.features.len() as u32 {
        for rank in 0..table.features[feature as usize].values.len() as u32 - 1 {
            for classes in two_classes(table.n_classes as u32) {
                if local.work == 0 || clock.stopped() {
                    return Some(local.best);
                }
                let mut ensemble = first.clone();
                let sides = classes.map(Tree::leaf);
                let [left, right] = sides;
                ensemble[request.trees as usize - 1] = Tree::node(feature, rank, left, right);
                local.start_from(ensemble);
            }
        }
    }
    Some(local.best)
}

/// All pairs of different classes.
fn two_classes(classes: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..classes).flat_map(move |a| (0..classes).filter(move |&b| b != a).map(move |b| [a, b]))
}

struct Local<'a> {
    table: &'a Table,
    request: &'a EnsembleRequest,
    clock: &'a Clock<'a>,
    best: Ensemble,
    work: u64,
}

impl Local<'_> {
    /// Chooses trees anew from the last one to the first, again and again while
    /// that makes the ensemble smaller.
    fn start_from(&mut self, mut ensemble: Ensemble) {
        let mut before = (u32::MAX, u32::MAX);
        loop {
            for tree in (0..ensemble.len()).rev() {
                // Another tree that votes alike helps nothing; the first round has
                // to repair what the start has broken.
                if let Some(chosen) = self.chosen_anew(&ensemble, tree) {
                    ensemble[tree] = chosen;
                }
            }
            let right = ensemble_errors(self.table, &ensemble) <= self.request.errors;
            if !right || !self.request.keeps(&ensemble) || self.rank(&ensemble) >= before {
                return;
            }
            before = self.rank(&ensemble);
            if before < self.rank(&self.best) {
                self.best = ensemble.clone();
            }
        }
    }

    /// What is minimized of an ensemble, in order.
    fn rank(&self, ensemble: &Ensemble) -> (u32, u32) {
        let sizes = sizes(ensemble);
        match self.request.quantities[0] {
            Quantity::Total => (sizes.total, sizes.largest),
            Quantity::Largest => (sizes.largest, sizes.total),
        }
    }

    /// The smallest tree that does in place of one tree, if it is found.
    fn chosen_anew(&mut self, ensemble: &Ensemble, tree: usize) -> Option<Arc<Tree>> {
        let (decided, wrong) = self.decided_by(ensemble, tree);
        let allowed = self.request.errors.checked_sub(wrong)?;
        let most = CHOSEN_NODES.min(self.request.size);
        let part = Part::new(self.table, &decided);
        let (found, work) = smallest(&part.table, self.request, allowed, most, self.clock);
        self.work = self.work.saturating_sub(work + 1);
        found.map(|found| part.lifted(&found))
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
struct Part {
    table: Table,
}

impl Part {
    fn new(table: &Table, items: &[usize]) -> Self {
        let column = |feature: &exactree_model::Feature| {
            items.iter().map(|&item| f64::from(feature.ranks[item])).collect()
        };
        let columns: Vec<Vec<f64>> = table.features.iter().map(column).collect();
        let labels: Vec<u32> = items.iter().map(|&item| table.items[item].class).collect();
        let weights: Vec<Weight> = items.iter().map(|&item| table.items[item].weight).collect();
        Part { table: Table::new(&columns, &labels, &weights, table.n_classes) }
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

/// The smallest tree of at most `most` nodes within some errors, if there is
/// one, and the parts looked at.
fn smallest(
    table: &Table,
    request: &EnsembleRequest,
    errors: Weight,
    most: u32,
    clock: &Clock<'_>,
) -> (Option<Arc<Tree>>, u64) {
    if table.items.is_empty() {
        return (Some(Tree::leaf(0)), 0);
    }
    let asked = SizeRequest {
        depth: u32::MAX,
        errors,
        size: most,
        leaves: Vec::new(),
        memory_limit: request.memory_limit,
        // The greedy tree may be larger than the smallest, and is not asked for. The bound of
        // unlike pairs would cost more than the few nodes that it saves in so many searches.
        options: SizeOptions { size_incumbent: false, pair_bound: false, ..SizeOptions::default() },
    };
    let (outcome, stats) = least_size(table, &asked, clock, &Progress::default());
    (outcome.tree, stats.nodes)
}

/// The smallest tree of at most `most` nodes within the errors asked for, if
/// there is one: of each size the tree of fewest errors.
fn upwards(
    table: &Table,
    request: &EnsembleRequest,
    most: u32,
    clock: &Clock<'_>,
) -> Option<Arc<Tree>> {
    (0..=most).take_while(|_| !clock.stopped()).find_map(|size| {
        let asked = Request {
            objective: Errors { error_price: 1, leaf_price: 0 },
            limits: Limits { depth: u32::MAX, size, min_rows: 1 },
            below: request.errors + 1,
            memory_limit: request.memory_limit,
            stop_at_gap: 0.0,
        };
        solve(table, &asked, &Options::default(), *clock, &Progress::default()).outcome.tree
    })
}
