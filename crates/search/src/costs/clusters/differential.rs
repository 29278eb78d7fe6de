//! The clustering bound by divide and conquer, compared with the best of all partitions, on targets
//! with large rounding errors.

use crate::costs::items::CostSubset;
use crate::costs::leaf_cost::LeafRounding;
use crate::costs::units::TargetError;
use crate::costs::units::Units;
use crate::spaces::leaf_costs::CostOptions;
use crate::spaces::leaf_costs::prepared_table::{self, CostTable};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::random_weights;
use exactree_model::{Cost, Table, rank};

/// Targets with large rounding errors: many that are nearly equal, and up to two far from them.
fn hard_targets(random: &mut fastrand::Rng) -> Vec<f64> {
    let near = [1.0, 1e-4, 1e-7, 1e-9][random.usize(0..4)];
    let different = [3, 40, 1 << 30][random.usize(0..3)];
    let mut targets: Vec<f64> = (0..random.usize(5..60))
        .map(|_| near * f64::from(random.u32(0..different)) / f64::from(different))
        .collect();
    (0..random.usize(0..3)).for_each(|_| targets.push(1.0 - random.f64() / 8.0));
    targets
}

/// The minimum cost of at most `groups` runs that cover a subset, by trying all.
fn min_cost_of_runs(prepared: &CostTable, count: usize, groups: usize) -> Cost {
    let run = |first: usize, end: usize| prepared.totals_of(first as u32..end as u32).leaf;
    let mut best: Vec<Cost> = (0..=count).map(|end| run(0, end)).collect();
    for _ in 1..groups {
        best = (0..=count)
            .map(|end| (0..=end).map(|first| best[first] + run(first, end)).min().unwrap_or(0))
            .collect();
    }
    best[count]
}

#[test]
fn the_clustering_bound_never_exceeds_the_minimum_cost_of_groups() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let mut invalid = 0;
    for number in 0..3_000 {
        let targets = hard_targets(&mut random);
        let weights = random_weights::weights(&mut random, targets.len(), 62);
        let columns: [Vec<f64>; 1] = [(0..targets.len()).map(|row| row as f64).collect()];
        let deviation = [TargetError::Squared, TargetError::Absolute][number % 2];
        let (distinct, codes) = rank(&targets);
        let by_code = prepared_table::weights_of(&codes, &weights, distinct.len());
        let coarse = Units::of_targets(deviation, &distinct, &by_code, 0.0);
        let units = coarse.finer().filter(|_| random.bool()).unwrap_or(coarse);
        let table = Table::new(&columns, &codes, &weights, distinct.len());
        let options = CostOptions::default();
        let prepared =
            CostTable::prepare(&|| false, &table, units, &options, 1).expect("not stopped");
        let subset = prepared.whole();
        let leaves = random.u32(2..9);
        let found = clustering_bound(&prepared, &subset, leaves);
        let optimum = min_cost_of_runs(&prepared, subset.count, leaves as usize);
        let levels = i64::from(subset.count.ilog2()) + 1;
        let tolerance = 4
            * i64::from(leaves)
            * (levels + 1)
            * prepared.units.cost.leaf_error(subset.count) as i64;
        assert!(found <= optimum, "{found} {optimum} {targets:?}");
        assert!(found as i64 >= optimum as i64 - tolerance, "{found} {optimum} {targets:?}");
        invalid += u32::from(bound_without_allowance(&prepared, &subset, leaves) > optimum);
    }
    // Without the allowance for rounding, the bound would be invalid for some tables.
    println!("{invalid} bounds would be invalid");
    assert!(invalid > 0);
}

/// The bound by divide and conquer.
fn clustering_bound(prepared: &CostTable, subset: &CostSubset, leaves: u32) -> Cost {
    let items = subset.weighted().iter().map(|slot| &prepared.items[slot as usize]);
    prepared.units.cost.clustering_bound(&|| false, items, leaves, 0)
}

/// The bound by divide and conquer, without the allowance for rounding.
fn bound_without_allowance(prepared: &CostTable, subset: &CostSubset, leaves: u32) -> Cost {
    with_mutant(Some(Mutant::CostRounding), || clustering_bound(prepared, subset, leaves))
}
