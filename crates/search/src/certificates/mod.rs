//! Writing of certificates: proofs of lower bounds that `crates/check` verifies.
//!
//! The engine is only asked for bounds (`prover.rs`); a wrong answer gives a certificate that the
//! checker refuses, or none. `docs/certificate-rules.md` states the rules of claims,
//! `docs/certificate-format.md` the format.

mod body;
mod cover;
#[cfg(test)]
mod differential;
mod prover;

use crate::engine::threads::with_workers;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use body::Body;
use cover::Failure;
use exactree_model::{Cost, Errors, Limits, Table, UNBOUNDED};
use prover::Prover;

pub use body::CertificateBody;

/// The lower bounds to prove, and the resources of the search.
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    pub objective: Errors,
    /// Each stage has bounds to prove one after the other, of which the last implies the others.
    pub stages: Vec<Vec<BoundToProve>>,
    /// Number of columns of the user's table; features of `Table` leave out constant columns.
    pub columns: usize,
    pub memory_limit: Option<usize>,
    pub threads: usize,
}

/// No tree within the limits costs less than the bound.
#[derive(Clone, Copy, Debug)]
pub struct BoundToProve {
    pub limits: Limits,
    pub bound: Cost,
}

/// The proof of the bounds that are reached before the clock stops: of each stage the last one.
/// `None` if a bound is wrong, so that nothing can prove it. The progress that is reported is the
/// number of bounds.
pub fn write_certificate(
    table: &Table,
    request: &CertificateRequest,
    clock: Clock<'_>,
    progress: &Progress,
) -> Option<CertificateBody> {
    let least = request.stages.iter().flatten().map(|step| step.limits.min_samples_leaf);
    let min_samples_leaf = least.max().unwrap_or(1);
    // Columns of bits hold no weightless items (`engine/two_set_bound.rs`). The bound by leaf classes
    // holds for all sets between an inner and an outer set, but not for claims about these two.
    let relaxed = min_samples_leaf == 1;
    let options = Options { bit_columns: relaxed, leaf_classes: relaxed, ..Options::default() };
    let mut cited = vec![None; request.stages.len()];
    let mut proved = vec![0; request.stages.len()];
    let mut body = Body::default();
    let prepare = || {
        Layout::prepare_sorted(
            &|| clock.stopped(),
            table,
            &options,
            min_samples_leaf,
            (0, request.threads),
        )
    };
    let Some(layout) = table.is_read().then(prepare).flatten() else {
        return Some(body.concluded(proved, &cited));
    };
    let cache = SharedCache::new(request.memory_limit, request.threads);
    let queue = TaskQueue::new();
    let searcher = || {
        let mut search =
            ContinuousSearch::new(&layout, request.objective, &options, clock, progress, &cache);
        search.queue = (request.threads > 1).then_some(&queue);
        // The bounds that the search reports are those of subsets.
        search.open_calls = 1;
        search
    };
    let (refuted, _) = with_workers(request.threads - 1, &queue, &searcher, |search| {
        let whole = ContinuousSubset::whole(&layout);
        let mut prover = Prover::new(search, table, request.columns);
        let mut reached = 0;
        for (stage, bounds) in request.stages.iter().enumerate() {
            let start = prover.proof.clone();
            for &BoundToProve { limits, bound } in bounds {
                // A proof of the last bound has no claims for those before.
                prover.proof = start.clone();
                match prover.prove(&whole, [0; 2], limits.normalised(), bound) {
                    Ok(claim) => cited[stage] = claim,
                    Err(Failure::Stopped) => return false,
                    Err(Failure::Refuted) => return true,
                }
                body = prover.proof.body.clone();
                proved[stage] += 1;
                reached += 1;
                progress.report(UNBOUNDED, reached);
            }
        }
        false
    });
    (!refuted).then(|| body.concluded(proved, &cited))
}
