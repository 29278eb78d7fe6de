//! Tests only: the minimum size by trying every rule and every division of the limits, and checks
//! of outcomes.

use crate::support::random_weights;
use exactree_model::{Outcome, Status, Table, Tree, Weight};
use std::collections::BTreeSet;

/// Limits on a tree for a table, except on its size.
#[derive(Clone, Debug)]
pub(crate) struct InstanceLimits {
    pub depth: u32,
    pub errors: Weight,
    /// By class, the maximum number of leaves; `u32::MAX` for no limit.
    pub leaves: Vec<u32>,
    /// The features that nodes may use.
    pub features: Vec<u32>,
}

impl InstanceLimits {
    /// No errors, all features of the table, and no limits on depth and leaves.
    pub(crate) fn all(table: &Table) -> Self {
        let features = (0..table.features.len() as u32).collect();
        InstanceLimits {
            depth: u32::MAX,
            errors: 0,
            leaves: vec![u32::MAX; table.n_classes],
            features,
        }
    }
}

/// Minimum size of a tree for these items; `None` if there is no tree.
pub(crate) fn definition(table: &Table, items: &[usize], allowed: &InstanceLimits) -> Option<u32> {
    let wrong = |class: usize| -> Weight {
        let others = items.iter().filter(|&&item| table.items[item].class as usize != class);
        others.map(|&item| table.items[item].weight).sum()
    };
    if (0..table.n_classes).any(|class| allowed.leaves[class] > 0 && wrong(class) <= allowed.errors)
    {
        return Some(0);
    }
    if allowed.depth == 0 {
        return None;
    }
    let mut optimum: Option<u32> = None;
    for &feature in &allowed.features {
        let feature = &table.features[feature as usize];
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty() || right.is_empty() {
                continue;
            }
            for (left_allowed, right_allowed) in shares(table, &left, allowed) {
                let left = definition(table, &left, &left_allowed);
                let right = definition(table, &right, &right_allowed);
                if let (Some(left), Some(right)) = (left, right) {
                    optimum = Some(optimum.unwrap_or(u32::MAX).min(left + right + 1));
                }
            }
        }
    }
    optimum
}

/// The total weights of all sets of items, up to `maximum`.
fn sums(table: &Table, items: &[usize], maximum: Weight) -> BTreeSet<Weight> {
    items.iter().fold(BTreeSet::from([0]), |sums, &item| {
        let more = sums.iter().map(|sum| sum + table.items[item].weight);
        more.filter(|&sum| sum <= maximum).chain(sums.iter().copied()).collect()
    })
}

/// Every way to divide errors and leaves between two children; the left one has these items.
fn shares(
    table: &Table,
    left: &[usize],
    allowed: &InstanceLimits,
) -> Vec<(InstanceLimits, InstanceLimits)> {
    let allowed = &InstanceLimits { depth: allowed.depth - 1, ..allowed.clone() };
    let mut found: Vec<(InstanceLimits, InstanceLimits)> = sums(table, left, allowed.errors)
        .into_iter()
        .map(|left| {
            let rest = InstanceLimits { errors: allowed.errors - left, ..allowed.clone() };
            (InstanceLimits { errors: left, ..allowed.clone() }, rest)
        })
        .collect();
    for (class, &maximum) in
        allowed.leaves.iter().enumerate().filter(|(_, maximum)| **maximum < u32::MAX)
    {
        let shared = found.iter().flat_map(|(left, right)| {
            (0..=maximum).map(move |share| {
                let (mut left, mut right) = (left.clone(), right.clone());
                left.leaves[class] = share;
                right.leaves[class] = maximum - share;
                (left, right)
            })
        });
        found = shared.collect();
    }
    found
}

/// A random table with 1 to `end` - 1 rows, up to three features and up to four classes; if `pure`,
/// rows with equal features have equal classes.
pub(crate) fn draw(random: &mut fastrand::Rng, end: usize, pure: bool) -> Table {
    let rows = random.usize(1..end);
    let features = random.usize(1..4);
    let values = [2, 3, 8][random.usize(0..3)];
    let classes = random.u32(1..5);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let mut labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    for row in 0..rows {
        let equal = |other: &usize| columns.iter().all(|column| column[*other] == column[row]);
        if let Some(earlier) = (0..row).find(equal).filter(|_| pure) {
            labels[row] = labels[earlier];
        }
    }
    let weights = random_weights::weights(random, rows, 62);
    Table::new(&columns, &labels, &weights, classes as usize)
}

/// Asserts that a completed search found the expected size, if that is at most `maximum`, with a
/// tree within the limits.
pub(crate) fn check(
    table: &Table,
    allowed: &InstanceLimits,
    maximum: u32,
    outcome: &Outcome,
    expected: Option<u32>,
) {
    let expected = expected.filter(|&size| size <= maximum);
    assert_eq!(outcome.cost, expected.map(u64::from), "{table:?} {allowed:?} {maximum}");
    match &outcome.tree {
        None => assert_eq!(outcome.status, Status::Infeasible),
        Some(tree) => {
            assert_eq!(outcome.status, Status::Optimal);
            assert_eq!(Some(tree.size()), expected, "{table:?} {tree:?}");
            check_tree(table, allowed, tree);
        }
    }
}

/// Asserts that a tree is within the limits and that every node splits its subset.
pub(crate) fn check_tree(table: &Table, allowed: &InstanceLimits, tree: &Tree) {
    let items: Vec<usize> = (0..table.items.len()).collect();
    let (mut errors, mut leaves) = (0, vec![0; table.n_classes]);
    walk(table, allowed, tree, &items, &mut errors, &mut leaves);
    assert!(errors <= allowed.errors, "{table:?} {tree:?}");
    assert!(tree.depth() <= allowed.depth, "{table:?} {tree:?}");
    assert!((0..table.n_classes).all(|class| leaves[class] <= allowed.leaves[class]), "{tree:?}");
}

fn walk(
    table: &Table,
    allowed: &InstanceLimits,
    tree: &Tree,
    items: &[usize],
    errors: &mut Weight,
    leaves: &mut [u32],
) {
    assert!(!items.is_empty());
    match tree {
        Tree::Leaf { class } => {
            let wrong = items.iter().filter(|&&item| table.items[item].class != *class);
            *errors += wrong.map(|&item| table.items[item].weight).sum::<Weight>();
            leaves[*class as usize] += 1;
        }
        Tree::Node { feature, rank, left, right } => {
            assert!(allowed.features.contains(feature));
            let ranks = &table.features[*feature as usize].ranks;
            let (on_left, on_right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| ranks[item] <= *rank);
            walk(table, allowed, left, &on_left, errors, leaves);
            walk(table, allowed, right, &on_right, errors, leaves);
        }
    }
}
