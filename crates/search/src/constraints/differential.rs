//! The search under constraints against the definition: all trees are listed, and checked against the
//! constraints at every point of the grid of values.

mod instance;

use crate::constraints::solve_constrained;
use crate::engine::request::Request;
use crate::spaces::continuous::differential::random_options;
use crate::support::clock::{Clock, StopSwitch, stop_at_poll};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Outcome, Status, Tree, Weight};
use instance::{Instance, draw};
use std::sync::Arc;

/// A tree with the items of each leaf.
#[derive(Clone)]
enum Listed {
    Leaf(Vec<usize>),
    Node(usize, u32, Arc<Listed>, Arc<Listed>),
}

/// All trees for some items within limits, with ranks of the whole table.
fn trees(instance: &Instance, items: &[usize], limits: Limits) -> Vec<Listed> {
    let rows: u64 = items.iter().map(|&item| instance.table.items[item].rows).sum();
    if rows < limits.min_samples_leaf {
        return Vec::new();
    }
    let mut found = vec![Listed::Leaf(items.to_vec())];
    if limits.depth == 0 || limits.size == 0 {
        return found;
    }
    for (at, feature) in instance.table.features.iter().enumerate() {
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty() || right.is_empty() {
                continue;
            }
            let child = Limits { depth: limits.depth - 1, size: limits.size - 1, ..limits };
            let rights: Vec<Arc<Listed>> =
                trees(instance, &right, child).into_iter().map(Arc::new).collect();
            for left in trees(instance, &left, child).into_iter().map(Arc::new) {
                let of = |right: &Arc<Listed>| Listed::Node(at, rank, left.clone(), right.clone());
                found.extend(rights.iter().map(of).filter(|tree| size(tree) <= limits.size));
            }
        }
    }
    found
}

fn size(tree: &Listed) -> u32 {
    match tree {
        Listed::Leaf(_) => 0,
        Listed::Node(_, _, left, right) => 1 + size(left) + size(right),
    }
}

fn leaves<'t>(tree: &'t Listed, found: &mut Vec<&'t [usize]>) {
    match tree {
        Listed::Leaf(items) => found.push(items),
        Listed::Node(_, _, left, right) => {
            leaves(left, found);
            leaves(right, found);
        }
    }
}

fn weights_of(instance: &Instance, items: &[usize]) -> Vec<Weight> {
    let mut weights = vec![0; instance.table.n_classes];
    for item in items.iter().map(|&item| instance.table.items[item]) {
        weights[item.class as usize] += item.weight;
    }
    weights
}

fn feature_of(instance: &Instance, column: usize) -> u32 {
    instance.constraints.features[instance.table.features[column].index as usize]
}

fn used(instance: &Instance, tree: &Listed) -> Vec<u32> {
    let Listed::Node(column, _, left, right) = tree else { return Vec::new() };
    let mut features = [used(instance, left), used(instance, right)].concat();
    features.push(feature_of(instance, *column));
    features.sort_unstable();
    features.dedup();
    features
}

fn stands_below(instance: &Instance, tree: &Listed, above: &[u32]) -> bool {
    let Listed::Node(column, _, left, right) = tree else { return true };
    let feature = feature_of(instance, *column);
    let below = [above, &[feature]].concat();
    instance.constraints.only_below[feature as usize].is_none_or(|other| above.contains(&other))
        && [left, right].iter().all(|child| stands_below(instance, child, &below))
}

/// The value that must be monotone, as numerator and denominator.
fn value_at(instance: &Instance, tree: &Listed, point: &[u32]) -> (u128, u128) {
    match tree {
        Listed::Leaf(items) => {
            let weights = weights_of(instance, items);
            match instance.constraints.in_shares {
                true => {
                    let shares: Vec<Weight> = instance.constraints.shares(&weights).collect();
                    (shares[1].into(), shares.into_iter().map(u128::from).sum())
                }
                false => (Errors::leaf_class(&weights).into(), 1),
            }
        }
        Listed::Node(column, rank, left, right) => {
            let at = point[instance.table.features[*column].index as usize];
            value_at(instance, if at <= *rank { left } else { right }, point)
        }
    }
}

fn is_monotone(instance: &Instance, tree: &Listed) -> bool {
    let directed = instance.constraints.directions.iter().enumerate().filter(|(_, d)| **d != 0);
    directed.into_iter().all(|(column, &direction)| {
        instance.points.iter().all(|point| {
            let mut next = point.clone();
            next[column] += 1;
            if !instance.points.contains(&next) {
                return true;
            }
            let (a, b) = (value_at(instance, tree, point), value_at(instance, tree, &next));
            let (a, b) = (a.0 * b.1, b.0 * a.1);
            if direction > 0 { a <= b } else { a >= b }
        })
    })
}

/// The cost of a tree, without and with the prices of its features.
fn costs(instance: &Instance, tree: &Listed) -> [Cost; 2] {
    let mut found = Vec::new();
    leaves(tree, &mut found);
    let errors = |items: &&[usize]| Errors::leaf_errors(&weights_of(instance, items));
    let cost: Cost = found.iter().map(|items| instance.objective.leaf(errors(items))).sum();
    let price = |feature: u32| instance.constraints.prices[feature as usize];
    [cost, cost + used(instance, tree).into_iter().map(price).sum::<Cost>()]
}

/// Whether a tree satisfies all constraints.
fn is_feasible(instance: &Instance, tree: &Listed) -> bool {
    let stated = &instance.constraints;
    let mut found = Vec::new();
    leaves(tree, &mut found);
    let weights: Vec<Vec<Weight>> = found.iter().map(|items| weights_of(instance, items)).collect();
    let features = used(instance, tree);
    let predicting = |class: u32| weights.iter().filter(|w| Errors::leaf_class(w) == class).count();
    costs(instance, tree)[0] < instance.below
        && stated.required.iter().all(|feature| features.contains(feature))
        && stated.max_features.is_none_or(|most| features.len() <= most)
        && stated.quotas.iter().all(|&(class, most)| predicting(class) <= most as usize)
        && weights.iter().all(|w| stated.shares(w).sum::<Weight>() >= stated.min_leaf_weight)
        && stands_below(instance, tree, &[])
        && (!stated.monotone() || is_monotone(instance, tree))
}

/// The minimum cost of feasible trees, and whether constraints exclude a cheaper one.
fn optimum(instance: &Instance) -> (Option<Cost>, bool) {
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    let (mut best, mut excluded) = (None, false);
    for tree in trees(instance, &items, instance.limits.normalised()) {
        let cost = costs(instance, &tree)[1];
        if best.is_none_or(|best| cost < best) {
            match is_feasible(instance, &tree) {
                true => best = Some(cost),
                false => excluded = true,
            }
        }
    }
    (best, excluded)
}

/// A tree of the search as a listed tree.
fn listed(instance: &Instance, tree: &Tree, items: &[usize]) -> Listed {
    match tree {
        Tree::Leaf { .. } => Listed::Leaf(items.to_vec()),
        Tree::Node { feature, rank, left, right } => {
            let ranks = &instance.table.features[*feature as usize].ranks;
            let (left_items, right_items): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| ranks[item] <= *rank);
            let left = Arc::new(listed(instance, left, &left_items));
            let right = Arc::new(listed(instance, right, &right_items));
            Listed::Node(*feature as usize, *rank, left, right)
        }
    }
}

fn solved(instance: &Instance, options: &Options, threads: usize) -> Outcome {
    let request = Request {
        objective: instance.objective,
        limits: instance.limits,
        below: instance.below,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads,
    };
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    solve_constrained(
        &instance.table,
        &request,
        &instance.constraints,
        options,
        clock,
        &progress,
        None,
    )
    .outcome
}

/// Why an outcome is not that of the definition.
fn fault(instance: &Instance, optimum: Option<Cost>, outcome: &Outcome) -> Option<String> {
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    let tree = outcome.tree.as_ref().map(|tree| listed(instance, tree, &items));
    let expected = if optimum.is_some() { Status::Optimal } else { Status::Infeasible };
    let right = outcome.status == expected
        && outcome.cost == optimum
        && optimum.is_none_or(|cost| outcome.lower_bound == cost)
        && tree.as_ref().map(|tree| costs(instance, tree)[1]) == optimum
        && tree
            .is_none_or(|tree| size(&tree) <= instance.limits.size && is_feasible(instance, &tree));
    (!right).then(|| format!("expected {optimum:?}, got {outcome:?}"))
}

fn compare(seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut violated, mut infeasible) = (0, 0);
    for number in 0..count {
        let instance = draw(&mut random);
        let (optimum, excluded) = optimum(&instance);
        violated += usize::from(excluded);
        infeasible += usize::from(optimum.is_none());
        let off = [0, 20, 50][random.usize(0..3)];
        let options = random_options(&mut random, off);
        let threads = if number % 16 == 0 { 2 } else { 1 };
        let fault = fault(&instance, optimum, &solved(&instance, &options, threads));
        assert!(fault.is_none(), "{number}: {fault:?}, {instance:?}, {options:?}");
    }
    assert!(violated > count / 4 && infeasible > count / 100, "{violated} {infeasible}");
}

#[test]
fn the_search_under_constraints_is_the_definition() {
    compare(20_261_123, 20_000);
}

#[test]
#[ignore = "takes minutes"]
fn the_search_under_constraints_is_the_definition_on_many_instances() {
    compare(20_261_124, 400_000);
}

#[test]
fn a_stopped_search_under_constraints_has_a_valid_bound_and_a_feasible_tree() {
    let mut random = fastrand::Rng::with_seed(20_261_126);
    let mut stopped = 0;
    for number in 0..20_000 {
        let instance = draw(&mut random);
        let (optimum, _) = optimum(&instance);
        let polls = random.u64(1..60);
        let outcome = stop_at_poll(polls, || solved(&instance, &Options::default(), 1));
        stopped += usize::from(outcome.stopped_by.is_some());
        let context = format!("{number}: {polls} polls, {optimum:?}, {outcome:?}, {instance:?}");
        match optimum {
            None => assert!(outcome.tree.is_none(), "{context}"),
            Some(cost) => assert!(outcome.lower_bound <= cost, "{context}"),
        }
        if let Some(tree) = &outcome.tree {
            let items: Vec<usize> = (0..instance.table.items.len()).collect();
            let tree = listed(&instance, tree, &items);
            assert!(is_feasible(&instance, &tree), "{context}");
            assert_eq!(Some(costs(&instance, &tree)[1]), outcome.cost, "{context}");
        }
    }
    assert!(stopped > 1_000, "{stopped}");
}

#[test]
fn wrong_bounds_of_monotone_trees_are_noticed() {
    for mutant in [Mutant::MonotoneStumps, Mutant::CrossBound] {
        let mut random = fastrand::Rng::with_seed(20_261_125);
        let noticed = (0..20_000).any(|_| {
            let instance = draw(&mut random);
            if !instance.constraints.monotone() || instance.limits.depth < 2 {
                return false;
            }
            let options = Options { incumbent: false, ..Options::default() };
            let right = solved(&instance, &options, 1).cost;
            let wrong = with_mutant(Some(mutant), || solved(&instance, &options, 1)).cost;
            wrong != right
        });
        assert!(noticed, "{mutant:?}");
    }
}
