//! Smallest ensembles of two classes without errors, by covering.
//!
//! An ensemble makes no errors if enough of its trees classify every item, so it is a cover:
//! every tree classifies a set of items, and every item lies in enough of the sets. `minimum_size/`
//! decides whether a tree of s nodes can classify a set; if it can, it also classifies every
//! subset. So of all trees of a size only those matter whose errors contain no other tree's errors.
//! When all trees but one are placed, a single decision is left: can the last one classify the
//! items that may not get another wrong vote?
//!
//! `size_loop.rs` raises the value from a lower bound, `sizes.rs` lists vectors of caps (the limits
//! of each tree), `placement.rs` places one tree after the other, smallest first, `error_sets.rs`
//! lists the error sets of trees of a size, `feasibility_cache.rs` decides and caches which sets
//! can be classified, `memory_budget.rs` limits the cache, `simplify.rs` builds the trees.
//!
//! With three or more classes the wrong votes for different classes do not add up, so the number of
//! right votes alone does not decide the prediction; such tables need the witness search.

#[cfg(test)]
mod differential;
mod error_sets;
mod feasibility_cache;
mod memory_budget;
mod placement;
mod request;
mod simplify;
mod size_loop;
mod sizes;
mod slack;

use crate::ensembles::EnsembleOutcome;
use crate::kernels::InstructionSet;
use crate::minimum_size::SizeTable;
use crate::support::clock::{Clock, Grace};
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use exactree_model::{Status, Table};

pub use request::{CoverQuantity, CoverRequest, CoverStats};
use size_loop::CoverSizeLoop;

/// A minimum ensemble within the limits or, if stopped, the incumbent and a lower bound. An error
/// if the table has too many classes or items.
pub fn cover(
    table: &Table,
    request: &CoverRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(EnsembleOutcome, CoverStats), Refusal> {
    if table.n_classes > 2 {
        return Err(Refusal::TooManyClasses { classes: table.n_classes });
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
                _ => Err(Refusal::TooManyRows {
                    method: "Covering",
                    maximum: 1 << 12,
                    rows: table.items.len(),
                }),
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
