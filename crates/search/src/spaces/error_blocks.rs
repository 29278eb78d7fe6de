//! Blocks of a table for plain errors; `engine/block_bound.rs` has the argument.

#[cfg(test)]
mod differential;

use crate::engine::block_bound::{BlockProblem, SolvedBlock};
use crate::engine::request::{Request, SearchOutcome};
use crate::engine::solution::CostedTree;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Status, Table, Tree};

/// The search of a table.
pub(crate) type SolveTable<'a> =
    dyn Fn(&Table, &Request, &Options, Clock<'_>, &Progress) -> SearchOutcome + Sync + 'a;

/// The cache of a block has the memory limit divided by this.
pub(crate) const MEMORY_DIVISOR: usize = 8;

/// A problem of plain errors whose blocks are solved.
pub(crate) struct ErrorBlocks<'a> {
    table: &'a Table,
    request: &'a Request,
    options: Options,
    solve: &'a SolveTable<'a>,
}

impl<'a> ErrorBlocks<'a> {
    /// `None` if shallow trees are searched fast, or if the switch is off.
    pub(crate) fn of(
        table: &'a Table,
        request: &'a Request,
        options: &Options,
        solve: &'a SolveTable<'a>,
    ) -> Option<Self> {
        (options.block_bound && request.limits.depth > 2)
            .then(|| ErrorBlocks::new(table, request, options, solve))
    }

    /// The same whatever the switch and the depth.
    fn new(
        table: &'a Table,
        request: &'a Request,
        options: &Options,
        solve: &'a SolveTable<'a>,
    ) -> Self {
        let options = Options { block_bound: false, ..options.clone() };
        ErrorBlocks { table, request, options, solve }
    }

    /// A tree of a block for items of the table, with the classes of its leaves chosen anew and without
    /// nodes that lower no cost; `None` if it has too small a leaf.
    fn refitted(&self, block: &Table, items: Vec<u32>, tree: &Tree) -> Option<CostedTree> {
        let (mut weights, mut rows) = (vec![0; self.table.n_classes], 0);
        for item in items.iter().map(|&item| &self.table.items[item as usize]) {
            weights[item.class as usize] += item.weight;
            rows += item.rows;
        }
        let leaf = (
            self.request.objective.leaf(Errors::leaf_errors(&weights)),
            Tree::leaf(Errors::leaf_class(&weights)),
        );
        let leaf = Some(leaf).filter(|_| rows >= self.request.limits.min_samples_leaf);
        let Tree::Node { feature, rank, left, right } = tree else { return leaf };
        let (at, rank) = self.table.rule_of_part(block, *feature, *rank)?;
        let whole = &self.table.features[at as usize];
        let (on_left, on_right): (Vec<u32>, Vec<u32>) =
            items.into_iter().partition(|&item| whole.ranks[item as usize] <= rank);
        let left = self.refitted(block, on_left, left);
        let right = self.refitted(block, on_right, right);
        let node = left.zip(right).map(|((left_cost, left), (right_cost, right))| {
            let cost = self.request.objective.join(left_cost, right_cost);
            (cost, Tree::node(at, rank, left, right))
        });
        leaf.into_iter().chain(node).min_by_key(|(cost, _)| *cost)
    }
}

impl BlockProblem for ErrorBlocks<'_> {
    fn table(&self) -> &Table {
        self.table
    }

    fn proves_shares(&self) -> bool {
        true
    }

    fn solve(&self, level: u32, items: &[u32], enough: Cost, clock: &Clock<'_>) -> SolvedBlock {
        let Errors { error_price, leaf_price } = self.request.objective;
        let leaf_price = (leaf_price >> level) + offset(Mutant::BlockBound) * leaf_price;
        let request = Request {
            objective: Errors { error_price, leaf_price },
            limits: Limits { min_samples_leaf: 1, ..self.request.limits },
            below: enough,
            memory_limit: self.request.memory_limit.map(|bytes| bytes / MEMORY_DIVISOR),
            stop_at_gap: 0.0,
            threads: 1,
        };
        let block = self.table.part(items);
        let progress = Progress::default();
        let found = (self.solve)(&block, &request, &self.options, *clock, &progress).outcome;
        let tree = found.tree.filter(|_| self.is_tried(items));
        let everything = || (0..self.table.items.len() as u32).collect();
        let tree = tree.and_then(|tree| self.refitted(&block, everything(), &tree));
        let below = |(cost, _): &CostedTree| *cost < self.request.below;
        let is_solved = found.status == Status::Optimal || found.lower_bound >= enough;
        SolvedBlock { bound: found.lower_bound, is_solved, tree: tree.filter(below) }
    }
}
