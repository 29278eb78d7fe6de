//! Smallest ensembles of two classes without errors, by covering.
//!
//! An ensemble is right when every item is classified by enough of its trees, so it is a cover:
//! every tree classifies a set of items, and every item lies in enough of the sets. Which sets a
//! tree of s nodes can classify is decided by `minimum_size/`; a set inside one that can be
//! classified can be classified, too. So of all trees of a size only those matter whose errors
//! contain no other tree's errors, and after all trees but one are placed, the last one is a single
//! decision: can it classify the items that may not get another wrong vote?
//!
//! `size_loop.rs` raises the value from a lower bound, `sizes.rs` lists the caps of the trees,
//! `placement.rs` places one tree after the other, smallest first, `error_sets.rs` lists the error
//! sets of trees of a size, `feasibility_cache.rs` decides and caches which sets can be classified,
//! `memory_budget.rs` limits the cache, `simplify.rs` builds the trees.
//!
//! With three or more classes wrong votes for different classes do not add up, so the number of
//! right votes does not decide; such tables need the witness search.

#[cfg(test)]
mod differential;
mod error_sets;
mod feasibility_cache;
mod memory_budget;
mod placement;
mod simplify;
mod size_loop;
mod sizes;
mod slack;

use crate::ensembles::{EnsembleOutcome, EnsembleQuantity, EnsembleRequest};
use crate::kernels::InstructionSet;
use crate::minimum_size::SizeTable;
use crate::support::clock::{Clock, Grace};
use crate::support::options::{CoverOptions, SizeOptions};
use crate::support::statistics::Progress;
use exactree_model::{Status, Table, Tree};

use size_loop::CoverSizeLoop;

/// What is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverQuantity {
    TotalSize,
    LargestSize,
    TotalDepth,
    LargestDepth,
}

impl CoverQuantity {
    /// Nodes of one tree that count: all, or those on its longest path.
    pub fn nodes(self, tree: &Tree) -> u32 {
        match self {
            CoverQuantity::TotalSize | CoverQuantity::LargestSize => tree.size(),
            CoverQuantity::TotalDepth | CoverQuantity::LargestDepth => tree.depth(),
        }
    }

    /// Whether the sum over the trees is minimized, or the greatest.
    pub fn total(self) -> bool {
        match self {
            CoverQuantity::TotalSize | CoverQuantity::TotalDepth => true,
            CoverQuantity::LargestSize | CoverQuantity::LargestDepth => false,
        }
    }
}

/// The request.
#[derive(Clone, Debug)]
pub struct CoverRequest {
    pub trees: u32,
    pub minimize: CoverQuantity,
    /// Of every tree; `u32::MAX` for no limit.
    pub size: u32,
    pub depth: u32,
    /// Sizes of all trees together, or depths if depths are minimized.
    pub total: u32,
    /// Soft limit on the bytes of the cache: half for single trees, half
    /// for the lists of error sets and the slacks.
    pub memory_limit: Option<usize>,
    /// Stop when the gap is at most this; 0 to prove all.
    pub stop_at_gap: f64,
    pub options: CoverOptions,
    /// Of the searches for single trees.
    pub size_options: SizeOptions,
}

impl CoverRequest {
    /// The same as a request for minimum sizes; none if depths are requested.
    fn by_size(&self) -> Option<EnsembleRequest> {
        let quantity = match self.minimize {
            CoverQuantity::TotalSize => EnsembleQuantity::Total,
            CoverQuantity::LargestSize => EnsembleQuantity::Largest,
            CoverQuantity::TotalDepth | CoverQuantity::LargestDepth => return None,
        };
        Some(EnsembleRequest {
            trees: self.trees,
            quantities: vec![quantity],
            errors: 0,
            size: self.size,
            depth: self.depth,
            total: self.total,
            min_samples_leaf: 1,
            leaves: Vec::new(),
            memory_limit: self.memory_limit,
            stop_at_gap: self.stop_at_gap,
        })
    }
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct CoverStats {
    /// Trees placed.
    pub placed: u64,
    /// Error sets listed.
    pub error_sets: u64,
    /// Error sets pruned because the next tree could not make up for them.
    pub next_tree_bound: u64,
    /// Subsets and slacks pruned because the required items are beyond the cap.
    pub required_items: u64,
    /// Error sets pruned because another is a subset.
    pub inclusion: u64,
    /// Placements met again.
    pub failed_states: u64,
    /// Decisions by a core, by a larger set, and by a search.
    pub by_core: u64,
    pub by_larger: u64,
    pub by_search: u64,
    /// Number of times a table was cleared because its bytes were used up.
    pub cache_resets: u64,
    /// Cost of the first incumbent.
    pub first_incumbent: Option<u32>,
    pub seconds: f64,
}

impl CoverStats {
    /// Name and count of everything.
    pub fn list(&self) -> [(&'static str, u64); 10] {
        [
            ("placed", self.placed),
            ("error_sets", self.error_sets),
            ("next_tree_bound", self.next_tree_bound),
            ("required_items", self.required_items),
            ("inclusion", self.inclusion),
            ("failed_states", self.failed_states),
            ("by_core", self.by_core),
            ("by_larger", self.by_larger),
            ("by_search", self.by_search),
            ("cache_resets", self.cache_resets),
        ]
    }
}

/// The best ensemble within the limits, or the best ensemble and lower bound within the time limit.
/// An error if the table is refused.
pub fn cover(
    table: &Table,
    request: &CoverRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(EnsembleOutcome, CoverStats), String> {
    if table.n_classes > 2 {
        let classes = table.n_classes;
        return Err(format!("Covering takes two classes, and there are {classes}."));
    }
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => {
                    let grace = Grace::of(clock, table.items.len(), table.features.len());
                    let prepared =
                        SizeTable::<$words>::prepare(&|| grace.is_over(), table, InstructionSet::detect(true));
                    let Some(prepared) = prepared else { return Ok(stopped(clock)) };
                    Ok(CoverSizeLoop::new(table, &prepared, request, clock).run(progress))
                })*
                _ => Err(too_many(table)),
            }
        };
    }
    by_width!(1, 2, 4, 16, 64)
}

/// The outcome if the table could not be prepared in time.
fn stopped(clock: &Clock<'_>) -> (EnsembleOutcome, CoverStats) {
    let outcome = EnsembleOutcome {
        status: Status::Stopped,
        ensemble: None,
        lower_bound: vec![0],
        stopped_by: clock.stopped_by(),
    };
    (outcome, CoverStats { seconds: clock.seconds(), ..CoverStats::default() })
}

fn too_many(table: &Table) -> String {
    let items = table.items.len();
    format!("Covering takes up to 4096 distinct rows, and there are {items}.")
}
