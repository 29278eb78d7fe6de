//! Searches of some roots under constraints, in any order and stopped anywhere, against the
//! definition. Those for other costs than errors are in `constraints/leaf_costs/differential.rs`.

use crate::constraints::ConstrainedErrorRoots;
use crate::constraints::differential::instance::{draw_errors, without_choice};
use crate::constraints::differential::{ErrorInstance, costs, is_feasible, optimum};
use crate::engine::request::Request;
use crate::engine::root_range::in_tests::{KnownBounds, TaskCounts, TaskLimits, by_tasks};
use crate::engine::solution::CostedTree;
use crate::spaces::continuous::differential::random_options;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use exactree_model::{Cost, Tree};

const LIMITS: TaskLimits = TaskLimits { micros: 100, far: Some(1) };

fn prepared(
    instance: &ErrorInstance,
    options: &Options,
    (threads, relaxation): (usize, bool),
) -> ConstrainedErrorRoots {
    let request = Request {
        objective: instance.leaves.objective,
        limits: instance.limits,
        below: instance.leaves.below,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads,
    };
    let (switch, table) = (StopSwitch::default(), instance.table.clone());
    let (clock, constraints) = (Clock::start(None, &switch), instance.constraints.clone());
    let start = (relaxation, None);
    ConstrainedErrorRoots::prepare(table, &request, constraints, options, start, &clock)
        .expect("nothing stops it")
}

/// Whether a tree satisfies the constraints and has this cost.
fn is_right_tree(instance: &ErrorInstance, (cost, tree): &CostedTree) -> bool {
    let listed = instance.listed(tree, &instance.all_items());
    let within = tree.size() <= instance.limits.size && tree.depth() <= instance.limits.depth;
    within && is_feasible(instance, &listed) && costs(instance, &listed)[1] == *cost
}

/// Solves an instance task by task, perhaps after its relaxation; what is wrong if a bound, a tree
/// or the cost is.
fn solves_by_tasks(
    instance: &ErrorInstance,
    optimum: Option<Cost>,
    random: &mut fastrand::Rng,
    (tasks, adopted): (&mut TaskCounts, &mut usize),
) -> Result<(), String> {
    let (off, below) = ([0, 20, 50][random.usize(0..3)], instance.leaves.below);
    let options = random_options(random, off);
    let least = optimum.unwrap_or(below);
    let threads = 1 + usize::from(random.u32(0..10) == 0);
    let search = prepared(instance, &options, (threads, false));
    let mut start = (below, 0, None);
    if random.bool() {
        let relaxation = prepared(instance, &options, (threads, true));
        let is_right = |known: KnownBounds<'_>| known.lower <= least;
        let counted = (&mut *random, &mut TaskCounts::default());
        let limits = TaskLimits { far: None, ..LIMITS };
        let found = by_tasks(relaxation.tasks(), counted, limits, start.clone(), &is_right);
        let found = found.map_err(|why| format!("of the relaxation: {why}"))?;
        let lower = found.as_ref().map_or(below, |found| found.0);
        let tree = found.and_then(|found| search.tasks().adopted(found));
        *adopted += usize::from(tree.is_some());
        start = (below, lower, tree);
    }
    let is_right = |known: KnownBounds<'_>| {
        let right = |best: &CostedTree| best.0 >= least && is_right_tree(instance, best);
        known.lower <= least && known.best.is_none_or(right)
    };
    let found = by_tasks(search.tasks(), (random, tasks), LIMITS, start, &is_right);
    match found?.map(|best| best.0) {
        cost if cost == optimum => Ok(()),
        cost => Err(format!("{cost:?} with {options:?}")),
    }
}

fn draw(random: &mut fastrand::Rng) -> ErrorInstance {
    let instance = draw_errors(random, |weight| weight);
    ErrorInstance { constraints: without_choice(instance.constraints), ..instance }
}

fn compare(seed: u64, count: usize) {
    let (mut random, mut counts) = (fastrand::Rng::with_seed(seed), TaskCounts::default());
    let (mut violated, mut infeasible, mut adopted) = (0, 0, 0);
    for number in 0..count {
        let instance = draw(&mut random);
        let (optimum, excluded) = optimum(&instance);
        violated += usize::from(excluded);
        infeasible += usize::from(optimum.is_none());
        let counted = (&mut counts, &mut adopted);
        let solved = solves_by_tasks(&instance, optimum, &mut random, counted);
        assert!(solved.is_ok(), "{number}: {optimum:?}, {solved:?}, {instance:?}");
    }
    println!("{violated} {infeasible} {adopted} {counts:?}");
    assert!(violated > count / 6 && infeasible > count / 200 && adopted > count / 5);
    let TaskCounts { returned_open, stopped, ranges } = counts;
    assert!(returned_open > count / 20 && stopped > count / 20 && ranges > count / 20);
}

#[test]
fn any_order_of_tasks_is_the_definition() {
    compare(20_261_131, 8_000);
}

#[test]
#[ignore = "takes minutes"]
fn any_order_of_tasks_is_the_definition_on_many_instances() {
    compare(20_261_132, 200_000);
}

#[test]
fn a_root_closed_too_early_is_noticed() {
    let mut random = fastrand::Rng::with_seed(20_261_133);
    let noticed = (0..5_000).any(|_| {
        let instance = draw(&mut random);
        let (optimum, _) = optimum(&instance);
        let counted = (&mut TaskCounts::default(), &mut 0);
        let solve = || solves_by_tasks(&instance, optimum, &mut random, counted);
        with_mutant(Some(Mutant::RootsLeft), solve).is_err()
    });
    assert!(noticed);
}

#[test]
fn a_tree_that_violates_the_constraints_does_not_agree() {
    let mut random = fastrand::Rng::with_seed(20_261_134);
    let (mut violated, mut agreed) = (0, 0);
    for _ in 0..2_000 {
        let instance = draw(&mut random);
        let search = prepared(&instance, &Options::default(), (1, false));
        let items = instance.all_items();
        let Some(feature) = instance.table.features.first() else { continue };
        let rank = random.u32(0..feature.values.len() as u32 - 1);
        let tree = Tree::node(0, rank, Tree::leaf(0), Tree::leaf(0));
        let listed = instance.listed(&tree, &items);
        let cost = costs(&instance, &listed)[1];
        let (limits, rows) = (instance.limits, |of: &[usize]| -> u64 {
            of.iter().map(|&item| instance.table.items[item].rows).sum()
        });
        let large = listed.leaves().into_iter().all(|of| rows(of) >= limits.min_samples_leaf);
        let within = limits.depth > 0 && limits.size > 0 && large;
        let feasible = within && is_feasible(&instance, &listed);
        assert_eq!(search.tasks().agrees(&tree, cost), feasible);
        assert!(!search.tasks().agrees(&tree, cost + 1));
        violated += usize::from(within && !feasible);
        agreed += usize::from(feasible);
    }
    assert!(violated > 100 && agreed > 500, "{violated} {agreed}");
}
