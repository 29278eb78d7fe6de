//! Counts and lists against the plain list of all trees, on random tables.

use super::{
    AllTreesOptions, AllTreesRequest, AllTreesStats, Quantity, Shapes, Trees, count_trees,
    list_trees,
};
use crate::drawn_weights;
use crate::limits::{Clock, StopSwitch};
use exactree_model::{Cost, Errors, Table, Weight};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// A leaf, or a feature, the items that go left, and two trees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Leaf,
    Node(u32, Vec<usize>, Box<[Shape; 2]>),
}

#[derive(Clone)]
struct Measured {
    shape: Shape,
    size: u32,
    depth: u32,
    cost: Cost,
}

/// More trees than this are not listed.
const MOST: usize = 20_000;

/// All trees of some depth, each once; none if they are too many.
fn all(
    table: &Table,
    objective: &Errors,
    min_rows: u64,
    items: &[usize],
    depth: u32,
) -> Option<Vec<Measured>> {
    if items.iter().map(|&item| table.items[item].rows).sum::<u64>() < min_rows {
        return Some(Vec::new());
    }
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let cost = objective.leaf(Errors::leaf_errors(&weights));
    let mut found = vec![Measured { shape: Shape::Leaf, size: 0, depth: 0, cost }];
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
            let lefts = all(table, objective, min_rows, &left, depth - 1)?;
            let rights = all(table, objective, min_rows, &right, depth - 1)?;
            if found.len() + lefts.len() * rights.len() > MOST {
                return None;
            }
            for a in &lefts {
                found.extend(rights.iter().map(|b| Measured {
                    shape: Shape::Node(
                        feature.index,
                        left.clone(),
                        Box::new([a.shape.clone(), b.shape.clone()]),
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

struct Instance {
    table: Table,
    request: AllTreesRequest,
    wanted: Vec<Measured>,
}

fn draw(random: &mut fastrand::Rng) -> Option<Instance> {
    let (rows, features) = (random.usize(1..9), random.usize(1..4));
    let values = [2, 3, 8][random.usize(0..3)];
    let classes = random.u32(1..5);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    let weights = drawn_weights::weights(random, rows, 58);
    let table = Table::new(&columns, &labels, &weights, classes as usize);
    let (error_price, leaf_price) = [(1, 0), (1, 0), (1, 0), (2, 1)][random.usize(0..4)];
    let objective = Errors { error_price, leaf_price };
    let min_rows = [1, 1, 1, 2][random.usize(0..4)];
    let depth = if random.bool() { random.u32(0..4) } else { u32::MAX };
    let items: Vec<usize> = (0..table.items.len()).collect();
    let trees = all(&table, &objective, min_rows, &items, depth.min(9))?;
    let (sizes, costs, least_size) = numbers(random, &trees);
    // Of every second table one shape is wanted, with as few errors as its trees have, or more.
    let asked = if random.bool() { random.choice(&trees) } else { None };
    let shapes = asked.map(|tree| {
        let mut children = Vec::new();
        number(&tree.shape, &mut children);
        children
    });
    let has_shape = |tree: &&Measured| {
        shapes.as_ref().is_none_or(|children| {
            let mut more = children.clone();
            number(&tree.shape, &mut more) as usize + 1 == children.len() && more == *children
        })
    };
    let (sizes, costs, least_size) = match &shapes {
        None => (sizes, costs, least_size),
        Some(_) => {
            let least = trees.iter().filter(has_shape).map(|tree| tree.cost).min().unwrap_or(0);
            (None, (least.saturating_sub(1), least + random.u64(0..3)), false)
        }
    };
    let wanted = |tree: &&Measured| {
        has_shape(tree)
            && sizes.is_none_or(|(from, to)| (from..=to).contains(&tree.size))
            && (costs.0..=costs.1).contains(&tree.cost)
    };
    let wanted = trees.iter().filter(wanted).cloned().collect();
    let options = AllTreesOptions::default();
    let order = if shapes.is_none() { order(random, sizes.is_some(), depth) } else { Vec::new() };
    let shapes = shapes.map(|children| Shapes::new(&children).expect("subtrees come first"));
    let request = AllTreesRequest {
        objective,
        depth,
        shapes,
        sizes,
        costs,
        min_rows,
        least_size,
        order,
        memory_limit: None,
        options,
    };
    Some(Instance { table, request, wanted })
}

/// What trees may be listed by.
fn order(random: &mut fastrand::Rng, by_size: bool, depth: u32) -> Vec<Quantity> {
    let mut order = vec![Quantity::Cost];
    order.extend(by_size.then_some(Quantity::Size));
    order.extend((depth < u32::MAX).then_some(Quantity::Depth));
    random.shuffle(&mut order);
    order.truncate(random.usize(0..4));
    order
}

/// The number of a tree's shape; shapes are added after those of their subtrees.
fn number(shape: &Shape, children: &mut Vec<Option<(u32, u32)>>) -> u32 {
    let wanted = match shape {
        Shape::Leaf => None,
        Shape::Node(_, _, sides) => {
            let [a, b] = [&sides[0], &sides[1]].map(|side| number(side, children));
            Some((a.max(b), a.min(b)))
        }
    };
    let known = children.iter().position(|&one| one == wanted);
    known.unwrap_or_else(|| {
        children.push(wanted);
        children.len() - 1
    }) as u32
}

/// Ranges of sizes and costs as they come from what is minimized and limits,
/// and whether the size is the least.
fn numbers(
    random: &mut fastrand::Rng,
    trees: &[Measured],
) -> (Option<(u32, u32)>, (Cost, Cost), bool) {
    let least_cost = trees.iter().map(|tree| tree.cost).min().unwrap_or(0);
    // A little more, or as much as some tree costs, or a little less than that.
    let some = random.choice(trees).map_or(0, |tree| tree.cost);
    let most = match random.u32(0..4) {
        0 => some,
        1 => some.saturating_sub(1).max(least_cost),
        _ => least_cost + random.u64(0..3),
    };
    let cheap = || trees.iter().filter(|tree| tree.cost <= most);
    let size = cheap().map(|tree| tree.size).min().unwrap_or(0);
    match random.u32(0..6) {
        // Least size with few errors, and perhaps least errors then.
        0 => (Some((size, size)), (0, most), true),
        1 => {
            let cost = cheap().filter(|tree| tree.size == size).map(|tree| tree.cost).min();
            let cost = cost.unwrap_or(0);
            (Some((size, size)), (cost, cost), true)
        }
        2 => (Some((0, size + random.u32(0..3))), (0, most), false),
        3 => (None, (least_cost, least_cost), false),
        4 => (Some((0, size + random.u32(0..3))), (least_cost, most), false),
        _ => (None, (0, most), false),
    }
}

/// The shapes of listed trees, in their order.
fn shapes(table: &Table, trees: &Trees) -> Vec<Shape> {
    let mut start = 0;
    let mut found = Vec::new();
    for &end in &trees.ends {
        let items: Vec<usize> = (0..table.items.len()).collect();
        found.push(shape(table, trees, start, 0, &items));
        start = end;
    }
    found
}

fn shape(table: &Table, trees: &Trees, start: usize, node: usize, items: &[usize]) -> Shape {
    let at = start + node;
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    items.iter().for_each(|&at| weights[table.items[at].class as usize] += table.items[at].weight);
    let classes = at * table.n_classes..(at + 1) * table.n_classes;
    assert_eq!(trees.class_weights[classes], weights);
    assert_eq!(trees.prediction[at], i64::from(Errors::leaf_class(&weights)));
    let rows: u64 = items.iter().map(|&item| table.items[item].rows).sum();
    assert_eq!(trees.rows[at], rows as i64);
    if trees.feature[at] < 0 {
        return Shape::Leaf;
    }
    let index = trees.feature[at] as u32;
    let feature = table.features.iter().find(|feature| feature.index == index).expect("a feature");
    let value = |item: &usize| feature.values[feature.ranks[*item] as usize];
    let (left, right): (Vec<usize>, Vec<usize>) =
        items.iter().partition(|item| value(item) <= trees.low[at]);
    assert_eq!(left.iter().map(value).fold(f64::MIN, f64::max), trees.low[at]);
    assert_eq!(right.iter().map(value).fold(f64::MAX, f64::min), trees.high[at]);
    let sides = [(trees.left[at], &left), (trees.right[at], &right)];
    let sides = sides.map(|(child, side)| shape(table, trees, start, child as usize, side));
    Shape::Node(index, left, Box::new(sides))
}

fn check(instance: &Instance, request: &AllTreesRequest) -> AllTreesStats {
    let switch = StopSwitch::default();
    let clock = Clock::start(None, &switch);
    let (count, stats) = count_trees(&instance.table, request, &clock);
    assert_eq!(
        count,
        Some(BigUint::from(instance.wanted.len())),
        "{:?} {request:?}",
        instance.table
    );
    let mut listed = Vec::new();
    let complete = list_trees(&instance.table, request, &clock, &mut |trees| {
        listed.extend(shapes(&instance.table, &trees));
        true
    });
    assert!(complete);
    let wanted: BTreeMap<&Shape, &Measured> =
        instance.wanted.iter().map(|tree| (&tree.shape, tree)).collect();
    let once: BTreeSet<&Shape> = listed.iter().collect();
    assert_eq!(listed.len(), wanted.len());
    assert_eq!(once, wanted.keys().copied().collect(), "{request:?}");
    let rank = |shape| -> Vec<u64> {
        let tree = wanted[shape];
        let number = |quantity: &Quantity| match quantity {
            Quantity::Size => tree.size.into(),
            Quantity::Depth => tree.depth.into(),
            Quantity::Cost => tree.cost,
        };
        request.order.iter().map(number).collect()
    };
    assert!(listed.is_sorted_by_key(rank), "{request:?}");
    stats
}

#[test]
fn counts_and_lists_are_those_of_all_trees_under_random_switches() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let (mut done, mut several, mut of_a_shape, mut without) = (0, 0, 0, 0);
    let mut total = AllTreesStats::default();
    while done < 3_000 {
        let Some(instance) = draw(&mut random) else { continue };
        done += 1;
        several += u32::from(instance.wanted.len() > 1);
        if let Some(shapes) = &instance.request.shapes {
            of_a_shape += u32::from(shapes.get(shapes.whole()).size > 2);
            without += u32::from(instance.wanted.is_empty());
        }
        let mut request = instance.request.clone();
        let stats = check(&instance, &request);
        total.room += stats.room;
        total.bounds += stats.bounds;
        total.tight += stats.tight;
        total.spans += stats.spans;
        for (name, _) in AllTreesOptions::ALL {
            request.options.set(name, random.bool());
        }
        check(&instance, &request);
    }
    assert!(several > 1_000, "{several}");
    assert!(of_a_shape > 150, "{of_a_shape}");
    assert_eq!(without, 0);
    let counts = [total.room, total.bounds, total.tight, total.spans];
    assert!(counts.iter().all(|&count| count > 0), "{total:?}");
}
