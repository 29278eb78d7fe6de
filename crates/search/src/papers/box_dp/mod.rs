//! Smallest trees without errors by dynamic programming over boxes: the fast
//! form of `spec/box.py`.
//!
//! Kobourov et al., AAAI 2023, Theorem 3.1, for any number of classes, in
//! O(D_max^(2d) · d · n) time: the subset of every node is the items of a box, and
//! T[u, v] is the minimum size of a tree for the items in box(u, v). A box of one
//! class needs no node; any other box is divided into two by a split of some feature.
//!
//! `grid.rs` numbers the boxes so that those inside a box come before it,
//! `fill.rs` has the recurrence and its accelerators, `tree.rs` reads the tree
//! from the table. No box needs fewer nodes than the boxes inside it, so the greatest entry so far
//! is a lower bound on the minimum size at any time.
//!
//! A table with contradictions has no such tree, which is checked before the table of boxes is
//! filled. A box takes four bytes; a table that would not fit in memory is refused, but long
//! searches are not.

#[cfg(test)]
mod differential;
mod fill;
mod grid;
mod request;
mod tree;

use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Outcome, Table, UNBOUNDED};

use fill::Boxes;
use grid::Grid;
pub use request::{BoxOptions, BoxRequest, BoxStats};

/// A smallest tree without errors or, if stopped, the incumbent and a lower bound. An error if the
/// table of boxes would not fit in memory. Costs are sizes.
pub fn box_dp(
    table: &Table,
    request: &BoxRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, BoxStats), Refusal> {
    let upper = u64::from(request.size) + 1;
    if table.contradictory_groups > 0 {
        return Ok((Outcome::of(None, upper, upper, None), BoxStats::default()));
    }
    let grid = Grid::new(table);
    refuse_large_table("Theorem 3.1", grid.boxes(), size_of::<u32>(), request.memory_limit)?;
    let start = || first_tree(table, 0, request.size, clock);
    let mut incumbent = request.options.incumbent.then(start).flatten();
    let first_incumbent = incumbent.as_ref().map(|(size, _)| *size);
    progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
    let mut boxes = Boxes::new(table, &grid, &request.options);
    let lower = boxes.fill(clock, progress);
    if boxes.complete() && incumbent.as_ref().is_none_or(|(size, _)| *size > lower) {
        incumbent =
            (lower <= u64::from(request.size)).then(|| (lower, boxes.tree(&grid.everything())));
    }
    let outcome = Outcome::of(incumbent, lower, upper, clock.stopped_by());
    let stats = BoxStats { first_incumbent, seconds: clock.seconds(), ..boxes.stats };
    Ok((outcome, stats))
}
