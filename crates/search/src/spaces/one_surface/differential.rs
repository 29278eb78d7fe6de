//! The search compared with all divisions of small tables, and these with a search of their own.

use super::combinations::{Combinations, prefix};
use super::divisions::{Division, of_points};
use super::points::{Cloud, PointTable};
use super::search::{OneSurfaceRequest, OneSurfaceResult, one_surface};
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Errors, Weight};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Different points of a small grid, on which many are on common lines and planes.
pub(super) fn grid_points(rng: &mut fastrand::Rng, r: usize, side: i64) -> Vec<Vec<i64>> {
    let most = (side as usize).pow(r as u32);
    let n = rng.usize(2..=most.min(if r < 4 { 9 } else { 8 }));
    let mut points = BTreeSet::new();
    while points.len() < n {
        points.insert((0..r).map(|_| rng.i64(0..side)).collect::<Vec<_>>());
    }
    let mut points: Vec<_> = points.into_iter().collect();
    rng.shuffle(&mut points);
    points
}

fn cloud(points: &[Vec<i64>]) -> Cloud<i128> {
    let exact = points.iter().map(|point| point.iter().map(|&x| i128::from(x)).collect());
    Cloud::new(exact.collect(), &vec![4; points.first().map_or(0, Vec::len)])
}

/// The divisions by sums with all small integer weights: for a grid of side 4 in the plane, all.
fn by_directions(points: &[Vec<i64>], most: i64) -> BTreeSet<Division> {
    let r = points.first().map_or(0, Vec::len);
    let mut found = BTreeSet::from([vec![false; points.len()], vec![true; points.len()]]);
    let count = (2 * most + 1) as usize;
    for number in 0..count.pow(r as u32) {
        let digit = |f: usize| (number / count.pow(f as u32) % count) as i64 - most;
        let sum =
            |point: &Vec<i64>| -> i64 { point.iter().enumerate().map(|(f, x)| digit(f) * x).sum() };
        let sums: Vec<i64> = points.iter().map(sum).collect();
        for &threshold in &sums {
            found.insert(sums.iter().map(|&sum| sum <= threshold).collect());
        }
    }
    found
}

pub(super) fn all_divisions(points: &[Vec<i64>]) -> BTreeSet<Division> {
    let every: Vec<u32> = (0..points.len() as u32).collect();
    let listed = of_points(&cloud(points), &every, &|_| false).expect("not stopped");
    let found: BTreeSet<Division> = listed.iter().cloned().collect();
    assert_eq!(found.len(), listed.len(), "no division is listed twice");
    found
}

#[test]
fn all_divisions_of_a_grid_are_found() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (r, side, most, rounds) in [(1, 5, 1, 20), (2, 4, 7, 300), (3, 2, 3, 60), (3, 3, 9, 12)] {
        for _ in 0..rounds {
            let points = grid_points(&mut rng, r, side);
            assert_eq!(all_divisions(&points), by_directions(&points, most), "{points:?}");
        }
    }
}

/// Points with the weights of their classes.
struct Classified {
    points: PointTable,
    weights: Vec<Weight>,
    n_classes: usize,
}

/// A table whose coordinates are the given points times a factor, in the columns that they span.
pub(super) fn point_table(
    points: &[Vec<i64>],
    factor: &BigInt,
    rng: &mut fastrand::Rng,
) -> PointTable {
    let every: Vec<u32> = (0..points.len() as u32).collect();
    let columns = cloud(points).spanning(&every);
    PointTable {
        dimensions: columns.len(),
        coordinates: points
            .iter()
            .flat_map(|point| columns.iter().map(|&f| BigInt::from(point[f] - 1) * factor))
            .collect(),
        rows: points.iter().map(|_| rng.u64(1..=2)).collect(),
    }
}

fn table(points: &[Vec<i64>], factor: &BigInt, rng: &mut fastrand::Rng) -> Classified {
    let n_classes = rng.usize(2..=3);
    let mut weights = random_weights::weights(rng, points.len() * n_classes, 60);
    for of_point in weights.chunks_exact_mut(n_classes) {
        // Some points have rows of several classes.
        if rng.u8(0..4) > 0 {
            let class = rng.usize(0..n_classes);
            (0..n_classes).filter(|&other| other != class).for_each(|other| of_point[other] = 0);
        }
    }
    Classified { points: point_table(points, factor, rng), weights, n_classes }
}

fn request(min_rows: u64, threads: usize) -> OneSurfaceRequest {
    OneSurfaceRequest { min_rows, below: Weight::MAX, excluded: Vec::new(), threads }
}

fn run(table: &Classified, request: &OneSurfaceRequest) -> OneSurfaceResult {
    let switch = StopSwitch::default();
    let (clock, progress) = (Clock::start(None, &switch), Progress::default());
    let classes = (table.weights.as_slice(), table.n_classes);
    one_surface(&table.points, classes, request, &clock, &progress)
}

/// The misclassified weight of a split, None if a side has too few rows.
fn errors(table: &Classified, left: &[bool], min_rows: u64) -> Option<Weight> {
    let side = |wanted: bool| {
        let points = || (0..left.len()).filter(|&point| left[point] == wanted);
        let weights: Vec<Weight> = (0..table.n_classes)
            .map(|class| points().map(|p| table.weights[p * table.n_classes + class]).sum())
            .collect();
        let rows: u64 = points().map(|point| table.points.rows[point]).sum();
        (rows >= min_rows.max(1)).then(|| Errors::leaf_errors(&weights))
    };
    Some(side(true)? + side(false)?)
}

#[test]
fn the_best_split_is_found() {
    let mut rng = fastrand::Rng::with_seed(2);
    // Numbers of 128 bits, and larger ones.
    let factors = [BigInt::from(1), BigInt::from(7) << 20, (BigInt::from(1) << 190) + 12_345];
    let mut exact = [0; 3];
    for round in 0..1_500 {
        let r = rng.usize(1..=5);
        let side = rng.i64(2..=if r < 3 { 5 } else { 3 });
        let points = grid_points(&mut rng, r, side);
        let kind = round % 3;
        let table = table(&points, &factors[kind], &mut rng);
        let min_rows = rng.u64(0..=3);
        let costs = all_divisions(&points).into_iter().filter_map(|left| {
            let cost = errors(&table, &left, min_rows)?;
            Some((cost, left))
        });
        let mut costs: Vec<_> = costs.collect();
        costs.sort();
        let found = run(&table, &request(min_rows, 1 + round % 2));
        exact[kind] += found.exact_directions;
        let best = found.best.as_ref().map(|(cost, _)| *cost);
        assert_eq!(best, costs.first().map(|(cost, _)| *cost), "{points:?}");
        let Some((cost, left)) = found.best else { continue };
        assert_eq!(found.lower, cost);
        assert_eq!(errors(&table, &left, min_rows), Some(cost));
        assert!(costs.iter().any(|(_, other)| *other == left), "{points:?}");
        // Without this split and its opposite, the next one is found.
        let opposite: Division = left.iter().map(|left| !left).collect();
        let next = costs.iter().find(|(_, other)| *other != left && *other != opposite);
        let excluded = OneSurfaceRequest { excluded: vec![left.clone()], ..request(min_rows, 1) };
        let second = run(&table, &excluded).best.map(|(cost, _)| cost);
        assert_eq!(second, next.map(|(cost, _)| *cost));
        // Only cheaper splits are of interest.
        let limited = run(&table, &OneSurfaceRequest { below: cost, ..request(min_rows, 1) });
        assert_eq!((limited.best, limited.lower), (None, cost));
    }
    assert!(exact.iter().all(|&directions| directions > 0));
}

#[test]
fn a_stopped_search_has_a_valid_bound() {
    let mut rng = fastrand::Rng::with_seed(3);
    for poll in 1..40 {
        let points = grid_points(&mut rng, 2, 5);
        let table = table(&points, &BigInt::from(1), &mut rng);
        let best = run(&table, &request(1, 1)).best.map(|(cost, _)| cost);
        let stopped = stop_at_poll(poll, || run(&table, &request(1, 1)));
        assert!(best.is_none_or(|best| stopped.lower <= best));
        if let Some((cost, left)) = stopped.best {
            assert_eq!(errors(&table, &left, 1), Some(cost));
            assert!(best.is_some_and(|best| best <= cost));
        }
    }
}

#[test]
fn all_subsets_are_listed() {
    for n in 1..8_u32 {
        for k in 1..=5_usize {
            let mut found = Vec::new();
            for number in 0.. {
                let Some(prefix) = prefix(number, k, n) else { break };
                let mut subsets = Combinations::beginning(&prefix, k, n);
                while let Some(chosen) = subsets.next() {
                    assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
                    assert!(chosen.iter().all(|&point| point < n));
                    found.push(chosen.to_vec());
                }
            }
            let mut expected = 1;
            for chosen in 0..k as u32 {
                expected = expected * u64::from(n.saturating_sub(chosen)) / u64::from(chosen + 1);
            }
            let distinct: BTreeSet<_> = found.iter().collect();
            assert_eq!((found.len() as u64, distinct.len() as u64), (expected, expected));
        }
    }
}
