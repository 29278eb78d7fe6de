//! Writing of certificates: proofs of lower bounds that `crates/check` verifies.
//!
//! The engine is only asked for bounds (`prover.rs`), for errors and for costs of a matrix
//! (`certified_space.rs`); a wrong answer gives a certificate that the checker refuses, or none. `docs/certificate-rules.md` states the rules of claims,
//! `docs/certificate-format.md` the format.

mod body;
mod certified_space;
mod cover;
#[cfg(test)]
mod differential;
mod prover;

use crate::costs::class_costs::ClassCosts;
use crate::costs::units::Units;
use crate::engine::space::{Search, SubsetOf};
use crate::engine::threads::with_workers;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::spaces::leaf_costs::cost_space::{CostSearch, CostSpace};
use crate::spaces::leaf_costs::options::CostOptions;
use crate::spaces::leaf_costs::prepared_table::CostTable;
use crate::spaces::leaf_costs::threshold_rules::ThresholdRules;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use body::Body;
use certified_space::CertifiedSpace;
use cover::Failure;
use exactree_model::{Cost, Errors, Limits, Table, UNBOUNDED};
use prover::Prover;

pub use body::CertificateBody;

/// The lower bounds to prove, and the resources of the search.
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    pub costs: CertifiedCosts,
    /// Each stage has bounds to prove one after the other, of which the last implies the others.
    pub stages: Vec<Vec<BoundToProve>>,
    /// Number of columns of the user's table; features of `Table` leave out constant columns.
    pub columns: usize,
    pub memory_limit: Option<usize>,
    pub threads: usize,
}

/// What the leaves of trees cost.
#[derive(Clone, Debug)]
pub enum CertifiedCosts {
    Errors(Errors),
    /// The cost of a unit of weight by true and by predicted class, and the price of a leaf.
    Matrix {
        by_class: Vec<Vec<Cost>>,
        price: Cost,
    },
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
    let (threads, stopped) = (request.threads, &|| clock.stopped());
    let cache = SharedCache::new(request.memory_limit, threads);
    let written = match &request.costs {
        _ if !table.is_read() => None,
        &CertifiedCosts::Errors(objective) => {
            // Columns of bits hold no weightless items (`engine/two_set_bound.rs`). The bound by leaf
            // classes holds for all sets between an inner and an outer set, but not for claims about
            // these two.
            let relaxed = min_samples_leaf == 1;
            let options =
                Options { bit_columns: relaxed, leaf_classes: relaxed, ..Options::default() };
            let rows = min_samples_leaf;
            Layout::prepare_sorted(stopped, table, &options, rows, (0, threads)).map(|layout| {
                let whole = ContinuousSubset::whole(&layout);
                let search =
                    || ContinuousSearch::new(&layout, objective, &options, clock, progress, &cache);
                written(&search, &whole, table, request)
            })
        }
        CertifiedCosts::Matrix { by_class, price } => {
            let (by_class, price) = (by_class.clone(), *price);
            let units = Units::of_classes(ClassCosts::Matrix { by_class, price }, 0);
            let options = &CostOptions::default();
            CostTable::prepare(stopped, table, units, options, min_samples_leaf).map(|prepared| {
                let (prepared, rules) = (&prepared, ThresholdRules);
                let space = CostSpace { prepared, options, price, rules };
                let search = || CostSearch::new(space, &clock, progress, &cache);
                written(&search, &prepared.whole(), table, request)
            })
        }
    };
    let stages = request.stages.len();
    written.unwrap_or_else(|| Some(Body::default().concluded(vec![0; stages], &vec![None; stages])))
}

/// Proves the bounds on trees for the whole table by searches of one space.
fn written<'a, S: CertifiedSpace>(
    new_search: &(impl Fn() -> Search<'a, S> + Sync),
    whole: &SubsetOf<S>,
    table: &Table,
    request: &CertificateRequest,
) -> Option<CertificateBody> {
    let mut cited = vec![None; request.stages.len()];
    let mut proved = vec![0; request.stages.len()];
    let mut body = Body::default();
    let queue = TaskQueue::new();
    let searcher = || {
        let mut search = new_search();
        search.queue = (request.threads > 1).then_some(&queue);
        // The bounds that the search reports are those of subsets.
        search.open_calls = 1;
        search
    };
    let (refuted, _) = with_workers(request.threads - 1, &queue, &searcher, |search| {
        let progress = search.progress;
        let mut prover = Prover::new(search, whole, table, request.columns);
        let mut reached = 0;
        for (stage, bounds) in request.stages.iter().enumerate() {
            let start = prover.proof.clone();
            for &BoundToProve { limits, bound } in bounds {
                // A proof of the last bound has no claims for those before.
                prover.proof = start.clone();
                match prover.prove(whole, [0; 2], limits.normalised(), bound) {
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
