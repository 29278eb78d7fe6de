//! The least size against enumeration, on random tables.

use super::{SizeRequest, least_size};
use crate::limits::{Clock, StopSwitch};
use crate::options::SizeOptions;
use crate::tracer::Progress;
use exactree_model::{Errors, Status, Table, Tree, Weight};

/// Least size of a tree within depth and errors, by trying every rule and every
/// share of the errors; none if there is no such tree.
fn definition(table: &Table, items: &[usize], depth: u32, errors: Weight) -> Option<u32> {
    let mut weights = vec![0; table.n_classes];
    for &item in items {
        weights[table.items[item].class as usize] += table.items[item].weight;
    }
    if Errors::leaf_errors(&weights) <= errors {
        return Some(0);
    }
    if depth == 0 {
        return None;
    }
    let mut least: Option<u32> = None;
    for feature in &table.features {
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty() || right.is_empty() {
                continue;
            }
            for left_errors in 0..=errors {
                let left = definition(table, &left, depth - 1, left_errors);
                let right = definition(table, &right, depth - 1, errors - left_errors);
                if let (Some(left), Some(right)) = (left, right) {
                    least = Some(least.unwrap_or(u32::MAX).min(left + right + 1));
                }
            }
        }
    }
    least
}

fn draw(random: &mut fastrand::Rng) -> (Table, u32, Weight) {
    let rows = random.usize(1..10);
    let features = random.usize(1..4);
    let values = [2, 3, 8][random.usize(0..3)];
    let classes = random.u32(1..5);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    let heaviest = [2, 4][random.usize(0..2)];
    let weights: Vec<u64> = (0..rows).map(|_| random.u64(1..heaviest)).collect();
    let depth = if random.bool() { random.u32(0..4) } else { 9 };
    let errors = if random.bool() { 0 } else { random.u64(0..3) };
    (Table::new(&columns, &labels, &weights, classes as usize), depth, errors)
}

/// Errors and depth of a tree, counted on the table.
fn counted(table: &Table, tree: &Tree) -> Weight {
    let wrong = table.items.iter().enumerate().filter(|(at, item)| {
        tree.predict(|feature| table.features[feature as usize].ranks[*at]) != item.class
    });
    wrong.map(|(_, item)| item.weight).sum()
}

#[test]
fn the_least_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    for _ in 0..3_000 {
        let (table, depth, errors) = draw(&mut random);
        let items: Vec<usize> = (0..table.items.len()).collect();
        let expected = definition(&table, &items, depth.min(8), errors);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let mut options = SizeOptions::default();
        let share = random.u32(0..4);
        for (name, _) in SizeOptions::ALL {
            options.set(name, random.u32(0..4) >= share);
        }
        let size = table.items.len() as u32;
        let request = SizeRequest { depth, errors, size, memory_limit: None, options };
        let (outcome, _) = least_size(&table, &request, &clock, &Progress::default());
        assert_eq!(outcome.cost, expected.map(u64::from), "{table:?} {request:?}");
        match &outcome.tree {
            None => assert_eq!(outcome.status, Status::Infeasible),
            Some(tree) => {
                assert_eq!(outcome.status, Status::Optimal);
                assert_eq!(Some(tree.size()), expected, "{table:?} {request:?} {tree:?}");
                assert!(tree.depth() <= depth);
                assert!(counted(&table, tree) <= errors);
            }
        }
    }
}
