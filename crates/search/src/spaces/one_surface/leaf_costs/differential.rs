//! The search for one surface compared with all divisions of small tables, for every cost.

use super::{CostSurfaceOutcome, KnownSplits, one_surface_costs};
use crate::costs::class_costs::{ClassCosts, ShareCost};
use crate::costs::units::TargetError;
use crate::spaces::leaf_costs::prepared_table::CostTable;
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostRequest};
use crate::spaces::one_surface::differential::{all_divisions, grid_points, point_table};
use crate::spaces::one_surface::points::PointTable;
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Status};
use num_bigint::BigInt;

/// Points with some rows each, and a cost.
struct Instance {
    divisions: Vec<Vec<bool>>,
    table: PointTable,
    examples: CostExamples,
    request: CostRequest,
}

/// Draws points, rows with targets or classes, a cost, a price and a minimum of rows.
fn draw(rng: &mut fastrand::Rng, kind: usize) -> Instance {
    let r = rng.usize(1..=3);
    let points = grid_points(rng, r, if r < 3 { 4 } else { 3 });
    let table = point_table(&points, &BigInt::from(1), rng);
    let point_of: Vec<f64> = (0..points.len())
        .flat_map(|point| std::iter::repeat_n(point as f64, table.rows[point] as usize))
        .collect();
    let rows = point_of.len();
    let price = if rng.bool() { 0.0 } else { rng.f64() * 2.0 };
    let request = CostRequest {
        limits: Limits { depth: 1, size: 1, min_samples_leaf: rng.u64(1..=3.min(rows as u64)) },
        leaf_price: price,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads: rng.usize(1..=2),
        options: CostOptions::default(),
    };
    let switch = StopSwitch::default();
    let (clock, columns) = (Clock::start(None, &switch), [point_of]);
    let whole = rng.bool();
    let weights = match whole {
        true => vec![1; rows],
        false => random_weights::weights(rng, rows, 40),
    };
    let examples = if kind < 2 {
        let target =
            |rng: &mut fastrand::Rng| if whole { f64::from(rng.u8(0..5)) } else { rng.f64() };
        let targets: Vec<f64> = (0..rows).map(|_| target(rng)).collect();
        let error = [TargetError::Squared, TargetError::Absolute][kind];
        CostExamples::new(&clock, &columns, &targets, &weights, error, &request)
    } else {
        let classes = rng.usize(2..=3);
        let labels: Vec<u32> = (0..rows).map(|_| rng.u32(0..classes as u32)).collect();
        let mut totals = vec![0; classes];
        for (&label, &weight) in labels.iter().zip(&weights) {
            totals[label as usize] += weight as i64;
        }
        let costs = if kind == 2 {
            let cost = |rng: &mut fastrand::Rng, same| if same { 0 } else { rng.u64(0..6) };
            let by_class = (0..classes)
                .map(|class| (0..classes).map(|label| cost(rng, class == label)).collect());
            let by_class = by_class.collect();
            (ClassCosts::Matrix { by_class, price: rng.u64(0..2) }, 0)
        } else {
            let kind = if rng.bool() { ShareCost::Gini } else { ShareCost::LogLoss };
            let added = vec![if rng.bool() { 0.0 } else { 1.0 }; classes];
            ClassCosts::of_shares(kind, added, &totals, price)
        };
        CostExamples::of_classes(&clock, &columns, &labels, &weights, costs, &request)
    };
    let divisions = all_divisions(&points).into_iter().collect();
    Instance { divisions, table, examples: examples.expect("not stopped"), request }
}

impl Instance {
    fn search(&self, known: &KnownSplits) -> CostSurfaceOutcome {
        let switch = StopSwitch::default();
        let (clock, progress) = (Clock::start(None, &switch), Progress::default());
        one_surface_costs(&self.table, &self.examples, &self.request, known, &clock, &progress)
    }

    /// The cost of a split from the items of its sides; `None` if a side has too few rows.
    fn cost(&self, left: &[bool]) -> Option<Cost> {
        let prepared: &CostTable = &self.examples.prepared;
        let side = |wanted: bool| {
            let of_side = |&slot: &u32| {
                let point = prepared.features[0].ranks[slot as usize];
                left[point as usize] == wanted
            };
            let slots = (0..prepared.items.len() as u32).filter(of_side);
            let points = (0..left.len()).filter(|&point| left[point] == wanted);
            let rows: u64 = points.map(|point| self.table.rows[point]).sum();
            let enough = rows >= self.request.limits.min_samples_leaf;
            enough.then(|| prepared.totals_of(slots).leaf + self.price())
        };
        Some(side(true)? + side(false)?)
    }

    fn price(&self) -> Cost {
        self.examples.prepared.units.price(self.request.leaf_price)
    }

    /// The minimum cost of the splits that are allowed, and of one leaf.
    fn optimum(&self, excluded: &[Vec<bool>]) -> Cost {
        let opposite = |left: &[bool]| left.iter().map(|left| !left).collect::<Vec<_>>();
        let allowed =
            |left: &&Vec<bool>| !excluded.contains(left) && !excluded.contains(&opposite(left));
        let splits = self.divisions.iter().filter(allowed).filter_map(|left| self.cost(left));
        let leaf = self.examples.prepared.whole().leaf + self.price();
        splits.chain([leaf]).min().unwrap_or(leaf)
    }

    fn check(&self, found: &CostSurfaceOutcome, excluded: &[Vec<bool>]) {
        let prepared = &self.examples.prepared;
        let outcome = &found.found.outcome;
        assert_eq!(outcome.status, Status::Optimal);
        let optimum = prepared.in_user_units(self.optimum(excluded) as f64);
        let cost = found.found.cost.expect("a tree was found");
        // A search in fine units is more accurate than the optimum in coarse units.
        let net = prepared.net(prepared.whole().leaf as f64);
        let rounding = prepared.units.in_user_units(2.0 * prepared.max_rounding_error(2.0, net));
        assert!((cost - optimum).abs() <= rounding, "{cost} {optimum} {rounding}");
        assert!(found.found.lower_bound <= optimum + rounding);
        if let Some(left) = &found.left {
            let own = self.cost(left).expect("both sides have enough rows");
            assert!((prepared.in_user_units(own as f64) - cost).abs() <= rounding);
            assert!(self.divisions.contains(left) && !excluded.contains(left));
        }
    }
}

#[test]
fn the_best_surface_of_every_cost_is_found() {
    let mut rng = fastrand::Rng::with_seed(20_261_129);
    let (mut splits, mut leaves) = (0, 0);
    for round in 0..3_000 {
        let instance = draw(&mut rng, round % 4);
        let found = instance.search(&KnownSplits::default());
        instance.check(&found, &[]);
        let Some(left) = found.left else {
            leaves += 1;
            continue;
        };
        splits += 1;
        // Without this split the next one is found, also from any split to start with.
        let start = instance.divisions.iter().find(|other| {
            let opposite = other.iter().zip(&left).all(|(a, b)| a != b);
            **other != left && !opposite && instance.cost(other).is_some()
        });
        let known = KnownSplits { start: start.cloned(), excluded: vec![left] };
        instance.check(&instance.search(&known), &known.excluded);
    }
    assert!(splits > 500 && leaves > 500, "{splits} {leaves}");
}

#[test]
fn a_stopped_search_of_costs_has_a_valid_bound() {
    let mut rng = fastrand::Rng::with_seed(4);
    for poll in 1..60 {
        let mut instance = draw(&mut rng, poll as usize % 4);
        instance.request.threads = 1;
        let complete = instance.search(&KnownSplits::default());
        let stopped = stop_at_poll(poll, || instance.search(&KnownSplits::default()));
        let (best, found) = (&complete.found, &stopped.found);
        let rounding = best.rounding + found.rounding;
        assert!(found.lower_bound <= best.cost.expect("complete") + rounding);
        assert!(found.cost.expect("at least a leaf") + rounding >= best.lower_bound);
    }
}
