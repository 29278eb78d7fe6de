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
use cover::Failure;
use exactree_model::{Cost, Errors, Limits, Table, UNBOUNDED};
use prover::Prover;

pub use body::CertificateBody;

/// The lower bound to prove, and the resources of the search.
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    pub objective: Errors,
    pub limits: Limits,
    /// Lower bounds to prove one after the other, each greater than the last.
    pub bounds: Vec<Cost>,
    /// Number of columns of the user's table; features of `Table` leave out constant columns.
    pub columns: usize,
    pub memory_limit: Option<usize>,
    pub threads: usize,
}

/// The proof of the greatest bound that is reached before the clock stops. `None` if a bound is
/// wrong, so that nothing can prove it.
pub fn write_certificate(
    table: &Table,
    request: &CertificateRequest,
    clock: Clock<'_>,
    progress: &Progress,
) -> Option<CertificateBody> {
    let options = Options::default();
    let mut proof = CertificateBody { bound: 0, sets: 0, claims: 0, body: Vec::new() };
    let prepare =
        || Layout::prepare_sorted(&|| clock.stopped(), table, &options, 1, (0, request.threads));
    let Some(layout) = table.is_read().then(prepare).flatten() else { return Some(proof) };
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
        for &bound in &request.bounds {
            let mut prover = Prover::new(search, table, request.columns);
            match prover.prove(&whole, 0, request.limits.normalised(), bound) {
                Ok(_) => proof = prover.written(bound),
                Err(Failure::Stopped) => return false,
                Err(Failure::Refuted) => return true,
            }
            progress.report(UNBOUNDED, bound);
        }
        false
    });
    (!refuted).then_some(proof)
}
