//! The search by support sets compared with enumeration and with its specification, on random
//! tables.

use super::{SupportSetsOptions, SupportSetsRequest, SupportSetsStats, TreeQuantity, support_sets};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::min_size_by_enumeration::{InstanceLimits, check_tree, definition, draw};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Status, StoppedBy, Table};
use std::collections::BTreeSet;
use std::time::Duration;

fn solve(table: &Table, request: &SupportSetsRequest) -> (Outcome, SupportSetsStats) {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    support_sets(table, request, &clock, &Progress::default()).expect("small tables fit")
}

fn make_request(
    minimize: TreeQuantity,
    maximum: u32,
    options: SupportSetsOptions,
) -> SupportSetsRequest {
    SupportSetsRequest { minimize, maximum, memory_limit: None, options }
}

/// A table of two classes with fewer than `rows` rows and up to six features; most values may
/// be 0.
fn draw_wide(random: &mut fastrand::Rng, rows: usize, values: u32) -> Table {
    let (rows, features) = (random.usize(2..rows), random.usize(3..7));
    let rare = random.u32(1..4);
    let mut value = || f64::from(random.u32(0..values * rare).saturating_sub(values * (rare - 1)));
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| value()).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..2)).collect();
    Table::new(&columns, &labels, &random_weights::weights(random, rows, 62), 2)
}

fn everything(table: &Table) -> Vec<usize> {
    (0..table.items.len()).collect()
}

/// Minimum depth of a tree for these items, by trying every rule; `None` if there is no tree.
fn min_depth(table: &Table, items: &[usize]) -> Option<u32> {
    let class = |item: usize| table.items[item].class;
    if items.iter().all(|&item| class(item) == class(items[0])) {
        return Some(0);
    }
    let mut optimum = None;
    for feature in &table.features {
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if !left.is_empty() && !right.is_empty() {
                let children = min_depth(table, &left).zip(min_depth(table, &right));
                let depth = children.map(|(left, right)| 1 + left.max(right));
                optimum = optimum.into_iter().chain(depth).min();
            }
        }
    }
    optimum
}

fn optimum(table: &Table, minimize: TreeQuantity) -> Option<u32> {
    match minimize {
        TreeQuantity::Size => definition(table, &everything(table), &InstanceLimits::all(table)),
        TreeQuantity::Depth => min_depth(table, &everything(table)),
    }
}

/// Checks that a completed search found the minimum if it is within the limit.
fn check(table: &Table, request: &SupportSetsRequest, outcome: &Outcome) {
    let expected = optimum(table, request.minimize).filter(|&optimum| optimum <= request.maximum);
    assert_eq!(outcome.cost, expected.map(u64::from), "{table:?} {request:?}");
    match &outcome.tree {
        None => assert_eq!(outcome.status, Status::Infeasible),
        Some(tree) => {
            assert_eq!(outcome.status, Status::Optimal);
            assert_eq!(Some(request.minimize.of(tree)), expected, "{table:?} {tree:?}");
            check_tree(table, &InstanceLimits::all(table), tree);
        }
    }
}

fn compare(minimize: TreeQuantity, seed: u64, rounds: usize) -> SupportSetsStats {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut counted = SupportSetsStats::default();
    for _ in 0..rounds {
        let pure = random.u32(0..8) > 0;
        let table =
            if random.bool() { draw(&mut random, 7, pure) } else { draw_wide(&mut random, 10, 2) };
        let maximum = if random.bool() { u32::MAX } else { random.u32(0..5) };
        let mut request =
            make_request(minimize, maximum, SupportSetsOptions::some_off(&mut random));
        request.memory_limit = (random.u32(0..4) == 0).then_some(1_000);
        let (outcome, stats) = solve(&table, &request);
        check(&table, &request, &outcome);
        counted.larger_sets += stats.larger_sets;
        counted.pairs += stats.pairs;
        counted.cache_hits += stats.cache_hits;
        counted.cache_evicted += stats.cache_evicted;
        counted.disjoint_differences += stats.disjoint_differences;
        counted.empty_branching_sets += stats.empty_branching_sets;
        counted.small_branching_sets += stats.small_branching_sets;
        counted.class_count += stats.class_count;
    }
    counted
}

#[test]
fn the_minimum_size_is_that_of_enumeration_under_random_switches() {
    let counted = compare(TreeQuantity::Size, 20_261_120, 20_000);
    assert!(counted.cache_hits > 0 && counted.cache_evicted > 0, "{counted:?}");
    assert!(counted.larger_sets > 0 && counted.pairs > 0, "{counted:?}");
    assert!(counted.disjoint_differences > 0 && counted.class_count > 0, "{counted:?}");
    assert!(counted.empty_branching_sets > 0, "{counted:?}");
    assert!(counted.small_branching_sets > 0, "{counted:?}");
}

#[test]
fn the_minimum_depth_is_that_of_enumeration_under_random_switches() {
    let counted = compare(TreeQuantity::Depth, 20_261_121, 20_000);
    assert!(counted.cache_hits > 0 && counted.class_count > 0, "{counted:?}");
    assert!(counted.larger_sets > 0 && counted.pairs > 0, "{counted:?}");
    assert!(counted.empty_branching_sets > 0, "{counted:?}");
}

#[test]
fn every_switch_changes_the_work() {
    let work = |options: &SupportSetsOptions| {
        let mut random = fastrand::Rng::with_seed(20_261_124);
        let mut counted = Vec::new();
        for round in 0..200 {
            let minimize = if round % 4 == 0 { TreeQuantity::Depth } else { TreeQuantity::Size };
            let table = if round % 2 == 0 {
                draw(&mut random, 10, true)
            } else {
                draw_wide(&mut random, 12, 2)
            };
            let (_, stats) = solve(&table, &make_request(minimize, 6, options.clone()));
            counted.push(format!("{:?}", SupportSetsStats { seconds: 0.0, ..stats }));
        }
        counted
    };
    let all_on = work(&SupportSetsOptions::default());
    for (name, _) in SupportSetsOptions::ALL {
        // `shapes_together` only matters without `nodes_outside`.
        let nodes_outside = *name != "shapes_together";
        let mut options = SupportSetsOptions { nodes_outside, ..SupportSetsOptions::default() };
        let before = if nodes_outside { all_on.clone() } else { work(&options) };
        assert!(options.set(name, false));
        assert!(work(&options) != before, "{name}");
    }
}

/// A table whose rows are written as digits, separated by commas.
fn table_of_digits(rows: &str, labels: &[u32]) -> Table {
    let rows: Vec<Vec<f64>> = rows
        .split(',')
        .map(|row| row.bytes().map(|digit| f64::from(digit - b'0')).collect())
        .collect();
    let columns: Vec<Vec<f64>> =
        (0..rows[0].len()).map(|f| rows.iter().map(|row| row[f]).collect()).collect();
    Table::new(&columns, labels, &vec![1; labels.len()], 2)
}

#[test]
fn lemma_10_a_minimal_support_set_does_not_suffice() {
    let of_size = table_of_digits("0111,1100,0110,0000,0011,1111", &[1, 1, 0, 1, 0, 0]);
    let rows = "11000,11100,10001,10011,01000,11011,00010,01110";
    let of_depth = table_of_digits(rows, &[0, 1, 1, 0, 1, 1, 0, 1]);
    for (table, minimize, optimum) in
        [(of_size, TreeQuantity::Size, 4), (of_depth, TreeQuantity::Depth, 3)]
    {
        let plain = SupportSetsOptions { incumbent: false, ..SupportSetsOptions::all_off() };
        for options in [SupportSetsOptions::default(), plain] {
            let (outcome, stats) =
                solve(&table, &make_request(minimize, u32::MAX, options.clone()));
            assert_eq!(outcome.cost, Some(optimum));
            assert!(options.nodes_outside || stats.larger_sets > 0);
        }
    }
}

/// Counts the sets and pairs that `spec/support_sets.py` visits if there is no tree.
struct SupportSetSpecification<'a> {
    table: &'a Table,
    minimize: TreeQuantity,
    /// Support sets, larger sets, pairs.
    counts: (u64, u64, u64),
}

type Features = BTreeSet<usize>;

impl SupportSetSpecification<'_> {
    fn rank(&self, item: usize, f: usize) -> u32 {
        self.table.features[f].ranks[item]
    }

    fn agree(&self, a: usize, b: usize, s: &Features) -> bool {
        s.iter().all(|&f| self.rank(a, f) == self.rank(b, f))
    }

    fn is_support_set(&self, s: &Features) -> bool {
        let items = everything(self.table);
        let class = |item: usize| self.table.items[item].class;
        let contradict = |a: usize, b: usize| class(a) != class(b) && self.agree(a, b, s);
        !items.iter().any(|&a| items.iter().any(|&b| contradict(a, b)))
    }

    fn without(s: &Features, f: usize) -> Features {
        s.iter().copied().filter(|&other| other != f).collect()
    }

    fn min_dt(&mut self, s: u32) {
        let d = self.table.features.len();
        for members in 0u32..1 << d {
            let set: Features = (0..d).filter(|f| members >> f & 1 == 1).collect();
            let minimal = || !set.iter().any(|&f| self.is_support_set(&Self::without(&set, f)));
            if set.len() as u32 <= self.max_nodes(s) && self.is_support_set(&set) && minimal() {
                self.counts.0 += 1;
                self.min_dts(&set, s);
            }
        }
    }

    fn min_dts(&mut self, set: &Features, s: u32) {
        let k = set.len() as u32;
        let deepest = self.table.items.len() as u32 - 1;
        let depths = if self.minimize == TreeQuantity::Size { 0..1 } else { 0..s + 1 };
        for depth in depths {
            let maximum =
                if self.minimize == TreeQuantity::Size { s } else { self.max_nodes(depth) };
            for nodes in k..=maximum {
                let shapes = match self.minimize {
                    TreeQuantity::Size => shapes(nodes, deepest.max(nodes)),
                    TreeQuantity::Depth if depth == 0 => shapes(nodes, 0),
                    TreeQuantity::Depth => shapes(nodes, depth) - shapes(nodes, depth - 1),
                };
                self.counts.2 += shapes * onto(nodes, k);
            }
        }
        if k < self.max_nodes(s) {
            for f in self.branching_set(set) {
                self.counts.1 += 1;
                self.min_dts(&set.iter().copied().chain([f]).collect(), s);
            }
        }
    }

    fn max_nodes(&self, s: u32) -> u32 {
        self.minimize.max_nodes(s).min(self.table.items.len() as u32 - 1)
    }

    fn branching_set(&self, set: &Features) -> Features {
        let mut found = Features::new();
        for item in everything(self.table) {
            if (0..item).all(|earlier| !self.agree(earlier, item, set)) {
                let features = 0..self.table.features.len();
                found.extend(features.filter(|&f| self.rank(item, f) != self.rank(0, f)));
            }
        }
        found.difference(set).copied().collect()
    }
}

/// Number of shapes with this number of nodes and at most this depth.
fn shapes(nodes: u32, depth: u32) -> u64 {
    match (nodes, depth) {
        (0, _) => 1,
        (_, 0) => 0,
        _ => (0..nodes).map(|l| shapes(l, depth - 1) * shapes(nodes - 1 - l, depth - 1)).sum(),
    }
}

/// Number of ways to assign k features to the nodes so that all are used.
fn onto(nodes: u32, k: u32) -> u64 {
    match (nodes, k) {
        (0, 0) => 1,
        (0, _) | (_, 0) => 0,
        _ => u64::from(k) * (onto(nodes - 1, k - 1) + onto(nodes - 1, k)),
    }
}

#[test]
fn without_accelerators_the_steps_are_those_of_the_specification() {
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let (mut larger_sets, mut pairs) = (0, 0);
    for round in 0..1_000 {
        let minimize = if round % 2 == 0 { TreeQuantity::Size } else { TreeQuantity::Depth };
        let table =
            if random.bool() { draw(&mut random, 9, true) } else { draw_wide(&mut random, 10, 4) };
        let is_quick = |&optimum: &u32| optimum > 0 && minimize.max_nodes(optimum - 1) < 5;
        let Some(optimum) = optimum(&table, minimize).filter(is_quick) else { continue };
        let (outcome, stats) =
            solve(&table, &make_request(minimize, optimum - 1, SupportSetsOptions::all_off()));
        assert_eq!(outcome.status, Status::Infeasible);
        let counts = (0, 0, 0);
        let mut specification = SupportSetSpecification { table: &table, minimize, counts };
        (0..optimum).for_each(|s| specification.min_dt(s));
        let counted = (stats.support_sets, stats.larger_sets, stats.pairs);
        assert_eq!(counted, specification.counts, "{table:?} {minimize:?}");
        larger_sets += stats.larger_sets;
        pairs += stats.pairs;
    }
    assert!(larger_sets > 50 && pairs > 5_000, "{larger_sets} {pairs}");
}

#[test]
fn a_stopped_search_returns_its_tree_and_lower_bound() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let columns: Vec<Vec<f64>> =
        (0..6).map(|_| (0..150).map(|_| f64::from(random.u32(0..9))).collect()).collect();
    let labels: Vec<u32> = (0..150).map(|_| random.u32(0..2)).collect();
    let table = Table::new(&columns, &labels, &[1; 150], 2);
    assert_eq!(table.contradictory_groups, 0);
    for minimize in [TreeQuantity::Size, TreeQuantity::Depth] {
        let switch = StopSwitch::default();
        let clock = Clock::start(Some(Duration::from_millis(200)), &switch);
        let request = make_request(minimize, u32::MAX, SupportSetsOptions::default());
        let found = support_sets(&table, &request, &clock, &Progress::default());
        let (outcome, _) = found.expect("it fits");
        assert_eq!(outcome.status, Status::Feasible);
        assert_eq!(outcome.stopped_by, Some(StoppedBy::TimeLimit));
        assert!(outcome.lower_bound > 1 && Some(outcome.lower_bound) < outcome.cost);
        check_tree(&table, &InstanceLimits::all(&table), &outcome.tree.expect("the greedy tree"));
    }
}

#[test]
fn only_splits_beyond_the_memory_limit_are_refused() {
    let columns: Vec<Vec<f64>> = vec![(0..300).map(f64::from).collect(); 5];
    let labels: Vec<u32> = (0..300).map(|row| row % 2).collect();
    let table = Table::new(&columns, &labels, &[1; 300], 2);
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let mut request = make_request(TreeQuantity::Size, 3, SupportSetsOptions::default());
    request.memory_limit = Some(10_000);
    let refused = support_sets(&table, &request, &clock, &Progress::default());
    assert!(
        refused.is_err_and(|reason| reason.to_string().contains("splits would take 305 entries"))
    );
    // The limit allows 305 splits of 40 bytes.
    let mut request = make_request(TreeQuantity::Size, 3, SupportSetsOptions::default());
    request.memory_limit = Some(20_000);
    assert!(support_sets(&table, &request, &clock, &Progress::default()).is_ok());
}

#[test]
fn differences_found_during_the_search_change_no_solution() {
    let mut random = fastrand::Rng::with_seed(20_261_125);
    for round in 0..2_000 {
        let minimize = if round % 3 == 0 { TreeQuantity::Depth } else { TreeQuantity::Size };
        let table = draw_wide(&mut random, 10, 3);
        // Memory for so few differences that most are found during the search.
        let mut request = make_request(minimize, u32::MAX, SupportSetsOptions::default());
        request.memory_limit = Some(500);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let found = support_sets(&table, &request, &clock, &Progress::default());
        let (outcome, _) = found.expect("the splits of at most six features fit");
        check(&table, &request, &outcome);
    }
}

#[test]
fn a_table_of_many_rows_is_not_compared_pair_by_pair() {
    let (rows, mut random) = (40_000, fastrand::Rng::with_seed(20_261_126));
    let columns: Vec<Vec<f64>> =
        (0..4).map(|_| (0..rows).map(|_| random.f64()).collect()).collect();
    let labels: Vec<u32> = columns[2].iter().map(|&value| u32::from(value > 0.5)).collect();
    let table = Table::new(&columns, &labels, &vec![1; rows], 2);
    let options = SupportSetsOptions { incumbent: false, ..SupportSetsOptions::default() };
    let (outcome, _) = solve(&table, &make_request(TreeQuantity::Size, 2, options));
    assert_eq!((outcome.status, outcome.cost), (Status::Optimal, Some(1)));
}
