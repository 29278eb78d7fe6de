//! The least size against enumeration, on random tables.

use super::{SizeRequest, SizeStats, least_size};
use crate::enumeration::{Allowed, check, definition, draw};
use crate::limits::{Clock, StopSwitch};
use crate::mutants::{Mutant, with};
use crate::options::SizeOptions;
use crate::tracer::Progress;
use exactree_model::{Outcome, Table};

/// A table and what its tree may have.
#[derive(Debug)]
struct Instance {
    table: Table,
    allowed: Allowed,
}

/// A random instance: limits on depth, errors and leaves, one of them or none.
fn draw_instance(random: &mut fastrand::Rng, rows: usize) -> Instance {
    let pure = random.u32(0..3) > 0;
    let table = draw(random, rows, pure);
    let mut allowed = Allowed::all(&table);
    allowed.depth = if random.bool() { random.u32(0..4) } else { 8 };
    match random.u32(0..4) {
        0 | 1 => allowed.errors = random.u64(0..6),
        2 => {
            for class in 0..table.n_classes.min(3) {
                if random.bool() {
                    allowed.leaves[class] = random.u32(0..4);
                }
            }
        }
        _ => {}
    }
    Instance { table, allowed }
}

fn switched(random: &mut fastrand::Rng) -> SizeOptions {
    let mut options = SizeOptions::default();
    let share = random.u32(0..4);
    for (name, _) in SizeOptions::ALL {
        options.set(name, random.u32(0..4) >= share);
    }
    options
}

fn search(
    instance: &Instance,
    options: SizeOptions,
    memory_limit: Option<usize>,
) -> (Outcome, SizeStats) {
    let Instance { table, allowed } = instance;
    let limited = allowed.leaves.iter().enumerate().filter(|(_, most)| **most < u32::MAX);
    let request = SizeRequest {
        depth: allowed.depth,
        errors: allowed.errors,
        size: table.items.len() as u32,
        leaves: limited.map(|(class, &most)| (class as u32, most)).collect(),
        memory_limit,
        options,
    };
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    least_size(table, &request, &clock, &Progress::default())
}

fn expected(instance: &Instance) -> Option<u32> {
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    definition(&instance.table, &items, &instance.allowed)
}

#[test]
fn the_least_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    for _ in 0..4_000 {
        let rows = random.usize(6..10);
        let instance = draw_instance(&mut random, rows);
        let least = expected(&instance);
        for _ in 0..3 {
            let (outcome, _) = search(&instance, switched(&mut random), None);
            check(&instance.table, &instance.allowed, u32::MAX, &outcome, least);
        }
    }
}

/// Larger tables, on which every rule has something to do.
fn draw_larger(random: &mut fastrand::Rng) -> Instance {
    let mut instance = draw_instance(random, 20);
    instance.allowed.depth = instance.allowed.depth.max(3);
    instance
}

/// Random switches for larger tables, which without the memo take long.
fn switched_with_memo(random: &mut fastrand::Rng) -> SizeOptions {
    SizeOptions { size_memo: true, ..switched(random) }
}

#[test]
fn switches_change_nothing_on_larger_tables_and_every_rule_discards() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut totals = [0; 10];
    for _ in 0..400 {
        let instance = draw_larger(&mut random);
        let (plain, stats) = search(&instance, SizeOptions::default(), None);
        for (total, (_, count)) in totals.iter_mut().zip(stats.discards()) {
            *total += count;
        }
        let (other, _) = search(&instance, switched_with_memo(&mut random), None);
        let sizes = [&plain, &other].map(|outcome| (outcome.status, outcome.cost));
        assert_eq!(sizes[0], sizes[1], "{instance:?}");
        let size = plain.cost.map(|cost| cost as u32);
        check(&instance.table, &instance.allowed, u32::MAX, &plain, size);
        check(&instance.table, &instance.allowed, u32::MAX, &other, size);
    }
    assert!(totals.iter().all(|&total| total > 0), "{totals:?}");
}

#[test]
fn little_memory_changes_nothing_but_what_is_evicted() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let mut evicted = 0;
    for _ in 0..200 {
        let instance = draw_larger(&mut random);
        let (plain, _) = search(&instance, SizeOptions::default(), None);
        let (small, stats) = search(&instance, SizeOptions::default(), Some(4_000));
        assert_eq!((plain.status, plain.cost), (small.status, small.cost));
        assert!(stats.memo_bytes <= 8_000, "{stats:?}");
        evicted += stats.memo_evicted;
    }
    assert!(evicted > 0);
}

/// Draws instances until a wrong bound is noticed; how many it took.
fn noticed_after(mutant: Mutant) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    (0..2_000).find(|_| {
        let instance = match random.bool() {
            true => draw_larger(&mut random),
            false => draw_instance(&mut random, 10),
        };
        let cost = |outcome: Outcome| (outcome.status, outcome.cost);
        let right = cost(search(&instance, SizeOptions::default(), None).0);
        (0..3).any(|_| {
            let options = switched_with_memo(&mut random);
            cost(with(Some(mutant), || search(&instance, options, None).0)) != right
        })
    })
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::SizeMemo,
        Mutant::EvenShares,
        Mutant::TwoNodes,
        Mutant::Wide,
        Mutant::Core,
        Mutant::NextErrors,
        Mutant::LeafShare,
        Mutant::LeafOfCore,
        Mutant::TooManyClasses,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant);
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
