//! The minimum size against enumeration, on random tables.

use super::cache::Verdict;
use super::subtree_limits::ChildBudget;
use super::{SizeDecision, SizeRequest, SizeStats, SizeTable, minimum_size};
use crate::kernels::InstructionSet;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{InstanceLimits, check, definition, draw};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::SizeOptions;
use crate::support::random_weights;
use crate::support::sets::{Set, members, mixed, within};
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table, UNBOUNDED};

/// A table and the limits of its tree.
#[derive(Debug)]
struct SizeInstance {
    table: Table,
    allowed: InstanceLimits,
}

/// A random instance, with or without a low limit on depth, and with a limit on errors, on leaves
/// or on neither.
fn draw_instance(random: &mut fastrand::Rng, rows: usize) -> SizeInstance {
    let pure = random.u32(0..3) > 0;
    let table = draw(random, rows, pure);
    let mut allowed = InstanceLimits::all(&table);
    allowed.depth = if random.bool() { random.u32(0..4) } else { 8 };
    match random.u32(0..4) {
        0 | 1 => allowed.errors = random_weights::errors(random, &table),
        2 => {
            for class in 0..table.n_classes.min(3) {
                if random.bool() {
                    allowed.leaves[class] = random.u32(0..4);
                }
            }
        }
        _ => {}
    }
    SizeInstance { table, allowed }
}

fn request(
    instance: &SizeInstance,
    options: SizeOptions,
    memory_limit: Option<usize>,
) -> SizeRequest {
    let SizeInstance { table, allowed } = instance;
    let limited = allowed.leaves.iter().enumerate().filter(|(_, maximum)| **maximum < u32::MAX);
    SizeRequest {
        depth: allowed.depth,
        errors: allowed.errors,
        size: table.items.len() as u32,
        leaves: limited.map(|(class, &maximum)| (class as u32, maximum)).collect(),
        nodes: u64::MAX,
        memory_limit,
        stop_at_gap: 0.0,
        options,
    }
}

fn search(
    instance: &SizeInstance,
    options: SizeOptions,
    memory_limit: Option<usize>,
) -> (Outcome, SizeStats) {
    search_by(instance, &request(instance, options, memory_limit))
}

fn search_by(instance: &SizeInstance, request: &SizeRequest) -> (Outcome, SizeStats) {
    let table = &instance.table;
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    minimum_size(table, request, &clock, &Progress::default()).expect("a small table")
}

fn expected(instance: &SizeInstance) -> Option<u32> {
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    definition(&instance.table, &items, &instance.allowed)
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    for _ in 0..4_000 {
        let rows = random.usize(6..10);
        let instance = draw_instance(&mut random, rows);
        let optimum = expected(&instance);
        for _ in 0..3 {
            let (outcome, _) = search(&instance, SizeOptions::some_off(&mut random), None);
            check(&instance.table, &instance.allowed, u32::MAX, &outcome, optimum);
        }
    }
}

/// Larger tables, on which every bound is active.
fn draw_larger(random: &mut fastrand::Rng) -> SizeInstance {
    let mut instance = draw_instance(random, 20);
    instance.allowed.depth = instance.allowed.depth.max(3);
    instance
}

/// Random switches for larger tables; the cache stays on, since they take long without it.
fn random_options_with_cache(random: &mut fastrand::Rng) -> SizeOptions {
    SizeOptions { cache: true, ..SizeOptions::some_off(random) }
}

#[test]
fn switches_change_nothing_on_larger_tables_and_every_bound_prunes() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut totals = SizeStats::default().pruned().map(|_| 0);
    for _ in 0..400 {
        let instance = draw_larger(&mut random);
        let (plain, stats) = search(&instance, SizeOptions::default(), None);
        for (total, (_, count)) in totals.iter_mut().zip(stats.pruned()) {
            *total += count;
        }
        let (other, _) = search(&instance, random_options_with_cache(&mut random), None);
        let sizes = [&plain, &other].map(|outcome| (outcome.status, outcome.cost));
        assert_eq!(sizes[0], sizes[1], "{instance:?}");
        let size = plain.cost.map(|cost| cost as u32);
        check(&instance.table, &instance.allowed, u32::MAX, &plain, size);
        check(&instance.table, &instance.allowed, u32::MAX, &other, size);
    }
    assert!(totals.iter().all(|&total| total > 0), "{totals:?}");
}

#[test]
fn little_memory_changes_only_evictions() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let mut evicted = 0;
    for _ in 0..200 {
        let instance = draw_larger(&mut random);
        let (plain, _) = search(&instance, SizeOptions::default(), None);
        let (small, stats) = search(&instance, SizeOptions::default(), Some(4_000));
        assert_eq!((plain.status, plain.cost), (small.status, small.cost));
        assert!(stats.cache_bytes <= 8_000, "{stats:?}");
        evicted += stats.cache_evicted;
    }
    assert!(evicted > 0);
}

#[test]
fn a_gap_ends_the_search_with_valid_bounds() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let mut ended = 0;
    for _ in 0..400 {
        // Enumeration would take long; it tests the search without a gap above.
        let instance = draw_larger(&mut random);
        let (whole, _) = search(&instance, SizeOptions::default(), None);
        let optimum = whole.cost.unwrap_or(UNBOUNDED);
        let request = request(&instance, random_options_with_cache(&mut random), None);
        let stop_at_gap = [0.1, 0.3, 0.6][random.usize(..3)];
        let (outcome, _) = search_by(&instance, &SizeRequest { stop_at_gap, ..request });
        let (lower, cost) = (outcome.lower_bound, outcome.cost.unwrap_or(UNBOUNDED));
        if outcome.stopped_by == Some(StoppedBy::Gap) {
            assert_eq!(outcome.status, Status::Feasible);
            assert!(lower <= optimum && optimum <= cost && lower < cost, "{instance:?}");
            assert!((cost - lower) as f64 <= stop_at_gap * cost as f64);
            ended += 1;
        } else {
            assert_eq!((outcome.stopped_by, cost), (None, optimum), "{instance:?}");
        }
    }
    assert!(ended > 5, "{ended}");
}

/// Whether a verdict is right, by enumeration. For an infeasible subset, no tree of the size of the
/// budget classifies the core with fewer errors than the verdict says are needed, and these exceed
/// the budget. For a feasible subset, a tree within the budget classifies the whole superset.
fn is_true(
    instance: &SizeInstance,
    budget: ChildBudget,
    set: &Set<1>,
    verdict: Verdict<1>,
) -> bool {
    let order = mixed(instance.table.items.len());
    let optimum = |subset: &Set<1>, errors: u64| {
        let items: Vec<usize> = members(subset).map(|place| order[place as usize]).collect();
        definition(&instance.table, &items, &InstanceLimits { errors, ..instance.allowed.clone() })
    };
    let fits = |optimum: Option<u32>| optimum.is_some_and(|optimum| optimum <= budget.size);
    match verdict {
        Verdict::Feasible(wide) => within(set, &wide) && fits(optimum(&wide, budget.errors)),
        Verdict::Infeasible(core, needs) => {
            // Leaves are limited only where no errors are allowed.
            let unlimited = instance.allowed.leaves.iter().all(|&maximum| maximum == u32::MAX);
            let fewer = if unlimited { (needs - 1).min(instance.table.weight()) } else { 0 };
            within(&core, set) && needs > budget.errors && !fits(optimum(&core, fewer))
        }
    }
}

/// Solves several subproblems with one search; returns whether all verdicts are true.
fn all_verdicts_are_true(random: &mut fastrand::Rng) -> bool {
    let rows = random.usize(4..8);
    let instance = draw_instance(random, rows);
    let unavoidable: u64 = instance.table.items.iter().map(|item| item.unavoidable).sum();
    if unavoidable > instance.allowed.errors {
        // `minimum_size` does not search such a table.
        return true;
    }
    let size_request = request(&instance, random_options_with_cache(random), None);
    let prepared =
        SizeTable::<1>::prepare(&|| false, &instance.table, InstructionSet::detect(true));
    let prepared = prepared.expect("nothing stops it");
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let mut decision = SizeDecision::new(&prepared, &size_request.options, &clock, None);
    let (limits, errors) = decision.limits_of(&size_request);
    (0..6).all(|_| {
        let set = [prepared.all[0] & (random.u64(..) | random.u64(..))];
        let budget = ChildBudget { size: random.u32(0..4), limits, errors };
        let verdict = decision.fits(&set, budget).expect("nobody stops this search");
        set == [0] || is_true(&instance, budget, &set, verdict)
    })
}

#[test]
fn preparing_a_table_stops_at_any_poll() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let instance = draw_instance(&mut random, 8);
        let (table, polls) = (&instance.table, std::cell::Cell::new(0));
        let prepare_within = |max_polls: usize| {
            polls.set(0);
            let stopped = || {
                polls.set(polls.get() + 1);
                polls.get() > max_polls
            };
            SizeTable::<1>::prepare(&stopped, table, InstructionSet::detect(true))
        };
        let prepared = prepare_within(usize::MAX).expect("nothing stops it");
        assert_eq!(polls.get(), 2 * table.features.len(), "orders and sets of every feature");
        assert!((0..2 * table.features.len()).all(|max_polls| prepare_within(max_polls).is_none()));
        for (at, feature) in table.features.iter().enumerate() {
            for rank in 0..feature.values.len() as u32 {
                assert_eq!(prepared.up_to(at, rank), prepared.scan_up_to(at, rank));
            }
        }
    }
}

#[test]
fn cores_are_infeasible_and_feasible_subsets_have_trees() {
    let mut random = fastrand::Rng::with_seed(20_261_124);
    assert!((0..1_000).all(|_| all_verdicts_are_true(&mut random)));
}

/// The number of rounds before the one in which a wrong bound is noticed.
fn noticed_after(mutant: Mutant) -> Option<usize> {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let cost = |outcome: Outcome| (outcome.status, outcome.cost);
    (0..4_000).find(|round| {
        if !with_mutant(Some(mutant), || all_verdicts_are_true(&mut random)) {
            return true;
        }
        // Whole searches take longer, and detect fewer wrong bounds.
        let instance = draw_larger(&mut random);
        // A good incumbent hides wrong bounds.
        let options = SizeOptions { incumbent: false, ..random_options_with_cache(&mut random) };
        round % 8 == 0 && {
            let expected = cost(search(&instance, SizeOptions::default(), None).0);
            cost(with_mutant(Some(mutant), || search(&instance, options, None).0)) != expected
        }
    })
}

#[test]
fn every_mutant_of_a_bound_is_noticed() {
    let mutants = [
        Mutant::SizeCache,
        Mutant::EvenSplits,
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
        println!("{mutant:?} noticed after {noticed:?} rounds");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}
