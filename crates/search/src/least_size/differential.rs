//! The least size against enumeration, on random tables.

use super::memo::Verdict;
use super::sides::Share;
use super::{Decision, Ground, SizeRequest, SizeStats, least_size, mixed};
use crate::drawn_weights;
use crate::enumeration::{Allowed, check, definition, draw};
use crate::kernels::Level;
use crate::limits::{Clock, StopSwitch};
use crate::mutants::{Mutant, with};
use crate::options::SizeOptions;
use crate::sets::{Set, members, within};
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
        0 | 1 => allowed.errors = drawn_weights::errors(random, &table),
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

fn request(instance: &Instance, options: SizeOptions, memory_limit: Option<usize>) -> SizeRequest {
    let Instance { table, allowed } = instance;
    let limited = allowed.leaves.iter().enumerate().filter(|(_, most)| **most < u32::MAX);
    SizeRequest {
        depth: allowed.depth,
        errors: allowed.errors,
        size: table.items.len() as u32,
        leaves: limited.map(|(class, &most)| (class as u32, most)).collect(),
        nodes: u64::MAX,
        memory_limit,
        options,
    }
}

fn search(
    instance: &Instance,
    options: SizeOptions,
    memory_limit: Option<usize>,
) -> (Outcome, SizeStats) {
    let table = &instance.table;
    let request = request(instance, options, memory_limit);
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    least_size(table, &request, &clock, &Progress::default()).expect("a small table")
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
    let mut totals = [0; 13];
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

/// Whether what a verdict says besides yes or no is true: a refused core is
/// refused itself, a tree serves everything that is said to be served.
fn is_true(instance: &Instance, share: Share, set: &Set<1>, verdict: Verdict<1>) -> bool {
    let order = mixed(instance.table.items.len());
    let least = |part: &Set<1>, errors: u64| {
        let items: Vec<usize> = members(part).map(|place| order[place as usize]).collect();
        definition(&instance.table, &items, &Allowed { errors, ..instance.allowed.clone() })
    };
    let fits = |least: Option<u32>| least.is_some_and(|least| least <= share.size);
    match verdict {
        Verdict::Served(wide) => within(set, &wide) && fits(least(&wide, share.errors)),
        Verdict::Refused(core, needs) => {
            // Leaves are limited only where no errors are allowed.
            let free = instance.allowed.leaves.iter().all(|&most| most == u32::MAX);
            let fewer = if free { (needs - 1).min(instance.table.weight()) } else { 0 };
            within(&core, set) && needs > share.errors && !fits(least(&core, fewer))
        }
    }
}

/// Asks one question of one search after another; whether all that was said is
/// true.
fn says_the_truth(random: &mut fastrand::Rng) -> bool {
    let rows = random.usize(4..8);
    let instance = draw_instance(random, rows);
    let unavoidable: u64 = instance.table.items.iter().map(|item| item.unavoidable).sum();
    if unavoidable > instance.allowed.errors {
        // `least_size` does not search such a table.
        return true;
    }
    let asked = request(&instance, switched_with_memo(random), None);
    let ground = Ground::<1>::unless(&|| false, &instance.table, Level::detect(true));
    let ground = ground.expect("nothing stops it");
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let mut decision = Decision::new(&ground, &asked.options, &clock, None);
    let (terms, errors) = decision.asked(&asked);
    (0..6).all(|_| {
        let set = [ground.all[0] & (random.u64(..) | random.u64(..))];
        let share = Share { size: random.u32(0..4), terms, errors };
        let verdict = decision.fits(&set, share).expect("nobody stops this search");
        set == [0] || is_true(&instance, share, &set, verdict)
    })
}

#[test]
fn a_table_is_prepared_until_it_is_to_stop() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let instance = draw_instance(&mut random, 8);
        let (table, polls) = (&instance.table, std::cell::Cell::new(0));
        let prepared = |most: usize| {
            polls.set(0);
            let stopped = || {
                polls.set(polls.get() + 1);
                polls.get() > most
            };
            Ground::<1>::unless(&stopped, table, Level::detect(true))
        };
        let ground = prepared(usize::MAX).expect("nothing stops it");
        assert_eq!(polls.get(), 2 * table.features.len(), "orders and sets of every feature");
        assert!((0..2 * table.features.len()).all(|most| prepared(most).is_none()));
        for (at, feature) in table.features.iter().enumerate() {
            for rank in 0..feature.values.len() as u32 {
                assert_eq!(ground.below(at, rank), ground.walked_below(at, rank));
            }
        }
    }
}

#[test]
fn cores_are_refused_and_what_is_said_to_be_served_is_served() {
    let mut random = fastrand::Rng::with_seed(20_261_124);
    assert!((0..1_000).all(|_| says_the_truth(&mut random)));
}

/// Draws instances until a wrong bound is noticed; how many it took.
fn noticed_after(mutant: Mutant) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let cost = |outcome: Outcome| (outcome.status, outcome.cost);
    (0..4_000).find(|count| {
        if !with(Some(mutant), || says_the_truth(&mut random)) {
            return true;
        }
        // A whole search takes longer, and notices less.
        let instance = draw_larger(&mut random);
        let options = switched_with_memo(&mut random);
        count % 8 == 0 && {
            let right = cost(search(&instance, SizeOptions::default(), None).0);
            cost(with(Some(mutant), || search(&instance, options, None).0)) != right
        }
    })
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::SizeMemo,
        Mutant::EvenShares,
        Mutant::TwoNodes,
        Mutant::UnlikePairs,
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
