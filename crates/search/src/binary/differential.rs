//! The search of columns with few values against the definition on random tables, and
//! against itself with wrong bounds: every mutant must be noticed.

use crate::differential::{Instance, definition, engine, noticed_after, switched};
use crate::layout::Layout;
use crate::mutants::Mutant;
use crate::options::Options;
use exactree_model::{Errors, Limits, Status, Table};

/// A random instance of columns of two to four values with at most so many rows, by depth, and features.
fn draw(random: &mut fastrand::Rng, most_rows: [usize; 6], most_features: usize) -> Instance {
    let depth = random.u32(1..6);
    let rows = random.usize(2..most_rows[depth as usize]);
    let features = random.usize(1..=most_features - (depth > 3) as usize);
    let classes = random.u32(2..6);
    let share = random.u32(1..10);
    // Every threshold of a feature with more values is a column, too.
    let columns: Vec<Vec<f64>> = (0..features)
        .map(|_| {
            let most = if depth < 4 { 4 } else { 1 };
            let values = [1, 1, 2, 3][random.usize(0..most)];
            let value = |random: &mut fastrand::Rng| match random.u32(0..10) < share {
                true => random.u32(1..=values),
                false => 0,
            };
            (0..rows).map(|_| value(random) as f64).collect()
        })
        .collect();
    let noisy = random.bool();
    let label = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..10) == 0 {
        true => random.u32(0..classes),
        false => (columns[0][row] > 0.0) as u32 ^ (columns[features - 1][row] > 0.0) as u32,
    };
    let labels: Vec<u32> = (0..rows).map(|row| label(row, random)).collect();
    // The heaviest tables need the wider lanes.
    let heaviest = [2, 2, 5, 100_000][random.usize(0..4)];
    let weights: Vec<u64> = (0..rows).map(|_| random.u64(1..heaviest)).collect();
    let full = ((1 << depth) - 1).min(15);
    let size = if random.bool() { full } else { random.u32(1..8).min(full) };
    Instance {
        table: Table::new(&columns, &labels, &weights, classes as usize),
        limits: Limits { depth, size, min_rows: [1, 1, 2, 3][random.usize(0..4)] },
        objective: [(1, 0), (1, 0), (1, 1), (3, 2), (1, 20)]
            .map(|(error_price, leaf_price)| Errors { error_price, leaf_price })
            [random.usize(0..5)],
    }
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut served = 0;
    for _ in 0..2000 {
        let instance = draw(&mut random, [0, 60, 40, 25, 20, 16], 5);
        let items: Vec<usize> = (0..instance.table.items.len()).collect();
        let least = definition(&instance, &items, instance.limits.normalised());
        for off in [0, 20, 50] {
            let mut options = switched(&mut random, off);
            for name in ["binary", "bit_columns", "depth_two"] {
                options.set(name, true);
            }
            let layout = Layout::new(&instance.table, &options, instance.limits.min_rows);
            served += layout.binary(&options) as usize;
            let found = engine(&instance, &options, 1);
            assert_eq!(found, (Status::Optimal, Some(least), least), "{instance:?} {options:?}");
        }
    }
    assert!(served > 3000, "{served}");
}

#[test]
fn several_threads_find_the_same_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    for _ in 0..300 {
        let instance = draw(&mut random, [0, 300, 300, 300, 200, 100], 12);
        let off = random.u32(0..2) * 20;
        let mut options = switched(&mut random, off);
        for name in ["binary", "bit_columns", "depth_two"] {
            options.set(name, true);
        }
        let alone = engine(&instance, &options, 1);
        for threads in [2, 3, 7] {
            assert_eq!(engine(&instance, &options, threads), alone, "{instance:?} {options:?}");
        }
    }
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::EqualRows,
        Mutant::ClassCount,
        Mutant::LeafPrice,
        Mutant::LeafBudget,
        Mutant::MemoBounds,
        Mutant::SimilarSides,
        Mutant::ThreeOnAPath,
        Mutant::Beside,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant, |random| draw(random, [0, 60, 60, 40, 40, 40], 7));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}

#[test]
fn a_table_of_two_valued_columns_is_served_unless_a_demand_on_rows_meets_weights() {
    let columns = [vec![0.0, 1.0, 0.0, 1.0]];
    let table = |weights: [u64; 4]| Table::new(&columns, &[0, 1, 1, 1], &weights, 2);
    let options = Options::default();
    let serves =
        |weights, min_rows| Layout::new(&table(weights), &options, min_rows).binary(&options);
    assert!(serves([1; 4], 1) && serves([1; 4], 2) && serves([3; 4], 1));
    assert!(!serves([3; 4], 2));
}
