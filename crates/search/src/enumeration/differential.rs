//! Counts and lists against the plain list of all trees, on random tables.

use super::{
    AllTreesOptions, AllTreesRequest, AllTreesStats, ListingQuantity, Shapes, Trees, count_trees,
    list_trees,
};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::random_weights;
use exactree_model::{Cost, Errors, Table, Weight};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// A leaf, or a feature, the items that go left, and two trees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DefinitionTree {
    Leaf,
    Node(u32, Vec<usize>, Box<[DefinitionTree; 2]>),
}

#[derive(Clone)]
struct MeasuredTree {
    tree: DefinitionTree,
    size: u32,
    depth: u32,
    cost: Cost,
}

/// Maximum number of trees of an instance.
const MAX_TREES: usize = 20_000;

/// All trees within a depth, each once; `None` if there are too many.
fn all_trees(
    table: &Table,
    objective: &Errors,
    min_samples_leaf: u64,
    items: &[usize],
    depth: u32,
) -> Option<Vec<MeasuredTree>> {
    if items.iter().map(|&item| table.items[item].rows).sum::<u64>() < min_samples_leaf {
        return Some(Vec::new());
    }
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let cost = objective.leaf(Errors::leaf_errors(&weights));
    let mut found = vec![MeasuredTree { tree: DefinitionTree::Leaf, size: 0, depth: 0, cost }];
    if depth == 0 {
        return Some(found);
    }
    for feature in &table.features {
        let present: BTreeSet<u32> = items.iter().map(|&item| feature.ranks[item]).collect();
        for rank in present {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if right.is_empty() {
                continue;
            }
            let lefts = all_trees(table, objective, min_samples_leaf, &left, depth - 1)?;
            let rights = all_trees(table, objective, min_samples_leaf, &right, depth - 1)?;
            if found.len() + lefts.len() * rights.len() > MAX_TREES {
                return None;
            }
            for a in &lefts {
                found.extend(rights.iter().map(|b| MeasuredTree {
                    tree: DefinitionTree::Node(
                        feature.index,
                        left.clone(),
                        Box::new([a.tree.clone(), b.tree.clone()]),
                    ),
                    size: a.size + b.size + 1,
                    depth: a.depth.max(b.depth) + 1,
                    cost: objective.join(a.cost, b.cost),
                }));
            }
        }
    }
    Some(found)
}

struct EnumerationInstance {
    table: Table,
    request: AllTreesRequest,
    expected: Vec<MeasuredTree>,
}

fn draw(random: &mut fastrand::Rng) -> Option<EnumerationInstance> {
    let (rows, features) = (random.usize(1..9), random.usize(1..4));
    let values = [2, 3, 8][random.usize(0..3)];
    let classes = random.u32(1..5);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    let weights = random_weights::weights(random, rows, 58);
    let table = Table::new(&columns, &labels, &weights, classes as usize);
    let (error_price, leaf_price) = [(1, 0), (1, 0), (1, 0), (2, 1)][random.usize(0..4)];
    let objective = Errors { error_price, leaf_price };
    let min_samples_leaf = [1, 1, 1, 2][random.usize(0..4)];
    let depth = if random.bool() { random.u32(0..4) } else { u32::MAX };
    let items: Vec<usize> = (0..table.items.len()).collect();
    let trees = all_trees(&table, &objective, min_samples_leaf, &items, depth.min(9))?;
    let (sizes, costs, minimum_size) = draw_ranges(random, &trees);
    // For every second table one shape is requested, with the minimum cost of its trees or slightly
    // more.
    let sample = if random.bool() { random.choice(&trees) } else { None };
    let shapes = sample.map(|tree| {
        let mut children = Vec::new();
        number(&tree.tree, &mut children);
        children
    });
    let has_shape = |tree: &&MeasuredTree| {
        shapes.as_ref().is_none_or(|children| {
            // The requested shape is the last one, and its tree adds no other shape.
            let mut extended = children.clone();
            number(&tree.tree, &mut extended) as usize + 1 == children.len()
                && extended == *children
        })
    };
    let (sizes, costs, minimum_size) = match &shapes {
        None => (sizes, costs, minimum_size),
        Some(_) => {
            let optimum = trees.iter().filter(has_shape).map(|tree| tree.cost).min().unwrap_or(0);
            (None, (optimum.saturating_sub(1), optimum + random.u64(0..3)), false)
        }
    };
    let expected = |tree: &&MeasuredTree| {
        has_shape(tree)
            && sizes.is_none_or(|(from, to)| (from..=to).contains(&tree.size))
            && (costs.0..=costs.1).contains(&tree.cost)
    };
    let expected = trees.iter().filter(expected).cloned().collect();
    let options = AllTreesOptions::default();
    let order = if shapes.is_none() { order(random, sizes.is_some(), depth) } else { Vec::new() };
    let shapes = shapes.map(|children| Shapes::new(&children).expect("subtrees come first"));
    let request = AllTreesRequest {
        objective,
        depth,
        shapes,
        sizes,
        costs,
        min_samples_leaf,
        minimum_size,
        order,
        memory_limit: None,
        options,
    };
    Some(EnumerationInstance { table, request, expected })
}

/// A random order of the list.
fn order(random: &mut fastrand::Rng, by_size: bool, depth: u32) -> Vec<ListingQuantity> {
    let mut order = vec![ListingQuantity::Cost];
    order.extend(by_size.then_some(ListingQuantity::Size));
    order.extend((depth < u32::MAX).then_some(ListingQuantity::Depth));
    random.shuffle(&mut order);
    order.truncate(random.usize(0..4));
    order
}

/// The number of a tree's shape in a list of shapes, given by their children; adds the shape and
/// its subtrees if they are missing, subtrees first.
fn number(tree: &DefinitionTree, children: &mut Vec<Option<(u32, u32)>>) -> u32 {
    let own = match tree {
        DefinitionTree::Leaf => None,
        DefinitionTree::Node(_, _, branches) => {
            let [a, b] = [&branches[0], &branches[1]].map(|branch| number(branch, children));
            Some((a.max(b), a.min(b)))
        }
    };
    let found = children.iter().position(|&other| other == own);
    found.unwrap_or_else(|| {
        children.push(own);
        children.len() - 1
    }) as u32
}

/// Ranges of sizes and costs, as they result from the minimized quantities and the limits, and
/// whether the size is the minimum.
fn draw_ranges(
    random: &mut fastrand::Rng,
    trees: &[MeasuredTree],
) -> (Option<(u32, u32)>, (Cost, Cost), bool) {
    let min_cost = trees.iter().map(|tree| tree.cost).min().unwrap_or(0);
    // The maximum is the cost of some tree, or one less, or slightly more than the minimum.
    let cost_of_some_tree = random.choice(trees).map_or(0, |tree| tree.cost);
    let maximum = match random.u32(0..4) {
        0 => cost_of_some_tree,
        1 => cost_of_some_tree.saturating_sub(1).max(min_cost),
        _ => min_cost + random.u64(0..3),
    };
    let cheap = || trees.iter().filter(|tree| tree.cost <= maximum);
    let size = cheap().map(|tree| tree.size).min().unwrap_or(0);
    match random.u32(0..6) {
        // Trees of minimum size: here with any cost up to the maximum, next with the minimum cost.
        0 => (Some((size, size)), (0, maximum), true),
        1 => {
            let cost = cheap().filter(|tree| tree.size == size).map(|tree| tree.cost).min();
            let cost = cost.unwrap_or(0);
            (Some((size, size)), (cost, cost), true)
        }
        2 => (Some((0, size + random.u32(0..3))), (0, maximum), false),
        3 => (None, (min_cost, min_cost), false),
        4 => (Some((0, size + random.u32(0..3))), (min_cost, maximum), false),
        _ => (None, (0, maximum), false),
    }
}

/// The listed trees, in their order.
fn listed_trees(table: &Table, trees: &Trees) -> Vec<DefinitionTree> {
    let mut start = 0;
    let mut found = Vec::new();
    for &end in &trees.ends {
        let items: Vec<usize> = (0..table.items.len()).collect();
        found.push(listed_tree(table, trees, start, 0, &items));
        start = end;
    }
    found
}

fn listed_tree(
    table: &Table,
    trees: &Trees,
    start: usize,
    node: usize,
    items: &[usize],
) -> DefinitionTree {
    let at = start + node;
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let classes = at * table.n_classes..(at + 1) * table.n_classes;
    assert_eq!(trees.class_weights[classes], weights);
    assert_eq!(trees.prediction[at], i64::from(Errors::leaf_class(&weights)));
    let rows: u64 = items.iter().map(|&item| table.items[item].rows).sum();
    assert_eq!(trees.rows[at], rows as i64);
    if trees.feature[at] < 0 {
        return DefinitionTree::Leaf;
    }
    let index = trees.feature[at] as u32;
    let feature = table.features.iter().find(|feature| feature.index == index).expect("a feature");
    let value = |item: &usize| feature.values[feature.ranks[*item] as usize];
    let (left, right): (Vec<usize>, Vec<usize>) =
        items.iter().partition(|item| value(item) <= trees.low[at]);
    assert_eq!(left.iter().map(value).fold(f64::MIN, f64::max), trees.low[at]);
    assert_eq!(right.iter().map(value).fold(f64::MAX, f64::min), trees.high[at]);
    let branches = [(trees.left[at], &left), (trees.right[at], &right)];
    let branches =
        branches.map(|(child, branch)| listed_tree(table, trees, start, child as usize, branch));
    DefinitionTree::Node(index, left, Box::new(branches))
}

fn check(instance: &EnumerationInstance, request: &AllTreesRequest) -> AllTreesStats {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let (count, stats) = count_trees(&instance.table, request, &clock);
    assert_eq!(
        count,
        Some(BigUint::from(instance.expected.len())),
        "{:?} {request:?}",
        instance.table
    );
    let mut listed = Vec::new();
    let complete = list_trees(&instance.table, request, &clock, &mut |trees| {
        listed.extend(listed_trees(&instance.table, &trees));
        true
    });
    assert!(complete);
    let expected: BTreeMap<&DefinitionTree, &MeasuredTree> =
        instance.expected.iter().map(|tree| (&tree.tree, tree)).collect();
    let distinct: BTreeSet<&DefinitionTree> = listed.iter().collect();
    assert_eq!(listed.len(), expected.len());
    assert_eq!(distinct, expected.keys().copied().collect(), "{request:?}");
    let rank = |listed| -> Vec<u64> {
        let tree = expected[listed];
        let number = |quantity: &ListingQuantity| match quantity {
            ListingQuantity::Size => tree.size.into(),
            ListingQuantity::Depth => tree.depth.into(),
            ListingQuantity::Cost => tree.cost,
        };
        request.order.iter().map(number).collect()
    };
    assert!(listed.is_sorted_by_key(rank), "{request:?}");
    stats
}

#[test]
fn counts_and_lists_are_those_of_all_trees_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let (mut done, mut several, mut with_shape, mut infeasible) = (0, 0, 0, 0);
    let mut total = AllTreesStats::default();
    while done < 3_000 {
        let Some(instance) = draw(&mut random) else { continue };
        done += 1;
        several += u32::from(instance.expected.len() > 1);
        if let Some(shapes) = &instance.request.shapes {
            with_shape += u32::from(shapes.get(shapes.whole()).size > 2);
            infeasible += u32::from(instance.expected.is_empty());
        }
        let mut request = instance.request.clone();
        let stats = check(&instance, &request);
        total.size_limits += stats.size_limits;
        total.lower_bounds += stats.lower_bounds;
        total.tight_bounds += stats.tight_bounds;
        total.interval_bound += stats.interval_bound;
        for (name, _) in AllTreesOptions::ALL {
            request.options.set(name, random.bool());
        }
        check(&instance, &request);
    }
    assert!(several > 1_000, "{several}");
    assert!(with_shape > 150, "{with_shape}");
    assert_eq!(infeasible, 0, "every requested shape has trees");
    let counts = [total.size_limits, total.lower_bounds, total.tight_bounds, total.interval_bound];
    assert!(counts.iter().all(|&count| count > 0), "{total:?}");
}
