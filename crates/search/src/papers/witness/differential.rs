//! The witness search against enumeration and against its specification, on random tables.

use super::request::WitnessPruneCounts;
use super::{WitnessOptions, WitnessRequest, WitnessStats, witness};
use crate::minimum_size::{SizeRequest, minimum_size};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{InstanceLimits, check, definition, draw};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::SizeOptions;
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table, Weight};
use std::time::Duration;

fn solve(table: &Table, request: &WitnessRequest) -> (Outcome, WitnessStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    witness(table, request, &clock, &Progress::default()).expect("small enough")
}

/// Checks that every bound pruned something, given the sums of all counts.
fn all_occurred(totals: &WitnessPruneCounts) {
    assert!(totals.list().iter().all(|(_, count)| *count > 0), "{totals:?}");
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_204);
    let mut totals = WitnessPruneCounts::default();
    for _ in 0..4_000 {
        let table = draw(&mut random, 9, false);
        let errors = random_weights::errors(&mut random, &table);
        let options = WitnessOptions::some_off(&mut random);
        let size = random.u32(0..6);
        let request = WitnessRequest { errors, size, memory_limit: None, options };
        let (outcome, stats) = solve(&table, &request);
        let allowed = InstanceLimits { errors, ..InstanceLimits::all(&table) };
        let items: Vec<usize> = (0..table.items.len()).collect();
        check(&table, &allowed, size, &outcome, definition(&table, &items, &allowed));
        totals.add(&stats.pruned);
    }
    all_occurred(&totals);
}

#[test]
fn every_accelerator_alone_finds_the_minimum_size_of_enumeration() {
    let mut random = fastrand::Rng::with_seed(20_261_209);
    let mut totals = WitnessPruneCounts::default();
    for _ in 0..1_000 {
        let table = draw(&mut random, 9, false);
        let errors = random_weights::errors(&mut random, &table);
        let size = random.u32(0..6);
        let allowed = InstanceLimits { errors, ..InstanceLimits::all(&table) };
        let items: Vec<usize> = (0..table.items.len()).collect();
        let expected = definition(&table, &items, &allowed);
        for (name, _) in WitnessOptions::ALL {
            let mut options = WitnessOptions::all_off();
            assert!(options.set(name, true));
            options.improvement_bound |= *name == "needed_improvement";
            let request = WitnessRequest { errors, size, memory_limit: None, options };
            let (outcome, stats) = solve(&table, &request);
            check(&table, &allowed, size, &outcome, expected);
            totals.add(&stats.pruned);
        }
    }
    all_occurred(&totals);
}

/// A table of a few dozen rows whose labels follow two rules, with exceptions.
fn draw_larger(random: &mut fastrand::Rng) -> Table {
    let (rows, features) = (random.usize(16..40), random.usize(2..5));
    let (values, classes) = (random.u32(2..9), random.u32(2..4));
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let (first, second) = (random.usize(0..features), random.usize(0..features));
    let middle = f64::from(values / 2);
    let label = |row: usize, exception: u32| {
        let rules = (columns[first][row] < middle, columns[second][row] < middle);
        (u32::from(rules.0) + 2 * u32::from(rules.1) + exception) % classes
    };
    let labels: Vec<u32> =
        (0..rows).map(|row| label(row, u32::from(random.u32(0..12) == 0))).collect();
    let weights = random_weights::weights(random, rows, 62);
    Table::new(&columns, &labels, &weights, classes as usize)
}

#[test]
fn the_minimum_size_is_that_of_the_size_search_and_every_bound_prunes() {
    let mut random = fastrand::Rng::with_seed(20_261_206);
    let mut totals = WitnessPruneCounts::default();
    for _ in 0..1_200 {
        let table = draw_larger(&mut random);
        let unavoidable: Weight = table.items.iter().map(|item| item.unavoidable).sum();
        let errors = unavoidable + if random.bool() { 0 } else { random.u64(0..3) };
        let mut options = WitnessOptions::some_off(&mut random);
        // Without these two switches the search may take long.
        options.dirty_priority = true;
        options.improvement_bound = true;
        let size = random.u32(2..6);
        let request = WitnessRequest { errors, size, memory_limit: None, options };
        let (outcome, stats) = solve(&table, &request);
        let (leaves, options) = (Vec::new(), SizeOptions::default());
        let (depth, nodes) = (u32::MAX, u64::MAX);
        let (memory_limit, stop_at_gap) = (None, 0.0);
        let size_request =
            SizeRequest { depth, errors, size, leaves, nodes, memory_limit, stop_at_gap, options };
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let (expected, _) =
            minimum_size(&table, &size_request, &clock, &Progress::default()).expect("small");
        let allowed = InstanceLimits { errors, ..InstanceLimits::all(&table) };
        check(&table, &allowed, size, &outcome, expected.cost.map(|cost| cost as u32));
        totals.add(&stats.pruned);
    }
    all_occurred(&totals);
}

#[test]
fn a_deep_search_has_enough_stack() {
    let columns: Vec<Vec<f64>> = vec![(0..300).map(f64::from).collect()];
    let labels: Vec<u32> = (0..300).map(|row| row % 2).collect();
    let table = Table::new(&columns, &labels, &[1; 300], 2);
    let options = WitnessOptions { incumbent: false, ..WitnessOptions::default() };
    let request = WitnessRequest { errors: 0, size: 1000, memory_limit: None, options };
    let (outcome, stats) = solve(&table, &request);
    assert_eq!(outcome.cost, Some(299));
    assert_eq!(stats.first_size, 299);
}

#[test]
fn a_stopped_search_returns_its_tree_and_lower_bound() {
    let mut random = fastrand::Rng::with_seed(20_261_207);
    let columns: Vec<Vec<f64>> =
        (0..8).map(|_| (0..200).map(|_| f64::from(random.u32(0..50))).collect()).collect();
    let labels: Vec<u32> = (0..200).map(|_| random.u32(0..2)).collect();
    let table = Table::new(&columns, &labels, &[1; 200], 2);
    let switch = StopSwitch::default();
    let clock = Clock::start(Some(Duration::from_millis(50)), &switch);
    let options = WitnessOptions::default();
    let request = WitnessRequest { errors: 0, size: u32::MAX, memory_limit: None, options };
    let (outcome, _) = witness(&table, &request, &clock, &Progress::default()).expect("small");
    assert_eq!(outcome.status, Status::Feasible);
    assert!(outcome.cost.is_some_and(|cost| 0 < outcome.lower_bound && outcome.lower_bound < cost));
    assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let columns: Vec<Vec<f64>> = vec![(0..300).map(f64::from).collect()];
    let labels: Vec<u32> = (0..300).map(|row| row % 2).collect();
    let table = Table::new(&columns, &labels, &[1; 300], 2);
    let options = WitnessOptions::default();
    let request = WitnessRequest { errors: 0, size: 9, memory_limit: Some(4096), options };
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let refused = witness(&table, &request, &clock, &Progress::default());
    assert!(refused.is_err_and(|reason| reason.to_string().contains("299 entries")));
}

#[test]
fn every_bound_that_is_wrong_by_one_is_noticed() {
    let mutants = [
        Mutant::WitnessImprovement,
        Mutant::WitnessNeeded,
        Mutant::WitnessPairs,
        Mutant::WitnessLeafPairs,
        Mutant::WitnessCaching,
        Mutant::WitnessPureCaptures,
        Mutant::WitnessCleanRests,
        Mutant::WitnessLastLeft,
        Mutant::WitnessLastRight,
        Mutant::WitnessThreshold,
        Mutant::WitnessHeight,
        Mutant::WitnessBorders,
        Mutant::WitnessItemsToTry,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(20_261_208);
        let noticed = (0..5_000).find(|_| {
            // No errors in two of three instances, otherwise one.
            let errors = random.u64(0..6) / 4;
            let table = draw(&mut random, if errors == 0 { 16 } else { 9 }, true);
            let options =
                WitnessOptions { incumbent: false, ..WitnessOptions::some_off(&mut random) };
            let request = WitnessRequest { errors, size: 6, memory_limit: None, options };
            let (expected, _) = solve(&table, &request);
            let (found, _) = with_mutant(Some(mutant), || solve(&table, &request));
            (expected.status, expected.cost) != (found.status, found.cost)
        });
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}

/// A witness tree of the specification.
#[derive(Clone)]
enum PlainTree {
    Leaf { class: u32, witness: usize },
    Node { feature: usize, rank: u32, children: Box<[PlainTree; 2]> },
}

/// `spec/witness.py`, line by line.
struct WitnessSpecification<'a> {
    table: &'a Table,
    errors: Weight,
    size: u32,
    nodes: u64,
}

impl WitnessSpecification<'_> {
    /// The child that an item goes to: 0 for the left one, 1 for the right one.
    fn child(&self, feature: usize, rank: u32, item: usize) -> usize {
        usize::from(self.table.features[feature].ranks[item] > rank)
    }

    fn class(&self, tree: &PlainTree, item: usize) -> u32 {
        match tree {
            PlainTree::Leaf { class, .. } => *class,
            PlainTree::Node { feature, rank, children } => {
                self.class(&children[self.child(*feature, *rank, item)], item)
            }
        }
    }

    fn witnesses(tree: &PlainTree, found: &mut Vec<usize>) {
        match tree {
            PlainTree::Leaf { witness, .. } => found.push(*witness),
            PlainTree::Node { children, .. } => {
                children.iter().for_each(|child| Self::witnesses(child, found))
            }
        }
    }

    fn decide(&mut self) -> bool {
        let (first, errors) = (self.table.items[0], self.errors);
        (0..self.table.n_classes as u32)
            .filter(|&class| class == first.class || first.weight <= errors)
            .any(|class| self.refine(&PlainTree::Leaf { class, witness: 0 }, 0))
    }

    fn refine(&mut self, tree: &PlainTree, nodes: u32) -> bool {
        self.nodes += 1;
        let items = &self.table.items;
        let dirty: Vec<usize> =
            (0..items.len()).filter(|&item| self.class(tree, item) != items[item].class).collect();
        if dirty.iter().map(|&item| items[item].weight).sum::<Weight>() <= self.errors {
            return true;
        }
        if nodes == self.size {
            return false;
        }
        let mut weight = 0;
        for item in dirty {
            if weight <= self.errors {
                let subset: Vec<usize> = (0..items.len()).collect();
                if self.refinements(tree, item, &subset).iter().any(|t| self.refine(t, nodes + 1)) {
                    return true;
                }
            }
            weight += items[item].weight;
        }
        false
    }

    fn refinements(&self, tree: &PlainTree, item: usize, subset: &[usize]) -> Vec<PlainTree> {
        let mut found = Vec::new();
        let mut witnesses = Vec::new();
        Self::witnesses(tree, &mut witnesses);
        let leaf = PlainTree::Leaf { class: self.table.items[item].class, witness: item };
        for (feature, column) in self.table.features.iter().enumerate() {
            let mut ranks: Vec<u32> = subset.iter().map(|&item| column.ranks[item]).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks.pop();
            for rank in ranks {
                let child = self.child(feature, rank, item);
                if witnesses.iter().all(|&witness| self.child(feature, rank, witness) != child) {
                    let mut children = Box::new([leaf.clone(), tree.clone()]);
                    children.rotate_left(child);
                    found.push(PlainTree::Node { feature, rank, children });
                }
            }
        }
        if let PlainTree::Node { feature, rank, children } = tree {
            let (feature, rank) = (*feature, *rank);
            let child = self.child(feature, rank, item);
            let with_item: Vec<usize> =
                subset.iter().copied().filter(|&x| self.child(feature, rank, x) == child).collect();
            for refined in self.refinements(&children[child], item, &with_item) {
                let mut children = children.clone();
                children[child] = refined;
                found.push(PlainTree::Node { feature, rank, children });
            }
        }
        found
    }
}

#[test]
fn without_accelerators_the_search_nodes_are_those_of_the_specification() {
    let mut random = fastrand::Rng::with_seed(20_261_205);
    let mut searched = 0;
    for _ in 0..600 {
        let pure = random.bool();
        let table = draw(&mut random, 8, pure);
        let errors = random_weights::errors(&mut random, &table);
        let request = WitnessRequest {
            errors,
            size: 4,
            memory_limit: None,
            options: WitnessOptions::all_off(),
        };
        let (_, stats) = solve(&table, &request);
        for (size, nodes) in stats.search_nodes_by_size {
            let mut specification = WitnessSpecification { table: &table, errors, size, nodes: 0 };
            specification.decide();
            assert_eq!(nodes, specification.nodes, "{table:?} {request:?} {size}");
            searched += u64::from(size > 1);
        }
    }
    assert!(searched > 100, "{searched}");
}
