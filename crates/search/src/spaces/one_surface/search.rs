//! The search over all flats, by several threads: for fewest errors here, for other costs in
//! `leaf_costs.rs`.

use super::combinations::{Combinations, prefix};
use super::directions::Turn;
use super::divisions::along_line;
use super::exact::Exact;
use super::points::{Cloud, PointTable};
use super::side_costs::{PointSums, SideCost, SideErrors};
use super::sweep::{Best, Sweep};
use crate::support::clock::Clock;
use crate::support::statistics::Progress;
use exactree_model::{Cost, StoppedBy, Weight};
use num_bigint::BigInt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Determinants in 128 bits are exact if linear forms at points have at most this many bits.
const FORM_BITS: u64 = 62;

/// Bytes of the divisions of one crowded flat; a search that needs more stops.
const MAX_DIVISION_BYTES: usize = 500_000_000;

/// What to search for.
#[derive(Clone, Debug)]
pub struct OneSurfaceRequest {
    /// Minimum number of rows on each side, at least 1.
    pub min_rows: u64,
    /// Only splits that cost less are searched for.
    pub below: Cost,
    /// Splits that are not allowed, and their opposites.
    pub excluded: Vec<Vec<bool>>,
    /// Number of threads, at least 1.
    pub threads: usize,
}

/// The best split, and counts.
#[derive(Clone, Debug, Default)]
pub struct OneSurfaceResult {
    /// The cost of both sides of the best split, and which points it sends left.
    pub best: Option<(Cost, Vec<bool>)>,
    /// A lower bound on the cost of all splits that are not excluded, at most `below`.
    pub lower: Cost,
    /// Number of flats around which hyperplanes were turned.
    pub flats: u64,
    pub exact_directions: u64,
}

/// The split of minimum misclassified weight by a hyperplane, or the best one in time. `weights` has a
/// weight by point and class.
pub fn one_surface(
    table: &PointTable,
    (weights, n_classes): (&[Weight], usize),
    request: &OneSurfaceRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> OneSurfaceResult {
    let sums = SideErrors::sums(&table.rows, weights, n_classes);
    let unavoidable = SideErrors::unavoidable(weights, n_classes);
    let costs = SplitCosts { sums, cost: &SideErrors, unavoidable, prices: 0 };
    best_split(table, &costs, request, clock, progress)
}

/// What splits cost.
pub(super) struct SplitCosts<'a, C> {
    pub sums: PointSums,
    pub cost: &'a C,
    /// A lower bound on the cost of both sides of every split.
    pub unavoidable: Cost,
    /// What is added to costs that are reported.
    pub prices: Cost,
}

/// The split of minimum cost by a hyperplane, or the best one in time.
pub(super) fn best_split<C: SideCost>(
    table: &PointTable,
    costs: &SplitCosts<'_, C>,
    request: &OneSurfaceRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> OneSurfaceResult {
    let bits: Vec<u64> = (0..table.dimensions)
        .map(|f| {
            let column = table.coordinates.iter().skip(f).step_by(table.dimensions.max(1));
            column.map(BigInt::bits).max().unwrap_or(0)
        })
        .collect();
    if form_bits(&bits) <= FORM_BITS {
        let small = |value: &BigInt| i128::try_from(value).unwrap_or_default();
        searched(costs, &Cloud::new(points(table, small), &bits), request, clock, progress)
    } else {
        searched(costs, &Cloud::new(points(table, BigInt::clone), &bits), request, clock, progress)
    }
}

/// An upper bound on the bits of coordinates, and of the linear forms that vanish on a flat:
/// determinants of r - 1 differences in all columns but one.
fn form_bits(bits: &[u64]) -> u64 {
    let (least, most) = (bits.iter().min().copied(), bits.iter().max().copied());
    let permutations: u64 = (1..bits.len() as u64).product();
    let all: u64 = bits.iter().map(|bits| bits + 1).sum();
    let form = all - least.unwrap_or(0) + u64::from(permutations.ilog2());
    form.max(most.unwrap_or(0))
}

fn points<T>(table: &PointTable, convert: impl Fn(&BigInt) -> T) -> Vec<Vec<T>> {
    if table.dimensions == 0 {
        return (0..table.len()).map(|_| Vec::new()).collect();
    }
    let rows = table.coordinates.chunks_exact(table.dimensions);
    rows.map(|point| point.iter().map(&convert).collect()).collect()
}

/// The best split so far, shared by all threads.
struct SharedBest<'a> {
    cost: AtomicU64,
    left: Mutex<Option<(Cost, Vec<bool>)>>,
    excluded: &'a [Vec<bool>],
    prices: Cost,
    progress: &'a Progress,
    clock: &'a Clock<'a>,
}

impl Best for &SharedBest<'_> {
    fn below(&self) -> Cost {
        self.cost.load(Ordering::Relaxed)
    }

    fn stopped(&self, bytes: usize) -> bool {
        if bytes > MAX_DIVISION_BYTES {
            self.clock.stop(StoppedBy::MemoryLimit);
        }
        self.clock.stopped()
    }

    fn take(&mut self, cost: Cost, left: &[bool]) {
        let opposite = |other: &[bool]| other.iter().zip(left).all(|(a, b)| a != b);
        if self.excluded.iter().any(|other| other == left || opposite(other)) {
            return;
        }
        let mut best = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have found a better one since.
        if cost < self.cost.load(Ordering::Relaxed) {
            *best = Some((cost, left.to_vec()));
            self.cost.store(cost, Ordering::Relaxed);
            self.progress.report(cost + self.prices, 0);
        }
    }
}

fn searched<T: Exact, C: SideCost>(
    costs: &SplitCosts<'_, C>,
    cloud: &Cloud<T>,
    request: &OneSurfaceRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> OneSurfaceResult {
    let (unavoidable, dimensions) = (costs.unavoidable, cloud.dimensions);
    let new_sweep = || Sweep::new(dimensions, &costs.sums, costs.cost, request.min_rows);
    let shared = SharedBest {
        cost: AtomicU64::new(request.below),
        left: Mutex::new(None),
        excluded: &request.excluded,
        prices: costs.prices,
        progress,
        clock,
    };
    let (flats, exact) = (AtomicU64::new(0), AtomicU64::new(0));
    let (next, unfinished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    if dimensions == 1 {
        new_sweep().along(&along_line(cloud), &mut &shared);
    }
    let (k, n) = (dimensions.saturating_sub(1), cloud.len() as u32);
    let work = || {
        let (mut turn, mut sweep) = (Turn::new(cloud), new_sweep());
        let mut turned = 0;
        while let Some(prefix) = prefix(next.fetch_add(1, Ordering::Relaxed), k, n) {
            let mut subsets = Combinations::beginning(&prefix, k, n);
            while let Some(chosen) = subsets.next() {
                // Nothing costs less than what every split misclassifies.
                if (&shared).below() <= unavoidable {
                    break;
                }
                if clock.stopped() {
                    unfinished.store(1, Ordering::Relaxed);
                    break;
                }
                if turn.around(chosen) {
                    turned += 1;
                    sweep.around(&mut turn, &mut &shared);
                }
            }
            if unfinished.load(Ordering::Relaxed) > 0 || (&shared).below() <= unavoidable {
                break;
            }
        }
        flats.fetch_add(turned, Ordering::Relaxed);
        exact.fetch_add(turn.exact_directions, Ordering::Relaxed);
    };
    if dimensions > 1 {
        std::thread::scope(|scope| {
            for _ in 1..request.threads {
                let builder = std::thread::Builder::new().name("exactree".into());
                if builder.spawn_scoped(scope, work).is_err() {
                    break; // The other threads do its part.
                }
            }
            work();
        });
    }
    let cost = shared.cost.load(Ordering::Relaxed);
    // A stop while the divisions of a crowded flat are listed is noticed at the next flat, or here.
    let complete = unfinished.load(Ordering::Relaxed) == 0 && clock.stopped_by().is_none();
    let best = shared.left.into_inner().unwrap_or_else(PoisonError::into_inner);
    OneSurfaceResult {
        best,
        lower: if complete { cost } else { unavoidable.min(cost) },
        flats: flats.into_inner(),
        exact_directions: exact.into_inner(),
    }
}
