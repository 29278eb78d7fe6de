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
//! what can be served, `fewer_nodes.rs` builds the trees.
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
mod served;
mod sizes;
mod slack;

use crate::kernels::Level;
use crate::least_size::Ground;
use crate::limits::Clock;
use crate::options::{CoverOptions, SizeOptions};
use crate::tracer::Progress;
use exactree_model::{Cost, Table, Tree};
use std::sync::Arc;

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
    /// Soft limit on the bytes of what is remembered.
    pub memory_limit: Option<usize>,
    pub options: CoverOptions,
    /// Of the questions about single trees.
    pub size_options: SizeOptions,
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
    /// Error sets given up because another lies inside.
    pub contained: u64,
    /// Placements met again.
    pub failed_before: u64,
    /// Questions answered by a core, by a larger set, and by a search.
    pub by_core: u64,
    pub by_larger: u64,
    pub by_search: u64,
    pub seconds: f64,
}

/// An ensemble and its cost.
pub type Found = (Cost, Vec<Arc<Tree>>);

/// The best ensemble so far, if any, and a lower bound on all within the limits.
pub fn cover(
    table: &Table,
    request: &CoverRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Option<Found>, Cost, CoverStats), String> {
    if table.n_classes > 2 {
        return Err(format!("it takes two classes, and there are {}", table.n_classes));
    }
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => {
                    let ground = Ground::<$words>::new(table, Level::detect(true));
                    Ok(Climb::new(table, &ground, request, clock).run(progress))
                })*
                words => Err(format!("it takes up to 4,096 distinct rows, not {}", 64 * words)),
            }
        };
    }
    by_width!(1, 2, 3, 4, 6, 8, 16, 32, 64)
}
