//! Smallest ensembles of two classes without errors, by covering.
//!
//! An ensemble is right when every item is classified by enough of its trees,
//! so it is a cover: every tree serves a set of items, and every item lies in
//! enough of the sets. Which sets a tree of s nodes can serve is the question of
//! `least_size/`; a set inside one that can be served can be served, too. So of
//! all trees of a size only those matter whose errors contain no other tree's
//! errors, and after all trees but one are placed, the last one is a single
//! question: can it serve the items that may not get one more wrong vote?
//!
//! `climb.rs` goes up from below, `sizes.rs` lists what the trees may have,
//! `place.rs` places one tree after the other, smallest first, `errors_of.rs`
//! lists the error sets of trees of a size, `served.rs` answers and remembers
//! what can be served, `room.rs` limits what is remembered, `fewer_nodes.rs`
//! builds the trees.
//!
//! With three or more classes a wrong vote for one class is not a wrong vote for
//! another, and counting right votes does not decide: such tables are for the
//! witness search.

mod climb;
#[cfg(test)]
mod differential;
mod errors_of;
mod fewer_nodes;
mod place;
mod room;
mod served;
mod sizes;
mod slack;

use crate::ensembles::{EnsembleOutcome, EnsembleRequest, Quantity};
use crate::kernels::Level;
use crate::least_size::Ground;
use crate::limits::{Clock, Grace};
use crate::options::{CoverOptions, SizeOptions};
use crate::tracer::Progress;
use exactree_model::{Status, Table, Tree};

use climb::Climb;

/// What is minimized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    TotalSize,
    LargestSize,
    TotalDepth,
    LargestDepth,
}

impl Together {
    /// Nodes of one tree that count: all, or those on its longest path.
    pub fn nodes(self, tree: &Tree) -> u32 {
        match self {
            Together::TotalSize | Together::LargestSize => tree.size(),
            Together::TotalDepth | Together::LargestDepth => tree.depth(),
        }
    }

    /// Whether the sum over the trees is minimized, or the greatest.
    pub fn total(self) -> bool {
        match self {
            Together::TotalSize | Together::TotalDepth => true,
            Together::LargestSize | Together::LargestDepth => false,
        }
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct CoverRequest {
    pub trees: u32,
    pub minimize: Together,
    /// Of every tree; `u32::MAX` for no limit.
    pub size: u32,
    pub depth: u32,
    /// Sizes of all trees together, or depths if depths are minimized.
    pub total: u32,
    /// Soft limit on the bytes of what is remembered: half for single trees, half
    /// for the lists of error sets and the slacks.
    pub memory_limit: Option<usize>,
    /// Stop when the gap is at most this; 0 to prove all.
    pub stop_at_gap: f64,
    pub options: CoverOptions,
    /// Of the questions about single trees.
    pub size_options: SizeOptions,
}

impl CoverRequest {
    /// The same as a request for least sizes; none if depths are asked for.
    fn by_size(&self) -> Option<EnsembleRequest> {
        let quantity = match self.minimize {
            Together::TotalSize => Quantity::Total,
            Together::LargestSize => Quantity::Largest,
            Together::TotalDepth | Together::LargestDepth => return None,
        };
        Some(EnsembleRequest {
            trees: self.trees,
            quantities: vec![quantity],
            errors: 0,
            size: self.size,
            depth: self.depth,
            total: self.total,
            min_rows: 1,
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
    /// Error sets given up because the next tree could not make up for them.
    pub hopeless: u64,
    /// Parts and slacks given up because what has to be right is beyond the cap.
    pub within_reach: u64,
    /// Error sets given up because another lies inside.
    pub contained: u64,
    /// Placements met again.
    pub failed_before: u64,
    /// Questions answered by a core, by a larger set, and by a search.
    pub by_core: u64,
    pub by_larger: u64,
    pub by_search: u64,
    /// How often a table began anew because its bytes were used up.
    pub emptied: u64,
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
            ("hopeless", self.hopeless),
            ("within_reach", self.within_reach),
            ("contained", self.contained),
            ("failed_before", self.failed_before),
            ("by_core", self.by_core),
            ("by_larger", self.by_larger),
            ("by_search", self.by_search),
            ("emptied", self.emptied),
        ]
    }
}

/// The best ensemble within the limits, or as much as can be proved. An error says
/// why the table is refused.
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
                    let ground =
                        Ground::<$words>::unless(&|| grace.is_over(), table, Level::detect(true));
                    let Some(ground) = ground else { return Ok(stopped(clock)) };
                    Ok(Climb::new(table, &ground, request, clock).run(progress))
                })*
                _ => Err(too_many(table)),
            }
        };
    }
    by_width!(1, 2, 4, 16, 64)
}

/// What is known where the table could not be prepared in time.
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
