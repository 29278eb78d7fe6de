//! The search of tables of binary columns, or of few values, compared with the definition on random
//! tables; the comparison must notice every mutant, a search with one wrong bound.

use super::columns::BinaryColumns;
use super::path_cache::PathCache;
use super::space::BinarySpace;
use super::sparse_lists::RuleLists;
use super::subset::BinarySubset;
use crate::engine::request::Request;
use crate::engine::space::Search;
use crate::kernels::InstructionSet;
use crate::kernels::chunks::{Pairs, count};
use crate::kernels::spread_columns::spread;
use crate::spaces::continuous::differential::{
    BITS, Instance, definition, engine, noticed_after, random_options, the_upper_bound_is_respected,
};
use crate::spaces::continuous::layout::Layout;
use crate::spaces::solve::solve;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::mutants::Mutant;
use crate::support::options::Options;
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Errors, Limits, Status, Table, UNBOUNDED};
use std::marker::PhantomData;

/// A random instance of columns of two to four values, with limits on features and, by depth, on
/// rows.
fn draw(random: &mut fastrand::Rng, max_rows: [usize; 6], max_features: usize) -> Instance {
    let depth = random.u32(1..6);
    let rows = random.usize(2..max_rows[depth as usize]);
    let features = random.usize(1..=max_features - (depth > 3) as usize);
    let classes = random.u32(2..6);
    let share = random.u32(1..10);
    // Every threshold of a feature with more values is also a column.
    let columns: Vec<Vec<f64>> = (0..features)
        .map(|_| {
            let maximum = if depth < 4 { 4 } else { 1 };
            let values = [1, 1, 2, 3][random.usize(0..maximum)];
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
    let weights = random_weights::weights(random, rows, BITS);
    let full = ((1 << depth) - 1).min(15);
    let size = if random.bool() { full } else { random.u32(1..8).min(full) };
    Instance {
        table: Table::new(&columns, &labels, &weights, classes as usize),
        limits: Limits { depth, size, min_samples_leaf: [1, 1, 2, 3][random.usize(0..4)] },
        objective: [(1, 0), (1, 0), (1, 1), (3, 2), (1, 20)]
            .map(|(error_price, leaf_price)| Errors { error_price, leaf_price })
            [random.usize(0..5)],
    }
}

#[test]
fn the_search_agrees_with_the_definition_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let mut accepted = 0;
    for _ in 0..2000 {
        let instance = draw(&mut random, [0, 60, 40, 25, 20, 16], 5);
        let items: Vec<usize> = (0..instance.table.items.len()).collect();
        let optimum = definition(&instance, &items, instance.limits.normalised());
        for off in [0, 20, 50] {
            let mut options = random_options(&mut random, off);
            for name in ["binary", "bit_columns", "depth_two"] {
                options.set(name, true);
            }
            let layout = Layout::new(&instance.table, &options, instance.limits.min_samples_leaf);
            accepted += layout.binary(&options) as usize;
            let found = engine(&instance, &options, 1);
            assert_eq!(
                found,
                (Status::Optimal, Some(optimum), optimum),
                "{instance:?} {options:?}"
            );
        }
    }
    assert!(accepted > 3000, "{accepted}");
}

#[test]
fn only_trees_that_cost_less_than_the_upper_bound_count() {
    the_upper_bound_is_respected(|random| draw(random, [0, 60, 40, 25, 20, 12], 5));
}

/// Checks that the cache entries of a stopped search are valid for the next one.
#[test]
fn cache_entries_of_a_stopped_search_are_valid() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let mut stopped = 0;
    for _ in 0..1_000 {
        let instance = draw(&mut random, [0, 60, 40, 30, 30, 20], 6);
        let limits = instance.limits.normalised();
        let options = Options { cache: true, ..Options::default() };
        let layout = Layout::new(&instance.table, &options, limits.min_samples_leaf);
        if !layout.binary(&options) || limits.depth < 3 {
            continue;
        }
        let (_, _, optimum) = engine(&instance, &Options { binary: false, ..options.clone() }, 1);
        let (columns, rules) = BinaryColumns::of_table(&layout, InstructionSet::detect(true));
        let (progress, cache) = (Progress::default(), SharedCache::new(None, 1));
        let path_cache = PathCache::new(None, 1);
        for times in [random.u64(1..4), random.u64(4..20), u64::MAX] {
            let switch = StopSwitch::default();
            let space = BinarySpace::<u32> {
                columns: &columns,
                rules: &rules,
                lists: None,
                objective: instance.objective,
                options: &options,
                path_cache: &path_cache,
                lane: PhantomData,
            };
            let clock = Clock::start(None, &switch);
            let (instructions, workspace) = (InstructionSet::detect(true), Default::default());
            let mut search = Search::over(space, clock, &progress, &cache, instructions, workspace);
            let whole = BinarySubset::whole(&columns);
            let solution = stop_at_poll(times, || {
                search
                    .in_rounds(UNBOUNDED, |search, upper| search.solve(&whole, limits, upper, None))
            });
            let cost = solution.tree.map_or(UNBOUNDED, |(cost, _)| cost);
            assert!(solution.lower <= optimum && optimum <= cost, "{instance:?}");
            stopped += switch.reason().is_some() as usize;
            if times == u64::MAX {
                assert_eq!((solution.lower, cost), (optimum, optimum), "{instance:?}");
            }
        }
    }
    assert!(stopped > 100, "{stopped}");
}

/// An instance of many columns. At most two of them hold each row before some columns are inverted.
fn sparse(random: &mut fastrand::Rng, features: usize, max_rows: usize) -> Instance {
    let rows = random.usize(max_rows / 2..max_rows);
    let mut columns = vec![vec![0.0; rows]; features];
    (0..rows).for_each(|row| {
        (0..random.u32(0..3)).for_each(|_| columns[random.usize(0..features)][row] = 1.0);
    });
    // Some columns are inverted.
    for column in columns.iter_mut().filter(|_| random.u32(0..4) == 0) {
        column.iter_mut().for_each(|value| *value = 1.0 - *value);
    }
    let classes = random.u32(2..4);
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    let min_samples_leaf = [1, 1, 2][random.usize(0..3)];
    // Columns of bits do not support a minimum leaf size where weights differ.
    let weights = if min_samples_leaf > 1 {
        vec![1; rows]
    } else {
        random_weights::weights(random, rows, BITS)
    };
    Instance {
        table: Table::new(&columns, &labels, &weights, classes as usize),
        limits: Limits { depth: 3, size: random.u32(3..8), min_samples_leaf },
        objective: [(1, 0), (1, 1), (1, 20)]
            .map(|(error_price, leaf_price)| Errors { error_price, leaf_price })
            [random.usize(0..3)],
    }
}

/// Thresholds of two continuous features as columns, which differ in few rows, with a minimum leaf
/// size: a tree allowed for a child may be forbidden for a child with one row less.
#[test]
fn the_similarity_bound_is_off_with_a_minimum_leaf_size() {
    let mut random = fastrand::Rng::with_seed(20_261_129);
    for _ in 0..1_500 {
        let rows = random.usize(30..90);
        let numbers: Vec<[u32; 2]> =
            (0..rows).map(|_| [random.u32(0..12), random.u32(0..12)]).collect();
        let column = |at: usize| {
            let above = |number: &[u32; 2]| f64::from(number[at % 2] > at as u32 / 2);
            numbers.iter().map(above).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..22).map(column).collect();
        let cells = random.u32(2..6);
        let label = |number: &[u32; 2]| match random.u32(0..5) {
            0 => random.u32(0..2),
            _ => (number[0] / cells + number[1] / cells) % 2,
        };
        let labels: Vec<u32> = numbers.iter().map(label).collect();
        let instance = Instance {
            table: Table::new(&columns, &labels, &vec![1; rows], 2),
            limits: Limits { depth: 3, size: 7, min_samples_leaf: random.u64(2..rows as u64 / 6) },
            objective: Errors { error_price: 1, leaf_price: 0 },
        };
        let off = Options { similarity_bound: false, ..Options::default() };
        let optimum = engine(&instance, &off, 1);
        assert_eq!(engine(&instance, &Options::default(), 1), optimum, "{instance:?}");
    }
}

#[test]
fn lists_count_what_words_of_bits_count() {
    let mut random = fastrand::Rng::with_seed(20_261_127);
    let mut inverted = 0;
    for _ in 0..300 {
        let instance = sparse(&mut random, 90, 200);
        if instance.table.weight() > u64::from(u32::MAX) {
            continue; // columns of bits do not serve it: see `spaces/continuous/layout.rs`
        }
        let layout = Layout::new(&instance.table, &Options::default(), 1);
        let (mut columns, mut rules) = BinaryColumns::of_table(&layout, InstructionSet::Portable);
        if random.bool() {
            inverted += columns.invert_to_smaller(&mut rules) as usize;
        }
        let lists = RuleLists::of(&columns);
        let mut subset = BinarySubset::whole(&columns);
        for _ in 0..4 {
            let (mut words, mut by_lists) = (Default::default(), Pairs::<u32>::default());
            let mut pairs = Pairs::<u32>::default();
            spread(
                InstructionSet::Portable,
                &subset.columns.rows(),
                &subset.columns.all,
                &mut words,
            );
            count(InstructionSet::Portable, &words, true, &mut pairs);
            lists.count(&subset.columns, &subset.members.words, &mut by_lists);
            for class in 0..subset.class_weights.len() {
                for rule in 0..pairs.count {
                    assert_eq!(by_lists.row(class, rule), pairs.row(class, rule));
                }
            }
            if subset.columns.rules.is_empty() {
                break;
            }
            let rule = random.usize(0..subset.columns.rules.len());
            subset = subset.child(&columns, InstructionSet::Portable, rule, random.bool());
        }
    }
    assert!(inverted > 50, "{inverted}");
}

#[test]
fn sparse_tables_are_solved_by_lists_as_without_them() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    let mut listed = 0;
    for number in 0..160 {
        // Small instances are compared with the definition; others are larger.
        let small = number % 4 == 0;
        let mut instance = sparse(&mut random, 120, if small { 160 } else { 400 });
        if small {
            instance.limits.depth = 2;
        }
        instance.limits = instance.limits.normalised();
        let off = Options { sparse_lists: false, ..Options::default() };
        let (_, _, optimum) = engine(&instance, &off, 1);
        if small {
            let items: Vec<usize> = (0..instance.table.items.len()).collect();
            assert_eq!(optimum, definition(&instance, &items, instance.limits));
        }
        let expected = (Status::Optimal, Some(optimum), optimum);
        let threads = 1 + number % 2;
        assert_eq!(engine(&instance, &Options::default(), threads), expected, "{instance:?}");
        let request = Request {
            objective: instance.objective,
            limits: instance.limits,
            below: UNBOUNDED,
            memory_limit: None,
            stop_at_gap: 0.0,
            threads,
        };
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let solved = solve(&instance.table, &request, &Options::default(), clock, &progress);
        listed += (solved.stats.pruned.sparse_lists > 0) as usize;
    }
    assert!(listed > 60, "{listed}");
}

#[test]
fn several_threads_find_the_same_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    for _ in 0..300 {
        let instance = draw(&mut random, [0, 300, 300, 300, 200, 100], 12);
        let off = random.u32(0..2) * 20;
        let mut options = random_options(&mut random, off);
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
        Mutant::CachedBounds,
        Mutant::ColumnSimilarity,
        Mutant::ThreeOnAPath,
        Mutant::LeafSupport,
    ];
    for mutant in mutants {
        let noticed = noticed_after(mutant, |random| draw(random, [0, 60, 60, 40, 40, 40], 7));
        println!("{mutant:?} noticed after {noticed:?} instances");
        assert!(noticed.is_some(), "{mutant:?} went unnoticed");
    }
}

#[test]
fn two_valued_columns_are_searched_as_bits_unless_minimum_leaf_sizes_meet_weights() {
    let columns = [vec![0.0, 1.0, 0.0, 1.0]];
    let table = |weights: [u64; 4]| Table::new(&columns, &[0, 1, 1, 1], &weights, 2);
    let options = Options::default();
    let searched_as_bits = |weights, min_samples_leaf| {
        Layout::new(&table(weights), &options, min_samples_leaf).binary(&options)
    };
    assert!(
        searched_as_bits([1; 4], 1) && searched_as_bits([1; 4], 2) && searched_as_bits([3; 4], 1)
    );
    assert!(!searched_as_bits([3; 4], 2));
}
